"""Contents that are kept in case somebody changes them, and how much of the quota they have."""

from __future__ import annotations

import hashlib
import os

import pytest

from workroom.base.actor import Actor
from workroom.base.changes import ABSENT, UNKNOWN, Kind
from workroom.base.settings import Settings
from workroom.core.transactions import Observation, Observed

OTHER = Actor("program", "another program")
QUOTA = 1_000_000
ROOM = QUOTA // 8
"""The documented eighth of the quota."""


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def small(house):
    house.settings = Settings(mode="auto", history_quota_bytes=QUOTA)
    return house


def held(house) -> int:
    with house.workspace.store.read() as db:
        held = int(db.execute("SELECT bytes FROM snapshots_held").get)
        assert held == (db.execute("SELECT sum(bytes) FROM snapshots").get or 0)
    return held


def test_what_stands_there_is_told_and_kept(house):
    house.write("f", "one\n", 0o755)
    house.write("big", "x" * 100_000)
    (house.folder / "l").symlink_to("there")
    (house.folder / "d").mkdir()
    os.mkfifo(house.folder / "p")
    states = house.tx.snapshot(["f", "big", "l", "d", "p", "gone", "x" * 300])
    assert (states["f"].kind, states["f"].mode, states["f"].size) == (Kind.FILE, 0o755, 4)
    assert (states["d"].kind, states["gone"], states["p"]) == (Kind.DIRECTORY, ABSENT, UNKNOWN)
    assert states["x" * 300] == UNKNOWN
    for path, data in (("f", b"one\n"), ("big", b"x" * 100_000), ("l", b"there")):
        assert house.tx.image(states[path].sha256) == data
    assert held(house) == 4 + 100_000 + 5
    house.tx.snapshot(["f"])
    assert held(house) == 100_009
    house.reopen()
    assert house.tx.image(states["big"].sha256) == b"x" * 100_000


def test_many_are_kept_a_batch_at_a_time(house):
    for number in range(501):
        house.write(f"f{number}", f"{number}\n")
    states = house.tx.snapshot(f"f{number}" for number in range(501))
    assert all(house.tx.image(state.sha256) for state in states.values())
    assert len(states) == 501


def test_the_oldest_make_room_within_an_eighth_of_the_quota(small):
    third = ROOM // 3
    for name in "abcd":
        small.write(name, name * third)
        small.tx.snapshot([name])
    assert [small.tx.image(sha(name.encode() * third)) is not None for name in "abcd"] == [False, True, True, True]
    assert held(small) <= ROOM
    small.write("large", "x" * (ROOM + 1))
    assert small.tx.snapshot(["large"])["large"].size == ROOM + 1
    assert small.tx.image(sha(b"x" * (ROOM + 1))) is None
    assert held(small) == 3 * third


def test_a_file_is_kept_up_to_the_largest_that_is_watched(house):
    house.settings = Settings(mode="auto", watch_max_file_bytes=10)
    house.write("f", "x" * 10)
    house.write("g", "x" * 11)
    states = house.tx.snapshot(["f", "g"])
    assert [house.tx.image(states[path].sha256) for path in "fg"] == [b"x" * 10, None]


def test_what_an_entry_keeps_is_no_snapshot(house):
    house.edit({"type": "create", "path": "f", "content": "one\n"})
    house.tx.snapshot(["f"])
    house.tx.hold([b"one\n"])
    assert held(house) == 0


def test_a_snapshot_outlives_an_entry_that_needed_its_image(small):
    data = b"x" * 100_000
    small.settings = Settings(mode="auto", history_quota_bytes=QUOTA, destructive_edits="allow")
    small.write("f", data)
    small.tx.snapshot(["f"])
    entry = small.edit({"type": "delete", "path": "f"})
    small.reopen()  # nothing is left to settle
    small.edit({"type": "create", "path": "g", "content": "g" * (QUOTA - 50_000)})
    assert small.tx.entry(entry.number).forgotten
    assert small.tx.image(sha(data)) == data


def test_without_that_nothing_more_is_kept(small):
    small.write("a", "a" * ROOM)
    small.write("b", "b")
    states = small.tx.snapshot(["a", "b"], evict=False)
    assert small.tx.image(states["a"].sha256) is not None
    assert small.tx.image(states["b"].sha256) is None


def test_an_image_that_an_entry_needs_outlives_its_snapshot(house):
    house.write("f", "one\n")
    before = house.tx.snapshot(["f"])
    house.write("f", "two\n")
    entry = house.tx.observe(Observation([Observed("f", before["f"])], OTHER, "outside", "x"))
    assert held(house) == 0
    assert house.tx.image(sha(b"one\n")) == b"one\n"
    house.undo(entry.transaction_id)
    assert house.read("f") == b"one\n"


def test_a_file_that_changes_while_it_is_kept_is_not_known(house):
    """A large one is read twice: for its hash, then piece by piece."""
    house.write("f", "x" * 100_000)
    house.write("g", "x" * 1_000)
    read = house.workspace.root.open_file

    def late(path):
        house.write(path, os.urandom(50))
        return read(path)

    house.workspace.root.open_file = late
    assert house.tx.snapshot(["f", "g"]) == {"f": UNKNOWN, "g": UNKNOWN}
    assert held(house) == 0


def test_contents_from_elsewhere_are_held_once(small):
    small.tx.hold([b"one", b"one", b"two", b"x" * (2 * ROOM + 1)])
    assert held(small) == 6
    small.tx.hold([b"y" * ROOM])
    assert held(small) == ROOM + 6
    small.tx.hold([b"z" * ROOM])
    assert [small.tx.image(sha(data)) for data in (b"one", b"two")] == [None, None]
    small.tx.hold([b"y" * ROOM])
    assert held(small) == 2 * ROOM
