"""MCP over HTTP on the whole server: the official client, tokens and their workspaces, a server that is replaced."""

from __future__ import annotations

import asyncio
import contextlib
import json

import httpx2
import pytest
from mcp import ClientSession
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ElicitResult
from tests.interfaces.e2e import install_inspector, user

SECONDS = 60
BOTH = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


def url_of(web, workspace=None):
    return f"http://{web.host}/mcp" + (f"/{workspace}" if workspace else "")


@contextlib.asynccontextmanager
async def client_of(url, token, hear=None):
    """An official client that has introduced itself."""
    async with (
        httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=SECONDS) as http,
        streamable_http_client(url, http_client=http) as (read, write),
        ClientSession(read, write, message_handler=hear) as session,
    ):
        await session.initialize()
        yield session


@contextlib.asynccontextmanager
async def modern_client_of(url, token, **options):
    """An official client of the revision without sessions, which it finds out by itself."""
    async with (
        httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=SECONDS) as http,
        Client(streamable_http_client(url, http_client=http), **options) as client,
    ):
        yield client


def run(use):
    asyncio.run(asyncio.wait_for(use(), SECONDS))


def rpc(web, method, *, workspace=None, token=None, headers=None, number=1, **params):
    body = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()
    named = {**BOTH, "authorization": f"Bearer {token or web.token}", **(headers or {})}
    path = "/mcp" + (f"/{workspace}" if workspace else "")
    return web.ask("POST", path, body, **{name.replace("-", "_"): value for name, value in named.items()})


def hello(web, **options):
    info = {"name": "raw", "version": "1"}
    return rpc(web, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=info, **options)


def test_the_official_client_lists_calls_and_hears_of_a_mode(visitor):
    (visitor.room.folder / "a.txt").write_text("one\ntwo\n")

    async def use():
        heard = asyncio.Queue()
        async with client_of(url_of(visitor), visitor.token, heard.put) as session:
            assert {tool.name for tool in (await session.list_tools()).tools} >= {"workspace_inspect", "workspace_plan"}
            read = await session.call_tool("workspace_inspect", {"action": "read", "path": "a.txt"})
            assert read.structured_content["data"]["text"] == "1 | one\n2 | two"
            wrong = await session.call_tool("workspace_inspect", {"action": "raed"})
            assert wrong.is_error is True
            person = visitor.room.person(visitor.room.folder)
            await asyncio.to_thread(person.get, "mode", mode="auto")
            assert "list_changed" in str(await heard.get())
            assert "workspace_plan" not in {tool.name for tool in (await session.list_tools()).tools}
            made = await session.call_tool(
                "workspace_edit", {"action": "apply", "operations": [{"type": "create", "path": "b", "content": "new"}]}
            )
            assert made.structured_content["data"]["committed"] is True
        (entry,) = person.get("log", limit=1)["entries"]
        assert entry["actor"]["name"] == "tester-0@http"

    run(use)


def test_what_was_staged_is_accepted_by_the_person_and_resumed(visitor):
    person = visitor.room.person(visitor.room.folder)
    person.get("mode", mode="manual")

    async def use():
        async with client_of(url_of(visitor), visitor.token) as session:
            operations = [{"type": "create", "path": "a.txt", "content": "text"}]
            shown = await session.call_tool("workspace_edit", {"action": "preview", "operations": operations})
            assert shown.structured_content["data"]["status"] == "planned"
            staged = await session.call_tool("workspace_edit", {"action": "apply", "operations": operations})
            approval = staged.structured_content["data"]["approval"]
            assert not (visitor.room.folder / "a.txt").exists()
            await asyncio.to_thread(person.get, "accept", words=approval["id"])
            assert (visitor.room.folder / "a.txt").read_text() == "text"
            resumed = await session.call_tool(approval["resume"]["tool"], approval["resume"]["arguments"])
            assert resumed.structured_content["data"]["committed"] is True

    run(use)


def test_the_official_client_of_the_revision_without_sessions(visitor):
    (visitor.room.folder / "a.txt").write_text("one\n")
    person = visitor.room.person(visitor.room.folder)

    async def use():
        async with modern_client_of(url_of(visitor), visitor.token) as client:
            assert client.protocol_version == "2026-07-28"
            assert client.server_info.name == "workroom"
            read = await client.call_tool("workspace_inspect", {"action": "read", "path": "a.txt"})
            assert read.structured_content["data"]["text"] == "1 | one"
            assert "workspace_plan" in {tool.name for tool in (await client.list_tools()).tools}
            async with client.listen(tools_list_changed=True, resource_subscriptions=["workroom://changes"]) as told:
                await asyncio.to_thread(person.get, "mode", mode="manual")
                assert "Tools" in type(await anext(told)).__name__
                operations = [{"type": "create", "path": "b.txt", "content": "text"}]
                staged = await client.call_tool("workspace_edit", {"action": "apply", "operations": operations})
                approval = staged.structured_content["data"]["approval"]
                assert (await anext(told)).uri == "workroom://changes"
                await asyncio.to_thread(person.get, "accept", words=approval["id"])
                resumed = await client.call_tool(approval["resume"]["tool"], approval["resume"]["arguments"])
                assert resumed.structured_content["data"]["committed"] is True
                assert (await anext(told)).uri == "workroom://changes"
            assert (visitor.room.folder / "b.txt").read_text() == "text"

    run(use)


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_a_dialog_comes_over_http_where_the_person_allows_it(web, mode):
    person = web.room.person(web.room.folder)
    person.get("mode", mode="manual")
    person.get("settings.set", key="elicitation_clients", value=["tester@http"])
    shown = []

    async def decide(_context, params):
        shown.append(params.message)
        return ElicitResult(action="accept", content={"decision": "accept"})

    async def use():
        async with modern_client_of(url_of(web), web.token, mode=mode, elicitation_callback=decide) as client:
            operations = [{"type": "create", "path": "a.txt", "content": "text"}]
            made = await client.call_tool("workspace_edit", {"action": "apply", "operations": operations})
            assert made.structured_content["data"]["committed"] is True
        assert len(shown) == 1
        assert "a.txt" in shown[0]

    run(use)


def test_a_client_without_sessions_only_notices_the_end_of_its_streams(web):
    async def use():
        async with modern_client_of(url_of(web), web.token) as client:
            async with client.listen(tools_list_changed=True) as told:
                await asyncio.to_thread(web.room.stop)
                assert [event async for event in told] == [], "the stream is ended, not lost"
            await asyncio.to_thread(lambda: web.room.person().get("http", port=web.port))
            read = await client.call_tool("workspace_inspect", {"action": "capabilities"})
            assert read.is_error is False

    run(use)


def test_the_inspector_works_over_http_across_a_restart(web, tmp_path):
    inspector = install_inspector()
    environ = user(tmp_path)
    web.room.person(web.room.folder).get("mode", mode="manual")

    def call(action, **arguments):
        given = [word for name, value in arguments.items() for word in ("--tool-arg", f"{name}={json.dumps(value)}")]
        named = ("--tool-name", "workspace_edit", "--tool-arg", f"action={action}")
        answer = inspector.ask_over_http(environ, url_of(web), web.token, "tools/call", *named, *given)
        return answer["structuredContent"]["data"]

    tools = inspector.ask_over_http(environ, url_of(web), web.token, "tools/list")["tools"]
    assert "workspace_edit" in {tool["name"] for tool in tools}
    operations = [{"type": "create", "path": "a.txt", "content": "text"}]
    assert call("preview", operations=operations)["status"] == "planned"
    approval = call("apply", operations=operations)["approval"]
    web.room.stop()
    web.room.person().get("http", port=web.port)
    web.room.person(web.room.folder).get("accept", words=approval["id"])
    assert (web.room.folder / "a.txt").read_text() == "text"
    given = {name: value for name, value in approval["resume"]["arguments"].items() if name != "action"}
    assert call(approval["resume"]["arguments"]["action"], **given)["committed"] is True


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_the_audit_log_tells_of_one_session_a_client(visitor, mode):
    async def use():
        async with modern_client_of(url_of(visitor), visitor.token, mode=mode) as client:
            for _ in range(5):
                await client.call_tool("workspace_inspect", {"action": "list"})

    run(use)
    lines = visitor.room.person(visitor.room.folder).get("audit.export", since=1, limit=100)["lines"]
    assert len([line for line in lines if "session_begun" in json.dumps(line)]) == 1


def test_a_token_leads_to_its_own_workspaces_and_no_others(visitor, tmp_path):
    second = tmp_path / "second"
    second.mkdir()
    both = visitor.make_token("both" + visitor.workspace[:6], visitor.room.folder, second)
    assert hello(visitor).status == 200
    assert hello(visitor, workspace=visitor.workspace).status == 200
    assert hello(visitor, workspace="ws").status == 200, "by the folder's name"
    assert hello(visitor, workspace="second", token=both).status == 200
    for answer, status in (
        (hello(visitor, token=both), 400),
        (hello(visitor, workspace="second"), 404),
        (hello(visitor, workspace="nothing"), 404),
        (hello(visitor, workspace="..%2F..%2Fetc"), 404),
    ):
        assert answer.status == status
        assert answer.json["error"]["message"]
    for token in ("", "Bearer", "Bearer wrt_" + "0" * 64):
        refused = visitor.ask("POST", "/mcp", b"{}", **{**BOTH, "authorization": token or None})
        assert (refused.status, refused.headers["www-authenticate"][:6]) == (401, "bearer")


def test_a_session_goes_on_with_the_next_server(web):
    begun = hello(web)
    named = {"mcp-session-id": begun.headers["mcp-session-id"], "mcp-protocol-version": "2025-11-25"}
    assert rpc(web, "tools/list", headers=named).status == 200
    web.room.stop()
    web.room.person().get("http", port=web.port)
    other = web.make_token("other")
    assert rpc(web, "tools/list", headers=named, token=other).status == 404
    answer = rpc(web, "tools/call", headers=named, name="workspace_inspect", arguments={"action": "capabilities"})
    assert answer.json["result"]["structuredContent"]["ok"] is True
    web.room.stop()
    (web.room.state / "sessions.json").write_text("{")
    web.room.person().get("http", port=web.port)
    assert rpc(web, "tools/list", headers=named).status == 404, "a client begins anew"
    assert hello(web).status == 200


def test_a_server_that_stops_ends_streams_and_answers_what_runs(web):
    async def use():
        heard = asyncio.Queue()
        async with client_of(url_of(web), web.token, heard.put) as session:
            await session.list_tools()
            await asyncio.to_thread(web.room.stop)
            await asyncio.to_thread(lambda: web.room.person().get("http", port=web.port))
            tools = await session.list_tools()
            assert len(tools.tools) > 2

    run(use)


def test_a_revoked_token_has_nothing_any_more(visitor):
    begun = hello(visitor)
    named = {"mcp-session-id": begun.headers["mcp-session-id"]}
    name = visitor.room.person().get("clients.list")["clients"][-1]["name"]
    visitor.room.person().get("clients.revoke", name=name)
    assert rpc(visitor, "tools/list", headers=named).status == 401


def test_a_closed_workspace_ends_its_sessions(visitor):
    begun = hello(visitor)
    named = {"mcp-session-id": begun.headers["mcp-session-id"], "mcp-protocol-version": "2025-11-25"}
    visitor.room.person().get("close", path=str(visitor.room.folder))
    assert rpc(visitor, "tools/list", headers=named).status == 404
    assert hello(visitor).status == 200


@pytest.mark.parametrize("headers", [{"origin": "null"}, {"host": "evil.test"}, {"origin": "http://localhost.evil"}])
def test_another_page_is_not_served(visitor, headers):
    assert hello(visitor, headers=headers).status in {403, 421}
