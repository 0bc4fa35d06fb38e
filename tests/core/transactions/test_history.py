"""What was planned and committed is found again."""

from __future__ import annotations

import pytest
from tests.conftest import AGENT

from workroom.base.errors import ErrorCode, WorkroomError

CREATE = {"type": "create", "path": "f", "content": "new\n"}


def refused(act) -> WorkroomError:
    with pytest.raises(WorkroomError) as caught:
        act()
    return caught.value


def test_what_is_not_there_is_not_found(house):
    error = refused(lambda: house.tx.get("tx_no"))
    assert (error.code, error.details) == (ErrorCode.NOT_FOUND, {"transactionId": "tx_no"})
    assert refused(lambda: house.tx.entry(1)).code is ErrorCode.NOT_FOUND
    assert refused(lambda: house.tx.plan_rollback("tx_no")).code is ErrorCode.NOT_FOUND
    assert house.tx.entry_of("tx_no") is None
    assert house.tx.newest_undoable() is None


def test_transactions_and_entries_are_listed_newest_first(house):
    entries = [house.edit({"type": "create", "path": name, "content": ""}) for name in "abc"]
    kept = house.tx.keep(house.plan(CREATE), AGENT)
    found, total = house.tx.find(limit=2)
    assert ([each.id for each in found], total) == ([kept.id, entries[2].transaction_id], 4)
    after = (found[-1].created_at, found[-1].id)
    assert [each.id for each in house.tx.find(limit=1, after=after)[0]] == [entries[1].transaction_id]
    planned, total = house.tx.find(status="planned")
    assert ([each.id for each in planned], total) == ([kept.id], 1)
    assert [entry.number for entry in house.tx.history(2)] == [3, 2]
    assert [entry.number for entry in house.tx.history(2, 2)] == [1]
    assert house.tx.newest_undoable() == entries[2]
    house.undo(entries[2].transaction_id)
    assert house.tx.newest_undoable() == entries[1]


def test_an_entry_tells_who_why_and_by_whose_yes(house):
    planned = house.plan(CREATE)
    entry = house.commit(planned, approval_id="approval_1", decided_by="me")
    assert (entry.actor, entry.approval_id, entry.decided_by) == (AGENT, "approval_1", "me")
    assert house.edit({**CREATE, "path": "g"}).decided_by == "test"


def test_only_what_is_in_force_is_rolled_back(house):
    kept = house.tx.keep(house.plan(CREATE), AGENT)
    error = refused(lambda: house.tx.plan_rollback(kept.id))
    assert (error.code, f"{kept.id} was never applied" in error.message) == (ErrorCode.TRANSACTION_STATE, True)
    entry = house.commit(kept)
    house.undo(entry.transaction_id)
    error = refused(lambda: house.tx.plan_rollback(entry.transaction_id))
    assert (error.code, f"{kept.id} is rolled back" in error.message) == (ErrorCode.TRANSACTION_STATE, True)


def test_the_last_entry_by_a_time(house):
    first, second = house.edit(CREATE), house.edit({**CREATE, "path": "g"})
    times = (first.at - 0.0001, first.at, second.at)
    assert [house.tx.last_by(at) for at in times] == [0, first.number, second.number]


def test_numbers_go_as_far_as_the_database_counts(house):
    house.edit(CREATE)
    with house.workspace.store.write() as db:
        db.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'entries'", (2**63 - 2,))
    last = house.edit({**CREATE, "path": "g"})
    assert house.tx.entry(2**63 - 1) == last
    assert refused(lambda: house.tx.entry(2**63)).code is ErrorCode.NOT_FOUND


def test_lists_show_twenty_unless_more_are_asked_for(house):
    for number in range(21):
        house.edit({**CREATE, "path": f"f{number}"})
    found, total = house.tx.find()
    assert (len(found), total, len(house.tx.history()), len(house.tx.history(30))) == (20, 21, 20, 21)
