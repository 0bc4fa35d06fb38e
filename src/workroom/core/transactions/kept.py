"""Others' work that was met on the way, copies of it and paths that hold it, is told as an entry of the history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from workroom.base.actor import Actor
from workroom.base.changes import ABSENT, Change, ChangeSet, State
from workroom.base.ids import new_id
from workroom.core.transactions import tables
from workroom.core.transactions.model import Cause, Planned
from workroom.core.transactions.observe import write_entry
from workroom.system.root import Root
from workroom.system.store import Database, Store

__all__ = ["WORKROOM", "record_copies"]

WORKROOM = Actor("program", "workroom")
"""Who does what nobody asked for: keeping others' bytes, taking back what a crash left."""


def record_copies(
    root: Root,
    store: Store,
    db: Database,
    cause: Cause,
    title: str,
    copies: Iterable[str],
    at: float,
    foreign: Mapping[str, State] = MappingProxyType({}),
) -> int:
    """Write an entry that tells of kept copies, within the unit of work; answers its number.

    `foreign` are paths that somebody else changed, with what they held before: the entry has that as its before-image.
    """
    befores = {**dict.fromkeys(copies, ABSENT), **foreign}
    change_set = ChangeSet(tuple(Change(path, befores[path], root.state(path)) for path in sorted(befores)))
    planned = Planned(new_id("tx"), cause, title, (), change_set, change_set.fingerprint(cause), warnings=(title,))
    tables.refer(db, planned.id, {before.sha256 for before in foreign.values() if before.sha256})
    return write_entry(store, db, planned, WORKROOM, at)
