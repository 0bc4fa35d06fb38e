"""Where a record stands is said in SQL: consumed by its consumption, expired by the clock."""

from workroom.core.approvals import LIFETIME_SECONDS
from workroom.core.approvals.tables import FROM, STATUS


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
