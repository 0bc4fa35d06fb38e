"""How far a call is, as its client is told: seldom enough, and never backwards."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

__all__ = ["Progress"]

_SECONDS = 0.1
"""How long after a notification the next one may follow; the first one follows at once."""


class Progress:
    """What a call's pulse reports to. A call has parts, each counted from 0; a client is told their sum."""

    def __init__(self, tell: Callable[[dict[str, Any]], None], clock: Callable[[], float] = time.monotonic) -> None:
        """`tell` takes the params of a notification, without the token."""
        self._tell = tell
        self._clock = clock
        self._before = 0
        """What earlier parts came to."""
        self._last = 0
        self._told = 0
        self._next = 0.0

    def __call__(self, done: int, total: int | None) -> None:
        if done < self._last:
            self._before += self._last
        self._last = done
        sofar, now = self._before + done, self._clock()
        if sofar <= self._told or now < self._next:
            return
        self._told, self._next = sofar, now + _SECONDS
        self._tell({"progress": sofar} if total is None else {"progress": sofar, "total": self._before + total})
