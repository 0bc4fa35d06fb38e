"""A server of the test's own, in a state directory of its own, and clients of it as real processes."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from workroom.base.errors import WorkroomError
from workroom.interfaces import link

SECONDS = 60
"""A guard against hanging, no measure."""


@dataclass
class Client:
    """An MCP client's end of `workroom mcp`: raw lines there and back."""

    process: subprocess.Popen[bytes]
    held: bytes = b""
    number: int = 0

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, **message: Any) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def line(self) -> bytes:
        assert self.process.stdout is not None
        while b"\n" not in self.held:
            assert select.select([self.process.stdout], [], [], SECONDS)[0], "no answer"
            chunk = os.read(self.process.stdout.fileno(), 1 << 16)
            if not chunk:
                raise EOFError(self.held)
            self.held += chunk
        line, _, self.held = self.held.partition(b"\n")
        return line

    def receive(self) -> Any:
        return json.loads(self.line())

    def request(self, method: str, **params: Any) -> Any:
        """One request and its answer; notifications on the way are left out."""
        self.number += 1
        self.send(id=self.number, method=method, params=params)
        while (answer := self.receive()).get("id") != self.number:
            assert "method" in answer, answer
        return answer

    def initialize(self, revision: str = "2025-11-25") -> Any:
        info = {"name": "tester", "version": "1"}
        answer = self.request("initialize", protocolVersion=revision, capabilities={}, clientInfo=info)
        self.send(method="notifications/initialized")
        return answer["result"]

    def call(self, tool: str, **arguments: Any) -> Any:
        return self.request("tools/call", name=tool, arguments=arguments)["result"]

    def end(self) -> int:
        """Close the client's end; the exit code, with nothing said on the way and on standard error."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        code = self.process.wait(SECONDS)
        assert self.held + self.process.stdout.read() == b""
        self.process.stdout.close()
        return code


@dataclass
class Person:
    """The person's end of the socket."""

    connection: socket.socket
    held: bytes = b""
    number: int = 0

    def receive(self) -> Any:
        while b"\n" not in self.held:
            chunk = self.connection.recv(1 << 16)
            if not chunk:
                raise EOFError(self.held)
            self.held += chunk
        line, _, self.held = self.held.partition(b"\n")
        return json.loads(line)

    def ask(self, method: str, **params: Any) -> Any:
        self.number += 1
        self.connection.sendall(json.dumps({"id": self.number, "method": method, "params": params}).encode() + b"\n")
        answer = self.receive()
        assert answer["id"] == self.number
        return answer

    def get(self, method: str, **params: Any) -> Any:
        return self.ask(method, **params)["result"]


@dataclass
class Room:
    """A folder, a state directory, and everybody who comes."""

    folder: Path
    state: Path
    errors: Path
    clients: list[Client] = field(default_factory=list)
    people: list[Person] = field(default_factory=list)

    @property
    def environ(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "COVERAGE_PROCESS_CONFIG") if name in os.environ}
        return {**kept, "WORKROOM_STATE": str(self.state)}

    @property
    def place(self) -> link.Place:
        return link.Place(self.environ)

    def shim(self, *arguments: str, **environ: str) -> Client:
        """`workroom mcp`, as a client starts it."""
        with self.errors.open("ab") as errors:
            process = subprocess.Popen(
                [sys.executable, "-m", "workroom", "mcp", *(arguments or (str(self.folder),))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env={**self.environ, **environ},
                bufsize=0,
            )
        self.clients.append(Client(process))
        return self.clients[-1]

    def agent(self, *arguments: str, **environ: str) -> Client:
        """A client that has introduced itself."""
        client = self.shim(*arguments, **environ)
        client.initialize()
        return client

    def person(self, folder: Path | None = None, *, start: bool = True, **hello: Any) -> Person:
        key = self.state / "person.key"
        if not key.exists():
            link.join(self.place, link.hello("agent", str(self.folder), environ={})).connection.close()
        greeting = link.hello(
            "person", str(folder) if folder else None, key=key.read_text(), environ=self.environ, **hello
        )
        connection = link.join(self.place, greeting, start=start).connection
        connection.settimeout(SECONDS)
        self.people.append(Person(connection))
        return self.people[-1]

    def pid(self) -> int:
        """The process of the server that is running; NOT_FOUND when none is."""
        key = (self.state / "person.key").read_text()
        joined = link.join(self.place, link.hello("person", None, key=key, environ={}), start=False)
        joined.connection.close()
        found: int = joined.answer["server"]["pid"]
        return found

    def stop(self) -> None:
        """Stop the server, if one runs, and wait for its end."""
        try:
            pid = self.pid()
        except (WorkroomError, FileNotFoundError):
            return
        os.kill(pid, signal.SIGTERM)
        self.wait_for_end(pid)

    def wait_for_end(self, pid: int) -> None:
        """Wait until a process runs no more; one that nobody has waited for yet doesn't."""

        def ended() -> bool:
            try:
                return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
            except OSError:
                return True

        self.wait_for(ended)

    def wait_for(self, true: Callable[[], bool]) -> None:
        deadline = time.monotonic() + SECONDS
        while not true():
            assert time.monotonic() < deadline, "it doesn't come to pass"
            time.sleep(0.005)


def leave(room: Room) -> None:
    """End the clients and look at what they said on standard error."""
    for client in room.clients:
        client.process.kill()
        client.process.wait()
        for end in (client.process.stdin, client.process.stdout):
            if end is not None:
                end.close()
    for person in room.people:
        person.connection.close()
    assert not room.errors.exists() or room.errors.read_bytes() == b"", "quiet on standard error"


def unwatched(state: Path) -> Path:
    """A state directory whose servers don't watch: what a test writes itself is then no entry of the history."""
    (state / "settings.toml").write_text("watch = false\n")
    return state


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    """A folder and a server of the test's own; the server starts when it is needed, and may be stopped."""
    folder = tmp_path / "ws"
    folder.mkdir()
    state = unwatched(Path(tempfile.mkdtemp(prefix="wr-")))  # short enough for a socket
    room = Room(folder, state, tmp_path / "stderr")
    try:
        yield room
    finally:
        room.stop()
        leave(room)
        shutil.rmtree(state, ignore_errors=True)


@pytest.fixture(scope="module")
def shared_state() -> Iterator[Path]:
    state = unwatched(Path(tempfile.mkdtemp(prefix="wr-")))
    yield state
    last = Room(state, state, state / "stderr")
    last.stop()
    leave(last)
    shutil.rmtree(state, ignore_errors=True)


@pytest.fixture
def guest(tmp_path: Path, shared_state: Path) -> Iterator[Room]:
    """A folder of the test's own, served by a server that other tests are served by too."""
    folder = tmp_path / "ws"
    folder.mkdir()
    room = Room(folder, shared_state, tmp_path / "stderr")
    yield room
    leave(room)
