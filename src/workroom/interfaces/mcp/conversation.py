"""One agent's conversation: the protocol on one side, the one road on the other; nothing is decided here.

It knows no transport. Whoever has one makes a conversation for each client and tells it what comes in:

    conversation = Conversation(hub, session, workspace, send)    on the loop's thread, as all calls but `send`'s
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
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from workroom.base.actor import Actor
from workroom.base.envelope import failure
from workroom.base.errors import WorkroomError
from workroom.base.events import ApprovalDecided, Event, ModeChanged
from workroom.base.pulse import Pulse
from workroom.core.approvals import Status
from workroom.core.clients import local_name
from workroom.interfaces.link import VERSION
from workroom.interfaces.mcp import elicitation, prompts, resources
from workroom.interfaces.mcp.adapters import limits_of
from workroom.interfaces.mcp.answers import call_result, tool_list
from workroom.interfaces.mcp.eras import RESOURCE_NOT_FOUND
from workroom.interfaces.mcp.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, RpcError, encode
from workroom.interfaces.mcp.progress import Progress
from workroom.interfaces.mcp.protocol import Peer, tool_call
from workroom.interfaces.mcp.steps import Cancel, Question, Reply, Request, Send, Step
from workroom.interfaces.mcp.subscriptions import Subscriptions
from workroom.server import dialogs
from workroom.server.dialogs import Asked
from workroom.server.hub import Hub
from workroom.server.session import Session
from workroom.tools.dispatch import call, dispatch
from workroom.tools.tool import Call
from workroom.tools.workspace import Workspace

__all__ = ["Conversation"]

_log = logging.getLogger(__name__)

_INSTRUCTIONS = (
    "Workroom serves one folder. Look with workspace_inspect (its action capabilities says what you may do), change "
    "files with workspace_edit. Paths are relative to the folder. An answer with status pending_approval waits for the "
    "person: tell them, and don't try another way around."
)

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

_PARTED = "The server stopped while this ran; it may have taken effect. Look before you repeat it."
_NOT_BEGUN = "The server stopped before this was begun; nothing was done. Send it again."


class _Run:
    """A request on its way to a thread, and through it."""

    __slots__ = ("begun", "pulse")

    def __init__(self, pulse: Pulse) -> None:
        self.begun = False
        self.pulse = pulse


@dataclass(frozen=True, slots=True)
class _Dialog:
    """A call that waits for the person's answer in the client's dialog."""

    asked: Asked
    caller: Call
    name: str
    arguments: dict[str, Any]


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
        self._running: dict[Request, _Run] = {}
        """What is on its way to a thread or has begun there; taken out by the thread."""
        self._lock = threading.Lock()
        """Held while a request is begun or answered: `stop` comes before that or after it, not between."""
        self._waiting: dict[Request, asyncio.Task[None]] = {}
        self._dialogs: dict[Question, _Dialog] = {}
        """What the client is asked for the person, by the question."""
        self._parked: set[Request] = set()
        """On their way from a thread to where they wait for the person."""
        self.workspace = workspace
        self.settled: Callable[[], None] | None = None
        self._hub = hub
        self._session = session
        self._send = send
        self._actor = actor
        self._peer = Peer(VERSION, _INSTRUCTIONS, _CAPABILITIES)
        self._subscriptions = Subscriptions(self._peer, send, resources.is_ours)
        self._news: list[Event] = []
        """What happened and wasn't told of yet."""
        self._mode = workspace.settings().mode
        self._loop = asyncio.get_running_loop()
        self._leave = workspace.store.subscribe(self._happened)
        self._ended = False

    @property
    def busy(self) -> bool:
        """Whether calls are under way."""
        return bool(self._running or self._waiting or self._dialogs or self._parked)

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

    def stop(self, *, handing_over: bool = False) -> tuple[bytes, ...]:
        """Tell what has no answer that the server goes; answers the lines that another conversation can recall."""
        lines = (*([self._peer.first] if self._peer.first else []), *self._subscriptions.told())
        with self._lock:
            for request in self._peer.open_requests():
                if request.method == "subscriptions/listen":
                    continue
                run = self._running.get(request)
                if run is not None and not run.begun:
                    del self._running[request]
                begun = run is None or run.begun
                self._tell(self._peer.refuse(request, RpcError(INTERNAL_ERROR, _PARTED if begun else _NOT_BEGUN)))
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
            self._leave()
            self._hub.pool.run(partial(self.workspace.audit.parted, self._session.id))
            for request in [*self._running, *self._waiting, *self._parked, *(one.request for one in self._dialogs)]:
                self._drop(request)

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
                self._replied(step.question, elicitation.verdict(step.result))
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
                self._call(request, *tool_call(request.params))
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
                caller = self._caller(request)
                self._work(request, caller.pulse, lambda: encode(_LOOKS[method](caller, request.params)))

    def _recall(self, request: Request) -> None:
        """What was subscribed to with another conversation; nothing is said about it again."""
        with contextlib.suppress(RpcError):
            if request.method == "subscriptions/listen":
                self._subscriptions.listen(request, again=True)
                return
            self._subscriptions.subscribe(request.params)
        self._peer.drop(request)

    def _drop(self, request: Request) -> None:
        """Begin it no more, wait for it no more; what runs ends where it can, and its answer is dropped."""
        with self._lock:
            run = self._running.get(request)
            if run is not None:
                run.pulse.cancel()
                if not run.begun:
                    del self._running[request]
        if request in self._waiting:
            self._waiting[request].cancel()
        self._parked.discard(request)
        for question in [one for one in self._dialogs if one.request is request]:
            if self._dialogs.pop(question, None) is not None:
                self._tell(self._peer.take_back(question))
        self._subscriptions.close(request)
        self._settle()

    def _settle(self) -> None:
        if self.settled is not None:
            self.settled()

    # One call.

    def _caller(self, request: Request) -> Call:
        """Who calls; its pulse tells the client how far the call is, where it wants to know."""
        report = None if request.token is None else Progress(partial(self._progress, request))
        name = request.client.name
        actor = self._actor or Actor("agent", local_name(name), self._session.id)
        return Call(self.workspace, actor, self._session.profile, limits_of(name), Pulse(report))

    def _call(self, request: Request, name: str, arguments: dict[str, Any]) -> None:
        """Begin a call; one that waits for nobody goes straight to a thread, which answers it too."""
        caller = self._caller(request)
        try:
            waits = caller.settings().wait_seconds(caller.profile) > 0
        except WorkroomError as error:
            refused = failure(name.removeprefix("workspace_"), error)
            self._tell(self._peer.answer(request, call_result(refused, request.client.structured)))
            return
        if dialogs.may_ask(self.workspace, caller.actor.name) and elicitation.can_show(request.client):
            self._work(request, caller.pulse, lambda: self._asked(request, caller, name, arguments, waits=waits))
        elif waits:
            self._begin_waiting(request, caller, name, arguments)
        else:
            self._work(
                request, caller.pulse, lambda: call_result(call(caller, name, arguments), request.client.structured)
            )

    def _begin_waiting(self, request: Request, caller: Call, name: str, arguments: dict[str, Any]) -> None:
        task = self._loop.create_task(self._wait(request, caller, name, arguments))
        self._waiting[request] = task
        task.add_done_callback(partial(self._waited, request, caller.pulse))

    # The person, in the client's own dialog.

    def _asked(
        self, request: Request, caller: Call, name: str, arguments: dict[str, Any], *, waits: bool
    ) -> str | None:
        """Make a call, and where it waits for the person, ask them through the client; on a thread."""
        client, now = caller.actor.name, self.workspace.clock
        brought = elicitation.unsealed(self._hub.secret, request.params, client, name, arguments, now())
        if brought is not None and brought[2] is not None:
            dialogs.decide(self.workspace, client, brought[0], brought[1], accepted=brought[2])
        envelope = call(caller, name, arguments)
        approval = envelope.data.get("approval")
        if approval is None:
            return call_result(envelope, request.client.structured)
        asked = None if brought is not None else dialogs.ask(self.workspace, client, approval["id"])
        if asked is None:
            if not waits:
                return call_result(envelope, request.client.structured)
            self._parked.add(request)
            self._on_loop(partial(self._unpark, request, caller, name, arguments))
        elif request.client.modern:
            required = elicitation.required(self._hub.secret, asked, name, arguments, now())
            self._answer(request, encode(required), kind="input_required")
        else:
            message, question = self._peer.ask(request, "elicitation/create", elicitation.form(asked))
            self._dialogs[question] = _Dialog(asked, caller, name, arguments)
            self._send(message)
        return None

    def _unpark(self, request: Request, caller: Call, name: str, arguments: dict[str, Any]) -> None:
        if request in self._parked:
            self._parked.discard(request)
            self._begin_waiting(request, caller, name, arguments)

    def _replied(self, question: Question, verdict: bool | None) -> None:
        """Go on with a call when the dialog is closed, or needed no more."""
        dialog = self._dialogs.pop(question, None)
        if dialog is not None:
            caller = dialog.caller
            self._work(question.request, caller.pulse, lambda: self._decided(question.request, dialog, verdict))

    def _decided(self, request: Request, dialog: _Dialog, verdict: bool | None) -> str:
        asked, caller = dialog.asked, dialog.caller
        if verdict is not None:
            dialogs.decide(self.workspace, asked.client, asked.approval_id, asked.sha256, accepted=verdict)
        return call_result(call(caller, dialog.name, dialog.arguments), request.client.structured)

    def _decided_elsewhere(self, approval_id: str) -> None:
        """The person has decided in another place while the dialog was open."""
        for question in [one for one, dialog in self._dialogs.items() if dialog.asked.approval_id == approval_id]:
            self._tell(self._peer.take_back(question))
            self._replied(question, None)

    # On a thread.

    def _work(self, request: Request, pulse: Pulse, work: Callable[[], str | None]) -> None:
        """Answer a request with what `work` comes to, a JSON text, on a thread; None: it is answered otherwise."""
        self._running[request] = _Run(pulse)
        self._hub.pool.run(partial(self._run, request, work))

    def _run(self, request: Request, work: Callable[[], str | None]) -> None:
        with self._lock:
            run = self._running.get(request)
            if run is None:
                return
            run.begun = True
        try:
            result = work()
            if result is not None:
                self._answer(request, result)
            self._follow_mode()
        except RpcError as fault:
            self._refuse(request, fault)
        except Exception:  # noqa: BLE001 - the client is told, and the thread goes on
            self._tell_fault(request)
        with self._lock:
            if self._running.get(request) is run:  # a dialog that is answered already has begun another
                del self._running[request]
        if self.settled is not None:
            self._on_loop(self._settle)

    async def _wait(self, request: Request, caller: Call, name: str, arguments: dict[str, Any]) -> None:
        try:
            envelope = await dispatch(self._hub.pool, caller, name, arguments)
            self._answer(request, call_result(envelope, request.client.structured))
            self._follow_mode()
        except Exception:  # noqa: BLE001 - the client is told
            self._tell_fault(request)

    def _waited(self, request: Request, pulse: Pulse, task: asyncio.Task[None]) -> None:
        if task.cancelled():
            pulse.cancel()
        del self._waiting[request]
        self._settle()

    def _progress(self, request: Request, params: dict[str, Any]) -> None:
        self._tell(self._peer.progress(request, params))

    def _tell_fault(self, request: Request) -> None:
        _log.exception("a request could not be answered")
        self._refuse(request, RpcError(INTERNAL_ERROR, "The server met a fault; its log tells more."))

    def _answer(self, request: Request, result: str, kind: str = "complete") -> None:
        with self._lock:
            self._tell(self._peer.answer(request, result, kind=kind))

    def _refuse(self, request: Request, fault: RpcError) -> None:
        if fault.code == RESOURCE_NOT_FOUND and request.client.modern:
            fault = RpcError(INVALID_PARAMS, str(fault), fault.data)
        with self._lock:
            self._tell(self._peer.refuse(request, fault))

    def _tell(self, message: Send | None) -> None:
        if message is not None:
            self._send(message)

    # What happens elsewhere.

    def _happened(self, _number: int, event: Event) -> None:
        """Hear of an event, on the thread that committed it."""
        if isinstance(event, ModeChanged):
            self._on_loop(self._follow_mode)
        if self._dialogs and isinstance(event, ApprovalDecided) and event.status != Status.APPROVED:
            self._on_loop(partial(self._decided_elsewhere, event.approval_id))
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
