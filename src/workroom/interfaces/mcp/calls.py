"""The requests of one client that are under way: on a thread, waiting for the person, or in the client's own dialog.

    begin ──> thread ──────────────────────────────> answer
                │  └── a dialog ── the client's reply ──> thread ──> answer
                └───── waiting for the person ──────────> thread ──> answer

Nothing is decided here. What runs has a pulse: a request that is dropped stops where nothing is done yet.
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
from workroom.base.events import ApprovalDecided, Event
from workroom.base.pulse import Pulse
from workroom.core.approvals import Status
from workroom.core.clients import local_name
from workroom.interfaces.mcp import elicitation
from workroom.interfaces.mcp.adapters import limits_of
from workroom.interfaces.mcp.answers import call_result
from workroom.interfaces.mcp.eras import RESOURCE_NOT_FOUND
from workroom.interfaces.mcp.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, RpcError, encode
from workroom.interfaces.mcp.progress import Progress
from workroom.interfaces.mcp.protocol import Peer
from workroom.interfaces.mcp.steps import Question, Request, Send
from workroom.server import dialogs
from workroom.server.dialogs import Asked
from workroom.server.hub import Hub
from workroom.server.rooms import Rooms
from workroom.server.session import Session
from workroom.tools.dispatch import call, dispatch
from workroom.tools.tool import Call
from workroom.tools.workspace import Workspace

__all__ = ["Calls"]

_log = logging.getLogger(__name__)

_PARTED = "The server stopped while this ran; it may have taken effect. Look before you repeat it."
_NOT_BEGUN = "The server stopped before this was begun; nothing was done. Send it again."


class Run:
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


class Calls:
    """One client's. Belongs to the loop's thread, but for what runs on the pool's."""

    def __init__(
        self,
        hub: Hub,
        session: Session,
        rooms: Rooms,
        home: Workspace,
        actor: Actor | None,
        peer: Peer,
        send: Callable[[Send], None],
    ) -> None:
        self.settled: Callable[[], None] | None = None
        self.answered: Callable[[], None] = lambda: None
        """Called on a thread when something was answered from there."""
        self._running: dict[Request, Run] = {}
        """What is on its way to a thread or has begun there; taken out by the thread."""
        self._lock = threading.Lock()
        """Held while a request is begun, dropped or answered: `stop` comes before that or after it, not between."""
        self._waiting: dict[Request, asyncio.Task[None]] = {}
        self._dialogs: dict[Question, _Dialog] = {}
        """What the client is asked for the person, by the question."""
        self._parked: set[Request] = set()
        """On their way from a thread to where they wait for the person."""
        self._hub = hub
        self._session = session
        self._rooms = rooms
        self._home = home
        self._actor = actor
        self._peer = peer
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._lane = hub.pool.lane(session.id if actor is None else actor.name)
        """A token's for all of its sessions; else the connection's own."""

    @property
    def busy(self) -> bool:
        """Whether any is under way."""
        return bool(self._running or self._waiting or self._dialogs or self._parked)

    def stop(self) -> None:
        """Tell what has no answer that the server goes; streams are not calls."""
        with self._lock:
            for request in self._peer.open_requests():
                if request.method == "subscriptions/listen":
                    continue
                run = self._running.get(request)
                if run is not None and not run.begun:
                    del self._running[request]
                begun = run is None or run.begun
                self._tell(self._peer.refuse(request, RpcError(INTERNAL_ERROR, _PARTED if begun else _NOT_BEGUN)))

    def end(self) -> None:
        """Drop all."""
        for request in [*self._running, *self._waiting, *self._parked, *(one.request for one in list(self._dialogs))]:
            self.drop(request)

    def drop(self, request: Request) -> None:
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
        for question in [one for one in list(self._dialogs) if one.request is request]:
            if self._dialogs.pop(question, None) is not None:
                self._tell(self._peer.take_back(question))
        self._settle()

    def _settle(self) -> None:
        if self.settled is not None:
            self.settled()

    # One call.

    def caller(self, request: Request) -> Call:
        """Who calls; its pulse tells the client how far the call is, where it wants to know."""
        report = None if request.token is None else Progress(partial(self._progress, request))
        name = request.client.name
        actor = self._actor or Actor("agent", local_name(name), self._session.id)
        self._rooms.introduce(actor)
        workspace, closed = self._rooms.where()
        return Call(
            workspace or self._home,
            actor,
            self._session.profile,
            limits_of(name),
            Pulse(report),
            rooms=self._rooms,
            closed=closed,
        )

    def begin(self, request: Request, name: str, arguments: dict[str, Any]) -> None:
        """Begin a call; one that waits for nobody goes straight to a thread, which answers it too."""
        caller = self.caller(request)
        try:
            waits = caller.settings().wait_seconds(caller.profile) > 0
        except WorkroomError as error:
            refused = failure(name.removeprefix("workspace_"), error)
            self._tell(self._peer.answer(request, call_result(refused, request.client.structured)))
            return
        if dialogs.may_ask(caller.workspace, caller.actor.name) and elicitation.can_show(request.client):
            self.work(request, caller.pulse, lambda: self._asked(request, caller, name, arguments, waits=waits))
        elif waits:
            self._begin_waiting(request, caller, name, arguments)
        else:
            self.work(
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
        workspace, client, now = caller.workspace, caller.actor.name, caller.workspace.clock
        brought = elicitation.unsealed(self._hub.secret, request.params, client, name, arguments, now())
        if brought is not None and brought[2] is not None:
            dialogs.decide(workspace, client, brought[0], brought[1], accepted=brought[2])
        envelope = call(caller, name, arguments)
        approval = envelope.data.get("approval")
        if approval is None:
            return call_result(envelope, request.client.structured)
        asked = None if brought is not None else dialogs.ask(workspace, client, approval["id"])
        if asked is None:
            if not waits:
                return call_result(envelope, request.client.structured)
            self._parked.add(request)  # given up meanwhile, it ends by its pulse
            self._on_loop(partial(self._unpark, request, caller, name, arguments))
        elif request.client.modern:
            required = elicitation.required(self._hub.secret, asked, name, arguments, now())
            self._answer(request, encode(required), kind="input_required")
        else:
            self._open(request, _Dialog(asked, caller, name, arguments))
        return None

    def _open(self, request: Request, dialog: _Dialog) -> None:
        message, question = self._peer.ask(request, "elicitation/create", elicitation.form(dialog.asked))
        with self._lock:
            if dialog.caller.pulse.cancelled:
                self._peer.take_back(question)
                return
            self._dialogs[question] = dialog
        self._send(message)

    def _unpark(self, request: Request, caller: Call, name: str, arguments: dict[str, Any]) -> None:
        if request in self._parked:
            self._parked.discard(request)
            self._begin_waiting(request, caller, name, arguments)

    def replied(self, question: Question, verdict: bool | None) -> None:
        """Go on with a call when the dialog is closed, or needed no more."""
        dialog = self._dialogs.pop(question, None)
        if dialog is not None:
            caller = dialog.caller
            self.work(question.request, caller.pulse, lambda: self._decided(question.request, dialog, verdict))

    def _decided(self, request: Request, dialog: _Dialog, verdict: bool | None) -> str:
        asked, caller = dialog.asked, dialog.caller
        if verdict is not None:
            dialogs.decide(caller.workspace, asked.client, asked.approval_id, asked.sha256, accepted=verdict)
        return call_result(call(caller, dialog.name, dialog.arguments), request.client.structured)

    def heard(self, event: Event) -> None:
        """Hear of an event, on the thread that committed it."""
        if self._dialogs and isinstance(event, ApprovalDecided) and event.status != Status.APPROVED:
            self._on_loop(partial(self._decided_elsewhere, event.approval_id))

    def _decided_elsewhere(self, approval_id: str) -> None:
        """The person has decided in another place while the dialog was open."""
        for question in [one for one, dialog in list(self._dialogs.items()) if dialog.asked.approval_id == approval_id]:
            self._tell(self._peer.take_back(question))
            self.replied(question, None)

    # On a thread.

    def work(self, request: Request, pulse: Pulse, work: Callable[[], str | None]) -> None:
        """Answer a request with what `work` comes to, a JSON text, on a thread; None: it is answered otherwise."""
        self._running[request] = Run(pulse)
        self._lane.run(partial(self._run, request, work))

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
            self.answered()
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
            envelope = await dispatch(self._lane, caller, name, arguments)
            self._answer(request, call_result(envelope, request.client.structured))
            self.answered()
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

    def _on_loop(self, act: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is over: the server is stopping
            self._loop.call_soon_threadsafe(act)
