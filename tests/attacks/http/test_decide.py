"""A01: an agent's token decides an approval. It doesn't, whatever it tries, and the audit log tells of it."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def person(visitor):
    return visitor.room.person(visitor.room.folder)


@pytest.fixture
def waiting(visitor, person):
    """A workspace where an edit of the client's own waits; the approval's id."""
    person.get("mode", mode="manual")
    answer = visitor.call("edit", "apply", operations=[{"type": "create", "path": "x.txt", "content": "x"}])
    return answer.json["data"]["approval"]["id"]


def lines(person):
    return person.get("audit.export")["lines"]


@pytest.mark.parametrize("decision", ["accept", "deny"])
def test_a01_a_token_decides_nothing_and_the_audit_log_tells_of_it(visitor, person, waiting, decision):
    path = f"/api/v1/workspaces/{visitor.workspace}/approvals/{waiting}/{decision}"
    for body in (b"", b"{}", b'{"words": "fine by me"}', b'{"role": "person"}'):
        answer = visitor.ask("POST", path, body)
        assert (answer.status, answer.code) == (403, "PROTECTED_PATH")
        assert "only the person" in answer.json["summary"]
    (row,) = person.get("pending")["pending"]
    assert row["id"] == waiting
    assert not (visitor.room.folder / "x.txt").exists()
    told = [line for line in lines(person) if line["kind"] == "refused"]
    assert len(told) == 4
    assert {line["who"]["name"] for line in told} == {visitor.actor}
    assert {line["what"]["operation"] for line in told} == {"approvals.decide"}
    assert person.get("audit.verify")["good"]


def test_a01_no_other_way_decides_either(visitor, person, waiting):
    below = f"/api/v1/workspaces/{visitor.workspace}"
    person_key = (visitor.room.state / "person.key").read_text()
    for method, path, body in (
        ("POST", f"{below}/tools/workspace_approvals/accept", {"id": waiting}),
        ("POST", f"{below}/tools/accept/accept", {"words": waiting}),
        ("POST", f"{below}/tools/workspace_edit/accept", {"id": waiting}),
        ("POST", f"{below}/tools/workspace_edit/commit", {"approved": True, "transaction_id": "tx_1"}),
        ("PUT", f"{below}/mode", {"mode": "auto"}),
        ("POST", f"{below}/mode", {"mode": "auto"}),
        ("POST", f"{below}/settings", {"mode": "auto"}),
        ("POST", "/api/v1/person/accept", {"words": waiting, "key": person_key}),
        ("POST", "/api/v1/clients", {"name": "me"}),
    ):
        answer = visitor.ask(method, path, json.dumps(body).encode())
        assert answer.status in {400, 403, 404, 405}, (path, answer)
    for shown in (f"Bearer {person_key}", f"Person {person_key}", f"Basic {person_key}"):
        assert visitor.ask("POST", f"{below}/approvals/{waiting}/accept", authorization=shown).status == 401
    assert [row["id"] for row in person.get("pending")["pending"]] == [waiting]
    assert person.get("mode")["mode"] == "manual"
    assert not (visitor.room.folder / "x.txt").exists()


def test_a01_the_person_decides_all_the_same(visitor, person, waiting):
    person.get("accept", words=waiting)
    assert (visitor.room.folder / "x.txt").read_text() == "x"
