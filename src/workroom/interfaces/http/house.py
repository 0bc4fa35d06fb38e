"""Whether the server listens for HTTP, and where. What listens is loaded when it is switched on, not before."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator
from typing import TYPE_CHECKING

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.server.hub import Hub

if TYPE_CHECKING:
    from workroom.interfaces.http.serving import Serving

__all__ = ["PORT", "HttpHouse"]

PORT = 7117
"""Where a server listens unless it is told otherwise."""
_NEXT = 20
"""How many ports from there on are tried."""
_LOOPBACK = ("127.0.0.1", "::1")


class HttpHouse:
    """One server's HTTP: off, until `open`."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._serving: Serving | None = None
        self.port: int | None = None
        """The port, while it listens."""

    @property
    def url(self) -> str | None:
        """The address for clients on this machine; None while it doesn't listen."""
        return None if self.port is None else f"http://127.0.0.1:{self.port}"

    async def open(self, port: int | None) -> None:
        """Listen on `port` (0: any free one); with None on the usual one, or the next that is free.

        TRANSACTION_STATE when it listens on another port already, IO_ERROR when the port can't be had.
        """
        if self._serving is not None:
            if port in (None, self.port):
                return
            raise WorkroomError(
                ErrorCode.TRANSACTION_STATE,
                f"The server listens on port {self.port} already.",
                next_step="`workroom stop` first; then serve on another port.",
            )
        from workroom.interfaces.http.serving import Serving  # noqa: PLC0415 - Starlette and uvicorn, only for HTTP

        listeners = _bound(port)
        number = int(listeners[0].getsockname()[1])
        self._serving = Serving(self._hub, _hosts(number))
        self.port = number
        await self._serving.begin(listeners)

    def rest(self) -> None:
        """Take no new request."""
        if self._serving is not None:
            self._serving.rest()

    async def end(self, seconds: float) -> None:
        """Let the answers leave, and close."""
        if self._serving is not None:
            await self._serving.end(seconds)


def _hosts(port: int) -> frozenset[str]:
    names = ("127.0.0.1", "localhost", "[::1]")
    return frozenset(f"{name}:{port}" for name in names) | (frozenset(names) if port == 80 else frozenset())


def _bound(port: int | None) -> list[socket.socket]:
    """Sockets on one port of each loopback address that the machine has."""
    for number in range(PORT, PORT + _NEXT) if port is None else (port,):
        listeners = list(_listeners(number))
        if listeners:
            return listeners
    tried = f"ports {PORT} to {PORT + _NEXT - 1} are" if port is None else f"port {port} is"
    raise WorkroomError(
        ErrorCode.IO_ERROR,
        f"HTTP can't be served: {tried} taken, or not to be had by you.",
        next_step="Name another with `workroom serve --port N`, or serve without it: `--no-http`.",
    )


def _listeners(port: int) -> Iterator[socket.socket]:
    """Nothing when one of the addresses is somebody else's on this port: a client could reach either."""
    made: list[socket.socket] = []
    for address in _LOOPBACK:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        try:
            # By this protocol's number asyncio knows that it may send each part of an answer at once.
            one = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        except OSError:  # the machine has no IPv6
            continue
        try:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            one.bind((address, made[0].getsockname()[1] if made else port))
            one.setblocking(False)
        except OSError as error:
            one.close()
            if error.errno == errno.EADDRNOTAVAIL:  # no IPv6 address
                continue
            for other in made:
                other.close()
            return
        made.append(one)
    yield from made
