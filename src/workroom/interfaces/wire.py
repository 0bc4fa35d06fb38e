"""A small synchronous end of the server's socket: JSON objects there and back, one a line."""

from __future__ import annotations

import contextlib
import json
import socket
from typing import Any

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.interfaces import link

__all__ = ["Wire"]

_CHUNK = 1 << 18


class Wire:
    """A connection that has shaken hands."""

    def __init__(self, joined: link.Joined) -> None:
        self._connection = joined.connection
        self._held = joined.rest

    @property
    def alive(self) -> bool:
        """Whether the server is still there, as far as it tells unasked; what else it said meanwhile is kept."""
        try:
            while chunk := self._connection.recv(_CHUNK, socket.MSG_DONTWAIT):
                self._held += chunk
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False

    def send(self, *messages: dict[str, Any]) -> None:
        """Write the messages; that nobody takes them is told by `receive`."""
        data = b"".join(json.dumps(message).encode("ascii") + b"\n" for message in messages)
        with contextlib.suppress(OSError):
            self._connection.sendall(data)

    def receive(self) -> dict[str, Any]:
        """The next object; IO_ERROR when the server goes away."""
        parts = [self._held]
        while b"\n" not in parts[-1]:
            chunk = self._read()
            if not chunk:
                raise WorkroomError(
                    ErrorCode.IO_ERROR,
                    "The server went away while this ran; it may have taken effect.",
                    next_step="Look before you repeat it, with `workroom status` and `workroom log`.",
                )
            parts.append(chunk)
        line, _, self._held = b"".join(parts).partition(b"\n")
        body: dict[str, Any] = json.loads(line)
        return body

    def close(self) -> None:
        """End the connection."""
        self._connection.close()

    def _read(self) -> bytes:
        try:
            return self._connection.recv(_CHUNK)
        except OSError:
            return b""
