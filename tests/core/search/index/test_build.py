"""The program that builds an index, run as one and called as a function, on real files."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from workroom.base.errors import WorkroomError
from workroom.core.search.index import build, manifest
from workroom.core.search.index.signature import ALWAYS, BINARY, FOREIGN, ODD_CASE, UNSURE
from workroom.core.search.query import Query
from workroom.system.root import Root


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "ws"
    for path, data in {
        "a.txt": b"needle\n",
        "b/c.txt": b"other\n",
        "b/binary": b"\0",
        "odd": "\u212a".encode(),
        "wide": "wide".encode("utf-16"),
        "latin": "déjà vu, a café in été, garçon\n".encode("cp1252"),
        "dir.d/empty/x.log": b"ignored\n",
        ".gitignore": b"*.log\n",
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    os.link(folder / "a.txt", folder / "second")
    (folder / "link").symlink_to("a.txt")
    (tmp_path / "index").mkdir()
    time.sleep(0.1)  # files as old as this are believed
    return folder


@pytest.fixture
def built(folder):
    def once():
        with Root.open(folder) as root:
            build.bring(root, str(folder.parent / "index"))
        return manifest.read(str(folder.parent / "index"))

    return once


def test_what_is_in_it(built):
    found = built()
    flags = dict(zip(found.paths, found.flags.tolist(), strict=True))
    assert flags == {
        ".gitignore": 0, "a.txt": ALWAYS | UNSURE, "b/binary": BINARY, "b/c.txt": 0, "latin": FOREIGN,
        "odd": ODD_CASE, "second": ALWAYS | UNSURE, "wide": ALWAYS | UNSURE,
    }  # fmt: skip
    assert {path: int(each) for path, each in zip(found.paths, found.encodings, strict=True) if each} == {"latin": 1}
    assert found.suffixes == {".d"}
    assert found.unreadable == 0


def test_what_stays_the_same_is_not_read_again(built, folder):
    first = built()
    (folder / "b/c.txt").write_text("changed\n")
    (folder / "new").write_text("new\n")
    (folder / "odd").unlink()
    second = built()
    assert second.matrices[0].file == first.matrices[0].file
    assert len(second.matrices) == 2
    where = dict(zip(second.paths, second.segments.tolist(), strict=True))
    assert where == {
        ".gitignore": 0,
        "a.txt": -1,
        "b/binary": 0,
        "b/c.txt": 1,
        "latin": 0,
        "new": 1,
        "second": -1,
        "wide": -1,
    }
    names = {each.name for each in (folder.parent / "index").iterdir()}
    assert names == {manifest.NAME, *(one.file for one in second.matrices)}


def test_without_its_matrices_a_manifest_is_none(built, folder):
    (folder.parent / "index" / built().matrices[0].file).unlink()
    assert len(built().matrices) == 1


def test_there_are_never_many_matrices(built, folder):
    for number in range(12):
        (folder / f"new_{number}").write_text(f"new {number}\n")
        assert len(built().matrices) <= 5


def test_a_file_that_is_gone_when_it_is_read_is_always_searched(folder):
    with Root.open(folder) as root, open(folder.parent / "m", "wb") as file:
        assert build.Reader(root, file, "m").row("gone", 0) == ((0, 0, 0, 0, 0), ALWAYS | UNSURE, -1, 0, 0)


def test_what_was_written_just_now_is_read_again(built, folder):
    (folder / "b/c.txt").write_text("changed\n")
    first = built()
    place = list(first.paths).index("b/c.txt")
    assert first.identities[place][4] == 0
    time.sleep(0.1)
    second = built()
    assert second.identities[place][4] != 0
    assert second.segments[place] == 1


def test_where_nothing_changed_nothing_is_written(built, folder):
    first = built()
    written = (folder.parent / "index" / manifest.NAME).stat().st_ino
    assert built().same_as(first)
    assert (folder.parent / "index" / manifest.NAME).stat().st_ino == written
    (folder / "b/c.txt").chmod(0o600)
    assert not built().same_as(first)


def test_what_a_build_has_left_half_done_is_removed(built, folder):
    (folder.parent / "index" / "left.bits").write_bytes(b"half a matr")
    found = built()
    assert {each.name for each in (folder.parent / "index").iterdir()} == {manifest.NAME, found.matrices[0].file}


def test_as_a_program(folder):
    where = str(folder.parent / "index")
    with Root.open(folder) as root:
        argv = [sys.executable, "-P", "-m", build.__name__, str(folder), root.identity, where]
    assert subprocess.run([*argv[:-2], "1:2", where], check=False).returncode == 1
    assert os.listdir(where) == []
    subprocess.run(argv, check=True)
    assert "a.txt" in manifest.read(where).paths


def test_the_walk_is_ripgreps(folder):
    with Root.open(folder) as root:
        paths, unreadable = build.walked(root, "b", Query(""))
        assert (paths, unreadable) == (["b/binary", "b/c.txt"], 0)
        assert build.walked(root, ".", Query(""), b"*\n!/odd\n")[0] == ["odd"]
        with pytest.raises(WorkroomError):
            build.walked(root, ".", Query("", include=("{a",)))
        assert build.walked(root, "no such folder", Query("")) == ([], 1)
