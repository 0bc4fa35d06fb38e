"""Each client's own active root, whatever way it comes: over stdio, MCP over HTTP, the JSON API, and a page."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from tests.interfaces.conftest import Room
from tests.interfaces.http.conftest import *  # noqa: F403 - its fixtures are this module's, too
from tests.interfaces.http.conftest import Answer, Web
from tests.page.conftest import Page

SECOND = "second"


@pytest.fixture
def second(room: Room) -> Path:
    """Another folder that the person has opened; in each stands a file that tells which it is."""
    folder = room.folder.with_name(SECOND)
    folder.mkdir()
    for each in (room.folder, folder):
        (each / "which.txt").write_text(each.name)
    room.person(room.folder).get("mode", mode="auto")
    room.person(folder).get("mode", mode="auto")
    return folder


def fields(answer) -> dict:
    return answer["structuredContent"]


def which(client) -> str:
    return fields(client.call("editor_open", path="which.txt"))["content"]


# stdio


def test_two_clients_work_on_two_roots_at_once(room, second):
    first, other = (room.agent("--profile", "editor", str(room.folder)) for _ in range(2))
    assert fields(other.call("editor_workspace_open", root=str(second))) == {
        "root": str(second), "buffers": [], "expanded": [],
    }  # fmt: skip
    assert (which(first), which(other)) == ("ws", SECOND)
    made = fields(other.call("editor_create", path="new.txt", content="x\n"))
    assert made["created"] is True
    assert (second / "new.txt").exists()
    assert not (room.folder / "new.txt").exists()
    assert fields(first.call("editor_workspace_get"))["root"] == str(room.folder)
    assert [row["path"] for row in fields(other.call("editor_workspace_get"))["buffers"]] == ["which.txt"]
    assert fields(other.call("editor_workspace_open", root="."))["root"] == str(room.folder)
    assert which(other) == "ws"


def test_a_folder_that_the_person_never_opened_is_refused(room, second):
    never = second.with_name("never")
    never.mkdir()
    client = room.agent("--profile", "editor", str(room.folder))
    answer = client.call("editor_workspace_open", root=str(never))
    error = fields(answer)["error"]
    assert answer["isError"] is True
    assert error["code"] == "PATH_OUTSIDE_WORKSPACE"
    assert error["next_step"].startswith(f"Open now: {second}, {room.folder}.")
    assert which(client) == "ws"
    assert sorted(room.person().get("status")["known"]) == sorted([str(second), str(room.folder)])


def test_a_client_is_told_what_is_another_where_it_goes(room, second):
    room.person(room.folder).get("mode", mode="plan")
    client = room.agent("--profile", "editor", str(room.folder))
    assert "workspace_plan" in str(client.request("tools/list"))
    client.request("resources/subscribe", uri="workroom://changes")
    client.send(id="go", method="tools/call",
                params={"name": "editor_workspace_open", "arguments": {"root": str(second)}})  # fmt: skip
    told = [client.receive() for _ in range(3)]
    assert {one.get("method") for one in told} >= {"notifications/tools/list_changed"}
    assert "workspace_plan" not in str(client.request("tools/list"))
    room.person(second).get("tool", name="editor_create", arguments={"path": "b.txt"})
    while client.receive().get("method") != "notifications/resources/updated":
        pass


def test_whose_folder_is_closed_is_told_so_and_nothing_goes_elsewhere(room, second):
    client = room.agent("--profile", "editor", str(room.folder))
    client.call("editor_workspace_open", root=str(second))
    room.person().get("close", path=str(second))
    error = fields(client.call("editor_create", path="lost.txt", content="x"))["error"]
    assert (error["code"], str(second) in error["message"]) == ("TRANSACTION_STATE", True)
    assert not (room.folder / "lost.txt").exists()
    assert fields(client.call("editor_workspace_open", root="."))["root"] == str(room.folder)
    assert which(client) == "ws"


def test_a_client_goes_on_where_it_worked_when_the_server_is_replaced(room, second):
    client = room.agent("--profile", "editor", str(room.folder))
    client.call("editor_workspace_open", root=str(second))
    pid = room.pid()
    os.kill(pid, signal.SIGTERM)
    room.wait_for_end(pid)
    assert which(client) == SECOND
    assert fields(client.call("editor_workspace_get"))["root"] == str(second)
    assert room.pid() != pid


# The person's own programs.


def test_the_persons_connection_goes_wherever_they_have_been(room, second):
    person = room.person(room.folder)
    room.person().get("close", path=str(second))
    assert person.get("tool", name="editor_workspace_open", arguments={"root": str(second)})["root"] == str(second)
    assert person.get("tool", name="editor_open", arguments={"path": "which.txt"})["content"] == SECOND
    assert person.get("log")["entries"] == []
    room.person().get("close", path=str(second))
    assert person.ask("log")["error"]["code"] == "TRANSACTION_STATE"
    assert person.ask("tool", name="editor_open", arguments={"path": "which.txt"})["error"]["code"] == (
        "TRANSACTION_STATE"
    )
    assert person.get("tool", name="editor_workspace_open", arguments={"root": "."})["root"] == str(room.folder)


# HTTP


@pytest.fixture
def bound(room: Room, second: Path, web: Web) -> tuple[str, str, str]:
    """A token of two workspaces, and their ids."""
    made = room.person().get(
        "clients.create", name="both", folders=[str(room.folder), str(second)], profile="editor"
    )  # fmt: skip
    ids = [row["id"] for row in made["client"]["workspaces"]]
    return made["token"], ids[0], ids[1]


def api(web: Web, token: str, workspace: str, tool: str, /, **arguments) -> Answer:
    path = f"/api/v1/workspaces/{workspace}/tools/editor_{tool}"
    return web.ask("POST", path, json.dumps(arguments).encode(), authorization=f"Bearer {token}")


def test_a_token_is_active_in_one_of_its_workspaces(room, web, bound, second):
    token, first, other = bound
    never = api(web, token, "active", "workspace_get")
    assert (never.status, never.code) == (400, "INVALID_INPUT")
    assert first in never.body.decode()
    assert api(web, token, first, "workspace_open", root=other).json == {"root": other, "buffers": [], "expanded": []}
    assert api(web, token, "active", "open", path="which.txt").json["content"] == SECOND
    assert api(web, token, first, "open", path="which.txt").json["content"] == "ws", "an address is what it says"
    assert api(web, token, "active", "tree").json["path"] == other
    assert api(web, token, first, "workspace_open", root=".").json["root"] == first
    assert api(web, token, "active", "open", path="which.txt").json["content"] == "ws"
    tools = web.get("/workspaces/active/tools", authorization=f"Bearer {token}")
    assert (tools.status, tools.json["mode"]) == (200, "auto")
    single = web.get("/workspaces/active/tools")
    assert (single.status, single.json["mode"]) == (200, "auto")


def test_a_token_learns_nothing_of_other_folders(room, web, bound, second):
    token, first, _ = bound
    third = second.with_name("third")
    third.mkdir()
    room.person(third)
    stranger = room.person().get("clients.create", name="third", folders=[str(third)])["client"]["workspaces"][0]["id"]
    said = []
    for root in (str(third), stranger, "third", str(second), "/etc", "no such"):
        answer = api(web, token, first, "workspace_open", root=root)
        assert (answer.status, answer.code) == (403, "PATH_OUTSIDE_WORKSPACE")
        said.append(answer.body.decode().replace(json.dumps(root)[1:-1], "…"))
    assert len(set(said)) == 1
    everything = "".join(
        api(web, token, first, tool, **arguments).body.decode()
        for tool, arguments in {
            "workspace_get": {}, "tree": {}, "find": {"query": ""}, "buffers_list": {}, "changes": {},
            "create": {"path": "new.txt"}, "move": {"from": "new.txt", "to": "old.txt"},
        }.items()
    )  # fmt: skip
    assert "old.txt" in everything
    assert str(room.folder.parent) not in everything


def test_a_token_whose_folder_is_closed_is_nowhere(room, web, bound, second):
    token, first, other = bound
    api(web, token, first, "workspace_open", root=other)
    room.person().get("close", path=str(second))
    lost = api(web, token, "active", "create", path="lost.txt")
    assert (lost.status, lost.code) == (409, "TRANSACTION_STATE")
    assert str(second) not in lost.body.decode()
    assert not (room.folder / "lost.txt").exists()
    assert web.get("/workspaces/active/tools", authorization=f"Bearer {token}").code == "TRANSACTION_STATE"
    assert api(web, token, "active", "workspace_open", root=other).json["root"] == other
    assert api(web, token, "active", "open", path="which.txt").json["content"] == SECOND


class Mcp:
    """A client of MCP over HTTP, by raw requests: with a session, or (`modern`) without."""

    def __init__(self, web: Web, token: str, workspace: str, *, modern: bool = False) -> None:
        self.web, self.token, self.path, self.modern = web, token, f"/mcp/{workspace}", modern
        self.session = ""
        if not modern:
            info = {"name": "raw", "version": "1"}
            hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
            self.session = self.ask("initialize", **hello).headers["mcp-session-id"]

    def ask(self, method: str, **params) -> Answer:
        headers = {"accept": "application/json, text/event-stream", "authorization": f"Bearer {self.token}"}
        if self.session:
            headers |= {"mcp_session_id": self.session, "mcp_protocol_version": "2025-11-25"}
        if self.modern:
            params["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            }
            headers |= {"mcp_protocol_version": "2026-07-28", "mcp_method": method, "mcp_name": params["name"]}
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return self.web.ask("POST", self.path, json.dumps(body).encode(), **headers)

    def call(self, tool: str, /, **arguments):
        answer = self.ask("tools/call", name=f"editor_{tool}", arguments=arguments)
        return answer.json["result"]["structuredContent"]

    def which(self) -> str:
        return self.call("open", path="which.txt")["content"]


@pytest.mark.parametrize("modern", [False, True])
def test_clients_over_http_have_a_root_each(room, web, bound, modern):
    token, first, other = bound
    here, there = Mcp(web, token, first, modern=modern), Mcp(web, token, other, modern=modern)
    assert here.call("workspace_open", root=other) == {"root": other, "buffers": [], "expanded": []}
    assert (here.which(), there.which()) == (SECOND, SECOND)
    assert there.call("workspace_open", root=first)["root"] == first
    assert (here.which(), there.which()) == (SECOND, "ws")
    assert here.call("workspace_open", root=str(room.folder))["error"]["code"] == "PATH_OUTSIDE_WORKSPACE"
    assert here.call("workspace_open", root=".")["root"] == first
    assert here.which() == "ws"


def test_a_folder_that_was_closed_is_there_again_for_who_comes_for_it(room, web, bound):
    token, first, _ = bound
    alone, session = Mcp(web, token, first, modern=True), Mcp(web, token, first)
    assert (alone.which(), session.which()) == ("ws", "ws")
    assert web.get("/workspaces/active/tools").status == 200
    room.person().get("close", path=str(room.folder))
    assert alone.which() == "ws"
    assert web.get("/workspaces/active/tools").status == 200
    assert session.ask("tools/list").status == 404, "a session begins anew"


def test_two_sessions_of_one_token_have_a_root_each(web, bound):
    token, first, other = bound
    here, there = Mcp(web, token, first), Mcp(web, token, first)
    here.call("workspace_open", root=other)
    assert (here.which(), there.which()) == (SECOND, "ws")


def test_a_session_over_http_goes_on_where_it_worked(room, web, bound):
    token, first, other = bound
    client = Mcp(web, token, first)
    client.call("workspace_open", root=other)
    pid = room.pid()
    os.kill(pid, signal.SIGTERM)
    room.wait_for_end(pid)
    room.person().get("http", port=web.port)
    assert client.which() == SECOND
    assert client.call("workspace_get")["root"] == other


# A page.


@pytest.fixture
def page(web: Web) -> Page:
    made = Page(web)
    assert made.sign_in().status == 200
    return made


def tool(page: Page, tab: str | None, name: str, /, *, at: str | None = None, **arguments) -> Answer:
    body = {"method": "tool", "params": {"name": f"editor_{name}", "arguments": arguments}, "workspace": at}
    headers = {"authorization": f"Bearer {page.key}"} | ({} if tab is None else {"workroom-tab": tab})
    return page.web.ask("POST", "/page/v1/call", json.dumps(body).encode(), **headers)


def test_each_tab_of_a_page_has_a_root_of_its_own(room, page, second):
    one, two = "tab-00000001", "tab-00000002"
    nowhere = tool(page, one, "tree")
    assert (nowhere.status, nowhere.code) == (400, "INVALID_INPUT")
    for tab, folder in ((one, room.folder), (two, second)):
        view = tool(page, tab, "workspace_open", at=str(room.folder), root=str(folder)).json["result"]
        assert view == {"root": str(folder), "buffers": [], "expanded": []}
    contents = [tool(page, tab, "open", path="which.txt").json["result"]["content"] for tab in (one, two)]
    assert contents == ["ws", SECOND]
    named = tool(page, two, "open", at=str(room.folder), path="which.txt").json["result"]
    assert named["content"] == "ws", "a folder that is named is what it says"
    never = tool(page, two, "workspace_open", root=str(second.parent))
    assert (never.status, never.code) == (403, "PATH_OUTSIDE_WORKSPACE")
    for wrong in ("short", "x" * 65, "tab 0000001", "tab/00000001"):
        assert tool(page, wrong, "tree").code == "INVALID_INPUT"


# Who is there.


def test_who_is_there_is_the_persons_to_see_and_agents_know_names(room, page, second):
    at, tab = str(room.folder), "tab-00000001"

    def present() -> list[dict]:
        body = {"method": "presence.list", "workspace": at}
        headers = {"authorization": f"Bearer {page.key}", "workroom-tab": tab}
        found: list[dict] = page.web.ask("POST", "/page/v1/call", json.dumps(body).encode(), **headers).json["result"][
            "present"
        ]
        return found

    [mine] = present()
    assert (mine["mine"], mine["path"], mine["did"]) == (True, "", "")
    person = room.person(room.folder)
    since = person.get("events")["since"]
    agent = room.agent("--profile", "editor", str(room.folder))
    which(agent)
    rows = {row["actor"]["name"]: row for row in present()}
    assert (rows["tester"]["path"], rows["tester"]["did"]) == ("which.txt", "opened")
    assert rows["tester"]["actor"]["kind"] == "agent"
    assert rows["tester"]["mine"] is False
    while (event := person.receive()["event"])["type"] != "presence_changed" or "tester" not in event["actors"]:
        pass
    assert event["number"] > since
    told = fields(agent.call("editor_buffers_list"))
    assert told["others"] == [mine["actor"]["name"]]
    assert "session" not in json.dumps(told)
    agent.call("editor_workspace_open", root=str(second))
    assert [row["actor"]["name"] for row in present()] == [mine["actor"]["name"]] * 2
    assert room.person(second).get("presence.list")["present"][0]["actor"]["name"] == "tester"
    agent.end()
    room.wait_for(lambda: not room.person(second).get("presence.list")["present"])


def test_an_agent_over_http_hears_of_nobody(room, web, bound):
    token, first, _ = bound
    raw = web.connect()
    raw.send(web.request("GET", f"/api/v1/workspaces/{first}/events?since=0", authorization=f"Bearer {token}"))
    raw.until(b"event: ready")
    person = room.person(room.folder)
    person.get("events")
    which(room.agent("--profile", "editor", str(room.folder)))
    while (event := person.receive()["event"])["type"] != "presence_changed" or "tester" not in event["actors"]:
        pass
    api(web, token, first, "create", path="last.txt")
    assert b"presence" not in raw.until(b"last.txt")
