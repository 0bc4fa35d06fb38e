"""Before- and after-images: kept with the transaction that needs them, under a quota, the oldest forgotten first."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from workroom.base.changes import ChangeSet
from workroom.core.transactions import tables
from workroom.core.transactions.model import Planned
from workroom.system.store import Database, Store

__all__ = ["Images"]

_EMPTY = hashlib.sha256(b"").hexdigest()


class Images:
    """The images of one store. Call it within the writer's unit of work."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._held = store.images_bytes()

    def get(self, sha: str) -> bytes | None:
        """The content, None when it was never kept or is forgotten."""
        return b"" if sha == _EMPTY else self._store.get_image(sha)

    def keep(self, db: Database, planned: Planned, quota: int) -> None:
        """Keep what the plan's changes need, and forget the oldest entries' images beyond the quota."""
        shas = sorted(_needed(planned.change_set))  # in the order of the table, whose pages are then touched once
        needed = {sha: planned.contents[sha] for sha in shas if sha in planned.contents}
        tables.refer(db, planned.id, needed)
        self._held += sum(len(data) for data in needed.values())
        if self._held > quota:
            self._make_room(db, needed, quota)
        for sha, data in needed.items():
            self._store.put_image_as(db, sha, data)

    def _make_room(self, db: Database, needed: Mapping[str, bytes], quota: int) -> None:
        """Forget until the quota holds. One content of two plans was counted twice on the way, so count anew first."""
        self._held = self._store.images_bytes()
        self._held += sum(len(data) for sha, data in needed.items() if not tables.has_image(db, sha))
        self._drop_unreferenced(db)
        for number, transaction_id in tables.forget_candidates(db):
            if self._held <= quota:
                break
            tables.mark_forgotten(db, number, transaction_id)
            self._drop_unreferenced(db)

    def _drop_unreferenced(self, db: Database) -> None:
        for sha, size in tables.unreferenced(db):
            self._store.forget_image(db, sha)
            self._held -= size


def _needed(change_set: ChangeSet) -> set[str]:
    shas = {state.sha256 for change in change_set.changes for state in (change.before, change.after)}
    return shas - {"", _EMPTY}
