"""What each path was: its rows, and what they say of its content."""

from __future__ import annotations

import time

import pytest

from workroom.base.changes import ABSENT, UNKNOWN, Kind, State
from workroom.core.watch.baseline import Baseline, Row, split

FILE = Row("file", 4, 0o644, 10, 20, 7, "abc")
FOLDER = Row("directory", 0, 0o755, 0, 0, 3)


@pytest.fixture
def baseline(house):
    with house.workspace.store.write() as db:
        yield Baseline(db)


def test_paths_are_kept_as_bytes_by_their_folder(baseline):
    odd = "d/\udcff\n"
    baseline.put([("top", FILE), ("d", FOLDER), (odd, FILE), ("d/e/f", FILE), ("d0", FILE), ("d-/x", FILE)])
    assert baseline.get(odd) == FILE
    assert baseline.get("d/none") is None
    assert baseline.inside(".") == {"top": FILE, "d": FOLDER, "d0": FILE}
    assert baseline.inside("d") == {odd: FILE}
    assert baseline.below("d") == {odd: FILE, "d/e/f": FILE}
    baseline.remove(odd)
    assert baseline.below("d") == {"d/e/f": FILE}
    assert split("a") == (b".", b"a")


def test_a_folder_is_listed_until_other_things_belong_to_it(baseline):
    for folder in (".", "d", "d/e", "d0"):
        baseline.set_listed(folder)
    baseline.unlist("d")
    assert [baseline.listed(folder) for folder in (".", "d", "d/e", "d0")] == [True, False, False, True]
    baseline.remove("d0")
    assert not baseline.listed("d0")
    baseline.unlist(".")
    assert not baseline.listed(".")


def test_what_nobody_has_read(baseline):
    unread = Row("file", 4, 0o644, 10, 20, 7)
    baseline.put([("a", unread), ("b", FILE), ("c", unread), ("d/e", Row("symlink", 9, 0, 1, 2, 3)), ("f", FOLDER)])
    assert baseline.unread("", 5, 9) == ["a", "c"]
    assert baseline.unread("", 9, 9) == ["a", "c", "d/e"]
    assert baseline.unread("a", 9, 1) == ["c"]
    baseline.set_blobs([("a", "0" * 40), ("b", "1" * 40)])
    assert baseline.unread("", 5, 9) == ["c"]
    assert (baseline.get("a").blob, baseline.get("b").blob) == ("0" * 40, "")


def test_how_far_it_goes(baseline):
    assert (baseline.entry(), baseline.position()) == (0, None)
    baseline.set_entry(3)
    baseline.set_position(0)
    assert (baseline.entry(), baseline.position()) == (3, 0)


def test_what_a_row_says_of_its_path():
    assert FILE.state() == State(Kind.FILE, "abc", 4, 0o644)
    assert FOLDER.state() == State(Kind.DIRECTORY, mode=0o755)
    assert Row("symlink", 3, 0o777, 1, 2, 3, "def").state() == State(Kind.SYMLINK, "def", 3)
    assert Row("file", 4, 0o644, 10, 20, 7, blob="x").state() == UNKNOWN
    assert Row("other", 0, 0, 0, 0, 0).state() == UNKNOWN


def test_what_an_entry_told_keeps_the_stat_of_what_it_fits():
    assert FILE.with_state(State(Kind.FILE, "abc", 4, 0o644)) == FILE
    assert FILE.with_state(State(Kind.FILE, "abc", 4, 0o600)).ctime == 0
    assert FILE.with_state(State(Kind.FILE, "new", 5, 0o600)) == Row("file", 5, 0o600, 0, 0, 0, "new")
    assert FILE.with_state(State(Kind.DIRECTORY)).kind == "directory"
    assert FILE.with_state(State(Kind.FILE, "new", 5)).state() == State(Kind.FILE, "new", 5)
    assert FILE.state() != ABSENT


def test_a_file_that_was_changed_a_moment_ago_has_to_be_looked_into_again(house):
    house.write("f", "one\n")
    (house.folder / "d").mkdir()
    file, folder = (house.workspace.root.stat(path) for path in ("f", "d"))
    at = file.ctime_ns / 1e9
    assert Row.of(file, at + 0.01).ctime == 0
    assert not Row.of(file, at + 0.01, "abc").same_stat(file)
    assert Row.of(file, at + 0.01).same_stat(file)
    assert Row.of(file, at + 1).same_stat(file)
    assert Row.of(folder, at).same_stat(folder)
    (house.folder / "d").chmod(0o700)
    assert not Row.of(folder, at).same_stat(house.workspace.root.stat("d"))
    time.sleep(0.02)
    (house.folder / "f").chmod(0o600)
    assert not Row.of(file, at + 1).same_stat(house.workspace.root.stat("f"))
