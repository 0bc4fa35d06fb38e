"""Where a record stands is said in SQL: consumed by its consumption, expired by the clock."""

import pytest
from tests.conftest import AGENT

from workroom.core.approvals import LIFETIME_SECONDS
from workroom.core.approvals.tables import FROM, GUARDS, MIGRATIONS, STATUS, decided
from workroom.system.store import StoreError


def standing(room, record):
    with room.store.read() as db:
        sql = f"SELECT {STATUS} {FROM} WHERE a.id = :id"
        return db.execute(sql, {"now": room.at, "id": record.id}).get


def test_consumed_comes_before_expired_and_both_before_what_is_stored(room):
    used, late = room.stage("f1"), room.stage("f2")
    assert standing(room, used) == "pending"
    room.approvals.approve(used.id, "ann")
    assert standing(room, used) == "approved"
    room.use(used.id)
    room.at += LIFETIME_SECONDS
    assert (standing(room, used), standing(room, late)) == ("consumed", "expired")


def test_the_guards_stand_in_the_database(room):
    with room.store.read() as db:
        there = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")}
    assert set(GUARDS) <= there


def test_what_stores_that_are_there_remember_keeps_its_name():
    assert [name for name, _ in MIGRATIONS] == ["approvals/1", "approvals/audit", "approvals/amended"]


COPY = (
    "CREATE TEMP TABLE copy AS SELECT * FROM approvals; UPDATE copy SET number = 2, id = 'other'; "
    "INSERT INTO approvals SELECT * FROM copy"
)


@pytest.fixture
def staged(house):
    return house.workspace.approvals.stage(
        kind="transaction", title="Commit", destructive=False, asks=(), fingerprint="f1", requests=(),
        tool="workspace_edit", arguments={}, preview={}, actor=AGENT, profile="workspace",
    )  # fmt: skip


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE approvals SET status = 'approved'",
        "UPDATE approvals SET decided_by = 'ann'",
        COPY,
    ],
)
def test_no_row_without_its_line(house, staged, sql):
    house.commit(house.plan({"type": "mkdir", "path": "d"}))  # so that the newest line is another's
    with pytest.raises(StoreError, match="needs its line"), house.workspace.store.write() as db:
        db.execute(sql)


def test_what_stands_as_decided_is_told_with_what_it_is_bound_to(house, staged):
    with house.workspace.store.read() as db:
        assert decided(db) == {}
    house.workspace.approvals.approve(staged.id, "ann")
    with house.workspace.store.read() as db:
        assert decided(db) == {staged.id: ("approved", "f1")}
