"""An approval is used once."""

from __future__ import annotations

import pytest

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions.consumption import check_unused, consume


def test_an_approval_is_used_once_by_what_is_written_with_it(house):
    store = house.workspace.store
    with store.write() as db:
        check_unused(db, "approval_1")
        consume(db, "approval_1", "tx_1", 1.0)
    for use in (check_unused, lambda db, approval_id: consume(db, approval_id, "tx_2", 2.0)):
        with pytest.raises(WorkroomError) as caught, store.write() as db:
            use(db, "approval_1")
        assert caught.value.code is ErrorCode.TRANSACTION_STATE
    with store.read() as db:
        assert db.execute("SELECT * FROM consumptions").fetchall() == [("approval_1", "tx_1", 1.0)]


def test_it_is_unused_again_when_the_unit_of_work_fails(house):
    store = house.workspace.store
    with pytest.raises(WorkroomError), store.write() as db:
        twice(db)
    with store.read() as db:
        check_unused(db, "approval_1")


def twice(db):
    for _ in range(2):
        consume(db, "approval_1", "tx_1", 1.0)
