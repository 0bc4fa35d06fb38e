"""The workspace's database and its images: connection, unit of work, migrations.

SQLite through `apsw`, which brings a current SQLite of its own. One writer, write-ahead log, `synchronous=FULL`: when
`write()` has returned, the transaction survives a power cut. Tables belong to the nouns of core, each of which hands
in its migrations; this module knows none of them but its own (`meta`, `events`, `images`, `audit`).

    with store.write() as db:                 one transaction, one writer at a time
        db.execute("INSERT …", (…))
        store.emit(db, Committed(…), at)      listeners hear of it after the commit
        store.record(db, EntryWritten(…), who, at)      a line of the audit log
    with store.read() as db: …                a snapshot; never waits for the writer
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import apsw

from workroom.base.actor import Actor
from workroom.base.audit import Line
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.events import Event
from workroom.system import audit
from workroom.system.durable import fsync_folder

__all__ = ["INLINE_BYTES", "Database", "Listener", "Migration", "Store", "StoreError"]

Database = apsw.Connection
Migration = tuple[str, str]
"""A name that never changes (`transactions/1`), and the SQL that it stands for."""
Listener = Callable[[int, Event], None]
"""Hears of events in the order of their numbers, one at a time. What it raises is logged: the commit stands."""

_OURS = (apsw.SQLError, apsw.MisuseError, apsw.BindingsError, apsw.ThreadingViolationError)
"""Faults of ours, which pass as they are."""
_CERTAIN = (apsw.FullError, apsw.ConstraintError, apsw.BusyError)
"""Refusals of a commit after which nothing of it can be on disk."""
_LOOK_AT_DISK = "See that the disk of the state directory has room and works."

INLINE_BYTES = 64 * 1024
"""Images up to this size live in the database; larger ones are files named by their hash."""

_PIECE = 1 << 20
_SPARE_READERS = 8
_WRITER_CACHE_KIB = 4 * 1024
_READER_CACHE_KIB = 1024
"""What a connection keeps of the database's pages between its transactions. The system keeps them, too, for all
connections at once; with SQLite's own 2 MiB each, and more for the writer, a server grows for half an hour."""
_SPILL_PAGES = 8 * 1024
"""Of 4 KiB. What one transaction changes stays in memory up to here, and is given back at its end; beyond, pages are
written, read and written again."""
_log = logging.getLogger(__name__)

_OWN: tuple[Migration, ...] = (
    (
        "store/1",
        """
        CREATE TABLE events (number INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, type TEXT NOT NULL,
                             body TEXT NOT NULL) STRICT;
        CREATE TABLE images (sha256 TEXT PRIMARY KEY, bytes INTEGER NOT NULL, body BLOB) STRICT, WITHOUT ROWID;
        """,
    ),
    audit.MIGRATION,
    (
        "store/held",
        """
        CREATE TABLE images_held (bytes INTEGER NOT NULL) STRICT;
        INSERT INTO images_held SELECT coalesce(sum(bytes), 0) FROM images;
        CREATE TRIGGER images_come AFTER INSERT ON images
            BEGIN UPDATE images_held SET bytes = bytes + NEW.bytes; END;
        CREATE TRIGGER images_go AFTER DELETE ON images
            BEGIN UPDATE images_held SET bytes = bytes - OLD.bytes; END;
        """,
    ),
)


class StoreError(WorkroomError):
    """IO_ERROR: the database can't be read or written now, for the reason `error`.

    `undecided`: the system failed in the middle of a commit, and only the next opening tells whether it is on disk.
    Otherwise nothing of the unit of work is.
    """

    def __init__(self, error: apsw.Error, *, undecided: bool = False) -> None:
        message, next_step = f"The history can't be written: {error}.", f"Nothing was changed. {_LOOK_AT_DISK}"
        if undecided:
            message = f"Whether this was recorded is decided when the workspace is opened again: {error}."
            next_step = "Open the workspace again, then look at what is there."
        super().__init__(ErrorCode.IO_ERROR, message, next_step=next_step)
        self.error = error
        self.undecided = undecided

    @classmethod
    def of_reading(cls, error: apsw.Error) -> Self:
        """The one that a reader gets."""
        found = cls(error)
        found.message, found.next_step = f"The history can't be read: {error}.", _LOOK_AT_DISK
        return found


class Store:
    """One workspace's database. Safe to use from many threads; one process at a time holds it."""

    def __init__(self, folder: Path, migrations: Iterable[Migration] = (), *, head: audit.Head | None = None) -> None:
        """Open or make the store in `folder`, and bring its tables up to date.

        `head` seals the lines of its audit log; without one they are chained only.

        UNSUPPORTED when the database was written by a newer Workroom (it holds a migration that isn't known here).
        """
        self.folder = folder
        self.head = head
        _make_folder(folder / "images")
        self._path = str(folder / "workspace.db")
        self._lock = threading.RLock()
        self._owner = 0
        self._pending: list[tuple[int, Event]] = []
        self._recorded: tuple[int, str] | None = None
        """The newest line of the audit log within the unit of work."""
        self._unneeded: set[str] = set()
        """Images forgotten within the unit of work whose files go once it is committed."""
        self._committed: deque[tuple[int, Event]] = deque()
        self._telling = threading.Lock()
        self._teller = 0
        self._listeners: list[Listener] = []
        self._readers: list[Database] = []
        self._closed = False
        self._writer = self._connect()
        try:
            self._writer.execute(f"PRAGMA cache_size = -{_WRITER_CACHE_KIB}")
            self._writer.execute(f"PRAGMA cache_spill = {_SPILL_PAGES}")
            os.chmod(self._path, 0o600)
            self._migrate([*_OWN, *migrations])
            self._sweep_images()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for connection in self._readers:
                connection.close()
            self._readers.clear()
            self._writer.close()
            if self.head is not None:
                self.head.close()

    @contextmanager
    def write(self) -> Iterator[Database]:
        """One unit of work; on disk when the block has been left. A nested block joins the outer one. StoreError."""
        with self._lock:
            if self._owner:
                yield self._writer
                return
            self._check_open()
            committing = False
            try:
                self._begin()
                self._owner = threading.get_ident()
                yield self._writer
                committing = True
                self._writer.execute("COMMIT")
            except BaseException as error:
                self._pending.clear()
                self._recorded = None
                self._unneeded.clear()
                self._roll_back()
                if isinstance(error, apsw.Error) and not isinstance(error, _OURS):
                    raise StoreError(error, undecided=committing and not isinstance(error, _CERTAIN)) from error
                raise
            finally:
                self._owner = 0
            self._advance()
            self._drop_unneeded()
            emitted = bool(self._pending)
            self._committed.extend(self._pending)
            self._pending.clear()
        if emitted and self._teller != threading.get_ident():
            self._tell()

    def _begin(self) -> None:
        if self._writer.in_transaction:  # it couldn't be rolled back when the disk failed
            self._writer.execute("ROLLBACK")
        self._writer.execute("BEGIN IMMEDIATE")

    def _roll_back(self) -> None:
        try:
            if self._writer.in_transaction:
                self._writer.execute("ROLLBACK")
        except apsw.Error as error:
            _log.warning("A unit of work can't be rolled back yet: %s", error)

    @contextmanager
    def read(self) -> Iterator[Database]:
        """A consistent snapshot for reading; inside this thread's unit of work, that unit's own view. StoreError."""
        if self._owner == threading.get_ident():
            yield self._writer
            return
        try:
            connection = self._reader()
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                self._return(connection)
        except _OURS:
            raise
        except apsw.Error as error:
            raise StoreError.of_reading(error) from error

    def emit(self, db: Database, event: Event, at: float) -> int:
        """Write an event within the unit of work `db`; answers its number."""
        body = json.dumps(event.to_json(), separators=(",", ":"))
        db.execute("INSERT INTO events (at, type, body) VALUES (?, ?, ?)", (at, event.type, body))
        number = db.last_insert_rowid()
        self._pending.append((number, event))
        return number

    def record(self, db: Database, line: Line, who: Actor, at: float) -> int:
        """Add a line to the audit log within the unit of work `db`; answers its number."""
        self._recorded = audit.append(db, self.head, line, who, at)
        return self._recorded[0]

    def last_event(self) -> int:
        """The number of the newest event, 0 before the first."""
        with self.read() as db:
            return int(_value(db, "SELECT COALESCE(MAX(number), 0) FROM events"))

    def events_since(self, number: int, limit: int = 1000) -> list[dict[str, Any]]:
        """Events after `number`, oldest first, as JSON values with their `number` and `at`."""
        with self.read() as db:
            rows = db.execute(
                "SELECT number, at, body FROM events WHERE number > ? ORDER BY number LIMIT ?", (number, limit)
            ).fetchall()
        return [{"number": row[0], "at": row[1], **json.loads(str(row[2]))} for row in rows]

    def first_event(self, kind: str, number: int) -> dict[str, Any] | None:
        """The first event of one type (`committed`) after `number`, as `events_since` has it; None without one."""
        with self.read() as db:
            row = db.execute(
                "SELECT number, at, body FROM events WHERE number > ? AND type = ? ORDER BY number LIMIT 1",
                (number, kind),
            ).fetchone()
        return None if row is None else {"number": row[0], "at": row[1], **json.loads(str(row[2]))}

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with each event once it is committed, before `write` is left; answers the way out."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _advance(self) -> None:
        """Let the head tell of the lines that are on disk now, and never of others."""
        if self._recorded is not None and self.head is not None:
            self.head.advance(*self._recorded)
        self._recorded = None

    def _tell(self) -> None:
        """Tell listeners what is committed. What a listener itself writes is told after what it is hearing."""
        with self._telling:
            self._teller = threading.get_ident()
            try:
                while self._committed:
                    self._tell_one(*self._committed.popleft())
            finally:
                self._teller = 0

    def _tell_one(self, number: int, event: Event) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(number, event)
            except Exception:  # noqa: BLE001 - whatever it is, what is committed can't be reported as failed
                _log.exception("A listener failed at event %d (%s).", number, event.type)

    # Images: contents by their SHA-256.

    def put_image(self, db: Database, body: bytes) -> str:
        """Keep `body` within the unit of work; a large one is a file that is on disk when this returns."""
        sha = hashlib.sha256(body).hexdigest()
        self.put_image_as(db, sha, len(body), (body,))
        return sha

    def put_image_as(self, db: Database, sha: str, size: int, pieces: Iterable[bytes]) -> None:
        """Keep a content of `size` bytes, whose SHA-256 the caller knows. What `pieces` raises passes."""
        inline = size <= INLINE_BYTES
        self._unneeded.discard(sha)
        if not inline:
            self._write_image_file(sha, pieces)
        db.execute(
            "INSERT INTO images (sha256, bytes, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (sha, size, b"".join(pieces) if inline else None),
        )

    def get_image(self, sha: str) -> bytes | None:
        """The content, or None when it was never kept or is forgotten."""
        with self.read() as db:
            row = db.execute("SELECT bytes, body FROM images WHERE sha256 = ?", (sha,)).fetchone()
        if row is None:
            return None
        if row[1] is not None:
            return bytes(row[1])
        try:
            body = self._image_path(sha).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise WorkroomError(ErrorCode.IO_ERROR, f"The image {sha} can't be read: {error.strerror}.") from error
        if hashlib.sha256(body).hexdigest() != sha:
            raise WorkroomError(ErrorCode.IO_ERROR, f"The image {sha} is damaged on disk.")
        return body

    def has_image(self, sha: str) -> bool:
        """Whether the content is kept; it isn't read."""
        with self.read() as db:
            row = db.execute("SELECT body IS NULL FROM images WHERE sha256 = ?", (sha,)).fetchone()
        return row is not None and (not row[0] or self._image_path(sha).exists())

    def image_pieces(self, sha: str) -> Iterable[bytes] | None:
        """The content, a piece at a time, or None; IO_ERROR where it can't be read, or is damaged."""
        with self.read() as db:
            row = db.execute("SELECT body FROM images WHERE sha256 = ?", (sha,)).fetchone()
        if row is None:
            return None
        if row[0] is not None:
            return (bytes(row[0]),)
        path = self._image_path(sha)
        return _read_image(sha, path) if path.exists() else None

    def forget_image(self, db: Database, sha: str) -> None:
        """Drop an image within the unit of work; its file goes once that is committed."""
        db.execute("DELETE FROM images WHERE sha256 = ?", (sha,))
        self._unneeded.add(sha)

    def images_bytes(self) -> int:
        """What all images hold together, in bytes."""
        with self.read() as db:
            return int(_value(db, "SELECT bytes FROM images_held"))

    def _image_path(self, sha: str) -> Path:
        return self.folder / "images" / sha[:2] / sha

    def _drop_unneeded(self) -> None:
        """Remove the files of forgotten images, before another unit of work can keep one of them again."""
        for sha in self._unneeded:
            _remove(self._image_path(sha))
        self._unneeded.clear()

    def _sweep_images(self) -> None:
        """Remove the files that a crash or a unit of work that was taken back has left without a row."""
        files = list((self.folder / "images").glob("*/*"))
        if not files:
            return
        fsync_folder(self.folder / "images")  # whose folders a crash may have left made, and not on disk
        with self.read() as db:
            kept = {str(row[0]) for row in db.execute("SELECT sha256 FROM images WHERE body IS NULL")}
        for file in files:
            if file.name not in kept:
                _remove(file)

    def _write_image_file(self, sha: str, pieces: Iterable[bytes]) -> None:
        target = self._image_path(sha)
        partial = target.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
        try:
            if target.exists():
                return
            _make_folder(target.parent)
            with open(partial, "wb", opener=_private) as stream:
                stream.writelines(pieces)
                stream.flush()
                os.fsync(stream.fileno())
            os.rename(partial, target)
            fsync_folder(target.parent)
        except BaseException as error:
            _remove(partial)
            _remove(target)  # whose name may not be on disk: the next try writes it anew
            if not isinstance(error, OSError):
                raise
            raise WorkroomError(
                ErrorCode.IO_ERROR,
                f"An image can't be kept: {error.strerror}.",
                next_step=f"Nothing was changed. {_LOOK_AT_DISK}",
            ) from error

    # Connections.

    def _connect(self) -> Database:
        connection = apsw.Connection(self._path)
        connection.set_busy_timeout(10_000)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA cache_size = -{_READER_CACHE_KIB}")
        return connection

    def _reader(self) -> Database:
        self._check_open()
        try:
            return self._readers.pop()
        except IndexError:
            return self._connect()

    def _check_open(self) -> None:
        if self._closed:
            raise WorkroomError(
                ErrorCode.CANCELLED, "The workspace was closed; nothing was done.", next_step="Connect again."
            )

    def _return(self, connection: Database) -> None:
        """Keep a reader for the next one, unless there are enough, or the disk failed under it."""
        try:
            if connection.in_transaction:
                connection.execute("COMMIT")
        except apsw.Error:
            connection.close()
            return
        if self._closed or len(self._readers) >= _SPARE_READERS:
            connection.close()
        else:
            self._readers.append(connection)

    def _migrate(self, migrations: list[Migration]) -> None:
        with self.write() as db:
            db.execute("CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, at REAL) STRICT, WITHOUT ROWID")
            done = {str(row[0]) for row in db.execute("SELECT name FROM meta")}
            unknown = done - {name for name, _ in migrations}
            if unknown:
                raise WorkroomError(
                    ErrorCode.UNSUPPORTED,
                    f"This workspace was written by a newer Workroom (it has {min(unknown)}).",
                    next_step="Update Workroom.",
                )
            for name, sql in migrations:
                if name not in done:
                    db.execute(sql)
                    db.execute("INSERT INTO meta VALUES (?, unixepoch('subsec'))", (name,))


def _value(db: Database, sql: str) -> Any:
    return db.execute(sql).get


def _read_image(sha: str, path: Path) -> Iterator[bytes]:
    found = hashlib.sha256()
    try:
        with open(path, "rb", buffering=0) as stream:
            while piece := stream.read(_PIECE):
                found.update(piece)
                yield piece
    except OSError as error:
        raise WorkroomError(ErrorCode.IO_ERROR, f"The image {sha} can't be read: {error.strerror}.") from error
    if found.hexdigest() != sha:
        raise WorkroomError(ErrorCode.IO_ERROR, f"The image {sha} is damaged on disk.")


def _remove(image: Path) -> None:
    """Remove a file that nothing names any more; one that can't be removed is left to the next opening."""
    try:
        image.unlink(missing_ok=True)
    except OSError as error:
        _log.warning("The image %s can't be removed: %s", image, error.strerror)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _make_folder(folder: Path) -> None:
    """Make a private folder and every parent, each on disk when this returns."""
    if folder.is_dir():
        return
    _make_folder(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)
    fsync_folder(folder.parent)
