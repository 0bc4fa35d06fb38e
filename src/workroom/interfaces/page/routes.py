"""The person's methods, the bytes of a file, and the stream of events, for a page that is signed in."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route, Router
from starlette.types import ASGIApp

from workroom.base.actor import Actor
from workroom.base.audit import Token
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.interfaces.http.answers import STATUSES, RefusedError, json_response
from workroom.interfaces.http.body import Body
from workroom.interfaces.http.events import Stream, since_of
from workroom.interfaces.http.limits import Limits
from workroom.interfaces.http.share import Share
from workroom.interfaces.methods import Asking, Server, method_of, parsed
from workroom.interfaces.page.door import SIGN_IN, Door, turned_away
from workroom.interfaces.page.static import Static
from workroom.interfaces.wording import person_error
from workroom.person import files
from workroom.person.credential import PersonCredential
from workroom.server.lobby import Lobby
from workroom.server.rooms import Here, KnownDoors, Rooms
from workroom.server.session import Session
from workroom.server.signin import Key, SignIn
from workroom.text import strict_json
from workroom.tools.workspace import Workspace

__all__ = ["page_application"]

_SIGN_IN_BYTES = 1_000
_SIGN_IN_SECONDS = 10.0
_TAB = re.compile(r"[A-Za-z0-9_-]{8,64}")
_TABS = 1_000
"""Tabs that are there at once."""
_SHARING = 200
"""Tabs that share a stream."""


_UNSHOWN = {
    "content-disposition": "attachment",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "x-content-type-options": "nosniff",
}
"""Of bytes of a workspace: whatever they are, a browser shows and runs nothing of them in the page's name."""


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    workspace: str | None = Field(default=None, pattern="^/")


class _Call(_Asked):
    method: str = Field(max_length=100)
    params: dict[str, Any] = {}


class _File(_Asked):
    path: str


A = TypeVar("A", bound=_Asked)


def page_application(server: Server, signin: SignIn, credential: PersonCredential, limits: Limits) -> ASGIApp:
    """What answers at `/`, `/assets/` and `/page/`. `credential` is what a page that is signed in speaks with."""
    page = _Page(server, signin, credential, limits)
    routes = [
        Route(SIGN_IN, page.sign_in, methods=["POST"]),
        Route("/page/v1/call", page.call, methods=["POST"]),
        Route("/page/v1/bytes", page.content, methods=["POST"]),
        Route("/page/v1/events", page.events, methods=["GET"]),
    ]
    inside = Share(Body(Router(routes, redirect_slashes=False), limits), limits)
    return Static(Door(inside, server.hub, signin))


class _Page:
    def __init__(self, server: Server, signin: SignIn, credential: PersonCredential, limits: Limits) -> None:
        self._server = server
        self._hub = server.hub
        self._signin = signin
        self._credential = credential
        self._lobby = Lobby(limits.tab_seconds, _TABS)

    async def sign_in(self, request: Request) -> Response:
        """A key for a code. What is wrong with a code is told to the audit log, the code isn't."""
        body = strict_json.parse(await _small_body(request))
        code = body.get("code") if isinstance(body, dict) else None
        if not isinstance(code, str):
            raise WorkroomError(ErrorCode.INVALID_INPUT, 'The body is {"code": "code_…"}.')
        key, shown = await self._run(self._exchange, request, code)
        return json_response({"key": shown, "id": key.id})

    def _exchange(self, request: Request, code: str) -> tuple[Key, str]:
        try:
            key, shown = self._signin.exchange(code, request.headers.get("user-agent", ""))
        except WorkroomError as error:
            if error.code not in {ErrorCode.PROTECTED_PATH, ErrorCode.LIMIT_EXCEEDED}:
                raise
            status = 429 if error.code is ErrorCode.LIMIT_EXCEEDED else 403
            refused = RefusedError(status, error.code, error.message, next_step=error.next_step)
            turned_away(self._hub, request.scope, refused)
            raise refused from None
        self._hub.ledger.tell(Token(key.id, "made", "page", "page", ()), self._credential.actor)
        return key, shown

    async def call(self, request: Request) -> Response:
        """One of the person's methods; its refusal as the error it is."""
        asked = _asked(_Call, await request.body())
        method = method_of(asked.method)
        params = parsed(method.params, asked.method, asked.params)
        named = None if asked.workspace is None else await self._workspace(asked.workspace)
        with self._visited(request, self._tab_of(request)) as rooms:
            rooms.introduce(self._actor(rooms))
            session = Session(rooms.session, "workspace", named)
            asking = Asking(self._credential, self._server, session, _place(rooms, named))
            try:
                result = await self._run(method.run, asking, params)
            except WorkroomError as error:
                return json_response({"error": person_error(error)}, STATUSES[error.code])
        return json_response({"result": result})

    async def content(self, request: Request) -> Response:
        """A file's bytes, as what a browser neither shows nor runs; what picture they are stands in a header."""
        asked = _asked(_File, await request.body())
        named = None if asked.workspace is None else await self._workspace(asked.workspace)
        with self._visited(request, self._tab_of(request)) as rooms:
            rooms.introduce(self._actor(rooms))
            workspace = _place(rooms, named).active()
            content = await self._run(files.read, self._credential, workspace, asked.path)
        kind = {} if content.picture is None else {"workroom-picture": content.picture}
        return Response(content.data, headers=_UNSHOWN | kind, media_type="application/octet-stream")

    async def events(self, request: Request) -> Response:
        """All events of a workspace from a number on: the person may see each."""
        since = since_of(request)
        workspace = await self._workspace(request.query_params.get("workspace", ""))
        state = request.state
        stream = Stream(self._hub, state.feeds, self._hub.pool, workspace, state.stopping, state.current, names=None)
        tabs = self._tabs_of(request)

        async def events() -> AsyncIterator[bytes]:
            with contextlib.ExitStack() as visits:
                for tab in tabs:
                    rooms = visits.enter_context(self._visited(request, tab))
                    rooms.introduce(self._actor(rooms))
                    rooms.visit(workspace)
                async for part in stream.events(since):
                    yield part

        return StreamingResponse(events(), media_type="text/event-stream")

    def _actor(self, rooms: Rooms) -> Actor:
        return Actor(self._credential.actor.kind, self._credential.actor.name, rooms.session)

    def _tab_of(self, request: Request) -> str:
        tabs = self._tabs_of(request)
        if len(tabs) > 1:
            raise WorkroomError(ErrorCode.INVALID_INPUT, "A call is made by one tab; Workroom-Tab names several.")
        return tabs[0]

    @staticmethod
    def _tabs_of(request: Request) -> tuple[str, ...]:
        """The tabs that share a stream; a page that names none is one tab."""
        tabs = tuple(dict.fromkeys(request.headers.get("workroom-tab", "").split(",")))
        if tabs != ("",) and not (len(tabs) <= _SHARING and all(map(_TAB.fullmatch, tabs))):
            raise WorkroomError(
                ErrorCode.INVALID_INPUT,
                "The header Workroom-Tab has 8 to 64 letters, digits, `-` and `_`, drawn at random; "
                f"of a stream up to {_SHARING} of them, with commas between.",
            )
        return tabs

    def _visited(self, request: Request, tab: str) -> contextlib.AbstractContextManager[Rooms]:
        """The tab is there."""
        session = "/".join(filter(None, (request.state.client.id, tab)))
        return self._lobby.visit(session, lambda: Rooms(self._hub, session, KnownDoors(self._hub)))

    async def _workspace(self, path: str) -> Workspace:
        """The workspace at `path`, which the person has opened before: a page opens no folder by naming it."""
        known = await self._run(self._hub.locate, path) if path.startswith("/") else None
        if known != path:
            raise WorkroomError(
                ErrorCode.NOT_FOUND,
                "No workspace is at this path.",
                next_step="`workroom open FOLDER` makes one.",
            )
        return await asyncio.wrap_future(await self._run(self._hub.opening, path))

    async def _run(self, work: Any, *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._hub.pool, work, *arguments)


def _place(rooms: Rooms, named: Workspace | None) -> Rooms | Here:
    """Where a request is made: in the folder that it names, else where its tab works."""
    if named is None:
        return rooms
    rooms.visit(named)
    return Here(rooms, named)


def _asked(model: type[A], body: bytes) -> A:
    try:
        return model.model_validate(strict_json.parse(body))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the body"
        raise WorkroomError(ErrorCode.INVALID_INPUT, f"{where}: {first['msg']}.") from None


async def _small_body(request: Request) -> bytes:
    """What whoever isn't known yet sends: little, and soon."""
    body = b""
    try:
        async with asyncio.timeout(_SIGN_IN_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > _SIGN_IN_BYTES:
                    raise RefusedError(
                        413, ErrorCode.LIMIT_EXCEEDED, f"A code comes in at most {_SIGN_IN_BYTES:,} bytes."
                    )
    except TimeoutError:
        raise RefusedError(408, ErrorCode.TIMEOUT, f"The body didn't come within {_SIGN_IN_SECONDS:.0f} s.") from None
    return body
