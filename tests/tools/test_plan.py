"""workspace_plan, each action as a client calls it."""

import pytest

from workroom.base.actor import Actor
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.settings import Mode, Settings
from workroom.core.approvals import KEPT, LIFETIME_SECONDS, Status
from workroom.tools.plan import PLAN
from workroom.tools.schema import parse_arguments
from workroom.tools.tool import Call

AGENT = Actor("agent", "claude", "session-1")
DRAFT = {"title": "Tidy up", "objective": "One parser.", "steps": ["read it", {"text": "change it", "kind": "edit"}]}


@pytest.fixture
def plan(house):
    house.settings = Settings(mode="plan")

    def call(action, **arguments):
        found, parsed = parse_arguments(PLAN, {"action": action, **arguments})
        return found.answer(Call(house.workspace, AGENT), parsed)

    return call


@pytest.fixture
def approvals(house):
    return house.workspace.approvals


def refused(code, do, *arguments, **named):
    with pytest.raises(WorkroomError) as caught:
        do(*arguments, **named)
    assert caught.value.code is code
    return str(caught.value)


def test_it_is_registered_outside_auto_mode_and_never_gated():
    assert PLAN.modes == {Mode.MANUAL, Mode.PLAN}
    assert [action.name for action in PLAN.actions] == ["propose", "current", "show", "complete", "list"]
    assert all(action.answer and not action.propose for action in PLAN.actions)


def test_proposing(plan, approvals, house):
    answer = plan("propose", **DRAFT)
    plan_id = answer.data["planId"]
    assert (answer.ok, answer.operation, answer.importance) == (True, "plan.propose", "critical")
    assert plan_id.startswith("plan_")
    assert (answer.data["status"], answer.data["revision"]) == ("pending", 1)
    assert answer.data["plan"] == {
        "title": "Tidy up", "objective": "One parser.",
        "steps": [{"text": "read it", "kind": "other"}, {"text": "change it", "kind": "edit"}],
        "files": [], "commands": [], "risks": [], "questions": [],
    }  # fmt: skip
    assert answer.data["planPath"] == f".agentic/plans/{plan_id}/plan.md"
    assert house.read(answer.data["planPath"]).decode() == answer.data["markdown"]
    assert [artifact.path for artifact in answer.artifacts] == [answer.data["planPath"]]
    assert "supersedes" not in answer.data
    assert answer.omit_when_summarizing == ("markdown", "plan.steps")
    record = approvals.get(plan_id)
    assert (record.kind, record.title, record.status, record.actor) == ("plan", "Tidy up", Status.PENDING, AGENT)
    assert (record.tool, record.arguments) == ("workspace_plan", {"action": "show", "plan_id": plan_id})


def test_a_proposal_tells_its_agent_to_restate_it_and_stop(plan):
    answer = plan("propose", **DRAFT)
    for words in ("Restate", "stop", f"workroom accept {answer.data['planId']}"):
        assert words in answer.data["instruction"]
        assert words in answer.summary
    assert "Manual" not in answer.summary


def test_in_manual_mode_a_plan_is_a_checklist(plan, house):
    house.settings = Settings(mode="manual")
    answer = plan("propose", **DRAFT)
    for text in (answer.summary, answer.data["instruction"]):
        assert "its own /accept" in text
        assert "shared checklist" in text


def test_ten_steps_outlive_a_summary(plan):
    answer = plan("propose", **{**DRAFT, "steps": [f"do {n}" for n in range(12)]})
    assert answer.facts[0] == f"plan {answer.data['planId']} pending: Tidy up"
    assert answer.facts[1] == "permission mode Plan (1)"
    assert answer.facts[2:] == tuple(f"step {n + 1}: do {n}" for n in range(10))


def test_a_new_plan_supersedes_and_locks_again(plan, approvals):
    first = plan("propose", **DRAFT).data["planId"]
    approvals.approve(first, "ann")
    second = plan("propose", **DRAFT)
    assert (second.data["supersedes"], second.data["revision"]) == (first, 2)
    assert f"supersedes {first}" in second.summary
    assert approvals.active_plan() is None
    assert plan("show", plan_id=first).data["status"] == "superseded"


def test_current(plan, approvals):
    assert plan("current").data == {"status": "none"}
    plan_id = plan("propose", **DRAFT).data["planId"]
    assert plan("current").data["status"] == "pending"
    approvals.approve(plan_id, "ann")
    answer = plan("current")
    assert (answer.data["planId"], answer.data["status"]) == (plan_id, "approved")
    assert answer.facts == (f"plan {plan_id} approved: Tidy up",)
    approvals.complete(plan_id)
    assert plan("current").data == {"status": "none"}


def test_show(plan):
    plan_id = plan("propose", **DRAFT).data["planId"]
    answer = plan("show", plan_id=plan_id)
    assert answer.data["markdown"] == answer.text
    assert answer.omit_when_summarizing == ("markdown", "plan.steps")
    refused(ErrorCode.NOT_FOUND, plan, "show", plan_id="plan_none")


def test_completing_locks_again(plan, approvals, house):
    plan_id = plan("propose", **DRAFT).data["planId"]
    approvals.approve(plan_id, "ann")
    answer = plan("complete", summary="all green")
    assert (answer.data["status"], answer.data["summary"]) == ("completed", "all green")
    assert "locked again" in answer.summary
    assert approvals.active_plan() is None
    view = house.read(answer.data["planPath"]).decode()
    assert "completed" in view
    assert "> all green" in view


def test_completing_in_manual_mode_locks_nothing(plan, approvals, house):
    house.settings = Settings(mode="manual")
    plan_id = plan("propose", **DRAFT).data["planId"]
    approvals.approve(plan_id, "ann")
    answer = plan("complete", plan_id=plan_id)
    assert "locked" not in answer.summary
    assert "summary" not in answer.data


def test_completing_what_the_person_has_not_accepted(plan, approvals):
    assert "No plan" in refused(ErrorCode.TRANSACTION_STATE, plan, "complete")
    plan_id = plan("propose", **DRAFT).data["planId"]
    for arguments in ({}, {"plan_id": plan_id}):
        message = refused(ErrorCode.TRANSACTION_STATE, plan, "complete", summary="done", **arguments)
        assert plan_id in message
        assert "Stop and wait" in message
    assert plan("show", plan_id=plan_id).data.get("summary") is None
    approvals.deny(plan_id, "ann", "no")
    refused(ErrorCode.TRANSACTION_STATE, plan, "complete", plan_id=plan_id)
    refused(ErrorCode.NOT_FOUND, plan, "complete", plan_id="plan_none")


def test_listing(plan, approvals, house):
    assert plan("list").data == {"plans": [], "total": 0, "truncated": False}
    first = plan("propose", **DRAFT).data["planId"]
    second = plan("propose", **{**DRAFT, "title": "Again"}).data["planId"]
    answer = plan("list")
    assert [(row["planId"], row["status"], row["revision"]) for row in answer.data["plans"]] == [
        (second, "pending", 2), (first, "superseded", 1),
    ]  # fmt: skip
    assert answer.data["plans"][0]["planPath"] == f".agentic/plans/{second}/plan.md"
    assert answer.summary == "2 plans, newest first."
    assert answer.facts[0] == f"plan {second} pending: Again"
    cut = plan("list", limit=1)
    assert (len(cut.data["plans"]), cut.data["truncated"]) == (1, True)
    assert cut.summary == "2 plans, showing 1, newest first."
    house.time += LIFETIME_SECONDS
    assert plan("list").data["plans"][0]["status"] == "expired"


def test_a_plan_whose_record_is_no_longer_kept_is_past(plan, approvals, house):
    plan_id = plan("propose", **DRAFT).data["planId"]
    approvals.deny(plan_id, "ann")
    with house.workspace.store.write():
        for number in range(KEPT):
            approvals.stage(
                kind="transaction", title="t", destructive=False, asks=(), fingerprint=str(number), requests=(),
                tool="workspace_edit", arguments={}, preview={}, profile="workspace",
                actor=Actor("agent", f"a{number % 3}", "s"),
            )  # fmt: skip
    assert plan("show", plan_id=plan_id).data["status"] == "expired"


def test_a_plan_that_cant_be_written_is_not_proposed(plan, approvals, house):
    (house.folder / ".agentic").mkdir(exist_ok=True)
    (house.folder / ".agentic/plans").symlink_to(house.folder)
    refused(ErrorCode.PATH_OUTSIDE_WORKSPACE, plan, "propose", **DRAFT)
    assert approvals.pending() == ()
    assert plan("list").data["total"] == 0


def test_structured_arguments_may_come_as_json_strings(plan):
    answer = plan("propose", title="t", objective="o", steps='["a", {"text": "b", "kind": "vcs"}]')
    assert [step["kind"] for step in answer.data["plan"]["steps"]] == ["other", "vcs"]


@pytest.mark.parametrize(
    ("action", "arguments"),
    [
        ("propose", {"title": "t", "objective": "o"}), ("propose", {**DRAFT, "steps": []}),
        ("propose", {**DRAFT, "stepz": []}), ("propose", {**DRAFT, "steps": ["s"] * 41}),
        ("propose", {**DRAFT, "commands": [{"executable": "/bin/ls"}]}), ("show", {}),
        ("show", {"plan_id": "approval_1"}), ("list", {"limit": 0}), ("list", {"limit": 101}),
        ("complete", {"summary": "x" * 2001}),
    ],
)  # fmt: skip
def test_wrong_arguments(plan, approvals, action, arguments):
    refused(ErrorCode.INVALID_INPUT, plan, action, **arguments)
    assert approvals.pending() == ()
