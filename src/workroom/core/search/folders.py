"""What is in one folder, by name, however much that is.

    window(folder, after) ──> one of that folder is kept, and its times are the same?   yes: the rest of it
                                                                                        no: the folder is read

A system tells names in no order, so the folder is read whole for each window; only the names of the window are held.
Windows of large folders are kept, so that the next page of a listing costs no more than its own entries.
"""

from __future__ import annotations

import os
import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from workroom.base.changes import Kind
from workroom.core.search.idle import Idle
from workroom.core.search.stamp import Stamp, settled
from workroom.system.root import Root, refusal
from workroom.text.paths import STAGE_PREFIX

__all__ = ["Folders", "Window", "entry_kind"]

_MOST = 200_000
"""How many names of one folder are held."""
_LARGE = 5_000
"""Windows of as many names are kept."""
_KEPT = 4
_KEPT_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Window:
    """The first names of a folder after one that was asked for, sorted."""

    names: Sequence[str]
    kinds: Mapping[str, Kind]
    """Of those that aren't files."""
    count: int
    """How many names there are after that one, in the window and behind it."""
    passed: int = 0
    """How many more were looked at, and didn't fit."""
    unfit_rules: bool = False
    """Whether an ignore file is one of them."""

    @property
    def more(self) -> bool:
        """Whether there are names behind it."""
        return self.count > len(self.names)

    def kind(self, name: str) -> Kind:
        """What one of the names stands for."""
        return self.kinds.get(name, Kind.FILE)

    def has(self, name: str) -> bool:
        """Whether it is one of the names."""
        at = bisect_right(self.names, name)
        return at > 0 and self.names[at - 1] == name

    @property
    def has_rules(self) -> bool:
        """Whether there may be an ignore file, in a window from the first name on."""
        return self.unfit_rules or self.more or self.has(".gitignore")

    def after(self, name: str) -> Window:
        """What it holds after a name."""
        at = bisect_right(self.names, name)
        return Window(self.names[at:], self.kinds, self.count - at) if at else self


@dataclass(frozen=True, slots=True)
class _Kept:
    after: str
    stamp: Stamp
    window: Window

    def holds(self, after: str) -> bool:
        """Whether what comes after this name can be taken from it."""
        return after >= self.after and (not self.window.more or after < self.window.names[-1])


class Folders:
    """Of one root. Safe to use from many threads."""

    def __init__(self, root: Root, most: int = _MOST, large: int = _LARGE, seconds: float = _KEPT_SECONDS) -> None:
        """`most` names are in a window; those of `large` are kept until nobody has asked for so many seconds."""
        self._root = root
        self._most = most
        self._large = large
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._idle = Idle(seconds, self.forget)
        self.read = 0
        """How many times a folder was read."""

    def window(self, folder: str, after: str = "", fits: Callable[[str], object] | None = None) -> Window:
        """The first names after `after`; with `fits` only those of folders, and those that do.

        NOT_FOUND, INVALID_INPUT when it is no folder, IO_ERROR.
        """
        try:
            with self._root.folder(folder, beyond=True) as descriptor:
                stamp = _stamp(descriptor)
                kept = self._kept.get(folder)
                if kept is not None and kept.stamp == stamp and kept.holds(after) and fits is None:
                    self._idle.asked()
                    return kept.window.after(after)
                now = settled(stamp)
                with os.scandir(descriptor) as entries:
                    window = _first(entries, after, self._most, fits)
        except OSError as error:  # pragma: no cover - needs a disk that fails
            raise refusal(folder, error) from error
        self.read += 1
        if now is not None and fits is None and len(window.names) >= self._large:
            self._keep(folder, _Kept(after, now, window))
        return window

    def forget(self) -> None:
        """Keep nothing, until it is asked for again."""
        self._idle.stop()
        with self._lock:
            self._kept.clear()

    def _keep(self, folder: str, kept: _Kept) -> None:
        self._idle.asked()
        with self._lock:
            self._kept[folder] = kept
            self._kept.move_to_end(folder)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)


def _stamp(descriptor: int) -> Stamp:
    info = os.fstat(descriptor)
    return info.st_ino, info.st_mtime_ns, info.st_ctime_ns, info.st_dev


def _first(entries: Iterable[os.DirEntry[str]], after: str, most: int, fits: Callable[[str], object] | None) -> Window:
    names: list[str] = []
    kinds: dict[str, Kind] = {}
    count, passed, unfit_rules, last = 0, 0, False, None
    for entry in entries:
        name = entry.name
        if name <= after or name.startswith(STAGE_PREFIX):
            continue
        if last is not None and name > last and fits is None:
            count += 1
            continue
        is_file = entry.is_file(follow_symlinks=False)
        if fits is not None and not fits(name) and (is_file or entry_kind(entry) is not Kind.DIRECTORY):
            passed += 1
            unfit_rules |= name == ".gitignore"
            continue
        count += 1
        if last is not None and name > last:
            continue
        names.append(name)
        if not is_file:
            kinds[name] = entry_kind(entry)
        if len(names) > 2 * most:
            names.sort()
            del names[most:]
            last = names[-1]
    names.sort()
    del names[most:]
    return Window(names, kinds, count, passed, unfit_rules)


def entry_kind(entry: os.DirEntry[str]) -> Kind:
    """What an entry is itself, and not what a link leads to."""
    if entry.is_file(follow_symlinks=False):
        return Kind.FILE
    if entry.is_symlink():
        return Kind.SYMLINK
    return Kind.DIRECTORY if entry.is_dir(follow_symlinks=False) else Kind.OTHER
