"""One connection of the server: whole lines in, whole lines out, over a socket or a client's own pipes."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import threading
from collections.abc import Callable

__all__ = ["LINE_BYTES", "Channel", "PipeChannel", "SocketChannel"]

_log = logging.getLogger(__name__)

LINE_BYTES = 64 * 1024 * 1024
"""A line may be about this long; where one is longer, the connection ends."""
_READ_BYTES = 64 * 1024
"""More would be mapped and unmapped by the allocator at each read."""


class Channel:
    """Cuts what comes into lines and hands each to `hear`; while the peer doesn't read, it isn't read from either.

    `hear`, `finished` (the peer has said everything) and `overrun` (its line is too long) belong to whoever speaks on
    the channel, and are set anew when that changes; the last two end the connection. Everybody in `ended` is told that
    it is gone.

    `send` may be called from any thread, and writes from that thread: the answer to a call needn't wait for the loop
    to wake. Only what isn't taken at once goes through the loop. Everything else belongs to the loop's thread.
    """

    def __init__(self, reading: int, writing: int) -> None:
        """Own the descriptors, which don't block; nothing is read before `go_on`."""
        self.hear: Callable[[bytes], None] = lambda _line: None
        self.finished: Callable[[], None] = self.close
        self.overrun: Callable[[], None] = self.close
        self.ended: list[Callable[[], None]] = []
        self.held = bytearray()
        """What came in and was not handed over."""
        self.over = False
        """Whether the peer has said everything."""
        self.writable = asyncio.Event()
        """Set while the peer reads fast enough."""
        self.writable.set()
        self._loop = asyncio.get_running_loop()
        self._reading, self._writing = reading, writing
        self._searched = 0
        self._resting = True
        self._read_from = False
        self._closing = False
        self._gone = False
        self._lock = threading.Lock()
        self._unsent = bytearray()

    def send(self, line: bytes) -> None:
        """Send a line, from any thread; one that can't be sent any more is dropped."""
        with self._lock:
            if self._gone:
                return
            if self._unsent:
                self._unsent += line
                return
            sent = self._write_some(line)
            if sent == len(line):
                return
            self._unsent += line[sent:]
        with contextlib.suppress(RuntimeError):  # the loop is over: the server is stopping
            self._loop.call_soon_threadsafe(self._flush)

    def rest(self) -> None:
        """Hand over no further line for now."""
        self._resting = True
        self._follow()

    def go_on(self) -> None:
        """Hand over lines, those that are there already first."""
        self._resting = False
        self._deliver()
        if self.over and not self._resting:
            self.finished()
        self._follow()

    def close(self) -> None:
        """End the connection when what was sent is on its way."""
        self._closing = True
        self.rest()
        if not self._unsent:
            self._end()

    # What the variants know.

    def _read(self) -> bytes:
        raise NotImplementedError

    def _close_descriptors(self) -> None:
        raise NotImplementedError

    # Inside.

    def _follow(self) -> None:
        """Read only while lines are wanted and the peer takes its answers."""
        wanted = not (self._resting or self.over or self._gone) and self.writable.is_set()
        if wanted and not self._read_from:
            self._loop.add_reader(self._reading, self._readable)
        elif not wanted and self._read_from:
            self._loop.remove_reader(self._reading)
        self._read_from = wanted

    def _readable(self) -> None:
        try:
            data = self._read()
        except BlockingIOError:
            return
        except OSError:
            self._end()
            return
        if data:
            self.held += data
            self._deliver()
            return
        self.over = True
        self._follow()
        self._deliver()
        if not self._resting:
            self.finished()

    def _deliver(self) -> None:
        while not self._resting:
            end = self.held.find(b"\n", self._searched) + 1
            if not end and self.over and self.held.strip():
                end = len(self.held)  # the last line may lack its newline
            if not end:
                self._searched = len(self.held)
                if self._searched > LINE_BYTES:
                    self._overrun()
                return
            line = bytes(self.held[:end])
            del self.held[:end]
            self._searched = 0
            self.hear(line)

    def _overrun(self) -> None:
        _log.warning("a line is too long, over %d bytes: the connection ends", LINE_BYTES)
        self.rest()
        self.held.clear()
        self._searched = 0
        self.overrun()

    def _write_some(self, data: bytes | bytearray) -> int:
        """How many bytes were taken; an error is met again by the loop, which ends the connection."""
        try:
            return os.write(self._writing, data)
        except OSError:
            return 0

    def _flush(self) -> None:
        with self._lock:
            try:
                while self._unsent:
                    del self._unsent[: os.write(self._writing, self._unsent)]
            except BlockingIOError:
                pass
            except OSError:
                self._unsent.clear()
                self._closing = True
            left = bool(self._unsent)
        if self._closing and not left:
            self._end()
        elif left and self.writable.is_set():
            self.writable.clear()
            self._loop.add_writer(self._writing, self._flush)
        elif not left and not self.writable.is_set():
            self._loop.remove_writer(self._writing)
            self.writable.set()
        self._follow()

    def _end(self) -> None:
        with self._lock:  # from here on the descriptors' numbers may be another connection's
            if self._gone:
                return
            self._gone = True
            self._loop.remove_reader(self._reading)
            self._loop.remove_writer(self._writing)
            self._read_from = False
            self._close_descriptors()
        self.writable.set()
        for tell in self.ended:
            tell()


class SocketChannel(Channel):
    """A connection to the server's socket, over which a client may pass descriptors of its own."""

    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        super().__init__(connection.fileno(), connection.fileno())
        self.passed: list[int] = []
        """Descriptors that came along and that nobody has taken."""
        self.connection = connection

    def take_passed(self) -> list[int]:
        """The passed descriptors; they belong to the caller now."""
        taken, self.passed = self.passed, []
        return taken

    def _read(self) -> bytes:
        data, passed, _, _ = socket.recv_fds(self.connection, _READ_BYTES, 2)
        for descriptor in passed:
            os.set_inheritable(descriptor, False)
        self.passed += passed
        return data

    def _close_descriptors(self) -> None:
        for descriptor in self.take_passed():
            os.close(descriptor)
        self.connection.close()


class PipeChannel(Channel):
    """The standard input and output of a client's process, passed to the server."""

    def __init__(self, reading: int, writing: int) -> None:
        os.set_blocking(reading, False)
        os.set_blocking(writing, False)
        super().__init__(reading, writing)

    def _read(self) -> bytes:
        return os.read(self._reading, _READ_BYTES)

    def _close_descriptors(self) -> None:
        os.close(self._reading)
        os.close(self._writing)
