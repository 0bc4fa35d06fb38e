"""Settles a workspace's commits a while after they were made; nothing is polled, a commit sets the clock."""

from __future__ import annotations

import logging
import threading
import time

from workroom.base.events import Committed, Event
from workroom.core.transactions.service import KEEP_DISPLACED_SECONDS
from workroom.tools.workspace import Workspace

__all__ = ["Settler"]

_log = logging.getLogger(__name__)


class Settler:
    """Calls `settle` once the displaced files of the newest commits are old enough, on a thread of its own."""

    def __init__(self, workspace: Workspace, seconds: float = KEEP_DISPLACED_SECONDS) -> None:
        self._workspace = workspace
        self._seconds = seconds
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._last = 0.0
        self._leave = workspace.store.subscribe(self._hear)

    def close(self) -> None:
        """Settle nothing more; the workspace's own closing settles what is left."""
        self._leave()
        with self._lock:
            self._seconds = -1
            if self._timer is not None:
                self._timer.cancel()

    def _hear(self, _number: int, event: Event) -> None:
        if isinstance(event, Committed):
            self._last = time.monotonic()
            self._arm()

    def _arm(self) -> None:
        with self._lock:
            if self._timer is None and self._seconds >= 0:
                self._timer = threading.Timer(self._seconds + 1, self._settle)
                self._timer.daemon = True
                self._timer.start()

    def _settle(self) -> None:
        began = time.monotonic()
        with self._lock:
            self._timer = None
        try:
            settled = self._workspace.transactions.settle()
        except Exception as error:  # noqa: BLE001 - whatever it is, this thread is the one that tries again
            _log.warning("%s can't be settled yet: %s", self._workspace.root.path, error)
            self._arm()
            return
        if not settled or self._last + self._seconds > began:
            self._arm()
