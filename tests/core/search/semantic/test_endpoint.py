"""Vectors from a real server of our own."""

from __future__ import annotations

import numpy as np
import pytest
from tests.embedder import Embedder

from workroom.base.errors import WorkroomError
from workroom.core.search.semantic.endpoint import Endpoint


@pytest.fixture
def server():
    running = Embedder()
    yield running
    running.close()


def test_a_vector_for_each_text_in_order(server):
    found = Endpoint(server.url, "small", "k").ask(["copy folder", "music", ""])
    assert [int(vector.argmax()) for vector in found] == [0, 1, 3]
    assert np.allclose([np.linalg.norm(vector) for vector in found], 1)
    ((path, key, body),) = server.seen
    assert (path, key) == ("/v1/embeddings", "Bearer k")
    assert body == {"model": "small", "input": ["copy folder", "music", " "]}


def test_without_a_key_none_is_sent(server):
    Endpoint(server.url, "small").ask(["x" * 10_000])
    ((_, key, body),) = server.seen
    assert key is None
    assert len(body["input"][0]) == 8_000


@pytest.mark.parametrize(
    "answer",
    [
        {},
        [],
        {"data": []},
        {"data": [{"index": 0, "embedding": []}]},
        {"data": [{"index": 0, "embedding": ["a"]}]},
        {"data": [{"index": 0, "embedding": [1e999]}]},
        {"data": [{"index": 0, "embedding": [10**400]}]},
        {"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1]}]},
        {"data": [{"embedding": [1]}]},
    ],
)
def test_anything_else_is_refused(server, answer):
    server.answer = answer
    with pytest.raises(WorkroomError, match="something else than one vector for each text"):
        Endpoint(server.url, "small").ask(["one"])


def test_the_key_is_in_no_repr():
    assert "hidden" not in repr(Endpoint("http://x", "m", "hidden"))
