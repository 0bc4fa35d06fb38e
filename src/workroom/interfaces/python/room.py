"""A program's connection to a workspace: the tools as typed calls, carried to the server like any other agent's.

    with open_workspace("~/recipes") as room:
        print(room.inspect.read("README.md")["text"])
        answer = room.edit.apply([{"type": "create", "path": "notes.md", "content": "Salt."}])
        if answer.approval is not None:          # the person decides; later:
            answer = room.resume(answer)

    with open_workspace("~/recipes", profile="editor") as room:
        opened = room.editor.open("README.md")
        room.editor.save("README.md", content=opened["content"].upper(), expected_version=opened["version"])

What is refused is raised as `WorkroomError` with its code. One call runs at a time on a connection; threads that are
not to wait for each other open one each.
"""

from __future__ import annotations

import base64
import os
import threading
from collections.abc import Mapping
from typing import Any, Literal, Self, overload

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.interfaces import link
from workroom.interfaces.python.answer import Answer, Picture
from workroom.interfaces.python.calls import Edit, Inspect, Notes, Plan
from workroom.interfaces.python.editor_calls import Editor
from workroom.interfaces.wire import Wire

__all__ = ["EditorRoom", "Room", "open_workspace"]

_REVISION = "2025-11-25"


@overload
def open_workspace(
    path: str | os.PathLike[str],
    *,
    profile: Literal["workspace"] = "workspace",
    client: str = "python",
    environ: Mapping[str, str] | None = None,
) -> Room: ...


@overload
def open_workspace(
    path: str | os.PathLike[str],
    *,
    profile: Literal["editor"],
    client: str = "python",
    environ: Mapping[str, str] | None = None,
) -> EditorRoom: ...


def open_workspace(
    path: str | os.PathLike[str],
    *,
    profile: Literal["workspace", "editor"] = "workspace",
    client: str = "python",
    environ: Mapping[str, str] | None = None,
) -> Room | EditorRoom:
    """Connect to the workspace of the folder at `path`, which is opened, and a server started, where that is needed.

    `profile` says which tools there are. `client` is the name in the history and on what the person is asked. `environ`
    (by default the process's own) says where the server is; WORKROOM_STATE overrides. WorkroomError: NOT_FOUND or
    INVALID_INPUT for no folder, UNSUPPORTED when another process owns it; what keeps a server from starting.
    """
    folder = os.path.abspath(os.path.expanduser(path))
    made: type[EditorRoom | Room] = EditorRoom if profile == "editor" else Room
    return made(folder, client=client, environ=os.environ if environ is None else environ)


class _Connected:
    """A connection as an agent; a context manager that closes it."""

    def __init__(self, folder: str, *, client: str, profile: str, environ: Mapping[str, str] = os.environ) -> None:
        self._greeting = link.hello("agent", folder, profile=profile, environ=environ)
        self._place = link.Place(environ)
        self._client = client
        self._turn = threading.Lock()
        self._number = 0
        self._closed = False
        self._wire = self._join()
        self.plan = Plan(self)

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

    def call_flat(self, tool: str, arguments: dict[str, Any], /) -> Answer:
        """Any tool that has no actions, by name. Arguments that are None are not sent."""
        return _flat_answer(tool, self.ask(tool, {name: each for name, each in arguments.items() if each is not None}))

    def resume(self, answer: Answer) -> Answer:
        """What became of a call that waited: its result after the person's yes, or once more that it waits.

        APPROVAL_DENIED after a no, with the person's reason.
        """
        approval = answer.approval
        if approval is None:
            raise WorkroomError(ErrorCode.INVALID_INPUT, f"{answer.operation} doesn't wait for anybody.")
        answered = self.ask(approval.tool, dict(approval.arguments))
        return _answer(answered) if "action" in approval.arguments else _flat_answer(approval.tool, answered)

    def ask(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The envelope that a tool answers with, whether it says yes or no; pictures are in it as base64.

        IO_ERROR when the server goes away on the way; the next call joins the one that comes after it.
        """
        with self._turn:
            if self._closed:
                raise WorkroomError(ErrorCode.INVALID_INPUT, "The connection is closed; open the workspace anew.")
            if not self._wire.alive:
                self._wire.close()
                self._wire = self._join()
            result = self._request("tools/call", {"name": tool, "arguments": arguments})
        return _envelope(result)

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


class Room(_Connected):
    """A workspace as an agent of profile `workspace` has it."""

    def __init__(
        self, folder: str, *, client: str, profile: str = "workspace", environ: Mapping[str, str] = os.environ
    ) -> None:
        super().__init__(folder, client=client, profile=profile, environ=environ)
        self.inspect = Inspect(self)
        self.edit = Edit(self)
        self.notes = Notes(self)


class EditorRoom(_Connected):
    """A workspace as an agent of profile `editor` has it; `editor.workspace_open` goes to another folder."""

    def __init__(self, folder: str, *, client: str, environ: Mapping[str, str] = os.environ) -> None:
        super().__init__(folder, client=client, profile="editor", environ=environ)
        self.editor = Editor(self)

    def call_flat(self, tool: str, arguments: dict[str, Any], /) -> Answer:
        answer = super().call_flat(tool, arguments)
        if tool == "editor_workspace_open":  # a server that comes after this one goes on there
            self._greeting["resumed"] = {"root": answer["root"]}
        return answer


def _envelope(result: dict[str, Any]) -> dict[str, Any]:
    """The envelope of a call's result; one with pictures has it apart."""
    if "structuredContent" in result:
        envelope: dict[str, Any] = result["structuredContent"]
        return envelope
    told = result["_meta"]
    images = [part for part in result["content"] if part["type"] == "image"]
    pictures = [
        {"path": path, "mimeType": image["mimeType"], "base64": image["data"]}
        for path, image in zip(told["workroom/pictures"], images, strict=True)
    ]
    return {**told["workroom/answer"], "pictures": pictures}


def _flat_answer(tool: str, fields: dict[str, Any]) -> Answer:
    error = fields.get("error")
    if error is not None:
        raise WorkroomError(
            ErrorCode(error["code"]), error["message"], next_step=error["next_step"], details=error.get("details")
        )
    artifacts = tuple(fields.get("artifacts", ()))
    return Answer(operation=tool, summary="", data=fields, artifacts=artifacts, envelope=fields)


def _answer(envelope: dict[str, Any]) -> Answer:
    if not envelope["ok"]:
        error = envelope["error"]
        raise WorkroomError(ErrorCode(error["code"]), error["message"], details=error.get("details"))
    return Answer(
        operation=envelope["operation"],
        summary=envelope["summary"],
        data=envelope.get("data", {}),
        artifacts=tuple(envelope.get("artifacts", ())),
        pictures=tuple(
            Picture(row["path"], row["mimeType"], base64.b64decode(row["base64"]))
            for row in envelope.get("pictures", ())
        ),
        envelope=envelope,
    )


def _picture(row: dict[str, str]) -> Picture:
    return Picture(row["path"], row["mimeType"], base64.b64decode(row["base64"]))
