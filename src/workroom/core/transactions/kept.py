"""Copies of bytes that were met on the way and belong to somebody else: each is told as an entry of the history."""

from __future__ import annotations

from collections.abc import Sequence

from workroom.base.actor import Actor
from workroom.base.changes import ABSENT, Change, ChangeSet
from workroom.base.events import Committed
from workroom.base.ids import new_id
from workroom.core.transactions import tables
from workroom.core.transactions.model import Cause, Planned
from workroom.system.root import Root
from workroom.system.store import Database, Store

__all__ = ["record_copies"]

_WORKROOM = Actor("program", "workroom")


def record_copies(
    root: Root, store: Store, db: Database, cause: Cause, title: str, copies: Sequence[str], at: float
) -> int:
    """Write an entry that tells of kept copies, within the unit of work; answers its number."""
    changes = tuple(Change(path, ABSENT, root.state(path)) for path in sorted(copies))
    change_set = ChangeSet(changes)
    planned = Planned(new_id("tx"), cause, title, (), change_set, change_set.fingerprint(cause), warnings=(title,))
    tables.add_transaction(db, planned, _WORKROOM, at)
    number = tables.add_entry(db, planned, _WORKROOM, at, None, "")
    store.emit(db, Committed(number, planned.id, tuple(copies)[:20], len(copies), _WORKROOM.name, cause), at)
    return number
