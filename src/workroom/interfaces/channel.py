"""One connection of the server's socket: whole lines in, whole lines out."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections.abc import Callable
from typing import cast

__all__ = ["Channel"]

_LINE_BYTES = 64 * 1024 * 1024
_READ_BYTES = 64 * 1024


class Channel(asyncio.BufferedProtocol):
    """Cuts what comes into lines and hands each to `hear`; while the peer doesn't read, it isn't read from either.

    `hear` and `finished` (the peer has said everything) belong to whoever speaks on the channel, and are set anew when
    that changes. Everybody in `ended` is told that the connection is gone.

    `send` may be called from any thread, and writes from that thread: the answer to a call needn't wait for the loop
    to wake. Only what the socket doesn't take at once goes through the loop.
    """

    def __init__(self, opened: Callable[[Channel], None], first_line_bytes: int) -> None:
        self.hear: Callable[[bytes], None] = lambda _line: None
        self.finished: Callable[[], None] = self.close
        self.ended: list[Callable[[], None]] = []
        self.writable = asyncio.Event()
        """Set while the peer reads fast enough."""
        self.writable.set()
        self._opened = opened
        self._loop = asyncio.get_running_loop()
        self._limit = first_line_bytes
        self._buffer = memoryview(bytearray(_READ_BYTES))
        self._held = bytearray()
        self._searched = 0
        self._resting = False
        self._over = False
        self._writing = threading.Lock()
        self._descriptor = -1
        self._handed_over = 0
        """Lines on their way to the loop; while there are any, or it holds some, nothing may overtake them."""
        self._loop_holds = False

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(0)
        self._descriptor = self.socket.fileno()
        self._opened(self)

    def get_buffer(self, sizehint: int) -> memoryview:
        del sizehint
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        self._held += self._buffer[:nbytes]
        self._deliver()

    def eof_received(self) -> bool:
        """The peer may have shut its half only: it still gets its answers."""
        self._over = True
        if not self._resting:
            self.finished()
        return True

    def connection_lost(self, error: Exception | None) -> None:
        del error
        with self._writing:  # from here on the descriptor's number may be another connection's
            self._descriptor = -1
        self.writable.set()
        for tell in self.ended:
            tell()

    def pause_writing(self) -> None:
        self.writable.clear()
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        with self._writing:
            self._loop_holds = False
        self.writable.set()
        if not self._resting:
            self._transport.resume_reading()

    # What its owner calls.

    @property
    def socket(self) -> socket.socket:
        """The connection's socket, to ask who is at the other end."""
        return cast("socket.socket", self._transport.get_extra_info("socket"))

    def send(self, line: bytes) -> None:
        """Send a line, from any thread; one that can't be sent any more is dropped."""
        with self._writing:
            if self._descriptor < 0:
                return
            if not self._handed_over and not self._loop_holds:
                line = line[_written(self._descriptor, line) :]
            if line:
                self._handed_over += 1
                self._loop.call_soon_threadsafe(self._hand_over, line)

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
        self._loop.call_soon(self._transport.close)  # behind what other threads have handed over

    # Inside.

    def _hand_over(self, rest: bytes) -> None:
        self._transport.write(rest)
        with self._writing:
            self._handed_over -= 1
            self._loop_holds = self._transport.get_write_buffer_size() > 0

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


def _written(descriptor: int, line: bytes) -> int:
    """How many bytes the socket took; an error is left to the loop, which meets it too."""
    try:
        return os.write(descriptor, line)
    except OSError:
        return 0
