"""The whole body of a request before anybody works on it, within bounds of length, time, and room for all."""

from __future__ import annotations

import asyncio
from collections import Counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workroom.base.errors import ErrorCode
from workroom.interfaces.http.answers import RefusedError
from workroom.interfaces.http.limits import Limits

__all__ = ["Body"]


class Body:
    """Reads the body, then hands it over in one piece; what comes after it is the client's leaving."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._limits = limits
        self._held: Counter[str] = Counter()
        """By client: bytes of bodies that came and are still worked on."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        client = scope.get("state", {}).get("client")
        if scope["type"] != "http" or client is None:  # who shows no token is told what needs no body, and sends none
            await self._app(scope, receive, send)
            return
        body = bytearray()
        try:
            if not await self._read(body, client.id, receive):
                return
            await self._app(scope, _replayed(bytes(body), receive), send)
        finally:
            self._held -= Counter({client.id: len(body)})  # and drops who holds nothing any more

    async def _read(self, body: bytearray, client: str, receive: Receive) -> bool:
        """Read it all; False when the client has gone."""
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return False
                    self._take(body, client, message.get("body", b""))
                    if not message.get("more_body", False):
                        return True
        except TimeoutError:
            raise _refused(
                408, ErrorCode.TIMEOUT, f"The body didn't come within {self._limits.body_seconds:.0f} s."
            ) from None

    def _take(self, body: bytearray, client: str, part: bytes) -> None:
        if len(body) + len(part) > self._limits.body_bytes:
            raise _refused(413, ErrorCode.LIMIT_EXCEEDED, f"A body is at most {self._limits.body_bytes:,} bytes.")
        if self._held[client] + len(part) > self._limits.own_bodies_bytes:
            raise _refused(429, ErrorCode.LIMIT_EXCEEDED, "This token sends too much at once; try again later.")
        if self._held.total() + len(part) > self._limits.bodies_bytes:
            raise _refused(429, ErrorCode.LIMIT_EXCEEDED, "Too much is being sent at once; try again later.")
        self._held[client] += len(part)
        body += part


def _refused(status: int, code: ErrorCode, message: str) -> RefusedError:
    return RefusedError(status, code, message, headers={"Retry-After": "1"} if status == 429 else {})


def _replayed(body: bytes, receive: Receive) -> Receive:
    given = False

    async def replayed() -> Message:
        nonlocal given
        if not given:
            given = True
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return replayed
