"""A conversation without a transport, for tests to hold."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager

from workroom.interfaces.mcp.conversation import Conversation
from workroom.server.rooms import OpenDoors, Rooms
from workroom.server.session import Session

__all__ = ["META", "Ear", "ask", "conversing", "message", "modern"]

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Ear:
    """A transport's end of a conversation: what was sent, in order."""

    def __init__(self):
        self.loop = asyncio.get_running_loop()
        self.sent = asyncio.Queue()
        self.meanwhile = lambda _message: None
        """What happens while a message is being sent, on the thread that sends it."""

    def __call__(self, message):
        self.meanwhile(message)
        self.loop.call_soon_threadsafe(self.sent.put_nowait, message)

    async def next(self):
        return await asyncio.wait_for(self.sent.get(), 30)

    async def all(self):
        """What has been sent so far."""
        await asyncio.sleep(0)
        return [self.sent.get_nowait() for _ in range(self.sent.qsize())]


@asynccontextmanager
async def conversing(hub, workspace, revision="2025-11-25", number=1):
    ear = Ear()
    session = Session(f"session_{number}", "workspace", workspace)
    rooms = Rooms(hub, session.id, OpenDoors(hub), workspace, alone=True)
    conversation = Conversation(hub, session, rooms, workspace, ear)
    if revision:
        conversation.hear(message(id=0, method="initialize", params={"protocolVersion": revision}))
        assert (await ear.next()).final
    yield conversation, ear
    conversation.end()


def message(**fields):
    return json.dumps({"jsonrpc": "2.0", **fields}).encode()


def modern(number, method, **params):
    return message(id=number, method=method, params={"_meta": META, **params})


async def ask(conversation, ear, method, era="handshake", **params):
    """The answer to one request; what else is sent meanwhile is left out."""
    number = f"ask-{method}"
    request = modern(number, method, **params) if era == "modern" else message(id=number, method=method, params=params)
    conversation.hear(request, number)
    while (sent := await ear.next()).origin != number:
        pass
    return json.loads(sent.line)
