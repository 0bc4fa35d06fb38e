"""The one way back, from wherever a commit was left, and whatever others did meanwhile: no byte is lost."""

from __future__ import annotations

import os
import shutil
import stat

import pytest
from tests.moments import just_before

from workroom.base.changes import ABSENT, Change, Kind, State
from workroom.base.errors import WorkroomError
from workroom.core.transactions.steps import Folders, Step
from workroom.core.transactions.unwind import copies_of, keep_copy, unwind

_ALL = (
    {"type": "rewrite", "path": "r", "content": "new"},
    {"type": "create", "path": "n/deep/f", "content": "made"},
    {"type": "move", "from": "m", "to": "n/moved"},
    {"type": "delete", "path": "gone", "recursive": True},
    {"type": "delete", "path": "kind"},
    {"type": "create", "path": "kind/inside", "content": "1"},
    {"type": "move", "from": "link", "to": "knil"},
    {"type": "mkdir", "path": "made"},
)


@pytest.fixture
def scene(house):
    house.write("r", "old", 0o640)
    house.write("m", "moves", 0o600)
    house.write("gone/deep/f", "1")
    (house.folder / "gone/deep").chmod(0o700)
    house.write("kind", "a file")
    (house.folder / "link").symlink_to("r")
    return house


def test_every_state_between_two_steps(scene, half):
    before = scene.tree()
    for exchange in (True, False):
        count, total = 0, 1
        while count <= total:
            made = half(*_ALL, exchange=exchange)
            total = len(made.steps)
            made.do(count)
            report = made.undo()
            assert scene.tree() == before
            assert made.staged() == []
            assert (report.foreign, report.copies, report.restored) == ([], [], [])
            count += 1


def test_a_second_time_changes_nothing(scene, half):
    before = scene.tree()
    made = half(*_ALL).do()
    made.undo()
    assert made.undo().foreign == []
    assert scene.tree() == before


# Others at work: their bytes stay, and are told.


@pytest.mark.parametrize("count", [0, None])
def test_a_save_over_a_replaced_file(house, half, count):
    house.write("f", "old")
    made = half({"type": "rewrite", "path": "f", "content": "new"}).do(count)
    house.write("passing", "theirs").rename(house.folder / "f")
    assert made.undo().foreign == ["f"]
    assert house.tree() == {"f": (b"theirs", 0o644)}
    assert made.staged() == []


def test_a_save_into_a_replaced_file(house, half):
    house.write("f", "old")
    made = half({"type": "rewrite", "path": "f", "content": "new"}).do()
    house.write("f", "new and theirs")
    assert made.undo().foreign == ["f"]
    assert house.tree() == {"f": (b"new and theirs", 0o644)}
    assert made.staged() == []


def test_a_late_write_into_what_was_replaced_comes_back(house, half):
    house.write("f", "old")
    made = half({"type": "rewrite", "path": "f", "content": "new"}).do()
    made.slot("f").write_bytes(b"old, and written late")
    assert made.undo().foreign == ["f"]
    assert house.tree() == {"f": (b"old, and written late", 0o644)}


def test_a_replaced_file_that_was_deleted(house, half):
    house.write("f", "old")
    made = half({"type": "rewrite", "path": "f", "content": "new"}).do()
    (house.folder / "f").unlink()
    assert made.undo().foreign == ["f"]
    assert house.tree() == {}


def test_staged_bytes_that_somebody_changed_are_kept(house, half):
    house.write("f", "old")
    made = half({"type": "rewrite", "path": "f", "content": "new"})
    made.slot("f").write_bytes(b"nobody knows these")
    (copy,) = made.undo().copies
    assert copy.startswith("f.workroom-kept-")
    assert house.tree() == {"f": (b"old", 0o644), copy: (b"nobody knows these", 0o644)}


@pytest.mark.parametrize("count", [0, None])
def test_another_file_where_one_was_made(house, half, count):
    made = half({"type": "create", "path": "f", "content": "ours"}).do(count)
    house.write("passing", "theirs").rename(house.folder / "f")
    assert made.undo().foreign == ["f"]
    assert house.tree() == {"f": (b"theirs", 0o644)}
    assert made.staged() == []


def test_a_made_file_that_was_changed(house, half):
    made = half({"type": "create", "path": "d/f", "content": "ours"}).do()
    house.write("d/f", "ours and theirs")
    assert made.undo().foreign == ["d/f", "d"]
    assert house.tree() == {"d": None, "d/f": (b"ours and theirs", 0o644)}


@pytest.mark.parametrize("old", [None, "old"])
def test_our_file_that_was_added_to_in_the_moment_becomes_a_copy(house, half, old):
    """Left where it is, it would be half of what was refused."""
    if old is not None:
        house.write("f", old)
    made = half({"type": "create", "path": "f", "content": "ours", "overwrite": True}).do()
    house.write("f", "ours and theirs")
    report = made.undo(known=True)
    (copy,) = report.copies
    before = {} if old is None else {"f": (b"old", 0o644)}
    assert house.tree() == {**before, copy: (b"ours and theirs", 0o644)}


@pytest.mark.parametrize("old", [None, "old"])
def test_our_file_that_was_written_anew_in_the_moment_stays(house, half, old):
    if old is not None:
        house.write("f", old)
    made = half({"type": "create", "path": "f", "content": "ours", "overwrite": True}).do()
    house.write("f", "all theirs")
    assert made.undo(known=True).foreign == ["f"]
    assert house.tree() == {"f": (b"all theirs", 0o644)}


def test_something_put_into_a_made_folder(house, half):
    made = half({"type": "mkdir", "path": "d"}).do()
    house.write("d/f", "theirs")
    assert made.undo().foreign == ["d"]
    assert house.tree() == {"d": None, "d/f": (b"theirs", 0o644)}


def test_something_put_into_a_folder_on_its_way(house, half):
    made = half({"type": "mkdir", "path": "d"})
    (made.slot("d") / "f").write_text("theirs")
    (copy,) = made.undo().copies
    assert house.tree() == {copy: None, f"{copy}/f": (b"theirs", 0o644)}


def test_another_file_where_one_was_removed(house, half):
    house.write("f", "old")
    made = half({"type": "delete", "path": "f"}).do()
    house.write("f", "theirs")
    assert made.undo().foreign == ["f"]
    assert house.tree() == {"f": (b"theirs", 0o644)}
    assert made.staged() == []  # "old" has an image


def test_another_file_before_one_is_removed(house, half):
    house.write("f", "old")
    made = half({"type": "delete", "path": "f"})
    house.write("f", "theirs")
    assert made.undo().foreign == ["f"]
    assert house.tree() == {"f": (b"theirs", 0o644)}


def test_a_removed_file_that_was_written_late_comes_back(house, half):
    house.write("f", "old")
    made = half({"type": "delete", "path": "f"}).do()
    made.slot("f").write_bytes(b"late")
    assert made.undo().foreign == ["f"]
    assert house.tree() == {"f": (b"late", 0o644)}


# A file that moves has no image: wherever it is met, it is kept.

_MOVE = {"type": "move", "from": "d/a", "to": "b"}


@pytest.mark.parametrize("known", [False, True])
def test_a_moved_file_whose_old_place_is_taken(house, half, known):
    house.write("d/a", "moves", 0o600)
    made = half(_MOVE).do()
    house.write("d/a", "theirs")
    report = made.undo(known=known)
    assert report.foreign == ["d/a"]
    (copy,) = report.copies
    assert copy.startswith("d/a.workroom-kept-")
    assert house.tree() == {"d": None, "d/a": (b"theirs", 0o644), copy: (b"moves", 0o600)}
    assert copies_of(made.root, made.steps, made.planned.id) == [copy]


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("becomes", ["a file", "nothing"])
def test_a_moved_file_whose_old_folder_is_none_by_now(house, half, known, becomes):
    house.write("d/a", "moves", 0o600)
    made = half(_MOVE).do()
    shutil.rmtree(house.folder / "d")
    theirs = {"d": (b"theirs", 0o644)} if becomes == "a file" else {}
    for path in theirs:
        house.write(path, "theirs")
    report = made.undo(known=known)
    assert report.foreign == ["d/a"]
    (copy,) = report.copies
    assert house.tree() == {**theirs, copy: (b"moves", 0o600)}


def test_a_moved_file_that_was_changed_after_a_crash_stays(house, half):
    house.write("a", "moves")
    made = half({"type": "move", "from": "a", "to": "b"}).do()
    house.write("b", "moved and changed")
    assert made.undo().foreign == ["b", "a"]
    assert house.tree() == {"b": (b"moved and changed", 0o644)}


def test_a_moved_file_that_is_written_to_in_the_moment_goes_back_with_that(house, half):
    path = house.write("a", "moves, ")
    with open(path, "a") as log:
        made = half({"type": "move", "from": "a", "to": "b"}).do()
        log.write("and grows")
        log.flush()
        assert made.undo(known=True).foreign == ["a"]
    assert house.tree() == {"a": (b"moves, and grows", 0o644)}


@pytest.mark.parametrize("known", [False, True])
def test_another_file_where_one_was_moved(house, half, known):
    house.write("a", "moves")
    made = half({"type": "move", "from": "a", "to": "b"}).do()
    house.write("passing", "theirs").rename(house.folder / "b")
    assert made.undo(known=known).foreign == ["b", "a"]
    assert house.tree() == {"b": (b"theirs", 0o644)}


@pytest.mark.parametrize("known", [False, True])
def test_a_moved_file_that_is_gone_is_told(house, half, known):
    house.write("a", "moves")
    made = half({"type": "move", "from": "a", "to": "b"}).do()
    (house.folder / "b").unlink()
    assert made.undo(known=known).foreign == ["a"]
    assert house.tree() == {}


def test_a_file_that_was_saved_before_it_moved_goes_back(house, half):
    house.write("a", "moves")
    made = half({"type": "move", "from": "a", "to": "b"})
    house.write("passing", "theirs").rename(house.folder / "a")
    with pytest.raises(WorkroomError, match="a: another program changed it in the moment of the commit"):
        made.do()
    assert made.undo(known=True).foreign == ["a"]
    assert house.tree() == {"a": (b"theirs", 0o644)}


def test_a_file_that_is_gone_before_it_moves(house, half):
    house.write("a", "moves")
    made = half({"type": "move", "from": "a", "to": "b"})
    (house.folder / "a").unlink()
    with pytest.raises(WorkroomError, match="a: it is gone"):
        made.do()
    assert made.undo(known=True).foreign == ["a"]
    assert house.tree() == {}


def test_a_moved_file_whose_new_folder_became_a_link(house, half, tmp_path):
    (tmp_path / "outside").mkdir()
    house.write("a", "moves")
    (house.folder / "d").mkdir()
    made = half({"type": "move", "from": "a", "to": "d/b"}).do()
    (house.folder / "d").rename(tmp_path / "outside/d")
    (house.folder / "d").symlink_to(tmp_path / "outside")
    report = made.undo()
    assert report.foreign == ["a"]
    assert house.tree() == {"d": ("link", str(tmp_path / "outside"))}
    assert (tmp_path / "outside/d/b").read_text() == "moves"


def test_git_clean_takes_no_file_that_moves(house, half):
    house.write("a", "moves")
    made = half({"type": "move", "from": "a", "to": "b"})
    cleaned(made)
    made.do()
    cleaned(made)
    assert made.undo().foreign == []
    assert house.tree() == {"a": (b"moves", 0o644)}


# What another program deletes stays deleted, as far as that can be told.

_TWO = ({"type": "delete", "path": "one"}, {"type": "delete", "path": "two"})


@pytest.fixture
def two(house):
    house.write("one", "1")
    house.write("two", "2")


@pytest.mark.parametrize("cleans", [False, True])
def test_a_file_that_was_deleted_before_its_turn_stays_away(house, half, two, cleans):
    """The first was carried out, and comes back even if its slot is gone; the second was not."""
    made = half(*_TWO).do(1)
    (house.folder / "two").unlink()
    with pytest.raises(WorkroomError, match="two: it is gone"):
        made.do()
    if cleans:
        cleaned(made)
    report = made.undo(known=True)
    assert (report.foreign, report.restored) == (["two"], ["one"] if cleans else [])
    assert house.tree() == {"one": (b"1", 0o644)}
    assert made.staged() == []


def test_after_a_crash_a_filled_slot_tells_that_nobody_cleaned_up(house, half, two):
    made = half(*_TWO).do(1)
    (house.folder / "two").unlink()
    report = made.undo()
    assert (report.foreign, report.restored) == (["two"], [])
    assert house.tree() == {"one": (b"1", 0o644)}


def test_after_a_crash_what_nothing_tells_of_is_put_back_and_told(house, half, two):
    made = half(*_TWO).do()
    cleaned(made)
    assert made.undo().restored == ["two", "one"]
    assert house.tree() == {"one": (b"1", 0o644), "two": (b"2", 0o644)}


# Another program acts between a look and the rename after it.


def test_a_name_that_is_taken_between_look_and_rename(house, half):
    house.write("f", "old")
    made = half({"type": "delete", "path": "f"}).do()
    with just_before("open", made.steps[0].slot, lambda: house.write("f", "theirs")):
        report = made.undo(known=True)
    assert report.foreign == ["f"]
    assert house.tree() == {"f": (b"theirs", 0o644)}
    assert made.staged() == []


def test_a_name_that_never_comes_to_rest(house):
    step = Step("remove", Change("d", State(Kind.DIRECTORY), ABSENT), "no/such", house.workspace.agentic.stage())
    with Folders(house.workspace.root) as folders, pytest.raises(FileNotFoundError):
        unwind(house.workspace.root, folders, (step,), house.tx.image, "tx_000000000009")


def test_a_file_that_a_program_has_open_for_writing_is_not_dropped(house, half):
    house.write("f", "old")
    made = half({"type": "rewrite", "path": "f", "content": "new"}).do()
    with open(house.folder / "f", "a") as theirs:
        (copy,) = made.undo(known=True).copies
        theirs.write(", and theirs")
    assert house.tree() == {"f": (b"old", 0o644), copy: (b"new, and theirs", 0o644)}
    assert made.staged() == []


# Folders that can't be reached any more.


@pytest.mark.parametrize("count", [0, None])
def test_a_folder_that_became_a_link(house, half, tmp_path, count):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f").write_text("not ours")
    house.write("d/f", "old")
    house.write("d/g", "old")
    made = half(
        {"type": "rewrite", "path": "d/f", "content": "new"},
        {"type": "create", "path": "d/n", "content": "made"},
        {"type": "delete", "path": "d/g"},
    ).do(count)
    shutil.rmtree(house.folder / "d")
    (house.folder / "d").symlink_to(outside)
    report = made.undo()
    assert set(report.foreign) == {"d/f", "d/g"}
    assert (outside / "f").read_text() == "not ours"
    assert os.listdir(outside) == ["f"]
    assert made.staged() == []


def test_a_made_file_whose_folder_is_gone_needs_no_word(house, half):
    made = half({"type": "create", "path": "d/f", "content": "made"})
    assert made.undo().foreign == []
    assert house.tree() == {}


def test_the_staging_folder_is_gone_as_well(house, half):
    house.write("d/f", "old")
    made = half({"type": "rewrite", "path": "d/f", "content": "new"})
    shutil.rmtree(house.folder / "d")
    shutil.rmtree(house.folder / ".agentic")
    assert made.undo().foreign == ["d/f"]


# `git clean -fdx` takes the slots away: what has an image is put back.


def cleaned(made):
    shutil.rmtree(made.house.folder / ".agentic/stage")
    made.house.workspace.agentic.stage()


def test_emptied_slots_are_filled_from_images(scene, half):
    before = scene.tree()
    made = half(
        {"type": "rewrite", "path": "r", "content": "new"},
        {"type": "delete", "path": "gone", "recursive": True},
        {"type": "delete", "path": "link"},
        {"type": "delete", "path": "kind"},
    ).do()
    cleaned(made)
    report = made.undo()
    assert scene.tree() == before
    assert stat.S_IMODE((scene.folder / "gone/deep").stat().st_mode) == 0o700
    assert sorted(report.restored) == ["gone", "gone/deep", "gone/deep/f", "kind", "link"]
    assert report.foreign == []
    assert made.staged() == []


def test_an_emptied_slot_of_an_empty_file(house, half):
    house.write("f", "")
    made = half({"type": "delete", "path": "f"}).do()
    cleaned(made)
    made.undo()
    assert house.tree() == {"f": (b"", 0o644)}


@pytest.mark.parametrize(
    "operation", [{"type": "delete", "path": "f"}, {"type": "rewrite", "path": "f", "content": "n"}]
)
def test_an_emptied_slot_without_an_image_is_told(house, half, operation):
    house.write("f", "old")
    made = half(operation).do()
    cleaned(made)
    assert made.undo(image={}.get).foreign == ["f"]


# Where a rename is a link and an unlink, a kill can come between the two.


def test_a_removal_that_is_half_done(house, half):
    house.write("a", "goes")
    made = half({"type": "delete", "path": "a"})
    os.link(house.folder / "a", made.slot("a"))
    report = made.undo()
    assert (report.foreign, report.copies) == ([], [])
    assert house.tree() == {"a": (b"goes", 0o644)}
    assert made.staged() == []


def test_a_move_that_is_half_done(house, half):
    house.write("a", "moves")
    made = half({"type": "move", "from": "a", "to": "b"})
    os.link(house.folder / "a", house.folder / "b")
    report = made.undo()
    assert (report.foreign, report.copies) == ([], [])
    assert house.tree() == {"a": (b"moves", 0o644)}


def test_a_creation_that_is_half_done(house, half):
    house.write("a", "bytes")
    made = half({"type": "copy", "from": "a", "to": "b"}).do()
    os.link(house.folder / "b", made.slot("b"))
    report = made.undo()
    assert (report.foreign, report.copies) == ([], [])
    assert house.tree() == {"a": (b"bytes", 0o644)}
    assert made.staged() == []


# Copies.


def slot(house, path, data="kept"):
    step = Step("remove", Change(path, State(Kind.FILE), ABSENT), "slot", house.workspace.agentic.stage())
    house.write(".agentic/stage/slot", data)
    return step


def test_copies_stand_beside_their_path_and_take_no_name_that_is_taken(house):
    house.write("d/f.workroom-kept-abcdef-1", "an earlier one")
    step = slot(house, "d/f")
    with Folders(house.workspace.root) as folders:
        assert keep_copy(house.workspace.root, folders, step, "tx_123456abcdef") == "d/f.workroom-kept-abcdef-2"
    assert house.read("d/f.workroom-kept-abcdef-2") == b"kept"
    assert sorted(copies_of(house.workspace.root, (step,), "tx_123456abcdef")) == [
        "d/f.workroom-kept-abcdef-1",
        "d/f.workroom-kept-abcdef-2",
    ]


@pytest.mark.parametrize("name", ["n" * 250, "\u00fc" * 120])
def test_copies_of_long_names(house, name):
    step = slot(house, name)
    with Folders(house.workspace.root) as folders:
        copy = keep_copy(house.workspace.root, folders, step, "tx_123456abcdef")
    assert house.tree() == {copy: (b"kept", 0o644)}
    assert copy == f"{name[:50]}.workroom-kept-abcdef-1"


def test_a_name_that_fits_is_in_its_copys_whole(house):
    step = slot(house, "n" * 200)
    with Folders(house.workspace.root) as folders:
        copy = keep_copy(house.workspace.root, folders, step, "tx_123456abcdef")
    assert copy == f"{'n' * 200}.workroom-kept-abcdef-1"


def test_a_copy_whose_folder_is_gone_stands_in_the_next_one_above(house, half):
    house.write("d/e/f", "old")
    made = half({"type": "rewrite", "path": "d/e/f", "content": "new"})
    made.slot("d/e/f").write_bytes(b"nobody knows these")
    shutil.rmtree(house.folder / "d/e")
    (house.folder / "d/e").write_text("a file by now")
    (copy,) = made.undo().copies
    assert (copy, house.read(copy)) == (f"d/f.workroom-kept-{made.planned.id[-6:]}-1", b"nobody knows these")
    assert copies_of(house.workspace.root, made.steps, made.planned.id) == [copy]


def test_a_copy_whose_place_is_on_another_mount_stays_with_its_slot(house, mount):
    mount("m")
    step = slot(house, "m/f")
    with Folders(house.workspace.root) as folders:
        copy = keep_copy(house.workspace.root, folders, step, "tx_123456abcdef")
    assert copy == ".agentic/stage/f.workroom-kept-abcdef-1"
    assert house.read(copy) == b"kept"
    house.reopen()
    assert house.read(copy) == b"kept"  # no sweep takes it for a staged file


def test_what_cant_be_dropped_is_kept_if_that_can_be(house):
    step = Step("create", Change("f", ABSENT, State(Kind.FILE)), "x" * 300, ".agentic/stage")
    house.workspace.agentic.stage()
    with Folders(house.workspace.root) as folders, pytest.raises(OSError, match="too long"):
        unwind(house.workspace.root, folders, [step], {}.get, "tx_000000000001", [])
