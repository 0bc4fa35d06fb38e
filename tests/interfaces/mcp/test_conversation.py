"""A conversation without a transport: what is sent, and what it belongs to."""

from __future__ import annotations

import asyncio
import json
import threading

import pytest
from tests.interfaces.mcp.conversing import META, ask, conversing, message, modern

from workroom.base.events import ModeChanged
from workroom.base.settings import Settings

LIST = {"name": "workspace_inspect", "arguments": {"action": "list"}}


def test_an_answer_has_the_origin_that_it_was_asked_with(hub, house):
    async def talk():
        async with conversing(hub, house.workspace) as (conversation, ear):
            for origin in ("post-1", "post-2"):
                assert conversation.hear(message(id=origin, method="tools/call", params=LIST), origin)
            answers = [await ear.next(), await ear.next()]
            assert {answer.origin for answer in answers} == {"post-1", "post-2"}
            for answer in answers:
                assert json.loads(answer.line)["id"] == answer.origin
                assert (answer.final, answer.error) == (True, None)

    asyncio.run(talk())


def test_what_belongs_to_no_request_has_no_origin(hub, house):
    async def talk():
        async with conversing(hub, house.workspace) as (_, ear):
            house.settings = Settings(mode="manual")
            with house.workspace.store.write() as db:
                house.workspace.store.emit(db, ModeChanged("manual"), house.clock())
            note = await ear.next()
            assert json.loads(note.line)["method"] == "notifications/tools/list_changed"
            assert (note.origin, note.final) == (None, False)

    asyncio.run(talk())


def test_what_is_not_answered_says_so(hub, house):
    async def talk():
        async with conversing(hub, house.workspace) as (conversation, ear):
            assert not conversation.hear(message(method="notifications/initialized"), "post")
            assert not conversation.hear(message(id=7, result={}), "post")
            assert conversation.hear(b"garbage", "post")
            answer = await ear.next()
            assert (answer.origin, answer.final, answer.error) == ("post", True, -32700)
            assert conversation.take([], "post")
            assert (await ear.next()).error == -32600

    asyncio.run(talk())


def test_a_cancelled_request_ends_with_nothing(hub, house):
    async def talk():
        async with conversing(hub, house.workspace) as (conversation, ear):
            house.settings = Settings(mode="manual", wait_seconds_workspace=60)
            edit = {"action": "apply", "operations": [{"type": "create", "path": "a.txt", "content": "x\n"}]}
            call = message(id=1, method="tools/call", params={"name": "workspace_edit", "arguments": edit})
            assert conversation.hear(call, "post")
            cancelled = message(method="notifications/cancelled", params={"requestId": 1})
            assert not conversation.hear(cancelled, "another")
            end = await ear.next()
            assert (end.origin, end.final, end.line) == ("post", True, b"")

    asyncio.run(talk())


def test_what_nobody_waits_for_is_not_sent(hub, house):
    async def talk():
        async with conversing(hub, house.workspace) as (conversation, ear):
            settled = asyncio.Event()
            conversation.settled = settled.set
            conversation.hear(message(id=1, method="tools/call", params=LIST), "gone")
            conversation.cancel("gone")
            conversation.hear(message(id=1, method="tools/call", params=LIST), "here")
            assert (await ear.next()).origin == "here"
            await asyncio.wait_for(settled.wait(), 30)
            assert await ear.all() == []

    asyncio.run(talk())


def test_a_batch_is_one_answer(hub, house):
    async def talk():
        async with conversing(hub, house.workspace, "2025-03-26") as (conversation, ear):
            messages = [{"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": LIST} for n in (1, 2)]
            assert conversation.hear(json.dumps(messages).encode(), "post")
            answer = await ear.next()
            assert (answer.origin, answer.final) == ("post", True)
            assert sorted(one["id"] for one in json.loads(answer.line)) == [1, 2]
            cancelled = [{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}}]
            assert conversation.hear(json.dumps([messages[0] | {"id": 3}, *cancelled]).encode(), "post")
            assert (await ear.next()).line == b""

    asyncio.run(talk())


def test_another_conversation_goes_on_where_one_was_stopped(hub, house):
    async def talk():
        async with conversing(hub, house.workspace) as (first, _):
            lines = first.stop()
        async with conversing(hub, house.workspace, "") as (second, ear):
            second.recall(lines)
            assert json.loads((await ear.next()).line)["method"] == "notifications/tools/list_changed"
            second.hear(message(id=1, method="tools/list"))
            assert "result" in json.loads((await ear.next()).line)

    asyncio.run(talk())


# The modern era.


def test_one_request_is_a_whole_conversation(hub, house):
    async def talk():
        async with conversing(hub, house.workspace, "") as (conversation, ear):
            assert conversation.hear(modern(1, "tools/call", **LIST), "post")
            answer = await ear.next()
            assert (answer.origin, answer.final) == ("post", True)
            assert json.loads(answer.line)["result"]["resultType"] == "complete"

    asyncio.run(talk())


def change_mode(house, mode):
    house.settings = Settings(mode=mode)
    with house.workspace.store.write() as db:
        house.workspace.store.emit(db, ModeChanged(mode), house.clock())


def test_a_stream_is_told_first_what_it_will_hear_and_ends_when_the_server_does(hub, house):
    async def talk():
        async with conversing(hub, house.workspace, "") as (conversation, ear):
            wanted = {"toolsListChanged": True, "promptsListChanged": True}
            assert conversation.hear(modern("s", "subscriptions/listen", notifications=wanted), "stream")
            change_mode(house, "manual")
            conversation_told = [json.loads((await ear.next()).line) for _ in range(2)]
            conversation.stop()
            end = await ear.next()
            assert (end.origin, end.final) == ("stream", True)
            assert [told["method"] for told in conversation_told] == [
                "notifications/subscriptions/acknowledged",
                "notifications/tools/list_changed",
            ]
            assert conversation_told[0]["params"]["notifications"] == {"toolsListChanged": True}
            tags = [told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] for told in conversation_told]
            meta = json.loads(end.line)["result"]["_meta"]
            assert [*tags, meta["io.modelcontextprotocol/subscriptionId"]] == ["s", "s", "s"]

    asyncio.run(talk())


@pytest.mark.parametrize("how", ["cancelled", "closed"])
def test_a_stream_that_was_ended_by_the_client_hears_nothing_more(hub, house, how):
    async def talk():
        async with conversing(hub, house.workspace, "") as (conversation, ear):
            conversation.hear(modern("s", "subscriptions/listen", notifications={"toolsListChanged": True}), "stream")
            assert not (await ear.next()).final
            if how == "cancelled":
                conversation.hear(message(method="notifications/cancelled", params={"requestId": "s"}))
                assert (await ear.next()).line == b""
            else:
                conversation.cancel("stream")
            change_mode(house, "manual")
            conversation.hear(modern(2, "tools/list"), "post")
            assert (await ear.next()).origin == "post"
            assert await ear.all() == []

    asyncio.run(talk())


def test_a_stream_goes_on_with_another_conversation(hub, house):
    async def talk():
        async with conversing(hub, house.workspace, "") as (first, ear):
            first.hear(modern("s", "subscriptions/listen", notifications={"toolsListChanged": True}))
            assert not (await ear.next()).final
            lines = first.stop(handing_over=True)
            assert await ear.all() == []
        async with conversing(hub, house.workspace, "") as (second, ear):
            second.recall(lines)
            told = json.loads((await ear.next()).line)
            assert told["method"] == "notifications/tools/list_changed"
            assert told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == "s"
            change_mode(house, "manual")
            assert json.loads((await ear.next()).line)["method"] == "notifications/tools/list_changed"

    asyncio.run(talk())


@pytest.mark.parametrize("wrong", [None, [], {"resourceSubscriptions": "x"}, {"resourceSubscriptions": [7]},
                                   {"resourceSubscriptions": ["workroom://changes"] * 1000}])  # fmt: skip
def test_a_wrong_filter_is_refused(hub, house, wrong):
    async def talk():
        async with conversing(hub, house.workspace, "") as (conversation, ear):
            conversation.hear(modern("s", "subscriptions/listen", notifications=wrong), "stream")
            assert (await ear.next()).error == -32602

    asyncio.run(talk())


# Resources, prompts and completion.


CREATE = {"type": "create", "path": "a.txt", "content": "hello\n"}


@pytest.mark.parametrize("era", ["handshake", "modern"])
def test_resources_prompts_and_completion_are_served_in_both_eras(hub, house, era):
    house.edit(CREATE)

    async def talk():
        async with conversing(hub, house.workspace, "" if era == "modern" else "2025-11-25") as (conversation, ear):

            async def get(method, **params):
                return (await ask(conversation, ear, method, era, **params))["result"]

            listed = await get("resources/list")
            assert [row["uri"] for row in listed["resources"]] == ["workroom://changes", "workroom://history/1"]
            assert ("ttlMs" in listed) == (era == "modern")
            read = await get("resources/read", uri="workroom://history/1")
            assert "+hello" in read["contents"][0]["text"]
            assert len((await get("resources/templates/list"))["resourceTemplates"]) == 2
            assert {row["name"] for row in (await get("prompts/list"))["prompts"]} == {
                "start", "review", "plan", "explain"
            }  # fmt: skip
            assert "+hello" in str(await get("prompts/get", name="explain", arguments={"entry": "1"}))
            values = await get(
                "completion/complete",
                ref={"type": "ref/prompt", "name": "explain"},
                argument={"name": "entry", "value": ""},
            )
            assert values["completion"]["values"] == ["1"]
            gone = await ask(conversation, ear, "resources/read", era, uri="workroom://history/9")
            assert gone["error"]["code"] == (-32602 if era == "modern" else -32002)
            assert gone["error"]["data"]["uri"] == "workroom://history/9"

    asyncio.run(talk())


@pytest.mark.parametrize("method", ["tools/list", "prompts/list", "resources/templates/list", "resources/list"])
def test_a_cursor_that_no_page_ended_with_is_refused(hub, house, method):
    async def talk():
        async with conversing(hub, house.workspace) as (conversation, ear):
            assert (await ask(conversation, ear, method, cursor="nonsense"))["error"]["code"] == -32602
            assert "result" in await ask(conversation, ear, method, cursor=None)

    asyncio.run(talk())


def test_a_client_hears_of_what_it_subscribed_to(hub, house):
    async def talk():
        async with conversing(hub, house.workspace) as (conversation, ear):
            for uri in ("workroom://changes", "workroom://history/1"):
                assert (await ask(conversation, ear, "resources/subscribe", uri=uri))["result"] == {}
            wrong = await ask(conversation, ear, "resources/subscribe", uri="file:///etc/passwd")
            assert wrong["error"]["code"] == -32602
            entry = await asyncio.to_thread(house.edit, CREATE)
            told = json.loads((await ear.next()).line)
            assert (told["method"], told["params"]) == (
                "notifications/resources/updated", {"uri": "workroom://changes"}
            )  # fmt: skip
            await asyncio.to_thread(house.undo, entry.transaction_id)
            heard = {json.loads((await ear.next()).line)["params"]["uri"] for _ in range(2)}
            assert heard == {"workroom://changes", "workroom://history/1"}
            for uri in ("workroom://changes", "workroom://history/1"):
                assert (await ask(conversation, ear, "resources/unsubscribe", uri=uri))["result"] == {}
            assert (await ask(conversation, ear, "resources/unsubscribe", uri=7))["error"]["code"] == -32602
            await asyncio.to_thread(house.edit, CREATE)
            assert (await ask(conversation, ear, "ping"))["result"] == {}
            assert await ear.all() == []

    asyncio.run(talk())


def test_a_list_that_was_asked_for_is_told_once_when_it_changes(hub, house):
    async def talk():
        async with conversing(hub, house.workspace) as (conversation, ear):
            await asyncio.to_thread(house.edit, CREATE)  # nobody has asked for the list yet
            await ask(conversation, ear, "resources/list")
            await asyncio.to_thread(house.edit, {**CREATE, "path": "b.txt"})
            told = await ear.next()
            assert json.loads(told.line)["method"] == "notifications/resources/list_changed"
            await asyncio.to_thread(house.edit, {**CREATE, "path": "c.txt"})
            await ask(conversation, ear, "ping")
            assert await ear.all() == []

    asyncio.run(talk())


def test_a_stream_hears_of_the_resources_it_names(hub, house):
    async def talk():
        async with conversing(hub, house.workspace, "") as (conversation, ear):
            wanted = {
                "resourcesListChanged": True,
                "resourceSubscriptions": ["workroom://changes", "file:///etc/passwd"],
            }
            conversation.hear(modern("s", "subscriptions/listen", notifications=wanted), "stream")
            honoured = json.loads((await ear.next()).line)["params"]["notifications"]
            assert honoured == {"resourcesListChanged": True, "resourceSubscriptions": ["workroom://changes"]}
            await asyncio.to_thread(house.edit, CREATE)
            told = [await ear.next(), await ear.next()]
            assert {one.origin for one in told} == {"stream"}
            assert {json.loads(one.line)["method"] for one in told} == {
                "notifications/resources/list_changed", "notifications/resources/updated"
            }  # fmt: skip

    asyncio.run(talk())


def test_subscriptions_go_on_with_another_conversation(hub, house):
    async def talk():
        async with conversing(hub, house.workspace) as (first, ear):
            await ask(first, ear, "resources/subscribe", uri="workroom://changes")
            lines = first.stop(handing_over=True)
        async with conversing(hub, house.workspace, "") as (second, ear):
            second.recall(lines)
            told = [json.loads((await ear.next()).line)["method"] for _ in range(2)]
            assert told == ["notifications/tools/list_changed", "notifications/resources/updated"]
            await asyncio.to_thread(house.edit, CREATE)
            assert json.loads((await ear.next()).line)["params"] == {"uri": "workroom://changes"}

    asyncio.run(talk())


def test_what_happens_after_the_end_is_told_nobody(hub, house):
    async def talk():
        async with conversing(hub, house.workspace) as (conversation, ear):
            await ask(conversation, ear, "resources/subscribe", uri="workroom://changes")
            await asyncio.to_thread(house.edit, CREATE)
            conversation.end()
            await asyncio.sleep(0.1)
            assert await ear.all() == []

    asyncio.run(talk())


# Progress and cancellation.

MANY = [{"type": "create", "path": f"{number}.txt", "content": "x\n"} for number in range(25)]


def apply(**meta):
    return {"name": "workspace_edit", "arguments": {"action": "apply", "operations": MANY}, "_meta": meta}


@pytest.mark.parametrize("era", ["handshake", "modern"])
def test_a_long_call_tells_how_far_it_is(hub, house, era):
    async def talk():
        async with conversing(hub, house.workspace, "" if era == "modern" else "2025-11-25") as (conversation, ear):
            meta = META if era == "modern" else {}
            conversation.hear(message(id=1, method="tools/call", params=apply(**meta, progressToken="p")), "post")
            told = await ear.next()
            assert (told.origin, told.final) == ("post", False)
            progress = json.loads(told.line)
            assert progress["method"] == "notifications/progress"
            assert progress["params"] == {"progressToken": "p", "progress": 10, "total": 25}
            last = 10
            while not (sent := await ear.next()).final:
                now = json.loads(sent.line)["params"]["progress"]
                assert now > last
                last = now
            assert json.loads(sent.line)["result"]["isError"] is False

    asyncio.run(talk())


def test_a_call_whose_client_didnt_ask_tells_nothing(hub, house):
    async def talk():
        async with conversing(hub, house.workspace) as (conversation, ear):
            conversation.hear(message(id=1, method="tools/call", params=apply()), "post")
            assert (await ear.next()).final

    asyncio.run(talk())


@pytest.mark.parametrize("how", ["notification", "closed"])
def test_a_call_that_runs_is_stopped_where_nothing_is_done_yet(hub, house, how):
    async def talk():
        async with conversing(hub, house.workspace) as (conversation, ear):
            heard, settled = threading.Event(), asyncio.Event()

            def cancel():
                if how == "closed":
                    conversation.cancel("post")
                else:
                    conversation.hear(message(method="notifications/cancelled", params={"requestId": 1}))
                heard.set()

            def meanwhile(sent):
                if b"progress" in sent.line:
                    ear.loop.call_soon_threadsafe(cancel)
                    assert heard.wait(30)

            ear.meanwhile = meanwhile
            conversation.settled = lambda: None if conversation.busy else settled.set()
            conversation.hear(message(id=1, method="tools/call", params=apply(progressToken="p")), "post")
            await asyncio.wait_for(settled.wait(), 30)
            sent = await ear.all()
            lines = [one.line for one in sent if b"progress" not in one.line]
            assert lines == ([b""] if how == "notification" else [])
            assert house.tree() == {}

    asyncio.run(talk())


def test_a_client_that_goes_stops_what_it_has_asked(hub, house):
    async def talk():
        async with conversing(hub, house.workspace) as (conversation, ear):
            heard, settled = threading.Event(), asyncio.Event()

            def leave():
                conversation.end()
                heard.set()

            def meanwhile(sent):
                if b"progress" in sent.line:
                    ear.loop.call_soon_threadsafe(leave)
                    assert heard.wait(30)

            ear.meanwhile = meanwhile
            conversation.settled = lambda: None if conversation.busy else settled.set()
            conversation.hear(message(id=1, method="tools/call", params=apply(progressToken="p")))
            await asyncio.wait_for(settled.wait(), 30)
            assert house.tree() == {}

    asyncio.run(talk())
