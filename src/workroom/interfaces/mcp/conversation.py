"""One agent's conversation: the protocol on one side, the one road on the other; nothing is decided here.

It knows no transport. Whoever has one makes a conversation for each client and tells it what comes in:

    conversation = Conversation(hub, session, rooms, home, send)  on the loop's thread, as all calls but `send`'s
    conversation.hear(message, origin) -> bool                    whether answers to it are still to come, or have come
    send(Send(line, origin, final, error))                        from any thread, also before `hear` returns

- A message is the bytes of one JSON text. `origin` is whatever the transport wants to know what is sent by: answers and
  progress of a request carry the origin that it was heard with, what belongs to no request carries None. A line
  transport gives none and ignores it; streamable HTTP gives the POST, and has a standing stream for None.
- Where `hear` answers True, exactly one `Send` with that origin is `final`, and it is the last one of that origin. Its
  line is empty where nothing is to be answered any more: the client has cancelled; progress that was on its way then
  may still follow. Where `hear` answers False nothing of that origin is sent: there were only notifications or answers.
- `error` is the JSON-RPC code of an error's line, for a transport that has statuses of its own.
- `cancel(origin)`: nobody waits for what came with it (a response stream that the client closed); it is sent nothing.
- `end()`: the client is gone. `stop()`: the server goes; what is open is told so, and the lines are answered that let
  another conversation go on (`recall`) where this one was; streams are ended unless one will (`handing_over`).
- `busy` says whether calls are under way; `settled`, where it is set, is called on the loop when one no longer is.
- In the modern era `subscriptions/listen` is a request that stays open; its notifications carry its origin.

Many conversations live on one loop; they share the hub's threads. One may also be made for a single request (a client
that sends all it has to say of itself with each request, and keeps no session), and ended with its final answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from workroom.base.actor import Actor
from workroom.base.errors import WorkroomError
from workroom.base.events import Event, ModeChanged
from workroom.base.settings import Profile
from workroom.interfaces.link import VERSION
from workroom.interfaces.mcp import elicitation, prompts, resources
from workroom.interfaces.mcp.answers import tool_list
from workroom.interfaces.mcp.calls import Calls
from workroom.interfaces.mcp.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, RpcError, encode
from workroom.interfaces.mcp.protocol import Peer, tool_call
from workroom.interfaces.mcp.steps import Cancel, Reply, Request, Send, Step
from workroom.interfaces.mcp.subscriptions import Subscriptions
from workroom.server.hub import Hub
from workroom.server.rooms import Rooms
from workroom.server.session import Session
from workroom.tools.tool import Call
from workroom.tools.workspace import Workspace

__all__ = ["Conversation"]


def _nothing() -> None:
    pass


_INSTRUCTIONS = (
    "Workroom serves one folder. {} Paths are relative to the folder. An answer with status pending_approval waits for "
    "the person: tell them, and don't try another way around."
)
_WITH: Mapping[Profile, str] = {
    "workspace": "Look with workspace_inspect (its action capabilities says what you may do), change files with "
    "workspace_edit.",
    "files": "",
    "editor": "Look with editor_tree, editor_find and editor_search; editor_open a file, then editor_save it with its "
    "version.",
}

_CAPABILITIES: dict[str, Any] = {
    "tools": {"listChanged": True},
    "resources": {"subscribe": True, "listChanged": True},
    "prompts": {},
    "completions": {},
}

_LOOKS: dict[str, Callable[[Call, dict[str, Any]], dict[str, Any]]] = {
    "resources/list": resources.listed,
    "resources/read": resources.read,
    "prompts/get": prompts.got,
    "completion/complete": prompts.completed,
}
"""What is looked up on a thread."""

_GATHERING_SECONDS = 0.05
"""How long what happens is gathered before a client is told of it."""


class Conversation:
    """Speaks MCP with one client, for one session, until it is ended."""

    def __init__(
        self,
        hub: Hub,
        session: Session,
        rooms: Rooms,
        home: Workspace,
        send: Callable[[Send], None],
        actor: Actor | None = None,
        left: Callable[[], None] | None = None,
    ) -> None:
        """`rooms` is where the client works; `home` the folder that it came for. `actor` is who acts, where that is
        known by more than what the client calls itself. `left` is called at the end; without it the rooms are left."""
        self.rooms = rooms
        self._home = home
        self._left = left or rooms.leave
        self._hub = hub
        self._session = session
        self._send = send
        self._peer = Peer(VERSION, _INSTRUCTIONS.format(_WITH[session.profile]), _CAPABILITIES)
        self._calls = Calls(hub, session, rooms, home, actor, self._peer, send)
        self._calls.answered = self._follow_mode
        self._subscriptions = Subscriptions(self._peer, send, resources.is_ours)
        self._news: list[Event] = []
        """What happened and wasn't told of yet."""
        self._mode = self.workspace.settings().mode
        self._loop = asyncio.get_running_loop()
        self._ended = False
        self._lock = threading.Lock()
        """For what is listened to: the client goes elsewhere on any thread."""
        self._deaf = self.workspace.store.subscribe(self._happened)
        self._unfollow = rooms.follow(self._moved)

    @property
    def workspace(self) -> Workspace:
        """Where the client works now; where that folder was closed, the one that it came for."""
        return self.rooms.where()[0] or self._home

    @property
    def busy(self) -> bool:
        """Whether calls are under way."""
        return self._calls.busy

    @property
    def settled(self) -> Callable[[], None] | None:
        """What is called when a call is no longer under way."""
        return self._calls.settled

    @settled.setter
    def settled(self, tell: Callable[[], None]) -> None:
        self._calls.settled = tell

    def hear(self, message: bytes, origin: object = None) -> bool:
        """Take one message from the client; whether it is one that is answered."""
        return self._follow(self._peer.receive(message, origin), origin)

    def take(self, message: Any, origin: object = None) -> bool:
        """The same for a message whose JSON was decoded already."""
        return self._follow(self._peer.take(message, origin), origin)

    def recall(self, lines: tuple[bytes, ...]) -> None:
        """Know the client by what it told another conversation; it doesn't introduce itself again."""
        for line in lines:
            for step in self._peer.receive(line):
                if isinstance(step, Request):
                    self._recall(step)
        self._subscriptions.changed(frozenset({"tools", "resources"}), lambda _uri: True)

    @property
    def root(self) -> str:
        """What the client calls where it works; empty where that is the folder that it came for."""
        return self.rooms.root

    async def return_to(self, root: str) -> None:
        """Work again where the client worked with another server."""
        await self._loop.run_in_executor(self._hub.pool, self.rooms.return_to, root)

    def stop(self, *, handing_over: bool = False) -> tuple[bytes, ...]:
        """Tell what has no answer that the server goes; answers the lines that another conversation can recall."""
        lines = (*([self._peer.first] if self._peer.first else []), *self._subscriptions.told())
        self._calls.stop()
        if not handing_over:
            self._subscriptions.end()
        return lines

    def cancel(self, origin: object) -> None:
        """Nobody waits any more for what was heard with this origin."""
        for request in self._peer.give_up(origin):
            self._drop(request)

    def end(self) -> None:
        """The client is gone: begin nothing more of what it has asked, and send it nothing."""
        if not self._ended:
            self._ended = True
            self._unfollow()
            with self._lock:
                self._deaf()
                self._deaf = _nothing
            self._left()
            self._calls.end()

    def complain(self, fault: RpcError) -> None:
        """Answer what can't even be heard."""
        self._send(self._peer.complain(fault))

    # One request.

    def _follow(self, steps: list[Step], origin: object) -> bool:
        answered = False
        for step in steps:
            if isinstance(step, Cancel):
                self._drop(step.request)
            elif isinstance(step, Reply):
                self._calls.replied(step.question, elicitation.verdict(step.result))
            else:
                answered = answered or step.origin is origin
                if isinstance(step, Send):
                    self._send(step)
                else:
                    self._begin(step)
        return answered

    def _begin(self, request: Request) -> None:
        try:
            self._begun(request)
        except RpcError as fault:
            self._tell(self._peer.refuse(request, fault))
        except WorkroomError as error:  # settings that can't be read: nothing runs by them
            self._tell(self._peer.refuse(request, RpcError(INTERNAL_ERROR, str(error))))

    def _begun(self, request: Request) -> None:
        match request.method:
            case "tools/call":
                self._calls.begin(request, *tool_call(request.params))
            case "tools/list" | "prompts/list" | "resources/templates/list" if request.params.get("cursor") is not None:
                raise RpcError(INVALID_PARAMS, "cursor is not one that a page ended with: this list has one page.")
            case "tools/list":
                self._mode = self.workspace.settings().mode
                self._tell(
                    self._peer.answer(request, tool_list(self._session.profile, self._mode, request.client.structured))
                )
            case "subscriptions/listen":
                self._subscriptions.listen(request)
            case "resources/subscribe":
                self._subscriptions.subscribe(request.params)
                self._tell(self._peer.answer(request, "{}"))
            case "resources/unsubscribe":
                self._subscriptions.unsubscribe(request.params)
                self._tell(self._peer.answer(request, "{}"))
            case "resources/templates/list":
                self._tell(self._peer.answer(request, encode({"resourceTemplates": resources.TEMPLATES})))
            case "prompts/list":
                self._tell(self._peer.answer(request, encode(prompts.listing())))
            case method:
                if method == "resources/list":
                    self._subscriptions.listed()
                caller = self._calls.caller(request)
                self._calls.work(request, caller.pulse, lambda: encode(_LOOKS[method](caller, request.params)))

    def _recall(self, request: Request) -> None:
        """What was subscribed to with another conversation; nothing is said about it again."""
        with contextlib.suppress(RpcError):
            if request.method == "subscriptions/listen":
                self._subscriptions.listen(request, again=True)
                return
            self._subscriptions.subscribe(request.params)
        self._peer.drop(request)

    def _drop(self, request: Request) -> None:
        """Nobody waits for it any more."""
        self._subscriptions.close(request)
        self._calls.drop(request)

    def _tell(self, message: Send | None) -> None:
        if message is not None:
            self._send(message)

    # What happens elsewhere.

    def _moved(self) -> None:
        """Listen where the client works now, and tell it that what it can read is another; on whatever thread."""
        with self._lock:
            if self._ended:
                return
            self._deaf()
            self._deaf = self.workspace.store.subscribe(self._happened)
        self._on_loop(partial(self._subscriptions.changed, frozenset({"resources"}), lambda _uri: True))

    def _happened(self, _number: int, event: Event) -> None:
        """Hear of an event, on the thread that committed it."""
        if isinstance(event, ModeChanged):
            self._on_loop(self._follow_mode)
        self._calls.heard(event)
        if self._subscriptions.any:
            self._on_loop(partial(self._gather, event))

    def _gather(self, event: Event) -> None:
        """Tell of it soon, with what else happens until then."""
        self._news.append(event)
        if len(self._news) == 1:
            self._loop.call_later(_GATHERING_SECONDS, self._tell_news)

    def _tell_news(self) -> None:
        news, self._news = [resources.touched(event) for event in self._news], []
        if not self._ended:
            lists = frozenset({"resources"}) if any(listed for listed, _ in news) else frozenset()
            self._subscriptions.changed(lists, lambda uri: any(touches(uri) for _, touches in news))

    def _follow_mode(self) -> None:
        """Tell the client when its tools are others now; the person may also have edited the settings' file."""
        try:
            mode = self.workspace.settings().mode
        except WorkroomError:
            return
        if mode != self._mode:
            self._mode = mode
            self._on_loop(partial(self._subscriptions.changed, frozenset({"tools"}), lambda _uri: False))

    def _on_loop(self, act: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is over: the server is stopping
            self._loop.call_soon_threadsafe(act)
