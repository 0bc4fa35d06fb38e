"""Room for one more record: how many are kept, and what makes way."""

from __future__ import annotations

from typing import Any

from workroom.base.actor import Actor
from workroom.base.audit import Dropped
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.approvals.model import Status
from workroom.core.approvals.tables import FROM, IS_OF, MOST_WAITING, STATUS, WAITS
from workroom.core.transactions.kept import WORKROOM
from workroom.system.store import Database, Store

__all__ = ["KEPT", "KEPT_EACH", "make_room"]

KEPT = 300
"""How many records are kept. The finished and the denied ones go first, the oldest of them before the others."""

KEPT_EACH = 100
"""How many records of one asker may wait."""


def make_room(store: Store, db: Database, kind: str, actor: Actor, now: float) -> None:
    """Drop what is least missed, so that one more record fits; LIMIT_EXCEEDED where nothing may go.

    What is finished goes first. Then, so that nobody can lock others out, the newest that waits of whoever has
    most waiting, if that is more than this asker has. The plan that waits never goes; what is approved makes way
    for a plan only.
    """
    named = {"now": now, "kind": actor.kind, "name": actor.name}
    own = int(db.execute(f"SELECT count(*) {FROM} WHERE {WAITS} AND {IS_OF}", named).get)
    if kind != "plan" and own >= KEPT_EACH:
        raise _full(f"{own} requests of {actor.name} already wait for the person, and no more are kept.")
    if int(db.execute("SELECT count(*) FROM approvals").get) < KEPT:
        return
    if _drop(store, db, f"{STATUS} NOT IN ('pending', 'approved') ORDER BY a.number", named):
        return
    most = db.execute(MOST_WAITING, named).fetchone()
    if most is not None and (kind == "plan" or most[0] > own):
        of_most = {"now": named["now"], "kind": most[1], "name": most[2]}
        _drop(store, db, f"{WAITS} AND {IS_OF} ORDER BY a.number DESC", of_most)
    elif kind == "plan":
        _drop(store, db, f"{STATUS} = 'approved' ORDER BY a.number", named)
    else:
        raise _full(f"{KEPT} requests already stand, and no more are kept.")


def _drop(store: Store, db: Database, which: str, named: dict[str, Any]) -> bool:
    """Drop the first record of `which`; answers whether there was one. The audit log tells of one that still stood."""
    sql = f"SELECT a.number, a.id, {STATUS} {FROM} WHERE {which} LIMIT 1"
    found = db.execute(sql, named).fetchone()
    if found is None:
        return False
    if found[2] in {Status.PENDING, Status.APPROVED, Status.DENIED}:
        store.record(db, Dropped(approval=str(found[1]), was=str(found[2])), WORKROOM, named["now"])
    db.execute("DELETE FROM approvals WHERE number = ?", (found[0],))
    return True


def _full(message: str) -> WorkroomError:
    return WorkroomError(
        ErrorCode.LIMIT_EXCEEDED, message, next_step="Stop, and ask the person to decide some of what waits."
    )
