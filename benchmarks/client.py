"""A client that speaks MCP by lines over a process's standard input and output, with as little around it as can be."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

__all__ = ["Client"]

_REVISION = "2025-06-18"
_ENDS_SECONDS = 2.0


class Client:
    """One process and one conversation with it. `introduced` is the server's answer to `initialize`."""

    def __init__(self, command: Sequence[str], environ: Mapping[str, str] | None = None) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=None if environ is None else dict(environ),
        )
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("a process without pipes")
        self._to, self._from = self._process.stdin.fileno(), self._process.stdout
        self._number = 0
        whoever = {"name": "benchmark", "version": "1"}
        self.introduced = self.ask("initialize", protocolVersion=_REVISION, capabilities={}, clientInfo=whoever)

    def __enter__(self) -> Self:
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the conversation, and wait for the process to end."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(_ENDS_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.terminate()
            self._process.wait()
        self._from.close()

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of a request; what the server says meanwhile of its own accord is passed over."""
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        while True:
            line = self._from.readline()
            if not line:
                raise RuntimeError(f"the server ended at {method}")
            answer = json.loads(line)
            if answer.get("id") == self._number:
                break
            if answer.get("method") == "roots/list":
                self._send({"jsonrpc": "2.0", "id": answer["id"], "result": {"roots": []}})
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        result: dict[str, Any] = answer["result"]
        return result

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The result of a tool that succeeds."""
        result = self.ask("tools/call", name=tool, arguments=arguments)
        if result.get("isError"):
            raise RuntimeError(f"{tool}: {result['content']}")
        return result

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps(message).encode() + b"\n"
        while data:
            data = data[os.write(self._to, data) :]
