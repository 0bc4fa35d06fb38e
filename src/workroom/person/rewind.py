"""Going back, as the person: the folder, some paths or one actor's changes as they stood after an entry or at a time.

to     12 (an entry's number; 0: before the first), tx_…, or a time as 2026-11-30T12:00:00+01:00
only   paths, with all below them; actors as agent:NAME, person:NAME, program:NAME, a bare agent: for all of them
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions import Entry, Only, Planned, Strategy
from workroom.person.credential import PersonCredential
from workroom.person.present import render_changes
from workroom.person.undo import commit_as_person
from workroom.text.display import flags_of, show
from workroom.tools.workspace import Workspace

__all__ = ["RewindPreview", "preview_rewind", "rewind"]

_KINDS = ("agent", "person", "program")


@dataclass(frozen=True, slots=True)
class RewindPreview:
    """What a rewind would do: `taken` are the numbers of entries that it takes back whole, newest first.

    The rest is as in `UndoPreview`: `fingerprint`, handed to `rewind`, makes sure that exactly this is done.
    """

    title: str
    to: int
    taken: tuple[int, ...]
    paths: tuple[str, ...]
    text: str
    warnings: tuple[str, ...]
    fingerprint: str
    flags: tuple[str, ...] = ()


def preview_rewind(
    _credential: PersonCredential,
    workspace: Workspace,
    to: str,
    only: Sequence[str] = (),
    *,
    force: bool = False,
    strategy: Strategy = "refuse",
) -> RewindPreview:
    """What a rewind would do; errors as for `rewind`."""
    number, planned = _planned(workspace, to, only, force=force, strategy=strategy)
    paths, text = tuple(planned.change_set.paths()), show(render_changes(workspace, planned))
    return RewindPreview(
        title=show(planned.title, multiline=False).text,
        to=number,
        taken=planned.takes_back,
        paths=paths,
        text=text.text,
        warnings=tuple(show(warning, multiline=False).text for warning in planned.warnings),
        fingerprint=planned.fingerprint,
        flags=tuple(sorted({*text.flags, *flags_of(planned.title, *paths, *planned.warnings)})),
    )


def rewind(
    credential: PersonCredential,
    workspace: Workspace,
    to: str,
    only: Sequence[str] = (),
    *,
    force: bool = False,
    strategy: Strategy = "refuse",
    fingerprint: str | None = None,
) -> Entry:
    """Bring it back, as one transaction; answers its entry.

    NOT_FOUND where there is nothing to do, no such entry, or an earlier content is no longer kept (`force` leaves that
    path as it is). EDIT_CONFLICT with the differences where something else is in the way, as for an undo.
    """
    _, planned = _planned(workspace, to, only, force=force, strategy=strategy)
    return commit_as_person(credential, workspace, planned, fingerprint)


def _planned(
    workspace: Workspace, to: str, only: Sequence[str], *, force: bool, strategy: Strategy
) -> tuple[int, Planned]:
    number = _number(workspace, to)
    return number, workspace.transactions.plan_rewind(
        number, only=_only(workspace, only), force=force, strategy=strategy
    )


def _number(workspace: Workspace, to: str) -> int:
    """The number of the entry after which the folder stood as it is wanted."""
    if to.isdecimal():
        return int(to)
    if to.startswith("tx_"):
        found = workspace.transactions.entry_of(workspace.transactions.get(to).id)
        if found is None:
            raise WorkroomError(ErrorCode.TRANSACTION_STATE, f"{to} was never applied, so nothing stood after it.")
        return found.number
    try:
        at = datetime.fromisoformat(to)
    except ValueError:
        at = None
    if at is None or at.tzinfo is None:
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            f"to: {show(to, multiline=False).text!r} is no entry and no time with its offset from UTC.",
            next_step="`workroom log` lists the entries: name a number, `tx_…`, or a time (2026-11-30T12:00:00Z).",
        )
    return workspace.transactions.last_by(at.timestamp())


def _only(workspace: Workspace, only: Sequence[str]) -> Only:
    actors, paths = [], []
    for each in only:
        kind, colon, name = each.partition(":")
        if colon and kind in _KINDS:
            actors.append((kind, name))
        else:
            paths.append(workspace.root.parse(each))
    return Only(tuple(paths), tuple(actors))
