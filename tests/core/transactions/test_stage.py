"""After-images on their way: written whole, with the old file's attributes, and cleaned up after a failure."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import stat
from functools import partial

import pytest
from tests.limits import few_descriptors, open_descriptors
from tests.moments import just_before

from workroom.base.changes import ABSENT, Change, Kind, State
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.pulse import Pulse
from workroom.core.transactions.contents import pieces_of
from workroom.core.transactions.stage import PART, _gone, discard, stage_all, stage_image
from workroom.core.transactions.steps import Folders, Step, build_steps


@pytest.fixture
def folders(house):
    with Folders(house.workspace.root) as folders:
        yield folders


def staging(house, *operations, exchange=None):
    planned = house.plan(*operations)
    root, stage = house.workspace.root, house.workspace.agentic.stage()
    return planned, build_steps(root, planned.change_set, planned.id, stage, exchange=exchange)


def slots(house):
    return sorted(os.listdir(house.folder / ".agentic" / "stage"))


def open_files():
    return len(open_descriptors())


def test_files_links_and_folders_are_staged_and_nothing_else_changes(house, folders):
    house.write("f", "old", 0o751)
    (house.folder / "l").symlink_to("f")
    before = house.tree()
    planned, steps = staging(
        house,
        {"type": "rewrite", "path": "f", "content": "new"},
        {"type": "copy", "from": "f", "to": "d/copy"},
        {"type": "move", "from": "l", "to": "m"},
    )
    staged = stage_all(house.workspace.root, folders, steps, partial(pieces_of, planned.contents))
    assert house.tree() == before
    found = {}
    for step in staged:
        if step.action != "remove":
            path = house.folder / step.slot_folder / step.slot
            assert path.lstat().st_ino == step.inode
            found[step.path] = path.lstat().st_mode
    assert stat.S_ISDIR(found["d"])
    assert stat.S_ISLNK(found["m"])
    assert stat.S_IMODE(found["f"]) == stat.S_IMODE(found["d/copy"]) == 0o751


def test_many_files_are_written_in_batches(house, folders):
    before = open_files()
    operations = [{"type": "create", "path": f"f{number}", "content": str(number)} for number in range(70)]
    planned, steps = staging(house, *operations)
    stage_all(house.workspace.root, folders, steps, partial(pieces_of, planned.contents))
    assert len(slots(house)) == 70
    assert open_files() <= before + 1  # the staging folder


def test_a_folder_takes_the_mode_it_shall_have(house, folders):
    change = Change("d", ABSENT, State(Kind.DIRECTORY, mode=0o2771))
    step = Step("create", change, "slot", house.workspace.agentic.stage())
    stage_all(house.workspace.root, folders, (step,), lambda _sha: None)
    assert stat.S_IMODE((house.folder / ".agentic/stage/slot").stat().st_mode) == 0o2771


def test_a_content_that_is_forgotten(house, folders):
    _, steps = staging(
        house,
        {"type": "create", "path": "a", "content": "1"},
        {"type": "create", "path": "b", "content": "2"},
    )
    before = open_files()
    kept = {steps[0].change.after.sha256: b"1"}
    with pytest.raises(WorkroomError) as caught:
        stage_all(house.workspace.root, folders, steps, partial(pieces_of, kept))
    assert (caught.value.code, caught.value.details["path"]) == (ErrorCode.IO_ERROR, "b")
    assert slots(house) == []
    assert open_files() <= before + 1


def test_a_full_disk_leaves_nothing(house, folders):
    planned, steps = staging(
        house,
        {"type": "create", "path": "a", "content": "1"},
        {"type": "create", "path": "b", "content": "2" * 1000},
    )
    before = open_files()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            stage_all(house.workspace.root, folders, steps, partial(pieces_of, planned.contents))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert slots(house) == []
    assert open_files() <= before + 1


def test_many_files_are_synced_together_and_closed(house, folders):
    names = [f"f{number}" for number in range(70)]
    planned, steps = staging(house, *({"type": "create", "path": name, "content": name} for name in names))
    before = open_files()
    staged = stage_all(house.workspace.root, folders, steps, partial(pieces_of, planned.contents))
    for step in staged:
        assert (house.folder / step.slot_folder / step.slot).read_text() == step.path
    assert sorted(step.path for step in staged) == sorted(names)
    assert open_files() <= before + 1


@pytest.mark.parametrize(("old", "mode"), [("f", 0o600), ("new", 0o644)])
def test_what_will_replace_a_file_is_nobody_elses_to_read_until_it_does(house, folders, old, mode):
    house.write("f", "secret", 0o640)
    planned, steps = staging(house, {"type": "create", "path": old, "content": "more", "overwrite": old == "f"})
    modes = []

    def see():
        modes.extend((house.folder / ".agentic/stage" / name).stat().st_mode & 0o777 for name in slots(house))

    house.workspace.root.capabilities()
    umask = os.umask(0o022)
    try:
        with just_before("os.chmod" if old == "f" else "open", "", see if old == "f" else lambda: None):
            stage_all(house.workspace.root, folders, steps, partial(pieces_of, planned.contents))
    finally:
        os.umask(umask)
    assert modes == ([mode] if old == "f" else [])
    if old == "new":
        assert (house.folder / ".agentic/stage" / slots(house)[0]).stat().st_mode & 0o777 == mode


def test_it_is_told_how_far_it_is_and_stops_when_nobody_waits(house, folders):
    names = [f"f{number}" for number in range(70)]
    planned, steps = staging(house, *({"type": "create", "path": name, "content": name} for name in names))
    told = []
    pulse = Pulse(lambda done, total: told.append((done, total)))
    stage_all(house.workspace.root, folders, steps, partial(pieces_of, planned.contents), pulse)
    assert told == [(64, 70)]
    discard(folders, steps)
    pulse.cancel()
    for some in (steps, steps[:1]):
        with pytest.raises(WorkroomError, match="nothing was done"):
            stage_all(house.workspace.root, folders, some, partial(pieces_of, planned.contents), pulse)
        assert slots(house) == []


def test_discarding_where_the_folder_is_gone(house, folders):
    step = Step("create", Change("a", ABSENT, State(Kind.FILE)), "slot", "no/such/folder")
    discard(folders, (step,))


@pytest.mark.parametrize("exchange", [True, False])
def test_owner_and_attributes_are_the_old_files(house, folders, exchange):
    """Where the file system can't exchange two files, too: the old one goes first, then the new one comes."""
    path = house.write("f", "old")
    with contextlib.suppress(OSError):
        os.setxattr(path, "user.workroom", b"1")
    if os.geteuid() == 0:
        os.chown(path, 12, 34)
    planned, steps = staging(
        house,
        {"type": "replace", "path": "f", "search": "old", "replacement": "new"},
        {"type": "copy", "from": "f", "to": "copy"},
        exchange=exchange,
    )
    folders.at(".agentic/stage"), folders.at(".")
    before = open_files()
    stage_all(house.workspace.root, folders, steps, partial(pieces_of, planned.contents))
    assert open_files() == before
    slot = {step.path: house.folder / step.slot_folder / step.slot for step in steps if step.action != "remove"}
    assert (slot["f"].stat().st_uid, slot["f"].stat().st_gid) == (path.stat().st_uid, path.stat().st_gid)
    assert slot["copy"].stat().st_uid == os.geteuid()
    assert os.listxattr(slot["f"]) == os.listxattr(slot["copy"]) == os.listxattr(path)


def test_a_copied_file_that_went_away_is_staged_from_its_image(house, folders):
    house.write("f", "bytes")
    planned, steps = staging(house, {"type": "copy", "from": "f", "to": "copy"})
    (house.folder / "f").unlink()
    stage_all(house.workspace.root, folders, steps, partial(pieces_of, planned.contents))
    assert (house.folder / steps[0].slot_folder / steps[0].slot).read_bytes() == b"bytes"


@pytest.mark.parametrize("partial", [False, True])
def test_an_image_gets_its_slot_when_it_is_whole(house, folders, partial):
    house.write("f", "before", 0o640)
    _, (step,) = staging(house, {"type": "delete", "path": "f"})
    if partial:  # a recovery that was killed
        house.write(f"{step.slot_folder}/{step.slot}{PART}", "bef")
    stage_image(house.workspace.root, folders, step, b"before")
    assert slots(house) == [step.slot]
    found = house.folder / step.slot_folder / step.slot
    assert (found.read_bytes(), stat.S_IMODE(found.stat().st_mode)) == (b"before", 0o640)


@pytest.mark.parametrize("partial", [False, True])
def test_an_image_of_a_folder_has_its_mode(house, folders, partial):
    (house.folder / "d").mkdir(mode=0o700)
    _, (step,) = staging(house, {"type": "delete", "path": "d", "recursive": True})
    if partial:
        (house.folder / step.slot_folder / (step.slot + PART)).mkdir()
    stage_image(house.workspace.root, folders, step, b"")
    assert slots(house) == [step.slot]
    assert stat.S_IMODE((house.folder / step.slot_folder / step.slot).stat().st_mode) == 0o700


def test_attributes_that_cant_be_read_just_now_are_not_lost(house, folders):
    """Not without a word: nothing is staged then."""
    house.write("f", "old", 0o751)
    planned, steps = staging(house, {"type": "rewrite", "path": "f", "content": "new"})
    folders.at(steps[0].slot_folder)
    folders.at(".")
    with few_descriptors(1), pytest.raises(OSError, match="Too many open files"):
        stage_all(house.workspace.root, folders, steps, partial(pieces_of, planned.contents))
    assert slots(house) == []


def test_a_model_that_went_away_is_no_fault_of_the_disk():
    assert _gone(WorkroomError(ErrorCode.NOT_FOUND, "gone"))
    assert not _gone(WorkroomError(ErrorCode.IO_ERROR, "failed"))
    assert _gone(FileNotFoundError(errno.ENOENT, "gone"))
    assert not _gone(OSError(errno.EIO, "failed"))


def test_a_file_that_is_moved_over_another_keeps_its_attributes(house):
    target, mover = house.write("target", "old", 0o600), house.write("mover", "new", 0o640)
    try:
        os.setxattr(target, "user.of", b"target")
        os.setxattr(mover, "user.of", b"mover")
    except OSError:
        pytest.skip("no attributes of users' on this file system")
    house.edit({"type": "move", "from": "mover", "to": "target", "overwrite": True})
    assert (os.getxattr(target, "user.of"), stat.S_IMODE(target.stat().st_mode)) == (b"mover", 0o640)
