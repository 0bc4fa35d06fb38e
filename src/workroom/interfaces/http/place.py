"""Where a request of the JSON API is made: the workspace that its address names, or `active`, where the token works.

A token is one session here, whatever it calls, and however many use it. A call at a workspace's address is made there;
editor_workspace_open, at whatever address, decides where `active` is from then on.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

from starlette.requests import Request

from workroom.core.clients import Client
from workroom.server.entry import enter
from workroom.server.hub import Hub
from workroom.server.lobby import Lobby
from workroom.server.rooms import BoundDoors, Here, Rooms
from workroom.tools.workspace import Workspace

__all__ = ["ACTIVE", "Entered", "entered"]

ACTIVE = "active"
"""In the place of a workspace's id, which it can't be."""


@dataclass(frozen=True, slots=True)
class Entered:
    """Where one request is made."""

    workspace: Workspace
    rooms: Rooms | Here
    closed: str = ""
    """What the client calls the folder where it worked, if that was closed."""


@contextlib.asynccontextmanager
async def entered(request: Request) -> AsyncIterator[Entered]:
    """The place of a request, whose client is there as long as the block runs; the refusals are those of `enter`."""
    hub: Hub = request.state.hub
    client: Client = request.state.client
    lobby: Lobby = request.state.lobby
    with lobby.visit(client.id, lambda: Rooms(hub, client.id, BoundDoors(hub, client))) as rooms:
        rooms.introduce(client.actor)
        named = request.path_params["workspace"]
        yield await (_active(hub, client, rooms) if named == ACTIVE else _named(hub, client, rooms, named))


async def _named(hub: Hub, client: Client, rooms: Rooms, named: str) -> Entered:
    workspace = await enter(hub, client, named)
    rooms.visit(workspace)
    return Entered(workspace, Here(rooms, workspace))


async def _active(hub: Hub, client: Client, rooms: Rooms) -> Entered:
    workspace, closed = rooms.where()
    if closed:  # all that can be done from there is to enter another
        return Entered(await enter(hub, client, client.workspaces[0]), rooms, closed)
    if workspace is None:
        workspace = await enter(hub, client, None)
        rooms.come(workspace)
    return Entered(workspace, rooms)
