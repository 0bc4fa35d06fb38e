"""Accepting something else than was asked for: a part of it, or what the person makes of it.

    in_part    a yes to some files and hunks
    proposed   the contents that a request would leave, to be edited
    edited     a yes to other contents for them

A part is a subset of what was shown, and is bound by itself. What the person edits becomes a planned transaction of its
own, which supersedes the proposal: the same paths, guards and dangers, under the person's decision; the agent stays who
did it, and is told the difference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from workroom.base.changes import Kind
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.approvals import Amendment, Approval
from workroom.core.transactions import Amended, Planned, check_editable
from workroom.person.credential import PersonCredential
from workroom.person.request import asked_for
from workroom.text.display import show
from workroom.text.encoding import decode, decode_new
from workroom.tools.workspace import Workspace

__all__ = ["LARGEST_BYTES", "Editable", "Proposed", "edited", "in_part", "proposed"]

LARGEST_BYTES = 8_000_000
"""What all contents of one proposal hold at most, so that they fit on one line of the wire."""


@dataclass(frozen=True, slots=True)
class Editable:
    """One path of a proposal: what would stand there, or why it can't be edited. `flags` as in text/display."""

    path: str
    data: bytes | None
    encoding: str
    """`utf-8`, `windows-1252` …; empty for what isn't text."""
    flags: tuple[str, ...]
    obstacle: str


@dataclass(frozen=True, slots=True)
class Proposed:
    """A pending request with the contents it would leave; `fingerprint`, sent back, makes sure it still is that."""

    record: Approval
    fingerprint: str
    files: tuple[Editable, ...]


def in_part(workspace: Workspace, record: Approval, files: Sequence[str], hunks: Sequence[str]) -> Amendment | None:
    """What a yes to these files and hunks alone is bound to; None where they are all that was asked for.

    INVALID_INPUT for what isn't there, with the nearest, and for what wasn't asked for.
    """
    asked = asked_for(workspace, record)
    transactions = workspace.transactions
    whole = transactions.get(str(record.arguments["transaction_id"])).planned
    chosen = transactions.select(whole, files, hunks)
    if asked.part is not None:
        shown = transactions.select(whole, record.arguments.get("files", ()), record.arguments.get("hunks", ()))
        if not chosen.within(shown):
            raise WorkroomError(
                ErrorCode.INVALID_INPUT,
                f"{record.id} asks for a part of {whole.id}, and not all of what you named is in it.",
                next_step=f"`workroom show {record.id}` shows what is asked for.",
            )
    part = transactions.part(whole, chosen)
    if part.fingerprint == asked.fingerprint:
        return None
    arguments: dict[str, Any] = {"action": "commit", "transaction_id": whole.id}
    named = {name: list(each) for name, each in (("files", files), ("hunks", hunks)) if each}
    how = {"how": "in part", "files": [*files], "hunks": [*hunks]}
    return _amendment(workspace, part, arguments | named, how)


def proposed(workspace: Workspace, record: Approval) -> Proposed:
    """The contents that a request would leave. LIMIT_EXCEEDED where they are too much to be edited."""
    planned = asked_for(workspace, record)
    total = sum(change.after.size for change in planned.change_set.changes if change.origin is None)
    if total > LARGEST_BYTES:
        raise WorkroomError(
            ErrorCode.LIMIT_EXCEEDED,
            f"{record.id} would leave {total:,} bytes; up to {LARGEST_BYTES:,} are edited at once.",
            next_step="Accept it in part, or deny it and ask for it in smaller parts.",
        )
    paths = (change.path for change in planned.change_set.changes if change.after.kind is Kind.FILE)
    files = tuple(_editable(workspace, planned, path) for path in paths)
    return Proposed(record, planned.fingerprint, files)


def edited(
    credential: PersonCredential, workspace: Workspace, record: Approval, contents: Mapping[str, str | bytes]
) -> tuple[Amended, Amendment]:
    """What the person makes of a request, and what a yes to it is bound to. A text is written in its file's encoding.

    INVALID_INPUT for a path that isn't in it, and where nothing is edited or nothing would change. EDIT_CONFLICT and
    PROTECTED_PATH as for a commit.
    """
    planned = asked_for(workspace, record)
    amended = workspace.transactions.amend(planned, _bytes_of(workspace, planned, contents), credential.name)
    workspace.transactions.check(replace(amended.planned, kept=True))
    new = amended.planned
    how = {"how": "edited", "transaction": new.id}
    return amended, _amendment(workspace, new, {"action": "commit", "transaction_id": new.id}, how)


def _editable(workspace: Workspace, planned: Planned, path: str) -> Editable:
    obstacle = check_editable(planned, path)
    if obstacle:
        return Editable(path, None, "", (), obstacle)
    change = next(change for change in planned.change_set.changes if change.path == path)
    data = workspace.transactions.image_of(planned)(change.after.sha256)
    if data is None:
        return Editable(path, None, "", (), f"{path}: its content is no longer kept.")
    file = decode(data)
    if file is None:
        return Editable(path, data, "", (), "")
    return Editable(path, data, file.encoding, show(file.text).flags, "")


def _bytes_of(workspace: Workspace, planned: Planned, contents: Mapping[str, str | bytes]) -> dict[str, bytes]:
    image = workspace.transactions.image_of(planned)
    shas = {change.path: change.after.sha256 for change in planned.change_set.changes}
    found: dict[str, bytes] = {}
    for path, content in contents.items():
        file = decode(image(shas[path]) or b"") if isinstance(content, str) and shas.get(path) else None
        if isinstance(content, bytes):
            found[path] = content
        else:
            found[path] = decode_new(content) if file is None else file.encode(content)
    return found


def _amendment(workspace: Workspace, planned: Planned, arguments: dict[str, Any], how: dict[str, Any]) -> Amendment:
    return Amendment(
        fingerprint=planned.fingerprint,
        effect=planned.change_set.effect(),
        arguments=arguments,
        destructive=bool(planned.dangers),
        asks=workspace.transactions.asks(planned),
        how=how,
    )
