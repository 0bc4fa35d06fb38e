"""The server process: its handshake, its stopping, its making way."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import workroom
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.interfaces import link


def spoken(room, line):
    """What the server says to a first line."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(60)
        connection.connect(room.place.socket)
        connection.sendall(line)
        received = b""
        while chunk := connection.recv(65536):
            received += chunk
        return json.loads(received)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"garbage\n", "INVALID_INPUT"),
        (b"{}\n", "INVALID_INPUT"),
        (b'{"workroom": 1, "role": "king"}\n', "INVALID_INPUT"),
        (b'{"workroom": 99, "role": "agent"}\n', "UNSUPPORTED"),
        (b'{"workroom": 1, "role": "agent"}\n', "INVALID_INPUT"),
        (b'{"workroom": 1, "role": "agent", "workspace": "relative"}\n', "INVALID_INPUT"),
        (b'{"workroom": 1, "role": "agent", "workspace": "/", "profile": "x"}\n', "INVALID_INPUT"),
        (b'{"workroom": 1, "role": "person"}\n', "PROTECTED_PATH"),
        (b'{"workroom": 1, "role": "person", "key": "0000"}\n', "PROTECTED_PATH"),
    ],
)
def test_a_wrong_first_line_is_refused(guest, line, code):
    guest.agent()
    answer = spoken(guest, line)
    assert answer["ok"] is False
    assert answer["error"]["code"] == code


def test_the_socket_is_the_users_alone(guest):
    guest.agent()
    assert Path(guest.place.socket).stat().st_mode & 0o777 == 0o600
    assert guest.state.stat().st_mode & 0o777 == 0o700


def test_passed_descriptors_that_nobody_wants_are_closed(guest):
    guest.agent()
    pid = guest.pid()
    before = len(os.listdir(f"/proc/{pid}/fd"))
    reading, writing = os.pipe()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(guest.place.socket)
        socket.send_fds(connection, [b"garbage\n"], [reading, writing])
        assert b"INVALID_INPUT" in connection.recv(65536)
    os.close(reading)
    os.close(writing)
    guest.wait_for(lambda: len(os.listdir(f"/proc/{pid}/fd")) <= before)


@pytest.mark.parametrize("count", [0, 1])
def test_a_shim_whose_pipes_did_not_arrive_is_told(guest, count):
    guest.agent()
    reading, writing = os.pipe()
    greeting = link.hello("agent", str(guest.folder), environ={}) | {"pipes": True}
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(60)
        connection.connect(guest.place.socket)
        socket.send_fds(connection, [json.dumps(greeting).encode() + b"\n"], [reading][:count])
        answer = json.loads(connection.recv(65536))
    os.close(reading)
    os.close(writing)
    assert answer["error"]["code"] == "IO_ERROR"
    assert answer["error"]["next_step"]


def test_a_shim_greets_once(guest):
    guest.agent()
    (hears, says), (reads, writes) = os.pipe(), os.pipe()
    greeting = link.hello("agent", str(guest.folder), environ={})
    with link.join(guest.place, greeting, descriptors=(hears, writes)).connection as connection:
        connection.settimeout(60)
        connection.sendall(json.dumps(greeting).encode() + b"\n")
        os.write(says, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        assert os.read(reads, 4096)
        os.close(says)
        assert json.loads(connection.recv(65536)) == {"over": True}
    for descriptor in (hears, reads, writes):
        os.close(descriptor)


def test_a_first_line_may_lack_its_newline(guest):
    guest.agent()
    greeting = link.hello("agent", str(guest.folder), environ={})
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(60)
        connection.connect(guest.place.socket)
        connection.sendall(json.dumps(greeting).encode())
        connection.shutdown(socket.SHUT_WR)
        assert json.loads(connection.recv(65536))["ok"] is True
        assert connection.recv(65536) == b""


def test_a_server_without_room_for_a_connection_more_rests_until_there_is(room):
    room.agent().end()
    pid = room.pid()
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, before[1]))  # what is open stays open
    log = room.state / "logs" / "server.log"
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(60)
        connection.connect(room.place.socket)
        connection.sendall(b"garbage\n")
        room.wait_for(lambda: "connections wait" in log.read_text())
        worked = worked_seconds(pid)
        time.sleep(2.5)
        assert worked_seconds(pid) - worked < 0.5
        assert log.read_text().count("connections wait") == 1
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
        assert b"INVALID_INPUT" in connection.recv(65536)


def worked_seconds(pid):
    """What a process has used of the processor."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_a_folder_inside_an_open_one_is_refused(guest):
    (guest.folder / "sub").mkdir()
    guest.agent()
    for folder in (guest.folder / "sub", guest.folder.parent):
        greeting = link.hello("agent", str(folder), environ={})
        with pytest.raises(WorkroomError) as caught:
            link.join(guest.place, greeting)
        assert caught.value.code is ErrorCode.UNSUPPORTED


def test_a_second_server_joins_or_opens_there(room):
    room.agent()
    pid = room.pid()
    serve = [sys.executable, "-m", "workroom", "serve"]
    background = subprocess.run([*serve, "--background"], env=room.environ, capture_output=True, check=True)
    assert json.loads(background.stdout) == {"ok": True}
    other = room.folder.parent / "other"
    other.mkdir()
    foreground = subprocess.run([*serve, str(other)], env=room.environ, capture_output=True, text=True, check=True)
    assert f"process {pid}" in foreground.stdout
    assert "/#code_" in foreground.stdout
    assert str(other) in [row["path"] for row in room.person().get("status")["workspaces"]]


def test_serving_in_the_foreground_until_it_is_told_to_stop(room):
    serve = [sys.executable, "-m", "workroom", "serve", str(room.folder)]
    with subprocess.Popen(serve, env=room.environ, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert str(room.folder) in server.stdout.readline()
        assert server.stdout.readline().startswith("HTTP: http://127.0.0.1:")
        assert server.stdout.readline().startswith("The page: http://127.0.0.1:")
        assert room.pid() == server.pid
        assert room.person().get("stop") == {"stopping": True}
        assert server.wait(60) == 0
    assert not Path(room.place.socket).exists()


def test_a_running_commit_is_finished_before_the_server_stops(room):
    (room.state / "settings.toml").write_text('mode = "auto"\n')
    client = room.agent()
    pid = room.pid()
    operations = [{"type": "create", "path": f"d/{n}.txt", "content": "x\n" * 50} for n in range(200)]
    arguments = {"action": "apply", "operations": operations}
    client.send(id="c", method="tools/call", params={"name": "workspace_edit", "arguments": arguments})
    room.person().get("status")  # by now the server has read the call
    os.kill(pid, signal.SIGTERM)
    answer = client.receive()
    room.wait_for_end(pid)
    made = len(list((room.folder / "d").glob("*.txt"))) if (room.folder / "d").exists() else 0
    assert made == (200 if "result" in answer and not answer["result"]["isError"] else 0)
    assert client.call("workspace_inspect", action="list")["isError"] is False  # by the next server
    assert not list(room.folder.glob(".agentic/stage/*"))


def test_a_server_whose_files_have_changed_makes_way(room, tmp_path):
    copy = tmp_path / "installed"
    shutil.copytree(Path(workroom.__file__).parent, copy / "workroom", ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-P", "-m", "workroom", "serve", "--background"]
    environ = {**room.environ, "PYTHONPATH": str(copy)}
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as server:
        assert server.stdout is not None
        assert json.loads(server.stdout.readline()) == {"ok": True}
        client = room.agent()  # of another installation: that alone is no reason to go
        assert room.pid() == server.pid
        (copy / "workroom" / "base" / "ids.py").touch()
        assert room.agent().call("workspace_inspect", action="list")["isError"] is False
        assert server.wait(60) == 0
    assert client.call("workspace_inspect", action="list")["isError"] is False
    assert room.pid() != server.pid


def test_a_dead_socket_is_replaced(room):
    room.agent()
    os.kill(room.pid(), signal.SIGKILL)
    assert Path(room.place.socket).exists()
    assert room.agent().call("workspace_inspect", action="list")["isError"] is False


def test_a_foreign_holder_of_the_folder_is_told(room):
    import fcntl

    descriptor = os.open(room.folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        client = room.agent()
        (tool,) = client.request("tools/list")["result"]["tools"]
        assert "Another process" in client.call(tool["name"])["content"][0]["text"]
    finally:
        os.close(descriptor)
