"""editor_changes: what changed last, one row a path, with its patch; from the history, computed when asked for.

One entry's rows (`entry`) are what system C's event `editor::changed` carries: the patch stops at 16 KiB and says so.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field

from workroom.base.changes import Change, Kind
from workroom.base.envelope import Envelope
from workroom.core.transactions import Entry, render_diff
from workroom.system.clock import iso
from workroom.text.kept import as_shown
from workroom.tools.editor.common import root_of
from workroom.tools.tool import Arguments, Call, flat_tool

__all__ = ["CHANGES", "PATCH_BYTES", "changed_rows"]

PATCH_BYTES = 16 * 1024
"""Where a patch is cut."""
_ENTRIES = 500
"""Entries of the history that are looked through."""


class ChangesInput(Arguments):
    limit: Annotated[int, Field(ge=1, le=1_000)] = 100
    """Paths in one answer."""
    entry: Annotated[int | None, Field(ge=1, le=2**63 - 1)] = None
    """Only this entry of the history, by its number."""


class ChangeRecord(BaseModel):
    """One path's newest change."""

    path: str
    cause: str
    """What kind of change it was: `edit`, `rollback`, `rewind` …"""
    kind: str
    """created, modified, deleted or moved."""
    added: int
    removed: int
    patch: str = ""
    """A unified diff; empty where there is nothing to compare."""
    truncated: bool = False
    """The patch stops at 16 KiB."""
    root: str = ""
    session_id: str | None = None
    """The session that it happened in."""
    turn_id: str | None = None
    entry: int = 0
    """Its entry of the history."""
    at: str = ""
    actor: str = ""
    """Who did it."""
    actor_kind: str = ""
    """person, agent or program."""
    moved_from: str | None = None
    """Where a moved file was."""


class ChangesView(BaseModel):
    changes: list[ChangeRecord]
    """Newest first, one a path."""
    truncated: bool = False
    """There were more."""


def _changes(call: Call, arguments: ChangesInput) -> Envelope:
    transactions = call.workspace.transactions
    if arguments.entry is not None:
        entries, more = [transactions.entry(arguments.entry)], False
    else:
        entries = transactions.history(_ENTRIES + 1)
        more = len(entries) > _ENTRIES
    newest: dict[str, tuple[Entry, Change]] = {}
    for entry in entries[:_ENTRIES]:
        for change in _telling(entry):
            newest.setdefault(change.path, (entry, change))
    chosen = list(newest.values())[: arguments.limit]
    rows = [_row(call, entry, change) for entry, change in chosen]
    truncated = more or len(newest) > len(chosen)
    said = f"{len(rows)} paths changed{', and more' if truncated else ''}."
    text = "\n".join(f"{row['kind']} {row['path']} +{row['added']} -{row['removed']} ({row['actor']})" for row in rows)
    data = {"changes": rows, "truncated": truncated}
    return Envelope(True, "editor_changes", said, data, omit_when_summarizing=("changes",), text=text)


def changed_rows(call: Call, entry: Entry) -> list[dict[str, Any]]:
    """System C's `editor::changed`, once for each path of an entry."""
    return [_row(call, entry, change) for change in _telling(entry)]


def _telling(entry: Entry) -> list[Change]:
    """The changes of files; the place that a file was moved from is told by where it is."""
    origins = {change.origin for change in entry.changes}
    return [
        change
        for change in entry.changes
        if change.path not in origins and Kind.DIRECTORY not in {change.before.kind, change.after.kind}
    ]


def _row(call: Call, entry: Entry, change: Change) -> dict[str, Any]:
    patch = as_shown(render_diff((change,), call.workspace.transactions.image))
    shown = patch.encode()[:PATCH_BYTES].decode("utf-8", "ignore")
    row = {
        "path": as_shown(change.path),
        "cause": entry.cause,
        "kind": _kind(change),
        "added": change.added or 0,
        "removed": change.removed or 0,
        "patch": shown,
        "truncated": shown != patch,
        "root": root_of(call),
        "session_id": entry.actor.session or None,
        "turn_id": None,
        "entry": entry.number,
        "at": iso(entry.at),
        "actor": entry.actor.name,
        "actor_kind": entry.actor.kind,
    }
    return row if change.origin is None else {**row, "moved_from": as_shown(change.origin)}


def _kind(change: Change) -> str:
    if change.origin is not None:
        return "moved"
    if change.before.kind is Kind.ABSENT:
        return "created"
    return "deleted" if change.after.kind is Kind.ABSENT else "modified"


CHANGES = flat_tool(
    "editor_changes",
    "Recent changes",
    "Files that changed last, by anyone, newest first, with patches.",
    ChangesInput,
    ChangesView,
    answer=_changes,
)
