"""Yes and no: what waits, what it would do, and the person's word on it.

accept approval_7k3 fine by me     an id, by its beginning, and a note
accept fine by me                  no id: the newest that waits, if it is the only one or the one shown last
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workroom.base.envelope import Envelope
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.approvals import Amendment, Approval, Status
from workroom.person.amending import Proposed, edited, in_part, proposed
from workroom.person.credential import PersonCredential
from workroom.person.present import Presented, present
from workroom.system.clock import iso
from workroom.text.display import flags_of
from workroom.text.display import show as escaped
from workroom.tools.dispatch import resume
from workroom.tools.tool import Call
from workroom.tools.workspace import Workspace

__all__ = ["Decided", "Waiting", "accept", "accept_edited", "deny", "pending", "proposal", "show"]

_log = logging.getLogger(__name__)

_PREFIXES = ("approval_", "plan_")
_NAMED = 10
"""Records that a refusal names in its message, one a line; its details list all."""
_TITLE = 60
"""Characters of a title there; quoted, so that none can pass for another line."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """One line of what waits. Texts are escaped."""

    id: str
    kind: str
    title: str
    asker: str
    destructive: bool
    asks: tuple[str, ...]
    flags: tuple[str, ...]
    """What was found in these texts that could deceive; it is shown escaped."""
    created_at: float
    expires_at: float

    def to_json(self) -> dict[str, Any]:
        """The wire's form."""
        return {
            "id": self.id,
            "kind": self.kind,
            "title": self.title,
            "asker": self.asker,
            "destructive": self.destructive,
            "asks": list(self.asks),
            "flags": list(self.flags),
            "createdAt": iso(self.created_at),
            "expiresAt": iso(self.expires_at),
        }


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision: the record as it stands now, and what the accepted call answered, if it ran."""

    record: Approval
    envelope: Envelope | None = None


def pending(_credential: PersonCredential, workspace: Workspace) -> tuple[Waiting, ...]:
    """What waits, newest first, plans included."""
    return tuple(_waiting(record) for record in workspace.approvals.pending())


def show(credential: PersonCredential, workspace: Workspace, id: str | None = None) -> Presented:  # noqa: A002
    """One record as the person is shown it, by its id or the id's beginning; without one the newest that waits.

    It becomes the one shown last. NOT_FOUND, AMBIGUOUS_APPROVAL.
    """
    record = _named(workspace, id, "show") if id else _newest(workspace.approvals.pending())
    presented = present(workspace, record)
    if record.status is Status.PENDING:
        workspace.approvals.mark_shown(record.id, credential.name, presented.sha256, surface=credential.surface)
    return presented


def accept(
    credential: PersonCredential,
    workspace: Workspace,
    words: str = "",
    *,
    hold: bool = False,
    files: Sequence[str] = (),
    hunks: Sequence[str] = (),
) -> Decided:
    """Say yes to a record and run what it holds at once, as who asked for it; with `hold` only say yes.

    With `files` or `hunks` the yes is to those alone, and the rest stays planned. NOT_FOUND, AMBIGUOUS_APPROVAL,
    TRANSACTION_STATE when it isn't pending, LIMIT_EXCEEDED when it is too long to be shown, PROTECTED_PATH under the
    destructive ceiling. What goes wrong in the call itself is in the envelope.
    """
    record, note = _chosen(credential, workspace, words, "accept")
    amendment = in_part(workspace, record, files, hunks) if files or hunks else None
    _check_acceptable(credential, workspace, record, amendment)
    return _run(workspace, _approve(credential, workspace, record, note, amendment), hold=hold)


def proposal(credential: PersonCredential, workspace: Workspace, words: str = "") -> Proposed:
    """The contents that a record would leave, for the person to edit. Errors as for `accept`; UNSUPPORTED."""
    record, _ = _chosen(credential, workspace, words, "accept")
    return proposed(workspace, record)


def accept_edited(
    credential: PersonCredential,
    workspace: Workspace,
    words: str,
    contents: Mapping[str, str | bytes],
    *,
    hold: bool = False,
    fingerprint: str | None = None,
) -> Decided:
    """Say yes to what the person made of a record: the same paths with these contents, by path.

    It becomes a transaction of its own, in place of the proposal, and is run as who asked for it. `fingerprint` is of
    the proposal that was edited: EDIT_CONFLICT when it is another by now. Else errors as for `accept`, and
    INVALID_INPUT for paths that the record doesn't hold, and where nothing was edited.
    """
    record, note = _chosen(credential, workspace, words, "accept")
    if fingerprint not in {None, record.fingerprint}:
        raise WorkroomError(
            ErrorCode.EDIT_CONFLICT,
            f"{record.id} is not what you edited any more; nothing was done.",
            next_step="Look at it again.",
        )
    amended, amendment = edited(credential, workspace, record, contents)
    _check_acceptable(credential, workspace, record, amendment)
    decided: list[Approval] = []

    def decide() -> None:
        decided.append(_approve(credential, workspace, record, note, amendment))

    workspace.transactions.supersede(amended, record.actor, decide)
    return _run(workspace, decided[0], hold=hold)


def _approve(
    credential: PersonCredential, workspace: Workspace, record: Approval, note: str, amendment: Amendment | None
) -> Approval:
    return workspace.approvals.approve(
        record.id, credential.name, note, surface=credential.surface, amendment=amendment
    )  # fmt: skip


def _run(workspace: Workspace, record: Approval, *, hold: bool) -> Decided:
    """Run what was accepted, and keep the answer for who asked for it."""
    if hold or record.kind == "plan":
        return Decided(record)
    envelope = resume(Call(workspace, record.actor, record.profile), record)
    try:
        after = workspace.approvals.get(record.id)
        # Else its asker was faster, and has the answer already.
        if envelope.ok or after.status is not Status.CONSUMED or _was_begun(envelope):
            workspace.approvals.finish(record.id, {"envelope": envelope.to_json(), "text": envelope.text})
        record = workspace.approvals.get(record.id)
    except WorkroomError as error:  # what was done is told all the same
        _log.warning("the result of %s can't be kept: %s", record.id, error)
    return Decided(record, envelope)


def _was_begun(envelope: Envelope) -> bool:
    """Whether the approval was used for an effect that failed then, a push that timed out."""
    return envelope.error is not None and envelope.error.get("details", {}).get("effect") == "begun"


def deny(credential: PersonCredential, workspace: Workspace, words: str = "") -> Decided:
    """Say no to a record; the rest of `words` is the reason that its asker is told. Errors as for `accept`."""
    record, reason = _chosen(credential, workspace, words, "deny")
    return Decided(workspace.approvals.deny(record.id, credential.name, reason, surface=credential.surface))


def _check_acceptable(
    credential: PersonCredential, workspace: Workspace, record: Approval, amendment: Amendment | None
) -> None:
    if record.status is not Status.PENDING:
        return  # approving says what is wrong
    destructive = record.destructive if amendment is None else amendment.destructive
    if destructive and workspace.settings().ceiling(record.profile) == "refuse":
        raise WorkroomError(
            ErrorCode.PROTECTED_PATH,
            f"{record.id} is destructive, and the setting destructive_edits (allowDestructiveEdits) is refuse.",
            next_step="`workroom settings set destructive_edits ask` first, if that is meant.",
        )
    presented = present(workspace, record)
    if presented.changed:
        raise WorkroomError(
            ErrorCode.EDIT_CONFLICT,
            f"{record.id} can't be accepted. {presented.obstacle}",
            next_step=f"`workroom deny {record.id}`, and have it asked for anew.",
        )
    if presented.obstacle:
        raise WorkroomError(
            ErrorCode.LIMIT_EXCEEDED,
            f"{record.id} can't be accepted. {presented.obstacle}",
            next_step=f"`workroom deny {record.id} REASON`, and ask for it in smaller parts.",
        )
    if workspace.approvals.shown(record.id, credential.name) not in {None, presented.sha256}:
        raise WorkroomError(
            ErrorCode.EDIT_CONFLICT,
            f"{record.id} is not what you were shown any more; nothing was done.",
            next_step="Look at it again.",
        )


def _chosen(credential: PersonCredential, workspace: Workspace, words: str, verb: str) -> tuple[Approval, str]:
    """The record that `words` mean, and the rest of them."""
    first, _, rest = words.strip().partition(" ")
    if first.startswith(_PREFIXES):
        return _named(workspace, first, verb), rest.strip()
    waiting = workspace.approvals.pending()
    newest = _newest(waiting)
    if len(waiting) > 1 and workspace.approvals.last_shown(credential.name) != newest.id:
        raise _ambiguous("Several requests wait, and the newest isn't the one you were shown last", waiting, verb)
    return newest, words.strip()


def _newest(waiting: tuple[Approval, ...]) -> Approval:
    if not waiting:
        raise WorkroomError(ErrorCode.NOT_FOUND, "Nothing waits for a decision.")
    return waiting[0]


def _named(workspace: Workspace, prefix: str, verb: str) -> Approval:
    """The record of this id, or the only one whose id begins so; of several, the only one that waits."""
    found = workspace.approvals.resolve_prefix(prefix)
    exact = [record for record in found if record.id == prefix]
    waiting = [record for record in found if record.status is Status.PENDING]
    for choice in (exact, waiting, found):
        if len(choice) == 1:
            return choice[0]
        if choice:
            raise _ambiguous(f"Several ids begin with {prefix}", tuple(choice), verb)
    raise WorkroomError(
        ErrorCode.NOT_FOUND,
        f"There is no approval or plan {escaped(prefix, multiline=False).text}.",
        next_step="`workroom pending` lists what waits.",
    )


def _ambiguous(why: str, records: tuple[Approval, ...], verb: str) -> WorkroomError:
    rows = [_waiting(record) for record in records]
    lines = [f"{row.id} {json.dumps(row.title[:_TITLE], ensure_ascii=False)}" for row in rows[:_NAMED]]
    lines += [f"and {len(rows) - _NAMED} more."] if len(rows) > _NAMED else []
    return WorkroomError(
        ErrorCode.AMBIGUOUS_APPROVAL,
        "\n".join([f"{why}:", *lines]),
        next_step=f"Name one: `workroom {verb} ID`.",
        details={"pending": [row.to_json() for row in rows]},
    )


def _waiting(record: Approval) -> Waiting:
    return Waiting(
        id=record.id,
        kind=record.kind,
        title=escaped(record.title, multiline=False).text,
        asker=escaped(record.actor.name, multiline=False).text,
        destructive=record.destructive,
        asks=tuple(escaped(reason, multiline=False).text for reason in record.asks),
        flags=flags_of(record.title, record.actor.name, *record.asks),
        created_at=record.created_at,
        expires_at=record.expires_at,
    )
