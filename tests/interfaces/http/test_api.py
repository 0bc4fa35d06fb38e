"""The JSON API end to end: a token, the workspaces it is bound to, their tools, by the one road."""

from __future__ import annotations

import base64
import json

from tests.pictures import png


def test_the_workspaces_of_a_token(visitor):
    answer = visitor.get("/workspaces")
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.json["workspaces"] == [{"id": visitor.workspace, "name": "ws", "there": True}]
    assert str(visitor.room.folder) not in answer.body.decode()


def test_the_tools_of_a_workspace_follow_its_mode(visitor):
    path = f"/workspaces/{visitor.workspace}/tools"
    tools = visitor.get(path).json
    assert tools["mode"] == "plan"
    assert [one["name"] for one in tools["tools"]][-1] == "workspace_plan"
    (read,) = (one for one in tools["tools"][0]["actions"] if one["name"] == "read")
    assert "path" in read["arguments"]["properties"]
    visitor.room.person(visitor.room.folder).get("mode", mode="auto")
    assert "workspace_plan" not in str(visitor.get(path).json)


def test_a_call_answers_the_envelope(visitor):
    (visitor.room.folder / "a.txt").write_text("hello\n")
    answer = visitor.call("inspect", "read", path="a.txt")
    assert answer.status == 200
    assert answer.json["ok"] is True
    assert answer.json["data"]["text"] == "1 | hello"


def test_a_picture_is_carried_beside_what_is_told_of_it(visitor):
    data = png(6, 4)
    (visitor.room.folder / "a.png").write_bytes(data)
    answer = visitor.call("inspect", "read", path="a.png").json
    assert (answer["data"]["width"], answer["data"]["height"]) == (6, 4)
    (picture,) = answer["pictures"]
    assert picture == {"path": "a.png", "mimeType": "image/png", "base64": base64.b64encode(data).decode()}
    assert "pictures" not in visitor.call("inspect", "stat", path="a.png").json


def test_an_edit_is_made_by_the_client_of_the_token(visitor):
    person = visitor.room.person(visitor.room.folder)
    person.get("mode", mode="auto")
    answer = visitor.call("edit", "apply", operations=[{"type": "create", "path": "n.txt", "content": "new\n"}])
    assert (answer.status, answer.json["data"]["status"]) == (200, "applied")
    assert (visitor.room.folder / "n.txt").read_text() == "new\n"
    (entry,) = person.get("log")["entries"]
    assert entry["actor"]["kind"] == "agent"
    assert entry["actor"]["name"].endswith("@http")


def test_a_call_that_waits_is_accepted_and_collected(visitor):
    person = visitor.room.person(visitor.room.folder)
    person.get("mode", mode="manual")
    operations = [{"type": "create", "path": "n.txt", "content": "new\n"}]
    answer = visitor.call("edit", "apply", operations=operations)
    assert (answer.status, answer.json["data"]["status"]) == (202, "pending_approval")
    resume = answer.json["data"]["approval"]["resume"]["arguments"]
    assert not (visitor.room.folder / "n.txt").exists()
    person.get("accept", words=answer.json["data"]["approval"]["id"])
    assert (visitor.room.folder / "n.txt").exists()
    action = resume.pop("action")
    collected = visitor.call("edit", action, **resume)
    assert (collected.status, collected.json["data"]["status"]) == (200, "applied")


def test_errors_have_their_status_and_the_same_form(visitor):
    for answer, status, code in (
        (visitor.call("inspect", "read", path="missing"), 404, "NOT_FOUND"),
        (visitor.call("inspect", "read", path="../x"), 403, "PATH_OUTSIDE_WORKSPACE"),
        (visitor.call("inspect", "read", paht="x"), 400, "INVALID_INPUT"),
        (visitor.call("inspect", "raed", path="x"), 400, "INVALID_INPUT"),
        (visitor.call("expect", "read", path="x"), 404, "NOT_FOUND"),
        (visitor.call("inspect", "read", action="list"), 400, "INVALID_INPUT"),
        (visitor.call("edit", "apply", operations=[{"type": "mkdir", "path": "d"}]), 403, "APPROVAL_REQUIRED"),
        (visitor.get("/workspaces/other/tools"), 404, "NOT_FOUND"),
        (visitor.get("/nothing"), 404, "NOT_FOUND"),
        (visitor.ask("DELETE", "/api/v1/workspaces"), 405, "INVALID_INPUT"),
    ):
        assert (answer.status, answer.code) == (status, code)
        assert answer.json["ok"] is False
        assert answer.json["protocol"] == "agentic-workspace/v1"


def test_a_body_is_one_json_object(visitor):
    path = f"/api/v1/workspaces/{visitor.workspace}/tools/workspace_inspect/list"
    for body, said in (
        (b"[]", "The body is a JSON object"),
        (b"{} {}", "Extra data, line 1, column 4"),
        (b'{"path": ".", "path": "x"}', '"path" twice in one object, line 1, column 15'),
        (b" ", "The body is empty"),
    ):
        answer = visitor.ask("POST", path, body)
        assert (answer.status, answer.code) == (400, "INVALID_INPUT")
        assert said in answer.json["summary"]
    nothing = visitor.ask("POST", path)
    assert (nothing.status, nothing.code) == (400, "INVALID_INPUT")


def test_a_large_body_is_taken_as_well(visitor):
    visitor.room.person(visitor.room.folder).get("mode", mode="auto")
    content = "0123456789abcde\n" * 200_000
    answer = visitor.call("edit", "apply", operations=[{"type": "create", "path": "n.txt", "content": content}])
    assert answer.json["data"]["status"] == "applied"
    assert (visitor.room.folder / "n.txt").read_text() == content


def test_only_a_token_that_counts_is_let_in(visitor, tmp_path):
    for shown in (None, "", "Bearer", "Bearer x", f"Basic {visitor.token}", f"Bearer {visitor.token[:-1]}"):
        answer = visitor.get("/workspaces", authorization=shown)
        assert (answer.status, answer.code) == (401, "INVALID_INPUT")
        assert answer.headers["www-authenticate"].startswith("bearer")
    other = tmp_path / "other"
    other.mkdir()
    token = visitor.make_token("elsewhere", other)
    assert visitor.get(f"/workspaces/{visitor.workspace}/tools", authorization=f"Bearer {token}").status == 404
    visitor.room.person().get("clients.revoke", name="elsewhere")
    assert visitor.get("/workspaces", authorization=f"Bearer {token}").status == 401


def test_requests_follow_each_other_on_one_connection(visitor):
    raw = visitor.connect()
    raw.send(visitor.request("GET", "/api/v1/workspaces") * 3)
    for _ in range(3):
        assert raw.answer().status == 200
    body = json.dumps({"path": "missing"}).encode()
    raw.send(visitor.request("POST", f"/api/v1/workspaces/{visitor.workspace}/tools/workspace_inspect/stat", body))
    assert raw.answer().status == 404
    raw.send(visitor.request("GET", "/api/v1/workspaces"))
    assert raw.answer().status == 200


def test_a_flat_tool_is_called_by_its_name_alone(visitor):
    token = visitor.make_token("editors", profile="editor")

    def post(below, **arguments):
        path = f"/api/v1/workspaces/{visitor.workspace}/tools/{below}"
        return visitor.ask("POST", path, json.dumps(arguments).encode(), authorization=f"Bearer {token}")

    answer = post("editor_diff", before="a\n", after="b\n")
    assert (answer.status, answer.json["added"], answer.json["identical"]) == (200, 1, False)
    answer = post("editor_diff", before="a\n")
    assert (answer.status, answer.code, list(answer.json)) == (400, "INVALID_INPUT", ["error"])
    assert answer.json["error"]["next_step"]
    answer = post("editor_nothing")
    assert (answer.status, answer.code, list(answer.json)) == (404, "NOT_FOUND", ["error"])
    assert post("editor_diff/editor_diff", before="", after="").status == 404
    path = f"/api/v1/workspaces/{visitor.workspace}/tools/workspace_inspect"
    answer = visitor.ask("POST", path, b'{"action": "capabilities"}')
    assert answer.status == 404
    assert "/tools/workspace_inspect/{action}" in answer.json["summary"]
    tools = visitor.get(f"/workspaces/{visitor.workspace}/tools", authorization=f"Bearer {token}").json["tools"]
    (diff,) = (tool for tool in tools if tool["name"] == "editor_diff")
    assert "truncated" in diff["answer"]["properties"]
    assert "workspace_plan" in [tool["name"] for tool in tools]
