"""editor_save: a whole file, unless it changed since its client read it.

What is guarded by:  expected_version, else expected_mtime, else the version of the client's own buffer. Without any
of them a save makes a new file only: over one that the client never opened it is refused, as a conflict.

Over a file that is there a save is a rewrite, and so it is destructive, however small the difference: what a call may
overwrite can't depend on the tool that asks, or an empty `content` were a way around the ceiling.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel

from workroom.base.changes import Change as PathChange
from workroom.base.changes import Kind, Permit
from workroom.base.envelope import Envelope
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.buffers import Buffer
from workroom.core.transactions import Planned, Rewrite
from workroom.text.diff import diff_texts
from workroom.text.encoding import decode
from workroom.text.kept import as_shown, kept
from workroom.tools.editor.common import (
    Change,
    check_text,
    done_words,
    mtime_of,
    place_of,
    proposed,
    version_of,
    waiting,
)
from workroom.tools.tool import Call, Proposal, flat_tool

__all__ = ["SAVE"]


class SaveInput(Change):
    path: str
    """The file, from the root or absolute inside it."""
    content: str
    """The whole new text. The file keeps its encoding, byte order mark, line endings and mode."""
    expected_version: str | None = None
    """The `version` that the edit began from: of editor_open, or of the save before."""
    expected_mtime: int | None = None
    """The `mtime` that the edit began from; `expected_version` counts more."""


class SaveOutput(BaseModel):
    path: str
    saved: bool
    """Whether the file holds the content now."""
    conflict: bool
    """Refused, since the file isn't what the edit began from."""
    created: bool
    """Whether there was no file before."""
    added: int
    """Lines that it added."""
    removed: int
    """Lines that it removed."""
    mtime: int
    """Of the file now, in seconds since 1970; 0 where there is none."""
    version: str
    """Of what the file holds now; empty where there is none."""
    conflict_patch: str | None = None
    """From what is on disk to what was to be saved."""
    disk_mtime: int | None = None
    """Of what is on disk, where that is in the way."""
    disk_version: str | None = None
    """The same; `expected_version` of a save that has taken it in."""
    conflict_patch_truncated: bool = False
    """A side was too long to be compared (`editor_max_diff_bytes`), or is no text."""
    transaction_id: str | None = None
    """By which the save can be undone."""


@dataclass(frozen=True, slots=True)
class _Disk:
    """What stands at the path. `data` None: nothing."""

    data: bytes | None
    mtime: int = 0

    @property
    def version(self) -> str:
        return "" if self.data is None else version_of(self.data)


def _save(call: Call, arguments: SaveInput) -> Proposal | Envelope:
    path = place_of(call, arguments.path)
    transactions = call.workspace.transactions
    if arguments.transaction_id is not None:
        return _proposal(call, path, waiting(call, arguments.transaction_id))
    own = call.workspace.buffers.own(call.actor, path)
    if own is not None and own.truncated:
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            f"{path} was opened only in part (editor_max_file_bytes); saving it would delete the rest.",
            next_step="Edit it with workspace_edit, or ask the person to raise the limit and open it again.",
        )
    disk = _look(call, path)
    if not _is_expected(arguments, own, disk):
        return _conflict(call, path, arguments.content, disk)
    text = _text_for(path, arguments.content, disk)
    if disk.data is not None and _bytes_for(disk.data, text) == disk.data:
        call.workspace.buffers.put(call.actor, path, disk.version, disk.mtime, saved=True)
        return _answer({**_fields(path, disk), "saved": True}, f"{path} holds that already; nothing was done.")
    operation = Rewrite(
        type="rewrite", path=path, content=text, create_if_missing=disk.data is None, allow_line_numbers=True,
        expected_sha256=disk.version or None,
    )  # fmt: skip
    try:
        planned = transactions.plan((operation,), pulse=call.pulse)
    except WorkroomError as error:
        if error.code is not ErrorCode.EDIT_CONFLICT:
            raise
        return _conflict(call, path, arguments.content, _look(call, path))
    return _guarded(call, path, arguments.content, planned)


def _is_expected(arguments: SaveInput, own: Buffer | None, disk: _Disk) -> bool:
    """Whether what is on disk is what the edit began from."""
    if arguments.expected_version:
        return disk.version == arguments.expected_version
    if arguments.expected_mtime is not None:
        if disk.data is None or disk.mtime != arguments.expected_mtime:
            return False
        same_second = own is not None and own.mtime == arguments.expected_mtime  # then its version tells more
        return own is None or not same_second or own.version == disk.version
    if own is not None:
        return own.version == disk.version
    return disk.data is None


def _look(call: Call, path: str) -> _Disk:
    root = call.workspace.root
    seen = root.stat(path)
    if seen is None:
        return _Disk(None)
    if seen.kind is Kind.DIRECTORY:
        raise WorkroomError(ErrorCode.INVALID_INPUT, f"{path} is a folder.", next_step="Name a file.")
    data, stat = root.read_with_stat(path, call.settings().max_edit_bytes)
    return _Disk(data, mtime_of(stat))


def _text_for(path: str, content: str, disk: _Disk) -> str:
    """The new text with the file's own line endings."""
    check_text(content)
    if disk.data is None:
        return content
    file = decode(disk.data)
    if file is None:
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            f"{path} is binary; it isn't saved as text.",
            next_step="Delete it first if text shall take its place; that can be undone.",
        )
    return kept(file.text, content)


def _bytes_for(data: bytes, text: str) -> bytes | None:
    file = decode(data)
    return None if file is None else file.encode(text)


def _proposal(call: Call, path: str, planned: Planned) -> Proposal:
    change = _change(planned, path)

    def before() -> dict[str, Any]:
        disk = _look(call, path)
        counts = {"added": change.added or 0, "removed": change.removed or 0}
        return {**_fields(path, disk), **counts, "created": change.before.kind is Kind.ABSENT}

    return proposed(
        call,
        planned,
        tool="editor_save",
        resume={"path": path, "content": ""},
        before=before,
        done=lambda _entry: _saved(call, path, planned, own=True),
    )


def _guarded(call: Call, path: str, content: str, planned: Planned) -> Proposal:
    """The same; where the file has changed by the time of the commit, that is answered as a conflict."""
    proposal = _proposal(call, path, planned)

    def run(permit: Permit) -> Envelope:
        try:
            return proposal.run(permit)
        except WorkroomError as error:
            if error.code is not ErrorCode.EDIT_CONFLICT:
                raise
            return _conflict(call, path, content, _look(call, path))

    return replace(proposal, run=run)


def _change(planned: Planned, path: str) -> PathChange:
    """The plan's change of the file. INVALID_INPUT when it is another's plan."""
    for change in planned.change_set.changes:
        if change.path == path:
            return change
    raise WorkroomError(
        ErrorCode.INVALID_INPUT,
        f"{planned.id} doesn't save {path}.",
        next_step="Send what `approval.resume` named, or save anew.",
    )


def _saved(call: Call, path: str, planned: Planned, *, own: bool, said: str = "") -> Envelope:
    """The answer once it is done; with `own` the client has that very content."""
    change = _change(planned, path)
    seen = call.workspace.root.stat(path)
    mtime = 0 if seen is None else mtime_of(seen)
    if own:
        call.workspace.buffers.put(call.actor, path, change.after.sha256, mtime, saved=True)
    created = change.before.kind is Kind.ABSENT
    data = {
        "path": path,
        "saved": True,
        "conflict": False,
        "created": created,
        "added": change.added or 0,
        "removed": change.removed or 0,
        "mtime": mtime,
        "version": change.after.sha256,
        "transaction_id": planned.id,
    }
    verb = "Created" if created else "Saved"
    words = f"{verb} {path}: +{data['added']} -{data['removed']} lines, version {data['version']}."
    return _answer(data, " ".join(filter(None, (words, done_words(planned), said))))


def _conflict(call: Call, path: str, content: str, disk: _Disk) -> Envelope:
    file = decode(disk.data or b"")
    found = None
    if file is not None:
        there = as_shown(file.text)
        mine = content if disk.data is None else as_shown(kept(there, content))
        found = diff_texts(there, mine, path=path, max_bytes=call.settings().editor_max_diff_bytes)
    patch = "" if found is None else found.patch
    data = {
        **_fields(path, disk),
        "conflict": True,
        "conflict_patch": patch,
        "disk_mtime": disk.mtime if disk.data is not None else None,
        "disk_version": disk.version,
        "conflict_patch_truncated": found is None or found.truncated,
    }
    where = f"version {disk.version}, mtime {disk.mtime}" if disk.data is not None else "no file"
    said = (
        f"Not saved: {path} is not what this edit began from. On disk: {where}. Take in what is there, then save with "
        "its version."
    )
    return _answer(data, said, patch)


def _fields(path: str, disk: _Disk) -> dict[str, Any]:
    """The answer's fields where nothing is saved."""
    return {
        "path": path,
        "saved": False,
        "conflict": False,
        "created": False,
        "added": 0,
        "removed": 0,
        "mtime": disk.mtime,
        "version": disk.version,
    }


def _answer(data: dict[str, Any], summary: str, text: str = "") -> Envelope:
    omit = ("conflict_patch",) if text else ()
    return Envelope(True, "editor_save", summary, data, "high", omit_when_summarizing=omit, text=text)


def _retell(call: Call, arguments: SaveInput, answered: Envelope) -> Envelope:
    """What became of a save that the person accepted; they may have edited it first."""
    path = place_of(call, arguments.path)
    if not answered.ok:
        conflicts = answered.error is not None and answered.error["code"] == ErrorCode.EDIT_CONFLICT
        return _conflict(call, path, arguments.content, _look(call, path)) if conflicts else answered
    planned = call.workspace.transactions.get(answered.data["transactionId"]).planned
    edited = answered.data.get("edited")
    told = _saved(call, path, planned, own=edited is None, said=answered.summary if edited else "")
    return replace(told, data={**told.data, "edited": edited}) if edited else told


SAVE = flat_tool(
    "editor_save",
    "Save a file",
    "Write a whole file. Refused with `conflict` and a patch when the file isn't what `expected_version` (of "
    "editor_open) names. Undoable.",
    SaveInput,
    SaveOutput,
    propose=_save,
    retell=_retell,
)
