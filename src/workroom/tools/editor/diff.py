"""editor_diff: the unified diff of two texts that need not be on disk."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field

from workroom.base.envelope import Envelope
from workroom.text.diff import Diff, Hunk, diff_texts
from workroom.tools.tool import Arguments, Call, flat_tool

__all__ = ["DIFF", "HunkRow", "hunk_row"]


class DiffInput(Arguments):
    before: str
    """The text as it was."""
    after: str
    """The text as it will be."""
    context_lines: Annotated[int | None, Field(ge=0, le=1_000_000, description="unchanged lines around a hunk")] = None
    """Unchanged lines around each hunk. Not set: `editor_diff_context_lines`."""
    path: Annotated[str | None, Field(max_length=4_096, description="for the header only")] = None
    """What the patch's header calls the file; nothing is read."""


class HunkRow(BaseModel):
    """One `@@` block; lines count from 1, a side of no lines starts at the line before it."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    added: int
    removed: int


class DiffOutput(BaseModel):
    patch: str
    hunks: list[HunkRow]
    added: int
    removed: int
    identical: bool
    truncated: bool
    """A side is longer than `editor_max_diff_bytes`, and nothing was compared."""


def hunk_row(hunk: Hunk) -> dict[str, Any]:
    """A hunk as answers carry it."""
    return {
        "old_start": hunk.old_start,
        "old_lines": hunk.old_lines,
        "new_start": hunk.new_start,
        "new_lines": hunk.new_lines,
        "added": hunk.added,
        "removed": hunk.removed,
    }


def _diff(call: Call, arguments: DiffInput) -> Envelope:
    settings = call.settings()
    context = arguments.context_lines
    found = diff_texts(
        arguments.before,
        arguments.after,
        path=arguments.path or "file",
        context=settings.editor_diff_context_lines if context is None else context,
        max_bytes=settings.editor_max_diff_bytes,
    )
    data = {
        "patch": found.patch,
        "hunks": [hunk_row(hunk) for hunk in found.hunks],
        "added": found.added,
        "removed": found.removed,
        "identical": found.identical,
        "truncated": found.truncated,
    }
    return Envelope(True, "editor_diff", _said(found, settings.editor_max_diff_bytes), data, text=found.patch)


def _said(found: Diff, most: int) -> str:
    if found.truncated:
        return f"A side is longer than {most:,} bytes (editor_max_diff_bytes); nothing was compared."
    if found.identical:
        return "The texts are identical."
    return f"+{found.added} -{found.removed} lines in {len(found.hunks)} hunks."


DIFF = flat_tool(
    "editor_diff",
    "Compare texts",
    "Unified diff of two texts; nothing is read or written. Shows what a save would change.",
    DiffInput,
    DiffOutput,
    answer=_diff,
)
