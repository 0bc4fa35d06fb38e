"""What is in a folder, window by window."""

from __future__ import annotations

import threading

import pytest

from workroom.base.changes import Kind
from workroom.base.errors import WorkroomError
from workroom.core.search.folders import Folders
from workroom.system.root import Root

SETTLED = 0.15
"""Seconds after which a folder can't change unseen."""
NAMES = [f"{number:03}" for number in range(100)]


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    for name in reversed(NAMES):
        (folder / name).touch()
    (folder / ".workroom-stage-1").touch()
    with Root.open(tmp_path) as opened:
        yield opened


@pytest.fixture
def folders(root):
    made = Folders(root, most=20, large=10)
    yield made
    made.forget()


def rest():
    threading.Event().wait(SETTLED)


def test_windows_follow_one_another(folders):
    seen, after = [], ""
    while True:
        window = folders.window("many", after)
        assert window.count == 100 - len(seen)
        assert len(window.names) <= 20
        seen += window.names
        if not window.more:
            break
        after = window.names[-1]
    assert seen == NAMES


def test_one_is_kept_as_long_as_the_folder_is_the_same(tmp_path, folders):
    rest()
    assert list(folders.window("many").names) == NAMES[:20]
    for after in range(19):
        window = folders.window("many", NAMES[after])
        assert (list(window.names), window.count) == (NAMES[after + 1 : 20], 99 - after)
    assert folders.read == 1
    assert list(folders.window("many", NAMES[19]).names) == NAMES[20:40]
    assert folders.read == 2
    assert list(folders.window("many", NAMES[5]).names) == NAMES[6:26], "it lies before the one that is kept"
    (tmp_path / "many/0050").touch()
    assert list(folders.window("many", NAMES[5]).names) == ["0050", *NAMES[6:25]]


def test_a_name_that_becomes_another_thing_is_seen(tmp_path, folders):
    rest()
    assert folders.window("many").kind("003") is Kind.FILE
    (tmp_path / "many/003").unlink()
    (tmp_path / "many/003").mkdir()
    (tmp_path / "many/004").unlink()
    (tmp_path / "many/004").symlink_to("003")
    window = folders.window("many")
    assert [window.kind(name) for name in ("003", "004", "005")] == [Kind.DIRECTORY, Kind.SYMLINK, Kind.FILE]
    assert [window.has(name) for name in ("003", "0030", "")] == [True, False, False]


def test_a_folder_that_was_just_changed_is_not_kept(folders):
    folders.window("many")
    folders.window("many")
    assert folders.read == 2


def test_few_are_kept_and_none_for_long(root, tmp_path):
    for name in "abcdef":
        (tmp_path / name).mkdir()
        for number in range(10):
            (tmp_path / name / str(number)).touch()
    folders = Folders(root, large=10, seconds=0.2)
    rest()
    for name in "abcdef":
        folders.window(name)
    read = folders.read
    folders.window("f")
    folders.window("c")
    assert folders.read == read
    folders.window("a")
    assert folders.read == read + 1
    threading.Event().wait(0.5)
    folders.window("f")
    assert folders.read == read + 2


def test_only_what_fits_and_folders(tmp_path, folders):
    (tmp_path / "many/folder").mkdir()
    (tmp_path / "many/link").symlink_to("folder")
    window = folders.window("many", "", lambda name: name.endswith("7"))
    assert list(window.names) == [*NAMES[7::10], "folder"]
    assert (window.count, window.passed, window.more) == (11, 91, False)


def test_what_is_no_folder(folders):
    for path in ("many/001", "gone"):
        with pytest.raises(WorkroomError):
            folders.window(path)
