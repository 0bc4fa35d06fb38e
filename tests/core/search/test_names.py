"""The kept names of a root: the same as a walk's, whatever happens in between, and read again only where they are."""

from __future__ import annotations

import os
import random
import subprocess
import threading

import pytest

from workroom.base.changes import Kind
from workroom.base.errors import WorkroomError
from workroom.base.pulse import Pulse
from workroom.core.search.listing import Options, Tally, walk
from workroom.core.search.names import Names
from workroom.core.search.tracked import tracked_paths
from workroom.system.root import Root

SETTLED = 0.15
"""Seconds after which a folder can't change unseen."""


@pytest.fixture
def root(tmp_path):
    with Root.open(tmp_path) as opened:
        yield opened


@pytest.fixture
def names(root):
    made = Names(root)
    yield made
    made.forget()


def rest(seconds=SETTLED):
    threading.Event().wait(seconds)


def write(tmp_path, *paths, text="x"):
    for path in paths:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)


def walked(root):
    tally = Tally()
    found = walk(root, ".", Options(depth=None, budget=10**6), tally)
    return [each.path for each in found if each.kind is not Kind.DIRECTORY], tally


def test_they_are_a_walks_in_its_order(tmp_path, root, names):
    write(tmp_path, "b/two", "b/a/one", "a.txt", "c", "b.x", ".git/config", ".agentic/x", "d/kept.log", "d/skip.log")
    write(tmp_path, "d/.gitignore", text="!kept.log\n")
    write(tmp_path, ".gitignore", text="*.log\nbuild/\n")
    write(tmp_path, "build/out", ".workroom-stage-1")
    os.symlink("a.txt", tmp_path / "link")
    expected, tally = walked(root)
    for _ in range(2):
        found = Tally()
        assert list(names.files(found)) == expected
        assert (found.apart, found.ignored, found.cut) == (tally.apart, tally.ignored, False)
        rest()


def test_a_folder_is_read_again_only_when_it_is_another(tmp_path, names):
    write(tmp_path, "a/one", "b/two")
    rest()
    assert list(names.files(Tally())) == ["a/one", "b/two"]
    assert names.read == 3
    write(tmp_path, "a/three")
    (tmp_path / "b/two").write_text("changed")
    rest()
    assert list(names.files(Tally())) == ["a/one", "a/three", "b/two"]
    assert names.read == 4
    assert list(names.files(Tally())) == ["a/one", "a/three", "b/two"]
    assert names.read == 4


def test_what_changed_just_now_is_read_again(tmp_path, names):
    write(tmp_path, "a/one")
    list(names.files(Tally()))
    before = names.read
    list(names.files(Tally()))
    assert names.read > before
    os.utime(tmp_path / "a", (1_700_000_000, 1_700_000_000))
    list(names.files(Tally()))
    rest()
    before = names.read
    list(names.files(Tally()))
    assert names.read > before, "times in whole seconds say less"


def test_an_ignore_file_that_says_something_else_counts_at_once(tmp_path, names):
    write(tmp_path, "a/x.log", "a/y", "b/x.log")
    write(tmp_path, ".gitignore", text="*.log\n")
    rest()
    assert list(names.files(Tally())) == [".gitignore", "a/y"]
    (tmp_path / ".gitignore").write_text("*.lo_\n")
    assert list(names.files(Tally())) == [".gitignore", "a/x.log", "a/y", "b/x.log"]
    write(tmp_path, "a/.gitignore", text="y\n")
    assert list(names.files(Tally())) == [".gitignore", "a/.gitignore", "a/x.log", "b/x.log"]
    (tmp_path / "a/.gitignore").write_text("\n")
    assert "a/y" in list(names.files(Tally()))


@pytest.mark.parametrize("seed", range(5))
def test_whatever_happens_they_are_what_a_walk_finds(tmp_path, root, names, seed):
    chance = random.Random(seed)
    write(tmp_path, *(f"{a}/{b}" for a in "abc" for b in "xyz"))
    for turn in range(30):
        path = tmp_path / chance.choice("abcd") / chance.choice("wxyz")
        act = chance.randrange(5)
        if act == 0 and path.is_file():
            path.unlink()
        elif act == 1 and path.parent.is_dir():
            path.parent.rename(tmp_path / f"moved-{turn}")
        elif act == 2:
            (tmp_path / ".gitignore").write_text(chance.choice(["", "x\n", "a/\n", "!z\nz\n"]))
        elif not path.is_dir() and not path.is_file():
            path.mkdir(parents=True) if act == 3 else write(tmp_path, str(path.relative_to(tmp_path)))
        if not chance.randrange(8):
            rest()
        assert list(names.files(Tally())) == walked(root)[0]


def test_what_can_not_be_read_is_counted(tmp_path, names):
    write(tmp_path, "a/one", "b/two")
    rest()
    list(names.files(Tally()))

    class Replaces(Pulse):
        """Another program puts a link in a folder's place, once its name was seen."""

        def beat(self, done, total=None):
            if (tmp_path / "b").is_dir() and not (tmp_path / "b").is_symlink():
                (tmp_path / "b/two").unlink()
                (tmp_path / "b").rmdir()
                os.symlink("a", tmp_path / "b")

    tally = Tally()
    assert list(names.files(tally, Replaces())) == ["a/one"]
    assert tally.unreadable == 1


def test_a_root_that_is_gone_is_told(tmp_path):
    (tmp_path / "ws").mkdir()
    opened = Root.open(tmp_path / "ws")
    names = Names(opened)
    opened.close()
    with pytest.raises(WorkroomError):
        list(names.files(Tally()))
    names.forget()


def test_it_takes_no_longer_than_it_may(tmp_path, names):
    write(tmp_path, "a/one", "b/two")
    tally = Tally()
    assert list(names.files(tally, seconds=-1)) == []
    assert tally.cut is True


def test_names_that_nobody_asks_for_are_let_go(tmp_path, root):
    write(tmp_path, "a/one")
    rest()
    names = Names(root, 0.3)
    list(names.files(Tally()))
    rest(0.2)
    list(names.files(Tally()))
    assert names.read == 2
    rest(0.2)
    list(names.files(Tally()))
    assert names.read == 2, "it was asked for meanwhile"
    rest(0.8)
    list(names.files(Tally()))
    assert names.read == 4
    names.forget()


def test_what_git_tracks_is_kept_as_long_as_its_index_is_the_same(tmp_path, root, names):
    assert names.tracked() is None
    write(tmp_path, "a", "b")
    for arguments in (("init", "-q"), ("add", "a")):
        subprocess.run(["git", "-C", str(tmp_path), *arguments], check=True, capture_output=True)
    assert names.tracked() == tracked_paths(root) == ["a"]
    rest()
    first = names.tracked()
    assert names.tracked() is first
    subprocess.run(["git", "-C", str(tmp_path), "add", "b"], check=True, capture_output=True)
    assert names.tracked() == ["a", "b"]
