"""Others' work that was met is an entry of the history like any other."""

from __future__ import annotations

import hashlib

import pytest

from workroom.base.actor import Actor
from workroom.base.changes import ABSENT, ChangeSet, Kind, State
from workroom.base.events import Committed
from workroom.core.transactions.kept import record_copies


@pytest.fixture
def record(house):
    def make(copies, foreign=None):
        store = house.workspace.store
        with store.write() as db:
            given = {} if foreign is None else {"foreign": foreign}
            return record_copies(house.workspace.root, store, db, "recovery", "met", copies, house.clock(), **given)

    return make


def test_copies_are_an_entry_and_an_event(house, record):
    house.write("b", "2")
    house.write("a", "1")
    heard = []
    house.workspace.store.subscribe(lambda _, event: heard.append(event))
    number = record(["b", "a"])
    entry = house.tx.entry(number)
    assert [(change.path, change.before, change.after.size) for change in entry.changes] == [
        ("a", ABSENT, 1),
        ("b", ABSENT, 1),
    ]
    assert (entry.cause, entry.title, entry.warnings) == ("recovery", "met", ("met",))
    assert entry.actor == Actor("program", "workroom")
    stored = house.tx.get(entry.transaction_id)
    assert (stored.status, entry.transaction_id.partition("_")[0]) == ("applied", "tx")
    assert stored.planned.fingerprint == ChangeSet(entry.changes).fingerprint("recovery")
    assert house.workspace.audit.lines()[-1]["what"]["reason"] == ""  # nobody was asked
    assert heard == [Committed(number, entry.transaction_id, ("a", "b"), 2, "workroom", "recovery")]
    assert house.tx.newest_undoable() is None


def test_the_event_names_twenty_paths_and_says_how_many_there_are(record, house):
    heard = []
    house.workspace.store.subscribe(lambda _, event: heard.append(event))
    names = [house.write(f"{number:02}", "x").name for number in range(21)]
    record(names)
    assert [(event.paths, event.total) for event in heard] == [(tuple(names[:20]), 21)]


def test_a_path_that_somebody_changed_keeps_its_before_image(house, record):
    house.write("f", "theirs")
    old = b"old"
    sha = hashlib.sha256(old).hexdigest()
    with house.workspace.store.write() as db:
        house.workspace.store.put_image_as(db, sha, len(old), (old,))
    entry = house.tx.entry(record([], {"f": State(Kind.FILE, sha, 3, 0o644)}))
    assert [change.path for change in entry.changes] == ["f"]
    with house.workspace.store.read() as db:
        needing = db.execute("SELECT transaction_id FROM image_refs WHERE sha256 = ?", (sha,)).fetchall()
    assert needing == [(entry.transaction_id,)]
    house.undo(entry.transaction_id)
    assert house.read("f") == old
