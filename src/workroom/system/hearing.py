"""Which folders are watched, as which folders, and since when nothing was heard of their names.

Who looks into a folder, and is told later that it was `silent` since before that look, need not look again. Moments
are numbers that only grow, one after another in the whole process, so that none of an older watch means anything here.

    at = moment() -> look into the folder -> … -> silent(folder, identity, at): what was seen still stands

A folder by its path is another one when a name on the way to it was heard of: only that name's own folder is dropped
here. Who asks for a folder below must have found those above to be the same ones.
"""

from __future__ import annotations

import itertools
import threading

__all__ = ["Hearing", "Identity", "moment"]

Identity = tuple[int, int]
"""A folder's device and inode."""

_moments = itertools.count(1)


def moment() -> int:
    """Now: after all that was heard before, and before all that will be."""
    return next(_moments)


class Hearing:
    """Of one watcher. Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._folders: dict[str, tuple[Identity, int]] = {}
        self._latest = moment()

    def watch(self, folder: str, identity: Identity) -> None:
        """From now on everything in it is heard of."""
        with self._lock:
            self._latest = moment()
            self._folders[folder] = identity, self._latest

    def drop(self, folder: str) -> None:
        """It isn't watched any more."""
        with self._lock:
            self._drop(folder)

    def hear(self, folder: str, name: str) -> None:
        """A name in it came, went, or became another; a folder by that name may be another one."""
        with self._lock:
            self._latest = moment()
            known = self._folders.get(folder)
            if known is not None:
                self._folders[folder] = known[0], self._latest
            self._drop(name if folder == "." else f"{folder}/{name}")

    def lose(self) -> None:
        """Something was missed: nothing that is known counts, until it is watched anew."""
        with self._lock:
            self._latest = moment()
            self._folders.clear()

    def doubt(self) -> None:
        """What is watched has to be looked at again, all of it."""
        with self._lock:
            self._latest = moment()
            self._folders = {folder: (identity, self._latest) for folder, (identity, _) in self._folders.items()}

    def silent(self, folder: str, identity: Identity, since: int) -> bool:
        """Whether this very folder is watched since before that moment, and none of its names was heard of since."""
        known = self._folders.get(folder)
        return known is not None and known[0] == identity and known[1] <= since

    def silent_all(self, since: int) -> bool:
        """Whether nothing at all was heard since that moment, and no folder came or went."""
        return self._latest <= since

    def _drop(self, folder: str) -> None:
        if self._folders.pop(folder, None) is not None:
            self._latest = moment()
