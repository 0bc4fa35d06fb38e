"""The protocol without any transport: lines in, steps and lines out."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workroom.interfaces.mcp.eras import HANDSHAKE, REVISIONS
from workroom.interfaces.mcp.jsonrpc import RpcError, encode
from workroom.interfaces.mcp.protocol import Peer, tool_call
from workroom.interfaces.mcp.steps import Cancel, Reply, Request, Send


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


def asked(peer, data, origin=None):
    """The one request that is handed over."""
    (step,) = peer.receive(data, origin)
    assert isinstance(step, Request)
    return step


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_known_revision_is_agreed_to(revision):
    peer = Peer("0.1.0", "Read first.")
    answer = sent(peer.receive(initialize(revision)))
    assert answer["id"] == 0
    assert answer["result"]["protocolVersion"] == revision
    assert answer["result"]["capabilities"] == {"tools": {"listChanged": True}}
    assert answer["result"]["serverInfo"] == {"name": "workroom", "title": "Workroom", "version": "0.1.0"}
    assert answer["result"]["instructions"] == "Read first."
    assert peer.agreed.name == "tester"


def test_an_unknown_revision_is_answered_with_the_newest():
    answer = sent(Peer("0.1.0").receive(initialize("2099-01-01")))
    assert answer["result"]["protocolVersion"] == "2025-11-25"
    assert "instructions" not in answer["result"]


@pytest.mark.parametrize("info", [None, [], {"name": 7}, {"name": ""}])
def test_a_client_without_a_name_is_served(info):
    peer = Peer("0.1.0")
    peer.receive(initialize(clientInfo=info))
    assert peer.agreed.name == "unknown client"


def test_initialize_without_a_revision_is_refused():
    answer = sent(Peer("0.1.0").receive(line(id=1, method="initialize", params={})))
    assert answer["error"]["code"] == -32602
    assert answer["error"]["data"]["supported"] == list(HANDSHAKE)


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
        (b'{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"loud"}}\n', -32602, 1),
        (b'{"jsonrpc":"2.0","method":7}\n', -32600, None),
    ],
)
def test_what_is_wrong_is_answered_and_the_connection_lives(bad, code, number):
    peer = ready()
    answer = sent(peer.receive(bad))
    assert answer["error"]["code"] == code
    assert answer["id"] == number
    assert sent(peer.receive(line(id=2, method="ping"))) == {"jsonrpc": "2.0", "id": 2, "result": {}}


@pytest.mark.parametrize("quiet", [b"\n", b"  \r\n", b'{"jsonrpc":"2.0","id":1,"result":{}}\n',
                                   b'{"jsonrpc":"2.0","method":"notifications/other"}\n'])  # fmt: skip
def test_what_wants_no_answer_gets_none(quiet):
    assert ready().receive(quiet) == []


def test_tools_wait_for_initialize_but_ping_does_not():
    peer = Peer("0.1.0")
    refused = sent(peer.receive(line(id=1, method="tools/list")))["error"]
    assert (refused["code"], refused["data"]["supported"]) == (-32602, list(REVISIONS))
    assert sent(peer.receive(line(id=2, method="ping")))["result"] == {}


def test_a_call_is_handed_over_and_answered():
    peer = ready()
    (step,) = peer.receive(line(id="c1", method="tools/call", params={"name": "t", "arguments": {"a": 1}}))
    assert isinstance(step, Request)
    assert tool_call(step.params) == ("t", {"a": 1})
    answer = peer.answer(step, encode({"x": "é\u2028"})).line
    assert len(answer.decode().splitlines()) == 1
    assert json.loads(answer) == {"jsonrpc": "2.0", "id": "c1", "result": {"x": "é\u2028"}}


@pytest.mark.parametrize("params", [{}, {"name": 7}, {"name": "x", "arguments": "y"}, {"name": "x", "arguments": []}])
def test_a_call_that_names_no_tool_or_has_no_object_is_refused(params):
    with pytest.raises(RpcError) as refused:
        tool_call(params)
    assert refused.value.code == -32602


def test_a_call_without_arguments_has_none():
    assert tool_call({"name": "t", "arguments": None}) == ("t", {})


def test_a_list_is_handed_over_and_may_be_refused():
    peer = ready()
    (step,) = peer.receive(line(id=1, method="tools/list"))
    assert step.method == "tools/list"
    refused = json.loads(peer.refuse(step, RpcError(-32603, "no")).line)["error"]
    assert refused == {"code": -32603, "message": "no"}


def test_an_id_in_use_is_refused_and_may_be_used_again_later():
    peer = ready()
    call = line(id=1, method="tools/call", params={"name": "t"})
    (step,) = peer.receive(call)
    assert sent(peer.receive(call))["error"]["code"] == -32600
    assert peer.answer(step, "{}")
    assert isinstance(peer.receive(call)[0], Request)


def test_a_cancelled_request_is_not_answered():
    peer = ready()
    (step,) = peer.receive(line(id=1, method="tools/call", params={"name": "t"}))
    cancel, end = peer.receive(line(method="notifications/cancelled", params={"requestId": 1}))
    assert isinstance(cancel, Cancel)
    assert (end.line, end.final) == (b"", True)
    assert cancel.request is step
    assert peer.answer(step, "{}") is None
    assert peer.receive(line(method="notifications/cancelled", params={"requestId": 1})) == []
    assert peer.receive(line(method="notifications/cancelled", params={"requestId": [1]})) == []


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
    answers = json.loads(peer.answer(step, "{}").line)
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


@settings(deadline=None)
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
    assert json.loads(peer.answer(step, encode("x\ud800y😀")).line.decode("utf-8"))["result"] == "x?y😀"


# Every message is answered, once, or is of a form that wants no answer.

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
METHODS = st.sampled_from(
    ["initialize", "ping", "tools/list", "tools/call", "server/discover", "subscriptions/listen", "resources/read",
     "logging/setLevel", "notifications/cancelled", "nothing/known", 7, None]
)  # fmt: skip
MESSAGES = st.fixed_dictionaries(
    {"jsonrpc": st.sampled_from(["2.0", "2.0", "2.0", "1.0", 2, None])},
    optional={
        "id": st.sampled_from([1, "a", 0, -5, 10**30, None, True, 1.5, [], {}]),
        "method": METHODS,
        "params": JSON | st.fixed_dictionaries({"_meta": st.just(MODERN_META) | JSON}),
        "result": JSON,
        "error": JSON,
    },
)


def wants_no_answer(message):
    """A notification or an answer, by its form."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return False
    if "method" not in message:
        return "result" in message or "error" in message
    return "id" not in message and isinstance(message["method"], str)


def check_answered(peer, steps, *, quiet):
    """One error, one result, or one request that waits; nothing for what wants nothing."""
    if quiet:
        assert all(isinstance(step, Cancel) or step.line == b"" for step in steps)
        return
    (step,) = steps
    if isinstance(step, Request):
        step = peer.refuse(step, RpcError(-32603, "seen"))
    message = json.loads(step.line)
    assert step.final
    assert ("error" in message) != ("result" in message)
    assert step.error == message.get("error", {}).get("code")


@settings(deadline=None)
@given(st.lists(MESSAGES | JSON, min_size=1, max_size=6), st.sampled_from(["", "2025-11-25", "2024-11-05"]))
def test_a_message_of_any_form_is_answered_once_or_wants_nothing(messages, revision):
    peer = ready(revision) if revision else Peer("0.1.0")
    for message in messages:
        check_answered(peer, peer.take(message), quiet=wants_no_answer(message))
        assert peer.open_requests() == []


@settings(deadline=None)
@given(st.binary(max_size=200).filter(lambda body: b"\n" not in body))
def test_a_line_of_any_bytes_is_answered_once(body):
    peer = ready()
    try:
        quiet = not body.strip() or wants_no_answer(json.loads(body))
    except ValueError:
        quiet = False
    check_answered(peer, peer.receive(body), quiet=quiet)


@settings(deadline=None)
@given(st.binary(min_size=1, max_size=3), st.integers(0, 200))
def test_a_damaged_request_is_answered_once(noise, at):
    good = line(id=1, method="tools/call", params={"name": "t", "arguments": {"path": "a.txt"}}).rstrip()
    bad = good[: at % len(good)] + noise.replace(b"\n", b" ") + good[at % len(good) :]
    peer = ready()
    try:
        quiet = wants_no_answer(json.loads(bad))
    except ValueError:
        quiet = False
    check_answered(peer, peer.receive(bad), quiet=quiet)


# The modern era.


def modern(number, method, version="2026-07-28", capabilities=None, client="modern", **params):
    meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": {"name": client, "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities or {},
    }
    return line(id=number, method=method, params={"_meta": meta, **params})


SERVER = {"name": "workroom", "title": "Workroom", "version": "0.1.0"}


def test_discovery_tells_what_is_spoken():
    result = sent(Peer("0.1.0", "Read first.").receive(modern(1, "server/discover")))["result"]
    assert result == {
        "resultType": "complete",
        "_meta": {"io.modelcontextprotocol/serverInfo": SERVER},
        "ttlMs": 0,
        "cacheScope": "private",
        "supportedVersions": ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
        "capabilities": {"tools": {"listChanged": True}},
        "instructions": "Read first.",
    }


def test_a_modern_request_needs_no_introduction_and_leaves_none():
    peer = Peer("0.1.0")
    request = asked(peer, modern(1, "tools/list", client="one", capabilities={"elicitation": {}}))
    assert (request.client.name, request.client.revision, request.client.modern) == ("one", "2026-07-28", True)
    assert request.client.capabilities == {"elicitation": {}}
    answer = json.loads(peer.answer(request, '{"tools":[]}').line)["result"]
    assert (answer["resultType"], answer["tools"], answer["ttlMs"], answer["cacheScope"]) == (
        "complete",
        [],
        0,
        "private",
    )
    assert peer.agreed is None
    assert sent(peer.receive(line(id=2, method="tools/list")))["error"]["code"] == -32602


def test_both_eras_are_served_on_one_connection():
    peer = ready("2025-06-18")
    old, new = (asked(peer, each) for each in (line(id=1, method="tools/list"), modern(2, "tools/list")))
    assert json.loads(peer.answer(old, '{"tools":[]}').line)["result"] == {"tools": []}
    assert json.loads(peer.answer(new, '{"tools":[]}').line)["result"]["resultType"] == "complete"


def test_a_call_that_a_modern_client_makes_is_not_for_keeping():
    peer = Peer("0.1.0")
    (request,) = peer.receive(modern(1, "tools/call", name="t"))
    result = json.loads(peer.answer(request, "{}").line)["result"]
    assert result == {"resultType": "complete", "_meta": {"io.modelcontextprotocol/serverInfo": SERVER}}


@pytest.mark.parametrize(
    ("meta", "missing"),
    [
        ({}, ["protocolVersion", "clientCapabilities"]),
        ({"io.modelcontextprotocol/protocolVersion": "2026-07-28"}, ["clientCapabilities"]),
        ({"io.modelcontextprotocol/clientCapabilities": {}}, ["protocolVersion"]),
    ],
)
def test_what_a_modern_request_lacks_is_named(meta, missing):
    error = sent(Peer("0.1.0").receive(line(id=1, method="server/discover", params={"_meta": meta})))["error"]
    assert error["code"] == -32602
    assert error["data"]["missing"] == [f"io.modelcontextprotocol/{name}" for name in missing]


@pytest.mark.parametrize("meta", [None, [], "x"])
def test_discovery_without_meta_is_refused(meta):
    assert (
        sent(Peer("0.1.0").receive(line(id=1, method="server/discover", params={"_meta": meta})))["error"]["code"]
        == -32602
    )


@pytest.mark.parametrize(("version", "capabilities"), [(7, {}), ("2026-07-28", [])])
def test_a_modern_request_with_fields_of_another_type_is_refused(version, capabilities):
    meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    }
    assert (
        sent(Peer("0.1.0").receive(line(id=1, method="tools/list", params={"_meta": meta})))["error"]["code"] == -32602
    )


@pytest.mark.parametrize("version", ["2099-01-01", "2025-11-25"])
def test_an_unsupported_version_is_told_those_that_are(version):
    error = sent(Peer("0.1.0").receive(modern(1, "tools/list", version)))["error"]
    assert error["code"] == -32022
    assert error["data"] == {"supported": list(REVISIONS), "requested": version}
    assert ("initialize" in error["message"]) == (version in HANDSHAKE)


@pytest.mark.parametrize("method", ["initialize", "ping", "logging/setLevel", "resources/subscribe", "unknown/method"])
def test_what_the_modern_era_has_not_is_no_method(method):
    assert sent(ready().receive(modern(1, method)))["error"]["code"] == -32601


@pytest.mark.parametrize("method", ["subscriptions/listen", "resources/read"])
def test_what_a_server_doesnt_declare_is_no_method(method):
    peer = Peer("0.1.0", capabilities={"tools": {}})
    assert sent(peer.receive(modern(1, method)))["error"]["code"] == -32601


# Progress, and questions to the client.


def test_progress_is_told_by_the_clients_token_while_the_request_is_open():
    peer = ready()
    (request,) = peer.receive(
        line(id=1, method="tools/call", params={"name": "t", "_meta": {"progressToken": "p"}}), "post"
    )
    told = peer.progress(request, {"progress": 3, "total": 9})
    assert json.loads(told.line)["params"] == {"progressToken": "p", "progress": 3, "total": 9}
    assert (told.origin, told.final) == ("post", False)
    peer.answer(request, "{}")
    assert peer.progress(request, {"progress": 4}) is None


@pytest.mark.parametrize("token", [None, True, 1.5, []])
def test_without_a_token_no_progress_is_told(token):
    peer = ready()
    (request,) = peer.receive(line(id=1, method="tools/call", params={"name": "t", "_meta": {"progressToken": token}}))
    assert peer.progress(request, {"progress": 1}) is None


def test_a_question_is_answered_once():
    peer = ready()
    (request,) = peer.receive(line(id=1, method="tools/call", params={"name": "t"}), "post")
    asked, question = peer.ask(request, "elicitation/create", {"message": "?"})
    message = json.loads(asked.line)
    assert (message["method"], message["params"], asked.origin) == ("elicitation/create", {"message": "?"}, "post")
    (reply,) = peer.receive(line(id=message["id"], result={"action": "accept"}))
    assert isinstance(reply, Reply)
    assert (reply.question, reply.result) == (question, {"action": "accept"})
    assert peer.receive(line(id=message["id"], result={"action": "accept"})) == []
    assert peer.take_back(question) is None


def test_a_question_that_is_taken_back_is_told_so():
    peer = ready()
    (request,) = peer.receive(line(id=1, method="tools/call", params={"name": "t"}), "post")
    _, question = peer.ask(request, "elicitation/create", {})
    taken = peer.take_back(question)
    assert json.loads(taken.line)["params"] == {"requestId": question.id}
    assert peer.receive(line(id=question.id, error={"code": 1, "message": "no"})) == []
