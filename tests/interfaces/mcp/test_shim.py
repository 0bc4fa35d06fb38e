"""`workroom mcp`, as a client meets it: real processes, real pipes."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import struct
import subprocess
import sys
import termios

import pytest


def status_of(client):
    """What the one tool says where the workspace can't be used."""
    tools = client.request("tools/list")["result"]["tools"]
    assert [tool["name"] for tool in tools] == ["agentic_workspace_status"]
    answer = client.call("agentic_workspace_status")
    assert answer["isError"] is False
    assert answer["content"][0]["text"] == answer["structuredContent"]["summary"]
    return answer["structuredContent"]["data"]


def waiting_in(pipe):
    """How many bytes were written to a pipe and not read."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]


@pytest.mark.parametrize("revision", ["2025-06-18", "2025-11-25"])
def test_both_revisions_list_and_call(guest, revision):
    (guest.folder / "a.txt").write_text("one\ntwo\n")
    client = guest.shim()
    hello = client.initialize(revision)
    assert hello["protocolVersion"] == revision
    assert hello["capabilities"]["tools"] == {"listChanged": True}
    tools = client.request("tools/list")["result"]["tools"]
    assert {"workspace_inspect", "workspace_edit", "workspace_notes", "workspace_plan"} <= {t["name"] for t in tools}
    for tool in tools:
        assert tool["inputSchema"]["type"] == "object"
        assert tool["inputSchema"]["additionalProperties"] is False
        # Of an answer that may show a picture no structured content is promised: clients would show that alone.
        assert ("outputSchema" in tool) is (tool["name"] != "workspace_inspect")
        assert tool.get("outputSchema", {"type": "object"})["type"] == "object"
        assert tool["annotations"]["openWorldHint"] is False
        assert len(json.dumps(tool, separators=(",", ":"))) < 4000
    answer = client.call("workspace_inspect", action="read", path="a.txt")
    assert answer["isError"] is False
    assert answer["structuredContent"]["protocol"] == "agentic-workspace/v1"
    assert "2 | two" in answer["structuredContent"]["data"]["text"]
    assert "2 | two" in answer["content"][0]["text"]
    assert client.end() == 0


def test_a_refusal_says_the_same_in_both_forms(guest):
    client = guest.agent()
    answer = client.call("workspace_inspect", action="read", path="nowhere.txt")
    assert answer["isError"] is True
    assert answer["structuredContent"]["error"]["code"] == "NOT_FOUND"
    assert answer["content"][0]["text"].startswith("NOT_FOUND: ")
    assert "nowhere.txt" in answer["content"][0]["text"]


def test_garbage_is_answered_and_the_connection_lives(guest):
    client = guest.agent()
    for garbage, code in ((b"garbage\n", -32700), (b"\xff\xfe\x00\n", -32700), (b"[]\n", -32600), (b"7\n", -32600)):
        client.write(garbage)
        answer = client.receive()
        assert answer["id"] is None
        assert answer["error"]["code"] == code
    assert client.request("no/such")["error"]["code"] == -32601
    assert client.request("ping")["result"] == {}
    assert client.end() == 0


def test_a_large_message_and_its_answer_pass(guest):
    client = guest.agent()
    answer = client.call("workspace_notes", action="write", name="x", content="é\u2028" * 2_000_000)
    assert answer["structuredContent"]["error"]["code"] == "LIMIT_EXCEEDED"
    (guest.folder / "big.txt").write_text("".join(f"line {n}: zwölf\u2028\n" for n in range(5000)))
    answer = client.call("workspace_inspect", action="read", path="big.txt")
    assert answer["structuredContent"]["data"]["truncated"] is True


def test_answers_come_as_they_are_ready_and_a_cancelled_one_does_not(guest):
    client = guest.agent()
    client.send(id="slow", method="tools/call", params={"name": "workspace_inspect", "arguments": {"action": "list"}})
    client.send(method="notifications/cancelled", params={"requestId": "slow", "reason": "enough"})
    client.send(id="after", method="ping")
    answers = [client.receive()]
    if answers[-1]["id"] == "slow":  # it was faster than the word that it isn't wanted
        answers.append(client.receive())
    assert answers[-1] == {"jsonrpc": "2.0", "id": "after", "result": {}}


def test_many_calls_at_once_are_all_answered(guest):
    client = guest.agent()
    for number in range(100):
        client.send(
            id=f"n{number}", method="tools/call", params={"name": "workspace_inspect", "arguments": {"action": "list"}}
        )
    assert {client.receive()["id"] for _ in range(100)} == {f"n{number}" for number in range(100)}


def test_a_changed_mode_is_told_to_every_client(guest):
    clients = [guest.agent(), guest.agent()]
    before = [tool["name"] for tool in clients[0].request("tools/list")["result"]["tools"]]
    assert "workspace_plan" in before
    assert guest.person(guest.folder).get("mode", mode="auto") == {"mode": "auto", "level": 2}
    for client in clients:
        assert client.receive() == {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
        after = [tool["name"] for tool in client.request("tools/list")["result"]["tools"]]
        assert after == [name for name in before if name != "workspace_plan"]


def test_a_mode_changed_in_the_file_is_told_with_the_next_call(room):
    client = room.agent()
    (room.state / "settings.toml").write_text('mode = "auto"\n')
    client.call("workspace_inspect", action="stat", path=".")
    assert client.receive()["method"] == "notifications/tools/list_changed"


def test_settings_that_are_wrong_are_told_and_nothing_runs(room):
    client = room.agent()
    (room.state / "settings.toml").write_text('mode = "whatever"\n')
    answer = client.call("workspace_inspect", action="list")
    assert answer["structuredContent"]["error"]["code"] == "INVALID_INPUT"
    assert "mode" in answer["content"][0]["text"]
    assert "mode" in client.request("tools/list")["error"]["message"]


@pytest.mark.parametrize("to_file", [False, True])
def test_files_instead_of_pipes(guest, tmp_path, to_file):
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
         "params": {"name": "workspace_inspect", "arguments": {"action": "list"}}},
    ]  # fmt: skip
    said = tmp_path / "in"
    said.write_text("".join(json.dumps(line) + "\n" for line in lines))
    heard = tmp_path / "out"
    with said.open("rb") as stdin, heard.open("wb") as stdout:
        command = [sys.executable, "-m", "workroom", "mcp", str(guest.folder)]
        ended = subprocess.run(
            command,
            stdin=stdin,
            stdout=stdout if to_file else subprocess.PIPE,
            env=guest.environ,
            timeout=60,
            check=True,
        )
    out = heard.read_bytes() if to_file else ended.stdout
    assert [json.loads(line)["id"] for line in out.splitlines()] == [1, 2]


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_what_the_starter_has_closed_is_no_reason_to_hang(guest, closed):
    command = ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-m", "workroom", "mcp"]
    for folder in (str(guest.folder), str(guest.folder / "gone")):
        ended = subprocess.run(
            [*command, folder], env=guest.environ, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=True
        )
        assert ended.stdout + ended.stderr == b""
    wrong = subprocess.run([*command, "--nothing"], env=guest.environ, capture_output=True, timeout=60, check=False)
    assert wrong.returncode == 2


@pytest.mark.parametrize("folder", [".", "gone"])
def test_the_last_line_may_lack_its_newline(guest, folder):
    first = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}
    last = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    ended = subprocess.run(
        [sys.executable, "-m", "workroom", "mcp", str(guest.folder / folder)],
        input=f"{json.dumps(first)}\n{json.dumps(last)}".encode(),
        stdout=subprocess.PIPE,
        env=guest.environ,
        timeout=60,
        check=True,
    )
    assert [json.loads(line)["id"] for line in ended.stdout.splitlines()] == [1, 2]


def test_a_line_that_is_too_long_is_told_before_the_end(guest):
    client = guest.agent()
    with contextlib.suppress(BrokenPipeError):
        for _ in range(65):
            client.write(b"x" * (1 << 20))
    error = client.receive()
    assert (error["id"], error["error"]["code"]) == (None, -32600)
    assert "67,108,864 bytes" in error["error"]["message"]
    assert client.process.wait(60) == 0
    assert "too long" in (guest.state / "logs" / "server.log").read_text()


@pytest.mark.parametrize("folder", [".", "gone"])
def test_the_client_s_ends_block_again_when_all_is_over(guest, folder):
    (hears, says), (reads, writes) = os.pipe(), os.pipe()
    command = [sys.executable, "-m", "workroom", "mcp", str(guest.folder / folder)]
    with subprocess.Popen(command, stdin=hears, stdout=writes, env=guest.environ) as process:
        os.write(says, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        assert os.read(reads, 4096)
        os.close(says)
        assert process.wait(60) == 0
    assert (os.get_blocking(hears), os.get_blocking(writes)) == (True, True)
    for descriptor in (hears, reads, writes):
        os.close(descriptor)


def test_where_no_workspace_is_the_answers_reach_a_file_too(guest, tmp_path):
    heard = tmp_path / "out"
    with heard.open("wb") as stdout:
        command = [sys.executable, "-m", "workroom", "mcp", str(guest.folder / "gone")]
        lines = b"".join(b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n' % number for number in range(500))
        subprocess.run(command, input=lines, stdout=stdout, env=guest.environ, timeout=60, check=True)
    assert [json.loads(line)["id"] for line in heard.read_bytes().splitlines()] == list(range(500))


def test_the_folder_may_be_named_in_several_ways(guest, tmp_path):
    (tmp_path / "ws" / "x.txt").write_text("x")
    for arguments in (["-C", str(tmp_path), "ws"], ["--profile=workspace", "-C", str(guest.folder)]):
        client = guest.agent(*arguments)
        assert client.call("workspace_inspect", action="stat", path="x.txt")["isError"] is False


def test_help_and_a_wrong_command_line(guest):
    command = [sys.executable, "-m", "workroom", "mcp"]
    told = subprocess.run([*command, "--help"], capture_output=True, env=guest.environ, check=True)
    assert told.stdout.startswith(b"usage:")
    for wrong in (["--nothing"], ["a", "b"], ["-C"]):
        ended = subprocess.run([*command, *wrong], capture_output=True, env=guest.environ, check=False)
        assert (ended.returncode, ended.stdout) == (2, b"")
        assert b"usage:" in ended.stderr


# Where the workspace can't be used.


def test_a_missing_folder_is_told_by_the_one_tool(guest):
    client = guest.shim(str(guest.folder / "gone"))
    client.initialize("2025-06-18")
    data = status_of(client)
    assert data["code"] == "NOT_FOUND"
    assert str(guest.folder / "gone") in data["message"]
    other = client.call("workspace_inspect", action="list")
    assert other["isError"] is True
    assert other["structuredContent"]["error"]["code"] == "NOT_FOUND"
    client.write(b"garbage\n")
    assert client.receive()["error"]["code"] == -32700
    assert client.end() == 0


def test_a_store_of_a_newer_version_is_told(room):
    room.agent().end()
    room.stop()
    (database,) = room.state.glob("workspaces/*/workspace.db")
    import apsw

    with apsw.Connection(str(database)) as db:
        db.execute("INSERT INTO meta VALUES ('future/9', 0)")
    data = status_of(room.agent())
    assert data["code"] == "UNSUPPORTED"
    assert "newer" in data["message"]


def test_a_profile_that_is_not_there_is_told(guest):
    assert status_of(guest.agent("--profile", "files", str(guest.folder)))["code"] == "UNSUPPORTED"
    assert status_of(guest.agent("--profile", "nonsense", str(guest.folder)))["code"] == "INVALID_INPUT"


def test_a_server_that_cannot_start_is_told(guest):
    blocked = guest.state / "file"
    blocked.write_text("")
    data = status_of(guest.agent(WORKROOM_STATE=str(blocked / "state")))
    assert data["code"] == "IO_ERROR"
    assert str(blocked) in data["message"]


# A server that goes.


def test_the_next_server_goes_on_where_the_last_was_stopped(room):
    (room.folder / "a.txt").write_text("one\n")
    client = room.agent()
    first = room.pid()
    room.stop()
    answer = client.call("workspace_inspect", action="read", path="a.txt")
    assert answer["isError"] is False
    assert room.pid() != first
    room.stop()
    assert client.end() == 0


def test_tools_are_to_be_listed_again_with_the_next_server(room):
    client = room.agent()
    room.stop()
    client.send(id=50, method="ping")
    assert client.receive()["method"] == "notifications/tools/list_changed"
    assert client.receive()["id"] == 50


def test_a_client_ends_while_no_server_runs(room):
    client = room.agent()
    room.stop()
    assert client.end() == 0


def test_half_a_line_is_handed_on_to_the_next_server(room):
    client = room.agent()
    client.write(b'{"jsonrpc":"2.0","id":7,')
    room.wait_for(lambda: waiting_in(client.process.stdin) == 0)  # the server has read it
    room.stop()
    client.write(b'"method":"ping"}\n')
    assert client.receive()["method"] == "notifications/tools/list_changed"
    assert client.receive() == {"jsonrpc": "2.0", "id": 7, "result": {}}


def test_a_crash_of_the_server_ends_the_client_and_the_next_one_works(room):
    client = room.agent()
    os.kill(room.pid(), signal.SIGKILL)
    assert client.process.wait(60) == 1
    again = room.agent()
    assert again.call("workspace_inspect", action="list")["isError"] is False


def test_a_client_that_dies_leaves_the_server_to_others(guest):
    client, other = guest.agent(), guest.agent()
    client.process.kill()
    client.process.wait()
    assert other.call("workspace_inspect", action="list")["isError"] is False


def test_two_clients_that_start_at_once_share_one_server(room):
    clients = [room.shim() for _ in range(4)]
    for client in clients:
        client.initialize()
    pids = {client.call("workspace_inspect", action="capabilities")["isError"] for client in clients}
    assert pids == {False}
    log = (room.state / "logs" / "server.log").read_text()
    assert log.count(" listens on ") == 1


def test_the_shim_loads_nothing_heavy(guest):
    script = "import sys; from workroom.interfaces.mcp import shim; print(*sys.modules)"
    environ = {name: value for name, value in guest.environ.items() if not name.startswith("COVERAGE")}
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environ, check=True)
    modules = set(loaded.stdout.split())
    heavy = {"pydantic", "asyncio", "apsw", "dataclasses", "inspect", "argparse", "pathlib", "subprocess", "tomllib"}
    assert not modules & heavy
    ours = {name for name in modules if name.startswith("workroom.")}
    assert ours <= {
        "workroom.base", "workroom.base.errors", "workroom.interfaces", "workroom.interfaces.link",
        "workroom.interfaces.mcp", "workroom.interfaces.mcp.diagnostic", "workroom.interfaces.mcp.eras",
        "workroom.interfaces.mcp.jsonrpc", "workroom.interfaces.mcp.protocol", "workroom.interfaces.mcp.shim",
        "workroom.interfaces.mcp.steps", "workroom.text", "workroom.text.strict_json",
    }  # fmt: skip


def test_a_newer_client_is_told_too_why_its_folder_cant_be_used(guest):
    blocked = guest.state / "file"
    blocked.write_text("")
    client = guest.shim(WORKROOM_STATE=str(blocked / "state"))
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    assert client.request("server/discover", _meta=meta)["result"]["capabilities"] == {"tools": {}}
    (tool,) = client.request("tools/list", _meta=meta)["result"]["tools"]
    answer = client.request("tools/call", _meta=meta, name=tool["name"])["result"]
    assert (answer["resultType"], answer["structuredContent"]["data"]["code"]) == ("complete", "IO_ERROR")
    assert client.request("tools/call", _meta=meta)["error"]["code"] == -32602
    assert client.request("subscriptions/listen", _meta=meta, notifications={})["error"]["code"] == -32601
    assert client.end() == 0
