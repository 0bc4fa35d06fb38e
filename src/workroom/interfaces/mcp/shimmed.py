"""The server's end of a shim: it speaks to the client by the pipes that the shim passed, and tells the shim the end."""

from __future__ import annotations

import json
from typing import Any

from workroom.interfaces.channel import PipeChannel, SocketChannel
from workroom.interfaces.greeting import Resumed
from workroom.interfaces.mcp.connection import Connection
from workroom.tools.workspace import Workspace

__all__ = ["Shimmed"]


class Shimmed:
    """One client behind a shim.

    The shim is told `{"over": true}` when the client has ended, or `{"resumed": {...}}` when this server ends first and
    another one is to go on. When the shim's process ends, the client has lost its server, and this ends too.
    """

    def __init__(
        self, shim: SocketChannel, pipes: PipeChannel, connection: Connection, resumed: Resumed | None
    ) -> None:
        self._shim = shim
        self._pipes = pipes
        self._connection = connection
        self._last: dict[str, Any] = {"over": True}
        shim.hear, shim.finished = _ignore, pipes.close
        shim.ended.append(pipes.close)
        pipes.ended.append(self._tell)
        if resumed is not None:
            connection.resume(resumed)
        pipes.go_on()

    @property
    def workspace(self) -> Workspace:
        return self._connection.workspace

    def part(self) -> None:
        """End this server's side, and hand the client back to the shim."""
        self._last = {"resumed": self._connection.hand_back().model_dump()}
        self._pipes.close()

    def _tell(self) -> None:
        self._shim.send(json.dumps(self._last).encode("ascii") + b"\n")
        self._shim.close()


def _ignore(_line: bytes) -> None:
    """A shim has said everything with its greeting."""
