"""One agent's connection: the protocol on one side, the one road on the other; nothing is decided here."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import threading
from functools import lru_cache, partial
from typing import Any

from pydantic_core import PydanticSerializationError, to_json

from workroom.base.actor import Actor
from workroom.base.envelope import Envelope, failure
from workroom.base.errors import WorkroomError
from workroom.base.events import Event, ModeChanged
from workroom.base.settings import Mode, Profile
from workroom.interfaces.channel import LINE_BYTES, Channel
from workroom.interfaces.greeting import Resumed
from workroom.interfaces.link import VERSION
from workroom.interfaces.mcp.protocol import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    CallTool,
    Cancel,
    ListTools,
    Peer,
    Request,
    Send,
    encode,
    on_one_line,
)
from workroom.server.hub import Hub
from workroom.server.session import Session
from workroom.tools.catalog import tools_for
from workroom.tools.dispatch import call, dispatch
from workroom.tools.schema import input_schema, output_schema
from workroom.tools.tool import Call, Tool
from workroom.tools.workspace import Workspace

__all__ = ["Connection", "tool_list"]

_log = logging.getLogger(__name__)

_INSTRUCTIONS = (
    "Workroom serves one folder. Look with workspace_inspect (its action capabilities says what you may do), change "
    "files with workspace_edit. Paths are relative to the folder. An answer with status pending_approval waits for the "
    "person: tell them, and don't try another way around."
)

_PARTED = "The server stopped while this ran; it may have taken effect. Look before you repeat it."
_NOT_BEGUN = "The server stopped before this was begun; nothing was done. Send it again."


class Connection:
    """Speaks MCP on a channel for one session until either side ends it."""

    def __init__(self, channel: Channel, hub: Hub, session: Session, workspace: Workspace) -> None:
        self._running: dict[Request, bool] = {}
        """Requests whose calls are on their way to a thread, and whether one has begun; taken out by the thread."""
        self._lock = threading.Lock()
        """Held while a request is begun or answered: `hand_back` comes before that or after it, not between."""
        self._waiting: dict[Request, asyncio.Task[None]] = {}
        self._channel = channel
        self._hub = hub
        self._session = session
        self.workspace = workspace
        self._peer = Peer(VERSION, _INSTRUCTIONS)
        self._mode = workspace.settings().mode
        self._over = False
        self._loop = asyncio.get_running_loop()
        self._leave = workspace.store.subscribe(self._happened)
        channel.hear, channel.finished, channel.overrun = self.hear, self.finish, self._overrun
        channel.ended.append(self._ended)

    def hear(self, line: bytes) -> None:
        """Take one line from the client."""
        for step in self._peer.receive(line):
            if isinstance(step, Send):
                self._channel.send(step.line)
            elif isinstance(step, CallTool):
                self._start(step)
            elif isinstance(step, ListTools):
                self._list(step.request)
            elif isinstance(step, Cancel):
                self._cancel(step.request)

    def resume(self, resumed: Resumed) -> None:
        """Go on where another server has ended: the client has introduced itself, and doesn't do so again."""
        for line in resumed.first:
            self._peer.receive(line.encode("latin-1"))
        self._channel.held[:0] = resumed.held.encode("latin-1")
        self._send(self._peer.tools_changed())

    def hand_back(self) -> Resumed:
        """Hear nothing more, and tell what has no answer so; answers what another server needs to go on."""
        self._channel.rest()
        with self._lock:
            for request in self._peer.open_requests():
                begun = self._running.get(request, True)
                if not begun:
                    del self._running[request]
                self._send(self._peer.refuse(request, INTERNAL_ERROR, _PARTED if begun else _NOT_BEGUN))
        first, held = self._peer.first, bytes(self._channel.held)
        return Resumed(first=(first.decode("latin-1"),) if first else (), held=held.decode("latin-1"))

    def part(self) -> None:
        """End this server's side."""
        self.hand_back()
        self._channel.close()

    def finish(self) -> None:
        """The client says nothing more: end when it has its answers."""
        self._over = True
        self._end_if_through()

    def _overrun(self) -> None:
        """The client's line is too long to be heard, and whatever comes behind it can't be told from it."""
        message = f"A message is at most {LINE_BYTES:,} bytes on one line; the connection ends."
        self._send(self._peer.complain(INVALID_REQUEST, message))
        self.finish()

    def _end_if_through(self) -> None:
        if self._over and not self._running and not self._waiting:
            self._channel.close()

    def _ended(self) -> None:
        self._leave()
        for request in [*self._running, *self._waiting]:
            self._cancel(request)

    def _cancel(self, request: Request) -> None:
        """Begin it no more, wait for it no more; what runs is finished, and its answer dropped."""
        with self._lock:
            self._running.pop(request, None)
        if request in self._waiting:
            self._waiting[request].cancel()
        self._end_if_through()

    # One call.

    def _start(self, step: CallTool) -> None:
        """Begin a call; one that waits for nobody goes straight to a thread, which answers it too."""
        caller = Call(self.workspace, Actor("agent", self._peer.client, self._session.id), self._session.profile)
        try:
            waits = self.workspace.settings().wait_seconds(caller.profile) > 0
        except WorkroomError as error:  # settings that can't be read: nothing runs by them
            self._answer(step.request, failure(step.name.removeprefix("workspace_"), error))
            return
        if waits:
            task = self._loop.create_task(self._wait(caller, step))
            self._waiting[step.request] = task
            task.add_done_callback(partial(self._waited, step.request))
        else:
            self._running[step.request] = False
            self._hub.pool.run(partial(self._run, caller, step))

    def _run(self, caller: Call, step: CallTool) -> None:
        """The whole of a call, on a thread of the pool."""
        with self._lock:
            if step.request not in self._running:
                return
            self._running[step.request] = True
        try:
            self._answer(step.request, call(caller, step.name, step.arguments))
            self._follow_mode()
        except Exception:  # noqa: BLE001 - the client is told, and the thread goes on
            self._tell_fault(step.request)
        with self._lock:
            self._running.pop(step.request, None)
        if self._over:
            with contextlib.suppress(RuntimeError):  # the loop is over
                self._loop.call_soon_threadsafe(self._end_if_through)

    async def _wait(self, caller: Call, step: CallTool) -> None:
        try:
            self._answer(step.request, await dispatch(self._hub.pool, caller, step.name, step.arguments))
            self._follow_mode()
        except Exception:  # noqa: BLE001 - the client is told
            self._tell_fault(step.request)

    def _waited(self, request: Request, _task: asyncio.Task[None]) -> None:
        del self._waiting[request]
        self._end_if_through()

    def _tell_fault(self, request: Request) -> None:
        _log.exception("a call could not be answered")
        with self._lock:
            self._send(self._peer.refuse(request, INTERNAL_ERROR, "The server met a fault; its log tells more."))

    def _answer(self, request: Request, envelope: Envelope) -> None:
        text = _encoded(_result(envelope))
        with self._lock:
            self._send(self._peer.answer(request, text))

    def _list(self, request: Request) -> None:
        try:
            self._mode = self.workspace.settings().mode
            answer = self._peer.answer(request, tool_list(self._session.profile, self._mode))
        except WorkroomError as error:
            answer = self._peer.refuse(request, INTERNAL_ERROR, str(error))
        self._send(answer)

    def _send(self, line: bytes | None) -> None:
        if line is not None:
            self._channel.send(line)

    def _happened(self, _number: int, event: Event) -> None:
        """Hear of an event, on the thread that committed it."""
        if isinstance(event, ModeChanged):
            with contextlib.suppress(RuntimeError):  # the loop is over: the server is stopping
                self._loop.call_soon_threadsafe(self._follow_mode)

    def _follow_mode(self) -> None:
        """Tell the client when its tools are others now; the person may also have edited the settings' file."""
        try:
            mode = self.workspace.settings().mode
        except WorkroomError:
            return
        if mode != self._mode:
            self._mode = mode
            self._send(self._peer.tools_changed())


@lru_cache(maxsize=16)
def tool_list(profile: Profile, mode: Mode) -> str:
    """The result of `tools/list` as JSON text."""
    return encode({"tools": [_tool(tool) for tool in tools_for(profile, mode)]})


def _tool(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.help,
        "inputSchema": input_schema(tool),
        "outputSchema": output_schema(),
        "annotations": dict(tool.annotations),
    }


def _result(envelope: Envelope) -> dict[str, Any]:
    """An answer in both forms: some clients show a model only the text, some only what is structured."""
    return {
        "content": [{"type": "text", "text": _text(envelope)}],
        "structuredContent": envelope.to_json(),
        "isError": not envelope.ok,
    }


def _encoded(result: dict[str, Any]) -> str:
    """What `encode` answers, in a third of the time; answers are long."""
    try:
        return on_one_line(to_json(result).decode())
    except PydanticSerializationError:  # half of a surrogate pair, which UTF-8 can't hold
        return encode(result)


def _text(envelope: Envelope) -> str:
    body = envelope.text
    if envelope.error is not None:
        details = envelope.error.get("details")
        parts = [f"{envelope.error['code']}: {envelope.summary}", body or (_compact(details) if details else "")]
    else:
        parts = [envelope.summary, body or (_compact(envelope.data) if envelope.data else "")]
    parts += [f"{artifact.kind}: {artifact.path}" for artifact in envelope.artifacts]
    return "\n\n".join(part for part in parts if part)


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
