"""Contents of a plan: held while they are small, left on the disk when they aren't, hashed whenever they are read."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import pytest
from tests.conftest import AGENT

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions.contents import HELD_BYTES, HELD_EACH, Contents, pieces_of, size_of

LARGE = b"a line\n" * 20_000


@pytest.fixture
def contents(house):
    return Contents(house.workspace.root)


def add(house, contents, path, data):
    house.write(path, data)
    state = house.workspace.root.state(path)
    contents.add(path, state)
    return state.sha256


def test_what_is_small_is_held_and_what_is_large_is_left(house, contents):
    small, large = add(house, contents, "s", b"x"), add(house, contents, "l", LARGE)
    for sha, data in ((small, b"x"), (large, LARGE)):
        assert sha in contents
        assert contents[sha] == b"".join(contents.pieces(sha)) == b"".join(pieces_of(contents, sha)) == data
        assert contents.size(sha) == size_of(contents, sha) == len(data)
    assert list(contents) == [small, large]
    seen = house.workspace.root.state("s")
    (house.folder / "s").unlink()
    (house.folder / "l").unlink()
    assert contents.get(small) == b"x"
    assert contents.get(large) is None
    assert large in contents
    with pytest.raises(KeyError) as caught:
        contents[large]
    assert caught.value.args == (large,)
    contents.add("s", seen)  # it has that
    add(house, contents, "s", b"x")
    assert len(contents) == 2


def test_what_is_left_is_read_a_mib_at_a_time(house, contents):
    data = bytes(2 << 20) + b"x" * 100
    sha = add(house, contents, "f", data)
    assert [len(piece) for piece in contents.pieces(sha)] == [1_048_576, 1_048_576, 100]
    assert contents[sha] == data


def test_64_kib_are_held_and_a_byte_more_is_left(house, contents):
    assert HELD_EACH == 65_536
    most, more = add(house, contents, "most", b"x" * 65_536), add(house, contents, "more", b"x" * 65_537)
    for name in ("most", "more"):
        (house.folder / name).unlink()
    assert (most in contents, more in contents) == (True, True)
    assert (contents.get(most), contents.get(more)) == (b"x" * 65_536, None)


def test_32_mib_are_held_in_all(house, contents):
    assert HELD_BYTES == 512 * HELD_EACH
    shas = [add(house, contents, f"f{n}", bytes([n % 256, n // 256]) * (HELD_EACH // 2)) for n in range(520)]
    for number in range(520):
        (house.folder / f"f{number}").unlink()
    held = [sha for sha in shas if contents.get(sha) is not None]
    assert len(held) == 512
    del contents[held[0]]
    assert held[0] not in contents
    again = add(house, contents, "again", bytes([0, 0]) * (HELD_EACH // 2))
    (house.folder / "again").unlink()
    assert contents.get(again) is not None  # there is room


def test_what_comes_again_takes_no_more_room(house, contents):
    """Neither from the disk nor from an edit, and what is given back leaves room."""
    first = add(house, contents, "f", b"x" * HELD_EACH)
    contents["new"] = b"y" * (HELD_BYTES - 2 * HELD_EACH)
    for _ in range(2):
        contents["new"] = b"y" * (HELD_BYTES - 2 * HELD_EACH)
        add(house, contents, "f", b"x" * HELD_EACH)
    last = add(house, contents, "g", b"z" * HELD_EACH)
    full = add(house, contents, "h", b"h")
    for name in "fgh":
        (house.folder / name).unlink()
    assert [contents.get(sha) is not None for sha in (first, last, full)] == [True, True, False]


def test_a_mapping_of_what_is_held_and_what_is_left(house, contents):
    small, large = add(house, contents, "s", b"x"), add(house, contents, "l", LARGE)
    assert (len(contents), list(contents)) == (2, [small, large])
    assert (contents.size(small), contents.size(large)) == (1, len(LARGE))
    contents[large] = LARGE  # an edit gave it
    assert (len(contents), list(contents)) == (2, [small, large])
    (house.folder / "l").unlink()
    assert contents[large] == LARGE
    for sha in (small, large):
        del contents[sha]
    assert (len(contents), list(contents), small in contents) == (0, [], False)
    assert pieces_of(contents, small) is None
    with pytest.raises(KeyError):
        contents[small]
    del contents[small]  # nothing to do
    left = add(house, contents, "l", LARGE[::-1])
    del contents[left]
    assert left not in contents


def test_a_link_is_held(house, contents):
    (house.folder / "l").symlink_to("t")
    state = house.workspace.root.state("l")
    contents.add("l", state)
    assert contents[state.sha256] == b"t"


def test_what_was_left_has_to_be_what_was_seen(house, contents):
    sha = add(house, contents, "l", LARGE)
    house.write("l", LARGE + b"and theirs")
    with pytest.raises(WorkroomError, match="l was changed by another program") as caught:
        list(contents.pieces(sha))
    assert caught.value.code is ErrorCode.EDIT_CONFLICT
    assert (caught.value.details, caught.value.next_step) == ({"path": "l"}, "Read it again and make the edit anew.")
    contents[sha] = LARGE
    assert contents[sha] == LARGE


def test_plain_mappings_do_as_well():
    assert pieces_of({"x": b"abc"}, "x") == (b"abc",)
    assert pieces_of({}, "x") is None
    assert size_of({"x": b"abc"}, "x") == 3


# Whole files that are never held: their way through a transaction.


@pytest.mark.parametrize("binary", [False, True])
def test_a_large_file_is_copied_and_deleted_and_both_are_undone(house, binary):
    data = (b"\0" if binary else b"") + LARGE + b"no end"
    house.write("d/large", data, 0o640)
    before = house.tree()
    copied = house.plan({"type": "copy", "from": "d", "to": "twin"})
    change = next(change for change in copied.change_set.changes if change.path == "twin/large")
    assert (change.added, change.removed) == ((None, None) if binary else (20_001, 0))
    first = house.commit(copied)
    assert house.read("twin/large") == data
    second = house.edit({"type": "delete", "path": "d", "recursive": True})
    assert (house.tx.image(hashlib.sha256(data).hexdigest())) == data
    house.reopen()
    house.undo(second.transaction_id)
    house.undo(first.transaction_id)
    assert house.tree() == before


def test_a_large_file_that_changes_before_it_is_kept(house):
    house.write("large", LARGE)
    planned = house.plan({"type": "delete", "path": "large"})
    house.write("large", LARGE[::-1])
    with pytest.raises(WorkroomError) as caught:
        house.tx.keep(planned, AGENT)
    assert caught.value.code is ErrorCode.EDIT_CONFLICT
    assert list((house.store_folder / "images").glob("*/*")) == []


def test_a_kept_plan_copies_a_large_file_from_its_image(house):
    house.write("large", LARGE)
    kept = house.tx.keep(house.plan({"type": "copy", "from": "large", "to": "twin"}), AGENT)
    house.commit(kept)
    assert house.read("twin") == LARGE


def test_what_is_too_large_to_be_compared_is_counted_where_it_comes_or_goes_whole(house):
    house.write("text", b"a line of a large file\n" * 1_500_000 + b"no end")
    with (house.folder / "binary").open("wb") as file:
        file.truncate(33 << 20)
    house.write("small", "x\n")

    def counted(operation, path):
        changes = house.plan(operation).change_set.changes
        return next((change.added, change.removed) for change in changes if change.path == path)

    assert counted({"type": "delete", "path": "text"}, "text") == (0, 1_500_001)
    assert counted({"type": "copy", "from": "text", "to": "twin"}, "twin") == (1_500_001, 0)
    assert counted({"type": "delete", "path": "binary"}, "binary") == (None, None)
    assert counted({"type": "copy", "from": "text", "to": "small", "overwrite": True}, "small") == (None, None)


# What is brought back is not held either.

_UNDO = """
import resource, sys
from pathlib import Path
from tests.conftest import House
how, work = sys.argv[1], Path(sys.argv[2])
(work / "ws").mkdir()
house = House(work / "ws", work / "state")
house.open()
with open(work / "ws" / "large", "wb") as file:
    file.truncate(200_000_000)
entry = house.edit({"type": "delete", "path": "large"})
house.time += 100
house.tx.settle()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
if how == "undo":
    house.undo(entry.transaction_id)
else:
    house.commit(house.tx.plan_rewind(0))
assert (work / "ws" / "large").stat().st_size == 200_000_000
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
house.close()
"""


@pytest.mark.parametrize("how", ["undo", "rewind"])
def test_a_large_file_comes_back_piece_by_piece(tmp_path, how):
    done = subprocess.run([sys.executable, "-c", _UNDO, how, str(tmp_path)], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 40, "MiB more than to delete it"


def test_what_is_kept_is_read_when_it_is_needed_and_may_be_forgotten_by_then(house):
    house.write("large", LARGE)
    entry = house.edit({"type": "delete", "path": "large"})
    house.time += 100
    house.tx.settle()
    sha = hashlib.sha256(LARGE).hexdigest()
    planned = house.tx.plan_rollback(entry.transaction_id)
    assert sha in planned.contents
    assert (list(planned.contents), len(planned.contents)) == ([sha], 1)
    assert planned.contents[sha] == LARGE
    assert planned.contents.size(sha) == len(LARGE)
    store = house.workspace.store
    with store.write() as db:
        store.forget_image(db, sha)
    before = house.tree()
    with pytest.raises(WorkroomError, match="forgotten while the change was planned") as caught:
        house.commit(planned)
    assert (caught.value.code, caught.value.details) == (ErrorCode.NOT_FOUND, {"sha256": sha})
    assert house.tree() == before
    planned.contents[sha] = LARGE  # an edit gave it
    assert (list(planned.contents), len(planned.contents), planned.contents[sha]) == ([sha], 1, LARGE)
    del planned.contents[sha]
    assert (sha in planned.contents, len(planned.contents)) == (False, 0)
