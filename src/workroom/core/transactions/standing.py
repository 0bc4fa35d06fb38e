"""Whether a stored plan still stands, whether an entry can be taken back, and refusals with the next step."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions import tables
from workroom.core.transactions.model import Entry, Planned
from workroom.system.store import Database, StoreError

__all__ = ["check_changed", "check_kept", "io_error", "not_in_force", "recorded"]


def check_kept(db: Database, planned: Planned) -> None:
    """TRANSACTION_STATE when a kept plan was committed, rolled back or forgotten meanwhile, or is another by now."""
    if not planned.kept and planned.part is None:
        return
    kept_as, fingerprint = planned.id, planned.fingerprint
    if planned.part is not None:
        kept_as, fingerprint = planned.part.rest.id, planned.part.fingerprint
    stored = tables.find_transaction(db, kept_as)
    status = "forgotten" if stored is None else str(stored.status)
    if stored is not None and status == "planned":
        if stored.planned.fingerprint == fingerprint:
            return
        status = "committed in part"
    raise WorkroomError(
        ErrorCode.TRANSACTION_STATE,
        f"{kept_as} is {status} meanwhile, so it can't be committed as it was.",
        next_step="Look at it with show, and commit what is left of it.",
    )


def check_changed(entry: Entry) -> None:
    """TRANSACTION_STATE where an entry of git's tells of no change of a file: a commit."""
    if entry.cause == "git" and not entry.changes:
        raise WorkroomError(
            ErrorCode.TRANSACTION_STATE,
            f"Entry {entry.number} ({entry.title}) changed no file, so there is nothing to take back.",
            next_step="editor_git_undo_commit takes back the newest commit of git.",
            details={"entry": entry.number},
        )


def not_in_force(transaction_id: str, state: str) -> WorkroomError:
    """TRANSACTION_STATE for an entry that isn't in force."""
    return WorkroomError(ErrorCode.TRANSACTION_STATE, f"{transaction_id} {state}, so it can't be rolled back.")


@contextlib.contextmanager
def recorded() -> Iterator[None]:
    """Around rows that say what may be done: without them nothing is, so that it doesn't matter whether they are there.

    What a failed commit of them leaves behind is a plan that can be made, or an intent that has nothing to undo.
    """
    try:
        yield
    except StoreError as error:
        raise StoreError(error.error) from error


def io_error(what: str, error: OSError) -> WorkroomError:
    """IO_ERROR: what the system refused, and nothing was changed."""
    return WorkroomError(ErrorCode.IO_ERROR, f"{what}: {error.strerror}.", next_step="Nothing was changed.")
