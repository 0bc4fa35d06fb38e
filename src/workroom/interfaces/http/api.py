"""The JSON API: the tools of the workspaces that a token is bound to, by the one road.

GET   /api/v1/openapi.json                                this API, described
GET   /api/v1/workspaces
GET   /api/v1/workspaces/{workspace}/tools
GET   /api/v1/workspaces/{workspace}/events               what happens, as server-sent events
POST  /api/v1/workspaces/{workspace}/tools/{tool}/{action}
                                                          the arguments as a JSON object; answers the envelope
POST  /api/v1/workspaces/{workspace}/tools/{tool}         the same for a flat tool; answers its fields, or `error`
POST  /api/v1/workspaces/{workspace}/approvals/{approval}/{accept or deny}
                                                          403: a token decides nothing

`active` in the place of a workspace is where the token works: its only one, or where editor_workspace_open went.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from workroom.base.envelope import Envelope
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.settings import Mode, Profile
from workroom.core.clients import Client
from workroom.interfaces.http.answers import RefusedError, answer, json_response, stopped
from workroom.interfaces.http.events import follow_events
from workroom.interfaces.http.openapi import document
from workroom.interfaces.http.place import Entered, entered
from workroom.server.hub import Hub
from workroom.text import strict_json
from workroom.tools.catalog import PROFILES, tools_for
from workroom.tools.dispatch import dispatch
from workroom.tools.explain import full_schema
from workroom.tools.schema import output_schema
from workroom.tools.tool import Call
from workroom.tools.workspace import Workspace

__all__ = ["PREFIX", "ROUTES"]

PREFIX = "/api/v1"
_SMALL_BYTES = 64 * 1024
"""A body up to this long is parsed where it is; a longer one on a thread, so that others don't wait for it."""


async def describe(_request: Request) -> Response:
    """The API's description; the same for everybody."""
    return json_response(document())


async def list_workspaces(request: Request) -> Response:
    """The workspaces of the token."""
    hub, client = _caller(request)
    loop = asyncio.get_running_loop()
    rows = await loop.run_in_executor(hub.pool.lane(client.actor.name), _workspace_rows, hub, client)
    return json_response({"workspaces": rows, "client": client.name, "profile": client.profile})


async def list_tools(request: Request) -> Response:
    """The tools of a workspace as they are registered now: they change with the permission mode."""
    _, client = _caller(request)
    async with entered(request) as place:
        mode = place.rooms.active().settings().mode
    return json_response({"mode": str(mode), "tools": _tool_rows(client.profile, mode)})


async def call_tool(request: Request) -> Response:
    """One call of one action."""
    async with entered(request) as place:
        _check_path(request, flat=False)
        arguments = await _arguments(request)
        if "action" in arguments:
            raise WorkroomError(
                ErrorCode.INVALID_INPUT, "`action` stands in the path.", next_step="Leave it out of the body."
            )
        return await _called(request, place, {"action": request.path_params["action"], **arguments})


async def call_flat_tool(request: Request) -> Response:
    """One call of a tool that has no actions to choose from."""
    async with entered(request) as place:
        _check_path(request, flat=True)
        return await _called(request, place, await _arguments(request))


async def _called(request: Request, place: Entered, raw: dict[str, Any]) -> Response:
    hub, client = _caller(request)
    call = Call(place.workspace, client.actor, client.profile, rooms=place.rooms, closed=place.closed)
    envelope = await _unless_gone(
        request, dispatch(hub.pool.lane(call.actor.name), call, request.path_params["tool"], raw)
    )
    return Response(status_code=499) if envelope is None else answer(envelope)


async def decide(request: Request) -> Response:
    """Nobody decides with a token."""
    hub, client = _caller(request)
    async with entered(request) as place:
        workspace = place.workspace
    refusal = RefusedError(
        403,
        ErrorCode.PROTECTED_PATH,
        "A token can't decide: only the person does, and not over HTTP.",
        next_step="Ask the person; they decide with `workroom accept` or `workroom deny` in a terminal.",
    )
    tried = {name: request.path_params[name] for name in ("approval", "decision")}
    loop = asyncio.get_running_loop()
    told = partial(workspace.audit.refused, client.actor, "approvals.decide", refusal, tried)
    await loop.run_in_executor(hub.pool.lane(client.actor.name), told)
    raise refusal


ROUTES: tuple[BaseRoute, ...] = (
    Route(f"{PREFIX}/openapi.json", describe, methods=["GET"]),
    Route(f"{PREFIX}/workspaces", list_workspaces, methods=["GET"]),
    Route(f"{PREFIX}/workspaces/{{workspace}}/tools", list_tools, methods=["GET"]),
    Route(f"{PREFIX}/workspaces/{{workspace}}/events", follow_events, methods=["GET"]),
    Route(f"{PREFIX}/workspaces/{{workspace}}/tools/{{tool}}/{{action}}", call_tool, methods=["POST"]),
    Route(f"{PREFIX}/workspaces/{{workspace}}/tools/{{tool}}", call_flat_tool, methods=["POST"]),
    Route(f"{PREFIX}/workspaces/{{workspace}}/approvals/{{approval}}/{{decision}}", decide, methods=["POST"]),
)


def _caller(request: Request) -> tuple[Hub, Client]:
    return request.state.hub, request.state.client


def _workspace_rows(hub: Hub, client: Client) -> list[dict[str, Any]]:
    """One row a workspace. `name` is the folder's own name; where it stands is the person's business."""
    open_now = {one.store.folder.name: one for one in hub.workspaces()}
    return [_workspace_row(hub, store, open_now.get(store)) for store in client.workspaces]


def _workspace_row(hub: Hub, store: str, workspace: Workspace | None) -> dict[str, Any]:
    path = workspace.root.path if workspace is not None else hub.state.folder_of(store)
    return {"id": store, "name": path.rpartition("/")[2] if path else None, "there": path is not None}


def _tool_rows(profile: Profile, mode: Mode) -> list[dict[str, Any]]:
    return [
        {
            "name": tool.name,
            "title": tool.title,
            "description": tool.help,
            **({"answer": output_schema(tool)} if tool.flat else {}),
            "actions": [
                {"name": action.name, "description": action.help, "arguments": full_schema(action.arguments)}
                for action in tool.actions
            ],
        }
        for tool in tools_for(profile, mode)
    ]


def _check_path(request: Request, *, flat: bool) -> None:
    """NOT_FOUND for a tool that is called at the other kind of path; what there is no tool for is told by the call."""
    for tool in PROFILES[request.state.client.profile]:
        if tool.name == request.path_params["tool"] and tool.flat is not flat:
            below = "" if tool.flat else "/{action}"
            raise WorkroomError(
                ErrorCode.NOT_FOUND,
                f"{tool.name} is called at /tools/{tool.name}{below}.",
                next_step="Send it there; GET /api/v1/openapi.json describes what is there.",
            )


async def _arguments(request: Request) -> dict[str, Any]:
    hub, client = _caller(request)
    body = await request.body()
    if len(body) <= _SMALL_BYTES:
        value = strict_json.parse(body)
    else:
        lane = hub.pool.lane(client.actor.name)
        value = await asyncio.get_running_loop().run_in_executor(lane, strict_json.parse, body)
    if not isinstance(value, dict):
        raise WorkroomError(ErrorCode.INVALID_INPUT, "The body is a JSON object: the action's arguments.")
    return value


async def _unless_gone(request: Request, calling: Coroutine[Any, Any, Envelope]) -> Envelope | None:
    """The call's envelope; None when its client has gone: then it is waited for no more, and what runs is finished."""
    call = asyncio.ensure_future(calling)
    ends = asyncio.ensure_future(_left(request)), asyncio.ensure_future(request.state.over.wait())
    try:
        await asyncio.wait((call, *ends), return_when=asyncio.FIRST_COMPLETED)
        if call.done():
            return await call
        if ends[0].done():
            return None
        raise stopped()
    finally:
        for task in (call, *ends):
            task.cancel()


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
