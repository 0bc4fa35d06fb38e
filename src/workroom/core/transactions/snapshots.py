"""Contents of files kept in case somebody changes them, under an eighth of the quota: the oldest go first.

An entry's before-image is read before a commit of ours. Nobody asks us before another program writes, so what a file
holds has to be kept ahead of that, where it isn't kept anyway: with an entry, or by git. A snapshot is an image that
no transaction needs.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterable

from workroom.base.changes import UNKNOWN, Kind, State
from workroom.base.errors import WorkroomError
from workroom.base.settings import Settings
from workroom.core.transactions import tables
from workroom.core.transactions.contents import Contents, pieces_of
from workroom.core.transactions.images import Images
from workroom.system.root import Root
from workroom.system.store import Database, Migration, Store

__all__ = ["MIGRATIONS", "SHARE", "Snapshots", "state_of"]

MIGRATIONS: tuple[Migration, ...] = (
    (
        "transactions/snapshots",
        """
        CREATE TABLE snapshots (number INTEGER PRIMARY KEY AUTOINCREMENT, sha256 TEXT NOT NULL UNIQUE,
                                bytes INTEGER NOT NULL) STRICT;
        CREATE TABLE snapshots_held (bytes INTEGER NOT NULL) STRICT;
        INSERT INTO snapshots_held VALUES (0);
        CREATE TRIGGER snapshots_come AFTER INSERT ON snapshots
            BEGIN UPDATE snapshots_held SET bytes = bytes + NEW.bytes; END;
        CREATE TRIGGER snapshots_go AFTER DELETE ON snapshots
            BEGIN UPDATE snapshots_held SET bytes = bytes - OLD.bytes; END;
        """,
    ),
)

SHARE = 8
"""The part of the quota that snapshots may have."""
_OWNER = "snapshot"
"""What stands in the place of a transaction's id where a snapshot needs an image."""
_AT_ONCE = 500


class Snapshots:
    """The snapshots of one store."""

    def __init__(self, root: Root, store: Store, images: Images, settings: Callable[[], Settings]) -> None:
        self._root = root
        self._store = store
        self._images = images
        self._settings = settings

    def take(self, paths: Iterable[str], *, evict: bool) -> dict[str, State]:
        """What stands at each path now; files' contents are kept. See `Transactions.snapshot`."""
        states: dict[str, State] = {}
        remaining = iter(paths)
        while batch := list(itertools.islice(remaining, _AT_ONCE)):
            states |= self._take(batch, evict=evict)
        return states

    def put(self, contents: Iterable[bytes]) -> None:
        """Keep contents that come from elsewhere until they are told of; older snapshots make room.

        They have as much again of the quota: those that stand in the folder, and may be told of with them, stay.
        """
        with self._store.write() as db:
            for data in contents:
                sha = hashlib.sha256(data).hexdigest()
                if not self._images.has(sha) and self._room(db, len(data), evict=True, shares=2):
                    self._keep(db, sha, len(data), (data,))

    def drop(self, db: Database, shas: Iterable[str]) -> None:
        """These aren't needed as snapshots any more; an image that nothing else needs is forgotten."""
        for sha in shas:
            db.execute("DELETE FROM snapshots WHERE sha256 = ?", (sha,))
            if not db.changes():
                continue
            db.execute("DELETE FROM image_refs WHERE sha256 = ? AND transaction_id = ?", (sha, _OWNER))
            if db.execute("SELECT 1 FROM image_refs WHERE sha256 = ?", (sha,)).fetchone() is None:
                self._store.forget_image(db, sha)

    def _take(self, paths: Iterable[str], *, evict: bool) -> dict[str, State]:
        largest = self._settings().watch_max_file_bytes
        states: dict[str, State] = {}
        contents = Contents(self._root)
        for path in paths:
            states[path] = state = state_of(self._root, path)
            if state.sha256 and state.size <= largest and not self._images.has(state.sha256):
                try:
                    contents.add(path, state)
                except WorkroomError:  # it was changed since the line above
                    states[path] = UNKNOWN
        with self._store.write() as db:
            for path, state in states.items():
                if state.sha256 in contents and self._room(db, state.size, evict=evict):
                    states[path] = self._keep_state(db, state, contents)
        return states

    def _keep_state(self, db: Database, state: State, contents: Contents) -> State:
        try:
            self._keep(db, state.sha256, state.size, pieces_of(contents, state.sha256) or ())
        except WorkroomError:  # a large one is read only now, and is another by now
            return UNKNOWN
        return state

    def _keep(self, db: Database, sha: str, size: int, pieces: Iterable[bytes]) -> None:
        self._store.put_image_as(db, sha, size, pieces)
        tables.refer(db, _OWNER, (sha,))
        db.execute("INSERT INTO snapshots (sha256, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING", (sha, size))

    def _room(self, db: Database, size: int, *, evict: bool, shares: int = 1) -> bool:
        """Whether a content of this size may be kept; with `evict` once older ones are gone."""
        share = shares * self._settings().history_quota_bytes // SHARE
        if size > share:
            return False
        while int(db.execute("SELECT bytes FROM snapshots_held").get) + size > share:
            if not evict:
                return False
            self.drop(db, (str(db.execute("SELECT sha256 FROM snapshots ORDER BY number LIMIT 1").get),))
        return True


def state_of(root: Root, path: str) -> State:
    """What stands at a path; UNKNOWN where it can't be read."""
    try:
        state = root.state(path)
    except WorkroomError:
        return UNKNOWN
    return UNKNOWN if state.kind is Kind.OTHER else state
