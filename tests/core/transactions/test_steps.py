"""A change set as renames: their order, their slots, and what is seen at a name."""

from __future__ import annotations

import gc
import hashlib
import json
import os
import re

import pytest
from tests.limits import open_descriptors
from tests.moments import just_before

from workroom.base.changes import ABSENT, Change, Kind, State
from workroom.core.transactions.steps import (
    Folders,
    Step,
    _look_into,
    build_steps,
    drop_known,
    grew_from,
    holds_something,
    is_held,
    look,
    step_from_json,
    step_to_json,
)
from workroom.text.paths import STAGE_PREFIX


def steps_of(house, *operations, **options):
    planned = house.plan(*operations)
    root = house.workspace.root
    return build_steps(root, planned.change_set, planned.id, house.workspace.agentic.stage(), **options)


def names(steps):
    return [(step.action, step.path) for step in steps]


def test_steps_survive_being_stored(house):
    house.write("a", "1")
    for step in steps_of(house, {"type": "move", "from": "a", "to": "d/b"}):
        assert step_from_json(json.loads(json.dumps(step_to_json(step)))) == step


def test_files_go_folders_come_files_move_folders_go_files_come_files_are_replaced(house):
    house.write("old/deep/f", "1")
    house.write("old/g", "2")
    house.write("old/m", "moves")
    house.write("r", "3")
    steps = steps_of(
        house,
        {"type": "move", "from": "old/m", "to": "new/m"},
        {"type": "delete", "path": "old", "recursive": True},
        {"type": "rewrite", "path": "r", "content": "4"},
        {"type": "create", "path": "new/deep/f", "content": "5"},
        {"type": "create", "path": "top", "content": "6"},
    )
    assert names(steps) == [
        ("remove", "old/deep/f"),
        ("remove", "old/g"),
        ("create", "new"),
        ("create", "new/deep"),
        ("move", "new/m"),
        ("remove", "old/deep"),
        ("remove", "old"),
        ("create", "top"),
        ("create", "new/deep/f"),
        ("replace", "r"),
    ]
    assert len({step.slot for step in steps}) == len(steps)
    own = [step.slot for step in steps if step.action != "move"]
    assert all(re.fullmatch(r"tx_\d{12}-\d+", slot) for slot in own)  # what an opening sweeps


def test_without_exchange_a_replacement_is_a_removal_and_a_creation(house):
    house.write("f", "1")
    operation = {"type": "rewrite", "path": "f", "content": "2"}
    assert names(steps_of(house, operation)) == [("replace", "f")]
    assert names(steps_of(house, operation, exchange=False)) == [("remove", "f"), ("create", "f")]


def test_a_changed_kind_is_a_removal_and_a_creation(house):
    house.write("f", "1")
    operations = ({"type": "delete", "path": "f"}, {"type": "create", "path": "f/g", "content": "2"})
    assert names(steps_of(house, *operations)) == [("remove", "f"), ("create", "f"), ("create", "f/g")]


def test_a_moved_file_has_no_slot_but_its_old_place(house):
    inode = house.write("d/a", "1", 0o600).stat().st_ino
    (step,) = steps_of(house, {"type": "move", "from": "d/a", "to": "b"})
    assert (step.action, step.path, step.slot_folder, step.slot, step.inode) == ("move", "b", "d", "a", inode)
    assert (step.departure.path, step.departure.before.mode, step.departure.after.kind) == ("d/a", 0o600, Kind.ABSENT)
    assert not step.displaces


_DELETE_D = {"type": "delete", "path": "d"}


@pytest.mark.parametrize(
    ("moves", "ends"),
    [
        ([("a", "new/deep/a"), ("x/g", "c")], {"new/deep/a": "a", "c": "x/g"}),
        ([("a", "t"), ("d/e", "a/e")], {"t": "a", "a/e": "d/e"}),
        ([("d/e", "t"), ("d/f", "x/y/f"), (), ("x/g", "d")], {"t": "d/e", "x/y/f": "d/f", "d": "x/g"}),
        ([("a", "t"), ("b", "a"), ("t", "b")], {"a": "b", "b": "a"}),
        ([("d/e", "t"), ("a", "d/e"), ("t", "a")], {"d/e": "a", "a": "d/e"}),
        ([("d", "q/d"), ("q/d/e", "d/e")], {"d/e": "d/e", "q/d/f": "d/f"}),
        ([("b", "t"), ("a", "b/a")], {"t": "b", "b/a": "a"}),
    ],
)
def test_moves_in_any_order_of_names_and_back(house, moves, ends):
    """Files that change places, chains, and folders that take a file's place or the other way round."""
    for path in ("a", "b", "d/e", "d/f", "x/g"):
        house.write(path, f"was {path}")
    before = house.tree()
    operations = [{"type": "move", "from": move[0], "to": move[1]} if move else _DELETE_D for move in moves]
    entry = house.edit(*operations)
    assert {path: house.read(path).decode() for path in ends} == {path: f"was {name}" for path, name in ends.items()}
    assert len(files(house)) == len(before) - 2  # the folders d and x
    house.undo(entry.transaction_id)
    assert files(house) == {path: node for path, node in before.items() if node is not None}


def files(house):
    return {path: node for path, node in house.tree().items() if node is not None}


def test_a_moved_file_that_is_gone_has_no_inode(house):
    house.write("a", "1")
    planned = house.plan({"type": "move", "from": "a", "to": "b"})
    (house.folder / "a").unlink()
    steps = build_steps(house.workspace.root, planned.change_set, planned.id, house.workspace.agentic.stage())
    assert [step.inode for step in steps] == [0]


def test_on_another_mount_slots_are_beside_the_target(house, mount):
    mount("m")
    house.write("m/f", "1")
    changed, made = steps_of(
        house,
        {"type": "create", "path": "m/new/g", "content": "2"},
        {"type": "delete", "path": "m/f"},
    )[::2]
    assert (changed.slot_folder, made.slot_folder) == ("m", "m")
    assert changed.slot.startswith(STAGE_PREFIX)


def test_a_file_on_another_mount_is_exchanged_there(house, mount):
    mount("m")
    house.write("m/f", "1", 0o640)
    (step,) = steps_of(house, {"type": "rewrite", "path": "m/f", "content": "2"})
    assert (step.action, step.slot_folder) == ("replace", "m")
    house.edit({"type": "rewrite", "path": "m/f", "content": "2"})
    house.reopen()
    assert house.tree() == {"m": None, "m/f": (b"2", 0o640)}


def test_a_folder_on_another_mount_is_taken_away_whole(house, mount):
    mount("m")
    house.write("m/d/e/f", "1")
    house.write("m/d/g", "2")
    before = house.tree()
    entry = house.edit({"type": "delete", "path": "m/d", "recursive": True})
    house.reopen()
    assert house.tree() == {"m": None}
    house.undo(entry.transaction_id)
    assert house.tree() == before


@pytest.mark.parametrize("source", ["here/f", "m/f"])
def test_a_move_across_mounts_is_a_copy_and_a_removal(house, mount, source):
    mount("m")
    house.write(source, "1", 0o640)
    (house.folder / "here").mkdir(exist_ok=True)
    target = "m/f" if source == "here/f" else "here/f"
    before = house.tree()
    entry = house.edit({"type": "move", "from": source, "to": target})
    house.reopen()
    assert house.tree() == {"here": None, "m": None, target: (b"1", 0o640)}
    house.undo(entry.transaction_id)
    house.reopen()
    assert house.tree() == before


def test_more_folders_than_are_kept_open(house):
    inodes = {}
    for number in range(70):
        (house.folder / f"d{number}").mkdir()
        inodes[f"d{number}"] = (house.folder / f"d{number}").stat().st_ino
    gc.collect()  # what earlier tests have left is not closed in the middle of this one
    before = len(open_descriptors())
    with Folders(house.workspace.root) as folders:
        for path in [*inodes, *inodes]:
            assert os.fstat(folders.at(path)).st_ino == inodes[path]
            assert len(open_descriptors()) <= before + 64
    assert len(open_descriptors()) == before


@pytest.mark.parametrize("count", [62, 63, 64])
def test_both_folders_of_a_step_are_open_whatever_was_before(house, count):
    for number in range(count):
        (house.folder / f"d{number}").mkdir()
    (house.folder / "a").mkdir()
    step = Step("create", Change("a/f", ABSENT, State(Kind.FILE)), "slot", house.workspace.agentic.stage())
    with Folders(house.workspace.root) as folders:
        for number in range(count):
            folders.at(f"d{number}")
        parent, name, slot = folders.both(step)
        assert name == "f"
        assert os.path.samestat(os.fstat(parent), (house.folder / "a").stat())
        assert os.path.samestat(os.fstat(slot), (house.folder / ".agentic/stage").stat())


def test_look(house):
    fd = house.workspace.root.fd
    house.write("f", "abc", 0o640)
    (house.folder / "l").symlink_to("f")
    (house.folder / "d").mkdir(mode=0o750)
    os.mkfifo(house.folder / "p")
    seen = {name: look(fd, name) for name in "fldp"}
    assert {name: each.state.kind for name, each in seen.items()} == {
        "f": Kind.FILE,
        "l": Kind.SYMLINK,
        "d": Kind.DIRECTORY,
        "p": Kind.OTHER,
    }
    assert (seen["f"].state.size, seen["f"].state.mode) == (3, 0o640)
    assert seen["l"].state == State(Kind.SYMLINK, hashlib.sha256(b"f").hexdigest(), 1)
    assert seen["d"].state == State(Kind.DIRECTORY, mode=0o750)
    assert seen["p"].state == State(Kind.OTHER, mode=(house.folder / "p").stat().st_mode & 0o7777)
    assert seen["p"].inode == (house.folder / "p").stat().st_ino
    house.write("large", b"x" * (3 << 20))
    assert look(fd, "large").state.size == 3 << 20
    assert seen["f"].inode == (house.folder / "f").stat().st_ino
    assert look(fd, "nothing") is None
    assert _look_into(fd, "gone meanwhile") is None


def test_a_file_that_may_not_be_read_is_neither_ours_nor_what_was(house):
    house.write("f", "abc", 0o000)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        seen = look(house.workspace.root.fd, "f")
    finally:
        if root:
            os.seteuid(0)
    assert seen.state.kind is Kind.OTHER
    assert seen.inode == (house.folder / "f").stat().st_ino


def test_only_a_folder_itself_is_looked_into(house):
    fd = house.workspace.root.fd
    house.write("d/f", "1")
    (house.folder / "empty").mkdir()
    (house.folder / "l").symlink_to("d")
    assert holds_something(fd, "d")
    assert not holds_something(fd, "empty")
    for name in ("l", "d/f"):
        with pytest.raises(OSError, match="Not a directory"):
            holds_something(fd, name)


def test_no_look_leaves_a_file_open(house):
    fd = house.workspace.root.fd
    house.write("d/f", "abc")
    before = open_descriptors()
    look(fd, "d/f")
    is_held(fd, "d/f")
    holds_something(fd, "d")
    drop_known(fd, "d/f", lambda seen: False)
    assert open_descriptors() == before


def test_what_grew_from_given_bytes(house):
    fd = house.workspace.root.fd
    house.write("f", "abc")
    state = look(fd, "f").state
    assert grew_from(fd, "f", state)
    house.write("f", "abcd")
    assert grew_from(fd, "f", state)
    house.write("f", "ab")
    assert not grew_from(fd, "f", state)
    assert not grew_from(fd, "gone", state)


def test_what_is_known_is_dropped_unless_somebody_may_still_write_to_it(house):
    fd = house.workspace.root.fd
    path = house.write("f", "abc")

    def try_to_write():
        with pytest.raises(BlockingIOError):
            os.open(path, os.O_WRONLY | os.O_NONBLOCK)

    assert not drop_known(fd, "f", lambda seen: False)
    with just_before("open", "f", lambda: None), just_before("open", "f", try_to_write):
        assert not drop_known(fd, "f", lambda seen: True)
    with open(path, "a"):
        assert is_held(fd, "f")
        assert not drop_known(fd, "f", lambda seen: True)
    assert not is_held(fd, "f")
    assert drop_known(fd, "f", lambda seen: seen.state.size == 3)
    assert house.tree() == {}
    assert drop_known(fd, "f", lambda seen: False)  # it is gone
    assert not is_held(fd, "f")


def test_a_link_is_not_asked_about_what_it_leads_to(tmp_path):
    """A program may write to that; the link goes all the same."""
    (tmp_path / "f").write_bytes(b"x")
    (tmp_path / "link").symlink_to("f")
    folder = os.open(tmp_path, os.O_DIRECTORY)
    with open(tmp_path / "f", "ab"):
        assert not is_held(folder, "link")
        assert drop_known(folder, "link", lambda seen: True)
    os.close(folder)
    assert os.listdir(tmp_path) == ["f"]


def test_a_pipe_without_a_writer_holds_nobody_up(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    folder = os.open(tmp_path, os.O_DIRECTORY)
    assert not is_held(folder, "pipe")
    assert drop_known(folder, "pipe", lambda seen: True)
    os.close(folder)
    assert os.listdir(tmp_path) == []
