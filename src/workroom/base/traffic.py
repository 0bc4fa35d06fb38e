"""Whether calls are under way: what can wait lets them go first."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator

__all__ = ["Traffic"]


class Traffic:
    """Of one workspace; safe to use from many threads."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._calls = 0

    @contextlib.contextmanager
    def call(self) -> Iterator[None]:
        """For as long as a call runs."""
        with self._changed:
            self._calls += 1
        try:
            yield
        finally:
            with self._changed:
                self._calls -= 1
                self._changed.notify_all()

    def give_way(self, seconds: float) -> float:
        """Wait until no call runs, so many seconds at most; answers how many it was. Not from within a call."""
        began = time.monotonic()
        with self._changed:
            self._changed.wait_for(lambda: self._calls == 0, seconds)
        return time.monotonic() - began
