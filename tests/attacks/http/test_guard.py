"""What comes from elsewhere, or is too much, is refused before anything looks at it; raw sockets, a real server."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import pytest
from tests.interfaces.http.conftest import Answer

EDIT = b'{"operations": [{"type": "create", "path": "x.txt", "content": "x"}]}'


def apply(web):
    return f"/api/v1/workspaces/{web.workspace}/tools/workspace_edit/apply"


def nothing_was_done(web):
    return not (web.room.folder / "x.txt").exists()


@pytest.fixture
def auto(visitor):
    """A workspace where every call of a token that counts would run at once."""
    visitor.room.person(visitor.room.folder).get("mode", mode="auto")
    return visitor


def refused(answer: Answer, *statuses: int) -> None:
    assert answer.status in statuses, (answer.status, answer.body)
    assert answer.json["ok"] is False
    assert not [name for name in answer.headers if name.startswith("access-control-")]
    assert "set-cookie" not in answer.headers


# W01: a name that was bound to this machine's address.


@pytest.mark.parametrize(
    "host",
    [
        "evil.test",
        "evil.test:{port}",
        "127.0.0.1.evil.test",
        "127.0.0.1.evil.test:{port}",
        "localhost.evil.test:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.1:{port}.evil.test",
        "127.0.0.1:{port}@evil.test",
        "evil.test@127.0.0.1:{port}",
        "0.0.0.0:{port}",
        "127.1:{port}",
        "2130706433:{port}",
        "localhost.:{port}",
        "[::]:{port}",
        "[::ffff:127.0.0.1]:{port}",
        "127.0.0.1:{port},evil.test",
        "",
    ],
)
def test_w01_another_host_is_refused(auto, host):
    answer = auto.ask("POST", apply(auto), EDIT, host=host.format(port=auto.port))
    refused(answer, 400, 421)
    assert nothing_was_done(auto)


def test_w01_two_hosts_none_and_one_in_the_target_are_refused(auto):
    request = auto.request("POST", apply(auto), EDIT)
    ours = f"host: {auto.host}\r\n".encode()
    for changed in (
        request.replace(ours, ours + b"host: evil.test\r\n"),
        request.replace(ours, b"host: evil.test\r\n" + ours),
        request.replace(ours, ours + ours),
        request.replace(ours, b""),
        request.replace(ours, b"").replace(b"HTTP/1.1", b"HTTP/1.0"),
        request.replace(b"POST /", b"POST http://evil.test/"),
        request.replace(ours, b"host : " + auto.host.encode() + b"\r\n"),
        request.replace(ours, b"x: y\r\n host: evil.test\r\n" + ours).replace(ours, b""),
    ):
        raw = auto.connect()
        raw.send(changed)
        refused(raw.answer(), 400, 421)
    assert nothing_was_done(auto)


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LocalHost", "[::1]"])
def test_w01_our_own_names_are_answered(auto, name):
    assert auto.get("/workspaces", host=f"{name}:{auto.port}").status == 200


# W02: another page asks.


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "http://localhost.evil",
        "http://localhost.evil:{port}",
        "http://evil.test",
        "http://127.0.0.1",
        "http://127.0.0.1:1",
        "http://127.0.0.1:{port}.evil.test",
        "http://127.0.0.1:{port}/",
        "http://localhost:{port}, http://evil.test",
        "file://",
        "chrome-extension://abcdef",
        "ws://127.0.0.1:{port}",
        "",
    ],
)
def test_w02_another_origin_is_refused(auto, origin):
    origin = origin.format(port=auto.port)
    refused(auto.ask("POST", apply(auto), EDIT, origin=origin), 403)
    refused(auto.get("/workspaces", origin=origin), 403)
    refused(auto.ask("OPTIONS", apply(auto), origin=origin, access_control_request_method="POST"), 403)
    assert nothing_was_done(auto)


@pytest.mark.parametrize("origin", ["null", "http://localhost.evil", "http://127.0.0.1:1"])
def test_w02_a_websocket_of_another_origin_is_refused(auto, origin):
    answer = auto.get(
        f"/workspaces/{auto.workspace}/events",
        origin=origin,
        connection="Upgrade",
        upgrade="websocket",
        sec_websocket_version="13",
        sec_websocket_key="dGhlIHNhbXBsZSBub25jZQ==",
    )
    refused(answer, 403)


def test_w02_our_own_origin_needs_its_token_all_the_same(auto):
    origin = f"http://{auto.host}"
    assert auto.get("/workspaces", origin=origin).status == 200
    refused(auto.get("/workspaces", origin=origin, authorization=None), 401)


# W03: what a page can send without asking first.


@pytest.mark.parametrize("site", ["cross-site", "same-site", "x"])
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
def test_w03_a_simple_request_of_another_site_is_refused(auto, site, kind):
    refused(auto.ask("POST", apply(auto), EDIT, content_type=kind, sec_fetch_site=site, sec_fetch_mode="no-cors"), 403)
    refused(auto.ask("POST", apply(auto), EDIT, content_type=kind, origin="http://evil.test"), 403)
    assert nothing_was_done(auto)


@pytest.mark.parametrize(
    "kind",
    [
        None,
        "text/plain",
        "text/plain; application/json",
        "application/json; charset=utf-16",
        "application/jsonp",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
    ],
)
def test_w03_a_body_that_is_not_called_json_is_refused_from_anybody(auto, kind):
    refused(auto.ask("POST", apply(auto), EDIT, content_type=kind), 415)
    assert nothing_was_done(auto)


def test_w03_a_token_counts_in_its_header_only(auto):
    for answer in (
        auto.get(f"/workspaces?access_token={auto.token}", authorization=None),
        auto.get("/workspaces", authorization=None, cookie=f"token={auto.token}"),
        auto.get("/workspaces", authorization=f"Basic {auto.token}"),
    ):
        refused(answer, 401)


# W06: too much of everything.


def test_w06_a_thousand_ranges_are_refused(auto):
    many = "bytes=" + ",".join(f"{start}-{start}" for start in range(1_000))
    refused(auto.get("/workspaces", range=many), 416)
    refused(auto.get("/openapi.json", range=many), 416)
    assert auto.get("/workspaces", range="bytes=0-10").status == 200


@pytest.mark.parametrize("part", [b"[", b'{"a":', b'[{"a":'])
def test_w06_json_nested_deep_is_refused(auto, part):
    deep = b'{"operations": ' + part * 100_000
    refused(auto.ask("POST", apply(auto), deep), 400)
    ends = {b"[": b"]", b'{"a":': b"}", b'[{"a":': b"}]"}
    sound = part * 100_000 + b"1" + ends[part] * 100_000
    refused(auto.ask("POST", apply(auto), b'{"title": "t", "operations": ' + sound + b"}"), 400)


def test_w06_a_gigabyte_that_is_announced_is_refused_at_once(auto):
    raw = auto.connect()
    raw.send(auto.request("POST", apply(auto), content_type="application/json", content_length=str(1 << 30)))
    refused(raw.answer(), 413)
    assert raw.ended()
    for length in ("99999999999999999999999999", "-1", "1e3", "0x10", "1, 1000000000"):
        refused(auto.ask("POST", apply(auto), content_type="application/json", content_length=length), 400, 413)


def peak(pid: int) -> int:
    """The most memory that a process has had, in bytes."""
    (line,) = (one for one in Path(f"/proc/{pid}/status").read_text().splitlines() if one.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def flood(connection: socket.socket, chunk: bytes, times: int) -> None:
    """Send as long as somebody takes it."""
    try:
        for _ in range(times):
            connection.sendall(chunk)
    except OSError:
        return


@pytest.mark.parametrize("way", ["chunked", "announced", "nobody's"])
def test_w06_a_gigabyte_that_is_sent_is_refused_and_held_by_nobody(web, way):
    length = {"content_length": str(1 << 30)} if way == "announced" else {"transfer_encoding": "chunked"}
    token = {"authorization": "Bearer x"} if way == "nobody's" else {}
    raw = web.connect()
    before = peak(web.room.pid())
    raw.send(web.request("POST", apply(web), content_type="application/json", **length, **token))
    piece = b"a" * (1 << 20)
    chunk = piece if way == "announced" else b"100000\r\n" + piece + b"\r\n"
    sending = threading.Thread(target=flood, args=(raw.connection, chunk, 1_024))
    sending.start()
    assert web.get("/workspaces").status == 200, "others are answered meanwhile"
    refused(raw.answer(), 401 if way == "nobody's" else 413)
    assert web.get("/workspaces").status == 200
    raw.ended()
    sending.join()
    assert peak(web.room.pid()) - before < 160 << 20
    assert nothing_was_done(web)


def test_w06_a_head_without_end_is_refused(auto):
    for sent in (
        b"GET /" + b"a" * 100_000,
        b"GET / HTTP/1.1\r\nx: " + b"a" * 100_000,
        b"GET / HTTP/1.1\r\n" + b"x: y\r\n" * 20_000,
    ):
        raw = auto.connect()
        raw.send(sent)
        refused(raw.answer(), 400, 431)
        assert raw.ended()
    refused(auto.ask("GET", "/" + "a" * 10_000), 414)


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(100),  # TLS
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET\r\n\r\n",
        b"\r\n\r\n\x00\x00\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /",
        b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: gzip, chunked\r\n\r\n",
        b"GET \xff\xfe HTTP/1.1\r\nhost: x\r\n\r\n",
    ],
)
def test_w06_what_is_no_request_is_refused(auto, sent):
    raw = auto.connect()
    raw.send(sent)
    answer = raw.answer()
    assert 400 <= answer.status < 500
    assert auto.get("/workspaces").status == 200


def test_w06_a_wrong_chunk_ends_the_connection(auto):
    raw = auto.connect()
    raw.send(auto.request("POST", apply(auto), content_type="application/json", transfer_encoding="chunked"))
    raw.send(b"zz\r\n{}\r\n")
    refused(raw.answer(), 400)
    assert raw.ended()
    assert nothing_was_done(auto)


def test_w06_many_who_say_nothing_keep_nobody_out(auto):
    idle = [auto.connect() for _ in range(200)]
    begun = [auto.connect() for _ in range(50)]
    for raw in begun:
        raw.send(b"POST / HTTP/1.1\r\nhost: ")
    assert auto.get("/workspaces").status == 200
    assert len(idle) + len(begun) == 250


# W07: a page that the agent's own server serves, on another port of this machine.


@pytest.mark.parametrize("page", ["http://127.0.0.1:{other}", "http://localhost:{other}", "http://[::1]:{other}"])
def test_w07_a_page_on_another_port_gets_nothing(auto, page):
    origin = page.format(other=auto.port + 1)
    for method, path, body in (
        ("GET", "/api/v1/workspaces", b""),
        ("GET", "/api/v1/openapi.json", b""),
        ("POST", apply(auto), EDIT),
        ("POST", f"/api/v1/workspaces/{auto.workspace}/approvals/approval_1/accept", b"{}"),
        ("OPTIONS", apply(auto), b""),
    ):
        refused(auto.ask(method, path, body, origin=origin, sec_fetch_site="same-site"), 403)
        refused(auto.ask(method, path, body, sec_fetch_site="same-site"), 403)
    assert nothing_was_done(auto)


def test_w07_no_answer_lets_a_page_read_or_be_somebody(auto):
    for answer in (auto.get("/workspaces"), auto.get("/openapi.json"), auto.get("/x"), auto.call("inspect", "list")):
        assert not [name for name in answer.headers if name.startswith("access-control-")]
        assert "set-cookie" not in answer.headers
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        assert answer.headers["cache-control"] == "no-store"


def test_who_shows_no_token_sends_no_body(auto):
    """The API's description is for everybody; what comes with the request for it is not read, nor kept."""
    raw = auto.connect()
    raw.send(
        auto.request(
            "GET",
            "/api/v1/openapi.json",
            authorization=None,
            content_type="application/json",
            content_length="30000000",
        )
    )
    answer = raw.answer()
    assert answer.status == 200
    assert answer.headers["connection"] == "close"


@pytest.mark.parametrize("part", [b"[],", b'"k":0,', b'"a",'])
@pytest.mark.parametrize("where", ["api", "mcp"])
def test_w06_a_body_of_millions_of_values_is_refused_unparsed(auto, where, part):
    path = apply(auto) if where == "api" else "/mcp"
    body = b"[" + part * 1_000_000 + b"1]"
    answer = auto.ask("POST", path, body, accept="application/json, text/event-stream")
    assert answer.status == 400
    assert b"more than 200,000 values" in answer.body
