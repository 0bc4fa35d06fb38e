"""The view for readers, `.agentic/approvals/state.json`: written after each change, and never read back."""

from __future__ import annotations

import json
import logging
from typing import Any

from workroom.base.errors import WorkroomError
from workroom.core.approvals.model import Approval
from workroom.system.agentic import Agentic
from workroom.system.clock import iso

__all__ = ["VIEW_PATH", "brief_row", "view_stands", "write_view"]

VIEW_PATH = "approvals/state.json"
"""The view for readers, below `.agentic/`."""

_log = logging.getLogger(__name__)


def view_stands(agentic: Agentic) -> bool:
    """Whether something stands where the view goes; what can't be looked at counts."""
    try:
        return any(stat.path.endswith(VIEW_PATH) for stat in agentic.list("approvals"))
    except WorkroomError:
        return True


def write_view(agentic: Agentic, records: tuple[Approval, ...]) -> None:
    """Write the view; that it can't be written is logged and stops nobody."""
    body = {"note": "A view for readers; nothing reads it back.", "approvals": [_row(record) for record in records]}
    try:
        agentic.write(VIEW_PATH, (json.dumps(body, indent=1) + "\n").encode(), "approvals")
    except WorkroomError as error:
        _log.warning("the view of the approvals can't be written: %s", error)


def brief_row(record: Approval) -> dict[str, Any]:
    """A record in a few words, as lists of them have it."""
    return {
        "id": record.id,
        "kind": record.kind,
        "title": record.title,
        "status": str(record.status),
        "destructive": record.destructive,
        "expiresAt": iso(record.expires_at),
    }


def _row(record: Approval) -> dict[str, Any]:
    return {
        **brief_row(record),
        "resume": {"tool": record.tool, "arguments": record.arguments},
        "actor": record.actor.name,
        "createdAt": iso(record.created_at),
        "decidedAt": None if record.decided_at is None else iso(record.decided_at),
        "note": record.note,
        "amended": record.amended,
    }
