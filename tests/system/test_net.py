"""One request over HTTP, to a real server."""

from __future__ import annotations

import contextlib
import socket
import threading
import time

import pytest
from tests.embedder import Embedder

from workroom.base.errors import WorkroomError
from workroom.system.net import post_json


@pytest.fixture
def server():
    running = Embedder()
    yield running
    running.close()


def test_a_value_goes_and_a_value_comes(server):
    server.answer = {"fine": True}
    assert post_json(f"{server.url}?a=b", {"input": []}, {"Authorization": "Bearer k"}, 5) == {"fine": True}
    assert server.seen == [("/v1/embeddings?a=b", "Bearer k", {"input": []})]


@pytest.mark.parametrize(
    ("status", "answer", "why"),
    [
        (401, b"key k", "401"),
        (302, b"", "302"),
        (200, b"no json", "JSONDecodeError"),
        (200, b"[" * 200_000, "RecursionError"),
    ],
)
def test_anything_else_is_refused_without_its_words(server, status, answer, why):
    server.status, server.answer = status, answer
    with pytest.raises(WorkroomError, match=f"127.0.0.1 can't be asked: .*{why}") as caught:
        post_json(server.url, {"input": []}, {"Authorization": "Bearer k"}, 5)
    assert "key k" not in str(caught.value)
    assert [path for path, _, _ in server.seen] == ["/v1/embeddings"]


def test_an_endless_answer_is_refused(server):
    server.answer = b" " * (64 * 1024**2 + 1)
    with pytest.raises(WorkroomError, match="too long"):
        post_json(server.url, {"input": []}, {}, 5)


@pytest.mark.parametrize("said", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"])
def test_one_that_drips_is_left(said):
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def drip():
            client, _ = listening.accept()
            with client, contextlib.suppress(OSError):
                client.sendall(said)
                while True:
                    client.sendall(b" " if said else b"H")
                    time.sleep(0.05)

        dripping = threading.Thread(target=drip)
        dripping.start()
        began = time.monotonic()
        with pytest.raises(WorkroomError, match="can't be asked"):
            post_json(f"http://127.0.0.1:{listening.getsockname()[1]}", {}, {}, 0.5)
        assert time.monotonic() - began < 20  # 50 s otherwise, or for ever
        dripping.join()


def test_nobody_is_there():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        with pytest.raises(WorkroomError, match="can't be asked"):
            post_json(f"http://127.0.0.1:{free.getsockname()[1]}", {}, {}, 5)


def test_https_is_encrypted(server):
    with pytest.raises(WorkroomError, match="SSL"):
        post_json(server.url.replace("http:", "https:"), {}, {}, 5)
    assert server.seen == []


def test_no_proxy_of_the_environment_is_taken(server, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    server.answer = {}
    assert post_json(server.url, {"input": []}, {}, 5) == {}
