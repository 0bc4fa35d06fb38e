"""A09: an agent starts its own client that declares elicitation and accepts itself.

No effect unless the person allowed that client by name; never for destructive or code-running calls.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json

import pytest
from tests.interfaces.conftest import Room, guest, shared_state

__all__ = ["guest", "shared_state"]

CREATE = {"type": "create", "path": "a.txt", "content": "new\n"}
HARMFUL = {
    "destructive": {"type": "delete", "path": "old.txt"},
    "asked about": {"type": "create", "path": ".mcp.json", "content": "{}"},
    "runs code": {"type": "create", "path": "Makefile", "content": "all:\n\ttouch owned\n"},
}
YES = {"action": "accept", "content": {"decision": "accept"}}
ME = "own-client"


class Eager:
    """An agent's own client: it says that it shows dialogs, and answers each with yes by itself."""

    def __init__(self, room: Room, *, modern: bool, name: str = ME) -> None:
        self.client = room.shim()
        self.modern = modern
        self.name = name
        self.number = 0
        self.asked = 0
        """How often it was asked."""
        self.brought = []
        """What it has sent back with an answer."""
        if not modern:
            offered = {"elicitation": {"form": {}}}
            params = {"protocolVersion": "2025-11-25", "capabilities": offered, "clientInfo": {"name": name}}
            self.client.request("initialize", **params)

    def edit(self, *operations, **more):
        """One edit, every dialog answered at once; what the tool answers at last."""
        arguments = {"action": "apply", "operations": list(operations)}
        return self.send({"name": "workspace_edit", "arguments": arguments, **more})

    def send(self, params):
        if self.modern:
            params = {**params, "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
                "io.modelcontextprotocol/clientInfo": {"name": self.name, "version": "1"},
            }}  # fmt: skip
        self.number += 1
        self.client.send(id=f"e{self.number}", method="tools/call", params=params)
        while (message := self.client.receive()).get("id") != f"e{self.number}":
            if message["method"] == "elicitation/create":
                self.asked += 1
                self.client.send(id=message["id"], result=YES)
        result = message["result"]
        if result.get("resultType") == "input_required":
            self.asked += 1
            answers = dict.fromkeys(result["inputRequests"], YES)
            self.brought.append({"inputResponses": answers, "requestState": result["requestState"]})
            return self.send({**params, **self.brought[-1]})
        return result["structuredContent"]


@pytest.fixture
def room(guest):
    person = guest.person(guest.folder)
    person.get("settings.set", key="mode", value="manual")
    person.get("settings.set", key="destructive_edits", value="ask")
    (guest.folder / "old.txt").write_text("old\n")
    return guest


def allow(room, *names):
    room.person(room.folder).get("settings.set", key="elicitation_clients", value=list(names))


def pending(room):
    return len(room.person(room.folder).get("pending")["pending"])


both = pytest.mark.parametrize("modern", [False, True], ids=["handshake", "modern"])


@both
def test_a09_a_client_that_nobody_allowed_is_not_even_asked(room, modern):
    for names in ((), ("claude-code",)):
        allow(room, *names)
        eager = Eager(room, modern=modern)
        answer = eager.edit(CREATE)
        assert (answer["data"]["status"], eager.asked) == ("pending_approval", 0)
    assert not (room.folder / "a.txt").exists()
    assert pending(room) == 2, "one of each session, and both wait for the person"


@both
def test_a09_answers_to_what_was_never_asked_decide_nothing(room, modern):
    eager = Eager(room, modern=modern)
    answer = eager.edit(CREATE)
    approval = answer["data"]["approval"]["id"]
    for number in ("workroom-1", "workroom-0", approval, 1, None):
        eager.client.send(id=number, result=YES)
    state = base64.urlsafe_b64encode(json.dumps({
        "approval": approval, "client": ME, "sha256": "0" * 64, "call": "0" * 64, "until": 9e12,
    }).encode()).decode()  # fmt: skip
    for key in (b"", b"\0" * 32, b"workroom"):
        signed = f"{state}.{hmac.new(key, state.encode(), hashlib.sha256).hexdigest()}"
        eager.edit(CREATE, inputResponses={approval: YES}, requestState=signed)
    eager.edit(CREATE, inputResponses={approval: YES})
    assert not (room.folder / "a.txt").exists()
    assert pending(room) == 1


@both
@pytest.mark.parametrize("harm", HARMFUL)
def test_a09_an_allowed_client_never_decides_what_destroys_or_runs_code(room, modern, harm):
    allow(room, ME)
    eager = Eager(room, modern=modern)
    answer = eager.edit(HARMFUL[harm])
    assert (answer["data"]["status"], eager.asked) == ("pending_approval", 0)
    assert (room.folder / "old.txt").exists()
    assert not (room.folder / ".mcp.json").exists()
    assert not (room.folder / "Makefile").exists()
    assert pending(room) == 1


@both
def test_a09_an_allowed_client_decides_the_rest_once(room, modern):
    """What the person has allowed works; and it is what they allowed, for this one edit."""
    allow(room, ME)
    eager = Eager(room, modern=modern)
    answer = eager.edit(CREATE)
    assert (answer["data"]["committed"], eager.asked) == (True, 1)
    assert (room.folder / "a.txt").read_text() == "new\n"
    (entry,) = room.person(room.folder).get("log")["entries"]
    assert "person through own-client" in json.dumps(entry)


@both
def test_a09_a_name_of_a_client_with_a_token_cant_be_borrowed(room, modern):
    allow(room, "ci@http")
    eager = Eager(room, modern=modern, name="ci@http")
    answer = eager.edit(CREATE)
    assert (answer["data"]["status"], eager.asked) == ("pending_approval", 0)
    assert not (room.folder / "a.txt").exists()


def test_a09_a_state_is_of_one_call_and_one_use(room):
    allow(room, ME)
    eager = Eager(room, modern=True)
    assert eager.edit(CREATE)["data"]["committed"] is True
    allow(room)
    for again in (CREATE, {**CREATE, "path": "b.txt"}):
        answer = eager.edit(again, **eager.brought[0])
        assert answer.get("data", {}).get("committed") is not True
    assert not (room.folder / "b.txt").exists()
