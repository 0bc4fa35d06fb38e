"""Lets go of what is kept for the next call, once nobody has asked for it for a while."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

__all__ = ["Idle"]


class Idle:
    """A timer that runs from the first `asked` on. Safe to use from many threads."""

    def __init__(self, seconds: float, forget: Callable[[], None]) -> None:
        """`forget` is called on the timer's thread, so many seconds after the last time that somebody asked."""
        self._seconds = seconds
        self._forget = forget
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._asked = 0.0

    def asked(self) -> None:
        """Somebody asks now."""
        with self._lock:
            self._asked = time.monotonic()
            if self._timer is None:
                self._arm(self._seconds)

    def stop(self) -> None:
        """Don't wait any more; until it is asked for again."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = None

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
            self._timer = None  # whoever asks from here on is waited for anew
        self._forget()
