"""A record as a value is what its row holds."""

import dataclasses

from tests.core.approvals.conftest import AGENT

from workroom.core.approvals.model import LIFETIME_SECONDS, Status, approval_of
from workroom.core.approvals.tables import SELECT


def test_a_record_is_its_row(room):
    record = room.stage()
    with room.store.read() as db:
        row = db.execute(SELECT + "WHERE a.id = :id", {"now": room.at, "id": record.id}).fetchone()
    assert approval_of(row) == record
    assert (record.actor, record.status, record.note, record.result) == (AGENT, Status.PENDING, "", None)
    assert record.expires_at - record.created_at == LIFETIME_SECONDS == 86_400
    assert len(row) == len(dataclasses.fields(record)) + 2  # the actor is three columns


def test_where_a_record_stands_has_the_words_that_sql_and_readers_know():
    assert set(Status) == {"pending", "approved", "denied", "consumed", "completed", "superseded", "expired"}
