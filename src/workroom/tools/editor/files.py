"""editor_create, editor_move and editor_delete: changes like any other, after which every view is right."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from workroom.base.envelope import Envelope
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions import Create, Delete, Mkdir, Move, Operation, Planned
from workroom.tools.editor.common import (
    BufferRow,
    Change,
    buffer_rows,
    check_text,
    done_words,
    proposed,
    root_of,
    waiting,
)  # fmt: skip
from workroom.tools.tool import Call, Proposal, flat_tool

__all__ = ["CREATE", "DELETE", "MOVE"]


def _planned(call: Call, arguments: Change, operation: Operation, title: str) -> Planned:
    """The plan of the operation, or the one that the person was asked about, whatever is sent now."""
    if arguments.transaction_id is None:
        return call.workspace.transactions.plan((operation,), title=title, pulse=call.pulse)
    found = waiting(call, arguments.transaction_id)
    kinds = [each["type"] for each in found.operations]
    if kinds != [operation.type]:
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            f"{found.id} is no {operation.type}.",
            next_step="Send what `approval.resume` named.",
        )
    return found


# create


class CreateInput(Change):
    path: str
    """What is made, from the root or absolute inside it; folders on the way are made, too."""
    kind: Literal["file", "folder"] = "file"
    """Which of the two."""
    content: str | None = None
    """The text of a new file; not looked at for a folder."""


class CreateOutput(BaseModel):
    path: str
    created: bool
    """False only while the call waits for the person."""
    kind: Literal["file", "folder"]
    transaction_id: str | None = None
    """By which it can be undone."""


def _create(call: Call, arguments: CreateInput) -> Proposal | Envelope:
    root = call.workspace.root
    path = root.resolve(root.parse_write(arguments.path))
    if arguments.transaction_id is None:
        _check_free(call, path)
    planned = _planned(call, arguments, _creation(path, arguments), f"Create {path}")
    fields = {"path": path, "kind": arguments.kind}

    def done() -> Envelope:
        return _created(planned, path, arguments.kind)

    return proposed(
        call,
        planned,
        tool="editor_create",
        resume=fields,
        before=lambda: {**fields, "created": False},
        done=lambda _entry: done(),
    )


def _creation(path: str, arguments: CreateInput) -> Operation:
    if arguments.kind == "folder":
        return Mkdir(type="mkdir", path=path)
    check_text(arguments.content or "")
    return Create(type="create", path=path, content=arguments.content or "", allow_line_numbers=True)


def _check_free(call: Call, path: str) -> None:
    seen = call.workspace.root.stat(path)
    if seen is not None:
        raise WorkroomError(
            ErrorCode.EDIT_CONFLICT,
            f"{path} exists already, as a {seen.kind}.",
            next_step="Open it and save it, or choose another path.",
            details={"path": path},
        )


def _created(planned: Planned, path: str, kind: str) -> Envelope:
    data = {"path": path, "created": True, "kind": kind, "transaction_id": planned.id}
    said = " ".join(filter(None, (f"Created the {kind} {path}.", done_words(planned))))
    return Envelope(True, "editor_create", said, data, "high")


def _retell_create(call: Call, arguments: CreateInput, answered: Envelope) -> Envelope:
    if not answered.ok:
        return answered
    path = call.workspace.root.parse_write(arguments.path)
    return _created(_done(call, answered), path, arguments.kind)


# move


class MoveInput(Change):
    source: str = Field(alias="from")
    """What is moved, from the root or absolute inside it: a file, a link or a folder with all it holds."""
    target: str = Field(alias="to")
    """Where to; folders on the way are made, and nothing may stand there."""


class MoveOutput(BaseModel):
    source: str = Field(alias="from")
    target: str = Field(alias="to")
    remapped: int
    """How many buffers and unfolded folders are at the new place, everybody's."""
    root: str
    buffers: list[BufferRow]
    transaction_id: str | None = None
    """By which it can be undone."""


def _move(call: Call, arguments: MoveInput) -> Proposal | Envelope:
    root = call.workspace.root
    source = root.resolve(root.parse_write(arguments.source), last=False)
    target = root.resolve(root.parse_write(arguments.target), last=False)
    operation = Move.model_validate({"type": "move", "from": source, "to": target})
    planned = _planned(call, arguments, operation, f"Move {source} to {target}")
    count = call.workspace.buffers.count_at(source)
    return proposed(
        call,
        planned,
        tool="editor_move",
        resume={"from": source, "to": target},
        before=lambda: _moved_fields(call, source, target, 0),
        done=lambda _entry: _moved(call, planned, source, target, count),
    )


def _moved_fields(call: Call, source: str, target: str, remapped: int) -> dict[str, Any]:
    fields = {"from": source, "to": target, "remapped": remapped}
    return {**fields, "root": root_of(call), "buffers": buffer_rows(call)}


def _moved(call: Call, planned: Planned, source: str, target: str, remapped: int) -> Envelope:
    data = {**_moved_fields(call, source, target, remapped), "transaction_id": planned.id}
    also = f" {remapped} open files and folders went along." if remapped else ""
    said = " ".join(filter(None, (f"Moved {source} to {target}.{also}", done_words(planned))))
    return Envelope(True, "editor_move", said, data, "high")


def _retell_move(call: Call, arguments: MoveInput, answered: Envelope) -> Envelope:
    if not answered.ok:
        return answered
    source, target = (call.workspace.root.parse_write(each) for each in (arguments.source, arguments.target))
    return _moved(call, _done(call, answered), source, target, call.workspace.buffers.count_at(target))


# delete


class DeleteInput(Change):
    path: str
    """What is deleted, from the root or absolute inside it; of a link the link itself."""
    recursive: bool = False
    """A folder with all it holds."""


class DeleteOutput(BaseModel):
    path: str
    deleted: bool
    """False only while the call waits for the person."""
    buffers_closed: list[str]
    """Open files that are gone, everybody's."""
    buffers: list[BufferRow]
    transaction_id: str | None = None
    """By which it can be undone."""


def _delete(call: Call, arguments: DeleteInput) -> Proposal | Envelope:
    root = call.workspace.root
    path = root.resolve(root.parse_write(arguments.path), last=False)
    operation = Delete(type="delete", path=path, recursive=arguments.recursive)
    planned = _planned(call, arguments, operation, f"Delete {path}")
    fields = {"path": path, "deleted": False, "buffers_closed": []}
    return proposed(
        call,
        planned,
        tool="editor_delete",
        resume={"path": path},
        before=lambda: {**fields, "buffers": buffer_rows(call)},
        done=lambda entry: _deleted(call, planned, path, entry.number),
    )


def _deleted(call: Call, planned: Planned, path: str, entry: int) -> Envelope:
    data = {
        "path": path,
        "deleted": True,
        "buffers_closed": list(call.workspace.buffers.closed_by(entry)),
        "buffers": buffer_rows(call),
        "transaction_id": planned.id,
    }
    return Envelope(True, "editor_delete", f"Deleted {path}; {planned.id} can be undone.", data, "high")


def _retell_delete(call: Call, arguments: DeleteInput, answered: Envelope) -> Envelope:
    if not answered.ok:
        return answered
    found = call.workspace.transactions.get(answered.data["transactionId"])
    return _deleted(call, found.planned, call.workspace.root.parse_write(arguments.path), found.entry or 0)


def _done(call: Call, answered: Envelope) -> Planned:
    """The transaction that the person's yes has made."""
    return call.workspace.transactions.get(answered.data["transactionId"]).planned


CREATE = flat_tool(
    "editor_create",
    "Create a file or folder",
    "Make a file (with `content`) or a folder, parents included; never over what is there.",
    CreateInput,
    CreateOutput,
    propose=_create,
    retell=_retell_create,
    annotations={"destructiveHint": False},
)
MOVE = flat_tool(
    "editor_move",
    "Move or rename",
    "Move a file or folder; open files follow it in every view. Undoable.",
    MoveInput,
    MoveOutput,
    propose=_move,
    retell=_retell_move,
)
DELETE = flat_tool(
    "editor_delete",
    "Delete",
    "Delete a file, link or (with `recursive`) folder, and close what was open of it. Undoable.",
    DeleteInput,
    DeleteOutput,
    propose=_delete,
    retell=_retell_delete,
)
