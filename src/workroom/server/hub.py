"""The open folders of one server process, each with one workspace, and the threads that calls run on."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.server.build import build_workspace, close_workspace
from workroom.server.pool import Pool
from workroom.server.settler import Settler
from workroom.system.state import StateDirectory
from workroom.tools.workspace import Workspace

__all__ = ["Hub"]

_THREADS = 16


class Hub:
    """Opens each folder once. Safe to use from many threads; opening one folder waits for another that is opening."""

    def __init__(self, state: StateDirectory) -> None:
        self.state = state
        self.pool = Pool(_THREADS)
        """Where calls run."""
        self.closing: list[Callable[[Workspace], None]] = []
        """Called before a workspace is closed, from the thread that closes it."""
        self._lock = threading.Lock()
        self._open: dict[str, Workspace] = {}
        self._settlers: dict[str, Settler] = {}

    def open(self, path: str, adopt: str | None = None) -> Workspace:
        """The workspace of the folder at `path`: the same one for everybody who names the same folder.

        `adopt` names the folder whose store it takes over. NOT_FOUND or INVALID_INPUT when there is no such folder,
        UNSUPPORTED when it stands inside another open one, or around it, or when another process owns it.
        TRANSACTION_STATE when either is open while a store is to be taken over.
        """
        real = os.path.realpath(path)
        with self._lock:
            self._close_departed()
            found = self._open.get(real) or self._under_another_name(real)
            if adopt is not None:
                self._check_closed(real, os.path.realpath(adopt))
            if found is None:
                self._check_apart(real)
                found = build_workspace(real, self.state, adopt=Path(adopt) if adopt else None)
                self._open[real] = found
                self._settlers[real] = Settler(found)
            return found

    def locate(self, path: str) -> str | None:
        """The root of the workspace that holds `path`, open or known from earlier; None when there is none."""
        known = {one.path for one in self.state.workspaces() if one.inode}
        with self._lock:
            known.update(self._open)
        folder = os.path.realpath(path)
        while folder not in known:
            parent = os.path.dirname(folder)
            if parent == folder:
                return None
            folder = parent
        return folder

    def close(self, path: str) -> bool:
        """Close the workspace of a folder; whether it was open. Waits for a running commit; later ones are refused."""
        with self._lock:
            return self._close(os.path.realpath(path))

    def workspaces(self) -> tuple[Workspace, ...]:
        """Every open workspace, by path."""
        with self._lock:
            return tuple(self._open[path] for path in sorted(self._open))

    def stop(self, seconds: float) -> bool:
        """Let running calls finish and close every folder; nothing may be opened any more.

        False when calls were still running after `seconds`: their folders stay as by a crash, and the next opening
        makes them whole.
        """
        if not self.pool.close(seconds):
            return False
        with self._lock:
            for path in list(self._open):
                self._close(path)
        return True

    def _close(self, real: str) -> bool:
        workspace = self._open.pop(real, None)
        if workspace is None:
            return False
        for tell in tuple(self.closing):
            tell(workspace)
        self._settlers.pop(real).close()
        close_workspace(workspace)
        return True

    def _close_departed(self) -> None:
        """Close what no longer stands at its path: it was moved or deleted, and something else may stand there."""
        for path, workspace in list(self._open.items()):
            if _identity(path) != (workspace.root.device, workspace.root.inode):
                self._close(path)

    def _under_another_name(self, real: str) -> Workspace | None:
        """The workspace of the same folder, which a bind mount shows at another path too."""
        identity = _identity(real)
        return next((one for one in self._open.values() if (one.root.device, one.root.inode) == identity), None)

    def _check_closed(self, *folders: str) -> None:
        for folder in folders:
            if folder in self._open:
                raise WorkroomError(
                    ErrorCode.TRANSACTION_STATE,
                    f"{folder} is open; a store changes hands only while nobody works with it.",
                    next_step=f"`workroom close {folder}` first.",
                )

    def _check_apart(self, real: str) -> None:
        for path in self._open:
            if (real + os.sep).startswith(path.rstrip(os.sep) + os.sep):
                relation = "inside"
            elif (path + os.sep).startswith(real.rstrip(os.sep) + os.sep):
                relation = "around"
            else:
                continue
            raise WorkroomError(
                ErrorCode.UNSUPPORTED,
                f"{real} stands {relation} {path}, which is open; each file has one workspace.",
                next_step=f"Work in {path}, or close it first.",
            )


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
