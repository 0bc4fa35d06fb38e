"""An approval is used once: the row that says so is written by the transaction that used it."""

from __future__ import annotations

import apsw

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.system.store import Database

__all__ = ["check_unused", "consume", "count_used", "used_for"]


def consume(db: Database, approval_id: str, what: str, at: float) -> None:
    """Use up an approval within the unit of work `db`; TRANSACTION_STATE when it was used before.

    The newest line of the audit log must say what for.
    """
    try:
        db.execute("INSERT INTO consumptions (approval_id, what, at) VALUES (?, ?, ?)", (approval_id, what, at))
    except apsw.ConstraintError as error:
        if getattr(error, "extendedresult", 0) == apsw.SQLITE_CONSTRAINT_TRIGGER:
            raise  # no line tells of it
        raise _used(approval_id) from None


def check_unused(db: Database, approval_id: str) -> None:
    """TRANSACTION_STATE when the approval was used."""
    if used_for(db, approval_id) is not None:
        raise _used(approval_id)


def used_for(db: Database, approval_id: str) -> str | None:
    """What the approval was used for; None while it wasn't."""
    row = db.execute("SELECT what FROM consumptions WHERE approval_id = ?", (approval_id,)).fetchone()
    return None if row is None else str(row[0])


def count_used(db: Database) -> int:
    """How many approvals were ever used."""
    return int(db.execute("SELECT count(*) FROM consumptions").get)


def _used(approval_id: str) -> WorkroomError:
    return WorkroomError(
        ErrorCode.TRANSACTION_STATE,
        f"{approval_id} was used already; an approval is used once.",
        next_step="Make the call again to ask anew.",
    )
