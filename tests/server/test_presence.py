"""Who is there, and what they did last: read off what they do, told gathered, gone with them."""

from __future__ import annotations

import threading

import pytest
from tests.conftest import AGENT

from workroom.base.actor import Actor
from workroom.base.events import PresenceChanged
from workroom.server.presence import Presence, Present

ANN = Actor("person", "ann", "page_1/tab")
TWIN = Actor("agent", "tester", "session_2")


@pytest.fixture
def presence(house):
    made, workspace = Presence(house.clock, 0.05), house.workspace
    yield made
    made.forget(workspace)


def told(house):
    """What was told so far."""
    return [row for row in house.workspace.store.events_since(0) if row["type"] == "presence_changed"]


def wait_for(true):
    rest = threading.Event()
    for _ in range(400):
        if true():
            return
        rest.wait(0.02)
    raise AssertionError("it doesn't come to pass")


def test_who_comes_is_there_until_the_last_of_its_rooms_is_left(house, presence):
    one, two = object(), object()
    presence.arrive(house.workspace, AGENT, one)
    presence.arrive(house.workspace, AGENT, two)
    presence.arrive(house.workspace, ANN, one)
    first, second = presence.list(house.workspace)
    assert (first.actor, second.actor, first.path, first.did) == (AGENT, ANN, "", "")
    assert first.since == first.at < second.since
    presence.leave(house.workspace, AGENT.session, one)
    presence.leave(house.workspace, "session_unknown", one)
    assert len(presence.list(house.workspace)) == 2
    presence.leave(house.workspace, AGENT.session, two)
    assert [each.actor for each in presence.list(house.workspace)] == [ANN]


def test_what_a_session_does_is_its_own(house, presence):
    house.write("a.py", "x\n")
    owner = object()
    for who in (AGENT, TWIN, ANN):
        presence.arrive(house.workspace, who, owner)
    buffers = house.workspace.buffers
    buffers.put(ANN, "a.py", "v1", 1)
    buffers.unfold(TWIN, ["src"], [])
    house.edit({"type": "create", "path": "b.py", "content": "y\n"})
    agent, twin, ann = presence.list(house.workspace)
    assert (agent.path, agent.did) == ("b.py", "edit")
    assert (ann.path, ann.did) == ("a.py", "opened")
    assert (twin.path, twin.did, twin.at) == ("", "", twin.since)
    assert agent.at > ann.at > agent.since
    buffers.close(ANN, "a.py")
    assert presence.list(house.workspace)[2].did == "closed"
    buffers.put(TWIN, "b.py", "v1", 1, saved=True)
    assert presence.list(house.workspace)[1] == Present(TWIN, twin.since, house.time, "b.py", "saved")


def test_what_happens_is_gathered_and_told_once(house, presence):
    owner = object()
    house.write("a.py", "x\n")
    presence.arrive(house.workspace, AGENT, owner)
    presence.arrive(house.workspace, ANN, owner)
    for _ in range(3):
        house.workspace.buffers.put(ANN, "a.py", "v1", 1)
    wait_for(lambda: told(house))
    (row,) = told(house)
    assert (row["actors"], row["total"]) == (["tester", "ann"], 2)
    house.workspace.buffers.put(ANN, "a.py", "v2", 1, saved=True)
    presence.arrive(house.workspace, TWIN, owner)
    presence.leave(house.workspace, TWIN.session, owner)
    threading.Event().wait(0.2)
    assert len(told(house)) == 1, "all are where they were"
    presence.leave(house.workspace, ANN.session, owner)
    wait_for(lambda: len(told(house)) == 2)
    assert told(house)[1]["actors"] == ["tester"]
    assert PresenceChanged(("tester",), 1).to_json() == {"type": "presence_changed", "actors": ("tester",), "total": 1}


def test_of_many_twenty_are_named(house, presence):
    owner = object()
    for number in range(25):
        presence.arrive(house.workspace, Actor("agent", f"a{number}", f"session_{number}"), owner)
    wait_for(lambda: told(house))
    assert (len(told(house)[0]["actors"]), told(house)[0]["total"]) == (20, 25)


def test_a_closed_folder_has_nobody_and_is_told_nothing(house, presence):
    owner = object()
    presence.arrive(house.workspace, AGENT, owner)
    presence.forget(house.workspace)
    presence.forget(house.workspace)
    presence.leave(house.workspace, AGENT.session, owner)
    assert presence.list(house.workspace) == ()
    house.edit({"type": "create", "path": "b.py", "content": "y\n"})
    threading.Event().wait(0.15)
    assert told(house) == []


def test_what_can_not_be_told_is_no_fault(house, presence, caplog):
    caplog.set_level("INFO")
    workspace = house.workspace
    presence.arrive(workspace, AGENT, object())
    house.close()
    wait_for(lambda: "can't be told" in caplog.text)
    assert [each.actor for each in presence.list(workspace)] == [AGENT]
