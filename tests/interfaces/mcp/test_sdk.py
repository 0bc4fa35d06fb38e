"""The official SDK's client as a peer: it finds, understands and uses what is served."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def test_the_official_client_lists_and_calls(guest):
    (guest.folder / "a.txt").write_text("one\ntwo\n")
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "workroom", "mcp", str(guest.folder)], env=guest.environ
    )

    async def use():
        changed: asyncio.Queue[Any] = asyncio.Queue()

        async def hear(message):
            await changed.put(message)

        with guest.errors.open("w") as errors:
            async with (
                stdio_client(server, errlog=errors) as (read, write),
                ClientSession(read, write, message_handler=hear) as session,
            ):
                hello = await session.initialize()
                assert hello.server_info.name == "workroom"
                assert hello.capabilities.tools.list_changed is True
                tools = {tool.name: tool for tool in (await session.list_tools()).tools}
                assert {"workspace_inspect", "workspace_edit"} <= tools.keys()
                answer = await session.call_tool("workspace_inspect", {"action": "read", "path": "a.txt"})
                assert answer.is_error is False
                assert answer.structured_content["data"]["text"] == "1 | one\n2 | two"
                wrong = await session.call_tool("workspace_inspect", {"action": "raed"})
                assert wrong.is_error is True
                await asyncio.to_thread(guest.person(guest.folder).get, "mode", mode="auto")
                assert "list_changed" in str(await changed.get())
                assert "workspace_plan" not in {tool.name for tool in (await session.list_tools()).tools}

    asyncio.run(asyncio.wait_for(use(), 60))
