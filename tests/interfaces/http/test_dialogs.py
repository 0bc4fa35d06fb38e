"""A dialog over HTTP: the client is who its token says, whatever it calls itself; both eras of the official client."""

from __future__ import annotations

import asyncio
import contextlib

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult, Implementation

SECONDS = 60
EDIT = {"action": "apply", "operations": [{"type": "create", "path": "a.txt", "content": "one\n"}]}


@contextlib.asynccontextmanager
async def eager_client(web, mode, shown):
    """A client that answers every dialog with yes, and calls itself by another's name."""

    async def show(_context, params):
        shown.append(params.message)
        return ElicitResult(action="accept", content={"decision": "accept"})

    async with (
        httpx2.AsyncClient(headers={"authorization": f"Bearer {web.token}"}, timeout=SECONDS) as http,
        Client(
            streamable_http_client(f"http://{web.host}/mcp", http_client=http),
            mode=mode,
            elicitation_callback=show,
            client_info=Implementation(name="claude-code", version="1"),
        ) as client,
    ):
        yield client


def edit(web, mode, allowed):
    """What an edit is answered with, and how often the client was asked."""
    shown: list[str] = []

    async def use():
        async with eager_client(web, mode, shown) as client:
            return await client.call_tool("workspace_edit", EDIT)

    person = web.room.person(web.room.folder)
    person.get("mode", mode="manual")
    person.get("settings.set", key="elicitation_clients", value=allowed)
    answer = asyncio.run(asyncio.wait_for(use(), SECONDS))
    return answer.structured_content["data"], len(shown)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_dialog_of_an_allowed_token_decides(web, mode):
    data, asked = edit(web, mode, [web.actor])
    assert (data["committed"], asked) == (True, 1)
    assert (web.room.folder / "a.txt").read_text() == "one\n"


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a09_over_http_another_clients_name_helps_nobody(web, mode):
    data, asked = edit(web, mode, ["claude-code"])
    assert (data["status"], asked) == ("pending_approval", 0)
    assert not (web.room.folder / "a.txt").exists()
