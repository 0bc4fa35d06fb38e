"""editor_open."""

from __future__ import annotations

import hashlib
import os

import pytest
from tests.conftest import AGENT

from workroom.base.settings import Settings
from workroom.tools.tool import Limits


def test_a_file_is_read_and_is_open_then(house, ask):
    file = house.write("src/main.rs", "fn main() {}\r\n")
    opened = ask("open", path="src/main.rs")
    assert opened == {
        "path": "src/main.rs",
        "content": "fn main() {}\r\n",
        "language": "rust",
        "mtime": int(file.stat().st_mtime),
        "size": 14,
        "truncated": False,
        "version": hashlib.sha256(b"fn main() {}\r\n").hexdigest(),
        "encoding": "utf-8",
        "lossy": False,
        "picture": "",
    }
    buffer = house.workspace.buffers.own(AGENT, "src/main.rs")
    assert (buffer.version, buffer.mtime, buffer.truncated) == (opened["version"], opened["mtime"], False)
    assert ask("open", path=str(file))["path"] == "src/main.rs"


def test_a_link_is_what_it_leads_to(house, ask):
    house.write("real.txt", "x")
    (house.folder / "link.txt").symlink_to("real.txt")
    assert ask("open", path="link.txt")["path"] == "real.txt"
    (house.folder / "out.txt").symlink_to("/etc/hostname")
    assert ask("open", path="out.txt")["error"]["code"] == "PATH_OUTSIDE_WORKSPACE"


@pytest.mark.parametrize(
    ("path", "code", "said"),
    [
        ("binary", "INVALID_INPUT", "is binary"), ("folder", "INVALID_INPUT", "editor_tree"),
        ("gone", "NOT_FOUND", "editor_find"), ("../x", "PATH_OUTSIDE_WORKSPACE", ""), ("pipe", "INVALID_INPUT", ""),
    ],
)  # fmt: skip
def test_what_is_no_text_is_refused_and_not_open(house, ask, path, code, said):
    house.write("binary", b"\0\1\2\xff")
    (house.folder / "folder").mkdir()
    os.mkfifo(house.folder / "pipe")
    error = ask("open", path=path)["error"]
    assert error["code"] == code
    assert said in f"{error['message']} {error['next_step']}"
    assert house.workspace.buffers.list(AGENT) == ()


def test_a_picture_is_told_by_its_bytes(house, ask):
    house.write("a.txt", b"\x89PNG\r\n\x1a\n\0")
    error = ask("open", path="a.txt")["error"]
    assert error["details"] == {"bytes": 9, "kind": "PNG image", "picture": "image/png"}
    assert "is binary (PNG image, 9 bytes)" in error["message"]
    house.write("b.png", b"\0\1\2\xff")
    assert ask("open", path="b.png")["error"]["details"] == {"bytes": 4, "kind": "", "picture": None}
    house.write("c.txt", "<svg></svg>\n")
    assert ask("open", path="c.txt")["picture"] == "image/svg+xml"


def test_other_encodings_are_text_all_the_same(house, ask):
    house.write("wide.txt", "é\n".encode("utf-16"))
    house.write("latin.txt", "Käse und Brötchen, Straße\n".encode("cp1252"))
    house.write("marked.txt", b"\xef\xbb\xbfx\n")
    assert [ask("open", path=f"{name}.txt")["content"] for name in ("wide", "latin", "marked")] == [
        "é\n", "Käse und Brötchen, Straße\n", "x\n",
    ]  # fmt: skip
    assert ask("open", path="marked.txt")["encoding"] == "utf-8-bom"


def test_bytes_that_are_no_text_are_shown_as_such(house, ask):
    house.write("lossy.txt", b"good \xc3\xa9\xc3\xa9\xc3\xa9\nbad \xff\n")
    opened = ask("open", path="lossy.txt")
    assert (opened["content"], opened["lossy"]) == ("good ééé\nbad \ufffd\n", True)


def test_a_long_file_is_cut_and_said_so(house, ask):
    house.settings = Settings(editor_max_file_bytes=11)
    house.write("long.txt", "ééééé" + "é" * 100)
    opened = ask("open", path="long.txt", whole=True)
    assert (opened.data["content"], opened.data["truncated"], opened.data["size"]) == ("ééééé", True, 210)
    assert opened.data["version"].startswith("part-")
    assert "can't be saved" in opened.summary
    assert house.workspace.buffers.own(AGENT, "long.txt").truncated
    house.write("exact.txt", "x" * 11)
    assert ask("open", path="exact.txt")["truncated"] is False
    house.write("binary", b"\0\1\2\xff" * 20)
    assert "is binary" in ask("open", path="binary")["error"]["message"]


def test_what_a_client_cannot_take_is_cut_by_whole_lines(house, ask):
    house.write("a.txt", "a line\n" * 1_000)
    opened = ask("open", path="a.txt", limits=Limits(4_000, 60))
    assert opened["truncated"] is True
    assert set(opened["content"].split("\n")) == {"a line", ""}
    assert 1_000 < len(opened["content"]) < 2_600
    house.write("one.txt", "x" * 10_000)
    assert len(ask("open", path="one.txt", limits=Limits(4_000, 60))["content"]) == 2_498
