"""The paths of a root's files, kept from one finding to the next: a folder is looked at only where it may be another.

    listing() ──> watched, and nothing heard of since it was looked at?  yes: its names as they were
                                                                         no: its stamp (inode, times) is looked at
                  the stamp as it was read?                              yes: its names as they were
                                                                         no: its names are read
                  the ignore files on the way say the same?              yes: what they leave as it was

That a name came or went changes the times of the folder that it stands in, so nothing is believed that a look at each
folder doesn't show, or that the watch, which has heard of all by then, would have heard of. A folder that was changed
just before it was read is read again: within one tick of the file system's clock it can change unseen. What ignore
files say is read each time: it can change by another name of the same file.
"""

from __future__ import annotations

import itertools
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from workroom.base.changes import Kind
from workroom.base.errors import WorkroomError
from workroom.base.pulse import STILL, Pulse
from workroom.core.search.folders import Folders, entry_kind
from workroom.core.search.idle import Idle
from workroom.core.search.ignore import Ignore
from workroom.core.search.listing import APART, Tally
from workroom.core.search.stamp import Stamp, settled
from workroom.core.search.tracked import tracked_paths
from workroom.system.hearing import Hearing, Identity, moment
from workroom.system.root import Root, refusal
from workroom.text.paths import STAGE_PREFIX

__all__ = ["Left", "Listing", "Names"]

_KEPT_SECONDS = 300.0
"""How long names are kept that nobody asks for."""
_GLANCE = 100_000
_GLANCE_FOLDERS = 100
"""How many names of a folder are looked at for a first look, and how many folders at least, however long that takes."""
_HELD = 400_000_000
"""Characters of paths: what lies deep and is much fills no memory."""

_Runs = tuple[tuple[tuple[str, ...], str | None], ...]


@dataclass(frozen=True, slots=True)
class Left:
    """What ignore files leave of a folder: files, then a folder, then the files behind it, and so on."""

    identity: Identity
    at: int
    """The moment before it was looked at."""
    stamp: Stamp | None
    """Of the folder as it was read; None where it may have been another within the same tick."""
    has_rules: bool
    """Whether it has an ignore file."""
    said: tuple[str, ...]
    """What its own ignore files say."""
    rules: tuple[str, ...]
    """The same, after what those on the way to it say."""
    runs: _Runs
    count: int
    ignored: int
    apart: tuple[str, ...]
    links: tuple[str, ...]

    @property
    def files(self) -> Sequence[str]:
        """The paths of what isn't a folder, in order."""
        return self.runs[0][0] if len(self.runs) == 1 else tuple(itertools.chain(*(files for files, _ in self.runs)))

    @property
    def below(self) -> Sequence[str]:
        """The folders in it, in order."""
        return tuple(folder for _, folder in self.runs if folder is not None)

    def count_in(self, tally: Tally) -> None:
        """Add it to what a walk has passed over."""
        tally.looked_at += self.count
        tally.ignored += self.ignored
        tally.apart.update(self.apart)


@dataclass(frozen=True, slots=True)
class Listing:
    """Every file and link below the root that isn't ignored, in the order of a walk; `.git` and `.agentic` apart.

    It is the same object as long as that is the same. Not to be changed.
    """

    paths: tuple[str, ...]
    tally: Tally
    """What was passed over; cut when it took too long, or would take too much memory."""
    made: dict[Any, Any] = field(default_factory=dict)
    """What others have made of it, handed on to the next one, and let go with the names."""
    folders: Mapping[str, Left] = field(default_factory=dict)
    """The folders that were looked into, the root (`.`) among them, in the order of a walk."""
    unreadable: tuple[str, ...] = ()
    """Those that can't be."""

    @property
    def links(self) -> tuple[str, ...]:
        """Those of the paths that are links."""
        return tuple(path for left in self.folders.values() for path in left.links)

    def passed_over(self, folder: str) -> Tally:
        """The tally of a folder alone, with all below it."""
        if folder == ".":
            return self.tally
        tally, below = Tally(cut=self.tally.cut), folder + "/"
        for path, left in self.folders.items():
            if path == folder or path.startswith(below):
                left.count_in(tally)
        tally.unreadable = sum(path.startswith(below) for path in self.unreadable)
        return tally


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a walk has found."""

    folders: dict[str, Left]
    said: tuple[tuple[str, tuple[str, ...]], ...]
    """What the ignore files of those that have one say."""
    listing: Listing
    silent_at: int
    """The moment of the walk where each folder was watched, else 0."""

    def speaks(self, ignore: Ignore) -> bool:
        """Whether the ignore files still say that."""
        return all(said == _spoken(ignore, path, has_rules=True) for path, said in self.said)


class Names:
    """Of one root. Safe to use from many threads."""

    def __init__(
        self,
        root: Root,
        hearing: Callable[[], Hearing | None] = lambda: None,
        seconds: float = _KEPT_SECONDS,
        held: int = _HELD,
    ) -> None:
        """`hearing` is all that a watch has heard so far; None where it may not be all.

        `held`: so many characters of paths at most, but for the last name of each.
        """
        self._root = root
        self._hearing = hearing
        self._idle = Idle(seconds, self.forget)
        self._held = held
        self._kept: _Kept | None = None
        self._tracked: tuple[Stamp | None, list[str] | None] = (None, None)
        self.large = Folders(root)
        """What is in large folders, for those who list them."""
        self.looked = 0
        self.read = 0
        """How many folders were looked at, and how many of them were read."""

    def listing(self, pulse: Pulse = STILL, seconds: float = 60.0, *, wide: bool = False) -> Listing:
        """What is there now; cut when it takes longer than `seconds`.

        `wide`: for a first look. Where it is cut the upper folders are there, and of a large one a part.
        """
        self._idle.asked()
        kept, hearing, at = self._kept, self._hearing(), moment()
        ignore = Ignore(self._root)
        if kept is not None and hearing is not None and hearing.silent_all(kept.silent_at) and kept.speaks(ignore):
            return kept.listing
        walk = _Walk(self._root, {} if kept is None else kept.folders, hearing, at, ignore, _GLANCE if wide else None)
        walk.go(pulse, time.monotonic() + seconds, self._held)
        self.looked += walk.looked
        self.read += walk.read
        if walk.tally.cut:
            return walk.listing({})
        if kept is not None and not walk.changed and len(walk.now) == len(kept.folders):
            listing = kept.listing
        else:
            listing = walk.listing({} if kept is None else kept.listing.made)
        said = tuple((path, left.said) for path, left in walk.now.items() if left.has_rules)
        self._kept = _Kept(walk.now, said, listing, at if walk.silent else 0)
        return listing

    def tracked(self) -> list[str] | None:
        """What `tracked_paths` says, kept as long as git's index is the same file; not to be changed."""
        seen = self._root.stat(".git/index")
        stamp = None if seen is None else settled((seen.inode, seen.mtime_ns, seen.ctime_ns, seen.size))
        if stamp is None or self._tracked[0] != stamp:
            self._tracked = stamp, tracked_paths(self._root)
        return self._tracked[1]

    def forget(self) -> None:
        """Keep nothing, until it is asked for again."""
        self._idle.stop()
        self.large.forget()
        self._kept, self._tracked = None, (None, None)


class _Walk:
    """One walk over all folders, with what was known of them before."""

    def __init__(
        self,
        root: Root,
        before: dict[str, Left],
        hearing: Hearing | None,
        at: int,
        ignore: Ignore,
        names: int | None = None,
    ) -> None:
        """`names`: level by level, and so many names of a folder that isn't known."""
        self._root = root
        self._names = names
        self._before = before
        self._hearing = hearing
        self._at = at
        self._ignore = ignore
        self.now: dict[str, Left] = {}
        self.tally = Tally()
        self.changed = False
        """Whether a folder is another than before, or one more."""
        self.unreadable: list[str] = []
        self.held = 0
        """Characters of paths that are folders' names."""
        self.silent = hearing is not None
        """Whether each folder is watched, so that a change of any would be heard."""
        self.looked = 0
        self.read = 0

    def go(self, pulse: Pulse, deadline: float, most: int) -> None:
        """Fill `now`, in the order of a walk or level by level; up to the deadline, or as much as may be held."""
        ahead: deque[tuple[str, tuple[str, ...], bool]] = deque([(".", (), True)])
        while ahead:
            enough = self._names is None or len(self.now) >= _GLANCE_FOLDERS
            if (enough and time.monotonic() > deadline) or self.held > most:
                self.tally.cut = True
                return
            path, rules, same = ahead.popleft() if self._names else ahead.pop()
            before = self._before.get(path)
            left = self._left(path, rules, before, same)
            if left is None:
                self.changed |= before is not None
                continue
            self.now[path] = left
            self._count(left, before)
            self.held += left.count * len(path)
            pulse.beat(self.tally.looked_at)
            same = before is not None and before.identity == left.identity
            runs = left.runs if self._names else reversed(left.runs)
            ahead.extend((folder, left.rules, same) for _, folder in runs if folder is not None)

    def listing(self, made: dict[Any, Any]) -> Listing:
        """What was found, as others are handed it."""
        paths, folders = _flat(self.now)
        return Listing(paths, self.tally, made, folders, tuple(self.unreadable))

    def _count(self, left: Left, before: Left | None) -> None:
        self.changed |= before is None or left.runs is not before.runs or left.ignored != before.ignored
        self.changed |= before is not None and (left.apart, left.links) != (before.apart, before.links)
        left.count_in(self.tally)

    def _left(self, path: str, above: tuple[str, ...], before: Left | None, same: bool) -> Left | None:
        """What is left of a folder; None where it can't be read, which is counted.

        `same`: the folder above is the one that it was.
        """
        if same and before is not None and self._is_silent(path, before.identity, before.at):
            said = _spoken(self._ignore, path, has_rules=before.has_rules)
            if said == before.said and (*above, *said) == before.rules:
                return before
        self.looked += 1
        try:
            with self._root.folder(path) as descriptor:
                left = self._look(path, descriptor, above, before)
        except OSError as error:  # pragma: no cover - needs a disk that fails
            raise refusal(path, error) from error
        except WorkroomError:
            if path == ".":
                raise
            self.tally.unreadable += 1
            self.unreadable.append(path)
            self.silent = False
            return None
        self.silent = self.silent and self._is_silent(path, left.identity, self._at)
        return left

    def _is_silent(self, path: str, identity: Identity, since: int) -> bool:
        return self._hearing is not None and self._hearing.silent(path, identity, since)

    def _look(self, path: str, descriptor: int, above: tuple[str, ...], before: Left | None) -> Left:
        """What it was before, where the folder is the same and the ignore files say the same; else read anew."""
        info = os.fstat(descriptor)
        stamp = (info.st_ino, info.st_mtime_ns, info.st_ctime_ns, info.st_dev)
        if before is not None and before.stamp == stamp:
            said = _spoken(self._ignore, path, has_rules=before.has_rules)
            if said == before.said and (*above, *said) == before.rules:
                return replace(before, at=self._at)
        self.read += 1
        now = settled(stamp)
        with os.scandir(descriptor) as entries:
            names = sorted(
                (entry.name, entry_kind(entry))
                for entry in itertools.islice(entries, self._names)
                if not entry.name.startswith(STAGE_PREFIX)
            )
            cut = next(entries, None) is not None
        self.tally.cut |= cut
        has_rules = path == "." or cut or any(n == ".gitignore" and kind is not Kind.DIRECTORY for n, kind in names)
        said = _spoken(self._ignore, path, has_rules=has_rules)
        rules = (*above, *said)
        sifted = _sifted("" if path == "." else f"{path}/", names, self._ignore if rules else None)
        runs, ignored, apart, links = sifted
        if before is not None and before.runs == runs:
            runs = before.runs
        count = len(names) - ignored - len(apart)
        identity = info.st_dev, info.st_ino
        return Left(identity, self._at, now, has_rules, said, rules, runs, count, ignored, apart, links)


def _flat(folders: dict[str, Left]) -> tuple[tuple[str, ...], dict[str, Left]]:
    """All files, and the folders, in the order of a walk."""
    paths: list[str] = []
    ordered: dict[str, Left] = {}
    ahead = [iter(folders["."].runs if "." in folders else ())]
    if "." in folders:
        ordered["."] = folders["."]
    while ahead:
        found = next(ahead[-1], None)
        if found is None:
            ahead.pop()
            continue
        paths += found[0]
        if found[1] in folders:
            ordered[found[1]] = folders[found[1]]
            ahead.append(iter(folders[found[1]].runs))
    return tuple(paths), ordered


def _spoken(ignore: Ignore, path: str, *, has_rules: bool) -> tuple[str, ...]:
    """What the folder's own ignore files say, if anything."""
    text = ignore.text_of("" if path == "." else path, has_rules)
    return (path, text) if text.strip() else ()


def _sifted(
    prefix: str, names: Iterable[tuple[str, Kind]], ignore: Ignore | None
) -> tuple[_Runs, int, tuple[str, ...], tuple[str, ...]]:
    """The runs of what is left, how many are ignored, the names that are apart, and the links among what is left."""
    runs: list[tuple[tuple[str, ...], str | None]] = []
    files: list[str] = []
    links, apart, ignored = [], [], 0
    for name, kind in names:
        if name in APART:
            apart.append(name)
        elif ignore is not None and ignore.ignored(prefix + name, kind is Kind.DIRECTORY):
            ignored += 1
        elif kind is Kind.DIRECTORY:
            runs.append((tuple(files), prefix + name))
            files = []
        else:
            files.append(prefix + name)
            if kind is Kind.SYMLINK:
                links.append(prefix + name)
    return (*runs, (tuple(files), None)), ignored, tuple(apart), tuple(links)
