"""An endpoint on a real server, whose conversations do what the test says, when it says so."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import httpx2
import uvicorn
from starlette.types import Scope

from workroom.interfaces.mcp.jsonrpc import RpcError
from workroom.interfaces.mcp.protocol import Peer
from workroom.interfaces.mcp.steps import Cancel, Request, Send
from workroom.interfaces.mcp.streamable.endpoint import Endpoint
from workroom.interfaces.mcp.streamable.limits import Limits
from workroom.interfaces.mcp.streamable.place import Place
from workroom.interfaces.mcp.streamable.stream import Stream

SECONDS = 60
"""A guard against hanging, no measure."""
BOTH = "application/json, text/event-stream"


class Talker:
    """A conversation over the real peer: tools/list is answered at once, a call when the test answers it."""

    def __init__(self, send: Callable[[Send], None]) -> None:
        self.send = send
        self.peer = Peer("1")
        self.calls: asyncio.Queue[Request] = asyncio.Queue()
        self.cancelled: list[object] = []
        self.dropped = asyncio.Event()
        self.over = asyncio.Event()

    @property
    def busy(self) -> bool:
        return bool(self.peer.open_requests())

    def take(self, message: Any, origin: object = None) -> bool:
        answered = False
        for step in self.peer.take(message, origin):
            if isinstance(step, Send):
                self.send(step)
            elif isinstance(step, Cancel):
                self.cancelled.append(step.request.origin)
            elif isinstance(step, Request) and step.method == "tools/list":
                self.send(self.peer.answer(step, '{"tools":[]}'))
            elif isinstance(step, Request):
                self.calls.put_nowait(step)
            if isinstance(step, Send | Request):
                answered = answered or step.origin is origin
        return answered

    def say(self, text: str, origin: object = None) -> None:
        """Send a notification, with a request or with none."""
        line = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": text}}) + "\n"
        self.send(Send(line.encode(), origin))

    def answer(self, request: Request, text: str) -> None:
        self.send(self.peer.answer(request, json.dumps({"content": [{"type": "text", "text": text}]})))

    root = ""

    async def return_to(self, root: str) -> None:
        self.root = root

    def recall(self, lines: tuple[bytes, ...]) -> None:
        for line in lines:
            self.peer.receive(line)

    def stop(self) -> tuple[bytes, ...]:
        for request in self.peer.open_requests():
            self.send(self.peer.refuse(request, RpcError(-32603, "stopped")))
        return (self.peer.first,) if self.peer.first else ()

    def cancel(self, origin: object) -> None:
        self.cancelled += [request.origin for request in self.peer.give_up(origin)]
        self.dropped.set()

    def end(self) -> None:
        self.over.set()


@dataclass
class Hall:
    """The server's address, its endpoint, and who talked."""

    url: str
    endpoint: Endpoint
    http: httpx2.AsyncClient
    revoked: set[str]
    """Owners whose token counts no more, for what is open already."""
    talkers: list[Talker] = field(default_factory=list)

    def standing(self) -> Stream:
        """The standing stream of the one session there is."""
        (session,) = self.endpoint.sessions
        return session.standing

    async def post(self, message: Any, **headers: str) -> httpx2.Response:
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        return await self.http.post(self.url, content=body, headers=_named(headers))

    def stream(self, method: str, message: Any = None, **headers: str) -> Any:
        body = json.dumps(message).encode() if message is not None else None
        return self.http.stream(method, self.url, content=body, headers=_named(headers))

    async def begin(self, revision: str = "2025-11-25", **headers: str) -> dict[str, str]:
        """A client that has introduced itself; the headers that its requests carry."""
        hello = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "tester", "version": "1"}}
        answer = await self.post(rpc("initialize", **hello), **headers)
        assert answer.status_code == 200, answer.text
        named = {"mcp_session_id": answer.headers["mcp-session-id"], "mcp_protocol_version": revision, **headers}
        assert (await self.post({"jsonrpc": "2.0", "method": "notifications/initialized"}, **named)).status_code == 202
        return named


def rpc(method: str, number: Any = 1, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def call(number: Any = 1) -> dict[str, Any]:
    return rpc("tools/call", number, name="work", arguments={})


def _named(headers: dict[str, str]) -> dict[str, str]:
    named = {"accept": BOTH, "content-type": "application/json"}
    return named | {name.replace("_", "-"): value for name, value in headers.items()}


async def events(response: httpx2.Response) -> AsyncIterator[dict[str, str]]:
    """The events of a response: their fields, comments left out."""
    fields: dict[str, str] = {}
    async for line in response.aiter_lines():
        if not line and fields:
            yield fields
            fields = {}
        elif line and not line.startswith(":"):
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")


class _Server(uvicorn.Server):
    """Tells when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        self.ready.set()


@contextlib.asynccontextmanager
async def hall(limits: Limits) -> AsyncIterator[Hall]:
    """The server, up; `x-owner` says whose token it would be, and the path which room."""
    talkers: list[Talker] = []
    revoked: set[str] = set()

    def converse(send: Callable[[Send], None], _is_session: bool) -> Talker:
        talkers.append(Talker(send))
        return talkers[-1]

    async def door(scope: Scope) -> Place:
        owner = next((value.decode() for name, value in scope["headers"] if name == b"x-owner"), "somebody")
        return Place(owner, scope["path"], converse, lambda: owner not in revoked)

    endpoint = Endpoint(door, limits)
    server = _Server(uvicorn.Config(endpoint, port=0, lifespan="off", log_level="warning"))
    task = asyncio.create_task(server.serve())
    await server.ready.wait()
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        async with httpx2.AsyncClient(timeout=SECONDS) as http:
            yield Hall(f"http://127.0.0.1:{port}/mcp", endpoint, http, revoked, talkers)
    finally:
        server.should_exit = server.force_exit = True
        await task


def run(test: Callable[[Hall], Any], **limits: float) -> None:
    async def main() -> None:
        async with hall(Limits(**limits)) as there:
            await asyncio.wait_for(test(there), SECONDS)

    asyncio.run(main())
