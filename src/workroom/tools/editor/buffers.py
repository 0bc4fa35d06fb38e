"""editor_buffers_list and editor_buffers_close: what is open, whose it is, and closing it."""

from __future__ import annotations

from pydantic import BaseModel

from workroom.base.envelope import Envelope
from workroom.tools.editor.common import BufferRow, buffer_rows, place_of, root_of
from workroom.tools.tool import Arguments, Call, flat_tool

__all__ = ["BUFFERS_CLOSE", "BUFFERS_LIST"]


class BuffersInput(Arguments):
    pass


class BuffersOutput(BaseModel):
    root: str
    """The folder that the caller works in."""
    buffers: list[BufferRow]
    """The caller's own first, then others'."""


class ListOutput(BuffersOutput):
    others: list[str] = []
    """Who else works in the folder now, by name."""


class CloseInput(Arguments):
    path: str
    """The file, from the root or absolute inside it."""


class CloseOutput(BuffersOutput):
    closed: bool
    """False when the caller had nothing open there."""


def _list(call: Call, _arguments: BuffersInput) -> Envelope:
    rows = buffer_rows(call)
    text = "\n".join(f"{row['path']} ({'yours' if row['mine'] else row['owner']})" for row in rows)
    others = [] if call.rooms is None else list(call.rooms.others(call.workspace))
    here = f" Also here: {', '.join(others)}." if others else ""
    data = {"root": root_of(call), "buffers": rows, "others": others}
    return Envelope(True, "editor_buffers_list", f"{len(rows)} open.{here}", data, text=text)


def _close(call: Call, arguments: CloseInput) -> Envelope:
    """An agent closes only its own buffer. The person closes their own, else what agents left open there."""
    buffers, path = call.workspace.buffers, place_of(call, arguments.path)
    closed = buffers.close(call.actor, path)
    if not closed and call.actor.kind == "person":
        closed = buffers.close(call.actor, path, everybodys=True)
    said = f"Closed {path}." if closed else f"You have {path} not open; nothing was closed."
    data = {"root": root_of(call), "buffers": buffer_rows(call), "closed": closed}
    return Envelope(True, "editor_buffers_close", said, data)


BUFFERS_LIST = flat_tool(
    "editor_buffers_list",
    "List open files",
    "The files open now, and in whose view.",
    BuffersInput,
    ListOutput,
    answer=_list,
)
BUFFERS_CLOSE = flat_tool(
    "editor_buffers_close",
    "Close a file",
    "Close a file in your view; the file itself is untouched.",
    CloseInput,
    CloseOutput,
    answer=_close,
    annotations={"readOnlyHint": False, "destructiveHint": False},
)
