"""An approval is used once."""

from __future__ import annotations

import pytest
from tests.conftest import AGENT

from workroom.base.audit import Shown
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions.consumption import check_unused, consume, count_used, used_for
from workroom.system.store import StoreError


def test_an_approval_is_used_once_by_what_is_written_with_it(house):
    store = house.workspace.store
    with store.write() as db:
        check_unused(db, "approval_1")
        use(store, db, "tx_1")
    for again in (lambda db: check_unused(db, "approval_1"), lambda db: use(store, db, "tx_2")):
        with pytest.raises(WorkroomError) as caught, store.write() as db:
            again(db)
        assert caught.value.code is ErrorCode.TRANSACTION_STATE
        assert "approval_1" in caught.value.message
    with store.read() as db:
        assert db.execute("SELECT * FROM consumptions").fetchall() == [("approval_1", "tx_1", 1.0)]


def test_it_is_unused_again_when_the_unit_of_work_fails(house):
    store = house.workspace.store
    with pytest.raises(WorkroomError), store.write() as db:
        twice(store, db)
    with store.read() as db:
        check_unused(db, "approval_1")


def use(store, db, what):
    """Use it, with the line of the audit log that must stand before it."""
    store.record(db, Shown(approval="approval_1", sha256="", surface=""), AGENT, 1.0)
    consume(db, "approval_1", what, 1.0)


def twice(store, db):
    for _ in range(2):
        use(store, db, "tx_1")


def test_nothing_is_used_without_a_line_in_the_audit_log(house):
    store = house.workspace.store
    with pytest.raises(StoreError, match="needs its line"), store.write() as db:
        consume(db, "approval_1", "tx_1", 1.0)


def test_what_it_was_used_for_is_told(house):
    store = house.workspace.store
    with store.write() as db:
        assert (used_for(db, "approval_1"), count_used(db)) == (None, 0)
        use(store, db, "tx_1")
        assert (used_for(db, "approval_1"), count_used(db)) == ("tx_1", 1)
