"""A server that listens for HTTP, and clients of it by raw sockets: what is sent is what stands in the test."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.interfaces.conftest import SECONDS, Room


@dataclass(frozen=True)
class Answer:
    """One response."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        found: str = self.json["error"]["code"]
        return found


@dataclass
class Raw:
    """One connection. Everything is bytes; responses are taken apart by hand."""

    connection: socket.socket
    held: bytes = b""

    def send(self, data: bytes) -> None:
        self.connection.sendall(data)

    def more(self) -> bytes:
        chunk = self.connection.recv(1 << 16)
        self.held += chunk
        return chunk

    def until(self, mark: bytes) -> bytes:
        """What comes up to `mark`, with it."""
        while mark not in self.held:
            if not self.more():
                raise EOFError(self.held)
        found, _, self.held = self.held.partition(mark)
        return found + mark

    def exactly(self, count: int) -> bytes:
        while len(self.held) < count:
            if not self.more():
                raise EOFError(self.held)
        found, self.held = self.held[:count], self.held[count:]
        return found

    def head(self) -> tuple[int, dict[str, str]]:
        first, *lines = self.until(b"\r\n\r\n").decode("latin-1").strip().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines)
        return int(first.split()[1]), headers

    def answer(self, *, bodiless: bool = False) -> Answer:
        status, headers = self.head()
        body = b"" if bodiless else self.exactly(int(headers.get("content-length", "0")))
        return Answer(status, headers, body)

    def ended(self) -> bool:
        """Whether the server has ended the connection; waits for it."""
        try:
            while self.more():
                pass
        except ConnectionResetError:
            return True
        return True


@dataclass
class Web:
    """A room whose server listens for HTTP, with a token for its folder."""

    room: Room
    port: int
    token: str
    workspace: str
    actor: str
    """What the history calls the client."""
    connections: list[Raw] = field(default_factory=list)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def connect(self) -> Raw:
        connection = socket.create_connection(("127.0.0.1", self.port), SECONDS)
        self.connections.append(Raw(connection))
        return self.connections[-1]

    def close(self) -> None:
        for raw in self.connections:
            raw.connection.close()

    def request(self, method: str, path: str, body: bytes = b"", **headers: str | None) -> bytes:
        """A request's bytes. `headers` by their names with `_` for `-`; None leaves one out."""
        given: dict[str, str | None] = {"host": self.host, "authorization": f"Bearer {self.token}"}
        if body:
            given |= {"content-type": "application/json", "content-length": str(len(body))}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [
            f"{method} {path} HTTP/1.1",
            *(f"{name}: {value}" for name, value in given.items() if value is not None),
        ]
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + body

    def ask(self, method: str, path: str, body: bytes = b"", **headers: str | None) -> Answer:
        """One request on a connection of its own."""
        raw = self.connect()
        raw.send(self.request(method, path, body, **headers))
        return raw.answer(bodiless=method == "HEAD")

    def get(self, path: str, **headers: str | None) -> Answer:
        return self.ask("GET", f"/api/v1{path}", **headers)

    def call(self, tool: str, action: str, /, **arguments: Any) -> Answer:
        path = f"/api/v1/workspaces/{self.workspace}/tools/workspace_{tool}/{action}"
        return self.ask("POST", path, json.dumps(arguments).encode())

    def make_token(self, name: str, *folders: Path, **options: Any) -> str:
        params = {"name": name, "folders": [str(folder) for folder in folders or (self.room.folder,)], **options}
        made: str = self.room.person().get("clients.create", **params)["token"]
        return made


def listening(room: Room) -> Web:
    """Switch HTTP on, on any free port, and let a client in."""
    person = room.person()
    url = person.get("http", port=0)["url"]
    made = person.get("clients.create", name="tester", folders=[str(room.folder)])
    return Web(room, int(url.rpartition(":")[2]), made["token"], made["client"]["workspaces"][0]["id"], "tester@http")


@pytest.fixture
def web(room: Room) -> Iterator[Web]:
    """A server of the test's own; it may be stopped."""
    web = listening(room)
    yield web
    web.close()


@pytest.fixture(scope="module")
def shared_web(shared_state: Path) -> dict[str, Any]:
    """What the tests of a module share of one server; its state directory is a module's, too."""
    del shared_state
    return {}


@pytest.fixture
def visitor(guest: Room, shared_web: dict[str, Any]) -> Iterator[Web]:
    """A client of its own for each test, of a server that the tests of a module share."""
    person = guest.person()
    if "port" not in shared_web:
        shared_web["port"] = int(person.get("http", port=0)["url"].rpartition(":")[2])
    name = f"tester-{shared_web.setdefault('count', 0)}"
    shared_web["count"] += 1
    made = person.get("clients.create", name=name, folders=[str(guest.folder)])
    web = Web(guest, shared_web["port"], made["token"], made["client"]["workspaces"][0]["id"], f"{name}@http")
    yield web
    web.close()
