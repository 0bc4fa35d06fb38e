"""agentic_workspace_status: the one tool that a client sees when the runtime can't start; it says why.

Light enough for a process in which nothing else works: base only.
"""

from __future__ import annotations

from typing import Any

from workroom.base.envelope import Envelope, failure
from workroom.base.errors import WorkroomError

__all__ = ["STATUS_NAME", "status_answer", "status_definition"]

STATUS_NAME = "agentic_workspace_status"


def status_definition() -> dict[str, Any]:
    """The tool as a client lists it."""
    return {
        "name": STATUS_NAME,
        "title": "Why Workroom can't start",
        "description": "Workroom could not open this workspace, so its other tools are missing. Tells why, and what "
        "the person can do. Takes no arguments.",
        "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False},
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    }


def status_answer(error: WorkroomError, folder: str) -> Envelope:
    """What it answers: the failure, the folder, and that calling again won't help by itself."""
    answer = failure("status", error, {"status": "unavailable", "folder": folder})
    return Envelope(
        ok=False,
        operation=answer.operation,
        summary=f"Workroom could not open {folder}: {answer.summary} Tell the person; then connect again.",
        data=answer.data,
        importance="critical",
        facts=(f"Workroom could not open {folder}: {error.code}",),
        error=answer.error,
    )
