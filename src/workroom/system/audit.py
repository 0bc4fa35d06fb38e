"""The audit log's chain: lines in the database, each bound to the one before, and a keyed head in a file beside it.

    line    canonical JSON: keys sorted, no blanks, ASCII; it names the hash of the line before
    hash    SHA-256 of the line; anybody can compute the chain anew
    seal    HMAC of number and hash: who lacks the key can add or change no line
    head    HMAC of the count of lines and the last hash, in a file of its own: who lacks the key can cut nothing off

The head is written after the commit and never before it, without a sync: at any instant, a power cut included, it
tells of as many lines as the database has, or of fewer. A head that tells of more shows that lines are gone.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import apsw

from workroom.base.actor import Actor
from workroom.base.audit import Line
from workroom.system.clock import iso
from workroom.system.durable import fsync_folder

__all__ = ["GENESIS", "GUARDS", "MIGRATION", "Found", "Head", "HeadState", "append", "canonical", "hash_of", "last"]

_log = logging.getLogger(__name__)

GENESIS = "0" * 64
"""What the first line names as the hash before it."""

LONGEST = 400
"""Characters of one text in a line, and `MOST` of the parts of a list; what is cut says how much."""
MOST = 20

MIGRATION = (
    "audit/1",
    """
    CREATE TABLE audit (number INTEGER PRIMARY KEY, line TEXT NOT NULL, hash TEXT NOT NULL, seal TEXT NOT NULL) STRICT;
    CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
        BEGIN SELECT RAISE(ABORT, 'a line of the audit log is never changed'); END;
    CREATE TRIGGER audit_is_not_cut BEFORE DELETE ON audit
        BEGIN SELECT RAISE(ABORT, 'a line of the audit log is never removed'); END;
    CREATE TRIGGER audit_is_added_to BEFORE INSERT ON audit
        WHEN NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM audit)
        BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END;
    """,
)
GUARDS = ("audit_is_added_to", "audit_is_not_changed", "audit_is_not_cut")
"""The triggers that keep the table; other tables have triggers of their own that ask for a line."""

_HEAD_BYTES = 512
"""One sector: a disk writes it whole or not at all."""

HeadState = Literal["whole", "behind", "ahead", "other", "invalid", "missing"]


@dataclass(frozen=True, slots=True)
class Found:
    """What a head was found to be against the log: the count of lines and the hash that it tells of.

    whole    it tells of the last line
    behind   of an earlier one that is there: a crash came before it was written
    ahead    of more lines than there are
    other    of a line that is another one now
    invalid  it isn't under this key, for this store
    missing  there is none, though there are lines
    """

    state: HeadState
    lines: int = 0
    hash: str = GENESIS

    @property
    def good(self) -> bool:
        return self.state in {"whole", "behind"}


class Head:
    """The key at work for one store, and its head's file."""

    def __init__(self, key: bytes, store: str, file: Path) -> None:
        self._key = key
        self._store = store
        self._file = file
        self._descriptor = -1
        self._failing = False

    @property
    def store(self) -> str:
        """The name of the store, which every seal covers."""
        return self._store

    def seal(self, number: int, line_hash: str) -> str:
        """The seal of one line."""
        return self._mac("line", number, line_hash)

    def sealed(self, number: int, line_hash: str, seal: str) -> bool:
        """Whether a line's seal is of this key and store."""
        return hmac.compare_digest(self.seal(number, line_hash).encode(), seal.encode("utf-8", "replace"))

    def read(self) -> Found:
        """What the file tells: whole as far as it can be judged alone, invalid or missing."""
        try:
            with open(self._file, "rb") as file:
                text = file.read(_HEAD_BYTES)
        except FileNotFoundError:
            return Found("missing")
        if not text.strip(b"\0"):  # made, and its bytes never reached the disk: a power cut in the first opening
            return Found("missing")
        try:
            body = json.loads(text)
            lines, line_hash, mac = int(body["lines"]), str(body["hash"]), str(body["mac"])
        except (ValueError, TypeError, KeyError):
            return Found("invalid")
        good = hmac.compare_digest(self._mac("head", lines, line_hash).encode(), mac.encode("utf-8", "replace"))
        return Found("whole", lines, line_hash) if good else Found("invalid")

    def compare(self, db: apsw.Connection, told: Found) -> Found:
        """What the head that was read before `db` was looked at is, against the lines there."""
        number, _ = last(db)
        if told.state == "missing":
            return told if number else Found("whole")
        if not told.good:
            return told
        if told.lines > number:
            return Found("ahead", told.lines, told.hash)
        there = GENESIS if told.lines == 0 else hash_of(db, told.lines)
        if there != told.hash:
            return Found("other", told.lines, told.hash)
        return Found("whole" if told.lines == number else "behind", told.lines, told.hash)

    def advance(self, number: int, line_hash: str) -> None:
        """Tell of the newest line. What can't be written is logged: the line stands, and the head is behind."""
        body = {"hash": line_hash, "lines": number, "mac": self._mac("head", number, line_hash), "store": self._store}
        text = json.dumps(body, sort_keys=True, separators=(",", ":")).encode("ascii").ljust(_HEAD_BYTES - 1) + b"\n"
        try:
            os.pwrite(self._opened(), text, 0)
            self._failing = False
        except OSError as error:
            if not self._failing:
                _log.warning("the audit log's head %s can't be written: %s", self._file, error.strerror)
            self._failing = True

    def sync(self) -> None:
        """Bring the head to the disk, its folder too; what can't be done is logged."""
        try:
            os.fsync(self._opened())
            fsync_folder(self._file.parent)
        except OSError as error:
            _log.warning("the audit log's head %s can't be brought to the disk: %s", self._file, error.strerror)

    def close(self) -> None:
        if self._descriptor >= 0:
            self.sync()
            os.close(self._descriptor)
            self._descriptor = -1

    def _opened(self) -> int:
        if self._descriptor < 0:
            self._descriptor = os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        return self._descriptor

    def _mac(self, what: str, number: int, line_hash: str) -> str:
        """What is signed tells what it is: a line's seal can't pass for a head's."""
        text = f"workroom audit {what}\n{self._store}\n{number}\n{line_hash}"
        return hmac.digest(self._key, text.encode(), "sha256").hex()


def append(db: apsw.Connection, head: Head | None, line: Line, who: Actor, at: float) -> tuple[int, str]:
    """Add a line within the unit of work `db`; answers its number and hash. Without a head it has no seal."""
    number, before = last(db)
    number += 1
    body = {
        "at": iso(at),
        "kind": line.kind,
        "number": number,
        "previous": before,
        "what": _bounded(line.to_json()),
        "who": _bounded({"kind": who.kind, "name": who.name, "session": who.session}),
    }
    text = canonical(body)
    line_hash = hashlib.sha256(text.encode("ascii")).hexdigest()
    seal = head.seal(number, line_hash) if head is not None else ""
    db.execute("INSERT INTO audit (number, line, hash, seal) VALUES (?, ?, ?, ?)", (number, text, line_hash, seal))
    return number, line_hash


def last(db: apsw.Connection) -> tuple[int, str]:
    """The newest line's number and hash; 0 and `GENESIS` before the first."""
    row = db.execute("SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1").fetchone()
    return (0, GENESIS) if row is None else (int(row[0]), str(row[1]))


def canonical(body: dict[str, Any]) -> str:
    """The one way to write a line: keys sorted, no blanks, ASCII. A line has no fractions."""
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def hash_of(db: apsw.Connection, number: int) -> str:
    """The hash of a line, empty when it isn't there."""
    row = db.execute("SELECT hash FROM audit WHERE number = ?", (number,)).fetchone()
    return "" if row is None else str(row[0])


def _bounded(value: Any) -> Any:
    """The value with long texts and lists cut, so that no line is long, whatever an agent writes."""
    if isinstance(value, str) and len(value) > LONGEST:
        return f"{value[:LONGEST]}… ({len(value)} characters)"
    if isinstance(value, dict):
        kept = list(value.items())[:MOST]
        more = {"…": f"{len(value) - MOST} more"} if len(value) > MOST else {}
        return {**{_bounded(key): _bounded(each) for key, each in kept}, **more}
    if isinstance(value, (tuple, list)):
        rest = [f"… ({len(value) - MOST} more)"] if len(value) > MOST else []
        return [*(_bounded(each) for each in value[:MOST]), *rest]
    return value
