"""How a client of HTTP enters a workspace: one of those that its token is bound to, and no other."""

from __future__ import annotations

import asyncio

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.clients import Client
from workroom.server.hub import Hub
from workroom.tools.catalog import tools_for
from workroom.tools.workspace import Workspace

__all__ = ["enter"]


async def enter(hub: Hub, client: Client, store: str | None) -> Workspace:
    """The open workspace of this id for this client; with None its only one.

    NOT_FOUND for any other workspace, be it there or not, and for a folder that has gone; INVALID_INPUT when it has
    several and names none; UNSUPPORTED when its profile isn't there; CANCELLED when the server stops.
    """
    if store is None:
        if len(client.workspaces) > 1:
            raise WorkroomError(
                ErrorCode.INVALID_INPUT,
                "The token is bound to several workspaces, and none was named.",
                next_step=f"Name one by its id: {', '.join(client.workspaces)}.",
            )
        store = client.workspaces[0]
    if store not in client.workspaces:
        raise WorkroomError(
            ErrorCode.NOT_FOUND,
            "There is no such workspace for this token.",
            next_step="GET /api/v1/workspaces lists those that it is bound to.",
        )
    loop = asyncio.get_running_loop()
    opening = await loop.run_in_executor(hub.pool.lane(client.actor.name), hub.entering, store)
    workspace = await asyncio.wrap_future(opening)
    if workspace.store.folder.name != store:
        raise WorkroomError(ErrorCode.NOT_FOUND, "Another folder stands where this workspace's was.")
    tools_for(client.profile, workspace.settings().mode)  # refuses a profile that isn't there
    return workspace
