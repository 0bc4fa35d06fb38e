"""The paths of a root's files, kept from one finding to the next: a folder is read again only when it is another one.

    files() ──> a folder's stamp (inode, times) as it was read?  yes: its names as they were
                                                                 no: its names are read
                the ignore files on the way say the same?        yes: what they leave as it was

That a name came or went changes the times of the folder that it stands in, so nothing is believed that a look at each
folder doesn't show. A folder that was changed just before it was read is read again: within one tick of the file
system's clock it can change unseen.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from workroom.base.changes import Kind
from workroom.base.errors import WorkroomError
from workroom.base.pulse import STILL, Pulse
from workroom.core.search.ignore import Ignore
from workroom.core.search.listing import APART, Tally, entry_kind
from workroom.core.search.tracked import tracked_paths
from workroom.system.root import Root, refusal
from workroom.text.paths import STAGE_PREFIX

__all__ = ["Names"]

_KEPT_SECONDS = 300.0
"""How long names are kept that nobody asks for."""
_TICK_NS = 100_000_000
_COARSE_TICK_NS = 2_500_000_000
"""Within how much of its last change a folder may change unseen; the second where times are whole seconds."""

Stamp = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class _Left:
    """What ignore files leave of a folder: files, then a folder, then the files behind it, and so on."""

    stamp: Stamp | None
    """Of the folder as it was read; None where it may have been another within the same tick."""
    has_rules: bool
    """Whether it has an ignore file."""
    rules: tuple[str, ...]
    """What the ignore files on the way to it and its own say."""
    runs: tuple[tuple[tuple[str, ...], str | None], ...]
    count: int
    ignored: int
    apart: tuple[str, ...]


class Names:
    """Of one root. Safe to use from many threads."""

    def __init__(self, root: Root, seconds: float = _KEPT_SECONDS) -> None:
        self._root = root
        self._seconds = seconds
        self._kept: dict[str, _Left] = {}
        self._tracked: tuple[Stamp | None, list[str] | None] = (None, None)
        self._lock = threading.Lock()
        """For the timer."""
        self._timer: threading.Timer | None = None
        self._asked = 0.0
        self.read = 0
        """How many folders were read, and not only looked at."""

    def files(self, tally: Tally, pulse: Pulse = STILL, seconds: float = 60.0) -> Iterator[str]:
        """Every file and link below the root that isn't ignored, in the order of a walk; `.git` and `.agentic` apart.

        What was passed over is counted in `tally`, which is cut when it takes longer than `seconds`.
        """
        self._keep()
        deadline = time.monotonic() + seconds
        ignore, before, now = Ignore(self._root), self._kept, {}
        stack: list[tuple[str, Iterator[tuple[tuple[str, ...], str | None]], tuple[str, ...]]] = []
        next_one: tuple[str, tuple[str, ...]] | None = (".", ())
        while True:
            if next_one is not None:
                path, rules = next_one
                left = self._left(path, rules, before.get(path), ignore, tally)
                if left is not None:
                    now[path] = left
                    pulse.beat(tally.looked_at)
                    stack.append((path, iter(left.runs), left.rules))
            if not stack:
                break
            if time.monotonic() > deadline:
                tally.cut = True
                return
            _, runs, rules = stack[-1]
            found = next(runs, None)
            if found is None:
                stack.pop()
                next_one = None
                continue
            yield from found[0]
            next_one = None if found[1] is None else (found[1], rules)
        self._kept = now

    def tracked(self) -> list[str] | None:
        """What `tracked_paths` says, kept as long as git's index is the same file; not to be changed."""
        seen = self._root.stat(".git/index")
        stamp = None if seen is None else _settled((seen.inode, seen.mtime_ns, seen.ctime_ns, seen.size))
        if stamp is None or self._tracked[0] != stamp:
            self._tracked = stamp, tracked_paths(self._root)
        return self._tracked[1]

    def forget(self) -> None:
        """Keep nothing, until it is asked for again."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = None
        self._kept, self._tracked = {}, (None, None)

    # One folder.

    def _left(
        self, path: str, above: tuple[str, ...], before: _Left | None, ignore: Ignore, tally: Tally
    ) -> _Left | None:
        """What is left of a folder; None where it can't be read, which is counted."""
        try:
            with self._root.folder(path) as descriptor:
                left = self._look(path, descriptor, above, before, ignore)
        except OSError as error:  # pragma: no cover - needs a disk that fails
            raise refusal(path, error) from error
        except WorkroomError:
            if path == ".":
                raise
            tally.unreadable += 1
            return None
        tally.looked_at += left.count
        tally.ignored += left.ignored
        tally.apart.update(left.apart)
        return left

    def _look(self, path: str, descriptor: int, above: tuple[str, ...], before: _Left | None, ignore: Ignore) -> _Left:
        """What it was before, where the folder is the same and the ignore files say the same; else read anew."""
        info = os.fstat(descriptor)
        stamp = (info.st_ino, info.st_mtime_ns, info.st_ctime_ns, info.st_dev)
        if before is not None and before.stamp == stamp:
            rules = (*above, *_spoken(ignore, path, before.has_rules))
            if rules == before.rules:
                return before
        self.read += 1
        settled = _settled(stamp)
        with os.scandir(descriptor) as entries:
            names = sorted(
                (entry.name, entry_kind(entry) is Kind.DIRECTORY)
                for entry in entries
                if not entry.name.startswith(STAGE_PREFIX)
            )
        has_rules = path == "." or (".gitignore", False) in names
        rules = (*above, *_spoken(ignore, path, has_rules))
        runs, ignored, apart = _sifted("" if path == "." else f"{path}/", names, ignore if rules else None)
        return _Left(settled, has_rules, rules, runs, len(names) - ignored - len(apart), ignored, apart)

    # Keeping.

    def _keep(self) -> None:
        """Let go of all when nobody has asked for a while."""
        with self._lock:
            self._asked = time.monotonic()
            if self._timer is None:
                self._arm(self._seconds)

    def _arm(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, self._rest)
        self._timer.daemon = True
        self._timer.start()

    def _rest(self) -> None:
        with self._lock:
            left = self._asked + self._seconds - time.monotonic()
            if left > 0:
                self._arm(left)
                return
        self.forget()


def _settled(stamp: Stamp) -> Stamp | None:
    """The stamp, where what has it can't change any more without another."""
    newest = max(stamp[1], stamp[2])
    tick = _TICK_NS if stamp[1] % 1_000_000_000 else _COARSE_TICK_NS
    return stamp if newest + tick < time.time_ns() else None


def _spoken(ignore: Ignore, path: str, has_rules: bool) -> tuple[str, ...]:
    """What the folder's own ignore files say, if anything."""
    text = ignore.text_of("" if path == "." else path, has_rules)
    return (path, text) if text.strip() else ()


def _sifted(
    prefix: str, names: Iterable[tuple[str, bool]], ignore: Ignore | None
) -> tuple[tuple[tuple[tuple[str, ...], str | None], ...], int, tuple[str, ...]]:
    """The runs of what is left, how many are ignored, and the names that are apart."""
    runs: list[tuple[tuple[str, ...], str | None]] = []
    files: list[str] = []
    apart, ignored = [], 0
    for name, is_folder in names:
        if name in APART:
            apart.append(name)
        elif ignore is not None and ignore.ignored(prefix + name, is_folder):
            ignored += 1
        elif is_folder:
            runs.append((tuple(files), prefix + name))
            files = []
        else:
            files.append(prefix + name)
    return (*runs, (tuple(files), None)), ignored, tuple(apart)
