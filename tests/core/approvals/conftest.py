"""The records of one workspace, by themselves: a clock that stands still and ids that count."""

from __future__ import annotations

import itertools
import json

import pytest

from workroom.base.actor import Actor
from workroom.base.audit import Shown
from workroom.base.errors import WorkroomError
from workroom.core.approvals import MIGRATIONS, Approvals
from workroom.core.transactions.consumption import consume
from workroom.core.transactions.tables import MIGRATIONS as TRANSACTIONS
from workroom.system.store import Store

AGENT = Actor("agent", "claude", "session-1")
OTHER = Actor("agent", "codex", "session-2")


class Room:
    """The records of one workspace, with a clock that stands still and ids that count."""

    def __init__(self, folder):
        self.at = 1_000_000.0
        self.numbers = itertools.count(1)
        self.store = Store(folder, [*TRANSACTIONS, *MIGRATIONS])
        self.approvals = Approvals(self.store, lambda: self.at, lambda prefix: f"{prefix}_{next(self.numbers):04}")
        self.told = []
        self.store.subscribe(lambda _number, event: self.told.append(event))

    def stage(self, fingerprint="f1", *, actor=AGENT, kind="transaction", title="Commit", requests=("r1",), **more):
        return self.approvals.stage(
            kind=kind, title=title, destructive=False, asks=(), fingerprint=fingerprint, requests=requests,
            tool="workspace_edit", arguments={"action": "commit", "transaction_id": "tx_1"}, preview={"data": {}},
            actor=actor, profile="workspace", **more,
        )  # fmt: skip

    def use(self, approval_id):
        with self.store.write() as db:
            self.store.record(db, Shown(approval=approval_id, sha256="", surface=""), AGENT, self.at)
            consume(db, approval_id, "tx_1", self.at)

    def lines(self, kind):
        """What the audit log tells, and of whom."""
        with self.store.read() as db:
            found = [json.loads(row[0]) for row in db.execute("SELECT line FROM audit ORDER BY number")]
        return [(line["who"]["kind"], line["who"]["name"], line["what"]) for line in found if line["kind"] == kind]

    def plan(self, plan_id):
        with self.store.write() as db:
            superseded = self.approvals.supersede_plans(db)
            self.stage(plan_id, kind="plan", requests=(), id=plan_id)
        return superseded


@pytest.fixture
def room(tmp_path):
    room = Room(tmp_path / "store")
    yield room
    room.store.close()


def refused(code, do, *arguments):
    with pytest.raises(WorkroomError) as caught:
        do(*arguments)
    assert caught.value.code is code
    return str(caught.value)
