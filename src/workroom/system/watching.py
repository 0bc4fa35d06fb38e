"""What the operating system tells of changes in folders: hints to look, never the truth.

One watch a folder, so that folders nobody cares about cost none. Hints come on a thread of the library's, `hear` with
folder, name and whether that is a folder which was just made, `lost` when the system has dropped some: then everything
has to be looked at. Linux only (inotify through watchdog); elsewhere, and where the system gives no more, UNSUPPORTED
says why, and `add` answers False.
"""

from __future__ import annotations

import contextlib
import errno
import os
import threading
from collections.abc import Callable
from typing import Any

from workroom.base.errors import ErrorCode, WorkroomError

__all__ = ["Watcher"]

_CREATED, _GONE, _MOVED, _WRITTEN, _ATTRIBUTES = 0x100, 0x200, 0x40 | 0x80, 0x2 | 0x8, 0x4
_MASK = _CREATED | _GONE | _MOVED | _WRITTEN | _ATTRIBUTES | 0x01000000 | 0x04000000
"""Of a folder only, and not of files that are unlinked already. Opening and reading are no changes."""
_FOLDER = 0x40000000
_UNNAMED = 0x2000 | 0x8000
"""The file system went away, or the watch did."""


class Watcher:
    """Watches folders, each by the name that its user has for it. Safe to use from many threads."""

    def __init__(self, hear: Callable[[str, str, bool], None], lost: Callable[[], None]) -> None:
        """UNSUPPORTED where the system has no events, or gives this user no more."""
        self._hear = hear
        self._lost = lost
        self._lock = threading.Lock()
        self._folders: dict[str, int] = {}
        self._events = _start()

    def add(self, descriptor: int, folder: str) -> bool:
        """Tell of what happens in an open folder from now on, under this name; False where the system doesn't."""
        self.drop(folder)
        path = os.fsencode(f"/proc/self/fd/{descriptor}")
        with self._lock, contextlib.suppress(OSError):
            watch = self._events.add_callback(path, _MASK, _Folder(self, folder), folder)
            if watch != -1:
                self._folders[folder] = watch
                return True
            self._events.remove_callbacks([(watch, folder)])
        return False

    def add_path(self, path: str, folder: str) -> bool:
        """The same of a folder that is anywhere."""
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            return self.add(descriptor, folder)
        finally:
            os.close(descriptor)

    def drop(self, folder: str) -> None:
        """Tell no more of a folder."""
        with self._lock:
            watch = self._folders.pop(folder, None)
            if watch is not None:
                with contextlib.suppress(OSError):
                    self._events.remove_callbacks([(watch, folder)])

    def drop_below(self, folder: str) -> None:
        """The same, and of all folders below it."""
        with self._lock:
            names = [name for name in self._folders if name == folder or name.startswith(f"{folder}/")]
        for name in names:
            self.drop(name)

    def watches(self, folder: str) -> bool:
        """Whether it tells of a folder."""
        return folder in self._folders

    def close(self) -> None:
        """Tell nothing more; the thread has ended when this returns."""
        self._events.stop()
        self._events.join()

    def heard(self, folder: str, name: bytes, mask: int) -> None:
        """An event of the library's."""
        if not mask & _UNNAMED:
            self._hear(folder, os.fsdecode(name), bool(mask & _FOLDER and mask & _CREATED))

    def ended(self, folder: str, watch: int) -> None:
        """The system watches this folder no more: it is gone."""
        with self._lock:
            if self._folders.get(folder) == watch:
                del self._folders[folder]

    def overflowed(self) -> None:
        """Events were dropped."""
        self._lost()


class _Folder:
    """What the library calls for one folder."""

    def __init__(self, watcher: Watcher, folder: str) -> None:
        self._watcher = watcher
        self._folder = folder

    def on_event(self, event: Any) -> None:
        self._watcher.heard(self._folder, event.name, event.mask)

    def on_watch_deleted(self, wd: int) -> None:
        self._watcher.ended(self._folder, wd)

    def on_queue_overflow(self) -> None:
        self._watcher.overflowed()


def _start() -> Any:
    """The library's reader, running on a thread of its own."""
    try:
        from watchdog.observers.inotify_c import InotifyFD  # noqa: PLC0415 - heavy, and there is none beside Linux

        events = InotifyFD()
    except OSError as error:
        why = "it gives this account no more of them (fs.inotify.max_user_instances)"
        if error.errno != errno.EMFILE:
            why = error.strerror or str(error)  # pragma: no cover - no memory
        raise _unsupported(why) from error
    except Exception as error:  # pragma: no cover - not on Linux
        raise _unsupported("it has none that are used here") from error
    events.start()
    return events


def _unsupported(why: str) -> WorkroomError:
    return WorkroomError(ErrorCode.UNSUPPORTED, f"The system doesn't tell of changes in folders: {why}.")
