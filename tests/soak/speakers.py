"""The ways in that a client may take: the JSON API, MCP with a session, MCP without one."""

from __future__ import annotations

import itertools
import json
from typing import Any, Protocol

from tests.soak.wire import Answer, Wire

__all__ = ["Api", "Refused", "Speaker", "Stateless", "WithSession"]

_BOTH = "application/json, text/event-stream"
_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "soak", "version": "1"},
}


class Refused(Exception):  # noqa: N818 - as the protocol says it
    """An HTTP status that no call should get."""

    def __init__(self, status: int, body: bytes) -> None:
        super().__init__(f"{status}: {body[:200]!r}")
        self.status = status


class Speaker(Protocol):
    """One client on its connection."""

    name: str

    async def begin(self) -> None: ...

    async def call(self, tool: str, action: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The envelope."""

    def close(self) -> None: ...


class Api:
    """The JSON API."""

    name = "api"

    def __init__(self, port: int, token: str, workspace: str) -> None:
        self._wire = Wire(port)
        self._headers = {"authorization": f"Bearer {token}"}
        self._path = f"/api/v1/workspaces/{workspace}"

    async def begin(self) -> None:
        """Nothing needs to be said first."""

    async def call(self, tool: str, action: str, arguments: dict[str, Any]) -> dict[str, Any]:
        path = f"{self._path}/tools/workspace_{tool}/{action}"
        answer = await self._wire.ask("POST", path, json.dumps(arguments).encode(), self._headers)
        envelope: dict[str, Any] = json.loads(answer.body)
        if "protocol" not in envelope or answer.status >= 500 or answer.status == 429:
            raise Refused(answer.status, answer.body)
        return envelope

    def close(self) -> None:
        self._wire.close()


class _Mcp:
    """What both eras have in common."""

    def __init__(self, port: int, token: str, workspace: str) -> None:
        del workspace
        self.wire = Wire(port)
        self.headers = {"authorization": f"Bearer {token}", "accept": _BOTH}
        self._numbers = itertools.count(1)

    async def request(self, method: str, params: dict[str, Any], **headers: str) -> tuple[Answer, Any]:
        body = {"jsonrpc": "2.0", "id": next(self._numbers), "method": method, "params": params}
        named = self.headers | {name.replace("_", "-"): value for name, value in headers.items()}
        answer = await self.wire.ask("POST", "/mcp", json.dumps(body).encode(), named)
        if answer.status != 200:
            raise Refused(answer.status, answer.body)
        return answer, _message(answer)["result"]

    def close(self) -> None:
        self.wire.close()


class WithSession(_Mcp):
    """MCP 2025-11-25."""

    name = "mcp session"

    async def begin(self) -> None:
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "soak", "version": "1"}}
        answer, _ = await self.request("initialize", hello)
        self.headers |= {"mcp-session-id": answer.headers["mcp-session-id"], "mcp-protocol-version": "2025-11-25"}
        told = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode()
        await self.wire.ask("POST", "/mcp", told, self.headers)

    async def call(self, tool: str, action: str, arguments: dict[str, Any]) -> dict[str, Any]:
        params = {"name": f"workspace_{tool}", "arguments": {"action": action, **arguments}}
        _, result = await self.request("tools/call", params)
        envelope: dict[str, Any] = result["structuredContent"]
        return envelope


class Stateless(_Mcp):
    """MCP 2026-07-28."""

    name = "mcp stateless"

    async def begin(self) -> None:
        """Nothing needs to be said first."""

    async def call(self, tool: str, action: str, arguments: dict[str, Any]) -> dict[str, Any]:
        name = f"workspace_{tool}"
        params = {"name": name, "arguments": {"action": action, **arguments}, "_meta": _META}
        named = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/call", "mcp_name": name}
        _, result = await self.request("tools/call", params, **named)
        envelope: dict[str, Any] = result["structuredContent"]
        return envelope


def _message(answer: Answer) -> Any:
    """The JSON-RPC answer, out of JSON or of events."""
    if answer.headers["content-type"] == "application/json":
        return json.loads(answer.body)
    lines = [line[6:] for line in answer.body.split(b"\n") if line.startswith(b"data: {")]
    return json.loads(lines[-1])
