"""What a token can't do, and what the audit logs tell of it."""

from __future__ import annotations

import json

import pytest

from workroom.base.errors import WorkroomError
from workroom.interfaces import link


def log(person, **more):
    lines = person.get("audit.export", **more)["lines"]
    while more_lines := person.get("audit.export", since=lines[-1]["number"] + 1, **more)["lines"]:
        lines += more_lines
    return lines


@pytest.mark.parametrize("decision", ["accept", "deny"])
def test_a01_the_agents_token_decides_nothing_and_is_told_to_the_audit_log(visitor, decision):
    person = visitor.room.person(visitor.room.folder)
    person.get("mode", mode="manual")
    edit = [{"type": "create", "path": "a.txt", "content": "a\n"}]
    waiting = visitor.call("edit", "apply", operations=edit).json["data"]["approval"]["id"]
    path = f"/api/v1/workspaces/{visitor.workspace}/approvals/{waiting}/{decision}"
    answer = visitor.ask("POST", path, b"{}")
    assert (answer.status, answer.code) == (403, "PROTECTED_PATH")
    assert [row["id"] for row in person.get("pending")["pending"]] == [waiting]
    assert not (visitor.room.folder / "a.txt").exists()
    told = [line for line in log(person) if line["kind"] == "refused"][-1]
    assert told["who"]["name"].endswith("@http")
    assert told["what"].items() >= {"operation": "approvals.decide", "code": "PROTECTED_PATH"}.items()
    assert person.get("audit.verify")["good"]
    person.get("deny", words=waiting)
    person.get("mode", mode="auto")


def test_a_token_is_told_when_it_is_made_refused_and_revoked_and_never_itself(visitor):
    person = visitor.room.person()
    token = visitor.make_token("short-lived")
    person.get("clients.revoke", name="short-lived")
    assert visitor.get("/workspaces", authorization=f"Bearer {token}").status == 401
    assert visitor.get("/workspaces").status == 200  # a call behind the line that is told beside the answer
    lines = log(person, server=True)
    mine = [line["what"] for line in lines if line["kind"] == "token" and line["what"]["name"] == "short-lived"]
    assert [what["action"] for what in mine] == ["made", "revoked"]
    assert token not in json.dumps(lines)
    assert person.get("audit.verify", server=True)["good"]


def test_a_door_that_stayed_shut_is_told(visitor):
    person = visitor.room.person()
    shown = link.hello("person", None, key="0" * 64, environ={})
    with pytest.raises(WorkroomError):
        link.join(visitor.room.place, shown, start=False)
    visitor.get("/workspaces", authorization="Bearer nonsense")
    tried = set()
    while not tried >= {"speak as the person", "GET /api/v1/workspaces"}:  # each is told on a thread of its own
        tried = {line["what"]["tried"] for line in log(person, server=True) if line["kind"] == "turned_away"}
