"""The visible part of a commit, while other programs work in the same folder."""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal

import pytest
from tests.limits import open_descriptors
from tests.moments import just_before

from workroom.base.changes import ABSENT, Change, Kind, State
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions.apply import (
    _check_lease,
    check_folders,
    check_guards,
    perform,
    prove_folders,
    sync_folders,
    worked_in,
)
from workroom.core.transactions.steps import Folders, Step
from workroom.core.transactions.unwind import unwind
from workroom.system import syscalls

_REWRITE = {"type": "rewrite", "path": "f", "content": "new"}
_DELETE = {"type": "delete", "path": "f"}


def conflict(half, *operations, exchange=None, meanwhile):
    """The refusal of a transaction whose files another program changes after it was prepared; it is unwound."""
    made = half(*operations, exchange=exchange)
    meanwhile(made)
    with pytest.raises(WorkroomError) as caught:
        made.do()
    after = made.house.tree()
    made.undo(known=True)
    assert made.staged() == []
    assert caught.value.code is ErrorCode.EDIT_CONFLICT
    return caught.value, after


def write(path, data):
    """Another program saves: a new file takes the name."""

    def meanwhile(half):
        passing = half.house.write("another.tmp", data)
        passing.rename(half.house.folder / path)

    return meanwhile


def test_guards_hold_while_nothing_changes(house):
    house.write("f", "old")
    house.write("d/g", "1")
    (house.folder / "l").symlink_to("f")
    planned = house.plan(
        {"type": "rewrite", "path": "f", "content": "new"},
        {"type": "delete", "path": "d", "recursive": True},
        {"type": "move", "from": "l", "to": "m"},
    )
    check_guards(house.workspace.root, planned.change_set)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda folder: (folder / "f").write_text("other"), "it was changed after the edit was planned"),
        (lambda folder: (folder / "f").chmod(0o755), "it was changed after the edit was planned"),
        (lambda folder: (folder / "f").unlink(), "it is gone"),
        (lambda folder: (folder / "n").mkdir(), "a directory stands there now"),
    ],
)
def test_guards_refuse_what_the_plan_did_not_see(house, change, reason):
    house.write("f", "old")
    planned = house.plan(_REWRITE, {"type": "create", "path": "n", "content": ""})
    change(house.folder)
    before = house.tree()
    with pytest.raises(WorkroomError) as caught:
        house.commit(planned)
    assert caught.value.code is ErrorCode.EDIT_CONFLICT
    assert reason in caught.value.message
    assert house.tree() == before


@pytest.mark.parametrize("exchange", [True, False])
def test_a_replaced_file(house, half, exchange):
    house.write("f", "old", 0o640)
    made = half(_REWRITE, exchange=exchange).do()
    assert house.tree() == {"f": (b"new", 0o640)}
    assert made.slot("f").read_bytes() == b"old"


@pytest.mark.parametrize("operation", [_REWRITE, _DELETE, {"type": "move", "from": "f", "to": "g"}])
def test_a_save_between_the_guard_and_the_rename_survives(house, half, operation):
    house.write("f", "old")
    error, _ = conflict(half, operation, meanwhile=write("f", "saved meanwhile"))
    assert error.details == {"path": "f", "expectedSha256": hashlib.sha256(b"old").hexdigest()}
    assert house.read("f") == b"saved meanwhile"
    assert not (house.folder / "g").exists()


@pytest.mark.parametrize("operation", [_REWRITE, _DELETE])
def test_a_file_that_a_program_has_open_for_writing(house, half, operation):
    house.write("f", "old")
    with contextlib.ExitStack() as stack:
        error, after = conflict(
            half, operation, meanwhile=lambda half: stack.enter_context(open(half.house.folder / "f", "ab"))
        )
    assert "open for writing" in error.message
    assert after == {"f": (b"old", 0o644)}


@pytest.mark.parametrize("operation", [_REWRITE, _DELETE])
def test_a_file_whose_mode_is_changed_in_the_moment(house, half, operation):
    house.write("f", "old", 0o644)
    error, _ = conflict(half, operation, meanwhile=lambda half: (half.house.folder / "f").chmod(0o600))
    assert "in the moment of the commit" in error.message
    assert house.tree() == {"f": (b"old", 0o600)}


@pytest.mark.parametrize("operation", [_REWRITE, _DELETE])
def test_a_writer_that_comes_between_the_rename_and_the_look(house, half, operation):
    house.write("f", "old")
    made = half(operation)

    def open_it():
        with pytest.raises(BlockingIOError):
            os.open(made.slot("f"), os.O_WRONLY | os.O_NONBLOCK)

    with (
        just_before("open", made.step("f").slot, open_it),
        pytest.raises(WorkroomError, match=r"^f: another program opened it for writing in the moment of the commit"),
    ):
        made.do()
    made.undo(known=True)
    assert house.tree() == {"f": (b"old", 0o644)}


def test_a_refused_step_leaves_no_file_open(house, half):
    house.write("f", "old")
    made = half(_REWRITE)
    with open(house.folder / "f", "ab"), Folders(house.workspace.root) as folders:
        folders.at(".agentic/stage"), folders.at(".")
        before = open_descriptors()
        with pytest.raises(WorkroomError, match="open for writing"):
            perform(folders, made.steps, [])
        assert open_descriptors() == before


@pytest.mark.parametrize("what", ["link", "folder"])
def test_what_was_removed_is_put_back_when_its_slot_is_emptied_in_the_moment(house, half, what):
    if what == "link":
        (house.folder / "f").symlink_to("elsewhere")
    else:
        (house.folder / "f").mkdir()
    before = house.tree()
    made = half(_DELETE).do()
    made.slot("f").unlink() if what == "link" else made.slot("f").rmdir()
    assert made.undo(known=True).restored == ["f"]
    assert house.tree() == before


def test_a_writer_that_came_in_the_moment_of_the_commit(house):
    """The lease is asked for again after the rename: a writer that waits for it has broken it."""
    path = house.write("f", "old")
    change = Change("f", State(Kind.FILE), State(Kind.FILE))
    descriptor = os.open(path, os.O_RDONLY)
    try:
        lease = syscalls.take_read_lease(descriptor)
        _check_lease(descriptor, lease, change)
        with pytest.raises(BlockingIOError):
            os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        with pytest.raises(WorkroomError) as caught:
            _check_lease(descriptor, lease, change)
        _check_lease(descriptor, "unsupported", change)
    finally:
        os.close(descriptor)
    assert caught.value.code is ErrorCode.EDIT_CONFLICT
    assert signal.getsignal(signal.SIGURG) in {signal.SIG_DFL, signal.SIG_IGN}


@pytest.mark.parametrize("operation", [_REWRITE, _DELETE])
def test_a_file_that_goes_away(house, half, operation):
    house.write("f", "old")
    error, after = conflict(half, operation, meanwhile=lambda half: (half.house.folder / "f").unlink())
    assert "it is gone" in error.message
    assert after == {}


def test_a_file_that_becomes_a_link(house, half, tmp_path):
    outside = tmp_path / "outside"
    outside.write_text("not ours")
    house.write("f", "old")

    def swap(half):
        (half.house.folder / "f").unlink()
        (half.house.folder / "f").symlink_to(outside)

    conflict(half, _REWRITE, meanwhile=swap)
    assert house.tree() == {"f": ("link", str(outside))}
    assert outside.read_text() == "not ours"


def test_a_folder_that_becomes_a_link(house, half, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f").write_text("old")
    house.write("d/f", "old")

    def swap(half):
        (half.house.folder / "d").rename(half.house.folder / "moved")
        (half.house.folder / "d").symlink_to(outside)

    made = half({"type": "rewrite", "path": "d/f", "content": "new"})
    swap(made)
    with pytest.raises(WorkroomError):
        made.do()
    made.undo()
    assert made.staged() == []
    assert (outside / "f").read_text() == house.read("moved/f").decode() == "old"


def test_a_new_file_where_one_stands_by_now(house, half):
    error, _ = conflict(half, {"type": "create", "path": "n", "content": "ours"}, meanwhile=write("n", "theirs"))
    assert "something else stands there now" in error.message
    assert error.details == {"path": "n", "expectedSha256": None}
    assert house.read("n") == b"theirs"


def test_a_removed_folder_in_which_something_was_put(house, half):
    house.write("d/f", "1")
    operation = {"type": "delete", "path": "d", "recursive": True}
    error, _ = conflict(half, operation, meanwhile=lambda half: half.house.write("d/new", "theirs"))
    assert "holds something that the plan didn't see" in error.message
    assert house.tree() == {"d": None, "d/f": (b"1", 0o644), "d/new": (b"theirs", 0o644)}


def test_what_the_system_refuses_for_other_reasons(house):
    house.write("f", "1")
    step = Step("remove", Change("f", State(Kind.DIRECTORY), ABSENT), "x" * 300, house.workspace.agentic.stage())
    with Folders(house.workspace.root) as folders, pytest.raises(WorkroomError) as caught:
        perform(folders, (step,), [])
    assert caught.value.code is ErrorCode.INVALID_INPUT
    assert "'f' is too long" in caught.value.message
    assert house.read("f") == b"1"


@pytest.mark.parametrize("becomes", ["link", "folder", "nothing"])
def test_a_folder_that_is_moved_away_in_the_moment(house, half, becomes):
    """What was done in it is undone where it is now."""
    house.write("d/f", "old")
    made = half({"type": "rewrite", "path": "d/f", "content": "new"}, {"type": "create", "path": "d/g", "content": ""})
    with Folders(house.workspace.root) as folders:
        perform(folders, made.steps, made.done)
        check_folders(house.workspace.root, folders, made.steps)
        (house.folder / "d").rename(house.folder / "away")
        if becomes != "nothing":
            (house.folder / "d").symlink_to("away") if becomes == "link" else (house.folder / "d").mkdir()
        with pytest.raises(WorkroomError, match="its folder was moved or replaced in the moment of the commit"):
            check_folders(house.workspace.root, folders, made.steps)
        sync_folders(house.workspace.root, folders, made.steps)
        unwind(house.workspace.root, folders, made.steps, house.tx.image, made.planned.id, made.done)
    assert house.tree()["away/f"] == (b"old", 0o644)
    assert "away/g" not in house.tree()
    assert made.staged() == []


def test_a_folder_that_took_a_files_place_is_looked_after_too(house, half):
    house.write("f", "old")
    made = half(_DELETE, {"type": "create", "path": "f/g", "content": "new"})
    with Folders(house.workspace.root) as folders:
        perform(folders, made.steps, made.done)
        (house.folder / "f").rename(house.folder / "away")
        with pytest.raises(WorkroomError, match="f/g: its folder was moved"):
            check_folders(house.workspace.root, folders, made.steps)


def test_the_folders_of_targets_and_of_what_moves_are_brought_to_the_disk():
    steps = [
        Step("create", Change("f", ABSENT, ABSENT), "s", "stage"),
        Step("replace", Change("d/e/f", ABSENT, ABSENT), "s", "stage"),
        Step("move", Change("y/b", ABSENT, ABSENT, origin="x/z/a"), "a", "x/z"),
    ]
    assert worked_in(steps) == [".", "d/e", "x/z", "y"]


def test_the_disk_is_proven_in_folders_that_still_are_there(house):
    house.write("d/f", "1")
    before = house.tree()
    prove_folders(house.workspace.root, [".", "d", "gone"])
    assert house.tree() == before


def test_folders_are_brought_to_the_disk_where_they_still_are(house):
    house.write("d/f", "1")
    house.write("file", "1")
    paths = ("f", "d/f", "file/f", "gone/f")
    steps = [Step("create", Change(path, ABSENT, ABSENT), "s", ".agentic/stage") for path in paths]
    with Folders(house.workspace.root) as folders:
        sync_folders(house.workspace.root, folders, steps)
