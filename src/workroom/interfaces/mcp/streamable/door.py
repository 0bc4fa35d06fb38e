"""The door of the product: from a token's client and the address to a workspace, and an agent's conversation there.

    /mcp              the token's only workspace
    /mcp/WORKSPACE    one of those that it is bound to, by its id or its folder's name

`interfaces/http` mounts this behind its guard, and says in the scope's state who comes and when the server stops: at
`stopping` streams end and running calls go on; at `over` what still runs is told so, and the sessions are kept for the
next server, whose clients go on as if nothing had been.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from functools import partial

from starlette.types import Receive, Scope
from starlette.types import Send as Transmit

from workroom.base.actor import Actor
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.ids import new_id
from workroom.core.clients import Client
from workroom.interfaces.mcp.conversation import Conversation
from workroom.interfaces.mcp.jsonrpc import INVALID_REQUEST
from workroom.interfaces.mcp.steps import Send
from workroom.interfaces.mcp.streamable.endpoint import Endpoint
from workroom.interfaces.mcp.streamable.place import Place
from workroom.interfaces.mcp.streamable.rules import RefusedError
from workroom.interfaces.mcp.streamable.sessions import Kept
from workroom.server.entry import enter
from workroom.server.hub import Hub
from workroom.server.rooms import BoundDoors, Rooms, store_named
from workroom.server.session import Session
from workroom.tools.workspace import Workspace

__all__ = ["McpApplication"]

_STATUSES = {ErrorCode.INVALID_INPUT: 400, ErrorCode.NOT_FOUND: 404, ErrorCode.CANCELLED: 503}
_OTHERS = 422


class McpApplication:
    """What answers at `/mcp`."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._endpoint = Endpoint(self._admit)
        self._watching: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, transmit: Transmit) -> None:
        if not self._watching:
            self._watch(scope["state"]["stopping"], scope["state"]["over"])
        await self._endpoint(scope, receive, transmit)

    def _watch(self, stopping: asyncio.Event, over: asyncio.Event) -> None:
        """Hear from now on when the server stops, and when a workspace is closed."""
        self._watching = {
            asyncio.create_task(_after(stopping, self._endpoint.rest)),
            asyncio.create_task(_after(over, self._stop)),
        }
        loop = asyncio.get_running_loop()

        def closing(workspace: Workspace) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is over: the server is stopping
                loop.call_soon_threadsafe(self._endpoint.part, workspace.store.folder.name)

        self._hub.closing.append(closing)
        self._endpoint.sessions.go_on([Kept.of(row) for row in self._hub.state.take_sessions()])

    def _stop(self) -> None:
        self._hub.state.keep_sessions([kept.to_json() for kept in self._endpoint.stop()])

    async def _admit(self, scope: Scope) -> Place:
        client: Client = scope["state"]["client"]
        named = scope.get("path_params", {}).get("workspace")
        try:
            store = None if named is None else store_named(self._hub, client, named)
            workspace = await enter(self._hub, client, store)
        except WorkroomError as error:
            raise RefusedError(_STATUSES.get(error.code, _OTHERS), INVALID_REQUEST, str(error)) from None
        room = workspace.store.folder.name

        def begin(session: str) -> Rooms:
            return Rooms(self._hub, session, BoundDoors(self._hub, client), workspace)

        def converse(send: Callable[[Send], None], is_session: bool) -> Conversation:
            session = Session(new_id("session"), client.profile, workspace)
            if is_session:
                actor = Actor("agent", client.actor.name, session.id)
                return Conversation(self._hub, session, begin(session.id), workspace, send, actor)
            # Requests that stand alone are all of one session, the token's, as those of the JSON API are; each
            # address of it has a root of its own.
            lobby, key = scope["state"]["lobby"], f"{client.id} {room}"
            rooms, left = lobby.arrive(key, partial(begin, client.id)), partial(lobby.leave, key)
            rooms.come(workspace)
            return Conversation(self._hub, session, rooms, workspace, send, client.actor, left)

        return Place(client.id, room, converse, scope["state"]["current"])


async def _after(event: asyncio.Event, act: Callable[[], None]) -> None:
    await event.wait()
    act()
