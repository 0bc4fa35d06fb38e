"""The endpoint on a real server: what a client meets, in both eras."""

from __future__ import annotations

import asyncio
import json

import pytest
from tests.interfaces.mcp.streamable.conftest import BOTH, call, events, rpc, run

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


def test_a_client_introduces_itself_asks_and_leaves():
    async def use(hall):
        named = await hall.begin()
        assert all(0x21 <= ord(character) <= 0x7E for character in named["mcp_session_id"])
        answer = await hall.post(rpc("tools/list", 2), **named)
        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
        assert answer.json() == {"jsonrpc": "2.0", "id": 2, "result": {"tools": []}}
        assert (
            await hall.http.delete(hall.url, headers={"mcp-session-id": named["mcp_session_id"]})
        ).status_code == 204
        gone = await hall.post(rpc("tools/list", 3), **named)
        assert gone.status_code == 404
        assert gone.json()["id"] == 3
        assert hall.talkers[0].over.is_set()

    run(use)


def test_what_can_not_be_read_or_is_not_expected_is_refused_in_words():
    async def use(hall):
        named = await hall.begin()
        refused = {
            415: await hall.post(rpc("ping"), **{**named, "content_type": "text/plain"}),
            406: await hall.post(rpc("ping"), **{**named, "accept": "text/html"}),
            405: await hall.http.put(hall.url, headers={"mcp-session-id": named["mcp_session_id"]}),
        }
        for status, answer in refused.items():
            assert (answer.status_code, answer.json()["error"]["code"]) == (status, -32600)
        assert refused[405].headers["allow"] == "GET, POST, DELETE"
        for broken in (b"{", b"[" * 100_000, b"\xff", b"NaN"):
            answer = await hall.post(broken, **named)
            assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32700), broken[:5]
        unnamed = await hall.post(rpc("ping"))
        assert unnamed.status_code == 400
        assert "Mcp-Session-Id" in unnamed.json()["error"]["message"]
        assert (await hall.post(rpc("ping"), mcp_session_id="guess")).status_code == 404
        badly = await hall.post(rpc("initialize"))
        assert badly.status_code == 200
        assert "error" in badly.json()
        assert "mcp-session-id" not in badly.headers
        assert len(hall.endpoint.sessions) == 1

    run(use)


@pytest.mark.parametrize("accept", ["*/*", "application/*, text/*", "application/json;q=0.9, text/event-stream"])
def test_wide_accept_headers_are_understood(accept):
    async def use(hall):
        assert (await hall.post(rpc("tools/list"), **await hall.begin(), accept=accept)).status_code == 200

    run(use)


def test_another_token_or_room_finds_no_session():
    async def use(hall):
        mine = await hall.begin(x_owner="a")
        assert (await hall.post(rpc("ping"), **mine)).status_code == 200
        theirs = {**mine, "x_owner": "b"}
        for answer in (
            await hall.post(rpc("ping"), **theirs),
            await hall.http.get(hall.url, headers={"mcp-session-id": mine["mcp_session_id"], "x-owner": "b"}),
            await hall.http.delete(hall.url, headers={"mcp-session-id": mine["mcp_session_id"], "x-owner": "b"}),
        ):
            assert answer.status_code == 404
        hall.url += "/other"
        assert (await hall.post(rpc("ping"), **mine)).status_code == 404
        assert not hall.talkers[0].over.is_set()

    run(use)


def test_what_comes_before_the_answer_comes_as_events():
    async def use(hall):
        named = await hall.begin()
        talker = hall.talkers[0]
        asking = asyncio.create_task(hall.post(call(7), **named))
        request = await talker.calls.get()
        talker.say("half", request.origin)
        talker.answer(request, "whole")
        answer = await asking
        assert answer.headers["content-type"] == "text/event-stream"
        primed, half, whole = [event async for event in events(answer)]
        assert primed == {"id": "1-0", "retry": "1000", "data": ""} | {"id": primed["id"]}
        assert json.loads(half["data"])["params"] == {"data": "half"}
        assert json.loads(whole["data"])["id"] == 7
        assert [one["id"].split("-")[1] for one in (primed, half, whole)] == ["0", "1", "2"]

    run(use)


def test_a_client_that_predates_it_gets_no_event_without_data():
    async def use(hall):
        named = await hall.begin("2025-06-18")
        asking = asyncio.create_task(hall.post(call(), **named))
        request = await hall.talkers[0].calls.get()
        hall.talkers[0].say("half", request.origin)
        hall.talkers[0].answer(request, "whole")
        told = [event async for event in events(await asking)]
        assert [event["data"] for event in told if "data" in event] == [event["data"] for event in told[1:]]
        assert told[0] == {"retry": "1000"}

    run(use)


def test_a_lost_connection_cancels_nothing_and_its_answer_is_fetched():
    async def use(hall):
        named = await hall.begin()
        talker = hall.talkers[0]
        async with hall.stream("POST", call(7), **named) as answer:
            request = await talker.calls.get()
            talker.say("half", request.origin)
            heard = events(answer)
            assert (await anext(heard))["data"] == ""
            last = (await anext(heard))["id"]
        talker.answer(request, "whole")
        assert talker.cancelled == []
        async with hall.stream("GET", **named, last_event_id=last) as answer:
            told = [event async for event in events(answer)]
        assert [json.loads(event["data"])["id"] for event in told if event["data"]] == [7]
        async with hall.stream("GET", **named, last_event_id=told[0]["id"].split("-")[0] + "-0") as answer:
            again = [event["data"] async for event in events(answer)]
        assert "half" in again[1], "from the beginning, as often as it wants"
        for unknown in ("99-1", "x", "1-", "-1", "1-99", "1-1" + "0" * 50, "²-1"):
            answer = await hall.http.get(
                hall.url, headers={"mcp-session-id": named["mcp_session_id"], "last-event-id": unknown.encode()}
            )
            assert answer.status_code == 400, unknown

    run(use, patience_seconds=0.0)


def test_a_second_connection_takes_a_stream_over():
    async def use(hall):
        named = await hall.begin()
        async with hall.stream("GET", **named) as first:
            heard = events(first)
            await anext(heard)
            async with hall.stream("GET", **named) as second:
                assert [event async for event in heard] == []
                hall.talkers[0].say("news")
                other = events(second)
                await anext(other)
                assert "news" in (await anext(other))["data"]

    run(use)


def test_what_belongs_to_no_request_waits_for_the_standing_stream():
    async def use(hall):
        named = await hall.begin()
        for number in range(3):
            hall.talkers[0].say(f"news {number}")
        async with hall.stream("GET", **named) as answer:
            heard = events(answer)
            told = [(await anext(heard)) for _ in range(4)]
            assert ["news" in event["data"] for event in told] == [False, True, True, True]
        async with hall.stream("GET", **named) as answer:
            hall.talkers[0].say("more")
            heard = events(answer)
            await anext(heard)
            assert "more" in (await anext(heard))["data"], "what was delivered isn't told again"
        async with hall.stream("GET", **named, last_event_id=told[2]["id"]) as answer:
            heard = events(answer)
            await anext(heard)
            assert "news 2" in (await anext(heard))["data"]

    run(use)


def test_a_stream_can_be_let_go_before_it_has_said_anything():
    async def use(hall):
        named = await hall.begin()
        asking = asyncio.create_task(hall.post(call(7), **named))
        request = await hall.talkers[0].calls.get()
        request.origin.release()
        (primed,) = [event async for event in events(await asking)]
        async with hall.stream("GET", **named, last_event_id=primed["id"]) as answer:
            hall.talkers[0].answer(request, "later")
            told = [event["data"] async for event in events(answer)]
        assert "later" in told[-1]

    run(use)


def test_a_cancelled_request_has_no_answer():
    async def use(hall):
        named = await hall.begin()
        asking = asyncio.create_task(hall.post(call(7), **named))
        request = await hall.talkers[0].calls.get()
        told = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
        assert (await hall.post(told, **named)).status_code == 202
        answer = await asking
        assert (answer.status_code, answer.content) == (202, b"")
        assert hall.talkers[0].cancelled == [request.origin]

    run(use)


def test_a_batch_of_the_one_revision_that_has_them_is_answered_as_one():
    async def use(hall):
        named = await hall.begin("2025-03-26")
        batch = [rpc("ping", 1), {"jsonrpc": "2.0", "method": "notifications/x"}, rpc("tools/list", 2)]
        answer = await hall.post(batch, **named)
        assert sorted(one["id"] for one in answer.json()) == [1, 2]
        assert (await hall.post(batch[1:2], **named)).status_code == 202
        newer = await hall.begin("2025-06-18")
        assert (await hall.post(batch, **newer)).json()["error"]["code"] == -32600
        many = await hall.post([rpc("ping", number) for number in range(101)], **named)
        assert (many.status_code, "at most 100" in many.text) == (400, True)

    run(use)


def test_a_session_ends_when_it_is_not_used():
    async def use(hall):
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tester", "version": "1"}}
        answer = await hall.post(rpc("initialize", **hello))
        await hall.talkers[0].over.wait()
        gone = await hall.post(rpc("ping"), mcp_session_id=answer.headers["mcp-session-id"])
        assert gone.status_code == 404

    run(use, idle_seconds=0.0)


def test_one_token_does_not_fill_the_server():
    async def use(hall):
        first = await hall.begin(x_owner="a")
        second = await hall.begin(x_owner="a")
        other = await hall.begin(x_owner="b")
        async with hall.stream("GET", **first) as answer:
            heard = events(answer)
            await anext(heard)
            await hall.begin(x_owner="a")
            assert (await hall.post(rpc("ping"), **second)).status_code == 404, "the longest unused goes"
            assert (await hall.post(rpc("ping"), **first)).status_code == 200
            assert (await hall.post(rpc("ping"), **other)).status_code == 200

    run(use, sessions=2)


def test_one_token_does_not_take_every_request():
    async def use(hall):
        named = await hall.begin(x_owner="a")
        async with hall.stream("GET", **named) as first:
            heard = events(first)
            await anext(heard)
            asking = asyncio.create_task(hall.post(call(7), **named))
            request = await hall.talkers[0].calls.get()
            assert (await hall.post(rpc("ping"), **named)).status_code == 429
            await hall.begin(x_owner="b")
            hall.talkers[0].answer(request, "done")
            assert (await asking).status_code == 200
            assert (await hall.post(rpc("ping"), **named)).status_code == 200

    run(use, requests=2)


def test_a_server_that_goes_tells_everybody_and_another_goes_on():
    async def use(hall):
        named = await hall.begin()
        asking = asyncio.create_task(hall.post(call(7), **named))
        await hall.talkers[0].calls.get()
        async with hall.stream("GET", **named) as answer:
            heard = events(answer)
            await anext(heard)
            kept = hall.endpoint.stop()
            assert [event async for event in heard] == []
        assert (await asking).json()["error"]["message"] == "stopped"
        assert (await hall.post(rpc("ping"), **named)).status_code == 404
        hall.endpoint.sessions.go_on(kept)
        assert (await hall.post(rpc("tools/list"), **{**named, "x_owner": "other"})).status_code == 404
        assert (await hall.post(rpc("tools/list"), **named)).status_code == 200
        assert len(hall.endpoint.sessions) == 1

    run(use)


def test_the_rooms_sessions_end_with_it_and_no_others():
    async def use(hall):
        here, url = await hall.begin(), hall.url
        hall.url += "/there"
        there = await hall.begin()
        hall.endpoint.part("/mcp")
        assert (await hall.post(rpc("ping"), **there)).status_code == 200
        hall.url = url
        assert (await hall.post(rpc("ping"), **here)).status_code == 404
        hall.endpoint.expel("somebody")
        assert len(hall.endpoint.sessions) == 0

    run(use)


def test_what_two_threads_say_at_once_arrives_whole():
    async def use(hall):
        named = await hall.begin()
        talker = hall.talkers[0]
        async with hall.stream("GET", **named) as answer:
            heard = events(answer)
            await anext(heard)
            await asyncio.gather(*(asyncio.to_thread(talker.say, f"{n} " + "x" * 1000) for n in range(50)))
            told = [json.loads((await anext(heard))["data"])["params"]["data"] for _ in range(50)]
            assert sorted(int(text.split()[0]) for text in told) == list(range(50))

    run(use)


def test_who_does_not_read_holds_nobody_up_and_is_cut_off():
    async def use(hall):
        named = await hall.begin()
        talker = hall.talkers[0]
        host, _, port = hall.url.removeprefix("http://").removesuffix("/mcp").partition(":")
        reader, writer = await asyncio.open_connection(host, int(port), limit=1)
        head = [f"GET /mcp HTTP/1.1\r\nhost: {host}\r\naccept: text/event-stream"]
        head += [f"{name.replace('_', '-')}: {value}" for name, value in named.items()]
        writer.write("\r\n".join([*head, "", ""]).encode())
        while not hall.standing().is_read:
            await hall.post(rpc("ping"), **named)
        while hall.standing().is_read:
            talker.say("x" * 100_000)
            assert hall.standing().bytes <= 1024 * 1024 + 100_000
            assert (await hall.post(rpc("ping"), **named)).status_code == 200
        writer.close()
        del reader

    run(use, stall_seconds=0.5)


# Without sessions.


def modern(method: str, number: int = 1, **params):
    return rpc(method, number, _meta=META, **params), {
        "mcp_protocol_version": "2026-07-28",
        "mcp_method": method,
        **({"mcp_name": params["name"]} if "name" in params else {}),
    }


def test_headers_that_say_something_else_than_the_body_are_refused():
    async def use(hall):
        message, named = modern("tools/call", 5, name="work", arguments={})
        for wrong in (
            {"mcp_method": "tools/list"},
            {"mcp_name": "other"},
            {"mcp_name": "=?base64?d29yaw?="},
            {"mcp_protocol_version": "2027-01-01"},
        ):
            answer = await hall.post(message, **{**named, **wrong})
            assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32020), wrong
            assert answer.json()["id"] == 5
        for missing in named:
            answer = await hall.post(message, **{name: value for name, value in named.items() if name != missing})
            assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32020), missing
        twice = [("accept", BOTH), ("content-type", "application/json"), ("mcp-name", "work"), ("mcp-name", "work")]
        twice += [(name.replace("_", "-"), value) for name, value in named.items() if name != "mcp_name"]
        answer = await hall.http.post(hall.url, content=json.dumps(message).encode(), headers=twice)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32020)
        assert hall.talkers == [], "nobody was asked"

    run(use)


def test_without_sessions_there_is_no_stream_to_get_and_nothing_to_end():
    async def use(hall):
        for method in ("GET", "DELETE"):
            answer = await hall.http.request(method, hall.url, headers={"mcp-protocol-version": "2026-07-28"})
            assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
        for wrong in ([rpc("ping")], {"jsonrpc": "2.0", "id": 1, "result": {}}, 7):
            answer = await hall.post(wrong, mcp_protocol_version="2026-07-28")
            assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32600)

    run(use)


def test_a_request_without_a_session_is_answered_with_the_status_of_its_error():
    async def use(hall):
        message, named = modern("tools/list")
        answer = await hall.post(message, **named)
        assert (answer.status_code, answer.json()["result"]["tools"]) == (200, [])
        assert "mcp-session-id" not in answer.headers
        for method, status, code in (("no/such", 404, -32601), ("initialize", 404, -32601)):
            message, named = modern(method, 7)
            answer = await hall.post(message, **named)
            assert (answer.status_code, answer.json()["error"]["code"], answer.json()["id"]) == (status, code, 7)
        named = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/list"}
        answer = await hall.post(rpc("tools/list", _meta={"progressToken": 1}), **named)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32602)
        assert all(talker.over.is_set() for talker in hall.talkers)
        assert len(hall.endpoint.sessions) == 0

    run(use)


def test_a_revision_that_nobody_speaks_is_refused_with_those_that_are():
    async def use(hall):
        meta = {**META, "io.modelcontextprotocol/protocolVersion": "2099-01-01"}
        named = {"mcp_protocol_version": "2099-01-01", "mcp_method": "tools/list"}
        told = {"jsonrpc": "2.0", "method": "notifications/x"}
        for message in (rpc("tools/list", _meta=meta), told):
            answer = await hall.post(message, **named)
            assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32022)
            assert "2026-07-28" in answer.json()["error"]["data"]["supported"]
        assert (await hall.post(told, mcp_protocol_version="2026-07-28")).status_code == 202

    run(use)


def test_without_a_session_the_end_of_the_connection_is_the_end_of_the_request():
    async def use(hall):
        message, named = modern("tools/call", name="work", arguments={})
        async with hall.stream("POST", message, **named) as answer:
            request = await hall.talkers[0].calls.get()
            hall.talkers[0].say("half", request.origin)
            (half,) = [await anext(events(answer))]
            assert "id" not in half, "there is nothing to come back to"
        await hall.talkers[0].dropped.wait()
        assert hall.talkers[0].cancelled == [request.origin]
        assert hall.talkers[0].over.is_set()

    run(use, patience_seconds=0.0)


def test_a_stream_whose_token_counts_no_more_ends():
    async def use(hall):
        named = await hall.begin(x_owner="a")
        async with hall.stream("GET", **named) as answer:
            heard = events(answer)
            await anext(heard)
            hall.revoked.add("a")
            assert [event async for event in heard] == []

    run(use, keepalive_seconds=0.01)


def test_a_server_that_goes_ends_what_only_waits_and_lets_calls_finish():
    async def use(hall):
        named = await hall.begin()
        asking = asyncio.create_task(hall.post(call(7), **named))
        request = await hall.talkers[0].calls.get()
        async with hall.stream("GET", **named) as answer:
            heard = events(answer)
            await anext(heard)
            hall.endpoint.rest()
            assert [event async for event in heard] == []
        hall.talkers[0].answer(request, "done")
        assert "done" in (await asking).text

    run(use)


@pytest.mark.parametrize("method", ["initialize", "subscriptions/listen", "resources/subscribe"])
def test_what_is_kept_of_a_client_is_small(method):
    """An introduction, a subscription: a session or a stream keeps it, so that a token may have many."""

    async def use(hall):
        named = await hall.begin()
        answer = await hall.post(rpc(method, protocolVersion="2025-11-25", capabilities={"x": "y" * 300_000}), **named)
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, -32600)
        assert "calls no tool" in answer.json()["error"]["message"]

    run(use)


def test_a_long_call_is_decoded_like_any_other():
    async def use(hall):
        named = await hall.begin()
        asking = asyncio.create_task(hall.post(rpc("tools/call", 7, name="x", arguments={"a": "y" * 300_000}), **named))
        request = await hall.talkers[0].calls.get()
        assert len(request.params["arguments"]["a"]) == 300_000
        hall.talkers[0].answer(request, "done")
        assert (await asking).status_code == 200
        broken = await hall.post(b'{"a": "' + b"y" * 300_000, **named)
        assert (broken.status_code, broken.json()["error"]["code"]) == (400, -32700)

    run(use)
