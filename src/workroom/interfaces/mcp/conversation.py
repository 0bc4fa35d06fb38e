"""One agent's conversation: the protocol on one side, the one road on the other; nothing is decided here.

It knows no transport. Whoever has one makes a conversation for each client and tells it what comes in:

    conversation = Conversation(hub, session, workspace, send)    on the loop's thread, as all calls but `send`'s
    conversation.hear(message, origin) -> bool                    whether answers to it are still to come, or have come
    send(Send(line, origin, final, error))                        from any thread, also before `hear` returns

- A message is the bytes of one JSON text. `origin` is whatever the transport wants to know what is sent by: answers and
  progress of a request carry the origin that it was heard with, what belongs to no request carries None. A line
  transport gives none and ignores it; streamable HTTP gives the POST, and has a standing stream for None.
- Where `hear` answers True, exactly one `Send` with that origin is `final`, and it is the last one of that origin. Its
  line is empty where nothing is to be answered any more: the client has cancelled. Where `hear` answers False nothing
  of that origin is sent: there were only notifications, or answers.
- `error` is the JSON-RPC code of an error's line, for a transport that has statuses of its own.
- `cancel(origin)`: nobody waits for what came with it (a response stream that the client closed); it is sent nothing.
- `end()`: the client is gone. `stop()`: the server goes; what is open is told so, and the lines are answered that let
  another conversation go on (`recall`) where this one was.
- `busy` says whether calls are under way; `settled`, where it is set, is called on the loop when one no longer is.

Many conversations live on one loop; they share the hub's threads. One may also be made for a single request (a client
that sends all it has to say of itself with each request, and keeps no session), and ended with its final answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import threading
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from pydantic_core import PydanticSerializationError, to_json

from workroom.base.actor import Actor
from workroom.base.envelope import Envelope, failure
from workroom.base.errors import WorkroomError
from workroom.base.events import Event, ModeChanged
from workroom.base.settings import Mode, Profile
from workroom.interfaces.link import VERSION
from workroom.interfaces.mcp.adapters import limits_of
from workroom.interfaces.mcp.protocol import (
    INTERNAL_ERROR,
    CallTool,
    Cancel,
    Peer,
    Request,
    Send,
    Step,
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

__all__ = ["Conversation", "tool_list"]

_log = logging.getLogger(__name__)

_INSTRUCTIONS = (
    "Workroom serves one folder. Look with workspace_inspect (its action capabilities says what you may do), change "
    "files with workspace_edit. Paths are relative to the folder. An answer with status pending_approval waits for the "
    "person: tell them, and don't try another way around."
)

_PARTED = "The server stopped while this ran; it may have taken effect. Look before you repeat it."
_NOT_BEGUN = "The server stopped before this was begun; nothing was done. Send it again."


class Conversation:
    """Speaks MCP with one client, for one session, until it is ended."""

    def __init__(
        self,
        hub: Hub,
        session: Session,
        workspace: Workspace,
        send: Callable[[Send], None],
        actor: Actor | None = None,
    ) -> None:
        """`actor` is who acts, where that is known by more than what the client calls itself."""
        self._running: dict[Request, bool] = {}
        """Requests whose calls are on their way to a thread, and whether one has begun; taken out by the thread."""
        self._lock = threading.Lock()
        """Held while a request is begun or answered: `stop` comes before that or after it, not between."""
        self._waiting: dict[Request, asyncio.Task[None]] = {}
        self.workspace = workspace
        self.settled: Callable[[], None] | None = None
        self._hub = hub
        self._session = session
        self._send = send
        self._actor = actor
        self._peer = Peer(VERSION, _INSTRUCTIONS)
        self._mode = workspace.settings().mode
        self._loop = asyncio.get_running_loop()
        self._leave = workspace.store.subscribe(self._happened)
        self._ended = False

    @property
    def busy(self) -> bool:
        """Whether calls are under way."""
        return bool(self._running or self._waiting)

    def hear(self, message: bytes, origin: object = None) -> bool:
        """Take one message from the client; whether it is one that is answered."""
        return self._follow(self._peer.receive(message, origin), origin)

    def take(self, message: Any, origin: object = None) -> bool:
        """The same for a message whose JSON was decoded already."""
        return self._follow(self._peer.take(message, origin), origin)

    def recall(self, lines: tuple[bytes, ...]) -> None:
        """Know the client by what it told another conversation; it doesn't introduce itself again."""
        for line in lines:
            self._peer.receive(line)
        self._tell(self._peer.tools_changed())

    def stop(self) -> tuple[bytes, ...]:
        """Tell what has no answer that the server goes; answers the lines that another conversation can recall."""
        with self._lock:
            for request in self._peer.open_requests():
                begun = self._running.get(request, True)
                if not begun:
                    del self._running[request]
                self._tell(self._peer.refuse(request, INTERNAL_ERROR, _PARTED if begun else _NOT_BEGUN))
        return (self._peer.first,) if self._peer.first else ()

    def cancel(self, origin: object) -> None:
        """Nobody waits any more for what was heard with this origin."""
        for request in self._peer.give_up(origin):
            self._drop(request)

    def end(self) -> None:
        """The client is gone: begin nothing more of what it has asked, and send it nothing."""
        if not self._ended:
            self._ended = True
            self._leave()
            for request in [*self._running, *self._waiting]:
                self._drop(request)

    def complain(self, code: int, message: str) -> None:
        """Answer what can't even be heard."""
        self._send(self._peer.complain(code, message))

    def _follow(self, steps: list[Step], origin: object) -> bool:
        answered = False
        for step in steps:
            if isinstance(step, Cancel):
                self._drop(step.request)
                continue
            answered = answered or (step if isinstance(step, Send) else step.request).origin is origin
            if isinstance(step, Send):
                self._send(step)
            elif isinstance(step, CallTool):
                self._start(step)
            else:
                self._list(step.request)
        return answered

    def _drop(self, request: Request) -> None:
        """Begin it no more, wait for it no more; what runs is finished, and its answer dropped."""
        with self._lock:
            self._running.pop(request, None)
        if request in self._waiting:
            self._waiting[request].cancel()
        self._settle()

    def _settle(self) -> None:
        if self.settled is not None:
            self.settled()

    # One call.

    def _start(self, step: CallTool) -> None:
        """Begin a call; one that waits for nobody goes straight to a thread, which answers it too."""
        client = self._peer.client
        actor = self._actor or Actor("agent", client, self._session.id)
        caller = Call(self.workspace, actor, self._session.profile, limits_of(client))
        try:
            waits = caller.settings().wait_seconds(caller.profile) > 0
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
        if self.settled is not None:
            with contextlib.suppress(RuntimeError):  # the loop is over
                self._loop.call_soon_threadsafe(self.settled)

    async def _wait(self, caller: Call, step: CallTool) -> None:
        try:
            self._answer(step.request, await dispatch(self._hub.pool, caller, step.name, step.arguments))
            self._follow_mode()
        except Exception:  # noqa: BLE001 - the client is told
            self._tell_fault(step.request)

    def _waited(self, request: Request, _task: asyncio.Task[None]) -> None:
        del self._waiting[request]
        self._settle()

    def _tell_fault(self, request: Request) -> None:
        _log.exception("a call could not be answered")
        with self._lock:
            self._tell(self._peer.refuse(request, INTERNAL_ERROR, "The server met a fault; its log tells more."))

    def _answer(self, request: Request, envelope: Envelope) -> None:
        text = _encoded(_result(envelope, structured=self._peer.structured))
        with self._lock:
            self._tell(self._peer.answer(request, text))

    def _list(self, request: Request) -> None:
        try:
            self._mode = self.workspace.settings().mode
            answer = self._peer.answer(request, tool_list(self._session.profile, self._mode, self._peer.structured))
        except WorkroomError as error:
            answer = self._peer.refuse(request, INTERNAL_ERROR, str(error))
        self._tell(answer)

    def _tell(self, message: Send | None) -> None:
        if message is not None:
            self._send(message)

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
            self._tell(self._peer.tools_changed())


@lru_cache(maxsize=16)
def tool_list(profile: Profile, mode: Mode, structured: bool = True) -> str:
    """The result of `tools/list` as JSON text; `structured` as `Peer.structured` has it."""
    return encode({"tools": [_tool(tool, structured) for tool in tools_for(profile, mode)]})


def _tool(tool: Tool, structured: bool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.help,
        "inputSchema": input_schema(tool),
        **({"outputSchema": output_schema()} if structured else {}),
        "annotations": dict(tool.annotations),
    }


def _result(envelope: Envelope, *, structured: bool) -> dict[str, Any]:
    """An answer in both forms: some clients show a model only the text, some only what is structured.

    Where the revision knows no structured content, the text is all: a client that hands on the whole result would
    show the same twice.
    """
    return {
        "content": [{"type": "text", "text": _text(envelope)}],
        **({"structuredContent": envelope.to_json()} if structured else {}),
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
