"""The one road: parse, plan, gate, run, answer. Every call from every interface takes it.

call(…)     one call, synchronously, on a worker thread
dispatch(…) the bridge from asyncio: runs `call` in the pool, and lets a staged call wait for the person
resume(…)   runs what an approval holds, once a person has accepted it
told(…)     a refusal or a fault as an answer; propose(…) what a gated action would do: for the person's calls as well
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any

from workroom.base.changes import Danger, Permit, digest
from workroom.base.envelope import Artifact, Envelope, failure
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.events import ApprovalDecided, Event
from workroom.base.settings import Mode, Settings
from workroom.core.approvals import Approval, Denial, Status
from workroom.core.permissions import Decision, Outcome, decide
from workroom.text.overlap import render_conflicts
from workroom.tools.catalog import any_tool, find_tool
from workroom.tools.schema import parse_arguments
from workroom.tools.shape import bounded, formed
from workroom.tools.tool import Action, Arguments, Call, Proposal, Staged, Tool

__all__ = ["TRIES", "call", "dispatch", "propose", "resume", "told"]

_log = logging.getLogger(__name__)
_DEFAULTS = Settings()
_CONFLICT_CHARS = 6_000
_ACCEPTING_SECONDS = 0.5
"""How long a call that was accepted while it began to wait leaves it to the accept to run it."""
TRIES = 10
"""How often a call that merges is made again while others commit in between."""


async def dispatch(pool: Executor, caller: Call, name: str, raw: dict[str, Any]) -> Envelope:
    """Answer a call without holding a thread while it waits for the person.

    Cancelling the task gives up waiting for the answer; what has begun to run is finished.
    """
    loop = asyncio.get_running_loop()
    wait = caller.settings().wait_seconds(caller.profile)
    if not wait:
        return await loop.run_in_executor(pool, call, caller, name, raw)
    decided = asyncio.Event()
    waiting_for: list[str] = []

    def hear(_number: int, event: Event) -> None:
        if isinstance(event, ApprovalDecided) and event.status != Status.APPROVED:
            loop.call_soon_threadsafe(lambda: decided.set() if event.approval_id in waiting_for else None)

    leave = caller.workspace.store.subscribe(hear)
    try:
        envelope = await loop.run_in_executor(pool, call, caller, name, raw)
        approval = envelope.data.get("approval")
        if approval is None:
            return envelope
        waiting_for.append(approval["id"])
        record = await loop.run_in_executor(pool, caller.workspace.approvals.get, approval["id"])
        if record.status is Status.PENDING:
            try:
                await asyncio.wait_for(decided.wait(), wait)
            except TimeoutError:
                return envelope
        elif record.status is Status.APPROVED and record.result is None:  # most probably it is being run just now
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(decided.wait(), _ACCEPTING_SECONDS)
        return await loop.run_in_executor(pool, call, caller, name, raw)
    finally:
        leave()


def call(caller: Call, name: str, raw: dict[str, Any]) -> Envelope:
    """One call from parse to answer. Never raises: a refusal or fault is an envelope with `ok: false`."""
    operation = ascii(name.removeprefix("workspace_")[:80])[1:-1]
    limit: int | None = _DEFAULTS.max_tool_result_chars  # where the settings can't be read, that is what is answered
    tool: Tool | None = None

    def work() -> Envelope:
        nonlocal operation, limit, tool
        settings = caller.settings()
        tool = find_tool(name, caller.profile, settings.mode)
        limit = caller.room() if tool.flat else settings.max_tool_result_chars
        caller.check_there(tool)
        action, arguments = parse_arguments(tool, raw)
        operation = tool.operation(action.name)
        caller.workspace.audit.met(caller.actor, caller.profile)
        return _answer(caller, tool, action, arguments)

    with caller.workspace.traffic.call():
        envelope = told(lambda: operation, work, lambda error: _audit(caller, operation, error, raw))
    shaped = envelope if limit is None else bounded(envelope, limit, caller.workspace.agentic)
    return formed(shaped, caller.profile, tool)


def _audit(caller: Call, operation: str, error: WorkroomError, raw: dict[str, Any]) -> None:
    """Tell the audit log of a refused call. Where it can't be told, the refusal is answered all the same."""
    try:
        caller.workspace.audit.refused(caller.actor, operation, error, raw)
    except Exception:  # noqa: BLE001 - nothing was changed, and the caller gets the refusal
        _log.exception("a refused call can't be told to the audit log")


def resume(caller: Call, record: Approval) -> Envelope:
    """Run what an accepted approval holds, under that approval; the caller is whoever asked for it."""
    operation = record.tool.removeprefix("workspace_")

    def work() -> Envelope:
        nonlocal operation
        tool = any_tool(record.tool)[0]  # in whatever mode and profile
        action, arguments = parse_arguments(tool, record.arguments)
        operation = tool.operation(action.name)
        proposal = propose(action, caller, arguments)
        if isinstance(proposal, Envelope):
            return proposal
        if proposal.fingerprint != record.fingerprint:
            raise WorkroomError(
                ErrorCode.EDIT_CONFLICT,
                f"What {record.id} was shown with has changed since; nothing was done.",
                next_step="Make the call again, against what is there now.",
            )
        return _told_of_part(proposal.run(_permit_of(record)), record)

    return told(lambda: operation, work)


def told(
    operation: Callable[[], str], work: Callable[[], Envelope], refused: Callable[[WorkroomError], None] | None = None
) -> Envelope:
    """What `work` answers, or the failure of `operation`, as it is called by then; never raises.

    `refused` hears of a refusal first.
    """
    try:
        return work()
    except WorkroomError as error:
        if refused is not None:
            refused(error)
        return _failure(operation(), error)
    except OSError as error:
        return failure(operation(), _refused(error))
    except Exception:  # noqa: BLE001 - the last line of defence: a fault of ours is told as one, and logged whole
        _log.exception("%s failed", operation())
        return failure(operation(), _internal())


def _resume_held(caller: Call, held: Approval) -> Envelope:
    """Run what the person accepted instead of this call; what comes of it is told once."""
    answered = resume(caller, held)
    if not answered.ok:
        approvals = caller.workspace.approvals
        approvals.finish(held.id, {"envelope": answered.to_json(), "text": answered.text}, collected=True)
    return answered


def _told_of_part(envelope: Envelope, record: Approval) -> Envelope:
    """What came of a record, with a word on that the person accepted only a part of what was asked for."""
    if record.amended is None or record.amended["how"] != "in part" or not envelope.ok:
        return envelope
    chosen = {name: record.amended[name] for name in ("files", "hunks")}
    summary = f"The person, {record.decided_by}, accepted only a part of what you asked for. {envelope.summary}"
    return replace(envelope, summary=summary, data={**envelope.data, "acceptedInPart": chosen})


def _failure(operation: str, error: WorkroomError) -> Envelope:
    """A refusal; what it conflicts with is in its text, too."""
    conflicts = error.details.get("conflicts", (error.details,))
    return replace(failure(operation, error), text=render_conflicts(conflicts, _CONFLICT_CHARS))


def _answer(caller: Call, tool: Tool, action: Action, arguments: Arguments) -> Envelope:
    if action.answer is not None:
        return action.answer(caller, arguments)
    request = _request(tool, action, arguments)
    collected = caller.workspace.approvals.collect(request, caller.actor)
    if collected is not None:
        answered = replace(_stored_envelope(collected), operation=tool.operation(action.name))
        if _still_true(caller, answered):
            return _retold(caller, action, arguments, answered)
    held = caller.workspace.approvals.held(request, caller.actor)
    if held is not None:
        return _retold(caller, action, arguments, _resume_held(caller, held))
    proposal = propose(action, caller, arguments)
    if isinstance(proposal, Envelope):
        return proposal
    caller.pulse.check()
    return _gate(caller, tool, action, proposal, request)


def _retold(caller: Call, action: Action, arguments: Arguments, answered: Envelope) -> Envelope:
    return answered if action.retell is None else action.retell(caller, arguments, answered)


def _still_true(caller: Call, answered: Envelope) -> bool:
    """Whether a result that waited for its call still tells what is: its transaction may be undone by now."""
    transaction_id = answered.data.get("transactionId")
    if not answered.ok or transaction_id is None:
        return True
    return bool(answered.data["status"] == caller.workspace.transactions.get(transaction_id).status)


def propose(action: Action, caller: Call, arguments: Arguments) -> Proposal | Envelope:
    """What a gated action would do, or its answer where there is nothing to gate."""
    if action.propose is None:
        raise _internal()
    return action.propose(caller, arguments)


def _gate(caller: Call, tool: Tool, action: Action, proposal: Proposal, request: str) -> Envelope:
    """The gate's answer, and what it let run gives. A proposal that can be made again goes through the gate again."""
    for _ in range(TRIES):
        try:
            return _gate_once(caller, tool, action, proposal, request)
        except WorkroomError as error:
            if error.code is not ErrorCode.EDIT_CONFLICT or proposal.again is None:
                raise
            conflict = error
        proposal = proposal.again()
    raise conflict


def _gate_once(caller: Call, tool: Tool, action: Action, proposal: Proposal, request: str) -> Envelope:
    settings = caller.workspace.settings()
    approvals = caller.workspace.approvals
    plan = approvals.active_plan() if settings.mode is Mode.PLAN else None
    decision = decide(
        mode=settings.mode,
        plan_approved=plan is not None,
        destructive=bool(proposal.dangers),
        ceiling=settings.ceiling(caller.profile),
        asks=bool(proposal.asks),
    )
    if decision.outcome is Outcome.REFUSE:
        raise _refusal(tool.operation(action.name), proposal, decision)
    denial = approvals.denial(proposal.effect or proposal.fingerprint)
    if denial is not None:
        raise _denied(denial)
    if decision.outcome is Outcome.RUN:
        reason = settings.mode.value if plan is None else f"plan {plan.id}"
        return proposal.run(Permit(proposal.fingerprint, reason))
    record = approvals.find(proposal.fingerprint, caller.actor)
    if record is not None and record.status is Status.APPROVED:
        return proposal.run(_permit_of(record))
    return _stage(caller, tool, action, proposal, request, record)


def _permit_of(record: Approval) -> Permit:
    return Permit(record.fingerprint, f"approval {record.id}", record.id, record.decided_by or "")


def _stage(
    caller: Call, tool: Tool, action: Action, proposal: Proposal, request: str, pending: Approval | None
) -> Envelope:
    """Answer that the call waits for the person; the same call again gets the same record."""
    workspace = caller.workspace
    if pending is None:
        staged = proposal.stage()
        runs = any_tool(staged.tool)[0] if staged.tool else tool
        calls = [(runs, staged.arguments), *([] if staged.resume is None else [(tool, staged.resume)])]
        pending = workspace.approvals.stage(
            kind=proposal.kind,
            title=proposal.title,
            destructive=bool(proposal.dangers),
            asks=proposal.asks,
            fingerprint=proposal.fingerprint,
            effect=proposal.effect,
            requests=(request, *(_request(each, *parse_arguments(each, given)) for each, given in calls)),
            tool=runs.name,
            arguments=staged.arguments,
            preview=_preview(staged, tool),
            actor=caller.actor,
            profile=caller.profile,
        )
    else:
        workspace.approvals.ask_again(pending.id, request)
    return _pending_envelope(tool.operation(action.name), workspace.settings().mode, pending)


def _pending_envelope(operation: str, mode: Mode, record: Approval) -> Envelope:
    preview = _stored_preview(record.preview)
    resume = record.preview.get("resume") or {"tool": record.tool, "arguments": record.arguments}
    summary = (
        f"Awaiting approval {record.id}: {record.title}. The person decides: `workroom accept {record.id}` "
        f"(or `workroom deny {record.id} REASON`) in a terminal. "
        f"After that, call {resume['tool']} with {json.dumps(resume['arguments'], separators=(',', ':'))}."
    )
    approval = {
        "id": record.id,
        "kind": record.kind,
        "title": record.title,
        "destructive": record.destructive,
        "resume": resume,
        "command": f"workroom accept {record.id}",
    }
    if record.asks:
        approval["asks"] = list(record.asks)
    return Envelope(
        ok=True,
        operation=operation,
        summary=summary,
        data={**preview.data, "status": "pending_approval", "mode": str(mode), "approval": approval},
        importance="critical",
        facts=(
            f"approval {record.id} {record.status}: {record.title}",
            f"permission mode {mode.capitalize()} ({mode.level})",
        ),
        artifacts=preview.artifacts,
        text=preview.text or None,
    )


def _preview(staged: Staged, tool: Tool) -> dict[str, Any]:
    shown = {"data": staged.data, "artifacts": [a.to_json() for a in staged.artifacts], "text": staged.text}
    if staged.shown:
        shown["shown"] = staged.shown
    if staged.resume is None:
        return shown
    return {**shown, "resume": {"tool": tool.name, "arguments": staged.resume}}


def _stored_preview(preview: dict[str, Any]) -> Staged:
    artifacts = tuple(Artifact(**row) for row in preview["artifacts"])
    return Staged(arguments={}, data=preview["data"], artifacts=artifacts, text=preview["text"])


def _refusal(operation: str, proposal: Proposal, decision: Decision) -> WorkroomError:
    if decision.code is ErrorCode.APPROVAL_REQUIRED:
        return WorkroomError(
            ErrorCode.APPROVAL_REQUIRED,
            f"{operation} needs an approved plan: the permission mode is Plan (1).",
            next_step="Propose one with workspace_plan (action propose), show it to the person, then stop and wait "
            "until they have accepted it.",
        )
    rows = [{"operation": d.operation, "path": d.path, "alternative": d.alternative} for d in proposal.dangers]
    named = "; ".join(_danger_line(d) for d in proposal.dangers[:10])
    more = f" (and {len(rows) - 10} more)" if len(rows) > 10 else ""
    return WorkroomError(
        ErrorCode.PROTECTED_PATH,
        f"{operation} is destructive, and the setting destructive_edits (allowDestructiveEdits) is refuse: "
        f"{named}{more}.",
        next_step="Use the alternative where one is named, or ask the person to run "
        "`workroom settings set destructive_edits ask`.",
        details={"setting": "destructive_edits", "alias": "allowDestructiveEdits", "destructive": rows},
    )


def _danger_line(danger: Danger) -> str:
    return f"{danger.operation} {danger.path}" + (f" (instead: {danger.alternative})" if danger.alternative else "")


def _denied(denial: Denial) -> WorkroomError:
    reason = f" The reason given: {denial.note}." if denial.note else ""
    return WorkroomError(
        ErrorCode.APPROVAL_DENIED,
        f"The person denied exactly what this would do ({denial.approval_id}).{reason}",
        next_step="Do something else, or ask the person; another way to the same effect is denied too.",
        details={"approvalId": denial.approval_id},
    )


def _stored_envelope(stored: dict[str, Any]) -> Envelope:
    body, text = stored["envelope"], stored["text"]
    retention = body["retention"]
    return Envelope(
        ok=body["ok"],
        operation=body["operation"],
        summary=body["summary"],
        data=body.get("data", {}),
        importance=retention["importance"],
        facts=tuple(retention.get("facts", ())),
        omit_when_summarizing=tuple(retention.get("omit_when_summarizing", ())),
        artifacts=tuple(Artifact(**row) for row in body.get("artifacts", ())),
        error=body.get("error"),
        text=text,
    )


def _request(tool: Tool, action: Action, arguments: Arguments) -> str:
    """What makes two calls the same call: everything but a title and an idempotency key."""
    fields = arguments.model_dump(mode="json", exclude=set(Arguments.unrepeated))
    return digest([tool.name, action.name, fields])


def _refused(error: OSError) -> WorkroomError:
    """What the system refused where nobody foresaw it; before any effect, since a tool that had one answers so."""
    _log.warning("the system refused", exc_info=error)
    where = f" ({error.filename})" if error.filename else ""
    return WorkroomError(
        ErrorCode.IO_ERROR, f"The system refused: {error.strerror or error}{where}.", next_step="Try again."
    )


def _internal() -> WorkroomError:
    return WorkroomError(
        ErrorCode.INTERNAL, "Workroom met a fault of its own; nothing more is known to the caller.",
        next_step="The server's log in the state directory tells more.",
    )  # fmt: skip
