"""A program's connection to a workspace: the tools as typed calls, carried to the server like any other agent's.

    with open_workspace("~/recipes") as room:
        print(room.inspect.read("README.md")["text"])
        answer = room.edit.apply([{"type": "create", "path": "notes.md", "content": "Salt."}])
        if answer.approval is not None:          # the person decides; later:
            answer = room.resume(answer)

What is refused is raised as `WorkroomError` with its code. One call runs at a time on a connection; threads that are
not to wait for each other open one each.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from typing import Any, Self

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.interfaces import link
from workroom.interfaces.python.answer import Answer
from workroom.interfaces.python.calls import Edit, Inspect, Notes, Plan
from workroom.interfaces.wire import Wire

__all__ = ["Room", "open_workspace"]

_REVISION = "2025-11-25"


def open_workspace(
    path: str | os.PathLike[str], *, client: str = "python", environ: Mapping[str, str] | None = None
) -> Room:
    """Connect to the workspace of the folder at `path`, which is opened, and a server started, where that is needed.

    `client` is the name in the history and on what the person is asked. `environ` (by default the process's own) says
    where the server is; WORKROOM_STATE overrides. WorkroomError: NOT_FOUND or INVALID_INPUT for no folder,
    UNSUPPORTED when another process owns it; what keeps a server from starting.
    """
    folder = os.path.abspath(os.path.expanduser(path))
    return Room(folder, client=client, environ=os.environ if environ is None else environ)


class Room:
    """A workspace as an agent has it; a context manager that closes its connection."""

    def __init__(
        self, folder: str, *, client: str, profile: str = "workspace", environ: Mapping[str, str] = os.environ
    ) -> None:
        self._greeting = link.hello("agent", folder, profile=profile, environ=environ)
        self._place = link.Place(environ)
        self._client = client
        self._turn = threading.Lock()
        self._number = 0
        self._closed = False
        self._wire = self._join()
        self.inspect = Inspect(self)
        self.edit = Edit(self)
        self.plan = Plan(self)
        self.notes = Notes(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the connection; the workspace stays open, and what waits for the person goes on waiting."""
        self._closed = True
        self._wire.close()

    def call(self, tool: str, action: str, /, **arguments: Any) -> Answer:
        """Any action of any tool, by name. Arguments that are None are not sent."""
        given = {name: value for name, value in arguments.items() if value is not None}
        return _answer(self.ask(tool, {"action": action, **given}))

    def resume(self, answer: Answer) -> Answer:
        """What became of a call that waited: its result after the person's yes, or once more that it waits.

        APPROVAL_DENIED after a no, with the person's reason.
        """
        approval = answer.approval
        if approval is None:
            raise WorkroomError(ErrorCode.INVALID_INPUT, f"{answer.operation} doesn't wait for anybody.")
        return _answer(self.ask(approval.tool, dict(approval.arguments)))

    def ask(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The envelope that a tool answers with, whether it says yes or no.

        IO_ERROR when the server goes away on the way; the next call joins the one that comes after it.
        """
        with self._turn:
            if self._closed:
                raise WorkroomError(ErrorCode.INVALID_INPUT, "The connection is closed; open the workspace anew.")
            if not self._wire.alive:
                self._wire.close()
                self._wire = self._join()
            result = self._request("tools/call", {"name": tool, "arguments": arguments})
        envelope: dict[str, Any] = result["structuredContent"]
        return envelope

    def _join(self) -> Wire:
        """Shake hands, and introduce the client."""
        self._wire = Wire(link.join(self._place, self._greeting))
        client = {"name": self._client, "version": link.VERSION}
        self._request("initialize", {"protocolVersion": _REVISION, "capabilities": {}, "clientInfo": client})
        self._wire.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self._wire

    def _request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        self._wire.send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        answer = self._wire.receive()
        while answer.get("id") != self._number and "error" not in answer:
            answer = self._wire.receive()  # a notification
        if "error" in answer:
            raise WorkroomError(ErrorCode.INVALID_INPUT, str(answer["error"]["message"]))
        result: dict[str, Any] = answer["result"]
        return result


def _answer(envelope: dict[str, Any]) -> Answer:
    if not envelope["ok"]:
        error = envelope["error"]
        raise WorkroomError(ErrorCode(error["code"]), error["message"], details=error.get("details"))
    return Answer(
        operation=envelope["operation"],
        summary=envelope["summary"],
        data=envelope.get("data", {}),
        artifacts=tuple(envelope.get("artifacts", ())),
        envelope=envelope,
    )
