"""Paths that may be other than they were, looked at: what has changed is told, and the baseline goes along.

    gather    hints and walks -> Found: what was known of a path, and what stands there now
    tell      contents before and after -> entries, one for each who is known to have done it -> new rows

A folder is watched before it is listed, so that what comes in between is heard of. What our own entries have told is
in the baseline before anything is compared; what they tell meanwhile, `observe` knows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol

from workroom.base.actor import Actor
from workroom.base.changes import ABSENT, UNKNOWN, Change, Kind, State
from workroom.base.errors import WorkroomError
from workroom.core.transactions import Entry, Observation, Observed, Transactions
from workroom.core.transactions.tables import last_entry
from workroom.core.watch.baseline import Baseline, Row
from workroom.system.clock import now
from workroom.system.root import Root, Stat
from workroom.system.store import Store
from workroom.text.paths import STAGE_PREFIX

__all__ = ["ANOTHER", "GIT", "Found", "Ignored", "Look", "Moves", "Repository"]

ANOTHER = Actor("program", "another program")
"""Who changed what nobody of the workspace has changed."""
GIT = Actor("program", "git")
"""Git, run by another program: its own log says so."""

_APART = frozenset({".git", ".agentic"})
_AT_ONCE = 500
_SAID = 3
_CONTENT = frozenset({Kind.FILE, Kind.SYMLINK})


class Ignored(Protocol):
    """The rules of the folder's ignore files as they stand."""

    def ignored(self, path: str, is_folder: bool) -> bool:
        """Whether an entry is ignored, where the folders above it aren't."""


class Moves(Protocol):
    """What moved git's HEAD: git's own words, the paths in which its commits differ, what stands as it has it by now,
    where to read on."""

    @property
    def said(self) -> tuple[str, ...]: ...
    @property
    def paths(self) -> frozenset[str]: ...
    @property
    def clean(self) -> frozenset[str]: ...
    @property
    def position(self) -> int: ...


class Repository(Protocol):
    """The git repository of the folder."""

    @property
    def folder(self) -> str:
        """Where its own files are."""

    def busy(self) -> bool:
        """Whether git is at work."""

    def clean(self) -> dict[str, str]:
        """The object of each tracked file that stands there as the index has it."""

    def contents(self, wanted: Sequence[tuple[str, int]]) -> Iterator[tuple[str, bytes]]:
        """Objects by id and expected size."""

    def position(self) -> int:
        """Where the log of what moved HEAD ends."""

    def moves(self, position: int) -> Moves:
        """What moved HEAD since then."""


@dataclass(slots=True)
class Found:
    """What a look has found: of each path what was known (None: nothing stood there), and what stands there now."""

    since: int
    before: dict[str, Row | None] = field(default_factory=dict)
    now: dict[str, Stat | None] = field(default_factory=dict)
    unseen: set[str] = field(default_factory=set)
    """Of these nobody knows whether they were there."""
    taken: list[tuple[str, Row]] = field(default_factory=list)
    """What is in the baseline from now on, as it is found."""
    listed: list[str] = field(default_factory=list)
    fresh: set[str] = field(default_factory=set)
    """Folders that have just come, with all that is in them; that has been looked at."""
    adopted: bool = False
    rules: list[str] = field(default_factory=list)
    """Folders whose ignore file is another."""
    moves: Moves | None = None
    """What git did meanwhile."""

    def add(self, path: str, row: Row | None, seen: Stat | None) -> None:
        self.before.setdefault(path, row)
        self.now[path] = seen


class Look:
    """Compares one folder with its baseline."""

    def __init__(
        self,
        root: Root,
        store: Store,
        transactions: Transactions,
        *,
        watch: Callable[[str], None],
        unwatch: Callable[[str], None],
        ignored: Callable[[], Ignored],
        repository: Callable[[], Repository | None],
        check: Callable[[], None],
    ) -> None:
        """`watch` is called with each folder before it is listed, `unwatch` with those that are gone; `check` may
        raise to end a long walk."""
        self._root = root
        self._store = store
        self._transactions = transactions
        self._watch = watch
        self._unwatch = unwatch
        self._ignored = ignored
        self._repository = repository
        self._check = check

    # What may have changed.

    def catch_up(self) -> int:
        """Bring the baseline to what the history tells; answers the newest entry that is in it."""
        with self._store.read() as db:
            done, newest = Baseline(db).entry(), last_entry(db)
        for first in range(done + 1, newest + 1, _AT_ONCE):
            with self._store.write() as db:
                for number in range(first, min(first + _AT_ONCE, newest + 1)):
                    self._follow(Baseline(db), self._transactions.entry(number))
        return newest

    def gather(self, hints: Mapping[str, Iterable[str]], *, everything: bool) -> Found:
        """Look at what was hinted at, or at everything."""
        found = Found(self.catch_up())
        rules = self._ignored()
        for folder, names in hints.items():
            for name in names:
                self._consider(found, rules, name if folder == "." else f"{folder}/{name}")
        found.moves = self._moves()
        if found.moves is not None:
            self._consider_all(found, rules, found.moves.paths)
        if everything:
            self._walk(found, rules, ".", fresh=False)
        for folder in found.rules:
            self._relist(found, folder)
        return found

    def watch_ahead(self, folders: Iterable[str]) -> dict[str, bool]:
        """Hear of what comes into folders that were just made before they are looked at; answers for each of them, and
        of those below, whether it is empty yet."""
        rules, ahead = self._ignored(), list(folders)
        empty: dict[str, bool] = {}
        while ahead:
            self._check()
            folder = ahead.pop()
            if folder.rpartition("/")[2] in _APART or rules.ignored(folder, True):
                continue
            self._watch(folder)
            try:
                listing = self._root.listing(folder)
            except WorkroomError:  # it is gone again
                continue
            empty[folder] = not listing
            prefix = "" if folder == "." else f"{folder}/"
            ahead += [prefix + name for name, is_folder in listing if is_folder]
        return empty

    def _moves(self) -> Moves | None:
        """What git did since it was asked last."""
        repository = self._repository()
        if repository is None:
            return None
        with self._store.read() as db:
            position = Baseline(db).position()
        if position is not None and position != repository.position():
            return repository.moves(position)
        if position is None:
            with self._store.write() as db:
                Baseline(db).set_position(repository.position())
        return None

    def _consider_all(self, found: Found, rules: Ignored, paths: Iterable[str]) -> None:
        """All that git wrote, whether it was heard of yet or not: it is one entry."""
        known = {"."}
        for path in sorted(paths):
            steps = [path[:at] for at, letter in enumerate(path) if letter == "/"]
            for folder in (step for step in steps if step not in known):
                known.add(folder)
                with self._store.read() as db:
                    seen = folder in found.now or Baseline(db).get(folder) is not None
                if not seen:
                    self._consider(found, rules, folder)
            if path not in found.now:
                self._consider(found, rules, path)

    def _consider(self, found: Found, rules: Ignored, path: str) -> None:
        name = path.rpartition("/")[2]
        if name in _APART or name.startswith(STAGE_PREFIX) or not name:
            return
        seen = self._seen(path)
        with self._store.read() as db:
            baseline = Baseline(db)
            row, listed = baseline.get(path), _folder(path) in found.fresh or baseline.listed(_folder(path))
        if row is None and (seen is None or rules.ignored(path, seen.kind is Kind.DIRECTORY)):
            return
        if name == ".gitignore":
            found.rules.append(_folder(path))
        if row is None and not listed:
            found.unseen.add(path)
        self._compare(found, path, row, seen, hinted=True)
        if seen is not None and seen.kind is Kind.DIRECTORY and path not in found.fresh:
            self._walk(found, rules, path, fresh=row is None)

    def _compare(self, found: Found, path: str, row: Row | None, seen: Stat | None, *, hinted: bool) -> None:
        if seen is None:
            self._gone(found, path, row)
        elif row is not None and row.kind == "directory" and seen.kind is Kind.DIRECTORY:
            if not row.same_stat(seen):
                found.taken.append((path, Row.of(seen, now())))
        elif row is None or not row.same_stat(seen) or (hinted and (row.sha256 or row.blob)):  # the same time twice?
            if row is not None and row.kind == "directory":
                self._gone_below(found, path)
            found.add(path, row, seen)

    def _gone(self, found: Found, path: str, row: Row | None) -> None:
        found.add(path, row, None)
        if row is not None and row.kind == "directory":
            self._gone_below(found, path)

    def _gone_below(self, found: Found, path: str) -> None:
        self._unwatch(path)
        with self._store.read() as db:
            below = Baseline(db).below(path)
        for each, row in below.items():
            found.add(each, row, None)

    def _walk(self, found: Found, rules: Ignored, top: str, *, fresh: bool) -> None:
        """Look at everything below a folder; where it is `fresh` all of that has just come."""
        ahead = [(top, fresh)]
        while ahead:
            self._check()
            folder, new = ahead.pop()
            self._watch(folder)
            try:
                listing = self._root.scan(folder)
            except WorkroomError:  # it is gone again, or can't be read
                continue
            with self._store.read() as db:
                baseline = Baseline(db)
                known, listed = baseline.inside(folder), new or baseline.listed(folder)
            for seen in listing:
                row = known.pop(seen.path, None)
                if self._takes(rules, seen, row):
                    self._meet(found, seen, row, listed=listed)
                    if seen.kind is Kind.DIRECTORY:
                        ahead.append((seen.path, listed and row is None))
            for path, row in known.items():
                self._gone(found, path, row)
            found.listed.append(folder)
            if new:
                found.fresh.add(folder)
            if len(found.taken) > _AT_ONCE * 4:
                self._take(found)

    def _meet(self, found: Found, seen: Stat, row: Row | None, *, listed: bool) -> None:
        if row is None and not listed and seen.path not in found.now:
            found.taken.append((seen.path, Row.of(seen, now())))
            found.adopted = True
        else:
            self._compare(found, seen.path, row, seen, hinted=False)

    def _takes(self, rules: Ignored, seen: Stat, row: Row | None) -> bool:
        if seen.path.rpartition("/")[2] in _APART or (row is None and seen.kind is Kind.OTHER):
            return False
        return row is not None or not rules.ignored(seen.path, seen.kind is Kind.DIRECTORY)

    def _relist(self, found: Found, folder: str) -> None:
        """Other things belong to a folder by now: what was ignored is taken as it is found."""
        with self._store.write() as db:
            Baseline(db).unlist(folder)
        self._walk(found, self._ignored(), folder, fresh=False)

    def _seen(self, path: str) -> Stat | None:
        try:
            return self._root.stat(path)
        except WorkroomError:  # it can't be reached
            return None

    # What has.

    def tell(self, found: Found, label: str, notes: Sequence[str]) -> list[Entry]:
        """Tell of all that differs, and go along with it."""
        self._take(found)
        repository = self._repository()
        if found.adopted and repository is not None:
            self._take_clean(repository)
        states = self._states(found)
        before = self._befores(found, states, repository)
        changes = _changes(found, before, states)
        entries = []
        for actor, title, paths in _groups(changes, found.moves, label):
            observed = [_whole(changes[path], paths) for path in paths]
            told = Observation(observed, actor, "outside", title, notes=notes, since=found.since)
            entry = self._transactions.observe(told)
            entries += [] if entry is None else [entry]
        self._go_along(found, states, entries)
        return entries

    def before_commit(self, changes: Iterable[Change]) -> None:
        """What others did to these paths is told before the entry that goes on from it."""
        with self._store.read() as db:
            baseline = Baseline(db)
            found = Found(baseline.entry())
            rows = {each.path: (baseline.get(each.path), baseline.listed(_folder(each.path))) for each in changes}
        rules = self._ignored()
        for change in changes:
            row, listed = rows[change.path]
            if Kind.DIRECTORY in {change.before.kind, change.after.kind} or (row is None and not listed):
                continue
            if row is None and (change.before.kind is Kind.ABSENT or rules.ignored(change.path, False)):
                continue
            if row is None or not self._stands(row, change):
                found.add(change.path, row, self._seen(change.path))
        if found.now:
            states = {change.path: change.before for change in changes}
            before = self._befores(found, states, self._repository())
            observed = [Observed(path, before[path]) for path in found.now]
            told = Observation(observed, ANOTHER, "outside", _label(len(observed)), since=found.since)
            self._transactions.observe(told)

    def _stands(self, row: Row, change: Change) -> bool:
        if row.sha256:
            return row.state() == change.before
        seen = self._seen(change.path)
        return seen is not None and row.same_stat(seen)

    def _states(self, found: Found) -> dict[str, State]:
        """What stands at each path now; the contents are kept as far as there is room beside the snapshots."""
        wanted = [path for path, seen in found.now.items() if seen is not None and seen.kind is not Kind.DIRECTORY]
        states = self._transactions.snapshot(wanted, evict=False)
        for path, seen in found.now.items():
            if seen is None:
                states[path] = ABSENT
            elif seen.kind is Kind.DIRECTORY:
                states[path] = State(Kind.DIRECTORY, mode=seen.mode)
        return states

    def _befores(self, found: Found, states: Mapping[str, State], repository: Repository | None) -> dict[str, State]:
        """What each path held before; what only git has is fetched, and kept where it is needed."""
        before = {path: _before(found, path) for path in found.before}
        asked: dict[str, list[str]] = {}
        for path, row in found.before.items():
            if row is not None and row.blob and not row.sha256:
                asked.setdefault(row.blob, []).append(path)
        if repository is None or not asked:
            return before
        rows = {name: found.before[paths[0]] for name, paths in asked.items()}
        contents = repository.contents([(name, row.size) for name, row in rows.items() if row is not None])
        while batch := list(islice(contents, _AT_ONCE)):
            needed = []
            for name, data in batch:
                sha = hashlib.sha256(data).hexdigest()
                for path in asked[name]:
                    row = found.before[path]
                    before[path] = State(Kind.FILE, sha, len(data), None if row is None else row.mode)
                    needed += [data] if states[path].sha256 != sha else []
            self._transactions.hold(needed)
        return before

    # The baseline.

    def _follow(self, baseline: Baseline, entry: Entry) -> None:
        """Go along with an entry of the history."""
        for change in entry.changes:
            if change.after.kind is Kind.ABSENT:
                baseline.remove(change.path)
                if entry.cause == "git":
                    self._drop_emptied(baseline, change.path)
            elif change.after.kind in {Kind.FILE, Kind.SYMLINK, Kind.DIRECTORY}:
                self._follow_change(baseline, change)
        baseline.set_entry(entry.number)

    def _follow_change(self, baseline: Baseline, change: Change) -> None:
        row = baseline.get(change.path)
        blank = Row(str(change.after.kind), 0, 0, 0, 0, 0)
        baseline.put([(change.path, (row or blank).with_state(change.after))])
        if change.after.kind is Kind.DIRECTORY and row is None:
            baseline.set_listed(change.path)
        parent = _folder(change.path)
        while parent != "." and baseline.get(parent) is None:  # the folders that it needed came with it
            baseline.put([(parent, Row("directory", 0, 0, 0, 0, 0))])
            baseline.set_listed(parent)
            parent = _folder(parent)

    def _drop_emptied(self, baseline: Baseline, path: str) -> None:
        """Git removes folders with the last file in them, and its entry doesn't name them."""
        parent = _folder(path)
        while parent != "." and baseline.get(parent) is not None and self._seen(parent) is None:
            baseline.remove(parent)
            parent = _folder(parent)

    def _take(self, found: Found) -> None:
        if found.taken or found.listed:
            with self._store.write() as db:
                baseline = Baseline(db)
                baseline.put(found.taken)
                for folder in found.listed:
                    baseline.set_listed(folder)
            found.taken.clear()
            found.listed.clear()

    def _take_clean(self, repository: Repository) -> None:
        """Git has the content of what it finds unchanged: nothing of that needs to be read."""
        clean = iter(repository.clean().items())
        while batch := list(islice(clean, _AT_ONCE * 4)):
            self._check()
            with self._store.write() as db:
                Baseline(db).set_blobs(batch)

    def read_some(self, after: str, largest: int) -> str | None:
        """Keep the contents of some files that nobody has, those after a path; answers the last of them, None at the
        end, or where there is no more room."""
        with self._store.read() as db:
            baseline = Baseline(db)
            paths = baseline.unread(after, largest, _AT_ONCE)
            rows = {path: baseline.get(path) for path in paths}
        seen = {path: self._seen(path) for path in paths}
        steady = {path: one for path, one in seen.items() if one is not None and _unmoved(rows[path], one)}
        at = now()
        states = self._transactions.snapshot(steady, evict=False)
        known = [(path, Row.of(steady[path], at, state.sha256)) for path, state in states.items() if state.sha256]
        with self._store.write() as db:
            Baseline(db).put(known)
        full = any(state.size and not self._store.has_image(state.sha256) for state in states.values())
        return None if full or len(paths) < _AT_ONCE else paths[-1]

    def _go_along(self, found: Found, states: Mapping[str, State], entries: Sequence[Entry]) -> None:
        told = {change.path: change.after for entry in entries for change in entry.changes}
        at = now()
        with self._store.write() as db:
            baseline = Baseline(db)
            for path, seen in found.now.items():
                state = states[path]
                if seen is not None and state not in {ABSENT, UNKNOWN}:
                    row = Row.of(seen, at, state.sha256)
                    after = told.get(path, state)
                    baseline.put([(path, row if after.sha256 == state.sha256 else row.with_state(after))])
                elif seen is not None and state == UNKNOWN:
                    baseline.put([(path, Row.of(seen, at))])
                else:
                    baseline.remove(path)
            if found.moves is not None:
                baseline.set_position(found.moves.position)
            numbers = [entry.number for entry in entries]
            if numbers and numbers == list(range(found.since + 1, numbers[-1] + 1)):
                baseline.set_entry(numbers[-1])


def _folder(path: str) -> str:
    return path.rpartition("/")[0] or "."


def _before(found: Found, path: str) -> State:
    row = found.before[path]
    if row is None:
        return UNKNOWN if path in found.unseen else ABSENT
    return row.state()


def _changes(found: Found, before: Mapping[str, State], states: Mapping[str, State]) -> dict[str, Observed]:
    """What differs; a file that is gone from one place and stands at another, untouched, was moved."""
    differing = {
        path: Observed(path, before[path])
        for path, state in states.items()
        if before[path] != state and not before[path].kind is state.kind is Kind.DIRECTORY
    }
    gone = {
        row.inode: path
        for path, row in found.before.items()
        if path in differing and row is not None and row.inode and row.kind == "file" and found.now[path] is None
    }
    for path in list(differing):
        seen, source = found.now[path], None
        if seen is not None and before[path] is ABSENT and seen.kind is Kind.FILE:
            source = gone.get(seen.inode)
        if source is not None and _is_move(found.before[source], before[source], seen, states[path]):
            del gone[seen.inode]  # type: ignore[union-attr]
            differing[path] = Observed(path, ABSENT, origin=source)
            differing[source] = Observed(source, states[path])
    return differing


def _whole(change: Observed, paths: Set[str]) -> Observed:
    """The change as it is told where of a move only this end is."""
    return change if change.origin is None or change.origin in paths else Observed(change.path, change.before)


def _is_move(row: Row | None, before: State, seen: Stat | None, state: State) -> bool:
    """Whether what was at one place is what is at another: not only its inode, which another file may have by now."""
    return (
        row is not None
        and seen is not None
        and state.kind is Kind.FILE
        and (row.size, row.mtime, row.mode) == (seen.size, seen.mtime_ns, seen.mode)
        and before.sha256 in {"", state.sha256}
    )


def _unmoved(row: Row | None, seen: Stat) -> bool:
    return row is not None and (row.kind, row.size, row.mtime, row.inode) == (
        str(seen.kind), seen.size, seen.mtime_ns, seen.inode,
    )  # fmt: skip


def _groups(changes: Mapping[str, Observed], moves: Moves | None, label: str) -> Iterator[tuple[Actor, str, set[str]]]:
    """Who did what: git's own log tells what it has done, the rest is another program's."""
    mine = _within(changes, moves.paths | moves.clean) if moves is not None and moves.said else set()
    if moves is not None and mine:
        more = f" and {len(moves.said) - _SAID} more" if len(moves.said) > _SAID else ""
        yield GIT, f"git {'; '.join(moves.said[:_SAID])}{more}", mine
    others = {path for path in changes if path not in mine}
    if others:
        yield ANOTHER, label or _label(len(others)), others


def _within(changes: Mapping[str, Observed], paths: Iterable[str]) -> set[str]:
    """The changes of these paths, and of the folders that they are in."""
    mine = {path for path in paths if path in changes}
    folders: set[str] = set()
    for path in paths:
        folder = _folder(path)
        while folder != "." and folder not in folders:
            folders.add(folder)
            folder = _folder(folder)
    return mine | (folders & changes.keys() if mine else set())


def _label(count: int) -> str:
    return f"{count} path{'' if count == 1 else 's'} changed outside of Workroom"
