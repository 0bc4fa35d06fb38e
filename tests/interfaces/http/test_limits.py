"""What is too slow, too long or too many is refused in words, and keeps nobody waiting; with limits of the test's."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import itertools
import os
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from tests.interfaces.http.conftest import Raw

from workroom.interfaces.http.limits import Limits
from workroom.interfaces.http.serving import Serving
from workroom.server.hub import Hub
from workroom.system.state import StateDirectory


@dataclass
class Small:
    """A server in a thread of this process. `token` is a client's that has one workspace."""

    port: int
    token: str
    store: str
    second: str
    """Another client's token, of the same workspace."""
    open: list[Raw]

    def connect(self) -> Raw:
        self.open.append(Raw(socket.create_connection(("127.0.0.1", self.port), 60)))
        return self.open[-1]

    def head(self, method="GET", path="/api/v1/workspaces", *more) -> bytes:
        lines = [f"{method} {path} HTTP/1.1", f"host: 127.0.0.1:{self.port}", f"authorization: Bearer {self.token}"]
        return "\r\n".join([*lines, *more, "", ""]).encode()

    def upload(self, length) -> bytes:
        path = f"/api/v1/workspaces/{self.store}/tools/workspace_inspect/list"
        return self.head("POST", path, "content-type: application/json", f"content-length: {length}")


@contextlib.contextmanager
def served(hub: Hub, limits: Limits) -> Iterator[int]:
    """The port of a server with these limits."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    ready, over = threading.Event(), threading.Event()
    loop = asyncio.new_event_loop()

    async def serve():
        serving = Serving(hub, [f"127.0.0.1:{port}"], limits)
        await serving.begin([listener])
        ready.set()
        await asyncio.to_thread(over.wait)
        serving.rest()
        await serving.end(5)

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        assert ready.wait(60)
        yield port
    finally:
        over.set()
        thread.join()
        loop.close()


@pytest.fixture
def small(tmp_path, request):
    state = StateDirectory(tmp_path / "state")
    state.make()
    hub = Hub(state)
    (tmp_path / "ws").mkdir()
    store = hub.open(str(tmp_path / "ws")).store.folder.name
    _, token = hub.clients.add("tester", [store], "workspace", None)
    _, second = hub.clients.add("second", [store], "workspace", None)
    with served(hub, Limits(**request.param)) as port:
        small = Small(port, token, store, second, [])
        yield small
        for raw in small.open:
            raw.connection.close()
    hub.stop(10)


def refused(raw, status, code):
    answer = raw.answer()
    assert (answer.status, answer.code) == (status, code)
    assert raw.ended()


@pytest.mark.parametrize("small", [{"head_seconds": 0.1}], indirect=True)
@pytest.mark.parametrize("sent", [b"", b"GET", b"GET / HTTP/1.1\r\nhost: "])
def test_a_slow_head_is_given_up(small, sent):
    raw = small.connect()
    raw.send(sent)
    refused(raw, 408, "TIMEOUT")


@pytest.mark.parametrize("small", [{"head_seconds": 0.1}], indirect=True)
def test_a_slow_head_behind_an_answer_is_given_up_too(small):
    raw = small.connect()
    raw.send(small.head() + b"GET")
    assert raw.answer().status == 200
    refused(raw, 408, "TIMEOUT")


@pytest.mark.parametrize("small", [{"head_seconds": 0.1, "idle_seconds": 600}], indirect=True)
def test_a_connection_may_rest_between_requests(small):
    resting = small.connect()
    resting.send(small.head())
    assert resting.answer().status == 200
    refused(small.connect(), 408, "TIMEOUT")  # by now a head would have been given up
    resting.send(small.head())
    assert resting.answer().status == 200


@pytest.mark.parametrize("small", [{"idle_seconds": 1}], indirect=True)
def test_a_connection_that_rests_too_long_is_closed(small):
    raw = small.connect()
    raw.send(small.head())
    assert raw.answer().status == 200
    assert raw.ended()


@pytest.mark.parametrize("small", [{"body_seconds": 0.1}], indirect=True)
@pytest.mark.parametrize("sent", [b"", b'{"path": '])
def test_a_slow_body_is_given_up(small, sent):
    raw = small.connect()
    raw.send(small.upload(100) + sent)
    refused(raw, 408, "TIMEOUT")


@pytest.mark.parametrize("small", [{"body_bytes": 1_000, "bodies_bytes": 1_500}], indirect=True)
def test_bodies_share_their_room(small):
    def try_until(status):
        """Others' bytes come in and go when they do."""
        while True:
            raw = small.connect()
            raw.send(small.upload(700) + b" " * 698 + b"{}")
            answer = raw.answer()
            if answer.status == status:
                return answer
            assert answer.status in (200, 429)

    first = small.connect()
    first.send(small.upload(1_000) + b" " * 999)
    answer = try_until(429)
    assert answer.code == "LIMIT_EXCEEDED"
    assert answer.headers["retry-after"] == "1"
    first.connection.close()
    assert try_until(200).json["ok"] is True


@pytest.mark.parametrize("small", [{"body_bytes": 1_000, "own_bodies_bytes": 1_500}], indirect=True)
def test_one_tokens_bodies_leave_room_for_the_others(small):
    first = small.connect()
    first.send(small.upload(1_000) + b" " * 999)
    while True:
        raw = small.connect()
        raw.send(small.upload(700) + b" " * 698 + b"{}")
        answer = raw.answer()
        if answer.status == 429:
            break
    assert "This token" in answer.json["summary"]
    other = small.connect()
    other.send(small.upload(1_000).replace(small.token.encode(), small.second.encode()) + b" " * 998 + b"{}")
    assert other.answer().status == 200


@pytest.mark.parametrize("small", [{"requests": 3}], indirect=True)
def test_one_token_has_so_many_requests_and_others_have_theirs(small):
    events = small.head("GET", f"/api/v1/workspaces/{small.store}/events")
    streams = [small.connect() for _ in range(3)]
    for raw in streams:
        raw.send(events)
        assert raw.head()[0] == 200
    raw = small.connect()
    raw.send(small.head())
    answer = raw.answer()
    assert (answer.status, answer.code, answer.headers["retry-after"]) == (429, "LIMIT_EXCEEDED", "1")
    raw.send(small.head().replace(small.token.encode(), small.second.encode()))
    assert raw.answer().status == 200
    raw.send(small.head("GET", "/api/v1/openapi.json"))
    assert raw.answer().status == 200
    streams[0].connection.close()
    while True:
        raw.send(small.head())
        if raw.answer().status == 200:
            break


@pytest.mark.parametrize("small", [{"connections": 3}], indirect=True)
def test_too_many_connections_are_refused_until_others_go(small):
    held = [small.connect() for _ in range(3)]
    for raw in held:
        raw.send(small.head())
        assert raw.answer().status == 200
    refused(small.connect(), 429, "LIMIT_EXCEEDED")
    held[1].send(small.head())
    assert held[1].answer().status == 200
    held[0].connection.close()
    while True:
        again = small.connect()
        again.send(small.head())
        status = again.answer().status
        again.connection.close()
        if status == 200:
            break


@pytest.mark.parametrize("small", [{"linger_seconds": 0.1, "body_bytes": 1_000}], indirect=True)
def test_the_rest_of_a_refused_body_is_not_read_for_ever(small):
    raw = small.connect()
    raw.send(small.upload(1 << 30))
    refused(raw, 413, "LIMIT_EXCEEDED")


@pytest.mark.parametrize("small", [{"linger_seconds": 600, "body_bytes": 1_000}], indirect=True)
def test_who_is_still_sending_reads_the_refusal_all_the_same(small):
    for body in (small.upload(1 << 30), small.upload(1 << 30).replace(b"Bearer", b"Barer"), b"nonsense\r\n\r\n"):
        raw = small.connect()
        raw.send(body)
        for _ in range(64):
            raw.send(b"a" * (1 << 18))
        assert raw.answer().status in {400, 401, 413, 431}


@pytest.mark.parametrize("small", [{"connections": 1, "lingering": 2, "linger_seconds": 600}], indirect=True)
def test_those_who_are_refused_pile_up_nowhere(small):
    kept = small.connect()
    kept.send(small.head())
    assert kept.answer().status == 200
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        assert small.connect().answer().status == 429
    kept.send(small.head())
    assert kept.answer().status == 200
    assert len(os.listdir("/proc/self/fd")) <= before + 20 + 2, "each has an end here, and two have one there"


@pytest.mark.parametrize("small", [{"stall_seconds": 0.2}], indirect=True)
def test_who_reads_nothing_is_given_up(small):
    raw = small.connect()
    asking = itertools.repeat(small.head("GET", "/api/v1/openapi.json") * 10)
    with pytest.raises((ConnectionResetError, BrokenPipeError)):
        collections.deque(map(raw.send, asking), maxlen=0)
