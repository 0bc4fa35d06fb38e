"""What is sent to a client in answer to one request, or to none: kept, numbered, bounded.

    any thread ── put(line) ──> [ 4 │ 5 │ 6 │ 7 ]            numbers go on; the oldest that were sent go first
                                      ▲
                                      reader: one at a time, from any number that is still there

A stream outlives the connection that it is read by: a client that has lost it names the last event it has, and goes on
behind that. It holds no more than `_BYTES` or `_EVENTS`, whoever doesn't read; the answer itself is never dropped.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from dataclasses import dataclass

__all__ = ["Event", "Reader", "Stream"]

_EVENTS = 256
_BYTES = 1024 * 1024
"""What a stream holds at most, beside its last event."""


@dataclass(frozen=True, slots=True)
class Event:
    """One message on its way: its number in the stream, and its line."""

    number: int
    line: bytes


class Reader:
    """Whoever carries a stream's events to the client now. `woken` is set when there is something to do."""

    def __init__(self, behind: int) -> None:
        self.behind = behind
        """The number of the last event that the client has."""
        self.woken = asyncio.Event()
        self.is_released = False
        """Whether it shall end its response, for another may have taken over."""


class Stream:
    """The messages of one request, or those that belong to none. `put` may be called from any thread."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.error: int | None = None
        """The JSON-RPC code of the answer, where it is an error."""
        self.is_over = False
        """Whether nothing more comes."""
        self.delivered = 0
        """The number of the last event that was written to a connection."""
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._events: deque[Event] = deque()
        self._last = 0
        self._reader: Reader | None = None
        self.bytes = 0
        """What is held now."""

    @property
    def is_read(self) -> bool:
        """Whether a connection carries it."""
        return self._reader is not None

    def put(self, line: bytes, *, final: bool = False, error: int | None = None) -> None:
        """Add a message; an empty line with `final` ends the stream without one."""
        with self._lock:
            if self.is_over:
                return
            if line:
                self._last += 1
                self._events.append(Event(self._last, line))
                self.bytes += len(line)
                self._bound()
            self.is_over, self.error = final, error
        self._wake()

    def end(self) -> None:
        """Nothing more comes, and nobody is told why."""
        self.put(b"", final=True)

    def attach(self, behind: int = 0) -> Reader:
        """Read from behind the event of that number; who has read until now reads no more."""
        self.release()
        self._reader = Reader(behind)
        return self._reader

    def detach(self, reader: Reader) -> None:
        """`reader` reads no more, if it still did."""
        if self._reader is reader:
            self._reader = None

    def release(self) -> None:
        """Let go of the connection that carries it now; its client may come again for the rest."""
        if self._reader is not None:
            self._reader.is_released = True
            self._reader.woken.set()
            self._reader = None

    def behind(self, number: int) -> list[Event]:
        """The events behind that number, as far as they are held."""
        with self._lock:
            return [event for event in self._events if event.number > number]

    def has_been(self, number: int) -> bool:
        """Whether an event of that number was ever sent (0: the beginning)."""
        return 0 <= number <= self._last

    def _bound(self) -> None:
        """Drop the oldest while there is too much; never the newest."""
        while len(self._events) > 1 and (len(self._events) > _EVENTS or self.bytes > _BYTES):
            self.bytes -= len(self._events.popleft().line)

    def _wake(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is over: the server is stopping
            self._loop.call_soon_threadsafe(self._woken)

    def _woken(self) -> None:
        if self._reader is not None:
            self._reader.woken.set()
