"""The server's half of the Model Context Protocol over lines, without any input or output of its own.

    bytes of one line -> Peer.receive -> steps for whoever owns the connection:
        Send(line, origin, …)            send this line
        CallTool(request, name, …)       run the tool, then answer(request, …)
        ListTools(request)               answer(request, …) with the tools as they stand now
        Cancel(request)                  the client doesn't wait any longer; an answer is dropped

What is sent belongs to something that was heard, or to nothing: `origin` is whatever the owner gave along with that, so
that an HTTP transport finds the response to put it into. Over one pair of pipes it doesn't matter.

Only the standard library's `json` is needed, for the shim speaks this too where no server can be reached. Requests may
be answered from any thread.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import Any

__all__ = [
    "REVISIONS",
    "CallTool",
    "Cancel",
    "ListTools",
    "Peer",
    "Request",
    "Send",
    "Step",
    "decode",
    "encode",
    "on_one_line",
]

REVISIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""The revisions that are spoken, newest first. Older clients ignore most of what is new: see `Peer.structured`."""

_TEXT_ONLY = frozenset({"2025-03-26", "2024-11-05"})
"""The revisions in which a tool's result has no structured content."""

_BATCHED = "2025-03-26"
"""The one revision that has JSON-RPC batches."""

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603

RequestId = str | int


class _Batch:
    """Answers of one batch, which leave as one array when the last is there."""

    def __init__(self, origin: object) -> None:
        self.origin = origin
        self._waiting = 1  # for the end of the batch itself
        self._answers: list[str] = []
        self._wanted = False
        """Whether anything in it is answered at all."""

    def wait(self) -> None:
        self._wanted = True
        self._waiting += 1

    def take(self, answer: str) -> None:
        self._wanted = True
        self._answers.append(answer)

    def done(self) -> list[Send]:
        """One of those waited for is through; the array leaves when it was the last."""
        self._waiting -= 1
        if self._waiting or not self._wanted:
            return []
        if not self._answers:
            return [_nothing(self.origin)]
        return [Send(_line("[" + ",".join(self._answers) + "]"), self.origin, final=True)]


class Request:
    """A request that waits for its answer."""

    __slots__ = ("batch", "id", "origin")

    def __init__(self, number: RequestId, batch: _Batch | None, origin: object) -> None:
        self.id = number
        self.batch = batch
        self.origin = origin


class Send:
    """Send `line`, one message (or one batch of answers) that ends in a newline.

    `origin` came with what this belongs to; None for what belongs to nothing that was heard. `final`: it is the whole
    answer to that, and nothing more of the same origin comes; the line is empty where the client has cancelled it.
    `error`: the JSON-RPC code, where it is an error's.
    """

    __slots__ = ("error", "final", "line", "origin")

    def __init__(self, line: bytes, origin: object = None, *, final: bool = False, error: int | None = None) -> None:
        self.line = line
        self.origin = origin
        self.final = final
        self.error = error


class ListTools:
    """The client asks which tools there are."""

    __slots__ = ("request",)

    def __init__(self, request: Request) -> None:
        self.request = request


class CallTool:
    """The client calls a tool; `arguments` are not checked yet."""

    __slots__ = ("arguments", "name", "request")

    def __init__(self, request: Request, name: str, arguments: dict[str, Any]) -> None:
        self.request = request
        self.name = name
        self.arguments = arguments


class Cancel:
    """The client has given up on a request that is still open."""

    __slots__ = ("request",)

    def __init__(self, request: Request) -> None:
        self.request = request


Step = Send | ListTools | CallTool | Cancel


class _RpcError(Exception):
    """A JSON-RPC error for one message."""

    def __init__(self, code: int, message: str, data: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


class Peer:
    """One connection's state: what was negotiated, and which requests are open."""

    def __init__(self, version: str, instructions: str = "") -> None:
        self.client = ""
        """What the client calls itself; empty before `initialize`."""
        self.revision = ""
        """The negotiated revision; empty before `initialize`."""
        self.first: bytes = b""
        """The line that `initialize` came in, for another peer to know the client by."""
        self._server = {"name": "workroom", "title": "Workroom", "version": version}
        self._instructions = instructions
        self._open: dict[RequestId, Request] = {}
        self._lock = threading.Lock()

    @property
    def structured(self) -> bool:
        """Whether the client's revision has structured content in a tool's result, and schemas for it."""
        return self.revision not in _TEXT_ONLY

    def receive(self, line: bytes, origin: object = None) -> list[Step]:
        """What to do about one line. Never raises: what can't be understood is answered with its JSON-RPC error."""
        if not line.strip():
            return []
        try:
            message = _decode(line)
        except _RpcError as fault:
            return [_refusal(None, fault, origin)]
        return self.take(message, origin)

    def take(self, message: Any, origin: object = None) -> list[Step]:
        """The same for a message that is decoded already."""
        with self._lock:
            if isinstance(message, list):
                return self._batch(message, origin)
            steps = self._message(message, None, origin)
            if isinstance(message, dict) and message.get("method") == "initialize" and self.revision:
                self.first = _line(encode(message))
            return steps

    def answer(self, request: Request, result: str) -> Send | None:
        """What answers `request` with `result`, a JSON text; None when nothing is to be sent (yet)."""
        return self._close(request, f'{{"jsonrpc":"2.0","id":{json.dumps(request.id)},"result":{result}}}')

    def refuse(self, request: Request, code: int, message: str) -> Send | None:
        """What answers `request` with an error."""
        return self._close(request, _error(request.id, _RpcError(code, message)), code)

    def complain(self, code: int, message: str, origin: object = None) -> Send:
        """What answers something of which not even the id could be read."""
        return _refusal(None, _RpcError(code, message), origin)

    def give_up(self, origin: object) -> list[Request]:
        """Nobody waits for what came with this origin; answers the requests that were open."""
        with self._lock:
            dropped = [request for request in self._open.values() if request.origin is origin]
            for request in dropped:
                del self._open[request.id]
            return dropped

    def open_requests(self) -> list[Request]:
        """The requests that wait for an answer."""
        with self._lock:
            return list(self._open.values())

    def tools_changed(self) -> Send | None:
        """The notification that the tools are others now; None before the client has introduced itself."""
        return Send(_line('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}')) if self.revision else None

    def _batch(self, messages: list[Any], origin: object) -> list[Step]:
        if self.revision != _BATCHED or not messages:
            fault = _RpcError(INVALID_REQUEST, "A message is one JSON object; this revision has no batches.")
            return [_refusal(None, fault, origin)]
        batch = _Batch(origin)
        steps = [step for message in messages for step in self._message(message, batch, origin)]
        return [*steps, *batch.done()]

    def _message(self, message: Any, batch: _Batch | None, origin: object) -> list[Step]:
        number: RequestId | None = None
        try:
            if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
                raise _RpcError(INVALID_REQUEST, 'A message is a JSON object with "jsonrpc": "2.0".')
            if "method" not in message and ("result" in message or "error" in message):
                return []  # an answer, and we ask nothing
            if "id" in message:
                number = _request_id(message["id"])
            method, params = _method(message)
            if number is None:
                return self._notification(method, params)
            return self._request(Request(number, batch, origin), method, params)
        except _RpcError as fault:
            if batch is None:
                return [_refusal(number, fault, origin)]
            batch.take(_error(number, fault))
            return []

    def _notification(self, method: str, params: dict[str, Any]) -> list[Step]:
        if method != "notifications/cancelled":
            return []
        number = params.get("requestId")
        request = self._open.pop(number, None) if isinstance(number, str | int) else None
        if request is None:
            return []
        return [Cancel(request), *(request.batch.done() if request.batch else [_nothing(request.origin)])]

    def _request(self, request: Request, method: str, params: dict[str, Any]) -> list[Step]:
        if request.id in self._open:
            raise _RpcError(INVALID_REQUEST, f"The request id {request.id!r} is still in use.")
        if method == "initialize":
            return _at_once(request, self._initialize(params))
        if method in {"ping", "logging/setLevel"}:
            return _at_once(request, {})
        if method not in {"tools/list", "tools/call"}:
            raise _RpcError(METHOD_NOT_FOUND, f"There is no method {method[:100]!r}.")
        if not self.revision:
            raise _RpcError(INVALID_REQUEST, "The first request is initialize.")
        step = ListTools(request) if method == "tools/list" else _tool_call(request, params)
        self._open[request.id] = request
        if request.batch:
            request.batch.wait()
        return [step]

    def _initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        wanted = params.get("protocolVersion")
        if not isinstance(wanted, str):
            raise _RpcError(
                INVALID_PARAMS, "initialize needs protocolVersion, a string.", {"supported": list(REVISIONS)}
            )
        self.revision = wanted if wanted in REVISIONS else REVISIONS[0]
        client = params.get("clientInfo")
        name = client.get("name") if isinstance(client, dict) else None
        self.client = name[:200] if isinstance(name, str) and name else "unknown client"
        answer: dict[str, Any] = {
            "protocolVersion": self.revision,
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": self._server,
        }
        if self._instructions:
            answer["instructions"] = self._instructions
        return answer

    def _close(self, request: Request, text: str, error: int | None = None) -> Send | None:
        with self._lock:
            return self._closed(request, text, error)

    def _closed(self, request: Request, text: str, error: int | None) -> Send | None:
        if self._open.get(request.id) is not request:
            return None  # cancelled meanwhile
        del self._open[request.id]
        if request.batch is None:
            return Send(_line(text), request.origin, final=True, error=error)
        request.batch.take(text)
        return next(iter(request.batch.done()), None)


def encode(value: Any) -> str:
    """A JSON value as compact text on one line."""
    return on_one_line(_ENCODER.encode(value))


def on_one_line(text: str) -> str:
    """A JSON text without what some readers take for the end of a line."""
    if text.isascii():
        return text
    for break_, escape in _LINE_BREAKS:
        text = text.replace(break_, escape)
    return text


_ENCODER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, check_circular=False)
_LINE_BREAKS = (("\x85", "\\u0085"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029"))


def decode(text: bytes) -> Any:
    """A JSON text as a value. ValueError when it is none, or nested too deep."""
    try:
        return _DECODER.decode(text.decode("utf-8"))
    except RecursionError as error:
        raise ValueError(str(error)) from None


def _decode(line: bytes) -> Any:
    try:
        return decode(line)
    except ValueError as error:
        raise _RpcError(PARSE_ERROR, f"The line is not JSON: {str(error)[:200]}.") from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_constant)


def _request_id(value: Any) -> RequestId:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise _RpcError(INVALID_REQUEST, "A request's id is a string or an integer.")
    return value


def _method(message: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    method, params = message.get("method"), message.get("params", {})
    if not isinstance(method, str):
        raise _RpcError(INVALID_REQUEST, "A message names its method.")
    if not isinstance(params, dict):
        raise _RpcError(INVALID_PARAMS, "params is an object.")
    return method, params


def _tool_call(request: Request, params: dict[str, Any]) -> CallTool:
    name, arguments = params.get("name"), params.get("arguments")
    if not isinstance(name, str):
        raise _RpcError(INVALID_PARAMS, "tools/call needs name, a string.")
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        raise _RpcError(INVALID_PARAMS, "arguments is an object.")
    return CallTool(request, name, arguments)


def _at_once(request: Request, result: Mapping[str, Any]) -> list[Step]:
    """The answer to what needs no work."""
    text = _result(request.id, result)
    if request.batch is None:
        return [Send(_line(text), request.origin, final=True)]
    request.batch.take(text)
    return []


def _nothing(origin: object) -> Send:
    """The end of what is not answered any more."""
    return Send(b"", origin, final=True)


def _refusal(number: RequestId | None, fault: _RpcError, origin: object) -> Send:
    return Send(_line(_error(number, fault)), origin, final=True, error=fault.code)


def _result(number: RequestId | None, result: Mapping[str, Any]) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "result": result}, separators=(",", ":"))


def _error(number: RequestId | None, fault: _RpcError) -> str:
    error: dict[str, Any] = {"code": fault.code, "message": str(fault)}
    if fault.data is not None:
        error["data"] = fault.data
    return json.dumps({"jsonrpc": "2.0", "id": number, "error": error}, separators=(",", ":"))


def _line(text: str) -> bytes:
    """The line of a message. A lone surrogate, which is no text and which strict readers refuse, becomes `?`."""
    return (text + "\n").encode("utf-8", "replace")
