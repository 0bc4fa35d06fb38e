"""The open folders of one server process, each with one workspace, and the threads that calls run on."""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from pathlib import Path

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.ids import new_id
from workroom.core.clients import Clients
from workroom.server.build import build_workspace, close_workspace
from workroom.server.ledger import Ledger
from workroom.server.pool import Pool
from workroom.server.presence import Presence
from workroom.server.settler import Settler
from workroom.system.clock import now
from workroom.system.state import StateDirectory
from workroom.tools.workspace import Workspace

__all__ = ["Hub"]

_THREADS = 16


class _Room:
    """A folder from the moment that its opening begins: `opened` and `closed` tell how far it is."""

    def __init__(self, path: str, adopt: str | None) -> None:
        self.path = path
        self.adopt = adopt
        self.identity = _identity(path)
        self.opened: Future[Workspace] = Future()
        self.closed: Future[None] = Future()
        self.settler: Settler | None = None
        self.opened.set_running_or_notify_cancel()  # one of those who wait may give up; the others still want it

    @property
    def workspace(self) -> Workspace | None:
        """The workspace, once it is open."""
        if not self.opened.done() or self.opened.exception() is not None:
            return None
        return self.opened.result()

    def has(self, store: str) -> bool:
        """Whether it is open, with the store of this name."""
        return self.workspace is not None and self.workspace.store.folder.name == store

    def is_in_the_way_of(self, other: _Room) -> bool:
        """Whether this one, which is being closed, holds something that opening the other needs."""
        same = self.identity is not None and self.identity == other.identity
        touching = _holds(self.path, other.path) or _holds(other.path, self.path)
        return same or touching or self.path == other.adopt


class Hub:
    """Opens each folder once. Safe to use from many threads.

    Opening (a crash may have left much to undo) and closing (a commit may still run) take their time on threads of
    their own; meanwhile everything else goes on, but for whoever wants that very folder.
    """

    def __init__(self, state: StateDirectory) -> None:
        self.state = state
        self.clients = Clients(state, now, new_id)
        """Who may come over HTTP."""
        self.presence = Presence(now)
        """Who works in which folder."""
        self.ledger = Ledger(state)
        """The audit log of what belongs to no workspace."""
        self.secret = secrets.token_bytes(32)
        """Signs what passes through a client and comes back; of this server only."""
        self.pool = Pool(_THREADS)
        """Where calls run."""
        self.closing: list[Callable[[Workspace], None]] = []
        """Called before a workspace is closed, from the thread that closes it."""
        self._lock = threading.Lock()
        """For the two collections alone; nobody does anything slow while holding it."""
        self._rooms: dict[str, _Room] = {}
        self._leaving: list[_Room] = []
        self._stopped = False

    def open(self, path: str, adopt: str | None = None) -> Workspace:
        """The workspace of the folder at `path`: the same one for everybody who names the same folder.

        `adopt` names the folder whose store it takes over. NOT_FOUND or INVALID_INPUT when there is no such folder,
        UNSUPPORTED when it stands inside another open one, or around it, or when another process owns it.
        TRANSACTION_STATE when either is open while a store is to be taken over. CANCELLED when the server stops.
        """
        return self.opening(path, adopt).result()

    def opening(self, path: str, adopt: str | None = None) -> Future[Workspace]:
        """The same, begun: for whoever has something better to do than to wait. May refuse at once."""
        room = _Room(os.path.realpath(path), os.path.realpath(adopt) if adopt else None)
        departed = self._departed()
        with self._lock:
            if self._stopped:
                raise WorkroomError(ErrorCode.CANCELLED, "The server stops.", next_step="Connect again.")
            for one in departed:
                self._begin_leaving(one)
            found = self._rooms.get(room.path) or self._under_another_name(room)
            if room.adopt is not None:
                self._check_closed(room.path, room.adopt)
            if found is not None:
                return found.opened
            self._check_apart(room.path)
            _start(self._build, room, [one for one in self._leaving if one.is_in_the_way_of(room)])
            self._rooms[room.path] = room
            return room.opened

    def entering(self, store: str) -> Future[Workspace]:
        """Begin to open the workspace that has the store of this name; NOT_FOUND when its folder isn't there.

        Look at what comes: a folder that was put into its place meanwhile has another store.
        """
        with self._lock:
            rooms = list(self._rooms.values())
        here = (room.path for room in rooms if room.has(store) and _identity(room.path) == room.identity)
        path = next(here, None) or self.state.folder_of(store)
        if path is None:
            raise WorkroomError(
                ErrorCode.NOT_FOUND,
                "The folder isn't where it was when it was opened last.",
                next_step="`workroom open FOLDER` where it is now.",
            )
        return self.opening(path)

    def locate(self, path: str) -> str | None:
        """The root of the workspace that holds `path`, open or known from earlier; None when there is none."""
        known = {one.path for one in self.state.workspaces() if one.inode}
        with self._lock:
            known.update(self._rooms)
        folder = os.path.realpath(path)
        while folder not in known:
            parent = os.path.dirname(folder)
            if parent == folder:
                return None
            folder = parent
        return folder

    def close(self, path: str) -> bool:
        """Close the workspace of a folder; whether it was open. Waits for a running commit; later ones are refused."""
        real = os.path.realpath(path)
        with self._lock:
            room = self._rooms.get(real)
            if room is None:
                return False
            self._begin_leaving(room)
        room.closed.result()
        return room.workspace is not None

    def workspaces(self) -> tuple[Workspace, ...]:
        """Every open workspace, by path."""
        with self._lock:
            rooms = [self._rooms[path] for path in sorted(self._rooms)]
        return tuple(room.workspace for room in rooms if room.workspace is not None)

    def stop(self, seconds: float) -> bool:
        """Let running calls and openings finish and close every folder; nothing may be opened any more.

        False when some were still running after `seconds`: their folders stay as by a crash, and the next opening
        makes them whole.
        """
        deadline = time.monotonic() + seconds
        with self._lock:
            self._stopped = True
            rooms = list(self._rooms.values())
        if not self.pool.close(seconds):
            return False
        if wait([room.opened for room in rooms], max(0.0, deadline - time.monotonic())).not_done:
            return False
        with self._lock:
            for room in list(self._rooms.values()):
                self._begin_leaving(room)
            leaving = list(self._leaving)
        for room in leaving:
            room.closed.result()
        self.ledger.close()
        return True

    # On threads of their own.

    def _build(self, room: _Room, in_the_way: list[_Room]) -> None:
        wait([one.closed for one in in_the_way])
        try:
            workspace = build_workspace(room.path, self.state, adopt=Path(room.adopt) if room.adopt else None)
            room.identity = workspace.root.device, workspace.root.inode
            room.settler = Settler(workspace)
            workspace.watch.start()
            workspace.semantic.start()
            workspace.index.start()
        except BaseException as error:  # noqa: BLE001 - whoever waits gets it
            with self._lock:
                if self._rooms.get(room.path) is room:
                    del self._rooms[room.path]
            room.opened.set_exception(error)
        else:
            room.opened.set_result(workspace)

    def _leave(self, room: _Room) -> None:
        wait([room.opened])
        try:
            if room.workspace is not None and room.settler is not None:
                for tell in tuple(self.closing):
                    tell(room.workspace)
                self.presence.forget(room.workspace)
                room.settler.close()
                close_workspace(room.workspace)
        except BaseException as error:  # noqa: BLE001 - whoever waits gets it
            self._left(room)
            room.closed.set_exception(error)
        else:
            self._left(room)
            room.closed.set_result(None)

    def _left(self, room: _Room) -> None:
        with self._lock:
            self._leaving.remove(room)

    # Under the lock.

    def _begin_leaving(self, room: _Room) -> None:
        if self._rooms.get(room.path) is room:
            _start(self._leave, room)
            del self._rooms[room.path]
            self._leaving.append(room)

    def _under_another_name(self, wanted: _Room) -> _Room | None:
        """The same folder, which a bind mount shows at another path too."""
        rooms = self._rooms.values()
        return next((one for one in rooms if wanted.identity is not None and one.identity == wanted.identity), None)

    def _check_closed(self, *folders: str) -> None:
        for folder in folders:
            if folder in self._rooms:
                raise WorkroomError(
                    ErrorCode.TRANSACTION_STATE,
                    f"{folder} is open; a store changes hands only while nobody works with it.",
                    next_step=f"`workroom close {folder}` first.",
                )

    def _check_apart(self, real: str) -> None:
        for path in self._rooms:
            if _holds(path, real):
                relation = "inside"
            elif _holds(real, path):
                relation = "around"
            else:
                continue
            raise WorkroomError(
                ErrorCode.UNSUPPORTED,
                f"{real} stands {relation} {path}, which is open; each file has one workspace.",
                next_step=f"Work in {path}, or close it first.",
            )

    # Inside.

    def _departed(self) -> list[_Room]:
        """What no longer stands at its path: it was moved or deleted, and something else may stand there."""
        with self._lock:
            rooms = list(self._rooms.values())
        return [room for room in rooms if _identity(room.path) != room.identity]


def _start(work: Callable[..., None], *arguments: object) -> None:
    threading.Thread(target=work, args=arguments, name=f"workroom{work.__name__}", daemon=True).start()


def _holds(folder: str, path: str) -> bool:
    """Whether `path` is `folder` or stands in it."""
    return (path + os.sep).startswith(folder.rstrip(os.sep) + os.sep)


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
