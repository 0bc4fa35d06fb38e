"""The listening sockets and their connections: uvicorn's HTTP protocol, without its server, in the daemon's own loop.

uvicorn's server takes the process's signals and looks ten times a second whether it should end; its protocol does all
the work, and the daemon has both already. What the protocol lets through is bounded here:

    the head of a request    in 10 s and 32 KiB, else 408 or 431
    connections              as many as leave files for everything else, else 429
    an early refusal         reaches a client that is still sending: its bytes are read and dropped for a moment
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import resource
import socket
from collections.abc import Callable, Collection
from typing import Any

import h11
from starlette.types import ASGIApp
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from workroom.base.envelope import failure
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.interfaces.http.application import application
from workroom.interfaces.http.limits import Limits
from workroom.server.hub import Hub

__all__ = ["Page", "Serving"]

Page = Callable[[Limits], ASGIApp]
"""Makes what answers at `/`, `/assets/` and `/page/`: the person's way in, which this room can't import."""

_BACKLOG = 256


class Serving:
    """What listens, from `begin` to `end`."""

    def __init__(
        self, hub: Hub, hosts: Collection[str], limits: Limits | None = None, page: Page | None = None
    ) -> None:
        self._stopping = asyncio.Event()
        self._over = asyncio.Event()
        self._limits = limits or Limits()
        app = application(
            hub, hosts, self._stopping, self._over, self._limits, None if page is None else page(self._limits)
        )
        self._config = _config(app, self._limits)
        self._state = _State()
        self._servers: list[asyncio.Server] = []

    async def begin(self, listeners: Collection[socket.socket]) -> None:
        """Listen; the sockets are this object's from now on."""
        loop = asyncio.get_running_loop()
        for listener in listeners:
            server = await loop.create_server(self._protocol, sock=listener, backlog=_BACKLOG)
            self._servers.append(server)

    def rest(self) -> None:
        """Take no new connection and no further request; streams end, running calls go on."""
        for server in self._servers:
            server.close()
        self._stopping.set()
        for connection in list(self._state.connections):
            connection.shutdown()

    async def end(self, seconds: float) -> None:
        """Give up what still waits, let the answers leave, and close every connection."""
        self._over.set()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._state.tasks:
                    await asyncio.wait(set(self._state.tasks))
                while self._state.connections:  # what was answered is on its way
                    await self._state.left.wait()
                    self._state.left.clear()
        for connection in [*self._state.connections, *self._state.lingering]:
            connection.transport.abort()

    def _protocol(self) -> asyncio.Protocol:
        return _Connection(self._config, self._state, self._limits)


class _State(ServerState):
    """What the connections know of each other; those that are answered and only listened to don't count as open."""

    def __init__(self) -> None:
        super().__init__()
        self.lingering: set[_Connection] = set()
        self.left = asyncio.Event()
        """Set whenever a connection is lost."""


class _Connection(H11Protocol):
    """One connection, within bounds."""

    def __init__(self, config: Config, state: _State, limits: Limits) -> None:
        super().__init__(config, state, {})
        self._limits = limits
        self._head: asyncio.TimerHandle | None = None
        """Runs while a request's head is on its way."""
        self._stall: asyncio.TimerHandle | None = None
        """Runs while the client reads nothing."""
        self._lingering = state.lingering
        self._left = state.left
        self._lingers = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(_Lingering(transport, self))  # type: ignore[arg-type]
        if len(self.connections) > self._most():
            self._refuse(429, ErrorCode.LIMIT_EXCEEDED, "Too many connections are open; close some, or try again.")
        else:
            self._watch_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._drop_head()
        self._lingering.discard(self)
        super().connection_lost(exc)
        self._left.set()

    def data_received(self, data: bytes) -> None:
        if self._lingers:
            return
        super().data_received(data)
        self._watch_head()

    def eof_received(self) -> None:
        if self._lingers:
            self.transport.abort()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stall = self.loop.call_later(self._limits.stall_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._stall is not None:
            self._stall.cancel()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch_head()

    def timeout_keep_alive_handler(self) -> None:
        if self.conn.trailing_data[0]:
            return  # the next request has begun: its own clock runs
        super().timeout_keep_alive_handler()

    def send_400_response(self, msg: str) -> None:
        """What h11 can't take for a request, or whose head is too long."""
        del msg
        if self.conn.our_state not in {h11.IDLE, h11.SEND_RESPONSE}:
            self.transport.close()  # the answer is on its way already; what follows is no request
            return
        if self.conn.their_state is h11.ERROR and self._is_long():
            self._refuse(
                431, ErrorCode.LIMIT_EXCEEDED, f"A request's head is at most {self._limits.head_bytes:,} bytes."
            )
        else:
            self._refuse(400, ErrorCode.INVALID_INPUT, "This is no request of HTTP/1.1.")

    def linger(self) -> None:
        """Tell the client that all is said, and drop what it still sends for a moment: then it reads the answer."""
        self._lingers = True
        self._drop_head()
        self.connections.discard(self)
        transport = self.transport
        if len(self._lingering) >= self._limits.lingering:
            transport.abort()
            return
        self._lingering.add(self)
        with contextlib.suppress(OSError, RuntimeError):
            transport.write_eof()
        transport.resume_reading()
        self.loop.call_later(self._limits.linger_seconds, transport.abort)

    def give_up(self) -> None:
        """Close it in the end, even if the client never reads what is still to be sent."""
        self.loop.call_later(self._limits.stall_seconds, self.transport.abort)

    def _most(self) -> int:
        """At most half of the files that the process may open, since folders, stores and programs need theirs."""
        return min(self._limits.connections, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)

    def _is_long(self) -> bool:
        return len(self.conn.trailing_data[0]) > self._limits.head_bytes

    def _watch_head(self) -> None:
        """Run the clock while a request's head is on its way, the first one's from the beginning."""
        waiting = self.conn.their_state is h11.IDLE and (self.cycle is None or bool(self.conn.trailing_data[0]))
        if waiting and self._head is None:
            self._head = self.loop.call_later(self._limits.head_seconds, self._late)
        elif not waiting:
            self._drop_head()

    def _drop_head(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _late(self) -> None:
        message = f"The head of the request didn't come within {self._limits.head_seconds:.0f} s."
        self._refuse(408, ErrorCode.TIMEOUT, message)

    def _refuse(self, status: int, code: ErrorCode, message: str) -> None:
        """Answer without a request, and end the connection."""
        body = json.dumps(failure("http", WorkroomError(code, message)).to_json()).encode("ascii")
        head = f"HTTP/1.1 {status} {_PHRASES[status]}\r\nContent-Type: application/json\r\n"
        head += f"Content-Length: {len(body)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
        self.transport.write(head.encode("ascii") + body)
        self.linger()


_PHRASES = {
    400: "Bad Request",
    408: "Request Timeout",
    429: "Too Many Requests",
    431: "Request Header Fields Too Large",
}


class _Lingering:
    """A transport that isn't closed under a client that is still sending: the answer would be lost on the way."""

    def __init__(self, transport: asyncio.Transport, connection: _Connection) -> None:
        self._transport = transport
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def close(self) -> None:
        if self._transport.is_closing():
            return
        cycle = self._connection.cycle
        if cycle is not None and cycle.more_body:
            self._connection.linger()
            return
        self._transport.close()
        self._connection.give_up()


def _config(app: ASGIApp, limits: Limits) -> Config:
    config = Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        log_level="critical",  # what goes wrong inside is logged there
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=int(limits.idle_seconds),
        h11_max_incomplete_event_size=limits.head_bytes,
    )
    config.load()
    return config
