"""The audit log of one workspace: begun, looked over, handed out; and refused calls told in bounds.

Its lines are written where things happen, by `Store.record`, in the same database transaction. What is here looks at
the chain (system/audit.py says how it is made) and at what the lines tell of: the history, and the approvals that were
used or decided.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from workroom.base.actor import Actor
from workroom.base.audit import (
    Begun,
    Line,
    Opened,
    Refused,
    RefusedMore,
    SessionBegun,
    SessionEnded,
    SettingsFound,
    TurnedAway,
)
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions import tables
from workroom.core.transactions.consumption import count_used, used_for
from workroom.core.transactions.kept import WORKROOM
from workroom.system.audit import GENESIS, Found, Head, canonical, hash_of, last
from workroom.system.clock import Clock, iso
from workroom.system.store import Database, Migration, Store

__all__ = ["MIGRATIONS", "Audit", "Fault", "Verdict"]

MIGRATIONS: tuple[Migration, ...] = (
    (
        "settings/told",
        "CREATE TABLE settings_told (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;",
    ),
)
"""What the log knows of the settings' files, by layer and name."""

REFUSED_EACH = 60
"""Refused calls of one client that get a line of their own within an hour, and `REFUSED_ALL` of all clients together.
What is beyond is counted, and told by one line."""
REFUSED_ALL = 300
_HOUR = 3600.0
_SESSIONS = 10_000
"""How many sessions are remembered; beyond, the oldest's end isn't told."""

_TOLD = frozenset({
    ErrorCode.PATH_OUTSIDE_WORKSPACE, ErrorCode.PROTECTED_PATH, ErrorCode.APPROVAL_REQUIRED, ErrorCode.APPROVAL_DENIED,
    ErrorCode.EXECUTABLE_DENIED, ErrorCode.AGENT_DISABLED,
})  # fmt: skip
"""What a refused call gets a line for: somebody wanted what the person hadn't allowed. A call that is wrong, stale or
too large has tried nothing of the kind."""

_BATCH = 1000

Decisions = Callable[[Database], Mapping[str, tuple[str, str]]]
"""Approvals that stand as decided, by id: `approved` or `denied`, and the fingerprint."""

Layers = tuple[Mapping[str, Any], Mapping[str, Any]]
"""The settings of the user's file and of the workspace's; the same values while the files are unchanged."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with the log: at which line (0: with none in particular), and what."""

    line: int
    what: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a look over the log found. `faults` are the first; `total` counts them all.

    `lines` stand in the log, the last of them with `hash`; the head tells of `head.lines`. `checked` were looked at.
    """

    lines: int
    hash: str
    checked: int
    entries: int
    head: Found
    faults: tuple[Fault, ...]
    total: int

    @property
    def good(self) -> bool:
        return not self.total


class Audit:
    """The audit log. `guards` are the triggers that ask for lines; one that is gone is a fault.

    `decided` answers which approvals stand as decided, so that each is held against its line. `settings` reads the
    settings' files.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        *,
        guards: tuple[str, ...] = (),
        decided: Decisions = lambda _db: {},
        settings: Callable[[], Layers] | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._guards = guards
        self._decided = decided
        self._settings = settings
        self._layers: Layers | None = None
        self._lock = threading.Lock()
        self._since = 0.0
        self._met: dict[str, Actor | None] = {}
        """Sessions that have made a call; None for one that was only counted."""
        self._own: Counter[str] = Counter()
        self._more: Counter[str] = Counter()

    def open(self, path: str, adopted: str | None = None) -> Found:
        """Tell that the folder was opened, and how the head was found; call it before anything else is written.

        The evidence of a head that doesn't fit stands in the log from here on; the head then follows the log again.
        """
        head = self._store.head
        told = Found("missing") if head is None else head.read()
        with self._store.write() as db:
            found = told if head is None else head.compare(db, told)
            if not last(db)[0]:
                self._begin(db, head)
            line = Opened(path, adopted, found.state, found.lines, found.hash)
            self._store.record(db, line, WORKROOM, self._clock())
        self.notice()
        if head is not None:
            head.sync()
        return found

    def notice(self) -> None:
        """Tell where the settings' files say something else than the log knows. What can't be read is told when it
        can be."""
        if self._settings is None:
            return
        try:
            layers = self._settings()
            if self._layers is not None and all(a is b for a, b in zip(layers, self._layers, strict=True)):
                return
            with self._store.write() as db:  # nobody of ours is changing them now
                layers = self._settings()
                self.know_settings(db, layers, told=False)
            self._layers = layers
        except WorkroomError:
            return

    def know_settings(self, db: Database, layers: Layers, *, told: bool) -> None:
        """Within the unit of work, keep what the files say; where that wasn't `told` by another line, tell it."""
        new = {
            f"{layer}.{name}": json.dumps(value, sort_keys=True, default=str)
            for layer, values in zip(("user", "workspace"), layers, strict=True)
            for name, value in values.items()
        }
        old = {str(row[0]): str(row[1]) for row in db.execute("SELECT name, value FROM settings_told")}
        changed = sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
        if not changed:
            return
        if not told:
            before, after = ({name: side[name] for name in changed if name in side} for side in (old, new))
            self._store.record(db, SettingsFound(before, after), WORKROOM, self._clock())
        db.execute("DELETE FROM settings_told")
        db.executemany("INSERT INTO settings_told VALUES (?, ?)", new.items())

    def _begin(self, db: Database, head: Head | None) -> None:
        """The first line; a head for it is on disk before, so that a log without one was robbed of it."""
        if head is not None and head.read().state == "missing":
            head.advance(0, GENESIS)
            head.sync()
        entries, used = tables.last_entry(db), count_used(db)
        store = "" if head is None else head.store
        self._store.record(db, Begun(store, entries, used), WORKROOM, self._clock())

    def tell(self, line: Line, who: Actor) -> None:
        """Add a line that belongs to no other change."""
        with self._store.write() as db:
            self._store.record(db, line, who, self._clock())

    # Refused calls.

    def refused(self, who: Actor, operation: str, error: WorkroomError, arguments: dict[str, Any]) -> None:
        """Tell of a refused call, where that is worth a line; a flood of them is counted.

        One client can't take all the lines there are for it.
        """
        if error.code not in _TOLD:
            return
        at = self._clock()
        with self._lock:
            own_line = self._counted(who.name, f"{who.name[:100]} {error.code}", at)
        if not own_line:
            return
        sha = hashlib.sha256(canonical(arguments).encode()).hexdigest()
        with self._store.write() as db:
            self._tell_more(db, at)
            self._store.record(db, Refused(operation, str(error.code), error.message, sha), who, at)

    def turned_away(self, who: Actor, interface: str, tried: str, error: WorkroomError) -> None:
        """Tell that somebody was refused at the door, in the same bounds."""
        at = self._clock()
        with self._lock:
            own_line = self._counted(interface, f"{interface} {error.code}", at)
        if own_line:
            with self._store.write() as db:
                self._tell_more(db, at)
                self._store.record(db, TurnedAway(interface, tried, str(error.code), error.message), who, at)

    def met(self, who: Actor, profile: str) -> None:
        """A session makes a call: tell of its first one. A client that connects over and over is counted."""
        self.notice()
        if not who.session or who.session in self._met:
            return
        at = self._clock()
        with self._lock:
            new = who.session not in self._met  # two calls of one session may come at once
            own_line = new and self._counted(f"{who.name} session", f"{who.name[:100]} sessions", at)
            while len(self._met) >= _SESSIONS:
                del self._met[next(iter(self._met))]
            self._met.setdefault(who.session, who if own_line else None)
        if own_line:
            with self._store.write() as db:
                self._tell_more(db, at)
                self._store.record(db, SessionBegun(profile), who, at)

    def parted(self, session: str) -> None:
        """A session is over: tell it, where its beginning was told. Nothing is told of one that ends after the log."""
        with self._lock:
            who = self._met.pop(session, None)
        if who is not None:
            with contextlib.suppress(WorkroomError):  # the workspace is closed, which has told it
                self.tell(SessionEnded(), who)

    def close(self) -> None:
        """Tell what was only counted so far, and that the sessions are over."""
        with self._lock:
            ended = [who for who in self._met.values() if who is not None]
            self._met.clear()
        if not self._more and not ended:
            return
        with self._store.write() as db:
            self._tell_more(db, self._clock(), now=True)
            for who in ended:
                self._store.record(db, SessionEnded(), who, self._clock())

    def _counted(self, name: str, label: str, at: float) -> bool:
        """Whether this one gets a line of its own; under the lock."""
        if at >= self._since + _HOUR and not self._more:
            self._own.clear()
            self._since = at
        if at < self._since + _HOUR and (self._own[name] >= REFUSED_EACH or self._own.total() >= REFUSED_ALL):
            known = label in self._more or len(self._more) < REFUSED_EACH
            self._more[label if known else f"others {label.rpartition(' ')[2]}"] += 1
            return False
        self._own[name] += 1
        return True

    def _tell_more(self, db: Database, at: float, *, now: bool = False) -> None:
        """The line that tells of those counted, once their hour is over."""
        with self._lock:
            if not self._more or not (now or at >= self._since + _HOUR):
                return
            since, more = self._since, dict(self._more.most_common())
            self._more.clear()
            self._own.clear()
            self._since = at
        self._store.record(db, RefusedMore(iso(since), sum(more.values()), more), WORKROOM, at)

    # Looking.

    def lines(self, since: int = 1, limit: int = _BATCH) -> list[dict[str, Any]]:
        """Lines from a number on, oldest first, as they are exported: the line with its hash and seal."""
        with self._store.read() as db:
            rows = db.execute(
                "SELECT line, hash, seal FROM audit WHERE number >= ? ORDER BY number LIMIT ?", (since, limit)
            ).fetchall()
        return [{**_parsed(str(row[0])), "hash": row[1], "seal": row[2]} for row in rows]

    def verify(self, since: int = 1, most: int = 20, *, expect: tuple[int, str] | None = None) -> Verdict:
        """Look over the log from line `since` on: chain, seals, head, and what the lines tell of.

        `expect` is the number and hash of a line that somebody noted where nobody here could change it.
        """
        head = self._store.head
        with self._store.write():  # nobody writes the head now, and what it tells of is on disk
            told = Found("missing") if head is None else head.read()
        with self._store.read() as db:
            found = told if head is None else head.compare(db, told)
            look = _Look(db, head, since, self._decided)
            faults: list[Fault] = []
            total = 0
            for fault in (*look.noted(expect), *look.faults(found, self._guards)):
                total += 1
                if len(faults) < most:
                    faults.append(fault)
            number, line_hash = last(db)
        return Verdict(number, line_hash, look.checked, look.entries, found, tuple(faults), total)


class _Look:
    """One look over the log, within one snapshot."""

    def __init__(self, db: Database, head: Head | None, since: int, decided: Decisions) -> None:
        self._db = db
        self._head = head
        self._since = max(1, since)
        self._begun: dict[str, Any] = {}
        self._undecided = dict(decided(db))
        """What stands as decided, until its line is met."""
        self.checked = 0
        self.entries = 0
        self._used = 0

    def faults(self, found: Found, guards: tuple[str, ...]) -> Iterator[Fault]:
        yield from self._chain()
        yield from self._sums()
        yield from self._decisions()
        there = {str(row[0]) for row in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")}
        for guard in guards:
            if guard not in there:
                yield Fault(0, f"the database's guard {guard} is gone")
        if not found.good:
            yield Fault(0, _head_fault(found, last(self._db)[0]))

    def noted(self, expect: tuple[int, str] | None) -> Iterator[Fault]:
        """Whether the line that was noted is there as it was."""
        if expect is not None and hash_of(self._db, expect[0]) != expect[1]:
            yield Fault(expect[0], "isn't the one that was noted: the log is another, or was set back")

    def _chain(self) -> Iterator[Fault]:
        """Each line against the one before it, its hash and seal, and what it tells of."""
        expected, before = self._start()
        rows = self._db.execute(
            "SELECT number, line, hash, seal FROM audit WHERE number >= ? ORDER BY number", (self._since,)
        )
        for number, text, line_hash, seal in rows:
            self.checked += 1
            if number != expected:
                gone = "line" if number == expected + 1 else f"lines to {number - 1}"
                yield Fault(expected, f"{gone} {'is' if gone == 'line' else 'are'} gone")
            expected = number + 1
            line = _parsed(text)
            fault = self._broken(number, line, text, line_hash, seal, before)
            before = line_hash
            yield from [Fault(number, fault)] if fault else self._told(number, line)

    def _start(self) -> tuple[int, str]:
        if self._since == 1:
            return 1, GENESIS
        return self._since, hash_of(self._db, self._since - 1)

    def _broken(self, number: int, line: dict[str, Any], text: str, line_hash: str, seal: str, before: str) -> str:
        """What is wrong with the line itself, or nothing."""
        if hashlib.sha256(text.encode("utf-8", "replace")).hexdigest() != line_hash:
            return "was changed: its hash is another"
        if line.get("number") != number or canonical(line) != text:
            return "was changed: it isn't in the log's form, or not in its place"
        if line.get("previous") != before:
            return "doesn't follow the line before it: one was changed, removed or put in"
        if self._head is not None and not self._head.sealed(number, line_hash, seal):
            return "has no valid seal: it was put in without the key, or the key or the store is another"
        return ""

    def _told(self, number: int, line: dict[str, Any]) -> Iterator[Fault]:
        """What a line tells of must be as it tells it."""
        what = line["what"]
        if line["kind"] == "begun":
            self._begun = what
        elif line["kind"] == "opened" and not Found(what["head"]).good:
            found = Found(what["head"], what["head_lines"], what["head_hash"])
            yield Fault(number, f"when the folder was opened, {_head_fault(found, number - 1)}")
        elif line["kind"] == "decided":
            if self._undecided.get(what["approval"]) == (what["decision"], what["fingerprint"]):
                del self._undecided[what["approval"]]
        elif line["kind"] == "entry":
            self.entries += 1
            yield from self._entry(number, what)
        elif line["kind"] == "effect":
            yield from self._approval(number, what.get("approval"), what["effect"])

    def _entry(self, number: int, what: dict[str, Any]) -> Iterator[Fault]:
        stored = tables.stored_entry(self._db, what["entry"])
        if stored is None:
            yield Fault(number, f"entry {what['entry']} of the history, which it tells of, is gone")
        elif stored != (what["transaction"], what["sha256"]):
            yield Fault(number, f"entry {what['entry']} of the history isn't what it tells of: it was changed")
        yield from self._approval(number, what.get("approval"), what["transaction"])

    def _approval(self, number: int, approval: str | None, by: str) -> Iterator[Fault]:
        if approval is not None:
            self._used += 1
            if used_for(self._db, approval) != by:
                yield Fault(number, f"{approval} was used by {by}, and isn't marked as used")

    def _sums(self) -> Iterator[Fault]:
        """No more in the history, and no more approvals used, than lines tell of."""
        if self._since > 1 or not self._begun:
            return
        entries = tables.count_entries(self._db, self._begun["entries"])
        if entries > self.entries:
            yield Fault(0, f"the history has {entries} entries since the log began, which tells of {self.entries}")
        used = count_used(self._db) - int(self._begun["used"])
        if used > self._used:
            yield Fault(0, f"{used} approvals are marked as used since the log began, which tells of {self._used}")

    def _decisions(self) -> Iterator[Fault]:
        """What stands as approved or denied was decided by a line that says so."""
        if self._since == 1:
            for approval, (decision, _) in sorted(self._undecided.items()):
                yield Fault(0, f"{approval} is {decision}, and no line tells who decided that")


def _parsed(text: str) -> dict[str, Any]:
    """A line's value; empty where it is none."""
    try:
        body = json.loads(text)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _head_fault(found: Found, lines: int) -> str:
    if found.state == "ahead":
        return (
            f"the head told of {found.lines} lines and there were {lines}: the others were cut off, or the database "
            "was set back to an earlier one"
        )
    if found.state == "other":
        return f"line {found.lines} was another one than the head told of: the log was replaced from before it"
    if found.state == "missing":
        return "the head was gone"
    return "the head was not of this key and store: it was replaced or damaged, or the key was"
