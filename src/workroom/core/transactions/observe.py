"""What others have already done to the folder becomes an entry: another program's work, or git's that we ran.

    before   what the caller knows: ABSENT, a state, UNKNOWN. A state's content is given, or kept already
             (a snapshot, an image of an entry), else the entry can't be undone there, and says so
    after    looked at here, under the writer's lock: what stands there now

What an entry of ours has told already isn't told again. All of it is one database transaction: line of the audit log,
entry, images, event. A crash before it leaves nothing, and whoever observes then finds the same again.

For git, run by us:

    with transactions.alone():                            no commit of ours meanwhile
        seen = transactions.snapshot(paths)               states now, contents kept
        …                                                 git runs
        changes = [Observed(path, state) for path, state in seen.items()]
        entry = transactions.observe(Observation(changes, who, "git", "git stash", detail={"stash": "push"}))
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from workroom.base.actor import Actor
from workroom.base.changes import UNKNOWN, Change, ChangeSet, Kind, Permit, State
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.events import Committed
from workroom.base.ids import NewId
from workroom.base.settings import Settings
from workroom.core.transactions import tables
from workroom.core.transactions.contents import Contents
from workroom.core.transactions.images import Images
from workroom.core.transactions.model import Directory, Entry, Planned
from workroom.core.transactions.overlay import count_changed
from workroom.core.transactions.snapshots import SHARE, Snapshots, state_of
from workroom.system.clock import Clock
from workroom.system.root import Root
from workroom.system.store import Database, Store

__all__ = ["Observation", "Observed", "Observer", "write_entry"]

_UNSTEADY = 2
"""So many files that are written while they are read are left out one by one, then all: nobody commits meanwhile."""
_COUNTED = 1 << 20
"""Bytes a side up to which lines that go and come are counted."""
_COUNTED_PATHS = 2_000
"""So they are where there are no more changes than this: nobody commits meanwhile."""
_SHOWN_PATHS = 20


@dataclass(frozen=True, slots=True)
class Observed:
    """One path that somebody else has changed, canonical.

    `before`: what stood there; ABSENT for nothing, UNKNOWN where nobody saw it. `data`: its bytes, or a link's target,
    where they aren't kept. `origin`: the path whose very file was moved here, which is observed, too.
    """

    path: str
    before: State
    data: bytes | None = None
    origin: str | None = None


@dataclass(frozen=True, slots=True)
class Observation:
    """What others have done already, to be told as one entry.

    Of each path the state after is what stands there when it is told. `kind` becomes the entry's cause, `label` its
    title, `notes` its warnings; `detail` is kept with its transaction. `since`: the entry up to which the states before
    are right; where a later one told of a path, that counts. `always`: an entry also of no change.
    """

    changes: Sequence[Observed]
    actor: Actor
    kind: Literal["outside", "git"]
    label: str
    detail: Mapping[str, Any] = field(default_factory=dict)
    notes: Sequence[str] = ()
    since: int | None = None
    always: bool = False


class Observer:
    """Tells of others' changes in one folder's history."""

    def __init__(
        self,
        root: Root,
        store: Store,
        images: Images,
        snapshots: Snapshots,
        settings: Callable[[], Settings],
        clock: Clock,
        new_id: NewId,
        writer: threading.RLock,
    ) -> None:
        self._root = root
        self._store = store
        self._images = images
        self._snapshots = snapshots
        self._settings = settings
        self._clock = clock
        self._new_id = new_id
        self._writer = writer

    def observe(self, observation: Observation) -> Entry | None:
        """See `Transactions.observe`."""
        seen = {change.path: change for change in observation.changes}
        unsteady: set[str] = set()
        with self._writer:
            while True:
                contents = Contents(self._root, self._images)
                found = self._look(seen, contents, unsteady, observation.since)
                if not found and not observation.always:
                    return None
                planned = self._planned(found, contents, observation)
                try:
                    return self._write(planned, observation.actor)
                except WorkroomError as error:
                    if error.code is not ErrorCode.EDIT_CONFLICT or len(unsteady) == len(seen):
                        raise
                    unsteady.update([error.details["path"]] if len(unsteady) < _UNSTEADY else seen)

    def _look(
        self, seen: Mapping[str, Observed], contents: Contents, unsteady: set[str], since: int | None
    ) -> list[Change]:
        """What has changed, by path, with the contents that shall be kept."""
        told = self._told(since)
        moved = {each.origin for each in seen.values() if each.origin is not None}
        room = self._settings().history_quota_bytes // SHARE * 2
        found: list[Change] = []
        for path in sorted(seen):
            observed = seen[path]
            before, now = told.get(path, observed.before), state_of(self._root, path)
            if _same(before, now):
                continue
            if observed.data is not None and path not in told:
                contents[before.sha256] = observed.data
            if path not in moved and observed.origin is None:
                room -= self._keep(contents, path, before, now, room, steady=path not in unsteady)
            found.append(_change(observed, before, now, contents if len(seen) <= _COUNTED_PATHS else None))
        return found

    def _keep(self, contents: Contents, path: str, before: State, now: State, room: int, *, steady: bool) -> int:
        """Add both contents as far as they can be had and there is room; answers how many bytes are new."""
        new = 0
        if before.sha256 and before.sha256 not in contents and self._images.has(before.sha256):
            contents.add(path, before)
        largest = min(room, self._settings().watch_max_file_bytes)
        if now.sha256 and steady and now.sha256 not in contents:
            known = self._images.has(now.sha256)
            if known or now.size <= largest:
                try:
                    contents.add(path, now)
                except WorkroomError:  # another write, since it was hashed
                    return 0
                new = 0 if known else now.size
        return new

    def _told(self, since: int | None) -> dict[str, State]:
        """What entries after `since` left at their paths."""
        if since is None:
            return {}
        with self._store.read() as db:
            entries = tables.entries_after(db, since)
        return {change.path: change.after for entry in reversed(entries) for change in entry.changes}

    def _planned(self, found: Sequence[Change], contents: Contents, told: Observation) -> Planned:
        change_set = ChangeSet(tuple(found))
        made = [c.path for c in found if c.after.kind is Kind.DIRECTORY and c.before.kind is Kind.ABSENT]
        return Planned(
            id=self._new_id("tx"),
            cause=told.kind,
            title=told.label,
            operations=({**told.detail, "type": told.kind},),
            change_set=change_set,
            fingerprint=change_set.fingerprint(told.kind, told.label),
            contents=contents,
            directories=tuple(Directory(path, existed_before=False) for path in made),
            warnings=tuple(told.notes),
        )

    def _write(self, planned: Planned, actor: Actor) -> Entry:
        at = self._clock()
        with self._store.write() as db:
            number = write_entry(self._store, db, planned, actor, at)
            dropped = self._images.keep(db, planned, self._settings().history_quota_bytes, commits=True)
            self._snapshots.drop(db, {change.before.sha256 for change in planned.change_set.changes})
            entry = tables.entry(db, number)
        del dropped  # their views tell of plans that are gone, and are removed with the next that is
        if entry is None:  # pragma: no cover - it was written above
            raise WorkroomError(ErrorCode.INTERNAL, f"Entry {number} is not there.")
        return entry


def write_entry(store: Store, db: Database, planned: Planned, actor: Actor, at: float) -> int:
    """Write an entry of what has happened already, within the unit of work: nobody was asked; answers its number."""
    tables.add_transaction(db, planned, actor, at)
    number = tables.add_entry(store, db, planned, actor, at, Permit(planned.fingerprint, ""))
    paths = tuple(planned.change_set.paths())
    store.emit(db, Committed(number, planned.id, paths[:_SHOWN_PATHS], len(paths), actor.name, planned.cause), at)
    return number


def _same(before: State, now: State) -> bool:
    """Whether nothing was changed that an entry could tell; where the mode before isn't known, it is no change."""
    if now.kind is Kind.UNKNOWN or not before.same_content(now):
        return before.kind is now.kind is Kind.UNKNOWN
    return now.kind is not Kind.FILE or before.mode in {None, now.mode}


def _change(observed: Observed, before: State, now: State, contents: Contents | None) -> Change:
    if observed.origin is not None:
        return Change(observed.path, before, now, origin=observed.origin)
    added, removed = (None, None) if contents is None else _count(before, now, contents)
    return Change(observed.path, before, now, added=added, removed=removed)


def _count(before: State, now: State, contents: Contents) -> tuple[int | None, int | None]:
    """Lines that came and went; None where a side isn't known, or is no text."""
    if UNKNOWN in {before, now}:
        return None, None
    if Kind.FILE not in {before.kind, now.kind}:
        return 0, 0
    sides = [side for side in (before, now) if side.size]
    if any(side.sha256 not in contents or side.size > _COUNTED for side in sides):
        return None, None
    old, new = (contents[side.sha256] if side.size else b"" for side in (before, now))
    return count_changed(old, new)
