"""The server's half of the Model Context Protocol over lines, without any input or output of its own.

    bytes of one line -> Peer.receive -> steps for whoever owns the connection:
        Send(line, origin, …)   send this line
        Request(method, …)      do it, then answer(request, …) or refuse(request, …)
        Cancel(request)         the client doesn't wait any longer; an answer is dropped
        Reply(question, …)      the client answers what it was asked by ask(…)

Every line is answered by exactly one error or result, but for what by its form wants none: a notification, an answer,
a blank line. An answer to what was never asked is dropped, as the specification has it. Two eras of the protocol are
told apart message by message (`eras`).

What is sent belongs to something that was heard, or to nothing: `origin` is whatever the owner gave along with that, so
that an HTTP transport finds the response to put it into. Over one pair of pipes it doesn't matter.

Only the standard library's `json` is needed, for the shim speaks this too where no server can be reached. Requests may
be answered from any thread.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from typing import Any

from workroom.interfaces.mcp.eras import (
    BATCHED,
    REVISIONS,
    Client,
    capability_of,
    is_modern,
    modern_client,
    negotiated,
    stamped,
)
from workroom.interfaces.mcp.jsonrpc import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    RpcError,
    decode,
    encode,
    error_text,
    line_of,
    notification_text,
    request_id,
    result_text,
)
from workroom.interfaces.mcp.steps import Batch, Cancel, Question, Reply, Request, Send, Step, nothing

__all__ = ["Peer", "tool_call"]

_TOOLS: Mapping[str, Any] = {"tools": {"listChanged": True}}

_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""What `logging/setLevel` takes; it is acknowledged, and nothing is logged to clients in any era."""


class Peer:
    """One connection's state: what was negotiated, which requests are open, what the client was asked."""

    def __init__(self, version: str, instructions: str = "", capabilities: Mapping[str, Any] = _TOOLS) -> None:
        self.agreed: Client | None = None
        """What the client said of itself by `initialize`; None before, and where each request says it."""
        self.first: bytes = b""
        """The line that `initialize` came in, for another peer to know the client by."""
        self._server = {"name": "workroom", "title": "Workroom", "version": version}
        self._instructions = instructions
        self._capabilities = capabilities
        self._open: dict[str | int, Request] = {}
        self._asked: dict[str, Question] = {}
        self._lock = threading.Lock()

    def receive(self, line: bytes, origin: object = None) -> list[Step]:
        """What to do about one line. Never raises: what can't be understood is answered with its JSON-RPC error."""
        if not line.strip():
            return []
        try:
            message = decode(line)
        except ValueError as error:
            fault = RpcError(PARSE_ERROR, f"The line is not JSON: {str(error)[:200]}.")
            return [_refusal(None, fault, origin)]
        return self.take(message, origin)

    def take(self, message: Any, origin: object = None) -> list[Step]:
        """The same for a message that is decoded already."""
        with self._lock:
            if isinstance(message, list):
                return self._batch(message, origin)
            return self._message(message, None, origin)

    # What is sent.

    def answer(
        self, request: Request, result: str, *, kind: str = "complete", meta: Mapping[str, Any] | None = None
    ) -> Send | None:
        """What answers `request` with `result`, a JSON text; None when nothing is to be sent (yet).

        `kind` and `meta` are of the modern era, and left out in the other.
        """
        if request.client.modern:
            result = stamped(request.method, result, self._server, kind=kind, meta=meta)
        return self._close(request, result_text(request.id, result))

    def refuse(self, request: Request, fault: RpcError) -> Send | None:
        """What answers `request` with an error."""
        return self._close(request, error_text(request.id, fault), fault.code)

    def complain(self, fault: RpcError, origin: object = None) -> Send:
        """What answers something of which not even the id could be read."""
        return _refusal(None, fault, origin)

    def progress(self, request: Request, params: Mapping[str, Any]) -> Send | None:
        """The notification of a request's progress, while it is open and wants any."""
        if request.token is None or self._open.get(request.id) is not request:
            return None
        told = notification_text("notifications/progress", {"progressToken": request.token, **params})
        return Send(line_of(told), request.origin)

    def notify(self, method: str, params: Mapping[str, Any] | None = None, origin: object = None) -> Send:
        """A notification that belongs to no request, or to one that stays open."""
        return Send(line_of(notification_text(method, params)), origin)

    def ask(self, request: Request, method: str, params: Mapping[str, Any]) -> tuple[Send, Question]:
        """Ask the client something on the way to the answer of `request`; in the handshake era only."""
        with self._lock:
            question = Question(f"workroom-{os.urandom(8).hex()}", request)
            self._asked[question.id] = question
        asked = {"jsonrpc": "2.0", "id": question.id, "method": method, "params": params}
        return Send(line_of(encode(asked)), request.origin), question

    def take_back(self, question: Question) -> Send | None:
        """The notification that a question needs no answer any more; None when it has one."""
        with self._lock:
            if self._asked.pop(question.id, None) is None:
                return None
        return self.notify("notifications/cancelled", {"requestId": question.id}, question.request.origin)

    # What is open.

    def give_up(self, origin: object) -> list[Request]:
        """Nobody waits for what came with this origin; answers the requests that were open."""
        with self._lock:
            dropped = [request for request in self._open.values() if request.origin is origin]
            for request in dropped:
                del self._open[request.id]
            return dropped

    def drop(self, request: Request) -> None:
        """Nobody waits for this one; nothing is sent."""
        with self._lock:
            self._open.pop(request.id, None)

    def open_requests(self) -> list[Request]:
        """The requests that wait for an answer."""
        with self._lock:
            return list(self._open.values())

    # Inside.

    def _batch(self, messages: list[Any], origin: object) -> list[Step]:
        if self.agreed is None or self.agreed.revision != BATCHED or not messages:
            fault = RpcError(INVALID_REQUEST, "A message is one JSON object; this revision has no batches.")
            return [_refusal(None, fault, origin)]
        batch = Batch(origin)
        steps = [step for message in messages for step in self._message(message, batch, origin)]
        return [*steps, *batch.done()]

    def _message(self, message: Any, batch: Batch | None, origin: object) -> list[Step]:
        number: str | int | None = None
        try:
            if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
                raise RpcError(INVALID_REQUEST, 'A message is a JSON object with "jsonrpc": "2.0".')
            if "method" not in message and ("result" in message or "error" in message):
                return self._reply(message)
            if "id" in message:
                number = request_id(message["id"])
            method, params = message.get("method"), message.get("params", {})
            if not isinstance(method, str):
                raise RpcError(INVALID_REQUEST, "A message names its method.")
            if number is None:
                return self._notification(method, params)
            if not isinstance(params, dict):
                raise RpcError(INVALID_PARAMS, "params is an object.")
            return self._request(number, method, params, batch, origin)
        except RpcError as fault:
            if batch is None:
                return [_refusal(number, fault, origin)]
            batch.take(error_text(number, fault))
            return []

    def _reply(self, message: dict[str, Any]) -> list[Step]:
        number = message.get("id")
        question = self._asked.pop(number, None) if isinstance(number, str) else None
        return [] if question is None else [Reply(question, message.get("result"))]

    def _notification(self, method: str, params: Any) -> list[Step]:
        if method != "notifications/cancelled" or not isinstance(params, dict):
            return []
        number = params.get("requestId")
        request = self._open.pop(number, None) if isinstance(number, str | int) else None
        if request is None:
            return []
        return [Cancel(request), *(request.batch.done() if request.batch else [nothing(request.origin)])]

    def _request(
        self, number: str | int, method: str, params: dict[str, Any], batch: Batch | None, origin: object
    ) -> list[Step]:
        if number in self._open:
            raise RpcError(INVALID_REQUEST, f"The request id {number!r} is still in use.")
        modern = is_modern(params) or method == "server/discover"
        client = modern_client(params) if modern else None
        if not self._serves(method, modern=modern):
            raise RpcError(METHOD_NOT_FOUND, f"There is no method {method[:100]!r}.")
        if client is None:
            client = self._handshaken(method, params)
        request = Request(number, method, params, client, origin, batch)
        result = self._own(request)
        if result is not None:
            return self._at_once(request, encode(result))
        self._open[request.id] = request
        if batch:
            batch.wait()
        return [request]

    def _serves(self, method: str, *, modern: bool) -> bool:
        capability = capability_of(method, modern=modern)
        if method == "subscriptions/listen":
            return modern and any("listChanged" in offered for offered in self._capabilities.values())
        return capability is not None and (not capability or capability in self._capabilities)

    def _handshaken(self, method: str, params: dict[str, Any]) -> Client:
        """The client of a request of the handshake era."""
        if method == "initialize":
            self.agreed = negotiated(params)
            self.first = line_of(encode({"jsonrpc": "2.0", "id": 0, "method": method, "params": params}))
        elif self.agreed is None:
            if method not in {"ping", "logging/setLevel"}:
                supported = {"supported": list(REVISIONS)}
                first = "The first request is initialize, unless each names its protocol version in params._meta."
                raise RpcError(INVALID_PARAMS, first, supported)
            return Client("unknown client", "", {}, modern=False)
        return self.agreed

    def _own(self, request: Request) -> dict[str, Any] | None:
        """The result of what needs nobody else; None for the rest."""
        if request.method == "logging/setLevel" and request.params.get("level") not in _LEVELS:
            raise RpcError(INVALID_PARAMS, f"level is one of {', '.join(_LEVELS)}.")
        if request.method in {"ping", "logging/setLevel"}:
            return {}
        if request.method == "initialize":
            told: dict[str, Any] = {"protocolVersion": request.client.revision, "serverInfo": self._server}
        elif request.method == "server/discover":
            told = {"supportedVersions": list(REVISIONS)}
        else:
            return None
        told["capabilities"] = self._capabilities
        return told | {"instructions": self._instructions} if self._instructions else told

    def _at_once(self, request: Request, result: str) -> list[Step]:
        if request.client.modern:
            result = stamped(request.method, result, self._server)
        text = result_text(request.id, result)
        if request.batch is None:
            return [Send(line_of(text), request.origin, final=True)]
        request.batch.take(text)
        return []

    def _close(self, request: Request, text: str, error: int | None = None) -> Send | None:
        with self._lock:
            if self._open.get(request.id) is not request:
                return None  # cancelled meanwhile
            del self._open[request.id]
            if request.batch is None:
                return Send(line_of(text), request.origin, final=True, error=error)
            request.batch.take(text)
            return next(iter(request.batch.done()), None)


def tool_call(params: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The tool's name and its arguments, not checked any further; INVALID_PARAMS."""
    name, arguments = params.get("name"), params.get("arguments")
    if not isinstance(name, str):
        raise RpcError(INVALID_PARAMS, "tools/call needs name, a string.")
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        raise RpcError(INVALID_PARAMS, "arguments is an object.")
    return name, arguments


def _refusal(number: str | int | None, fault: RpcError, origin: object) -> Send:
    return Send(line_of(error_text(number, fault)), origin, final=True, error=fault.code)
