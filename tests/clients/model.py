"""A model that says what a script has it say, over the three wires that clients speak to models on.

    POST …/responses          OpenAI's Responses API     Codex
    POST …/messages           Anthropic's Messages API   Claude Code
    POST …/chat/completions   OpenAI's Chat Completions  opencode, Cline

A turn of the script is a function of what the model is shown: it answers with a tool to call, or with words, which end
the conversation. The tool is named by Workroom's own name; the client's name for it is found among the tools that the
client offers. What came back from a tool is kept as the client passed it on: that is all that a model would see of it.
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["Model", "Say", "Shown", "Turn", "Use"]


@dataclass(frozen=True)
class Use:
    """The model calls one of Workroom's tools."""

    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Say:
    """The model says something and has no more to do."""

    text: str


@dataclass(frozen=True)
class Shown:
    """What a request shows to the model: the tools by the client's names, and each tool's result so far, as text."""

    tools: dict[str, dict[str, Any]]
    results: list[str]


Turn = Callable[[Shown], Use | Say]


@dataclass
class Model:
    """A server of the three wires on a port of its own; `requests` holds every body that it was sent."""

    turns: list[Turn]
    requests: list[dict[str, Any]] = field(default_factory=list)
    shown: list[Shown] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def __enter__(self) -> Model:
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def results(self) -> list[str]:
        """What the last request showed of the tools' results."""
        return self.shown[-1].results if self.shown else []

    def answer(self, path: str, body: dict[str, Any]) -> Iterable[tuple[str | None, dict[str, Any] | str]]:
        """The events that answer one request, by the wire that its path names."""
        with self._lock:
            wire = next(wire for end, wire in _WIRES.items() if path.endswith(end))
            shown = Shown(wire.tools(body), wire.results(body))
            self.requests.append(body)
            turn = self._turn(shown)
            name = _offered(turn.tool, shown) if isinstance(turn, Use) else ""
            return list(wire.answer(turn, name, next(self._numbers)))

    def _turn(self, shown: Shown) -> Use | Say:
        """The turn that a request asks for: as many results as it shows, so many turns are over."""
        if not any("workspace_inspect" in name for name in shown.tools):
            return Say("A title.")  # clients ask for titles and summaries beside the conversation
        self.shown.append(shown)
        done = len(shown.results)
        return self.turns[done](shown) if done < len(self.turns) else Say("I am through.")


def _offered(tool: str, shown: Shown) -> str:
    found = [name for name in shown.tools if name.endswith(tool)]
    if len(found) != 1:
        raise LookupError(f"{tool}: the client offers {sorted(shown.tools)}")
    return found[0]


class _Responses:
    """OpenAI's Responses API. Tools of an MCP server may stand in a namespace of their own."""

    @staticmethod
    def tools(body: dict[str, Any]) -> dict[str, dict[str, Any]]:
        found = {}
        for tool in body.get("tools", []):
            if tool.get("type") == "namespace":
                found |= {f"{tool['name']}\n{inner['name']}": inner for inner in tool["tools"]}
            elif "name" in tool:
                found[tool["name"]] = tool
        return found

    @staticmethod
    def results(body: dict[str, Any]) -> list[str]:
        items = body["input"] if isinstance(body.get("input"), list) else []
        return [_joined(item["output"]) for item in items if item.get("type") == "function_call_output"]

    @staticmethod
    def answer(turn: Use | Say, name: str, number: int) -> Iterator[tuple[str | None, dict[str, Any] | str]]:
        response = {"id": f"resp_{number}", "object": "response", "status": "in_progress", "output": []}
        yield "response.created", {"type": "response.created", "response": response}
        item: dict[str, Any]
        if isinstance(turn, Use):
            namespace, _, inner = name.rpartition("\n")
            item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": inner}
            item |= {"namespace": namespace} if namespace else {}
            item |= {"arguments": json.dumps(turn.arguments), "status": "completed"}
        else:
            words = [{"type": "output_text", "text": turn.text, "annotations": []}]
            item = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed"}
            item |= {"content": words}
        yield "response.output_item.added", {"type": "response.output_item.added", "output_index": 0, "item": item}
        yield "response.output_item.done", {"type": "response.output_item.done", "output_index": 0, "item": item}
        usage: dict[str, Any] = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        done = response | {"status": "completed", "output": [item], "usage": usage}
        yield "response.completed", {"type": "response.completed", "response": done}


class _Messages:
    """Anthropic's Messages API."""

    @staticmethod
    def tools(body: dict[str, Any]) -> dict[str, dict[str, Any]]:
        return {tool["name"]: tool for tool in body.get("tools", []) if "name" in tool}

    @staticmethod
    def results(body: dict[str, Any]) -> list[str]:
        parts = [
            part for message in body["messages"] if isinstance(message["content"], list) for part in message["content"]
        ]
        return [_joined(part.get("content", "")) for part in parts if part.get("type") == "tool_result"]

    @staticmethod
    def answer(turn: Use | Say, name: str, number: int) -> Iterator[tuple[str | None, dict[str, Any] | str]]:
        message: dict[str, Any] = {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": "scripted",
            "content": [],
        }
        message |= {"stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
        yield "message_start", {"type": "message_start", "message": message}
        if isinstance(turn, Use):
            block: dict[str, Any] = {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(turn.arguments)}
        else:
            block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": turn.text}
        yield "content_block_start", {"type": "content_block_start", "index": 0, "content_block": block}
        yield "content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", "index": 0}
        reason = {"stop_reason": "tool_use" if isinstance(turn, Use) else "end_turn", "stop_sequence": None}
        yield "message_delta", {"type": "message_delta", "delta": reason, "usage": {"output_tokens": 1}}
        yield "message_stop", {"type": "message_stop"}


class _Chat:
    """OpenAI's Chat Completions."""

    @staticmethod
    def tools(body: dict[str, Any]) -> dict[str, dict[str, Any]]:
        return {tool["function"]["name"]: tool["function"] for tool in body.get("tools") or []}

    @staticmethod
    def results(body: dict[str, Any]) -> list[str]:
        return [_joined(message["content"]) for message in body["messages"] if message["role"] == "tool"]

    @staticmethod
    def answer(turn: Use | Say, name: str, number: int) -> Iterator[tuple[str | None, dict[str, Any] | str]]:
        chunk = {"id": f"chat_{number}", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
        if isinstance(turn, Use):
            function = {"name": name, "arguments": json.dumps(turn.arguments)}
            call = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
            delta: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": [call]}
        else:
            delta = {"role": "assistant", "content": turn.text}
        yield None, chunk | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        reason = "tool_calls" if isinstance(turn, Use) else "stop"
        yield None, chunk | {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        yield None, chunk | {"choices": [], "usage": usage}
        yield None, "[DONE]"


_WIRES = {"/responses": _Responses, "/messages": _Messages, "/chat/completions": _Chat}


def _joined(content: Any) -> str:
    """A tool's result as text, whatever parts the client made of it."""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", json.dumps(part)) for part in content)


def _handler(model: Model) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            path = self.path.partition("?")[0]
            if not path.endswith(tuple(_WIRES)):
                self._whole(404, b'{"error": {"type": "not_found_error", "message": "not here"}}')
                return
            try:
                events = model.answer(path, json.loads(raw))
            except Exception as error:  # noqa: BLE001 - the test is told: a client hides what a model's server says
                model.faults.append(f"{type(error).__name__}: {error}")
                self._whole(400, json.dumps({"error": {"message": str(error)}}).encode())
                return
            lines = [(f"event: {name}\n" if name else "") + f"data: {_data(data)}\n\n" for name, data in events]
            self._whole(200, "".join(lines).encode(), "text/event-stream")

        def do_GET(self) -> None:
            self._whole(200, b'{"object": "list", "data": [{"id": "scripted", "object": "model"}], "models": []}')

        def _whole(self, status: int, body: bytes, kind: str = "application/json") -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


def _data(data: dict[str, Any] | str) -> str:
    return data if isinstance(data, str) else json.dumps(data)
