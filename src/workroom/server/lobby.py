"""Sessions of clients that keep no connection: each is there while something of its runs, and some time after.

arrive("page_1/tab") ─ calls, a stream of events ──┐
                                                   │ nothing runs any more
                      there ── `seconds` later ──> left, if nobody came meanwhile
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator

from workroom.server.rooms import Rooms

__all__ = ["Lobby"]


class _Guest:
    """One session."""

    def __init__(self, rooms: Rooms) -> None:
        self.rooms = rooms
        self.in_use = 0
        self.idle: asyncio.TimerHandle | None = None


class Lobby:
    """Belongs to the loop's thread; what it hands out may be used on any."""

    def __init__(self, seconds: float, most: int = 1_000) -> None:
        """`seconds` is how long a session lasts after its last request; of more than `most` the longest unused goes."""
        self._seconds = seconds
        self._most = most
        self._guests: dict[str, _Guest] = {}  # the longest unused first

    def __len__(self) -> int:
        return len(self._guests)

    def arrive(self, session: str, begin: Callable[[], Rooms]) -> Rooms:
        """A request of the session runs until `leave`; `begin` makes the rooms of one that isn't there yet."""
        guest = self._guests.pop(session, None)
        if guest is None:
            self._make_room()
            guest = _Guest(begin())
        self._guests[session] = guest
        guest.in_use += 1
        if guest.idle is not None:
            guest.idle.cancel()
            guest.idle = None
        return guest.rooms

    def leave(self, session: str) -> None:
        """It has run."""
        guest = self._guests[session]
        guest.in_use -= 1
        if not guest.in_use:
            guest.idle = asyncio.get_running_loop().call_later(self._seconds, self._end, session)

    @contextlib.contextmanager
    def visit(self, session: str, begin: Callable[[], Rooms]) -> Iterator[Rooms]:
        """The same for as long as the block runs."""
        rooms = self.arrive(session, begin)
        try:
            yield rooms
        finally:
            self.leave(session)

    def _make_room(self) -> None:
        if len(self._guests) >= self._most:
            unused = next((name for name, guest in self._guests.items() if not guest.in_use), None)
            if unused is not None:
                self._end(unused)

    def _end(self, session: str) -> None:
        guest = self._guests.pop(session)
        if guest.idle is not None:
            guest.idle.cancel()
        guest.rooms.leave()
