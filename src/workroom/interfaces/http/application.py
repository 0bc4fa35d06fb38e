"""The row of what a request goes through, and the list of routes."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from typing import Any

from starlette.routing import BaseRoute, Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from workroom.interfaces.http.answers import Answering
from workroom.interfaces.http.api import ROUTES
from workroom.interfaces.http.body import Body
from workroom.interfaces.http.feed import Feeds
from workroom.interfaces.http.guard import Guard
from workroom.interfaces.http.limits import Limits
from workroom.interfaces.http.share import Share
from workroom.interfaces.http.token import Token
from workroom.interfaces.mcp.streamable.door import McpApplication
from workroom.server.hub import Hub
from workroom.server.lobby import Lobby

__all__ = ["application", "mounted"]


def mounted(hub: Hub) -> Mapping[str, ASGIApp]:
    """What answers at a path and at `path/{workspace}`, by all methods; the package says what it is given."""
    return {"/mcp": McpApplication(hub)}


def application(
    hub: Hub,
    hosts: Collection[str],
    stopping: asyncio.Event,
    over: asyncio.Event,
    limits: Limits,
    page: ASGIApp | None = None,
) -> ASGIApp:
    """Everything, behind its guard. `hosts` are the names, with ports, that it goes by; the package has the events.

    `page` answers at `/` and below `/page/` and `/assets/`, with a door of its own: tokens are no keys there, nor its
    keys tokens here.
    """
    routes: list[BaseRoute] = list(ROUTES)
    for path, app in mounted(hub).items():
        routes += [Route(path, _Mount(app)), Route(f"{path}/{{workspace}}", _Mount(app))]
    router = Router(routes, redirect_slashes=False)
    known = {"hub": hub, "feeds": Feeds(hub.pool), "stopping": stopping, "over": over}
    inside = _Knowing(router, {**known, "lobby": Lobby(limits.session_seconds)})
    agents: ASGIApp = Token(Share(Body(inside, limits), limits), hub)
    if page is not None:
        agents = _Fork(_Knowing(page, known), agents)
    return Guard(Answering(agents), hosts, limits)


class _Mount:
    """An instance, so that the route hands over the bare scope, whatever the method."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


class _Fork:
    """Sends the page and what it asks for one way, and all else the other."""

    def __init__(self, page: ASGIApp, others: ASGIApp) -> None:
        self._page = page
        self._others = others

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"] if scope["type"] == "http" else ""
        way = self._page if path == "/" or path.startswith(("/page/", "/assets/")) else self._others
        await way(scope, receive, send)


class _Knowing:
    """Tells what is inside of the server around it."""

    def __init__(self, router: ASGIApp, known: Mapping[str, Any]) -> None:
        self._router = router
        self._known = known

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["app"] = self._router  # with it a wrong path or method is raised, and answered like everything else
        scope.setdefault("state", {}).update(self._known)
        await self._router(scope, receive, send)
