"""Who is let in: a page by its key in the Authorization header, and nobody by an agent's token."""

from __future__ import annotations

from functools import partial

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from workroom.base.actor import Actor
from workroom.base.errors import ErrorCode
from workroom.interfaces.http.answers import RefusedError
from workroom.server.hub import Hub
from workroom.server.signin import SignIn

__all__ = ["SIGN_IN", "Door"]

SIGN_IN = "/page/v1/sign-in"


class Door:
    """Lets in whoever shows a key that counts, as `client` in the scope's state; 401, and 403 for a token."""

    def __init__(self, app: ASGIApp, hub: Hub, signin: SignIn) -> None:
        self._app = app
        self._hub = hub
        self._signin = signin

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] != SIGN_IN:
            try:
                self._let_in(scope)
            except RefusedError as error:
                turned_away(self._hub, scope, error)
                raise
        await self._app(scope, receive, send)

    def _let_in(self, scope: Scope) -> None:
        shown = Headers(scope=scope).getlist("authorization")
        scheme, _, secret = shown[0].partition(" ") if len(shown) == 1 else ("", "", "")
        secret = secret.strip() if scheme.lower() == "bearer" else ""
        key = self._signin.find(secret)
        if key is None:
            raise _refused(is_token=secret.startswith("wrt_"))
        scope["state"]["client"] = key
        scope["state"]["current"] = lambda: self._signin.is_current(key)


def turned_away(hub: Hub, scope: Scope, error: RefusedError) -> None:
    """Tell the server's audit log of a refusal, without what was shown."""
    host = (scope.get("client") or ("unknown",))[0]
    tried = f"{scope['method']} {scope['path']}"
    who = Actor("program", f"HTTP from {host}")
    hub.pool.run(partial(hub.ledger.turned_away, who, "page", tried, error))


def _refused(*, is_token: bool) -> RefusedError:
    if is_token:
        return RefusedError(
            403,
            ErrorCode.PROTECTED_PATH,
            "A token is an agent's, and the page is the person's.",
            next_step="Use the tools at /api/v1 or /mcp; the person decides.",
        )
    return RefusedError(
        401,
        ErrorCode.INVALID_INPUT,
        "The page isn't signed in, or was signed out.",
        next_step="`workroom page` prints a link that signs it in.",
        headers={"WWW-Authenticate": 'Bearer realm="workroom page"'},
    )
