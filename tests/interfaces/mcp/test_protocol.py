"""The protocol without any transport: lines in, steps and lines out."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workroom.interfaces.mcp.protocol import REVISIONS, CallTool, Cancel, ListTools, Peer, Send, encode


def line(**fields):
    return json.dumps({"jsonrpc": "2.0", **fields}).encode() + b"\n"


def initialize(revision="2025-11-25", **fields):
    params = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "tester", "version": "1"}}
    return line(id=0, method="initialize", params={**params, **fields})


def ready(revision="2025-11-25"):
    peer = Peer("0.1.0")
    peer.receive(initialize(revision))
    assert peer.receive(line(method="notifications/initialized")) == []
    return peer


def sent(steps):
    """The one message that is to be sent."""
    (step,) = steps
    assert isinstance(step, Send)
    assert step.line.endswith(b"\n")
    assert step.line.count(b"\n") == 1
    return json.loads(step.line)


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_known_revision_is_agreed_to(revision):
    peer = Peer("0.1.0", "Read first.")
    answer = sent(peer.receive(initialize(revision)))
    assert answer["id"] == 0
    assert answer["result"]["protocolVersion"] == revision
    assert answer["result"]["capabilities"] == {"tools": {"listChanged": True}}
    assert answer["result"]["serverInfo"] == {"name": "workroom", "title": "Workroom", "version": "0.1.0"}
    assert answer["result"]["instructions"] == "Read first."
    assert peer.client == "tester"


def test_an_unknown_revision_is_answered_with_the_newest():
    answer = sent(Peer("0.1.0").receive(initialize("2099-01-01")))
    assert answer["result"]["protocolVersion"] == "2025-11-25"
    assert "instructions" not in answer["result"]


@pytest.mark.parametrize("info", [None, [], {"name": 7}, {"name": ""}])
def test_a_client_without_a_name_is_served(info):
    peer = Peer("0.1.0")
    peer.receive(initialize(clientInfo=info))
    assert peer.client == "unknown client"


def test_initialize_without_a_revision_is_refused():
    answer = sent(Peer("0.1.0").receive(line(id=1, method="initialize", params={})))
    assert answer["error"]["code"] == -32602
    assert answer["error"]["data"]["supported"] == list(REVISIONS)


@pytest.mark.parametrize(
    ("bad", "code", "number"),
    [
        (b"garbage\n", -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"\n', -32700, None),
        (b"\xff\xfe\n", -32700, None),
        (b"[" * 100_000 + b"\n", -32700, None),
        (b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}\n', -32700, None),
        (b"7\n", -32600, None),
        (b"[]\n", -32600, None),
        (b'{"id":1,"method":"ping"}\n', -32600, None),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}\n', -32600, None),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n', -32600, None),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}\n', -32600, None),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n', -32600, None),
        (b'{"jsonrpc":"2.0","id":1}\n', -32600, 1),
        (b'{"jsonrpc":"2.0","id":"a","method":7}\n', -32600, "a"),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}\n', -32602, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"prompts/list"}\n', -32601, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}\n', -32602, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":"y"}}\n', -32602, 1),
    ],
)
def test_what_is_wrong_is_answered_and_the_connection_lives(bad, code, number):
    peer = ready()
    answer = sent(peer.receive(bad))
    assert answer["error"]["code"] == code
    assert answer["id"] == number
    assert sent(peer.receive(line(id=2, method="ping"))) == {"jsonrpc": "2.0", "id": 2, "result": {}}


@given(st.binary(max_size=200).filter(lambda b: b"\n" not in b))
def test_no_line_breaks_the_peer(body):
    peer = ready()
    for step in peer.receive(body):
        assert isinstance(step, Send)
        json.loads(step.line)


@pytest.mark.parametrize("quiet", [b"\n", b"  \r\n", b'{"jsonrpc":"2.0","id":1,"result":{}}\n',
                                   b'{"jsonrpc":"2.0","method":"notifications/other"}\n'])  # fmt: skip
def test_what_wants_no_answer_gets_none(quiet):
    assert ready().receive(quiet) == []


def test_tools_wait_for_initialize_but_ping_does_not():
    peer = Peer("0.1.0")
    assert sent(peer.receive(line(id=1, method="tools/list")))["error"]["code"] == -32600
    assert sent(peer.receive(line(id=2, method="ping")))["result"] == {}
    assert peer.tools_changed() is None


def test_a_call_is_handed_over_and_answered():
    peer = ready()
    (step,) = peer.receive(line(id="c1", method="tools/call", params={"name": "t", "arguments": {"a": 1}}))
    assert isinstance(step, CallTool)
    assert (step.name, step.arguments) == ("t", {"a": 1})
    answer = peer.answer(step.request, encode({"x": "é\u2028"})).line
    assert len(answer.decode().splitlines()) == 1
    assert json.loads(answer) == {"jsonrpc": "2.0", "id": "c1", "result": {"x": "é\u2028"}}


def test_a_call_without_arguments_has_none():
    (step,) = ready().receive(line(id=1, method="tools/call", params={"name": "t", "arguments": None}))
    assert step.arguments == {}


def test_a_list_is_handed_over_and_may_be_refused():
    peer = ready()
    (step,) = peer.receive(line(id=1, method="tools/list"))
    assert isinstance(step, ListTools)
    assert json.loads(peer.refuse(step.request, -32603, "no").line)["error"] == {"code": -32603, "message": "no"}


def test_an_id_in_use_is_refused_and_may_be_used_again_later():
    peer = ready()
    call = line(id=1, method="tools/call", params={"name": "t"})
    (step,) = peer.receive(call)
    assert sent(peer.receive(call))["error"]["code"] == -32600
    assert peer.answer(step.request, "{}")
    assert isinstance(peer.receive(call)[0], CallTool)


def test_a_cancelled_request_is_not_answered():
    peer = ready()
    (step,) = peer.receive(line(id=1, method="tools/call", params={"name": "t"}))
    cancel, end = peer.receive(line(method="notifications/cancelled", params={"requestId": 1}))
    assert isinstance(cancel, Cancel)
    assert (end.line, end.final) == (b"", True)
    assert cancel.request is step.request
    assert peer.answer(step.request, "{}") is None
    assert peer.receive(line(method="notifications/cancelled", params={"requestId": 1})) == []
    assert peer.receive(line(method="notifications/cancelled", params={"requestId": [1]})) == []


def test_a_change_of_tools_is_told():
    assert json.loads(ready().tools_changed().line) == {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}


def batch(*messages):
    return json.dumps(messages).encode() + b"\n"


PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
CALL = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "t"}}


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-06-18", "2025-11-25"])
def test_a_batch_is_refused_where_there_are_none(revision):
    assert sent(ready(revision).receive(batch(PING)))["error"]["code"] == -32600


def test_a_batch_is_answered_by_one_array_when_all_is_done():
    peer = ready("2025-03-26")
    note = {"jsonrpc": "2.0", "method": "notifications/other"}
    (step,) = peer.receive(batch(PING, note, CALL, 7))
    answers = json.loads(peer.answer(step.request, "{}").line)
    assert [(a["id"], "error" in a) for a in answers] == [(1, False), (None, True), (2, False)]


def test_a_batch_without_requests_is_not_answered():
    assert ready("2025-03-26").receive(batch({"jsonrpc": "2.0", "method": "notifications/other"})) == []


def test_a_batch_of_immediate_answers_leaves_at_once():
    assert [a["id"] for a in sent(ready("2025-03-26").receive(batch(PING, {"jsonrpc": "2.0", "method": 7})))] == [
        1,
        None,
    ]


def test_cancelling_the_last_open_request_lets_a_batch_go():
    peer = ready("2025-03-26")
    peer.receive(batch(PING, CALL))
    _, send = peer.receive(line(method="notifications/cancelled", params={"requestId": 2}))
    assert [a["id"] for a in json.loads(send.line)] == [1]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_encode_round_trips(value):
    assert json.loads(encode(value)) == value


@pytest.mark.parametrize("text", ["\u2028", "\u2029", "\x85", "é\x0b\x0c\x1c\r\n"])
def test_an_answer_is_one_line_for_every_reader(text):
    assert encode([text]).splitlines() == [encode([text])]
    assert json.loads(encode([text])) == [text]


def test_a_lone_surrogate_leaves_as_a_question_mark():
    peer = ready()
    (step,) = peer.receive(line(id=1, method="tools/list"))
    assert json.loads(peer.answer(step.request, encode("x\ud800y😀")).line.decode("utf-8"))["result"] == "x?y😀"
