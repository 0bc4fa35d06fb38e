"""One connection of the server's socket: whole lines in, whole lines out."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import cast

__all__ = ["Channel"]

_LINE_BYTES = 64 * 1024 * 1024


class Channel(asyncio.Protocol):
    """Cuts what comes into lines and hands each to `hear`; while the peer doesn't read, it isn't read from either.

    `hear` and `finished` (the peer has said everything) belong to whoever speaks on the channel, and are set anew when
    that changes. Everybody in `ended` is told that the connection is gone.
    """

    def __init__(self, opened: Callable[[Channel], None], first_line_bytes: int) -> None:
        self.hear: Callable[[bytes], None] = lambda _line: None
        self.finished: Callable[[], None] = self.close
        self.ended: list[Callable[[], None]] = []
        self._opened = opened
        self._limit = first_line_bytes
        self._held = bytearray()
        self._searched = 0
        self._resting = False
        self._over = False

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._opened(self)

    def data_received(self, data: bytes) -> None:
        self._held += data
        self._deliver()

    def eof_received(self) -> bool:
        """The peer may have shut its half only: it still gets its answers."""
        self._over = True
        if not self._resting:
            self.finished()
        return True

    def connection_lost(self, error: Exception | None) -> None:
        del error
        for tell in self.ended:
            tell()

    def pause_writing(self) -> None:
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        if not self._resting:
            self._transport.resume_reading()

    # What its owner calls.

    @property
    def socket(self) -> socket.socket:
        """The connection's socket, to ask who is at the other end."""
        return cast("socket.socket", self._transport.get_extra_info("socket"))

    def send(self, line: bytes) -> None:
        self._transport.write(line)

    def rest(self) -> None:
        """Hand over no further line for now."""
        self._resting = True
        self._transport.pause_reading()

    def go_on(self) -> None:
        """Hand over lines again, those that are there already first."""
        self._resting = False
        self._limit = _LINE_BYTES
        self._transport.resume_reading()
        self._deliver()
        if self._over and not self._resting:
            self.finished()

    def close(self) -> None:
        """End the connection when what was sent is on its way."""
        self._transport.close()

    def _deliver(self) -> None:
        while not self._resting and not self._transport.is_closing():
            end = self._held.find(b"\n", self._searched)
            if end < 0:
                self._searched = len(self._held)
                if self._searched > self._limit:
                    self._transport.abort()
                return
            line = bytes(self._held[: end + 1])
            del self._held[: end + 1]
            self._searched = 0
            self.hear(line)
