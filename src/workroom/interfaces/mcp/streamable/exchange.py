"""One HTTP request and its response, as ASGI has them: read whole, answered once, or written event by event."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from starlette.types import Receive, Scope
from starlette.types import Send as Transmit

from workroom.interfaces.mcp.jsonrpc import encode
from workroom.interfaces.mcp.streamable.rules import Headers, RefusedError

__all__ = ["Exchange", "Left"]


class Left(Exception):  # noqa: N818 - it isn't an error
    """The client has gone, or takes nothing any more."""


class Exchange:
    """A request and the way back to its client."""

    def __init__(self, scope: Scope, receive: Receive, transmit: Transmit, stall: float) -> None:
        """`stall`: for how many seconds the client may take nothing of what is sent to it."""
        self.scope = scope
        self.method: str = scope["method"]
        self.headers = Headers(scope["headers"])
        self._receive = receive
        self._transmit = transmit
        self._stall = stall
        self._leaving: asyncio.Task[None] | None = None

    async def body(self) -> bytes:
        """All of the body; whoever is in front of this has bounded it."""
        body = bytearray()
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise Left
            body += message.get("body", b"")
            if not message.get("more_body", False):
                return bytes(body)

    async def wait(self, event: asyncio.Event, seconds: float) -> bool:
        """Wait for the event, so long at most; whether it came. Raises `Left` when the client goes meanwhile."""
        if self._leaving is None:
            self._leaving = asyncio.create_task(self._until_left())
        if not event.is_set():
            waiting = asyncio.create_task(event.wait())
            try:
                await asyncio.wait({waiting, self._leaving}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            finally:
                waiting.cancel()
        if self._leaving.done() and not event.is_set():
            raise Left
        return event.is_set()

    async def respond(self, status: int, body: bytes = b"", headers: Mapping[str, str] | None = None) -> None:
        """The whole response; a body is JSON."""
        named = {"content-type": "application/json"} if body else {}
        named |= {"content-length": str(len(body))} | dict(headers or {})
        await self._begin(status, named)
        await self._write(body, more=False)

    async def refuse(self, refused: RefusedError, number: Any = None) -> None:
        """Turn the request away with a JSON-RPC error; `number` is the request's id, where it could be read."""
        error: dict[str, Any] = {"code": refused.code, "message": str(refused)}
        if refused.data is not None:
            error["data"] = refused.data
        body = encode({"jsonrpc": "2.0", "id": number, "error": error})
        await self.respond(refused.status, body.encode("utf-8", "replace"), refused.headers)

    async def begin_events(self, headers: Mapping[str, str]) -> None:
        """Begin a stream of events; `x-accel-buffering` asks a proxy to hold none back."""
        named = {"content-type": "text/event-stream", "cache-control": "no-cache, no-transform"}
        await self._begin(200, named | {"x-accel-buffering": "no"} | dict(headers))

    async def write_events(self, data: bytes) -> None:
        """Write whole events. Raises `Left` when the client doesn't take them."""
        await self._write(data, more=True)

    async def finish(self) -> None:
        """The stream of events is over."""
        await self._write(b"", more=False)

    def close(self) -> None:
        """Wait for nothing any more."""
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None  # which holds this exchange: both would wait for the collector

    async def _begin(self, status: int, headers: Mapping[str, str]) -> None:
        pairs = [(name.encode("ascii"), value.encode("latin-1", "replace")) for name, value in headers.items()]
        await self._transmit({"type": "http.response.start", "status": status, "headers": pairs})

    async def _write(self, data: bytes, *, more: bool) -> None:
        try:
            async with asyncio.timeout(self._stall):
                await self._transmit({"type": "http.response.body", "body": data, "more_body": more})
        except (TimeoutError, OSError):
            raise Left from None

    async def _until_left(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
