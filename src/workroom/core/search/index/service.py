"""Index: which files of one folder can hold what is looked for, kept current by what the watcher hears.

    narrow(query) ──> has everything been heard that happened so far?      no: it can't say, all files are searched
                      what does the query need?                  nothing: the same
                      the files whose signature has that
                    + those that were changed since they were read, and those that came
                    - those that aren't walked to, by the path, the globs and the ignore files ──> candidates

What is heard makes a file a candidate until the index is brought along (by a program of its own, `build`). What changes
which files are walked to at all (folders that come and go, ignore files) makes the index unsure: until it is brought
along it can't say. So does everything that the watcher may have missed.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from workroom.base.changes import Kind
from workroom.base.errors import WorkroomError
from workroom.base.settings import Settings
from workroom.base.traffic import Traffic
from workroom.core.search.encodings import number_of
from workroom.core.search.index import build, manifest
from workroom.core.search.index.build import folders_of, walked
from workroom.core.search.index.literals import needs
from workroom.core.search.index.matrix import Block, Matrix
from workroom.core.search.index.signature import ALWAYS, BINARY, FOREIGN, ODD_CASE, UNSURE, kind
from workroom.core.search.query import LARGEST, Query, order
from workroom.system.process import base_env, confines, ripgrep, stream
from workroom.system.root import Root

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Ears", "Index", "Narrowed", "Pace", "ignore_file"]

_log = logging.getLogger(__name__)

_MOST_HEARD = 50_000
"""More changed paths are taken for everything."""
_MANY_CHANGED = 300
"""With more changed paths the index is brought along."""
_MOST = 40_000
"""More candidates than that, or than this share of the files, are found as fast by a walk of everything."""
_SHARE = 0.5
_FEW = 400
_LISTINGS = 16
_SETTLED_NS = 2_500_000_000
"""So long after its last change a file can't change without another time."""
_PART = 4
"""So many times as long as it took the last time is waited until it is brought along again."""
_BUILD_SECONDS = 3600.0
_LISTEN_SECONDS = 0.5
_COURTESY = 5.0
"""So many seconds building gives way to calls."""
_TRIES = 40
_MOST_LOOKED_AT = 5_000
_NAMED = re.compile(r"(?:.*/)?\*(?P<suffix>\.[A-Za-z0-9_]+)", re.DOTALL)
_PLAIN = re.compile(r"([^\w/.-])")
_UNSPEAKABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]|\s\Z")
"""What an ignore file can't name for certain."""


class _Stopped(Exception):  # noqa: N818 - no error: the index was ended
    """The index was ended in the middle of a build."""


class Ears(Protocol):
    """What hears of changes in the folder."""

    def listen(self, hear: Callable[[str, str], None], lost: Callable[[], None]) -> None:
        """Tell of each name in a folder at which something happened, and of the loss of such hints."""

    def heard_all(self) -> bool:
        """Whether all that happened so far, wherever it isn't ignored, has been told by now."""

    def listens(self, seconds: float) -> bool:
        """Wait until every folder that was heard of is listened to; False if it takes longer."""

    def watches(self, folder: str) -> bool:
        """Whether a folder is listened to."""


@dataclass(frozen=True, slots=True)
class Narrowed:
    """The only files that have to be searched, each list in the order of a walk."""

    texts: list[str]
    """Files that ripgrep reads alike whether it is given their names or walks to them."""
    walked: list[str]
    """Files that it has to walk to: it reads those in a way of its own."""
    binary: int | None
    """How many of them it passes over as binary; None where that has to be read from its log."""
    others: int
    """So many files hold nothing that is looked for."""
    binary_others: int
    """So many of those are binary."""
    unreadable: int
    """Folders that can't be looked into."""
    foreign: list[tuple[str, int]] = field(default_factory=list)
    """All files that aren't UTF-8, with the number of their encoding."""

    def rules(self) -> bytes:
        """An ignore file that leaves those which are walked to."""
        return ignore_file(self.walked)


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds: before it is brought along, at least; between two of those; before another try."""

    quiet: float = 1.0
    between: float = 2.0
    retry: float = 60.0


@dataclass(frozen=True, slots=True)
class _Listing:
    """Which files of the index a search walks to, which beside them, and how many folders it can't look into."""

    listed: np.ndarray
    beside: list[str]
    unreadable: int


@dataclass(slots=True)
class _Loaded:
    """One state of the index, as it is asked."""

    paths: list[str]
    numbers: dict[str, int]
    folders: frozenset[str]
    suffixes: frozenset[str]
    unreadable: int
    flags: np.ndarray
    encodings: np.ndarray
    matrices: list[Matrix]
    excludes: dict[str, tuple[int, ...] | None]
    listings: dict[tuple[Any, ...], _Listing] = field(default_factory=dict)


@dataclass(slots=True)
class _Changes:
    """What was heard, looked at: files of the index that are others or gone, and files that came."""

    changed: list[int] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)
    new: list[str] = field(default_factory=list)

    def count(self) -> int:
        """How many."""
        return len(self.changed) + len(self.gone) + len(self.new)


class Index:
    """Of one root; safe to use from many threads. `folder` is where it is kept, never inside the root."""

    def __init__(
        self,
        root: Root,
        folder: Path,
        ears: Ears,
        settings: Callable[[], Settings],
        pace: Pace | None = None,
        traffic: Traffic | None = None,
    ) -> None:
        self._root = root
        self._folder = folder
        self._ears = ears
        self._settings = settings
        self._pace = pace or Pace()
        self._traffic = traffic or Traffic()
        self._changed = threading.Condition()
        self._loaded: _Loaded | None = None
        self._heard: set[str] = set()
        """Paths at which something happened since the files of `_loaded` were looked at."""
        self._meanwhile: set[str] = set()
        """The same since the build that runs now has begun."""
        self._unsure = True
        self._reason = "It is being built."
        self._last = 0.0
        self._took = 0.0
        self._stopping = False
        self._asked = False
        self._kinds: dict[str, tuple[tuple[int, ...], tuple[int, int]]] = {}
        """Of files that were changed, as they were with such a stat."""
        self._building: threading.Event | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Build it, and keep it current, on a thread of its own. Returns at once."""
        self._ears.listen(self._hear, self._lose)
        self._thread = threading.Thread(target=self._run, name="workroom-index", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Keep it no more; nothing of it runs when this returns."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()
        self._thread, self._loaded = None, None

    def ready(self, seconds: float) -> bool:
        """Wait until it can say something; whether that is within the time."""
        with self._changed:
            return self._changed.wait_for(lambda: self._loaded is not None and not self._unsure, seconds)

    def describe(self) -> dict[str, Any]:
        """How searches are narrowed: `search_index` is ready, or off with `search_index_reason`; of its files some are
        searched whatever is asked."""
        loaded = self._loaded
        if self._wanted() and loaded is not None and not self._unsure:
            always = int((loaded.flags & ALWAYS != 0).sum())
            return {"search_index": "ready", "search_index_files": len(loaded.paths), "search_index_always": always}
        reason = self._reason if self._wanted() else "It is switched off (setting search_index)."
        return {"search_index": "off", "search_index_reason": f"{reason} A search reads all files meanwhile."}

    # Asked.

    def narrow(self, path: str, query: Query) -> Narrowed | None:
        """The candidates of a query in the folder `path`; None where all files have to be searched."""
        needed = needs(query.text, regex=query.regex, exact_case=query.case_sensitive is True)
        try:
            if not needed or query.ignored or not self._wanted() or not self._ears.heard_all():
                return None
            with self._changed:
                loaded, heard = self._loaded, frozenset(self._heard)
                if loaded is None or self._unsure:
                    self._asked = True
                    self._changed.notify_all()
                    return None
            changes = self._look(loaded, heard)
            if changes is None:
                self._doubt()
                return None
            return self._narrowed(loaded, changes, path, query, needed)
        except WorkroomError:  # of a glob that is wrong, ripgrep says it itself
            return None

    def _narrowed(self, loaded: _Loaded, changes: _Changes, path: str, query: Query, needed: Any) -> Narrowed | None:
        import numpy as np  # noqa: PLC0415 - heavy

        if (changes.new and not query.hidden) or not self._globs_fit(loaded, query):
            return None
        walk = self._walk(loaded, path, query)
        if path != "." and (walk.beside or not self._ears.watches(path)):
            return None
        odd = ODD_CASE if query.regex or query.case_sensitive is not True else 0
        found = loaded.flags & (ALWAYS | odd) != 0
        for matrix in loaded.matrices:
            matrix.ask(needed, found)
        found[changes.changed] = True
        present = walk.listed.copy()
        present[changes.gone] = False
        foreign = np.flatnonzero((loaded.flags & FOREIGN != 0) & present).tolist()
        found &= present
        numbers = np.flatnonzero(found)
        present &= ~found
        others = int(np.count_nonzero(present))
        binary = int(np.count_nonzero(loaded.flags[present] & BINARY))
        more = {*walk.beside, *self._walked_to(changes.new, path, query)}
        if numbers.size + len(more) > min(_MOST, max(_SHARE * (others + numbers.size), _FEW)):
            return None
        changed = frozenset(changes.changed)
        kinds = {loaded.paths[n]: None if n in changed else int(loaded.flags[n]) for n in numbers.tolist()}
        encodings = {loaded.paths[n]: int(loaded.encodings[n]) for n in foreign if n not in changed}
        return self._sorted_out({**kinds, **dict.fromkeys(more)}, (others, binary, walk.unreadable), encodings)

    def _sorted_out(
        self, kinds: dict[str, int | None], rest: tuple[int, int, int], foreign: dict[str, int]
    ) -> Narrowed | None:
        """The candidates by how they have to be read; the flags of those that have None are looked up."""
        if any(map(_UNSPEAKABLE.search, kinds)):
            return None
        unknown = {path: self._kind(path) for path, kind in kinds.items() if kind is None}
        flags = {path: unknown[path][0] if kind is None else kind for path, kind in kinds.items()}
        foreign |= {path: encoding for path, (_, encoding) in unknown.items() if encoding}
        apart = sorted((path for path, each in flags.items() if each & (BINARY | UNSURE)), key=order)
        texts = sorted((path for path, each in flags.items() if not each & (BINARY | UNSURE)), key=order)
        sure = not any(flags[path] & UNSURE for path in apart)
        return Narrowed(texts, apart, len(apart) if sure else None, *rest, list(foreign.items()))

    def _kind(self, path: str) -> tuple[int, int]:
        """The flags and the encoding of a file as it is now; UNSURE where it can't be read."""
        seen = self._root.stat(path)
        if seen is None or seen.kind is not Kind.FILE or seen.links != 1 or seen.size > LARGEST:
            return UNSURE, 0
        stamp = (seen.inode, seen.size, seen.mtime_ns, seen.ctime_ns)
        kept = self._kinds.get(path)
        if kept is None or kept[0] != stamp:
            try:
                data = self._root.read(path, LARGEST)
                kept = stamp, (kind(data), number_of(data))
            except WorkroomError:  # pragma: no cover - it went away this moment
                return UNSURE, 0
            if max(seen.mtime_ns, seen.ctime_ns) + _SETTLED_NS < time.time_ns():
                self._kinds[path] = kept
        return kept[1]

    def _globs_fit(self, loaded: _Loaded, query: Query) -> bool:
        """Whether no folder that isn't listened to can be walked to because its name fits a glob."""
        found = [_NAMED.fullmatch(glob) for glob in query.include]
        return all(each is not None and each["suffix"] not in loaded.suffixes for each in found)

    def _walk(self, loaded: _Loaded, path: str, query: Query) -> _Listing:
        """What a search of the folder walks to, as it was when the index was brought along."""
        import numpy as np  # noqa: PLC0415 - heavy

        key = (path, query.hidden, query.include, query.exclude)
        if key == (".", True, (), ()):
            return _Listing(np.ones(len(loaded.paths), dtype=bool), [], loaded.unreadable)
        kept = loaded.listings.get(key)
        if kept is None:
            paths, unreadable = walked(self._root, path, query)
            kept = _Listing(np.zeros(len(loaded.paths), dtype=bool), [], unreadable)
            for each in paths:
                number = loaded.numbers.get(each)
                if number is None:
                    kept.beside.append(each)
                else:
                    kept.listed[number] = True
            if len(loaded.listings) >= _LISTINGS:
                loaded.listings.clear()
            loaded.listings[key] = kept
        return kept

    def _walked_to(self, paths: list[str], path: str, query: Query) -> list[str]:
        """Which of some files that came a search of the folder walks to."""
        below = "" if path == "." else f"{path}/"
        asked = {each for each in paths if each.startswith(below)}
        if not asked or any(map(_UNSPEAKABLE.search, asked)):
            return sorted(asked)
        return [each for each in walked(self._root, path, query, ignore_file(asked))[0] if each in asked]

    # Heard.

    def _hear(self, folder: str, name: str) -> None:
        path = name if folder == "." else f"{folder}/{name}"
        with self._changed:
            if self._building is not None:
                self._meanwhile.add(path)
            self._heard.add(path)
            if len(self._heard) > _MOST_HEARD:
                self._heard.clear()
                self._unsure = True
            self._changed.notify_all()

    def _lose(self) -> None:
        with self._changed:
            self._unsure = True
            if self._building is not None:
                self._building.set()
            self._changed.notify_all()

    def _doubt(self) -> None:
        """It has to be brought along before it says anything more."""
        with self._changed:
            self._unsure = True
            self._reason = "Folders or ignore files have changed; it is brought along."
            self._changed.notify_all()

    def _look(self, loaded: _Loaded, heard: frozenset[str]) -> _Changes | None:
        """What has become of the paths; None where that changes which other files are walked to, and for too many."""
        changes = _Changes()
        if len(heard) > _MOST_LOOKED_AT:
            return None
        if any(self._exclude_of(path) != seen for path, seen in loaded.excludes.items()):
            return None
        for path in heard:
            name = path.rpartition("/")[2]
            if name == ".agentic" or not name:
                continue
            number, seen = loaded.numbers.get(path), self._root.stat(path)
            if path in loaded.folders or name in {".git", ".gitignore"}:
                return None
            if seen is not None and seen.kind is Kind.DIRECTORY:
                return None
            if number is not None:
                is_file = seen is not None and seen.kind is Kind.FILE
                (changes.changed if is_file else changes.gone).append(number)
            elif seen is not None and seen.kind is Kind.FILE:
                changes.new.append(path)
        return changes if changes.count() <= 2 * _MANY_CHANGED else None

    def _exclude_of(self, path: str) -> tuple[int, ...] | None:
        seen = self._root.stat(path)
        return None if seen is None else (seen.inode, seen.size, seen.mtime_ns, seen.ctime_ns)

    # Kept current.

    def _wanted(self) -> bool:
        return self._settings().search_index

    def _run(self) -> None:
        while True:
            try:
                if not self._await():
                    return
                began = time.monotonic()
                self._bring()
                self._took = time.monotonic() - began
            except _Stopped:
                return
            except Exception as error:  # noqa: BLE001 - whatever it is, searches go on without
                _log.warning("%s: the index of texts can't be brought along: %s", self._root.path, error)
                with self._changed:
                    self._reason = f"It can't be built: {error}."
                    self._unsure, self._asked = True, False
                    self._changed.wait_for(lambda: self._stopping, self._pace.retry)
                    self._changed.wait_for(lambda: self._stopping or self._asked)
            self._last = time.monotonic()

    def _await(self) -> bool:
        """Wait until there is something to do; False at the end."""
        looked_at = 0
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._stopping or self._unsure or len(self._heard) != looked_at)  # noqa: B023
                gap = self._last + max(self._pace.between, _PART * self._took) - time.monotonic()
                self._changed.wait_for(
                    lambda: self._stopping,
                    max(0 if self._is_taken_up() else self._pace.quiet, gap if self._last else 0),
                )
                if self._stopping or self._unsure:
                    return not self._stopping
                loaded, heard = self._loaded, frozenset(self._heard)
            changes = self._look(loaded, heard) if loaded is not None else None
            if changes is None or changes.count() > _MANY_CHANGED:
                return True
            looked_at = len(heard)

    def _is_taken_up(self) -> bool:
        """Whether there is one on disk that nobody has asked yet: others wait for that; to build one can wait."""
        return self._loaded is None and (self._folder / manifest.NAME).exists()

    def _bring(self) -> None:
        """Have a program of its own look at everything, and take over what it has found."""
        hurried = self._is_taken_up()
        if not hurried:
            self._traffic.give_way(_COURTESY)
        lost = threading.Event()
        with self._changed:
            self._building, self._meanwhile = lost, set()
        try:
            while self._wanted() and not self._ears.listens(_LISTEN_SECONDS):
                self._check()
            if not self._wanted() or not any(self._ears.heard_all() for _ in range(_TRIES)):  # each waits a little
                raise OSError("changes in the folder aren't all heard of")
            with self._traffic.call() if hurried else contextlib.nullcontext():
                self._build()
                loaded = self._load()
        finally:
            with self._changed:
                self._building = None
                meanwhile, self._meanwhile = self._meanwhile, set()
        with self._changed:
            self._loaded, self._heard, self._kinds = loaded, meanwhile, {}
            self._unsure = lost.is_set()
            self._changed.notify_all()

    def _build(self) -> None:
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        argv = [sys.executable, "-P", "-m", build.__name__, self._root.path, self._root.identity, str(self._folder)]
        where = str(self._folder)
        with stream(argv, cwd=where, env=base_env(), timeout=_BUILD_SECONDS, check=self._check) as lines:
            list(lines)  # it says nothing
            if lines.code != 0:
                told = lines.stderr.decode("utf-8", "replace").strip().splitlines()
                raise OSError(told[-1] if told else f"the program ended with {lines.code}")

    def _check(self) -> None:
        if self._stopping:
            raise _Stopped

    def _load(self) -> _Loaded:
        import numpy as np  # noqa: PLC0415 - heavy

        found = manifest.read(str(self._folder))
        if found is None:  # pragma: no cover - needs somebody who writes there
            raise OSError("what was built can't be read")
        matrices = []
        for number, segment in enumerate(found.matrices):
            numbers = np.full(segment.files, -1, dtype=np.int32)
            mine = np.flatnonzero(found.segments == number)
            numbers[found.places[mine]] = mine
            blocks = [Block(kind, start, tuple(numbers[list(files)].tolist())) for kind, start, files in segment.blocks]
            matrices.append(Matrix(str(self._folder / segment.file), blocks))
        paths = list(found.paths)
        folders = folders_of(paths)
        for folder in folders:
            if not self._ears.watches(folder):  # pragma: no cover - needs rules that ripgrep and we read in two ways
                raise OSError(f"the folder {folder} isn't listened to")
        excludes = {path: self._exclude_of(path) for path in self._excludes(folders)}
        numbers_of = {path: number for number, path in enumerate(paths)}
        return _Loaded(
            paths,
            numbers_of,
            folders,
            found.suffixes,
            found.unreadable,
            found.flags,
            found.encodings,
            matrices,
            excludes,
        )

    def _excludes(self, folders: frozenset[str]) -> Iterator[str]:
        """The ignore files that no watch tells of: git's own, in each repository."""
        for folder in folders:
            path = ".git" if folder == "." else f"{folder}/.git"
            seen = self._root.stat(path)
            if (
                seen is not None and seen.kind is Kind.FILE and not confines(ripgrep())
            ):  # pragma: no cover - old kernels
                raise OSError(f"{path} leads out of the folder")
            if seen is not None:
                yield f"{path}/info/exclude"


def ignore_file(paths: Iterable[str]) -> bytes:
    """One that ignores all but these files."""
    folders: set[str] = set()
    lines = ["*"]
    for path in paths:
        ends = [at for at, char in enumerate(path) if char == "/"]
        for end in ends:
            if path[:end] not in folders:
                folders.add(path[:end])
                lines.append(f"!/{_escaped(path[:end])}/")
        lines.append(f"!/{_escaped(path)}")
    return "\n".join([*lines, ""]).encode()


def _escaped(path: str) -> str:
    return _PLAIN.sub(r"\\\1", path)
