"""What is in a folder: entries in a fixed order, in pages, within bounds however large the tree is.

The order is depth first, names by code point, a folder before what is in it. A page's cursor is the path of its last
entry, so that going on needs no memory: names up to it are passed over, and changes meanwhile neither repeat nor
lose what stayed.

    walk(root, path, options)   names and kinds, lazily; nothing is opened but folders
    page(root, path, options)   one page of entries with their sizes and times, and a count of all
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from workroom.base.changes import Kind
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.pulse import STILL, Pulse
from workroom.core.search.ignore import Ignore
from workroom.system.root import Root, Stat, refusal
from workroom.text.paths import STAGE_PREFIX, matches

__all__ = ["APART", "Found", "Options", "Page", "Tally", "entry_kind", "page", "shown_path", "walk"]

APART = (".git", ".agentic")
"""Left out of what isn't asked for by name: git's own files and Workroom's views."""

_NAMES = 200_000
"""How many names of one folder are looked at."""

_BUDGET = 100_000
"""How many entries one walk looks at."""

_SECONDS = 20.0
"""How long one walk takes, whatever the tree and its ignore files are made of."""

_COUNTED = 20_000
"""How many entries past the page are still looked at, to tell the total."""

_BEAT = 1_000
"""After so many entries it is told how many were looked at."""


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
    names: int = _NAMES
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


@dataclass(frozen=True, slots=True)
class Page:
    """One page. `total` counts what matches in all; when `total_is_exact` is False there are at least that many."""

    entries: tuple[Stat, ...]
    total: int
    total_is_exact: bool
    cursor: str | None
    tally: Tally


def page(root: Root, path: str, options: Options, limit: int, *, counted: int = _COUNTED, pulse: Pulse = STILL) -> Page:
    """The first `limit` entries after `options.after`. INVALID_INPUT when the path is no folder, NOT_FOUND.

    `counted` bounds how many entries past them are looked at for the total.
    """
    tally = Tally()
    found = walk(root, path, options, tally, pulse)
    names = list(itertools.islice(found, limit))
    reached = tally.last
    more = _count_on(found, tally, counted) if len(names) == limit else 0
    entries = tuple(seen for name in names if (seen := root.stat(name.path)) is not None)
    return Page(entries, len(names) + more, not tally.cut, reached if more or tally.cut else None, tally)


def _count_on(found: Iterator[Found], tally: Tally, counted: int) -> int:
    count, enough = 0, tally.looked_at + counted
    for _ in found:
        count += 1
        if tally.looked_at >= enough:
            tally.cut = True
            break
    return count


def walk(root: Root, path: str, options: Options, tally: Tally, pulse: Pulse = STILL) -> Iterator[Found]:
    """Entries below the folder `path` (canonical), in order. What can't be read is counted and passed over.

    Links are entries and not followed. NOT_FOUND, or INVALID_INPUT when `path` itself is no folder.
    """
    sift = _Sift(root, path, options, tally)
    resume = _resume_at(path, options.after)
    stack = [sift.entries(path, 1, resume[0] if resume else "")]
    deadline = time.monotonic() + options.seconds
    while stack:
        entry = next(stack[-1], None)
        if entry is None:
            stack.pop()
            continue
        if tally.looked_at >= options.budget or (tally.looked_at > len(resume) and time.monotonic() > deadline):
            tally.cut = True
            return
        tally.looked_at += 1
        if tally.looked_at % _BEAT == 0:
            pulse.beat(tally.looked_at)
        tally.last = entry.path
        passing = resume[: len(stack)] == _parts_below(path, entry.path) if resume else False
        if not passing and sift.wanted(entry):
            yield entry
        if entry.kind is Kind.DIRECTORY and (options.depth is None or entry.depth < options.depth):
            after = resume[len(stack)] if passing and len(stack) < len(resume) else ""
            stack.append(sift.entries(entry.path, entry.depth + 1, after))


def shown_path(path: str) -> str:
    """A path as an answer carries it: bytes that aren't UTF-8 become replacement characters."""
    return path if path.isascii() else path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


class _Sift:
    """Reads folders for one walk, and says what is yielded."""

    def __init__(self, root: Root, path: str, options: Options, tally: Tally) -> None:
        self._root = root
        self._options = options
        self._tally = tally
        self._ignore = None if options.ignored or _named_apart(path) else Ignore(root)
        self._apart = frozenset(APART) - set(path.split("/"))

    def entries(self, folder: str, depth: int, after: str) -> Iterator[Found]:
        """A folder's entries from the name `after` on, without what is ignored, hidden or apart."""
        prefix = "" if folder == "." else folder + "/"
        names = self._names(folder, after, first=depth == 1)
        return (Found(prefix + name, kind, depth) for name, kind in names if self._passes(prefix + name, name, kind))

    def wanted(self, entry: Found) -> bool:
        if self._options.kind is not None and entry.kind is not self._options.kind:
            return False
        return self._options.pattern is None or matches(entry.path, (self._options.pattern,)) is not None

    def _passes(self, path: str, name: str, kind: Kind) -> bool:
        if name in self._apart:
            self._tally.apart.add(name)
            return False
        if not self._options.hidden and name.startswith("."):
            self._tally.hidden += 1
            return False
        if self._ignore is not None and self._ignore.ignored(path, kind is Kind.DIRECTORY):
            self._tally.ignored += 1
            return False
        return True

    def _names(self, folder: str, after: str, *, first: bool) -> list[tuple[str, Kind]]:
        try:
            with self._root.folder(folder) as descriptor, os.scandir(descriptor) as entries:
                found = [
                    (entry.name, entry_kind(entry))
                    for entry in itertools.islice(entries, self._options.names + 1)
                    if entry.name >= after and not entry.name.startswith(STAGE_PREFIX)
                ]
        except OSError as error:  # pragma: no cover - needs a disk that fails
            return self._unreadable(refusal(folder, error), first)
        except WorkroomError as error:
            return self._unreadable(error, first)
        self._tally.cut |= len(found) > self._options.names
        return sorted(found[: self._options.names])

    def _unreadable(self, error: WorkroomError, first: bool) -> list[tuple[str, Kind]]:
        if first:
            raise error
        self._tally.unreadable += 1
        return []


def entry_kind(entry: os.DirEntry[str]) -> Kind:
    """What an entry is itself, and not what a link leads to."""
    if entry.is_symlink():
        return Kind.SYMLINK
    if entry.is_dir(follow_symlinks=False):
        return Kind.DIRECTORY
    return Kind.FILE if entry.is_file(follow_symlinks=False) else Kind.OTHER


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
