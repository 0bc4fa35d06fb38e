"""What an agent is shown where its workspace can't be opened: one tool that says why. Standard library only."""

from __future__ import annotations

from workroom.base.errors import WorkroomError
from workroom.interfaces.mcp.jsonrpc import RpcError, encode
from workroom.interfaces.mcp.protocol import Peer, tool_call
from workroom.interfaces.mcp.steps import Request, Send, Step

__all__ = ["NAME", "Diagnostic"]

NAME = "agentic_workspace_status"


class Diagnostic:
    """Answers the lines of one client; every tool call is told the same reason."""

    def __init__(self, version: str, folder: str, reason: WorkroomError) -> None:
        self._peer = Peer(version, f"The workspace can't be used; {NAME} says why.", {"tools": {}})
        self._folder = folder
        self._reason = reason

    def receive(self, line: bytes) -> bytes:
        """What to write in answer to one line; empty when nothing is."""
        return b"".join(self._answer(step) for step in self._peer.receive(line))

    def _answer(self, step: Step) -> bytes:
        if isinstance(step, Send):
            return step.line
        if not isinstance(step, Request):
            return b""
        answer = self._answered(step)
        return b"" if answer is None else answer.line

    def _answered(self, request: Request) -> Send | None:
        try:
            listed = request.method == "tools/list"
            return self._peer.answer(
                request, encode({"tools": [_TOOL]} if listed else self._status(tool_call(request.params)[0]))
            )
        except RpcError as fault:
            return self._peer.refuse(request, fault)

    def _status(self, name: str) -> dict[str, object]:
        """The answer to a call: the asked-for status, or the same as an error to whoever calls another tool."""
        reason = self._reason
        summary = f"The workspace {self._folder} can't be used ({reason.code}): {reason}"
        ok = name == NAME
        body: dict[str, object] = {
            "protocol": "agentic-workspace/v1",
            "ok": ok,
            "operation": "status",
            "summary": summary,
            "retention": {"importance": "high", "facts": [summary]},
            "data": {
                "available": False,
                "workspace": self._folder,
                "code": str(reason.code),
                "message": reason.message,
                "nextStep": reason.next_step,
            },
        }
        if not ok:
            body["error"] = {"code": str(reason.code), "message": summary}
        return {"content": [{"type": "text", "text": summary}], "structuredContent": body, "isError": not ok}


_TOOL = {
    "name": NAME,
    "title": "Workspace status",
    "description": "The workspace can't be used at the moment. Says why, and what the person can do about it.",
    "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False},
    "annotations": {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False},
}
