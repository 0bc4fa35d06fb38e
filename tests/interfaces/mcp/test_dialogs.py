"""A call that asks the person in the client's own dialog: every way that it can end."""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import asynccontextmanager

import pytest
from tests.interfaces.mcp.conversing import conversing, message

from workroom.base.events import ApprovalStaged
from workroom.base.settings import Settings
from workroom.person import decisions
from workroom.person.credential import PersonCredential

ANN = PersonCredential.grant("k", "k", 0, 0, name="ann")
CREATE = {"type": "create", "path": "a.txt", "content": "hello\n"}
DELETE = {"type": "delete", "path": "old.txt"}
YES = {"action": "accept", "content": {"decision": "accept"}}


@asynccontextmanager
async def asking(hub, house, **settings):
    """A client that the person allows to ask; it has declared dialogs."""
    allowed = {"mode": "manual", "destructive_edits": "ask", "elicitation_clients": ("tester",), **settings}
    house.settings = Settings(**allowed)
    async with conversing(hub, house.workspace, "") as (conversation, ear):
        hello = {
            "protocolVersion": "2025-11-25",
            "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "tester", "version": "1"},
        }
        conversation.hear(message(id=0, method="initialize", params=hello))
        await ear.next()
        yield conversation, ear


def edit(conversation, operation=CREATE):
    arguments = {"action": "apply", "operations": [operation]}
    params = {"name": "workspace_edit", "arguments": arguments}
    conversation.hear(message(id=1, method="tools/call", params=params), "post")


async def question(ear):
    """The id of what the client is asked."""
    asked = await ear.next()
    told = json.loads(asked.line)
    assert (told["method"], asked.origin, asked.final) == ("elicitation/create", "post", False)
    assert "+hello" in told["params"]["message"]
    return told["id"]


async def idle(conversation):
    """Wait until nothing is under way any more."""
    settled = asyncio.Event()
    conversation.settled = lambda: None if conversation.busy else settled.set()
    conversation.settled()
    await asyncio.wait_for(settled.wait(), 30)


async def answered(ear):
    """The envelope of the tool's answer."""
    sent = await ear.next()
    assert (sent.origin, sent.final) == ("post", True)
    return json.loads(sent.line)["result"]["structuredContent"]


def test_a_yes_is_carried_out_and_answered(hub, house):
    async def talk():
        async with asking(hub, house) as (conversation, ear):
            edit(conversation)
            number = await question(ear)
            assert conversation.busy
            assert not conversation.hear(message(id=number, result=YES), "another")
            assert (await answered(ear))["data"]["committed"] is True

    asyncio.run(talk())
    assert house.read("a.txt") == b"hello\n"


def test_a_no_is_a_denial(hub, house):
    async def talk():
        async with asking(hub, house) as (conversation, ear):
            edit(conversation)
            conversation.hear(message(id=await question(ear), result={"action": "decline"}))
            assert (await answered(ear))["error"]["code"] == "APPROVAL_DENIED"

    asyncio.run(talk())


@pytest.mark.parametrize("answer", [{"result": {"action": "cancel"}}, {"error": {"code": 1, "message": "closed"}}])
def test_a_dialog_that_is_closed_decides_nothing(hub, house, answer):
    async def talk():
        async with asking(hub, house) as (conversation, ear):
            edit(conversation)
            conversation.hear(message(id=await question(ear), **answer))
            assert (await answered(ear))["data"]["status"] == "pending_approval"

    asyncio.run(talk())
    assert house.tree() == {}


def test_who_decides_elsewhere_closes_the_dialog(hub, house):
    async def talk():
        async with asking(hub, house) as (conversation, ear):
            edit(conversation)
            number = await question(ear)
            await asyncio.to_thread(decisions.accept, ANN, house.workspace)
            taken = json.loads((await ear.next()).line)
            assert (taken["method"], taken["params"]) == ("notifications/cancelled", {"requestId": number})
            assert (await answered(ear))["data"]["committed"] is True
            assert not conversation.hear(message(id=number, result={"action": "decline"}))
            assert await ear.all() == []

    asyncio.run(talk())


@pytest.mark.parametrize("how", ["cancelled", "gone"])
def test_a_call_that_is_given_up_takes_its_dialog_along(hub, house, how):
    async def talk():
        async with asking(hub, house) as (conversation, ear):
            edit(conversation)
            number = await question(ear)
            if how == "cancelled":
                conversation.hear(message(method="notifications/cancelled", params={"requestId": 1}))
            else:
                conversation.end()
            told = [json.loads(sent.line) for sent in await ear.all() if sent.line]
            assert [one["params"] for one in told] == [{"requestId": number}]
            assert not conversation.hear(message(id=number, result=YES))
            await idle(conversation)

    asyncio.run(talk())
    assert house.tree() == {}
    assert len(house.workspace.approvals.pending()) == 1


def test_what_no_dialog_decides_waits_as_ever(hub, house):
    house.write("old.txt", "old\n")

    async def talk():
        async with asking(hub, house, wait_seconds_workspace=60) as (conversation, ear):
            staged = asyncio.Event()
            house.workspace.store.subscribe(lambda *_: ear.loop.call_soon_threadsafe(staged.set))
            edit(conversation, DELETE)
            await asyncio.wait_for(staged.wait(), 30)
            await asyncio.to_thread(decisions.deny, ANN, house.workspace)
            assert (await answered(ear))["error"]["code"] == "APPROVAL_DENIED"

    asyncio.run(talk())


def test_what_runs_unasked_is_answered_at_once(hub, house):
    async def talk():
        async with asking(hub, house, mode="auto", wait_seconds_workspace=60) as (conversation, ear):
            edit(conversation)
            assert (await answered(ear))["data"]["committed"] is True

    asyncio.run(talk())
    assert len(house.tx.history()) == 1


@pytest.mark.parametrize("operation", [CREATE, DELETE], ids=["asked", "waiting"])
def test_a_call_that_is_given_up_while_it_is_staged_asks_and_waits_no_more(hub, house, operation):
    house.write("old.txt", "old\n")

    async def talk():
        async with asking(hub, house, wait_seconds_workspace=60) as (conversation, ear):
            given_up = threading.Event()

            def give_up():
                conversation.cancel("post")
                given_up.set()

            def staged(_number, event):
                if isinstance(event, ApprovalStaged):
                    ear.loop.call_soon_threadsafe(give_up)
                    assert given_up.wait(30)

            house.workspace.store.subscribe(staged)
            edit(conversation, operation)
            await asyncio.to_thread(given_up.wait, 30)
            await idle(conversation)
            assert await ear.all() == []

    asyncio.run(talk())
    assert len(house.workspace.approvals.pending()) == 1


# The modern era: the call comes back with the answer.


def modern_edit(conversation, number, **more):
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
        "io.modelcontextprotocol/clientInfo": {"name": "tester", "version": "1"},
    }
    arguments = {"action": "apply", "operations": [CREATE]}
    params = {"name": "workspace_edit", "arguments": arguments, "_meta": meta, **more}
    conversation.hear(message(id=number, method="tools/call", params=params), "post")


@pytest.mark.parametrize(
    ("answer", "end"),
    [
        (YES, {"committed": True}),
        ({"action": "decline"}, {"code": "APPROVAL_DENIED"}),
        ({"action": "cancel"}, {"status": "pending_approval"}),
        (None, {"status": "pending_approval"}),
    ],
)
def test_a_call_that_comes_back_brings_the_answer(hub, house, answer, end):
    async def talk():
        async with asking(hub, house) as (conversation, ear):
            modern_edit(conversation, 1)
            asked = json.loads((await ear.next()).line)["result"]
            assert (asked["resultType"], "structuredContent" in asked) == ("input_required", False)
            ((key, question),) = asked["inputRequests"].items()
            assert question["method"] == "elicitation/create"
            assert "+hello" in question["params"]["message"]
            modern_edit(conversation, 2, requestState=asked["requestState"], inputResponses={key: answer})
            told = await answered(ear)
            found = {**told.get("data", {}), **told.get("error", {})}
            assert {name: found[name] for name in end} == end
            await idle(conversation)

    asyncio.run(talk())
