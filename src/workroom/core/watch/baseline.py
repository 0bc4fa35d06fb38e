"""What each path was when it was looked at last: its stat, so that a look tells whether it is another, and its content.

    sha256   known; its bytes are an image (an entry's, a snapshot), or are not had
    blob     git's object of it; its bytes were never read
    neither  it was seen, and its content isn't known

A folder is `listed` once all in it is here: only then has a path without a row just come. Paths are stored as bytes, a
folder's entries side by side. Nothing here is needed for the truth: a lost row costs one `before: unknown`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace

from workroom.base.changes import UNKNOWN, Kind, State
from workroom.system.root import Stat
from workroom.system.store import Database, Migration

__all__ = ["MIGRATIONS", "Baseline", "Row", "split"]

MIGRATIONS: tuple[Migration, ...] = (
    (
        "watch/1",
        """
        CREATE TABLE watched (folder BLOB NOT NULL, name BLOB NOT NULL, kind TEXT NOT NULL, size INTEGER NOT NULL,
                              mode INTEGER NOT NULL, mtime INTEGER NOT NULL, ctime INTEGER NOT NULL,
                              inode INTEGER NOT NULL, sha256 TEXT NOT NULL, blob TEXT NOT NULL,
                              PRIMARY KEY (folder, name)) STRICT, WITHOUT ROWID;
        CREATE INDEX watched_unread ON watched (folder, name) WHERE kind IN ('file', 'symlink')
            AND sha256 = '' AND blob = '';
        CREATE TABLE watched_folders (folder BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
        CREATE TABLE watched_to (entry INTEGER NOT NULL, position INTEGER) STRICT;
        INSERT INTO watched_to SELECT coalesce(max(number), 0), NULL FROM entries;
        """,
    ),
)

_COLUMNS = "kind, size, mode, mtime, ctime, inode, sha256, blob"
_RACY_NS = 50_000_000
"""A file that was changed this shortly before it was looked at may be changed again without a trace in its stat."""


_DEFAULT = -1
"""The mode of a file that took the default: nobody has looked at it since."""


@dataclass(frozen=True, slots=True)
class Row:
    """One path as it was. A `ctime` of 0 is no file's: it has to be looked into, where its content is known."""

    kind: str
    size: int
    mode: int
    mtime: int
    ctime: int
    inode: int
    sha256: str = ""
    blob: str = ""

    @classmethod
    def of(cls, seen: Stat, at: float, sha256: str = "", blob: str = "") -> Row:
        """What a look at a path saw, at a time in seconds."""
        settled = seen.ctime_ns + _RACY_NS < at * 1_000_000_000
        ctime = seen.ctime_ns if settled or seen.kind is Kind.DIRECTORY else 0
        return cls(str(seen.kind), seen.size, seen.mode, seen.mtime_ns, ctime, seen.inode, sha256, blob)

    def same_stat(self, seen: Stat) -> bool:
        """Whether nothing happened to it since; of a folder, whether it is the same one."""
        if seen.kind is Kind.DIRECTORY:
            return self.kind == "directory" and self.inode == seen.inode and self.mode == seen.mode
        mine = (self.kind, self.size, self.mode, self.mtime, self.inode)
        if mine != (str(seen.kind), seen.size, seen.mode, seen.mtime_ns, seen.inode):
            return False
        return self.ctime == seen.ctime_ns or not (self.ctime or self.sha256 or self.blob)

    def state(self) -> State:
        """What it held, as far as that is known without git."""
        kind = Kind(self.kind)
        if kind is Kind.DIRECTORY:
            return State(kind, mode=self.mode)
        if not self.sha256:
            return UNKNOWN
        known = kind is Kind.FILE and self.mode != _DEFAULT
        return State(kind, self.sha256, self.size, self.mode if known else None)

    def with_state(self, state: State) -> Row:
        """The same path once it is known to have held this; its stat is kept where that still fits."""
        if str(state.kind) == self.kind and state.sha256 and state.sha256 == self.sha256:
            return self if state.mode in {None, self.mode} else replace(self, mode=state.mode or 0, ctime=0)
        mode = _DEFAULT if state.mode is None else state.mode
        return Row(str(state.kind), state.size, mode, 0, 0, 0, state.sha256)


def split(path: str) -> tuple[bytes, bytes]:
    """Folder (`.` at the top) and name, as they are stored."""
    folder, _, name = path.rpartition("/")
    return os.fsencode(folder or "."), os.fsencode(name)


class Baseline:
    """The rows, within a unit of work or a snapshot that the caller holds."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def get(self, path: str) -> Row | None:
        """What a path was; None for one that wasn't there, or that nobody has seen."""
        row = self._db.execute(f"SELECT {_COLUMNS} FROM watched WHERE folder = ? AND name = ?", split(path)).fetchone()  # noqa: S608
        return None if row is None else Row(*row)

    def inside(self, folder: str) -> dict[str, Row]:
        """The entries of a folder, by path."""
        rows = self._db.execute(f"SELECT name, {_COLUMNS} FROM watched WHERE folder = ?", (os.fsencode(folder),))  # noqa: S608
        prefix = "" if folder == "." else f"{folder}/"
        return {prefix + os.fsdecode(row[0]): Row(*row[1:]) for row in rows}

    def below(self, path: str) -> dict[str, Row]:
        """Everything below a path, at any depth."""
        rows = self._db.execute(
            f"SELECT folder, name, {_COLUMNS} FROM watched WHERE folder = ?1 OR (folder > ?2 AND folder < ?3)",  # noqa: S608
            _range(path),
        )
        return {f"{os.fsdecode(row[0])}/{os.fsdecode(row[1])}": Row(*row[2:]) for row in rows}

    def put(self, rows: Iterable[tuple[str, Row]]) -> None:
        """These paths are so now."""
        self._db.executemany(
            f"INSERT OR REPLACE INTO watched (folder, name, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
            ((*split(path), r.kind, r.size, r.mode, r.mtime, r.ctime, r.inode, r.sha256, r.blob) for path, r in rows),
        )

    def remove(self, path: str) -> None:
        """Nothing stands at a path any more."""
        self._db.execute("DELETE FROM watched WHERE folder = ? AND name = ?", split(path))
        self._db.execute("DELETE FROM watched_folders WHERE folder = ?", (os.fsencode(path),))

    def set_blobs(self, blobs: Iterable[tuple[str, str]]) -> None:
        """Git has the contents of these files, as these objects."""
        self._db.executemany(
            "UPDATE watched SET blob = ? WHERE folder = ? AND name = ? AND sha256 = '' AND kind = 'file'",
            ((blob, *split(path)) for path, blob in blobs),
        )

    def unread(self, after: str, largest: int, limit: int) -> list[str]:
        """Files and links whose content nobody knows, in order, those after a path; up to a size in bytes."""
        rows = self._db.execute(
            "SELECT folder, name FROM watched WHERE kind IN ('file', 'symlink') AND sha256 = '' AND blob = '' "
            "AND size <= ? AND (folder, name) > (?, ?) ORDER BY folder, name LIMIT ?",
            (largest, *(split(after) if after else (b"", b"")), limit),
        )
        return [f"{os.fsdecode(folder)}/{os.fsdecode(name)}".removeprefix("./") for folder, name in rows]

    def listed(self, folder: str) -> bool:
        """Whether every entry of a folder is known."""
        found = self._db.execute("SELECT 1 FROM watched_folders WHERE folder = ?", (os.fsencode(folder),)).fetchone()
        return found is not None

    def set_listed(self, folder: str) -> None:
        """It is, from now on."""
        self._db.execute("INSERT OR IGNORE INTO watched_folders VALUES (?)", (os.fsencode(folder),))

    def unlist(self, folder: str) -> None:
        """What is in a folder, and below, is taken as it is found: what belongs there has changed."""
        if folder == ".":
            self._db.execute("DELETE FROM watched_folders")
        else:
            self._db.execute(
                "DELETE FROM watched_folders WHERE folder = ?1 OR (folder > ?2 AND folder < ?3)", _range(folder)
            )

    # How far it goes.

    def entry(self) -> int:
        """The newest entry whose changes are in it."""
        return int(self._db.execute("SELECT entry FROM watched_to").get)

    def set_entry(self, number: int) -> None:
        """The same, set."""
        self._db.execute("UPDATE watched_to SET entry = ?", (number,))

    def position(self) -> int | None:
        """How far the log of what moved git's HEAD was read."""
        found = self._db.execute("SELECT position FROM watched_to").fetchone()
        return None if found is None or found[0] is None else int(found[0])

    def set_position(self, position: int) -> None:
        """The same, set."""
        self._db.execute("UPDATE watched_to SET position = ?", (position,))


def _range(path: str) -> tuple[bytes, bytes, bytes]:
    """A folder, and the bounds of all folders below it: `0` follows `/`."""
    name = os.fsencode(path)
    return name, name + b"/", name + b"0"
