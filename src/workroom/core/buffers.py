"""Who has what open, at which base version, and which folders are unfolded.

A buffer is a file open in one client's view. Its base version is that client's own: what it read, or saved last. So a
save is judged by what its own client has seen, whoever else has read the file since. Unfolded folders are shared.

A client is a name and a session. While a session is there (`arrive`, `leave`), what it has open is its own; what an
ended session of the same name left open goes to the next one that comes. A change of the folder by anybody renames or
closes the buffers of all: `follow` is called with every entry of the history, and catches up at the opening.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from workroom.base.actor import Actor
from workroom.base.changes import Change, Kind
from workroom.base.events import BuffersChanged, Committed, Event
from workroom.core.transactions import Entry, Transactions
from workroom.system.clock import Clock
from workroom.system.store import Database, Migration, Store
from workroom.text.language import language_of

__all__ = ["MIGRATIONS", "Buffer", "Buffers"]

MIGRATIONS: tuple[Migration, ...] = (
    (
        "buffers/1",
        """
        CREATE TABLE buffers (actor_kind TEXT NOT NULL, actor_name TEXT NOT NULL, session TEXT NOT NULL,
                              path TEXT NOT NULL, version TEXT NOT NULL, mtime INTEGER NOT NULL,
                              truncated INTEGER NOT NULL, opened_at REAL NOT NULL,
                              PRIMARY KEY (path, actor_kind, actor_name, session)) STRICT, WITHOUT ROWID;
        CREATE TABLE unfolded (path TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
        CREATE TABLE buffers_followed (entry INTEGER NOT NULL) STRICT;
        INSERT INTO buffers_followed SELECT coalesce(max(number), 0) FROM entries;
        """,
    ),
    (
        "buffers/2",
        """
        CREATE TABLE buffers_closed (entry INTEGER NOT NULL, path TEXT NOT NULL, PRIMARY KEY (entry, path))
                              STRICT, WITHOUT ROWID;
        """,
    ),
)

_LIST = (
    "SELECT actor_kind, actor_name, session, path, version, mtime, truncated, opened_at FROM buffers "
    "ORDER BY opened_at, path"
)
_PUT = (
    "INSERT INTO buffers (actor_kind, actor_name, session, path, version, mtime, truncated, opened_at) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
    "version = excluded.version, mtime = excluded.mtime, truncated = excluded.truncated"
)
_CLOSE = "DELETE FROM buffers WHERE path = ? AND (? OR (actor_kind = ? AND actor_name = ? AND session = ?))"
_FIND_ENDED = (
    "SELECT 1 FROM buffers WHERE actor_kind = ? AND actor_name = ? "
    "AND session NOT IN (SELECT value FROM json_each(?)) LIMIT 1"
)
_TAKE_ENDED = (
    "UPDATE OR IGNORE buffers SET session = ? WHERE actor_kind = ? AND actor_name = ? "
    "AND session NOT IN (SELECT value FROM json_each(?))"
)
_DROP_ENDED = (
    "DELETE FROM buffers WHERE actor_kind = ? AND actor_name = ? AND session NOT IN (SELECT value FROM json_each(?))"
)
_Table = Literal["buffers", "unfolded"]
_TABLES: Mapping[_Table, tuple[str, str, str]] = {
    "buffers": (
        "SELECT path FROM buffers WHERE path = ? OR substr(path, 1, ?) = ?",
        "UPDATE OR REPLACE buffers SET path = ? WHERE path = ?",
        "DELETE FROM buffers WHERE path = ?",
    ),
    "unfolded": (
        "SELECT path FROM unfolded WHERE path = ? OR substr(path, 1, ?) = ?",
        "UPDATE OR REPLACE unfolded SET path = ? WHERE path = ?",
        "DELETE FROM unfolded WHERE path = ?",
    ),
}
"""What finds a path with all below, renames it, and drops it."""
_CLOSINGS = 10_000
"""For so many entries it is remembered which open files they took away: an agent may collect its result a day later."""
_AGAIN = 100
"""So many entries, at most, are followed once more at an opening: they had no effect on what was in view then."""
_EDITS = 20
"""So many entries of the history tell what was edited lately, at the first question."""
_EDITED = 100
"""So many files."""
_TOLD = 20
"""Paths that an event names."""


@dataclass(frozen=True, slots=True)
class Buffer:
    """One file open in one client's view. Times are in seconds since 1970."""

    owner: Actor
    path: str
    version: str
    """Of the content that the client has: what it read, or saved last."""
    mtime: int
    truncated: bool
    """Whether the client has only the beginning of the file."""
    opened_at: float

    @property
    def language(self) -> str:
        """Monaco's id."""
        return language_of(self.path)


class Buffers:
    """The buffers and unfolded folders of one workspace."""

    def __init__(self, store: Store, transactions: Transactions, clock: Clock) -> None:
        self._store = store
        self._transactions = transactions
        self._clock = clock
        self._lock = threading.Lock()
        """For the sessions, which come and go on any thread, and for what was edited."""
        self._sessions: Counter[str] = Counter()
        self._edited: dict[str, None] | None = None
        """The files that were edited last, the last at the end; None until somebody asks."""
        self._followed = 0
        """The newest entry that was followed; written down with what is in view, not each time: that is a sync."""

    # Who is there.

    def arrive(self, session: str) -> None:
        """A client's session has begun; until it leaves as often, its buffers are for no other of its name."""
        with self._lock:
            self._sessions[session] += 1

    def leave(self, session: str) -> None:
        """It has ended; its buffers stay for who comes back by its name."""
        with self._lock:
            self._sessions[session] -= 1
            if self._sessions[session] <= 0:
                del self._sessions[session]

    # A client's own.

    def put(
        self, who: Actor, path: str, version: str, mtime: int, *, truncated: bool = False, saved: bool = False
    ) -> None:
        """The client has this version of the file in view from now on: it has read it, or `saved` it."""
        with self._store.write() as db:
            self._take_over(db, who)
            db.execute(
                _PUT,
                (who.kind, who.name, who.session, path, version, mtime, int(truncated), self._clock()),
            )
            self._write_followed(db)
            self._tell(db, "saved" if saved else "opened", (path,), who)

    def own(self, who: Actor, path: str) -> Buffer | None:
        """The client's own buffer of a file; None where it has none."""
        return next((each for each in self.list(who) if each.owner == who and each.path == path), None)

    def list(self, who: Actor) -> tuple[Buffer, ...]:
        """All buffers: the client's own first, then others', each in the order in which they were opened."""
        with self._store.read() as db:
            ended = self._has_ended(db, who)
        if ended:
            with self._store.write() as db:
                self._take_over(db, who)
        with self._store.read() as db:
            rows = db.execute(_LIST).fetchall()
        return tuple(sorted(map(_buffer, rows), key=lambda each: each.owner != who))

    def close(self, who: Actor, path: str, *, everybodys: bool = False) -> bool:
        """Close the client's own buffer of a file, or with `everybodys` all of it; whether there was one."""
        with self._store.write() as db:
            self._take_over(db, who)
            own = (who.kind, who.name, who.session)
            db.execute(_CLOSE, (path, int(everybodys), *own))
            closed = db.changes() > 0
            if closed:
                self._tell(db, "closed", (path,), who)
        return closed

    def lately(self, who: Actor, most: int = 50) -> tuple[str, ...]:
        """What was worked at lately: the client's own buffers, then files that anybody has changed, the last first."""
        own = [each.path for each in self.list(who) if each.owner == who]
        with self._lock:
            known = self._edited is not None
        if not known:
            entries = self._transactions.history(_EDITS)
            with self._lock:
                self._edited = {}
                for entry in reversed(entries):
                    self._note(entry)
        with self._lock:
            edited = tuple(self._edited or ())
        return tuple(dict.fromkeys([*reversed(own), *reversed(edited)]))[:most]

    # Everybody's.

    def unfolded(self) -> tuple[str, ...]:
        """The folders that are unfolded, by path."""
        with self._store.read() as db:
            return tuple(str(row[0]) for row in db.execute("SELECT path FROM unfolded ORDER BY path"))

    def unfold(self, who: Actor, folders: Iterable[str], fold: Iterable[str]) -> tuple[str, ...]:
        """Unfold some folders, then fold others with all below them; answers those that are unfolded then."""
        with self._store.write() as db:
            before = self.unfolded()
            for path in folders:
                db.execute("INSERT INTO unfolded VALUES (?) ON CONFLICT DO NOTHING", (path,))
            for path in fold:
                _fold(db, path)
            after = self.unfolded()
            if after != before:
                self._write_followed(db)
                self._tell(db, "folders", tuple(sorted({*before} ^ {*after})), who)
        return after

    def count_at(self, path: str) -> int:
        """How many buffers and unfolded folders are at a path or below it."""
        with self._store.read() as db:
            return len(_at(db, "buffers", path)) + len(_at(db, "unfolded", path))

    # What becomes of them.

    def keep_up(self) -> Callable[[], None]:
        """Follow the entries that nobody has followed yet, and each that comes; answers the way to end it."""

        def hear(_number: int, event: Event) -> None:
            if isinstance(event, Committed):
                self.follow(self._transactions.entry(event.entry))

        with self._store.read() as db:
            self._followed = int(db.execute("SELECT entry FROM buffers_followed").get)
        for entry in reversed(self._transactions.entries_after(self._followed)):
            self.follow(entry)
        return self._store.subscribe(hear)

    def follow(self, entry: Entry) -> None:
        """Rename the buffers and unfolded folders that an entry has moved, and close those whose file is gone.

        Of a buffer whose file holds something else now than its client has, that is told: what isn't edited there is
        read anew, what is can be merged. Its base version stays, so that no save of it passes unseen.
        """
        with self._lock:
            self._note(entry)
        with self._store.write() as db:
            self._followed = entry.number
            in_view = {str(row[0]) for row in db.execute("SELECT path FROM buffers UNION SELECT path FROM unfolded")}
            moves = _moves(entry.changes, in_view) if in_view else {}
            if moves:
                self._keep_closed(db, entry, moves)
                for table in _TABLES:
                    _move(db, table, moves)
                self._tell(db, "followed", tuple(sorted(moves)), entry.actor)
            behind = _behind(db, entry, in_view) if in_view else ()
            if behind:
                self._tell(db, "behind", behind, entry.actor)
            if moves or behind or entry.number % _AGAIN == 0:
                self._write_followed(db)

    def closed_by(self, entry: int) -> tuple[str, ...]:
        """The files that were open when an entry of the history took them away; empty for one long past."""
        with self._store.read() as db:
            rows = db.execute("SELECT path FROM buffers_closed WHERE entry = ? ORDER BY path", (entry,)).fetchall()
        return tuple(str(row[0]) for row in rows)

    # Inside.

    def _note(self, entry: Entry) -> None:
        """Its files were edited last. One of many files is no editing: a checkout, a tool's run."""
        if self._edited is not None and len(entry.changes) <= _TOLD:
            for change in entry.changes:
                self._edited.pop(change.path, None)
                if change.after.kind is Kind.FILE:
                    self._edited[change.path] = None
            while len(self._edited) > _EDITED:
                del self._edited[next(iter(self._edited))]

    def _write_followed(self, db: Database) -> None:
        """What is in view has seen this entry; an opening goes on from here. No other entry concerns it."""
        db.execute("UPDATE buffers_followed SET entry = ?", (self._followed,))

    def _keep_closed(self, db: Database, entry: Entry, moves: Mapping[str, str | None]) -> None:
        gone = [path for path, target in moves.items() if target is None]
        if gone:
            db.execute("DELETE FROM buffers_closed WHERE entry < ?", (entry.number - _CLOSINGS,))
            db.executemany(
                "INSERT OR IGNORE INTO buffers_closed SELECT DISTINCT ?, path FROM buffers WHERE path = ?",
                [(entry.number, path) for path in gone],
            )

    def _has_ended(self, db: Database, who: Actor) -> bool:
        """Whether ended sessions of this name have left something open."""
        return db.execute(_FIND_ENDED, self._ended(who)).fetchone() is not None

    def _take_over(self, db: Database, who: Actor) -> None:
        """What ended sessions of this name have left open is this one's; its own of the same file stands."""
        db.execute(_TAKE_ENDED, (who.session, *self._ended(who)))
        db.execute(_DROP_ENDED, self._ended(who))

    def _ended(self, who: Actor) -> tuple[str, str, str]:
        with self._lock:
            there = {*self._sessions, who.session}
        return who.kind, who.name, json.dumps(sorted(there))

    def _tell(self, db: Database, action: str, paths: tuple[str, ...], who: Actor) -> None:
        event = BuffersChanged(action, paths[:_TOLD], who.kind, who.name, who.session)
        self._store.emit(db, event, self._clock())


def _buffer(row: tuple[object, ...]) -> Buffer:
    kind, name, session, path, version, mtime, truncated, opened_at = row
    return Buffer(Actor(kind, name, session), path, version, mtime, bool(truncated), opened_at)  # type: ignore[arg-type]


def _moves(changes: Iterable[Change], in_view: set[str]) -> dict[str, str | None]:
    """Where what is in view has gone; None where it is no more."""
    files = {each.origin: each.path for each in changes if each.origin is not None and _is_text(each.path)}
    moves: dict[str, str | None] = {path: files[path] for path in files.keys() & in_view}
    for change in changes:
        if change.path in in_view - moves.keys() and change.after.kind is Kind.ABSENT:
            moves[change.path] = _moved_folder(change.path, files)
    return moves


def _behind(db: Database, entry: Entry, in_view: set[str]) -> tuple[str, ...]:
    """The files of which a client other than the one that changed them has another content in view."""
    who = (entry.actor.kind, entry.actor.name, entry.actor.session)
    changed = [c for c in entry.changes if c.path in in_view and c.after.kind is Kind.FILE and c.origin is None]
    rows = "SELECT 1 FROM buffers WHERE path = ? AND version <> ? AND (actor_kind, actor_name, session) <> (?, ?, ?)"
    return tuple(c.path for c in changed if db.execute(rows, (c.path, c.after.sha256, *who)).fetchone() is not None)


def _is_text(path: str) -> bool:
    """Whether a path can be stored: one whose bytes are no text is in nobody's view."""
    try:
        return bool(path.encode())
    except UnicodeEncodeError:
        return False


def _at(db: Database, table: _Table, path: str) -> list[str]:
    """The paths in a table that are `path` or below it."""
    rows = db.execute(_TABLES[table][0], (path, len(path) + 1, f"{path}/"))
    return [str(row[0]) for row in rows]


def _fold(db: Database, path: str) -> None:
    db.executemany("DELETE FROM unfolded WHERE path = ?", [(each,) for each in _at(db, "unfolded", path)])


def _move(db: Database, table: _Table, moves: Mapping[str, str | None]) -> None:
    """Rename rows, and drop those that have no new place. Nothing stood where a file is moved to as it is."""
    _, rename, drop = _TABLES[table]
    for path, target in moves.items():
        if target is None:
            db.execute(drop, (path,))
        else:
            db.execute(rename, (target, path))


def _moved_folder(path: str, moved: dict[str, str]) -> str | None:
    """Where a folder has gone, by where the files in it have; None where they have gone to several places, or none."""
    targets = {
        target.removesuffix(origin[len(path) :])
        for origin, target in moved.items()
        if origin.startswith(f"{path}/") and target.endswith(origin[len(path) :])
    }
    return targets.pop() if len(targets) == 1 else None
