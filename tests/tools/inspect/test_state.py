"""workspace_inspect capabilities and changes, as a client calls them."""

from __future__ import annotations

import pytest

from workroom.base.actor import Actor
from workroom.base.events import ModeChanged
from workroom.base.settings import Settings
from workroom.tools.dispatch import call
from workroom.tools.tool import Call

PLAN = {"action": "propose", "title": "Tidy", "objective": "Less.", "steps": ["one"]}


@pytest.fixture
def caller(house):
    return Call(house.workspace, Actor("agent", "tester", "s"))


@pytest.fixture
def inspect(caller):
    def ask(action, **arguments):
        return call(caller, "workspace_inspect", {"action": action, **arguments})

    return ask


def test_capabilities(inspect, house):
    house.settings = Settings(mode="plan", protected_patterns=("secret/**",))
    answer = inspect("capabilities")
    data = answer.data
    assert (data["permissionMode"], data["permissionLevel"]) == ("plan", 1)
    assert (data["activePlan"], data["pendingPlan"]) == (None, None)
    assert (data["pendingApprovals"], data["pending"]) == (0, [])
    assert data["notes"] == {"count": 0, "memoryExists": False, "memoryPath": ".agentic/MEMORY.md"}
    assert data["tools"] == ["workspace_inspect", "workspace_edit", "workspace_notes", "workspace_plan"]
    assert ".agentic/plans/<id>/plan.md" in data["storage"]
    assert data["settings"]["destructive_edits"] == "refuse"
    assert data["settings"]["protected"] == [".git/**", ".agentic/**", "secret/**"]
    assert {"confinement", "search", "atomic_replace", "lease", "sandbox", "watching", "trust"} <= data[
        "guarantees"
    ].keys()
    assert data["guarantees"]["trust"].keys() == {"contained", "cooperative"}
    assert answer.summary.startswith("Permission mode plan (1); no plan; 0 waiting for the person; 0 notes; no memory")
    assert "What deletes, moves or overwrites is refused." in answer.summary


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (Settings(mode="manual", destructive_edits="ask"), "Every change waits for the person's yes. What deletes"),
        (Settings(mode="auto", destructive_edits="allow"), "Changes run at once."),
    ],
)
def test_what_the_mode_means(inspect, house, settings, said):
    house.settings = settings
    answer = inspect("capabilities")
    assert said in answer.summary
    assert ("workspace_plan" in answer.data["tools"]) is (settings.mode == "manual")


def test_what_waits_and_what_is_kept(inspect, caller, house):
    house.settings = Settings(mode="plan")
    call(caller, "workspace_notes", {"action": "write", "memory": True, "content": "x"})
    plan = call(caller, "workspace_plan", PLAN).data["planId"]
    answer = inspect("capabilities")
    assert answer.data["pendingPlan"] == {
        "id": plan, "title": "Tidy", "planPath": f".agentic/plans/{plan}/plan.md",
    }  # fmt: skip
    assert answer.data["pendingApprovals"] == 1
    assert [(row["id"], row["status"]) for row in answer.data["pending"]] == [(plan, "pending")]
    assert f"plan {plan} pending" in answer.facts
    assert ".agentic/MEMORY.md exists: read it" in answer.facts
    house.workspace.approvals.approve(plan, "me")
    answer = inspect("capabilities")
    assert answer.data["activePlan"]["id"] == plan
    assert f"plan {plan} approved" in answer.facts


def test_changes(inspect, caller, house):
    house.write("f", "one\n")
    house.edit({"type": "rewrite", "path": "f", "content": "two\nthree\n"})
    entry = house.edit({"type": "create", "path": "g", "content": "x\n"}, {"type": "mkdir", "path": "d"})
    house.undo(entry.transaction_id)
    answer = inspect("changes")
    newest, middle, oldest = answer.data["history"]
    assert (newest["cause"], newest["undoes"]) == ("rollback", entry.number)
    assert middle["undoneBy"] == newest["id"]
    assert (oldest["paths"], oldest["pathCount"], oldest["added"], oldest["removed"]) == (["f"], 1, 2, 1)
    assert oldest["actor"] == "tester"
    assert answer.data["total"]["transactions"] == 3
    assert answer.data["transactions"][0]["fileCount"] >= 1
    assert answer.data["jobs"] == answer.data["runs"] == answer.data["taskBoards"] == []
    assert answer.data["truncated"] is False
    assert answer.summary.startswith("3 entries, newest first; 3 transactions; 0 waiting for the person.")
    lines = answer.text.splitlines()
    assert len(lines) == 3
    assert "(undone)" in lines[1]
    assert lines[2].endswith("f +2 -1")


def test_changes_since(inspect, house):
    house.edit({"type": "create", "path": "f", "content": "x\n"})
    seen = inspect("changes").data["lastEvent"]
    assert inspect("changes", since=seen).data["history"] == []
    entry = house.edit({"type": "create", "path": "g", "content": "x\n"})
    answer = inspect("changes", since=seen)
    assert [row["id"] for row in answer.data["history"]] == [entry.number]
    assert len(inspect("changes", since=0).data["history"]) == 2


def test_changes_since_long_ago_are_the_newest(inspect, house):
    store, seen = house.workspace.store, inspect("changes").data["lastEvent"]
    with store.write() as db:
        for _ in range(1_200):
            store.emit(db, ModeChanged("auto"), 0)
    entries = [house.edit({"type": "create", "path": f"{n}", "content": ""}) for n in range(4)]
    answer = inspect("changes", since=seen, limit=3)
    assert [row["id"] for row in answer.data["history"]] == [entry.number for entry in entries[:0:-1]]
    assert answer.data["total"]["history"] == 4
    assert answer.data["truncated"]
    assert answer.summary.startswith("3 of 4 entries, newest first;")
    answer = inspect("changes", since=seen, limit=4)
    assert (len(answer.data["history"]), answer.data["truncated"]) == (4, False)
    assert inspect("changes", since=answer.data["lastEvent"]).data["total"]["history"] == 0


def test_an_event_number_has_bounds(inspect):
    assert inspect("changes", since=2**63 - 1).data["history"] == []
    assert inspect("changes", since=2**63).error["code"] == "INVALID_INPUT"


def test_changes_tell_the_approvals_that_stand(inspect, caller, house):
    house.settings = Settings(mode="manual")
    staged = []
    for number in range(4):
        operation = {"type": "create", "path": f"{number}", "content": ""}
        answer = call(caller, "workspace_edit", {"action": "apply", "operations": [operation]})
        staged.append(answer.data["approval"]["id"])
    call(caller, "workspace_plan", PLAN)
    house.workspace.approvals.approve(staged[1], "ann")
    house.workspace.approvals.deny(staged[2], "ann")
    rows = inspect("changes", limit=3).data["approvals"]
    assert [(row["id"], row["status"]) for row in rows] == [
        (staged[3], "pending"), (staged[1], "approved"), (staged[0], "pending"),
    ]  # fmt: skip


def test_changes_are_bounded(inspect, caller, house):
    house.settings = Settings(mode="plan")
    for _ in range(2):
        call(caller, "workspace_plan", PLAN)
    house.edit(*({"type": "create", "path": f"{n:02}", "content": ""} for n in range(30)))
    answer = inspect("changes", limit=1)
    assert len(answer.data["plans"]) == 1
    assert answer.data["plans"][0]["revision"] == 2
    assert answer.data["total"] == {"history": 1, "transactions": 1, "plans": 2}
    assert answer.data["truncated"]
    (row,) = answer.data["history"]
    assert (len(row["paths"]), row["pathCount"]) == (20, 30)
    assert "and 27 more" in answer.text
    assert answer.data["approvals"] == []


def test_one_entry_with_its_diff(inspect, house):
    house.edit({"type": "create", "path": "a.txt", "content": "one\n"})
    house.edit({"type": "rewrite", "path": "a.txt", "content": "two\n"})
    answer = inspect("changes", entry=2)
    assert answer.data["id"] == 2
    assert "-one\n+two\n" in answer.data["diff"]
    assert "-one\n+two" in answer.text
    assert "decidedBy" in answer.data
    assert "warnings" not in answer.data
    missing = inspect("changes", entry=3)
    assert missing.error["code"] == "NOT_FOUND"
