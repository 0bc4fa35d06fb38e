"""The event stream: from a number on, without a gap, only what an agent may see, and to its end."""

from __future__ import annotations

import json

import pytest


class Follower:
    """One stream, read event by event."""

    def __init__(self, web, query="", **headers):
        self.raw = web.connect()
        self.raw.send(web.request("GET", f"/api/v1/workspaces/{web.workspace}/events{query}", **headers))
        self.status, self.headers = self.raw.head()
        assert self.status == 200, self.status
        self.text = b""

    def next(self):
        """The next event as (name, data); comments are left out."""
        while True:
            while b"\n\n" not in self.text:
                size = int(self.raw.until(b"\r\n").strip(), 16)
                if size == 0:
                    return None
                self.text += self.raw.exactly(size)
                self.raw.exactly(2)
            block, _, self.text = self.text.partition(b"\n\n")
            fields = dict(line.split(": ", 1) for line in block.decode().split("\n") if not line.startswith(":"))
            if "event" in fields:
                data = json.loads(fields["data"])
                assert int(fields["id"]) == data["number"]
                return fields["event"], data


def edit(web, name):
    answer = web.call("edit", "apply", operations=[{"type": "create", "path": name, "content": "x\n"}])
    assert answer.status in (200, 202), answer.body
    return answer.json


@pytest.fixture
def auto(visitor):
    visitor.room.person(visitor.room.folder).get("mode", mode="auto")
    return visitor


def test_what_happens_is_told(auto):
    follower = Follower(auto)
    assert follower.headers["content-type"] == "text/event-stream; charset=utf-8"
    name, ready = follower.next()
    assert name == "ready"
    edit(auto, "a.txt")
    name, data = follower.next()
    assert (name, data["paths"], data["actor"]) == ("committed", ["a.txt"], data["actor"])
    assert data["number"] > ready["number"]


def test_a_client_goes_on_where_it_was(auto):
    first = Follower(auto)
    _, ready = first.next()
    edit(auto, "a.txt")
    edit(auto, "b.txt")
    _, one = first.next()
    _, two = first.next()
    for follower in (
        Follower(auto, last_event_id=str(one["number"])),
        Follower(auto, f"?since={one['number']}"),
        Follower(auto, "?since=0", last_event_id=str(one["number"])),
    ):
        assert follower.next() == ("ready", {"number": one["number"]})
        assert follower.next() == ("committed", two)
    everything = Follower(auto, f"?since={ready['number']}")
    assert [everything.next()[1] for _ in range(3)] == [ready, one, two]


def test_a_number_of_the_future_is_told_to_look_anew(auto):
    follower = Follower(auto, "?since=999999")
    assert follower.next()[0] == "ready"
    name, data = follower.next()
    assert name == "resync"
    edit(auto, "a.txt")
    assert follower.next()[1]["number"] == data["number"] + 1


@pytest.mark.parametrize("since", ["x", "-1", "1.5", "", "99999999999999999999", "%D9%A1"])
def test_what_is_no_number_is_refused(auto, since):
    answer = auto.get(f"/workspaces/{auto.workspace}/events?since={since}")
    assert (answer.status, answer.code) == (400, "INVALID_INPUT")


def test_an_agent_sees_no_settings(auto):
    follower = Follower(auto)
    follower.next()
    person = auto.room.person(auto.room.folder)
    person.get("settings.set", key="protected_patterns", value='["secret"]')
    person.get("mode", mode="manual")
    assert follower.next()[0] == "mode_changed"
    answer = edit(auto, "a.txt")
    name, data = follower.next()
    assert (name, data["approval_id"]) == ("approval_staged", answer["data"]["approval"]["id"])
    person.get("deny", words=answer["data"]["approval"]["id"])
    assert follower.next()[0] == "approval_decided"


def test_a_stream_ends_with_its_workspace(auto):
    follower = Follower(auto)
    follower.next()
    auto.room.person().get("close", path=str(auto.room.folder))
    assert follower.next() is None


def test_a_stream_ends_with_its_token(auto):
    follower = Follower(auto)
    follower.next()
    person = auto.room.person()
    (mine,) = (one for one in person.get("clients.list")["clients"] if auto.token.startswith(one["token"]))
    person.get("clients.revoke", name=mine["id"])
    auto.room.person(auto.room.folder).get("mode", mode="plan")
    while (event := follower.next()) is not None:
        assert event[0] == "mode_changed"


def test_a_stream_ends_with_the_server(web):
    follower = Follower(web)
    follower.next()
    web.room.stop()
    assert follower.next() is None
    assert follower.raw.ended()
