"""The official SDK's client as a peer, in both eras: it finds, understands and uses what is served."""

from __future__ import annotations

import asyncio
import base64
import sys
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.subscriptions import ResourceUpdated, ToolsListChanged
from mcp_types import ElicitResult, Implementation
from tests.pictures import png

ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}


@asynccontextmanager
async def client_of(guest, mode, **options):
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "workroom", "mcp", str(guest.folder)], env=guest.environ
    )
    with guest.errors.open("w") as errors:
        async with Client(stdio_client(server, errlog=errors), mode=mode, **options) as client:
            yield client


def run(test):
    asyncio.run(asyncio.wait_for(test, 60))


@pytest.mark.parametrize("mode", ERAS)
def test_the_official_client_lists_and_calls(guest, mode):
    (guest.folder / "a.txt").write_text("one\ntwo\n")

    async def use():
        async with client_of(guest, mode) as client:
            assert client.protocol_version == ERAS[mode]
            assert client.server_info.name == "workroom"
            assert client.server_capabilities.tools.list_changed is True
            assert "workspace_inspect" in client.instructions
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert {"workspace_inspect", "workspace_edit"} <= tools.keys()
            answer = await client.call_tool("workspace_inspect", {"action": "read", "path": "a.txt"})
            assert answer.is_error is False
            assert answer.structured_content["data"]["text"] == "1 | one\n2 | two"
            wrong = await client.call_tool("workspace_inspect", {"action": "raed"})
            assert wrong.is_error is True

    run(use())


@pytest.mark.parametrize("mode", ERAS)
def test_the_official_client_is_shown_a_picture(guest, mode):
    data = png(6, 4, filling=3_000_000)
    (guest.folder / "a.png").write_bytes(data)
    (guest.folder / "b.txt").write_text("one\n")

    async def use():
        async with client_of(guest, mode) as client:
            await client.list_tools()
            answer = await client.call_tool("workspace_inspect", {"action": "read", "paths": ["b.txt", "a.png"]})
            assert answer.is_error is False
            assert answer.structured_content is None
            text, image = answer.content
            assert "== b.txt: lines 1-1 of 1" in text.text
            assert "== a.png: image/png, 6 x 4 pixels" in text.text
            assert (image.type, image.mime_type, base64.b64decode(image.data)) == ("image", "image/png", data)

    run(use())


def test_an_older_client_hears_that_the_tools_have_changed(guest):
    async def use():
        changed: asyncio.Queue[Any] = asyncio.Queue()

        async def hear(message):
            await changed.put(message)

        async with client_of(guest, "legacy", message_handler=hear) as client:
            assert "workspace_plan" in {tool.name for tool in (await client.list_tools()).tools}
            await asyncio.to_thread(guest.person(guest.folder).get, "mode", mode="auto")
            assert "list_changed" in str(await changed.get())
            assert "workspace_plan" not in {tool.name for tool in (await client.list_tools()).tools}

    run(use())


def test_a_newer_client_listens_for_what_it_names(guest):
    async def use():
        async with client_of(guest, "auto") as client, client.listen(tools_list_changed=True) as heard:
            assert "workspace_plan" in {tool.name for tool in (await client.list_tools()).tools}
            await asyncio.to_thread(guest.person(guest.folder).get, "mode", mode="auto")
            assert await anext(aiter(heard)) == ToolsListChanged()
            assert "workspace_plan" not in {tool.name for tool in (await client.list_tools()).tools}

    run(use())


@pytest.mark.parametrize("mode", ERAS)
def test_the_official_client_reads_resources_and_gets_prompts(guest, mode):
    async def use():
        async with client_of(guest, mode) as client:
            await asyncio.to_thread(guest.person(guest.folder).get, "mode", mode="auto")
            edit = {"action": "apply", "operations": [{"type": "create", "path": "a.txt", "content": "one\n"}]}
            assert not (await client.call_tool("workspace_edit", edit)).is_error
            uris = [str(row.uri) for row in (await client.list_resources()).resources]
            assert uris == ["workroom://changes", "workroom://history/1"]
            (contents,) = (await client.read_resource("workroom://history/1")).contents
            assert "+one" in contents.text
            assert len((await client.list_resource_templates()).resource_templates) == 2
            names = {prompt.name for prompt in (await client.list_prompts()).prompts}
            assert names == {"start", "review", "plan", "explain"}
            got = await client.get_prompt("explain", {"entry": "1"})
            assert "+one" in got.messages[0].content.text
            with pytest.raises(MCPError) as gone:
                await client.read_resource("workroom://history/9")
            assert gone.value.code == (-32602 if mode == "auto" else -32002)

    run(use())


def test_a_newer_client_hears_of_a_resource(guest):
    async def use():
        async with (
            client_of(guest, "auto") as client,
            client.listen(resource_subscriptions=["workroom://changes"]) as heard,
        ):
            await asyncio.to_thread(guest.person(guest.folder).get, "mode", mode="auto")
            edit = {"action": "apply", "operations": [{"type": "create", "path": "a.txt", "content": "one\n"}]}
            await client.call_tool("workspace_edit", edit)
            assert await anext(aiter(heard)) == ResourceUpdated("workroom://changes")

    run(use())


@pytest.mark.parametrize("mode", ERAS)
def test_the_official_client_hears_how_far_a_call_is(guest, mode):
    async def use():
        heard = []

        async def hear(progress, total, _message):
            heard.append((progress, total))

        async with client_of(guest, mode) as client:
            await asyncio.to_thread(guest.person(guest.folder).get, "mode", mode="auto")
            operations = [{"type": "create", "path": f"{n}.txt", "content": "x\n"} for n in range(25)]
            edit = {"action": "apply", "operations": operations}
            assert not (await client.call_tool("workspace_edit", edit, progress_callback=hear)).is_error
            assert heard[0] == (10, 25)

    run(use())


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("word", ["accept", "deny"])
def test_the_official_clients_dialog_decides_where_it_is_allowed(guest, mode, word):
    async def use():
        shown = []

        async def show(_context, params):
            shown.append(params.message)
            return ElicitResult(action="accept", content={"decision": word})

        info = Implementation(name="sdk", version="1")
        async with client_of(guest, mode, elicitation_callback=show, client_info=info) as client:
            person = guest.person(guest.folder)
            await asyncio.to_thread(person.get, "mode", mode="manual")
            await asyncio.to_thread(person.get, "settings.set", key="elicitation_clients", value=["sdk"])
            edit = {"action": "apply", "operations": [{"type": "create", "path": "a.txt", "content": "one\n"}]}
            answer = await client.call_tool("workspace_edit", edit)
            assert (answer.is_error, len(shown)) == (word == "deny", 1)
            assert "+one" in shown[0]
        assert (guest.folder / "a.txt").exists() == (word == "accept")

    run(use())
