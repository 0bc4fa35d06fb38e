"""What is in a folder: entries in a fixed order, in pages, within bounds however large the tree is.

The order is depth first, names by code point, a folder before what is in it. A page's cursor is the path of its last
entry, so that going on needs no memory: names up to it are passed over, and changes meanwhile neither repeat nor
lose what stayed.

    walk(root, path, options)   names and kinds, lazily; nothing is opened but folders
    page(root, path, options)   one page of entries with their sizes and times, and a count of all
"""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from workroom.base.changes import Kind
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.pulse import STILL, Pulse
from workroom.core.search.folders import Folders, Window
from workroom.core.search.ignore import Ignore
from workroom.system.root import Root, Stat
from workroom.text.paths import literal_folder, matches, name_pattern

__all__ = ["APART", "Found", "Options", "Page", "Tally", "is_test", "page", "shown_path", "walk"]

APART = (".git", ".agentic")
"""Left out of what isn't asked for by name: git's own files and Workroom's views."""

_BUDGET = 100_000
"""How many entries one walk looks at."""

_SECONDS = 20.0
"""How long one walk takes, whatever the tree and its ignore files are made of."""

_COUNTED = 20_000
_COUNTED_SECONDS = 0.2
"""How many entries past the page are still looked at, to tell the total, and for how long."""

_BEAT = 1_000
"""After so many entries it is told how many were looked at."""

_TESTS = re.compile(r"(?:^|[/_])(?:tests?|testing|spec|specs|__tests__)(?:[/_.]|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Options:
    """What a walk yields. `depth` 1 is the folder's own entries, None all below; `pattern` is a glob on the path."""

    depth: int | None = 1
    pattern: str | None = None
    hidden: bool = True
    ignored: bool = False
    kind: Kind | None = None
    after: str | None = None
    """Begin after this path, as a page's cursor names it."""
    budget: int = _BUDGET
    seconds: float = _SECONDS


@dataclass(frozen=True, slots=True)
class Found:
    """One entry on a walk, and how deep it lies (1: in the folder itself)."""

    path: str
    kind: Kind
    depth: int


@dataclass(slots=True)
class Tally:
    """What a walk passed over. Counts grow while it goes on."""

    apart: set[str] = field(default_factory=set)
    """The names of APART that were met and left out."""
    ignored: int = 0
    hidden: int = 0
    unreadable: int = 0
    looked_at: int = 0
    last: str | None = None
    """The path that was looked at last."""
    cut: bool = False
    """Whether a bound was met: there may be more than was yielded."""
    total: int | None = None
    """How many there are, where that is known without going through them."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page. `total` counts what matches in all; when `total_is_exact` is False there are at least that many."""

    entries: tuple[Stat, ...]
    total: int
    total_is_exact: bool
    cursor: str | None
    tally: Tally


def page(
    root: Root,
    path: str,
    options: Options,
    limit: int,
    *,
    room: int | None = None,
    counted: int = _COUNTED,
    pulse: Pulse = STILL,
    folders: Folders | None = None,
) -> Page:
    """The first `limit` entries after `options.after`. INVALID_INPUT when the path is no folder, NOT_FOUND.

    It is over early when the paths have more characters than `room`. `counted` bounds how many entries past them are
    looked at for the total; `folders` keeps what large folders hold for the next page.
    """
    tally = Tally()
    found = walk(root, path, options, tally, pulse, folders)
    names: list[Found] = []
    for entry in found:
        names.append(entry)
        room = None if room is None else room - len(entry.path)
        if len(names) == limit or (room is not None and room < 0):
            break
    reached = tally.last
    total = len(names) + _count_on(found, tally, counted) if tally.total is None else tally.total
    return Page(_seen(root, names), total, not tally.cut, reached if total > len(names) or tally.cut else None, tally)


def _seen(root: Root, found: Iterable[Found]) -> tuple[Stat, ...]:
    """What stands at the paths, without those that have gone."""
    seen: list[Stat | None] = []
    for folder, entries in itertools.groupby(found, lambda entry: entry.path.rpartition("/")[0]):
        seen += root.stats(folder or ".", [entry.path.rpartition("/")[2] for entry in entries], beyond=True)
    return tuple(each for each in seen if each is not None)


def _count_on(found: Iterator[Found], tally: Tally, counted: int) -> int:
    count, enough, deadline = 0, tally.looked_at + counted, time.monotonic() + _COUNTED_SECONDS
    for _ in found:
        count += 1
        if tally.looked_at >= enough or time.monotonic() > deadline:
            tally.cut = True
            break
    return count


def walk(
    root: Root, path: str, options: Options, tally: Tally, pulse: Pulse = STILL, folders: Folders | None = None
) -> Iterator[Found]:
    """Entries below the folder `path` (canonical), in order. What can't be read is counted and passed over.

    Links are entries and not followed. NOT_FOUND, or INVALID_INPUT when `path` itself is no folder.
    """
    deadline, beat = time.monotonic() + options.seconds, _BEAT
    sift = _Sift(root, path, options, tally, folders or Folders(root), deadline)
    stack = sift.begin(_resume_at(path, options.after))
    while stack:
        entry = next(stack[-1], None)
        if entry is None:
            stack.pop()
            continue
        if tally.last is not None and (tally.looked_at >= options.budget or time.monotonic() > deadline):
            tally.cut = True
            return
        tally.looked_at += 1
        if tally.looked_at >= beat:
            pulse.beat(tally.looked_at)
            beat = tally.looked_at - tally.looked_at % _BEAT + _BEAT
        tally.last = entry.path
        if sift.wanted(entry):
            yield entry
        if entry.kind is Kind.DIRECTORY and sift.enters(entry):
            stack.append(sift.entries(entry.path, entry.depth + 1))


def is_test(path: str) -> bool:
    """Whether a path looks like that of a test, by the custom of most languages."""
    return _TESTS.search(path) is not None


def shown_path(path: str) -> str:
    """A path as an answer carries it: bytes that aren't UTF-8 become replacement characters."""
    return path if path.isascii() else path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


class _Sift:
    """Reads folders for one walk, and says what is yielded."""

    def __init__(
        self, root: Root, path: str, options: Options, tally: Tally, folders: Folders, deadline: float
    ) -> None:
        self._root = root
        self._path = path
        self._options = options
        self._tally = tally
        self._folders = folders
        self._ignore = None if options.ignored or _named_apart(path) else Ignore(root)
        self._apart = frozenset(APART) - set(path.split("/"))
        self._fits = _fits(options.pattern)
        self._within = literal_folder(options.pattern or "")
        self._deadline = deadline

    def begin(self, after: list[str]) -> list[Iterator[Found]]:
        """The folders that a walk goes on in, the last one first: those on the way to where it begins, and that one.

        What lies before is not read, nor is a folder on the way until it is its turn.
        """
        with self._root.folder(self._path, beyond=True):
            pass  # or it says why not
        stack = [self.entries(self._path, 1, after[0] if after else "")]
        folder = self._path
        for depth, name in enumerate(after[: self._levels(after)], 1):
            folder = name if folder == "." else f"{folder}/{name}"
            if self._reason(folder, name, Kind.DIRECTORY):
                break
            stack.append(self.entries(folder, depth + 1, after[depth] if depth < len(after) else ""))
        return stack

    def _levels(self, after: list[str]) -> int:
        """How many of these names, one in the other, are folders that are gone into."""
        depth = len(after) if self._options.depth is None else min(len(after), self._options.depth - 1)
        for levels in range(depth, 0, -1):
            above = "/".join(["." if self._path == "." else self._path, *after[: levels - 1]]).removeprefix("./")
            seen = self._root.stats(above, [after[levels - 1]], beyond=True)[0]
            if seen is not None and seen.kind is Kind.DIRECTORY:
                return levels
        return 0

    def entries(self, folder: str, depth: int, after: str = "") -> Iterator[Found]:
        """A folder's entries after a name, without what is ignored, hidden or apart; read when the first is asked for.

        Files whose name can't fit the pattern are looked at, and left out here.
        """
        prefix = "" if folder == "." else folder + "/"
        window = self._window(folder, after, first=depth == 1)
        self._tally.looked_at += 0 if window is None else window.passed
        while window is not None:
            for name in window.names:
                kind = window.kind(name)
                if self._passes(prefix + name, name, kind):
                    yield Found(prefix + name, kind, depth)
            if not window.more:
                return
            self._tally.last = prefix + window.names[-1]
            if time.monotonic() > self._deadline:
                self._tally.cut = True
                return
            window = self._window(folder, window.names[-1], first=False)

    def enters(self, entry: Found) -> bool:
        """Whether a folder is gone into: not where it is too deep, or nothing below it can fit the pattern."""
        if self._options.depth is not None and entry.depth >= self._options.depth:
            return False
        below, wanted = f"{entry.path}/", f"{self._within}/"
        return not self._within or below.startswith(wanted) or wanted.startswith(below)

    def wanted(self, entry: Found) -> bool:
        if self._options.kind is not None and entry.kind is not self._options.kind:
            return False
        if self._fits is not None and not self._fits(entry.path.rpartition("/")[2]):
            return False
        return self._options.pattern is None or matches(entry.path, (self._options.pattern,)) is not None

    def _passes(self, path: str, name: str, kind: Kind) -> bool:
        reason = self._reason(path, name, kind)
        if reason == "apart":
            self._tally.apart.add(name)
        elif reason == "hidden":
            self._tally.hidden += 1
        elif reason:
            self._tally.ignored += 1
        return not reason

    def _reason(self, path: str, name: str, kind: Kind) -> str:
        """Why an entry is left out; empty where it isn't."""
        if name in self._apart:
            return "apart"
        if not self._options.hidden and name.startswith("."):
            return "hidden"
        if self._ignore is not None and self._ignore.ignored(path, kind is Kind.DIRECTORY):
            return "ignored"
        return ""

    def _window(self, folder: str, after: str, *, first: bool) -> Window | None:
        try:
            window = self._folders.window(folder, after, self._fits)
        except WorkroomError:  # the folder of the walk itself has been there when that began
            self._tally.unreadable += 1
            return None
        if self._ignore is not None and not after and folder != "." and not window.has_rules:
            self._ignore.text_of(folder, has_file=False)
        if first and self._takes_all(folder):
            self._tally.total = window.count - sum(name > after and window.has(name) for name in self._apart)
        return window

    def _takes_all(self, folder: str) -> bool:
        """Whether the listing is of this folder alone, with all that is in it."""
        options = self._options
        return (
            (options.depth, options.pattern, options.kind, options.hidden) == (1, None, None, True)
            and not (self._ignore is not None and self._ignore.speaks_in(folder))
        )  # fmt: skip


def _fits(pattern: str | None) -> Callable[[str], object] | None:
    """What the name of a file has to be for the pattern; None where it may be any."""
    name = None if pattern is None else name_pattern(pattern)
    return None if name is None else name.match


def _named_apart(path: str) -> bool:
    return not set(APART).isdisjoint(path.split("/"))


def _parts_below(folder: str, path: str) -> list[str]:
    return (path if folder == "." else path[len(folder) + 1 :]).split("/")


def _resume_at(folder: str, after: str | None) -> list[str]:
    if after is None:
        return []
    if folder != "." and not after.startswith(folder + "/"):
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            f"`cursor` {after!r} is not of a listing of {folder!r}.",
            next_step="Send the cursor of the last answer, or none to begin anew.",
        )
    return _parts_below(folder, after)
