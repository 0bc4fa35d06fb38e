"""What the tools of profile `editor` share: roots, versions, rows of buffers, and changes as they are proposed."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, Field

from workroom.base.changes import Permit
from workroom.base.envelope import Artifact, Envelope
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.buffers import Buffer
from workroom.core.transactions import Entry, Planned, render_diff, write_views
from workroom.system.root import Stat
from workroom.tools.schema import UNSHOWN
from workroom.tools.tool import Arguments, Call, Proposal, Staged
from workroom.tools.transaction_answer import commit_proposal

__all__ = [
    "BufferRow",
    "Change",
    "buffer_rows",
    "check_text",
    "done_words",
    "mtime_of",
    "place_of",
    "proposed",
    "root_of",
    "version_of",
    "waiting",
]


class BufferRow(BaseModel):
    """One file open in one client's view."""

    path: str
    """From the root."""
    language: str
    """Monaco's id of the language."""
    mtime: int
    """When the file that the client has was changed last, in seconds since 1970."""
    version: str = ""
    """Of the content that the client has."""
    owner: str = ""
    """Whose it is, as the history names them."""
    owner_kind: str = ""
    """person or agent."""
    mine: bool = False
    """Whether it is the caller's own."""
    truncated: bool = False
    """Whether the client has only the beginning of the file; such a buffer can't be saved."""


class Change(Arguments):
    """Arguments of what changes the folder."""

    transaction_id: Annotated[str | None, Field(json_schema_extra=UNSHOWN)] = None
    """What `approval.resume` of a call that waited names: the plan as it was asked for, whatever the other fields say
    now."""


def version_of(data: bytes) -> str:
    """The opaque version of a content."""
    return hashlib.sha256(data).hexdigest()


def check_text(content: str) -> None:
    """INVALID_INPUT for what couldn't be opened as text again: nobody could go on with it in an editor."""
    at = content.find("\0")
    if at >= 0:
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            f"Line {content.count(chr(10), 0, at) + 1} holds U+0000, by which a file is binary and no text.",
            next_step="Take that character out, then save.",
        )


def mtime_of(seen: Stat) -> int:
    """In seconds since 1970."""
    return seen.mtime_ns // 1_000_000_000


def place_of(call: Call, given: str) -> str:
    """Where a given path leads, from the root."""
    root = call.workspace.root
    return root.resolve(root.parse(given))


def root_of(call: Call) -> str:
    """What the caller calls the folder that it works in."""
    workspace = call.workspace
    return workspace.root.path if call.rooms is None else call.rooms.name_of(workspace)


def buffer_rows(call: Call) -> list[dict[str, Any]]:
    """All buffers, the caller's own first."""
    return [_row(call, each) for each in call.workspace.buffers.list(call.actor)]


def _row(call: Call, buffer: Buffer) -> dict[str, Any]:
    return {
        "path": buffer.path,
        "language": buffer.language,
        "mtime": buffer.mtime,
        "version": buffer.version,
        "owner": buffer.owner.name,
        "owner_kind": buffer.owner.kind,
        "mine": buffer.owner == call.actor,
        "truncated": buffer.truncated,
    }


def waiting(call: Call, transaction_id: str) -> Planned:
    """The plan that `approval.resume` names. TRANSACTION_STATE when it was carried out, or is over."""
    found = call.workspace.transactions.get(transaction_id)
    if found.status != "planned":
        raise WorkroomError(
            ErrorCode.TRANSACTION_STATE,
            f"{found.id} is {found.status} already; nothing was done.",
            next_step="Look at what is there; a new change is a new call, without transaction_id.",
        )
    return found.planned


def done_words(planned: Planned) -> str:
    """What a change did that its caller may not expect."""
    return " ".join(planned.warnings)


def proposed(
    call: Call,
    planned: Planned,
    *,
    tool: str,
    resume: dict[str, Any],
    before: Callable[[], dict[str, Any]],
    done: Callable[[Entry], Envelope],
) -> Proposal:
    """What committing a plan would do, as a proposal of the tool `tool`.

    It is staged as the commit of an edit, so that the person can accept it in part, and edit it first. `resume` are
    the arguments with which the caller collects the result, beside the plan's id; `before` are the answer's fields
    while nothing is done, `done` the answer once it is.
    """
    transactions = call.workspace.transactions

    def stage() -> Staged:
        staged = transactions.keep(planned, call.actor, waits=True)
        diff = render_diff(staged.change_set.changes, transactions.image_of(staged), transactions.hunks(staged))
        data = {**before(), "transaction_id": staged.id}
        return Staged(
            {"action": "commit", "transaction_id": staged.id},
            data,
            _views(call, staged, diff),
            "\n".join([*staged.asks, *staged.warnings]),
            tool="workspace_edit",
            resume={**resume, "transaction_id": staged.id},
        )

    def run(permit: Permit) -> Envelope:
        entry = transactions.commit(planned, permit, call.actor, call.pulse)
        with contextlib.suppress(WorkroomError, OSError):  # for readers only, and it is done
            _views(call, planned, render_diff(planned.change_set.changes, transactions.image_of(planned)))
        return done(entry)

    return commit_proposal(call, planned, f"{tool}: {planned.title}", stage=stage, run=run)


def _views(call: Call, planned: Planned, diff: str) -> tuple[Artifact, ...]:
    try:
        return write_views(call.workspace.agentic, planned, diff)
    except WorkroomError:
        return ()  # for readers only; the person is shown the plan itself
