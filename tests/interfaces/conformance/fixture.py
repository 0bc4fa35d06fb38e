"""A server with the tools, resources and prompts that the conformance suite calls by name, on our own protocol.

    python -m tests.interfaces.conformance.fixture     prints its port, and serves until it is killed

What the suite tests by these is the peer, the subscriptions, the streams and sessions, and the guard in front: all of
them are the product's. What stands here is only what the product has no use for: tools that answer with pictures, ask
for what a client's model would say, or close their own stream.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import secrets
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import uvicorn
from starlette.types import Receive, Scope
from starlette.types import Send as Transmit
from tests.interfaces.conformance.names import (
    CONTENTS,
    ELICITATIONS,
    IMAGE,
    INPUTS,
    PROMPTS,
    RESOURCES,
    SCHEMAS,
    TEMPLATES,
    TOOLS,
)

from workroom.interfaces.http.guard import Guard
from workroom.interfaces.http.limits import Limits
from workroom.interfaces.mcp.eras import RESOURCE_NOT_FOUND
from workroom.interfaces.mcp.jsonrpc import INVALID_PARAMS, RpcError, encode
from workroom.interfaces.mcp.protocol import Peer, tool_call
from workroom.interfaces.mcp.steps import Cancel, Question, Reply, Request, Send
from workroom.interfaces.mcp.streamable.endpoint import Endpoint
from workroom.interfaces.mcp.streamable.place import Place
from workroom.interfaces.mcp.streamable.rules import MISSING_CAPABILITY
from workroom.interfaces.mcp.streamable.stream import Stream
from workroom.interfaces.mcp.subscriptions import Subscriptions

__all__ = ["Fixture"]

_CAPABILITIES = {
    "tools": {"listChanged": True},
    "resources": {"subscribe": True},
    "prompts": {},
    "completions": {},
    "logging": {},
}
_KEY = secrets.token_bytes(32)
"""By which a state that a client hands back is known for ours."""
_STEP_SECONDS = 0.02

_everybody: set[Fixture] = set()


class Fixture:
    """One conversation."""

    def __init__(self, send: Callable[[Send], None]) -> None:
        self.peer = Peer("1", "", _CAPABILITIES)
        self.subscriptions = Subscriptions(self.peer, send, lambda uri: uri.startswith("test://"))
        self._send = send
        self._tasks: dict[Request, asyncio.Task[None]] = {}
        self._asked: dict[Question, asyncio.Future[Any]] = {}
        _everybody.add(self)

    @property
    def busy(self) -> bool:
        return bool(self._tasks)

    def take(self, message: Any, origin: object = None) -> bool:
        answered = False
        for step in self.peer.take(message, origin):
            if isinstance(step, Reply):
                self._asked.pop(step.question).set_result(step.result)
            elif isinstance(step, Cancel):
                self._drop(step.request)
            else:
                answered = answered or step.origin is origin
                self.tell(step) if isinstance(step, Send) else self._begin(step)
        return answered

    def recall(self, lines: tuple[bytes, ...]) -> None:
        for line in lines:
            self.peer.receive(line)

    def stop(self) -> tuple[bytes, ...]:
        self.subscriptions.end()
        return ()

    def cancel(self, origin: object) -> None:
        for request in self.peer.give_up(origin):
            self._drop(request)

    def end(self) -> None:
        _everybody.discard(self)
        for request in list(self._tasks):
            self._drop(request)

    def tell(self, message: Send | None) -> None:
        if message is not None:
            self._send(message)

    async def ask(self, request: Request, method: str, params: dict[str, Any]) -> Any:
        """Ask the client on the way to an answer."""
        message, question = self.peer.ask(request, method, params)
        self._asked[question] = asyncio.get_running_loop().create_future()
        self.tell(message)
        return await self._asked[question]

    def _begin(self, request: Request) -> None:
        task = asyncio.get_running_loop().create_task(self._answer(request))
        self._tasks[request] = task
        task.add_done_callback(lambda _task: self._tasks.pop(request, None))

    def _drop(self, request: Request) -> None:
        if request in self._tasks:
            self._tasks[request].cancel()
        self.subscriptions.close(request)

    async def _answer(self, request: Request) -> None:
        try:
            if request.method == "subscriptions/listen":
                self.subscriptions.listen(request)
                return
            result, kind = await _METHODS[request.method](self, request), "complete"
            kind = result.pop("resultType", "complete")
            self.tell(self.peer.answer(request, encode(result), kind=kind))
        except RpcError as fault:
            self.tell(self.peer.refuse(request, fault))


# Tools.


async def _call(fixture: Fixture, request: Request) -> dict[str, Any]:
    name, arguments = tool_call(request.params)
    if name in CONTENTS:
        return {"content": CONTENTS[name]}
    if name in INPUTS or name == "test_input_required_result_capabilities":
        return _input(name, request)
    if name not in _WORK:
        raise RpcError(INVALID_PARAMS, f"There is no tool {name}.")
    return await _WORK[name](fixture, request, arguments)


def _said(text: str, *, error: bool = False) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], **({"isError": True} if error else {})}


async def _fail(_fixture: Fixture, _request: Request, _arguments: dict[str, Any]) -> dict[str, Any]:
    return _said("This tool intentionally returns an error for testing", error=True)


async def _log(fixture: Fixture, request: Request, _arguments: dict[str, Any]) -> dict[str, Any]:
    if not request.client.modern:  # where a request says whether it wants any, ours has none
        for text in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            params = {"level": "info", "logger": "fixture", "data": text}
            fixture.tell(fixture.peer.notify("notifications/message", params, request.origin))
            await asyncio.sleep(_STEP_SECONDS)
    return _said("Logged.")


async def _progress(fixture: Fixture, request: Request, _arguments: dict[str, Any]) -> dict[str, Any]:
    for share in (0, 50, 100):
        fixture.tell(fixture.peer.progress(request, {"progress": share, "total": 100, "message": f"{share} of 100"}))
        await asyncio.sleep(_STEP_SECONDS)
    return _said("Done.")


async def _reconnect(_fixture: Fixture, request: Request, _arguments: dict[str, Any]) -> dict[str, Any]:
    if isinstance(request.origin, Stream):
        request.origin.release()
    await asyncio.sleep(5 * _STEP_SECONDS)
    return _said("The client came again for this.")


async def _sample(fixture: Fixture, request: Request, arguments: dict[str, Any]) -> dict[str, Any]:
    asked = {"role": "user", "content": {"type": "text", "text": arguments["prompt"]}}
    answer = await fixture.ask(request, "sampling/createMessage", {"messages": [asked], "maxTokens": 100})
    return _said(f"LLM response: {answer['content']['text']}")


async def _elicit(fixture: Fixture, request: Request, arguments: dict[str, Any]) -> dict[str, Any]:
    name = request.params["name"]
    params = {**ELICITATIONS[name], **({"message": arguments["message"]} if "message" in arguments else {})}
    answer = await fixture.ask(request, "elicitation/create", params)
    return _said(f"action={answer['action']}, content={json.dumps(answer.get('content', {}))}")


async def _need(_fixture: Fixture, request: Request, _arguments: dict[str, Any]) -> dict[str, Any]:
    if "sampling" not in request.client.capabilities:
        needed = {"requiredCapabilities": {"sampling": {}}}
        raise RpcError(MISSING_CAPABILITY, "The client must declare sampling.", needed)
    return _said("It has it.")


async def _change(_fixture: Fixture, _request: Request, _arguments: dict[str, Any]) -> dict[str, Any]:
    for one in list(_everybody):
        one.subscriptions.changed(frozenset({"tools"}), lambda _uri: False)
    return _said("Changed.")


_WORK: dict[str, Callable[[Fixture, Request, dict[str, Any]], Awaitable[dict[str, Any]]]] = {
    "test_error_handling": _fail,
    "test_tool_with_logging": _log,
    "test_logging_tool": _log,
    "test_tool_with_progress": _progress,
    "test_reconnection": _reconnect,
    "test_sampling": _sample,
    **dict.fromkeys(ELICITATIONS, _elicit),
    "test_missing_capability": _need,
    "test_trigger_tool_change": _change,
}


# What a request of the modern era needs before it can be answered.


def _input(name: str, request: Request) -> dict[str, Any]:
    """Ask for what is missing of the round that the client's state says; else the answer."""
    rounds = _rounds(name, request)
    given = request.params.get("inputResponses")
    answers = given if isinstance(given, dict) else {}
    state = request.params.get("requestState")
    now = 0 if state is None else _number(name, state)
    if _is_answered(rounds[now], answers):
        now += 1
    if now == len(rounds):
        return _said(f"state-ok {json.dumps(answers)}")
    is_kept = len(rounds) > 1 or "state" in name or "multiple" in name
    kept = {"requestState": _state(name, now)} if is_kept else {}
    return {"resultType": "input_required", "inputRequests": rounds[now], **kept}


def _rounds(name: str, request: Request) -> tuple[dict[str, Any], ...]:
    if name != "test_input_required_result_capabilities":
        return INPUTS[name]
    wanted = INPUTS["test_input_required_result_multiple_inputs"][0]
    needed = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}
    return ({key: one for key, one in wanted.items() if needed[one["method"]] in request.client.capabilities},)


def _is_answered(wanted: dict[str, Any], answers: dict[str, Any]) -> bool:
    return all(isinstance(answers.get(key), dict) for key in wanted)


def _state(name: str, number: int) -> str:
    return f"{number}.{hmac.new(_KEY, f'{name} {number}'.encode(), hashlib.sha256).hexdigest()}"


def _number(name: str, state: Any) -> int:
    number = str(state).partition(".")[0]
    if not number.isdigit() or not hmac.compare_digest(_state(name, int(number)).encode(), str(state).encode()):
        raise RpcError(INVALID_PARAMS, "requestState is none of ours.")
    return int(number)


# Resources, prompts, completion.


async def _read(_fixture: Fixture, request: Request) -> dict[str, Any]:
    uri = request.params.get("uri")
    if uri in RESOURCES:
        return {"contents": [RESOURCES[uri]]}
    prefix, suffix = "test://template/", "/data"
    if isinstance(uri, str) and uri.startswith(prefix) and uri.endswith(suffix):
        text = json.dumps({"id": uri[len(prefix) : -len(suffix)], "templateTest": True})
        return {"contents": [{"uri": uri, "mimeType": "application/json", "text": text}]}
    code = INVALID_PARAMS if request.client.modern else RESOURCE_NOT_FOUND
    raise RpcError(code, "There is no such resource.", {"uri": uri})


async def _prompt(_fixture: Fixture, request: Request) -> dict[str, Any]:
    name, given = request.params.get("name"), request.params.get("arguments") or {}
    if name in INPUTS:
        result = _input(name, request)
        if "content" in result:
            return {"messages": [{"role": "user", "content": result["content"][0]}]}
        return result
    if name == "test_simple_prompt":
        contents: list[dict[str, Any]] = [{"type": "text", "text": "This is a simple prompt for testing."}]
    elif name == "test_prompt_with_arguments":
        contents = [{"type": "text", "text": f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'"}]
    elif name == "test_prompt_with_embedded_resource":
        text = "Embedded resource content for testing."
        embedded = {"uri": given["resourceUri"], "mimeType": "text/plain", "text": text}
        contents = [{"type": "resource", "resource": embedded}, {"type": "text", "text": "Process what is embedded."}]
    elif name == "test_prompt_with_image":
        contents = [IMAGE, {"type": "text", "text": "Analyse the image above."}]
    else:
        raise RpcError(INVALID_PARAMS, f"There is no prompt {name}.")
    return {"messages": [{"role": "user", "content": content} for content in contents]}


async def _complete(_fixture: Fixture, _request: Request) -> dict[str, Any]:
    return {"completion": {"values": ["paris", "park"], "total": 2, "hasMore": False}}


async def _subscribe(fixture: Fixture, request: Request) -> dict[str, Any]:
    fixture.subscriptions.subscribe(request.params)
    return {}


async def _unsubscribe(fixture: Fixture, request: Request) -> dict[str, Any]:
    fixture.subscriptions.unsubscribe(request.params)
    return {}


def _listing(name: str, rows: list[dict[str, Any]]) -> Callable[[Fixture, Request], Awaitable[dict[str, Any]]]:
    async def listed(_fixture: Fixture, _request: Request) -> dict[str, Any]:
        return {name: rows}

    return listed


_METHODS: dict[str, Callable[[Fixture, Request], Awaitable[dict[str, Any]]]] = {
    "tools/list": _listing(
        "tools",
        [
            {"name": name, "description": f"The suite's {name}.", "inputSchema": SCHEMAS.get(name, {"type": "object"})}
            for name in TOOLS
        ],
    ),
    "tools/call": _call,
    "resources/list": _listing(
        "resources", [{"uri": uri, "name": uri, "mimeType": one["mimeType"]} for uri, one in RESOURCES.items()]
    ),
    "resources/templates/list": _listing("resourceTemplates", TEMPLATES),
    "resources/read": _read,
    "resources/subscribe": _subscribe,
    "resources/unsubscribe": _unsubscribe,
    "prompts/list": _listing("prompts", PROMPTS),
    "prompts/get": _prompt,
    "completion/complete": _complete,
}


async def _serve() -> None:
    async def door(_scope: Scope) -> Place:
        return Place("suite", "fixture", lambda send, _is_session: Fixture(send))

    endpoint = Endpoint(door)
    hosts: set[str] = set()

    async def guarded(scope: Scope, receive: Receive, transmit: Transmit) -> None:
        await Guard(endpoint, hosts, Limits())(scope, receive, transmit)

    server = uvicorn.Server(uvicorn.Config(guarded, port=0, lifespan="off", log_level="warning"))
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    hosts |= {f"localhost:{port}", f"127.0.0.1:{port}"}
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    await serving


if __name__ == "__main__":
    asyncio.run(_serve())
