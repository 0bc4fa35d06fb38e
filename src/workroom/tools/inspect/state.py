"""workspace_inspect capabilities and changes: what a caller may do here, and what was done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import Field

from workroom.base.envelope import Envelope
from workroom.base.settings import Mode, Profile, Settings
from workroom.core.approvals import Approval, Status, brief_row
from workroom.core.notes import MEMORY_PATH
from workroom.core.plans import plan_path
from workroom.core.search.text import search_confinement
from workroom.core.transactions import Entry, render_diff
from workroom.system.clock import iso
from workroom.tools.tool import Action, Arguments, Call
from workroom.tools.transaction_rows import transaction_row

__all__ = ["CHANGES", "Registered", "capabilities_action", "standing"]

Registered = Callable[[Profile, Mode], tuple[str, ...]]
"""The names of the tools that a client of a profile sees in a mode."""

_PATHS = 20
"""How many paths of one transaction or entry are named."""

_STORAGE = {
    MEMORY_PATH: "the workspace's memory (workspace_notes with memory: true)",
    ".agentic/notes/": "notes by name",
    ".agentic/plans/<id>/plan.md": "plans",
    ".agentic/transactions/<id>/changes.diff": "a transaction's whole diff; review.md beside it lists its files",
    ".agentic/approvals/state.json": "what waits for the person, and what was decided",
    ".agentic/artifacts/": "what answers left out",
}

_TRUST = {
    "contained": "If you have only these tools, approvals are enforced: nothing else changes the folder for you.",
    "cooperative": "If your own program has a shell under the person's account, approvals are recorded and shown, "
    "but not enforced against that shell.",
}


class Capabilities(Arguments):
    pass


class Changes(Arguments):
    limit: Annotated[int, Field(ge=1, le=100)] = 20
    """Rows of each list."""
    since: Annotated[int | None, Field(ge=0, le=2**63 - 1, description="event number")] = None
    """Only entries told of by later events than this number."""
    entry: Annotated[int | None, Field(ge=1, le=2**63 - 1, description="one entry with its diff")] = None
    """One entry of the history, by its number, with its diff."""


def capabilities_action(registered: Registered) -> Action:
    """The action that tells the tools, which only the catalog knows."""

    def answer(call: Call, _arguments: Capabilities) -> Envelope:
        return _capabilities(call, registered)

    return Action("capabilities", Capabilities, "The mode, what waits, where things are, what is guaranteed.", answer)


def standing(call: Call) -> dict[str, Any]:
    """What binds and waits and is kept: the mode, the plans, the number of records that wait, the notes."""
    workspace = call.workspace
    mode = workspace.settings().mode
    listed = workspace.notes.list(0)
    return {
        "permissionMode": str(mode),
        "permissionLevel": mode.level,
        "activePlan": _plan(workspace.approvals.active_plan()),
        "pendingPlan": _plan(workspace.approvals.pending_plan()),
        "pendingApprovals": workspace.approvals.count_pending(),
        "notes": {"count": listed.total, "memoryExists": listed.memory is not None, "memoryPath": MEMORY_PATH},
    }


def _capabilities(call: Call, registered: Registered) -> Envelope:
    workspace = call.workspace
    settings = call.settings()
    now = standing(call)
    active, pending, notes = now["activePlan"], now["pendingPlan"], now["notes"]
    data = {
        **now,
        "pending": [brief_row(record) for record in workspace.approvals.list({Status.PENDING}, _PATHS)],
        "tools": list(registered(call.profile, settings.mode)),
        "storage": _STORAGE,
        "settings": _binding(settings, call.profile),
        "guarantees": {
            **workspace.root.capabilities(),
            "search": search_confinement(),
            "sandbox": "none yet",
            **workspace.watch.describe(),
            **workspace.index.describe(),
            "trust": _TRUST,
        },
    }
    mode = f"permission mode {settings.mode.capitalize()} ({settings.mode.level})"
    plan = f"plan {active['id']} approved" if active else f"plan {pending['id']} pending" if pending else "no plan"
    memory = f"{MEMORY_PATH} exists: read it" if notes["memoryExists"] else "no memory yet"
    return Envelope(
        ok=True,
        operation="inspect.capabilities",
        summary=f"{mode.capitalize()}; {plan}; {now['pendingApprovals']} waiting for the person; "
        f"{notes['count']} notes; {memory}. {_meaning(settings, call.profile)}",
        data=data,
        importance="high",
        facts=(mode, plan, memory),
        omit_when_summarizing=("storage", "guarantees", "settings"),
    )


def _meaning(settings: Settings, profile: Profile) -> str:
    """What the mode and the ceiling mean for the next change."""
    said = {
        Mode.MANUAL: "Every change waits for the person's yes.",
        Mode.PLAN: "Changes run once the person has accepted a plan (workspace_plan propose).",
        Mode.AUTO: "Changes run at once.",
    }[settings.mode]
    ceiling = {
        "refuse": " What deletes, moves or overwrites is refused.",
        "ask": " What deletes, moves or overwrites waits for a yes.",
        "allow": "",
    }[settings.ceiling(profile)]
    return said + ceiling


def _binding(settings: Settings, profile: Profile) -> dict[str, Any]:
    return {
        "destructive_edits": settings.ceiling(profile),
        "protected": [".git/**", ".agentic/**", *settings.protected_patterns],
        "ask_patterns": list(settings.ask_patterns),
        "max_tool_result_chars": settings.max_tool_result_chars,
        "max_edit_bytes": settings.max_edit_bytes,
        "wait_seconds": settings.wait_seconds(profile),
    }


def _plan(record: Approval | None) -> dict[str, Any] | None:
    return None if record is None else {"id": record.id, "title": record.title, "planPath": plan_path(record.id)}


# changes


def _changes(call: Call, arguments: Changes) -> Envelope:
    if arguments.entry is not None:
        return _one_entry(call, arguments.entry)
    workspace, limit = call.workspace, arguments.limit
    transactions, total = workspace.transactions.find(limit=limit)
    entries, entries_total = _history(call, arguments)
    bodies, plans_total = workspace.plans.list(limit)
    approvals = workspace.approvals.list((Status.PENDING, Status.APPROVED), limit, plans=False)
    data: dict[str, Any] = {
        "history": [_entry(entry) for entry in entries],
        "transactions": [transaction_row(transaction) for transaction in transactions],
        "approvals": [brief_row(record) for record in approvals],
        "plans": [{"id": b.id, "title": b.title, "revision": b.revision, "planPath": plan_path(b.id)} for b in bodies],
        "runs": [],
        "jobs": [],
        "taskBoards": [],
        "researchProjects": [],
        "lastEvent": workspace.store.last_event(),
        "total": {"history": entries_total, "transactions": total, "plans": plans_total},
        "truncated": total > len(transactions) or plans_total > len(bodies) or entries_total > len(entries),
    }
    return Envelope(
        ok=True,
        operation="inspect.changes",
        summary=f"{_of(len(entries), entries_total)} entries, newest first; {total} transactions; "
        f"{workspace.approvals.count_pending()} waiting for the person. Newest event: {data['lastEvent']}.",
        data=data,
        facts=tuple(f"entry {e.number}: {e.title} ({e.transaction_id})" for e in entries[:5]),
        omit_when_summarizing=("history", "transactions", "approvals", "plans"),
        text="\n".join(_entry_line(entry) for entry in entries),
    )


def _one_entry(call: Call, number: int) -> Envelope:
    workspace = call.workspace
    entry = workspace.transactions.entry(number)
    diff = render_diff(entry.changes, workspace.transactions.image)
    also = {"decidedBy": entry.decided_by, "warnings": list(entry.warnings)}
    row = _entry(entry) | {"diff": diff} | {name: value for name, value in also.items() if value}
    return Envelope(
        ok=True,
        operation="inspect.changes",
        summary=_entry_line(entry),
        data=row,
        omit_when_summarizing=("diff",),
        text="\n".join([*entry.warnings, diff]).rstrip(),
    )


def _history(call: Call, arguments: Changes) -> tuple[list[Entry], int]:
    """The newest entries after an event, and how many there are; entries and their events have one order."""
    workspace, first = call.workspace, 1
    if arguments.since is not None:
        event = workspace.store.first_event("committed", arguments.since)
        if event is None:
            return [], 0
        first = event["entry"]
    newest = workspace.transactions.history(arguments.limit)
    return [entry for entry in newest if entry.number >= first], newest[0].number - first + 1 if newest else 0


def _of(count: int, total: int) -> str:
    return f"{count}" if count == total else f"{count} of {total:,}"


def _entry(entry: Entry) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": entry.number,
        "transactionId": entry.transaction_id,
        "at": iso(entry.at),
        "actor": entry.actor.name,
        "actorKind": entry.actor.kind,
        "cause": entry.cause,
        "title": entry.title,
        "paths": [change.path for change in entry.changes[:_PATHS]],
        "pathCount": len(entry.changes),
        "added": entry.added,
        "removed": entry.removed,
    }
    marks = {"undoes": entry.undoes, "undoneBy": entry.undone_by, "forgotten": entry.forgotten}
    return row | {name: value for name, value in marks.items() if value}


def _entry_line(entry: Entry) -> str:
    paths = ", ".join(change.path for change in entry.changes[:3])
    more = f" and {len(entry.changes) - 3} more" if len(entry.changes) > 3 else ""
    undone = " (undone)" if entry.undone_by else ""
    return (
        f"{entry.number} {iso(entry.at)} {entry.actor.name} {entry.cause}{undone}: {entry.title or '(no title)'}: "
        f"{paths}{more} +{entry.added} -{entry.removed}"
    )


CHANGES = Action("changes", Changes, "What was done here by anyone, newest first, and what waits.", _changes)
