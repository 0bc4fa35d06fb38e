"""What the operating system tells of changes in folders: hints to look, never the truth.

One watch a folder, so that folders nobody cares about cost none. Hints come on a thread of the library's, `hear` with
folder, name and whether that is a folder which was just made, `lost` when the system has dropped some: then everything
has to be looked at. Linux only (inotify through watchdog); elsewhere, and where the system gives no more, UNSUPPORTED
says why, and `add` answers False.

Events come in their order, a little late. `hear_all` makes one of its own and waits for it: what happened before has
been heard then, and `hearing` says in which folders nothing did.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import threading
from collections.abc import Callable
from typing import Any

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.system.hearing import Hearing
from workroom.system.syscalls import is_on_this_machine

__all__ = ["Watcher", "mounts_below"]

_CREATED, _GONE, _MOVED, _WRITTEN, _ATTRIBUTES = 0x100, 0x200, 0x40 | 0x80, 0x2 | 0x8, 0x4
_MASK = _CREATED | _GONE | _MOVED | _WRITTEN | _ATTRIBUTES | 0x01000000 | 0x04000000
"""Of a folder only, and not of files that are unlinked already. Opening and reading are no changes."""
_OF_NAMES = _CREATED | _GONE | _MOVED
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
        self._devices: dict[int, bool] = {}
        self.hearing = Hearing()
        self._events = _start()
        self._call = _Call(self._events)
        self._mounts = _Mounts()

    def add(self, descriptor: int, folder: str) -> bool:
        """Tell of what happens in an open folder from now on, under this name; False where the system doesn't."""
        self.drop(folder)
        path = os.fsencode(f"/proc/self/fd/{descriptor}")
        with self._lock, contextlib.suppress(OSError):
            watch = self._events.add_callback(path, _MASK, _Folder(self, folder), folder)
            if watch != -1:
                self._folders[folder] = watch
                self._listen(descriptor, folder)
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
        self.hearing.drop(folder)
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

    def hear_all(self, seconds: float) -> bool:
        """Wait until all is heard that has happened so far; False where that takes longer than so many seconds."""
        if self._mounts.changed():  # what is mounted on a folder hides it without an event
            self.hearing.doubt()
        return self._call.answered(seconds)

    def close(self) -> None:
        """Tell nothing more; the thread has ended when this returns."""
        self._call.close()
        self._events.stop()
        self._events.join()
        self._mounts.close()

    def heard(self, folder: str, name: bytes, mask: int) -> None:
        """An event of the library's."""
        if folder and (mask & _OF_NAMES or mask & _FOLDER):
            self.hearing.hear(folder, os.fsdecode(name))
        if not mask & _UNNAMED:
            self._hear(folder, os.fsdecode(name), bool(mask & _FOLDER and mask & _CREATED))

    def ended(self, folder: str, watch: int) -> None:
        """The system watches this folder no more: it is gone."""
        with self._lock:
            if self._folders.get(folder) == watch:
                del self._folders[folder]
                self.hearing.drop(folder)

    def overflowed(self) -> None:
        """Events were dropped."""
        self.hearing.lose()
        self._lost()

    def _listen(self, descriptor: int, folder: str) -> None:
        """Of folders whose changes other machines can make without an event here nothing is said."""
        info = os.fstat(descriptor)
        if info.st_dev not in self._devices:
            self._devices[info.st_dev] = is_on_this_machine(descriptor)
        if folder and self._devices[info.st_dev]:
            self.hearing.watch(folder, (info.st_dev, info.st_ino))


def mounts_below(path: str) -> frozenset[bytes]:
    """What is mounted on folders below a path: it hides them without an event. Empty where the system doesn't say."""
    below = os.fsencode(path.rstrip("/")).replace(b"\\", b"\\134").replace(b" ", b"\\040") + b"/"
    with contextlib.suppress(OSError), open("/proc/self/mountinfo", "rb") as file:
        return frozenset(line for line in file if line.split(b" ", 5)[4].startswith(below))
    return frozenset()  # pragma: no cover - not on Linux


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


class _Call:
    """An event of our own: it comes after all that happened before. What it happens to is a file in memory."""

    def __init__(self, events: Any) -> None:
        self._events = events
        self._lock = threading.Lock()
        self._heard = threading.Event()
        self._watched: tuple[int, int] | None = None
        self._closed = False

    def answered(self, seconds: float) -> bool:
        """Whether it was heard within so many seconds. One that comes later is taken for no other."""
        with self._lock:
            if self._watched is None and not self._closed:
                self._begin()
            if self._watched is None:
                return False
            self._heard.clear()
            os.utime(self._watched[0])
            heard = self._heard.wait(seconds)
            if not heard:
                self._end()
            return heard

    def close(self) -> None:
        """Answer no more."""
        with self._lock:
            self._closed = True
            self._end()

    def on_event(self, _event: Any) -> None:
        self._heard.set()

    def on_watch_deleted(self, wd: int) -> None:
        """Nobody waits any more."""

    def on_queue_overflow(self) -> None:
        """The folders are told."""

    def _begin(self) -> None:
        file = os.memfd_create("workroom-call")
        try:
            watch = self._events.add_callback(os.fsencode(f"/proc/self/fd/{file}"), _ATTRIBUTES, self, "call")
        except OSError:  # the system's limit
            os.close(file)
        else:
            self._watched = file, watch

    def _end(self) -> None:
        if self._watched is not None:
            file, watch = self._watched
            self._events.remove_callbacks([(watch, "call")])
            os.close(file)
        self._watched = None


class _Mounts:
    """Whether something was mounted, or is no more, since it was asked last; True where the system doesn't say."""

    def __init__(self) -> None:
        self._file: int | None = None
        self._poll = select.poll()
        with contextlib.suppress(OSError):
            self._file = os.open("/proc/self/mountinfo", os.O_RDONLY | os.O_CLOEXEC)
            self._poll.register(self._file, select.POLLPRI)

    def changed(self) -> bool:
        return self._file is None or bool(self._poll.poll(0))

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
        self._file = None


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
