"""A small synchronous client of the server's socket, for one command: JSON lines there and back.

with person() as asking:            the person's side: methods of interfaces/person.py
    asking.ask("pending")
call_tool(folder, profile, …)       an agent's side: one MCP tool call, as any client makes it
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.interfaces import link
from workroom.interfaces.cli.exits import Exit, failed
from workroom.interfaces.python.room import Room
from workroom.interfaces.wire import Wire
from workroom.system.state import StateDirectory

__all__ = ["Asking", "call_tool", "person", "wait_until_stopped"]

_STOP_SECONDS = 25.0
"""A stopping server lets running calls finish, and then closes its folders."""


class Asking:
    """The person's connection."""

    def __init__(self, wire: Wire, workspace: str | None) -> None:
        self.workspace = workspace
        """The root of the workspace that the connection is about; None for the server alone."""
        self._wire = wire
        self._number = 0

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of one method; its refusal as the error it is. Parameters that are None are left out."""
        self._number += 1
        given = {name: value for name, value in params.items() if value is not None}
        self._wire.send({"id": self._number, "method": method, "params": given})
        answer = self._wire.receive()
        if "error" in answer:
            raise _told(answer["error"])
        result: dict[str, Any] = answer["result"]
        return result


@contextlib.contextmanager
def person(
    folder: str | None = None, *, start: bool = True, environ: Mapping[str, str] = os.environ
) -> Iterator[Asking]:
    """A connection as the person, about the workspace that `folder` stands in; without one about the server alone.

    A server is started where none listens, unless `start` is false. The failure without one ends with NO_SERVER.
    """
    place = link.Place(environ)
    with _no_server():
        key = _key(place, start=start)
        greeting = link.hello("person", folder, key=key, open=False, environ=environ)
        joined = link.join(place, greeting, start=start)
    with contextlib.closing(Wire(joined)) as wire:
        yield Asking(wire, joined.answer.get("workspace"))


def call_tool(
    folder: str, profile: str, tool: str, arguments: dict[str, Any], *, environ: Mapping[str, str] = os.environ
) -> dict[str, Any]:
    """The envelope that `tool` answers with, asked as an agent asks; the server is started where none listens."""
    with _no_server():
        room = Room(folder, client="workroom call", profile=profile, environ=environ)
    with room:
        return room.ask(tool, arguments)


def wait_until_stopped() -> bool:
    """Wait until the server has given its lock back, so that what it held is free; False when it takes too long."""
    import fcntl  # noqa: PLC0415 - Windows has none, and must be able to import this module

    path = link.Place(os.environ).socket + ".lock"
    deadline = time.monotonic() + _STOP_SECONDS
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        while time.monotonic() < deadline:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            time.sleep(0.01)
        return False
    finally:
        os.close(lock)


@contextlib.contextmanager
def _no_server() -> Iterator[None]:
    """Give the lack of a server its exit code."""
    try:
        yield
    except link.NoServerError as error:
        raise failed(error, Exit.NO_SERVER) from error


def _key(place: link.Place, *, start: bool) -> str:
    """The person's key; made, with the state directory, when a server is to be started."""
    state = StateDirectory(Path(place.state), runtime=Path(place.runtime) if place.runtime else None)
    if start:
        try:
            state.make()
        except WorkroomError as error:  # it would keep a server from starting as well
            raise link.NoServerError(
                error.code, error.message, next_step=error.next_step, details=error.details
            ) from error
    elif not state.key_file.exists():
        raise link.no_server()
    return state.person_key()


def _told(error: Mapping[str, Any]) -> WorkroomError:
    """An error that came over the wire, as it was."""
    return WorkroomError(
        ErrorCode(error["code"]),
        error["message"],
        next_step=error.get("next_step") or "",
        details=error.get("details"),
    )
