"""The pieces of many files in one SQLite file, which one program writes and others read at the same time.

    files(id, path, identity, bytes)            what was indexed, and as what it was read
    chunks(id, file, start, end, symbol, digest, vector, remote)
    chunk_words, file_words                     stems, as FTS5 counts them: contentless, found by the same ids

A change of one file touches its own rows only. Nothing here is the truth: a file that is torn, or of another version,
is thrown away and built anew. `digest` is of the piece's lines, so that what is answered can be compared with the disk.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import apsw

__all__ = ["NAME", "Piece", "Table", "digest", "discard"]

NAME = "meaning.db"
_VERSION = 2
_SCHEMA = f"""
CREATE TABLE files (id INTEGER PRIMARY KEY AUTOINCREMENT, path BLOB NOT NULL UNIQUE, identity TEXT NOT NULL,
                    bytes INTEGER NOT NULL) STRICT;
CREATE TABLE chunks (id INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL, start INTEGER NOT NULL,
                     end INTEGER NOT NULL, symbol TEXT NOT NULL, digest BLOB NOT NULL, vector BLOB NOT NULL,
                     remote BLOB) STRICT;
CREATE INDEX chunks_of_files ON chunks (file);
CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE chunk_words USING fts5(path, symbol, text, content='', contentless_delete=1, tokenize='ascii');
CREATE VIRTUAL TABLE file_words USING fts5(path, text, content='', contentless_delete=1, tokenize='ascii');
PRAGMA user_version = {_VERSION};
"""


@dataclass(frozen=True, slots=True)
class Piece:
    """One chunk as it is written: its place, its stems as one text, and its packed vector."""

    start: int
    end: int
    symbol: str
    symbol_words: str
    words: str
    digest: bytes
    vector: bytes


def digest(lines: Sequence[str]) -> bytes:
    """What tells a piece from what has taken its lines since."""
    text = "\n".join(lines).encode("utf-8", "surrogateescape")
    return hashlib.blake2b(text, digest_size=8).digest()


def discard(folder: str) -> None:
    """Throw a table away."""
    for name in (NAME, f"{NAME}-wal", f"{NAME}-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(folder, name))


class Table:
    """One open connection. For one thread at a time."""

    def __init__(self, folder: str, *, write: bool = False) -> None:
        """Open the table in a folder; to write, made anew where there is none of this version.

        apsw.Error for one that can't be read; apsw.CantOpenError where there is none of this version yet.
        """
        path = os.path.join(folder, NAME)
        if write and _version(path) != _VERSION:
            discard(folder)
        self.db = _connected(path, write=write)
        if self._one("PRAGMA user_version") == _VERSION:
            return
        if not write:
            self.db.close()
            raise apsw.CantOpenError("it isn't built yet")
        with self.db:
            self.db.execute(_SCHEMA)

    def close(self) -> None:
        """Give it up."""
        self.db.close()

    def _one(self, sql: str, values: tuple[Any, ...] = ()) -> Any:
        return next((row[0] for row in self.db.execute(sql, values)), None)

    # Written, by the one program that builds.

    def known(self) -> dict[str, tuple[int, str, int]]:
        """The id, identity and size of each file that is in it, by path."""
        rows = self.db.execute("SELECT path, id, identity, bytes FROM files")
        return {os.fsdecode(path): (number, identity, size) for path, number, identity, size in rows}

    def put(self, path: str, path_words: str, identity: str, size: int, pieces: Sequence[Piece]) -> None:
        """A file's pieces, in place of what there was of it. To be called within `with table.db`."""
        old = self._one("SELECT id FROM files WHERE path = ?", (os.fsencode(path),))
        if old is not None:
            self.drop([old])
        self.db.execute(
            "INSERT INTO files (path, identity, bytes) VALUES (?, ?, ?)", (os.fsencode(path), identity, size)
        )
        file = self.db.last_insert_rowid()
        if pieces:
            text = " ".join(piece.words for piece in pieces)
            self.db.execute("INSERT INTO file_words (rowid, path, text) VALUES (?, ?, ?)", (file, path_words, text))
        for piece in pieces:
            self.db.execute(
                "INSERT INTO chunks (file, start, end, symbol, digest, vector) VALUES (?, ?, ?, ?, ?, ?)",
                (file, piece.start, piece.end, piece.symbol, piece.digest, piece.vector),
            )
            values = self.db.last_insert_rowid(), path_words, piece.symbol_words, piece.words
            self.db.execute("INSERT INTO chunk_words (rowid, path, symbol, text) VALUES (?, ?, ?, ?)", values)

    def drop(self, files: Iterable[int]) -> None:
        """Forget files by their ids."""
        for file in files:
            self.db.execute("DELETE FROM chunk_words WHERE rowid IN (SELECT id FROM chunks WHERE file = ?)", (file,))
            self.db.execute("DELETE FROM chunks WHERE file = ?", (file,))
            self.db.execute("DELETE FROM file_words WHERE rowid = ?", (file,))
            self.db.execute("DELETE FROM files WHERE id = ?", (file,))

    def say(self, **values: object) -> None:
        """Keep some words for those who read."""
        rows = [(name, str(value)) for name, value in values.items()]
        self.db.executemany("INSERT OR REPLACE INTO state (name, value) VALUES (?, ?)", rows)

    def tidy(self) -> None:
        """Join what was written bit by bit: it takes less room, and is read faster."""
        for table in ("chunk_words", "file_words"):
            self.db.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")  # noqa: S608 - names of ours

    def shorten(self) -> None:
        """Give the log's room back, unless somebody reads."""
        self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    # Read.

    def said(self) -> dict[str, str]:
        """What was kept by `say`."""
        return dict(self.db.execute("SELECT name, value FROM state"))

    def piece(self, chunk: int) -> tuple[str, int, int, str, bytes]:
        """The path, lines, symbol and digest of a piece."""
        sql = "SELECT f.path, c.start, c.end, c.symbol, c.digest FROM chunks c JOIN files f ON f.id = c.file"
        for path, *rest in self.db.execute(f"{sql} WHERE c.id = ?", (chunk,)):
            return os.fsdecode(path), *rest
        return "", 0, 0, "", b""  # it was dropped this moment

    def version(self) -> int:
        """Another number once another connection has changed anything."""
        return int(self._one("PRAGMA data_version"))

    def matching(self, table: str, weights: tuple[float, ...], stems: Sequence[str]) -> Iterator[tuple[int, float]]:
        """Ids with their BM25, higher for better: what has at least one of the stems, which are letters and digits."""
        either = " OR ".join(f'"{stem}"' for stem in stems)
        sql = f"SELECT rowid, -bm25({table}, {', '.join('?' * len(weights))}) FROM {table} WHERE {table} MATCH ?"  # noqa: S608 - a name of ours
        if either:
            yield from self.db.execute(sql, (*weights, either))


def _connected(path: str, *, write: bool) -> apsw.Connection:
    """Readers need the right to write, too, for the log's own memory; they make no file."""
    flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if write else 0)
    db = apsw.Connection(path, flags=flags)
    db.set_busy_timeout(10_000)
    if write:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")  # what a power cut takes is read again
    return db


def _version(path: str) -> int | None:
    """The version of a table that can be opened; None for any other file, or none."""
    try:
        db = _connected(path, write=False)
    except apsw.Error:
        return None
    try:
        return int(next(iter(db.execute("PRAGMA user_version")))[0])
    except apsw.Error:
        return None
    finally:
        db.close()
