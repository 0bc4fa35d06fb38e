"""Clients that come over HTTP: found by their token alone, until it is over."""

import itertools
import json

import pytest

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.clients import TOKEN, Clients, local_name
from workroom.system.state import StateDirectory


class Clock:
    time = 1_000.0

    def __call__(self):
        return self.time


@pytest.fixture
def state(tmp_path):
    state = StateDirectory(tmp_path / "state")
    state.make()
    return state


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def clients(state, clock):
    numbers = itertools.count(1)
    return Clients(state, clock, lambda prefix: f"{prefix}_{next(numbers)}")


def code_of(do, *arguments):
    with pytest.raises(WorkroomError) as caught:
        do(*arguments)
    return caught.value.code


def test_a_client_is_found_by_its_token(clients):
    ann, token = clients.add("ann", ["s1", "s2", "s1"], "workspace", None)
    bob, other = clients.add("bob", ["s2"], "workspace", None)
    assert TOKEN.fullmatch(token)
    assert token != other
    assert clients.find(token) == ann
    assert clients.find(other) == bob
    assert ann.workspaces == ("s1", "s2")
    assert clients.list() == (ann, bob)


@pytest.mark.parametrize("shown", ["", "wrt_", "x", "wrt_" + "0" * 64, "ö\udcff"])
def test_nobody_is_found_by_another_text(clients, shown):
    _, token = clients.add("ann", ["s1"], "workspace", None)
    assert clients.find(shown) is None
    assert clients.find(token[:-1]) is None
    assert clients.find(token.upper()) is None


def test_the_token_is_kept_nowhere(clients, state):
    client, token = clients.add("ann", ["s1"], "workspace", None)
    kept = state.clients_file.read_text()
    assert token not in kept
    assert token[len(client.beginning) :] not in kept
    assert client.beginning == token[:12]
    assert state.clients_file.stat().st_mode & 0o777 == 0o600


def test_a_token_expires(clients, clock):
    client, token = clients.add("ann", ["s1"], "workspace", 1_010.0)
    assert clients.is_current(client)
    clock.time = 1_010.0
    assert clients.find(token) is None
    assert not clients.is_current(client)
    assert clients.list() == (client,), "the person still sees it"


@pytest.mark.parametrize("by", ["name", "id", "beginning"])
def test_a_revoked_token_counts_no_more(clients, by):
    client, token = clients.add("ann", ["s1"], "workspace", None)
    other, _ = clients.add("bob", ["s1"], "workspace", None)
    assert clients.remove(getattr(client, by)) == client
    assert clients.find(token) is None
    assert not clients.is_current(client)
    assert clients.is_current(other)
    assert code_of(clients.remove, "ann") is ErrorCode.NOT_FOUND


@pytest.mark.parametrize("name", ["", "-x", "a b", "x" * 65, "ä", "a\n"])
def test_a_wrong_name_is_refused(clients, name):
    assert code_of(clients.add, name, ["s1"], "workspace", None) is ErrorCode.INVALID_INPUT


def test_what_makes_no_client(clients):
    clients.add("ann", ["s1"], "workspace", None)
    assert code_of(clients.add, "ann", ["s2"], "workspace", None) is ErrorCode.INVALID_INPUT
    assert code_of(clients.add, "bob", [], "workspace", None) is ErrorCode.INVALID_INPUT
    assert code_of(clients.add, "bob", ["s1"], "workspace", 1_000.0) is ErrorCode.INVALID_INPUT
    assert len(clients.list()) == 1


def test_there_is_an_end_to_clients(clients, state):
    clients.add("ann", ["s1"], "workspace", None)
    body = json.loads(state.clients_file.read_text())
    with state.changed_clients() as rows:
        rows += [{**body["clients"][0], "name": f"n{number}"} for number in range(999)]
    assert code_of(clients.add, "bob", ["s1"], "workspace", None) is ErrorCode.LIMIT_EXCEEDED


def test_a_client_is_nobody_by_the_name_of_a_local_one(clients):
    client, _ = clients.add("claude-code", ["s1"], "workspace", None)
    assert client.actor.kind == "agent"
    assert client.actor.name == "claude-code@http"
    assert client.actor.session == client.id


def test_a_local_client_is_never_called_like_a_tokens() -> None:
    assert [local_name(name) for name in ("claude-code", "a@http", "a@http (local)")] == [
        "claude-code",
        "a@http (local)",
        "a@http (local)",
    ]
