"""Whose request it is: a bearer token in the Authorization header, and nothing else."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from workroom.base.errors import ErrorCode
from workroom.core.clients import Client, Clients
from workroom.interfaces.http.answers import RefusedError

__all__ = ["Token"]

_OPEN = frozenset({"/api/v1/openapi.json"})
"""Paths that say the same to everybody."""


class Token:
    """Lets in whoever shows a token that counts, as `client` in the scope's state, and answers 401 to all others."""

    def __init__(self, app: ASGIApp, clients: Clients) -> None:
        self._app = app
        self._clients = clients

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] not in _OPEN:
            client = self._client(Headers(scope=scope))
            state = scope.setdefault("state", {})
            state["client"] = client
            state["current"] = lambda: self._clients.is_current(client)
        await self._app(scope, receive, send)

    def _client(self, headers: Headers) -> Client:
        shown = headers.getlist("authorization")
        if not shown:
            raise _unknown("The request shows no token.", 'Bearer realm="workroom"')
        scheme, _, token = shown[0].partition(" ")
        client = self._clients.find(token.strip()) if len(shown) == 1 and scheme.lower() == "bearer" else None
        if client is None:
            raise _unknown(
                "The token is not known, was revoked, or has expired.",
                'Bearer realm="workroom", error="invalid_token"',
            )
        return client


def _unknown(message: str, challenge: str) -> RefusedError:
    return RefusedError(
        401,
        ErrorCode.PROTECTED_PATH,
        message,
        next_step="Send `Authorization: Bearer TOKEN`; the person makes one with `workroom token create`.",
        headers={"WWW-Authenticate": challenge},
    )
