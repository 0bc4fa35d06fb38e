"""A transaction as lists show it: the same shape in `workspace_edit list` and `workspace_inspect changes`."""

from __future__ import annotations

from typing import Any

from workroom.base.changes import Kind
from workroom.core.transactions import Transaction
from workroom.system.clock import iso

__all__ = ["derived_row", "transaction_row"]

_SHOWN = 20


def transaction_row(found: Transaction) -> dict[str, Any]:
    """Id, status, title, and up to 20 files and folders with their true counts."""
    planned = found.planned
    changes = planned.change_set.changes
    made = {c.path for c in changes if c.after.kind is Kind.DIRECTORY} | {d.path for d in planned.directories}
    files = [c.path for c in changes if Kind.DIRECTORY not in {c.before.kind, c.after.kind}]
    directories = sorted(made | {c.path for c in changes if c.before.kind is Kind.DIRECTORY})
    row: dict[str, Any] = {
        "transactionId": found.id,
        "status": found.status,
        "title": planned.title,
        "actor": found.actor.name,
        "createdAt": iso(found.created_at),
        "destructive": bool(planned.dangers),
        "fileCount": len(files),
        "files": files[:_SHOWN],
        "filesTruncated": len(files) > _SHOWN,
        "directoryCount": len(directories),
        "directories": directories[:_SHOWN],
        "directoriesTruncated": len(directories) > _SHOWN,
    }
    if found.applied_at is not None:
        row["appliedAt"] = iso(found.applied_at)
    if found.entry is not None:
        row["entry"] = found.entry
    if found.derived is not None:
        row |= derived_row(found)
    if found.superseded_by is not None:
        row["supersededBy"] = found.superseded_by
    return row


def derived_row(found: Transaction) -> dict[str, Any]:
    """How a transaction came from another: its status, and `partOf`, `supersedes`, or `edited` with by whom."""
    row: dict[str, Any] = {"transactionId": found.id, "status": found.status}
    if found.derived is not None and found.derived.kind == "part":
        row["partOf"] = found.derived.source
    elif found.derived is not None and found.derived.kind == "merged":
        row["supersedes"] = found.derived.source
    elif found.derived is not None:
        row["edited"] = {"by": found.derived.person, "proposed": found.derived.source}
    return row
