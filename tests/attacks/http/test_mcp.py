"""W05 over MCP, in both eras: a client uses another's session, or ids of another workspace, and gets nothing of it."""

from __future__ import annotations

import json

import pytest
from tests.interfaces.http.conftest import Web

BOTH = {"accept": "application/json, text/event-stream", "content_type": "application/json"}
ERAS = ("2025-11-25", "2026-07-28")
SECRET = "the first client's secret"


class Client:
    """One token's client, of either era, at the workspace that its address names."""

    def __init__(self, web: Web, token: str, era: str, path: str = "/mcp") -> None:
        self.web, self.era, self.path, self.number = web, era, path, 0
        self.named = {**BOTH, "authorization": f"Bearer {token}"}
        if era == ERAS[0]:
            info = {"protocolVersion": era, "capabilities": {}, "clientInfo": {"name": "attacker", "version": "1"}}
            self.named["mcp_session_id"] = self.post("initialize", **info).headers["mcp-session-id"]
            self.named["mcp_protocol_version"] = era

    def post(self, method, **params):
        self.number += 1
        named = dict(self.named)
        if self.era == ERAS[1]:
            params["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": self.era,
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": {"name": "first@http", "version": "1"},
            }
            named |= {"mcp_protocol_version": self.era, "mcp_method": method}
            if name := params.get("name") or params.get("uri"):
                named["mcp_name"] = name
        body = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        return self.web.ask("POST", self.path, json.dumps(body).encode(), **named)

    def call(self, tool, action, **arguments):
        """The envelope."""
        answer = self.post("tools/call", name=f"workspace_{tool}", arguments={"action": action, **arguments})
        return answer.json["result"]["structuredContent"]


@pytest.fixture
def second(web, tmp_path):
    """Another workspace on the same server, and a token for it alone."""
    folder = tmp_path / "second"
    folder.mkdir()
    (folder / "own.txt").write_text("own\n")
    token = web.make_token("second", folder)
    return folder, token


def staged(web, client):
    """What the first client has in its workspace: a commit, a plan, a note, and an approval that waits."""
    person = web.room.person(web.room.folder)
    person.get("mode", mode="auto")
    create = {"type": "create", "path": "secret.txt", "content": SECRET}
    committed = client.call("edit", "apply", operations=[create])["data"]["transactionId"]
    client.call("notes", "write", name="secret", content=SECRET)
    person.get("mode", mode="plan")
    plan = client.call("plan", "propose", title=SECRET, objective=SECRET, steps=["one"])["data"]["planId"]
    person.get("mode", mode="manual")
    rewrite = {"type": "create", "path": "waits.txt", "content": SECRET}
    approval = client.call("edit", "apply", operations=[rewrite])["data"]["approval"]
    return committed, plan, approval


@pytest.mark.parametrize("era", ERAS)
def test_w05_ids_of_another_workspace_lead_nowhere(web, second, era):
    folder, token = second
    first, attacker = Client(web, web.token, era), Client(web, token, era)
    committed, plan, approval = staged(web, first)
    web.room.person(folder).get("mode", mode="plan")
    planned = approval["resume"]["arguments"].get("transaction_id", committed)
    for transaction in (committed, planned):
        for action, more in (("show", {}), ("rollback", {"force": True}), ("commit", {})):
            told = attacker.call("edit", action, transaction_id=transaction, **more)
            assert told["error"]["code"] == "NOT_FOUND", (action, told)
    for action in ("show", "complete"):
        assert attacker.call("plan", action, plan_id=plan)["error"]["code"] == "NOT_FOUND"
    resumed = attacker.post("tools/call", name=approval["resume"]["tool"], arguments=approval["resume"]["arguments"])
    assert resumed.json["result"]["structuredContent"]["ok"] is False
    assert attacker.call("notes", "read", name="secret")["error"]["code"] == "NOT_FOUND"
    for path in (f".agentic/transactions/{committed}/changes.diff", "secret.txt", ".agentic/notes/secret.md"):
        assert attacker.call("inspect", "read", path=path)["error"]["code"] == "NOT_FOUND"
        whole = str(web.room.folder / path)
        assert attacker.call("inspect", "read", path=whole)["error"]["code"] == "PATH_OUTSIDE_WORKSPACE"
    seen = [attacker.call("inspect", action) for action in ("changes", "list")] + [attacker.call("edit", "list")]
    assert SECRET not in json.dumps(seen)
    assert committed not in json.dumps(seen)
    assert (web.room.folder / "secret.txt").read_text() == SECRET
    assert not (web.room.folder / "waits.txt").exists()


@pytest.mark.parametrize("era", ERAS)
def test_w05_resources_of_another_workspace_lead_nowhere(web, second, era):
    _, token = second
    first, attacker = Client(web, web.token, era), Client(web, token, era)
    committed, *_ = staged(web, first)
    listed = first.post("resources/list").json["result"]["resources"]
    assert "workroom://history/1" in {one["uri"] for one in listed}
    assert SECRET in json.dumps(first.post("resources/read", uri="workroom://history/1").json)
    uris = [one["uri"] for one in listed] + [f"workroom://artifacts/../transactions/{committed}/changes.diff"]
    told = [attacker.post("resources/read", uri=uri).json for uri in uris] + [attacker.post("resources/list").json]
    assert SECRET not in json.dumps(told)
    assert "error" in told[[one["uri"] for one in listed].index("workroom://history/1")]


@pytest.mark.parametrize("era", ERAS)
def test_w05_an_address_of_another_workspace_is_not_entered(web, second, era):
    _, token = second
    for named in (web.workspace, "ws", f"{web.workspace}%2F", "%2e%2e"):
        attacker = Client(web, token, ERAS[1], f"/mcp/{named}")
        if era == ERAS[0]:
            attacker.era, attacker.named = era, {**BOTH, "authorization": f"Bearer {token}"}
        answer = attacker.post("tools/list")
        assert answer.status in {400, 404}
        assert "tools" not in json.dumps(answer.json.get("result", {}))
    answer = web.ask("GET", f"/api/v1/workspaces/{web.workspace}/tools", authorization=f"Bearer {token}")
    assert answer.status == 404


def test_w05_another_clients_session_is_not_there(web, second):
    """With its id in hand: nothing is asked, heard, resumed, answered, cancelled or ended in it."""
    _, token = second
    sharing = web.make_token("sharing")
    first = Client(web, web.token, ERAS[0])
    committed, *_ = staged(web, first)
    session = first.named["mcp_session_id"]
    for thief in (token, sharing):
        named = {**first.named, "authorization": f"Bearer {thief}"}
        for body in (
            {"jsonrpc": "2.0", "id": 9, "method": "tools/list", "params": {}},
            {"jsonrpc": "2.0", "id": 9, "method": "initialize", "params": {"protocolVersion": ERAS[0]}},
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}},
            {"jsonrpc": "2.0", "id": "workroom-1", "result": {"action": "accept"}},
        ):
            answer = web.ask("POST", "/mcp", json.dumps(body).encode(), **named)
            assert answer.status == 404, body
            assert "no such session" in answer.json["error"]["message"]
        del named["content_type"]
        assert web.ask("GET", "/mcp", **named).status == 404
        assert web.ask("GET", "/mcp", last_event_id="0-0", **named).status == 404
        assert web.ask("DELETE", "/mcp", **named).status == 404
    unknown = web.ask("DELETE", "/mcp", **{**named, "mcp_session_id": "0" * len(session)})
    ours = web.ask("DELETE", "/mcp", **{**named, "mcp_session_id": session})
    assert (unknown.status, unknown.body) == (ours.status, ours.body), "whether it is there isn't told either"
    shown = first.call("edit", "show", transaction_id=committed)
    assert shown["ok"] is True, "the session is as it was"


@pytest.mark.parametrize("era", ERAS)
def test_w05_an_approval_is_its_own_tokens(web, era):
    """Two tokens in one workspace: what the person accepted for one is not the other's, whatever it calls itself."""
    person = web.room.person(web.room.folder)
    person.get("mode", mode="manual")
    named_first = web.make_token("first")
    first, attacker = Client(web, named_first, era), Client(web, web.token, era)
    operations = [{"type": "create", "path": "a.txt", "content": "a"}]
    approval = first.call("edit", "apply", operations=operations)["data"]["approval"]
    person.get("accept", words=f"{approval['id']}")
    told = attacker.call("edit", "apply", operations=operations)
    assert told.get("data", {}).get("approval", {}).get("id") != approval["id"]
    assert told.get("data", {}).get("committed") is not True
    collected = first.call("edit", "apply", operations=operations)
    assert collected["data"]["committed"] is True


def test_w05_a_local_client_cannot_take_a_tokens_name(web):
    """A client of the socket may call itself anything but what stands for a token."""
    person = web.room.person(web.room.folder)
    person.get("mode", mode="manual")
    first = Client(web, web.make_token("first"), ERAS[0])
    operations = [{"type": "create", "path": "a.txt", "content": "a"}]
    approval = first.call("edit", "apply", operations=operations)["data"]["approval"]
    person.get("accept", words=approval["id"])
    local = web.room.shim()
    info = {"name": "first@http", "version": "1"}
    local.request("initialize", protocolVersion=ERAS[0], capabilities={}, clientInfo=info)
    told = local.call("workspace_edit", action="apply", operations=operations)["structuredContent"]
    assert told.get("data", {}).get("committed") is not True
    assert first.call("edit", "apply", operations=operations)["data"]["committed"] is True
