"""editor_workspace_open and editor_workspace_get: the folder that the caller works in, and what is open there."""

from __future__ import annotations

from dataclasses import replace

from pydantic import BaseModel

from workroom.base.envelope import Envelope
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.tools.editor.common import BufferRow, buffer_rows, root_of
from workroom.tools.tool import Arguments, Call, flat_tool

__all__ = ["WORKSPACE_GET", "WORKSPACE_OPEN"]


class GetInput(Arguments):
    pass


class OpenRootInput(Arguments):
    root: str
    """The folder: `.` for the one that the caller came for, or the `root` of another that the person has opened."""


class WorkspaceView(BaseModel):
    root: str
    """The folder that paths are relative to: absolute, or its id for a client with a token."""
    buffers: list[BufferRow]
    """The caller's own first, then others'."""
    expanded: list[str]
    """Folders that are unfolded, for all."""


def _view(call: Call, name: str, said: str) -> Envelope:
    rows = buffer_rows(call)
    data = {"root": root_of(call), "buffers": rows, "expanded": list(call.workspace.buffers.unfolded())}
    text = "\n".join(row["path"] for row in rows)
    return Envelope(True, name, f"{said} {data['root']}; {len(rows)} files are open.", data, text=text)


def _get(call: Call, _arguments: GetInput) -> Envelope:
    return _view(call, "editor_workspace_get", "Working in")


def _open(call: Call, arguments: OpenRootInput) -> Envelope:
    if call.rooms is None:
        root = call.workspace.root
        if root.parse(arguments.root) != ".":
            raise WorkroomError(
                ErrorCode.INVALID_INPUT, "Only the folder itself is worked in.", next_step="Send `.` as root."
            )
        return _view(call, "editor_workspace_open", "Working in")
    entered = replace(call, workspace=call.rooms.enter(arguments.root), closed="")
    return _view(entered, "editor_workspace_open", "Now working in")


WORKSPACE_OPEN = flat_tool(
    "editor_workspace_open",
    "Work in a folder",
    "Go to a folder that the person has opened; from then on paths are relative to it, for you alone.",
    OpenRootInput,
    WorkspaceView,
    answer=_open,
    annotations={"readOnlyHint": False, "destructiveHint": False},
    anywhere=True,
)
WORKSPACE_GET = flat_tool(
    "editor_workspace_get",
    "Where you work",
    "The folder that paths are relative to, the open files, and the unfolded folders.",
    GetInput,
    WorkspaceView,
    answer=_get,
)
