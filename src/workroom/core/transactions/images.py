"""Before- and after-images: kept with the transaction that needs them, under a quota, the oldest forgotten first."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from workroom.base.changes import ChangeSet
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions import tables
from workroom.core.transactions.contents import pieces_of, size_of
from workroom.core.transactions.model import ImageOf, Planned
from workroom.system.store import Database, Store

__all__ = ["Images", "held", "needed_by"]

_AT_ONCE = 100
"""Entries that are looked up together when the oldest are forgotten."""
_EMPTY = hashlib.sha256(b"").hexdigest()


class Images:
    """The images of one store. Call it within the writer's unit of work."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, sha: str) -> bytes | None:
        """The content, None when it was never kept or is forgotten."""
        return b"" if sha == _EMPTY else self._store.get_image(sha)

    def has(self, sha: str) -> bool:
        """Whether there is one; it isn't read."""
        return sha == _EMPTY or self._store.has_image(sha)

    def pieces(self, sha: str) -> Iterable[bytes] | None:
        """The same, a piece at a time."""
        return (b"",) if sha == _EMPTY else self._store.image_pieces(sha)

    def keep(self, db: Database, planned: Planned, quota: int, *, commits: bool) -> tuple[str, ...]:
        """Keep what the plan's changes need; answers the plans that were dropped to make room.

        Beyond the quota the oldest plans that nobody is asked about go first. Only a commit may then forget the oldest
        entries' images: a plan costs its maker nothing, so it takes nothing from the history. LIMIT_EXCEEDED.
        """
        shas = sorted(needed_by(planned.change_set))  # in the order of the table, whose pages are then touched once
        needed = {sha: size_of(planned.contents, sha) for sha in shas if sha in planned.contents}
        tables.refer(db, planned.id, needed)
        room = quota - sum(size for sha, size in needed.items() if not tables.has_image(db, sha))
        dropped = self._make_room(db, planned.id, room, quota, commits=commits) if self._over(room) else ()
        for sha, size in needed.items():
            if not self._store.has_image(sha):
                self._store.put_image_as(db, sha, size, pieces_of(planned.contents, sha) or ())
        return dropped

    def _make_room(self, db: Database, transaction_id: str, room: int, quota: int, *, commits: bool) -> tuple[str, ...]:
        """Forget until what is kept fits into `room`, which is what the new images leave of the quota."""
        dropped = []
        for plan in tables.droppable_plans(db, transaction_id):
            if not self._over(room):
                break
            self.release(db, plan)
            tables.prune_planned(db, plan)
            dropped.append(plan)
        if not commits and self._over(room):
            raise WorkroomError(
                ErrorCode.LIMIT_EXCEEDED,
                f"The plan's images don't fit beside the history: {self._store.images_bytes() + quota - room:,} bytes, "
                f"and the quota (history_quota_bytes) is {quota:,}.",
                next_step="Apply it instead of previewing it, split it, or ask the person to raise the quota.",
            )
        while self._over(room) and (oldest := tables.oldest_kept(db, _AT_ONCE)):
            for number, entry in oldest:
                if self._over(room):
                    self.release(db, entry)
                    tables.mark_forgotten(db, number)
        return tuple(dropped)

    def _over(self, room: int) -> bool:
        return self._store.images_bytes() > room

    def narrow(self, db: Database, rest: Planned) -> None:
        """Keep of a plan's images what the rest of it needs; every one of those is in the store."""
        needed = needed_by(rest.change_set)
        self.release(db, rest.id, needed)
        tables.refer(db, rest.id, (sha for sha in needed if tables.has_image(db, sha)))

    def release(self, db: Database, transaction_id: str, keep: Iterable[str] = ()) -> None:
        """Drop the images that only this transaction needed, but those to `keep`."""
        for sha in tables.release(db, transaction_id, keep):
            self._store.forget_image(db, sha)


def needed_by(change_set: ChangeSet) -> set[str]:
    """The contents that a change set needs, by hash; what only moves needs none, but is named here too."""
    shas = {state.sha256 for change in change_set.changes for state in (change.before, change.after)}
    return shas - {"", _EMPTY}


def held(change_set: ChangeSet, image: ImageOf) -> dict[str, bytes]:
    """The contents that a change set needs, as far as they are kept: what only moves has none."""
    found = {sha: image(sha) for sha in needed_by(change_set)}
    return {sha: data for sha, data in found.items() if data is not None}
