"""workspace_plan: what an agent means to do, put before the person. Never gated; not registered in auto mode."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from workroom.base.changes import digest
from workroom.base.envelope import Artifact, Envelope
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.settings import Mode
from workroom.core.approvals import Approval, Status
from workroom.core.plans import PlanBody, PlanDraft, markdown, plan_path
from workroom.system.clock import iso
from workroom.tools.tool import Action, Arguments, Call, Tool
from workroom.tools.workspace import Workspace

__all__ = ["PLAN"]

_FACTS = 10
"""Steps that outlive a summary."""
_OMIT = ("markdown", "plan.steps")

PlanId = Annotated[str, Field(pattern=r"^plan_", max_length=80)]


class Propose(Arguments, PlanDraft):
    pass


class Current(Arguments):
    pass


class Show(Arguments):
    plan_id: PlanId
    """`plan_…`, as an answer named it."""


class Complete(Arguments):
    plan_id: Annotated[PlanId | None, Field(description="default: the approved one")] = None
    """The plan that is done."""
    summary: Annotated[str | None, Field(max_length=2000)] = None
    """What was done, for the person."""


class Listed(Arguments):
    limit: Annotated[int, Field(ge=1, le=100)] = 20
    """Plans in one answer."""


def _propose(call: Call, arguments: Propose) -> Envelope:
    workspace = call.workspace
    with workspace.store.write() as db:
        superseded = workspace.approvals.supersede_plans(db)
        body = workspace.plans.propose(db, arguments, superseded[0] if superseded else None)
        artifact = workspace.plans.write_view(workspace.agentic, body, Status.PENDING)
        workspace.approvals.stage(
            kind="plan",
            title=body.title,
            destructive=False,
            asks=(),
            fingerprint=digest(["plan", body.model_dump(mode="json")]),
            requests=(),
            tool=PLAN.name,
            arguments={"action": "show", "plan_id": body.id},
            preview={"data": {"planId": body.id}, "artifacts": [artifact.to_json()], "text": ""},
            actor=call.actor,
            profile=call.profile,
            id=body.id,
        )
    return _proposed(body, artifact, workspace.settings().mode)


def _proposed(body: PlanBody, artifact: Artifact, mode: Mode) -> Envelope:
    manual = (
        " The mode is Manual: each mutating call still needs its own /accept, and the plan is a shared checklist."
        if mode is Mode.MANUAL
        else ""
    )
    after = f" It supersedes {body.supersedes}." if body.supersedes else ""
    steps = [f"step {number}: {step.text}" for number, step in enumerate(body.steps[:_FACTS], 1)]
    instruction = (
        f"Restate this plan to the person and stop. They answer with `workroom accept {body.id}` (or "
        f"`workroom deny {body.id} REASON`) in a terminal. "
        f"Call nothing that changes anything before that.{manual}"
    )
    return Envelope(
        ok=True,
        operation="plan.propose",
        summary=f"Plan {body.id} (revision {body.revision}) waits for the person: {body.title}.{after} {instruction}",
        data={**_data(body, Status.PENDING), "instruction": instruction},
        importance="critical",
        facts=(f"plan {body.id} pending: {body.title}", f"permission mode {mode.capitalize()} ({mode.level})", *steps),
        omit_when_summarizing=_OMIT,
        artifacts=(artifact,),
    )


def _current(call: Call, _arguments: Current) -> Envelope:
    approvals = call.workspace.approvals
    record = approvals.pending_plan() or approvals.active_plan()
    if record is None:
        return Envelope(
            ok=True,
            operation="plan.current",
            summary="No plan is pending or approved.",
            data={"status": "none"},
            facts=("no plan",),
        )
    return _shown("plan.current", call.workspace.plans.get(record.id), record.status)


def _show(call: Call, arguments: Show) -> Envelope:
    body = call.workspace.plans.get(arguments.plan_id)
    return _shown("plan.show", body, _status(call.workspace, body.id))


def _shown(operation: str, body: PlanBody, status: Status) -> Envelope:
    return Envelope(
        ok=True,
        operation=operation,
        summary=f"Plan {body.id} (revision {body.revision}) is {status}: {body.title}.",
        data=_data(body, status),
        importance="high",
        facts=(f"plan {body.id} {status}: {body.title}",),
        omit_when_summarizing=_OMIT,
        text=markdown(body, status),
    )


def _complete(call: Call, arguments: Complete) -> Envelope:
    workspace = call.workspace
    plan_id = arguments.plan_id or _completable(workspace).id
    with workspace.store.write():
        record = workspace.approvals.complete(plan_id)
        body = workspace.plans.finish(plan_id, arguments.summary)
    artifact = workspace.plans.write_view(workspace.agentic, body, record.status)
    locked = " What changes anything is locked again." if workspace.settings().mode is Mode.PLAN else ""
    return Envelope(
        ok=True,
        operation="plan.complete",
        summary=f"Plan {plan_id} is completed: {body.title}.{locked}",
        data=_data(body, record.status),
        importance="high",
        facts=(f"plan {plan_id} completed: {body.title}",),
        omit_when_summarizing=_OMIT,
        artifacts=(artifact,),
    )


def _completable(workspace: Workspace) -> Approval:
    """The plan that is meant when none is named; a pending one, so that the refusal names it."""
    record = workspace.approvals.active_plan() or workspace.approvals.pending_plan()
    if record is None:
        raise WorkroomError(
            ErrorCode.TRANSACTION_STATE, "No plan is approved, so there is none to complete.", next_step="Propose one."
        )
    return record


def _list(call: Call, arguments: Listed) -> Envelope:
    bodies, total = call.workspace.plans.list(arguments.limit)
    rows = [_row(body, _status(call.workspace, body.id)) for body in bodies]
    showing = f", showing {len(rows)}" if len(rows) < total else ""
    return Envelope(
        ok=True,
        operation="plan.list",
        summary=f"{total} plan{'' if total == 1 else 's'}{showing}, newest first.",
        data={"plans": rows, "total": total, "truncated": len(rows) < total},
        facts=tuple(f"plan {row['planId']} {row['status']}: {row['title']}" for row in rows[:_FACTS]),
        omit_when_summarizing=("plans",),
        text="\n".join(f"{row['planId']} {row['status']}: {row['title']}" for row in rows),
    )


def _status(workspace: Workspace, plan_id: str) -> Status:
    """Where a plan stands; one whose record is no longer kept is past, whatever became of it."""
    try:
        return workspace.approvals.get(plan_id).status
    except WorkroomError:
        return Status.EXPIRED


def _data(body: PlanBody, status: Status) -> dict[str, Any]:
    data: dict[str, Any] = {
        "planId": body.id,
        "status": str(status),
        "revision": body.revision,
        "plan": body.model_dump(mode="json", include=set(PlanDraft.model_fields)),
        "planPath": plan_path(body.id),
        "markdown": markdown(body, status),
        "createdAt": iso(body.created_at),
    }
    if body.supersedes is not None:
        data["supersedes"] = body.supersedes
    if body.summary is not None:
        data["summary"] = body.summary
    return data


def _row(body: PlanBody, status: Status) -> dict[str, Any]:
    return {
        "planId": body.id,
        "status": str(status),
        "revision": body.revision,
        "title": body.title,
        "steps": len(body.steps),
        "planPath": plan_path(body.id),
        "createdAt": iso(body.created_at),
    }


PLAN = Tool(
    name="workspace_plan",
    title="Plans",
    help="Put a plan before the person. In Plan mode changes run only after they accepted one: propose, restate it, "
    "stop. A new proposal locks changes until it is accepted. Complete it when done.",
    actions=(
        Action("propose", Propose, "Ask for a plan's approval.", answer=_propose),
        Action("current", Current, "The pending plan, else the approved one.", answer=_current),
        Action("show", Show, "One plan.", answer=_show),
        Action("complete", Complete, "End the approved plan.", answer=_complete),
        Action("list", Listed, "Plans, newest first.", answer=_list),
    ),
    modes=frozenset({Mode.MANUAL, Mode.PLAN}),
    annotations={"destructiveHint": False, "openWorldHint": False},
)
