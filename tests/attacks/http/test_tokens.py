"""What the server's audit log tells of tokens, and never of a token itself."""

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


def test_a_token_in_an_address_is_not_kept(visitor):
    """Who puts a token into the path by mistake is told 401, and the audit log tells of it without the token."""
    person = visitor.room.person()
    token = visitor.make_token("misplaced")
    assert visitor.ask("GET", f"/mcp/{token}", authorization=None).status == 401
    tried = set()
    while "GET /mcp/wrt_…" not in tried:  # it is told on a thread of its own
        lines = log(person, server=True)
        tried = {line["what"]["tried"] for line in lines if line["kind"] == "turned_away"}
    assert token not in json.dumps(lines)


def test_a_door_that_stayed_shut_is_told(visitor):
    person = visitor.room.person()
    shown = link.hello("person", None, key="0" * 64, environ={})
    with pytest.raises(WorkroomError):
        link.join(visitor.room.place, shown, start=False)
    visitor.get("/workspaces", authorization="Bearer nonsense")
    tried = set()
    while not tried >= {"speak as the person", "GET /api/v1/workspaces"}:  # each is told on a thread of its own
        tried = {line["what"]["tried"] for line in log(person, server=True) if line["kind"] == "turned_away"}
