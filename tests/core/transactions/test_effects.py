"""What can't be taken back uses its approval up before it begins."""

from __future__ import annotations

import pytest
from tests.conftest import AGENT

from workroom.base.changes import Permit
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions import begin_effect


def approved(house):
    fields = {"kind": "vcs", "title": "t", "destructive": False, "asks": (), "requests": (), "arguments": {}}
    record = house.workspace.approvals.stage(
        **fields, fingerprint="print", tool="editor_git_commit", preview={}, actor=AGENT, profile="editor"
    )
    return house.workspace.approvals.approve(record.id, "ann")


def begin(house, permit, effect="effect_1"):
    begin_effect(
        house.workspace.store,
        permit,
        effect=effect,
        fingerprint="print",
        kind="vcs",
        title="a commit",
        actor=AGENT,
        at=1.0,
    )


def effects(house):
    return [line for line in house.workspace.audit.lines(0, 100) if line["kind"] == "effect"]


def test_an_approval_is_used_once(house):
    record = approved(house)
    permit = Permit("print", f"approval {record.id}", record.id, "ann")
    begin(house, permit)
    assert house.workspace.approvals.get(record.id).status == "consumed"
    with pytest.raises(WorkroomError) as caught:
        begin(house, permit, "effect_2")
    assert caught.value.code is ErrorCode.TRANSACTION_STATE
    assert house.workspace.audit.verify().faults == ()


def test_the_audit_log_says_what_begins_and_who_let_it(house):
    record = approved(house)
    begin(house, Permit("print", f"approval {record.id}", record.id, "ann"))
    begin(house, Permit("print", "mode auto"), "effect_2")
    asked, let = effects(house)
    told = {"what": "vcs", "title": "a commit", "fingerprint": "print"}
    assert asked["what"] == told | {
        "effect": "effect_1", "reason": f"approval {record.id}", "approval": record.id, "decided_by": "ann",
    }  # fmt: skip
    assert let["what"] == told | {"effect": "effect_2", "reason": "mode auto"}
    assert (let["at"], let["who"]["name"]) == ("1970-01-01T00:00:01.000Z", AGENT.name)
    with house.workspace.store.read() as db:
        assert list(db.execute("SELECT approval_id, what, at FROM consumptions")) == [(record.id, "effect_1", 1.0)]


def test_a_permit_for_something_else_begins_nothing(house):
    record = approved(house)
    with pytest.raises(WorkroomError, match="'a commit' is for something else") as caught:
        begin(house, Permit("other", "auto", record.id))
    assert caught.value.code is ErrorCode.APPROVAL_REQUIRED
    assert effects(house) == []
    assert house.workspace.approvals.get(record.id).status == "approved"


def test_an_approval_that_was_marked_as_used_for_something_else_is_found(house):
    record = approved(house)
    begin(house, Permit("print", f"approval {record.id}", record.id, "ann"))
    with house.workspace.store.write() as db:
        db.execute("DROP TRIGGER consumptions_are_not_changed")
        db.execute("UPDATE consumptions SET what = 'tx_other'")
    assert any("isn't marked as used" in fault.what for fault in house.workspace.audit.verify().faults)
