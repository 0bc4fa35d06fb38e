"""Calls that wait for the person: answered when they decide, given up when the client says so."""

from __future__ import annotations

import pytest

OPERATIONS = [{"type": "create", "path": "a.txt", "content": "hello\n"}]


@pytest.fixture
def both(guest):
    client, person = guest.agent(), guest.person(guest.folder)
    person.get("mode", mode="manual")
    assert client.receive()["method"] == "notifications/tools/list_changed"
    person.get("settings.set", key="wait_seconds_workspace", value=60)
    return client, person


def ask(client, number):
    arguments = {"action": "apply", "operations": OPERATIONS}
    client.send(id=number, method="tools/call", params={"name": "workspace_edit", "arguments": arguments})


def staged(person):
    """The id of what waits, once it does."""
    start = person.get("events", since=0)["since"]
    assert start == 0
    while (event := person.receive()["event"])["type"] != "approval_staged":
        pass
    return event["approval_id"]


def test_a_waiting_call_is_answered_when_the_person_accepts(guest, both):
    client, person = both
    ask(client, "w")
    approval = staged(person)
    assert client.request("ping")["result"] == {}  # nothing else waits
    guest.person(guest.folder).get("accept", words=approval)
    answer = client.receive()
    assert answer["id"] == "w"
    assert answer["result"]["structuredContent"]["data"]["committed"] is True
    assert (guest.folder / "a.txt").read_text() == "hello\n"


def test_a_waiting_call_is_answered_when_the_person_denies(guest, both):
    client, person = both
    ask(client, "w")
    guest.person(guest.folder).get("deny", words=staged(person))
    answer = client.receive()
    assert answer["result"]["structuredContent"]["error"]["code"] == "APPROVAL_DENIED"


def test_a_waiting_call_is_given_up_but_its_request_stays(guest, both):
    client, person = both
    ask(client, "w")
    approval = staged(person)
    client.send(method="notifications/cancelled", params={"requestId": "w"})
    assert client.request("ping")["result"] == {}
    assert [row["id"] for row in guest.person(guest.folder).get("pending")["pending"]] == [approval]


def test_a_client_that_ends_while_it_waits_leaves_its_request(guest, both):
    client, person = both
    ask(client, "w")
    approval = staged(person)
    client.process.kill()
    client.process.wait()
    guest.person(guest.folder).get("accept", words=approval)
    assert (guest.folder / "a.txt").read_text() == "hello\n"


def test_a_stopping_server_doesnt_wait_for_the_person(room):
    client, person = room.agent(), room.person(room.folder)
    person.get("mode", mode="manual")
    assert client.receive()["method"] == "notifications/tools/list_changed"
    person.get("settings.set", key="wait_seconds_workspace", value=600)
    ask(client, "w")
    approval = staged(person)
    room.stop()
    answer = client.receive()
    assert (answer["id"], "may have taken effect" in answer["error"]["message"]) == ("w", True)
    again = client.call("workspace_edit", action="apply", operations=[])
    assert again["isError"] is True
    assert [row["id"] for row in room.person(room.folder).get("pending")["pending"]] == [approval]
