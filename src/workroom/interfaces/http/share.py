"""What one token may have at once: so many requests, streams among them, and no more; others have theirs."""

from __future__ import annotations

from collections import Counter

from starlette.types import ASGIApp, Receive, Scope, Send

from workroom.base.errors import ErrorCode
from workroom.interfaces.http.answers import RefusedError
from workroom.interfaces.http.limits import Limits

__all__ = ["Share"]


class Share:
    """Refuses with 429 what a client has too much of."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._limits = limits
        self._served: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        client = scope.get("state", {}).get("client")
        if client is None:
            await self._app(scope, receive, send)
            return
        if self._served[client.id] >= self._limits.requests:
            raise RefusedError(
                429,
                ErrorCode.LIMIT_EXCEEDED,
                f"This token has {self._limits.requests} requests under way, streams among them.",
                next_step="End some, or wait for their answers.",
                headers={"Retry-After": "1"},
            )
        self._served[client.id] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._served -= Counter({client.id: 1})  # and drops who has none any more
