"""Room for one more record: how many are kept, and what makes way."""

from __future__ import annotations

from typing import Any

from workroom.base.actor import Actor
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.approvals.tables import FROM, IS_OF, MOST_WAITING, STATUS, WAITS
from workroom.system.store import Database

__all__ = ["KEPT", "KEPT_EACH", "make_room"]

KEPT = 300
"""How many records are kept. The finished and the denied ones go first, the oldest of them before the others."""

KEPT_EACH = 100
"""How many records of one asker may wait."""


def make_room(db: Database, kind: str, actor: Actor, now: float) -> None:
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
    if _drop(db, f"{STATUS} NOT IN ('pending', 'approved') ORDER BY a.number", named):
        return
    most = db.execute(MOST_WAITING, named).fetchone()
    if most is not None and (kind == "plan" or most[0] > own):
        of_most = {"now": named["now"], "kind": most[1], "name": most[2]}
        _drop(db, f"{WAITS} AND {IS_OF} ORDER BY a.number DESC", of_most)
    elif kind == "plan":
        _drop(db, f"{STATUS} = 'approved' ORDER BY a.number", named)
    else:
        raise _full(f"{KEPT} requests already stand, and no more are kept.")


def _drop(db: Database, which: str, named: dict[str, Any]) -> bool:
    """Drop the first record of `which`; answers whether there was one."""
    sql = f"DELETE FROM approvals WHERE number = (SELECT a.number {FROM} WHERE {which} LIMIT 1)"  # noqa: S608
    db.execute(sql, named)
    return db.changes() > 0


def _full(message: str) -> WorkroomError:
    return WorkroomError(
        ErrorCode.LIMIT_EXCEEDED, message, next_step="Stop, and ask the person to decide some of what waits."
    )
