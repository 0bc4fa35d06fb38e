"""Whose request it is: a bearer token in the Authorization header, and nothing else."""

from __future__ import annotations

from functools import partial

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from workroom.base.actor import Actor
from workroom.base.errors import ErrorCode
from workroom.core.clients import TOKEN, Client
from workroom.interfaces.http.answers import RefusedError
from workroom.server.hub import Hub

__all__ = ["Token"]

_OPEN = frozenset({"/api/v1/openapi.json"})
"""Paths that say the same to everybody."""


class Token:
    """Lets in whoever shows a token that counts, as `client` in the scope's state, and answers 401 to all others."""

    def __init__(self, app: ASGIApp, hub: Hub) -> None:
        self._app = app
        self._hub = hub
        self._clients = hub.clients

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] not in _OPEN:
            client = self._let_in(scope)
            state = scope.setdefault("state", {})
            state["client"] = client
            state["current"] = lambda: self._clients.is_current(client)
        await self._app(scope, receive, send)

    def _let_in(self, scope: Scope) -> Client:
        """The client; a token that doesn't count is told to the server's audit log, without the token."""
        try:
            return self._client(Headers(scope=scope))
        except RefusedError as error:
            host = (scope.get("client") or ("unknown",))[0]
            tried = TOKEN.sub("wrt_…", f"{scope.get('method', 'GET')} {scope['path']}")  # some put it into the path
            who = Actor("program", f"HTTP from {host}")
            self._hub.pool.run(partial(self._hub.ledger.turned_away, who, "http", tried, error))
            raise

    def _client(self, headers: Headers) -> Client:
        shown = headers.getlist("authorization")
        if not shown:
            raise _unknown("The request has no Authorization header, so no token.", 'Bearer realm="workroom"')
        scheme, _, token = shown[0].partition(" ")
        client = self._clients.find(token.strip()) if len(shown) == 1 and scheme.lower() == "bearer" else None
        if client is None:
            raise _unknown(
                "The token in the Authorization header is not known, was revoked, or has expired.",
                'Bearer realm="workroom", error="invalid_token"',
            )
        return client


def _unknown(message: str, challenge: str) -> RefusedError:
    return RefusedError(
        401,
        ErrorCode.INVALID_INPUT,
        message,
        next_step="Send `Authorization: Bearer TOKEN`; the person makes one with `workroom token create`.",
        headers={"WWW-Authenticate": challenge},
    )
