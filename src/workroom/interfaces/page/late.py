"""The page's application, loaded when the server begins to listen for HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workroom.interfaces.methods import Server
from workroom.person.credential import PersonCredential
from workroom.server.signin import SignIn

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from workroom.interfaces.http.limits import Limits

__all__ = ["LatePage"]


class LatePage:
    """Makes what answers below `/page/`; nothing of Starlette is loaded before that."""

    def __init__(self, server: Server, signin: SignIn, credential: PersonCredential) -> None:
        """`credential` is what a page that is signed in speaks with: it got its key for a code from the person."""
        self._server = server
        self._signin = signin
        self._credential = credential

    def __call__(self, limits: Limits) -> ASGIApp:
        from workroom.interfaces.page.routes import page_application  # noqa: PLC0415 - Starlette, only for HTTP

        return page_application(self._server, self._signin, self._credential, limits)
