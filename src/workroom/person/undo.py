"""The history, and taking entries of it back as the person: ungated, and recorded like everything else."""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass

from workroom.base.changes import Permit
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions import Entry, Planned, Strategy, render_diff, write_views
from workroom.person.credential import PersonCredential
from workroom.person.present import render_changes
from workroom.text.display import flags_of, show
from workroom.tools.workspace import Workspace

__all__ = ["UndoPreview", "commit_as_person", "log", "preview_undo", "undo"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class UndoPreview:
    """What taking `entry` back would do: `paths` it touches, `text` for the person (escaped), `warnings`.

    `fingerprint`, handed to `undo`, makes sure that exactly this is done.
    """

    entry: Entry
    paths: tuple[str, ...]
    text: str
    warnings: tuple[str, ...]
    fingerprint: str
    flags: tuple[str, ...] = ()
    """What was found that could deceive; it is shown escaped."""


def log(_credential: PersonCredential, workspace: Workspace, limit: int = 20, before: int | None = None) -> list[Entry]:
    """Entries, newest first; `before` is the number to go on from."""
    return workspace.transactions.history(limit, before)


def preview_undo(
    _credential: PersonCredential,
    workspace: Workspace,
    which: str | None = None,
    *,
    force: bool = False,
    strategy: Strategy = "refuse",
) -> UndoPreview:
    """What an undo would do; errors as for `undo`."""
    entry, planned = _planned(workspace, which, force=force, strategy=strategy)
    paths, text = tuple(planned.change_set.paths()), show(render_changes(workspace, planned))
    return UndoPreview(
        entry=entry,
        paths=paths,
        text=text.text,
        warnings=tuple(show(warning, multiline=False).text for warning in planned.warnings),
        fingerprint=planned.fingerprint,
        flags=tuple(sorted({*text.flags, *flags_of(entry.title, entry.actor.name, *paths, *planned.warnings)})),
    )


def undo(
    credential: PersonCredential,
    workspace: Workspace,
    which: str | None = None,
    *,
    force: bool = False,
    strategy: Strategy = "refuse",
    fingerprint: str | None = None,
) -> Entry:
    """Take an entry back, by its transaction's id (`tx_…`) or its number; without one the newest that is neither
    undone nor an undo. Answers the new entry.

    NOT_FOUND; TRANSACTION_STATE when it is undone already; EDIT_CONFLICT with the differences when later work is in
    the way (`merge` keeps it where it doesn't overlap, `force` goes on and keeps what it overwrites in the history), or
    when it isn't what was previewed as `fingerprint`.
    """
    _, planned = _planned(workspace, which, force=force, strategy=strategy)
    return commit_as_person(credential, workspace, planned, fingerprint)


def commit_as_person(
    credential: PersonCredential, workspace: Workspace, planned: Planned, fingerprint: str | None
) -> Entry:
    """Make the changes, ungated; EDIT_CONFLICT when they aren't what was previewed as `fingerprint`."""
    if fingerprint is not None and planned.fingerprint != fingerprint:
        raise WorkroomError(
            ErrorCode.EDIT_CONFLICT,
            "What this would do has changed since it was shown; nothing was done.",
            next_step="Look at it again.",
        )
    diff = _diff(workspace, planned)
    entry = workspace.transactions.commit(
        planned, Permit(planned.fingerprint, "person", decided_by=credential.name), credential.actor
    )
    try:
        write_views(workspace.agentic, planned, diff)
    except WorkroomError as error:
        _log.warning("the views of %s can't be written: %s", planned.id, error)
    return entry


def _diff(workspace: Workspace, planned: Planned) -> str:
    return render_diff(planned.change_set.changes, workspace.transactions.image_of(planned), most=math.inf)


def _planned(workspace: Workspace, which: str | None, *, force: bool, strategy: Strategy) -> tuple[Entry, Planned]:
    entry = _entry(workspace, which)
    return entry, workspace.transactions.plan_rollback(entry.transaction_id, force=force, strategy=strategy)


def _entry(workspace: Workspace, which: str | None) -> Entry:
    if which is None:
        newest = workspace.transactions.newest_undoable()
        if newest is None:
            raise WorkroomError(ErrorCode.NOT_FOUND, "The history has nothing to undo.")
        return newest
    if which.isdecimal():
        return workspace.transactions.entry(int(which))
    if not which.startswith("tx_"):
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            f"{show(which, multiline=False).text} names no entry.",
            next_step="`workroom log` lists them: by number, or by `tx_…`.",
        )
    found = workspace.transactions.entry_of(workspace.transactions.get(which).id)
    if found is None:
        raise WorkroomError(ErrorCode.TRANSACTION_STATE, f"{which} was never applied, so there is nothing to undo.")
    return found
