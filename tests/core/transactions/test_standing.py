"""Refusals of what doesn't stand any more; the service's own tests show them at work."""

from __future__ import annotations

from dataclasses import replace

import apsw
import pytest

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions import Observation
from workroom.core.transactions.standing import check_changed, check_kept, io_error, not_in_force, recorded
from workroom.system.store import StoreError


def test_a_kept_plan_must_still_be_planned(house):
    fresh = house.plan({"type": "create", "path": "f", "content": "f\n"})
    kept = house.tx.keep(fresh, house.commit(house.plan({"type": "mkdir", "path": "d"})).actor)
    with house.workspace.store.read() as db:
        check_kept(db, fresh)
        check_kept(db, kept)
    house.commit(kept)
    with house.workspace.store.read() as db, pytest.raises(WorkroomError, match="is applied meanwhile") as refused:
        check_kept(db, kept)
    assert refused.value.code is ErrorCode.TRANSACTION_STATE
    never = replace(fresh, id="tx_never", kept=True)
    with house.workspace.store.read() as db, pytest.raises(WorkroomError, match="tx_never is forgotten meanwhile"):
        check_kept(db, never)


def test_an_entry_of_no_change_has_nothing_to_take_back(house):
    entry = house.edit({"type": "mkdir", "path": "d"})
    check_changed(entry)
    told = house.tx.observe(Observation([], entry.actor, "git", "git commit", always=True))
    for other in (replace(told, changes=entry.changes), replace(entry, changes=())):
        check_changed(other)
    with pytest.raises(WorkroomError, match="changed no file") as refused:
        check_changed(told)
    assert refused.value.details == {"entry": told.number}


def test_what_failed_is_said_in_words():
    assert io_error("It can't be", OSError(28, "No space left")).message == "It can't be: No space left."
    assert not_in_force("tx_1", "is rolled back").message == "tx_1 is rolled back, so it can't be rolled back."
    with pytest.raises(StoreError) as caught, recorded():
        raise StoreError(apsw.IOError("x"), undecided=True)
    assert not caught.value.undecided
