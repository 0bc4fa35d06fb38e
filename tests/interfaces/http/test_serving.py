"""Where a server listens for HTTP, from when, until when, and what of it the person is told."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.interfaces.http.conftest import Raw, Web, listening

import workroom
from workroom.interfaces.http import house

SERVE = [sys.executable, "-m", "workroom", "serve"]


def run(room, *arguments, code=0):
    argv = [sys.executable, "-m", "workroom", *arguments]
    done = subprocess.run(argv, cwd=room.folder, env=room.environ, capture_output=True, text=True, check=False)
    assert done.returncode == code, done
    return done.stdout + done.stderr


def port_in(said):
    return int(re.search(r"http://127\.0\.0\.1:(\d+)", said)[1])


def status_at(port, host=None):
    """The status of a request without a token: 401 is a server of ours."""
    raw = Raw(socket.create_connection(("127.0.0.1", port), 60))
    raw.send(f"GET /api/v1/workspaces HTTP/1.1\r\nhost: {host or f'127.0.0.1:{port}'}\r\n\r\n".encode())
    status = raw.answer().status
    raw.connection.close()
    return status


def is_open(port):
    try:
        socket.create_connection(("127.0.0.1", port), 60).close()
    except ConnectionRefusedError:
        return False
    return True


def test_serve_listens_and_tells_where(room):
    serve = [*SERVE, str(room.folder), "--port=0"]
    with subprocess.Popen(serve, env=room.environ, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout.readline().startswith("Serving ")
        port = port_in(server.stdout.readline())
        assert status_at(port) == 401
        assert f"HTTP: http://127.0.0.1:{port}" in run(room, "status")
        server.terminate()
        assert server.wait(60) == 0
    assert not is_open(port)


def test_serve_without_http(room):
    with subprocess.Popen([*SERVE, "--no-http"], env=room.environ, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout.readline().startswith("Serving ")
        assert "HTTP: off" in run(room, "status")
        modules = room.person().get("status")["server"]
        assert modules["http"] is None
        server.terminate()
    run(room, "serve", "--no-http", "--port", "80", code=2)


def test_a_running_server_listens_when_it_is_asked_to(room):
    room.agent()
    pid = room.pid()
    said = run(room, "serve", "--port", "0")
    assert f"process {pid}" in said
    port = port_in(said)
    assert status_at(port) == 401
    person = room.person()
    assert person.get("http")["url"].endswith(f":{port}"), "it stays where it is"
    assert "listens on port" in person.ask("http", port=port + 1)["error"]["message"]
    assert status_at(port) == 401


def test_a_port_that_is_taken_is_told(room):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = run(room, "serve", "--port", str(port), code=1)
        assert f"port {port} is taken" in said
        assert "--port" in said
        room.agent()
        assert f"port {port} is taken" in room.person().ask("http", port=port)["error"]["message"]
        assert room.person().get("status")["server"]["http"] is None


def test_without_a_port_the_next_free_one_is_taken():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        first = taken.getsockname()[1]
        assert list(house._listeners(first, ("127.0.0.1",))) == []
    both = house._bound(None, "127.0.0.1")
    others = house._bound(None, "127.0.0.1")
    numbers = [one[0].getsockname()[1] for one in (both, others)]
    assert numbers[0] != numbers[1]
    assert set(numbers) <= set(range(house.PORT, house.PORT + house._NEXT))
    for one in (*both, *others):
        one.close()


@pytest.mark.skipif(not socket.has_ipv6, reason="needs IPv6")
def test_a_port_is_free_on_both_addresses_or_not_at_all():
    try:
        taken = socket.create_server(("::1", 0), family=socket.AF_INET6)
    except OSError:
        pytest.skip("needs IPv6")
    with taken:
        assert list(house._listeners(taken.getsockname()[1], ("127.0.0.1", "::1"))) == []


def test_by_the_setting_every_server_listens(room):
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    (room.state / "settings.toml").write_text(f"http_port = {port}\n")
    room.agent()
    assert room.person().get("status")["server"]["http"] == f"http://127.0.0.1:{port}"
    assert status_at(port) == 401


def test_a_background_server_serves_without_a_port_that_is_taken(room):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        (room.state / "settings.toml").write_text(f"http_port = {port}\n")
        assert room.agent().call("workspace_inspect", action="list")["isError"] is False
        assert f"port {port} is taken" in run(room, "status")


def test_another_address_is_warned_of_and_needs_its_name(room):
    (room.state / "settings.toml").write_text('http_address = "0.0.0.0"\n')
    room.agent()
    opened = room.person().get("http", port=0)
    assert "beyond this machine and unencrypted" in opened["warning"]
    assert "http_hosts" in opened["warning"]
    port = port_in(opened["url"])
    assert status_at(port) == 401
    assert status_at(port, host=f"192.0.2.7:{port}") == 421
    assert "beyond this machine" in run(room, "status")
    room.stop()
    (room.state / "settings.toml").write_text(f'http_address = "0.0.0.0"\nhttp_hosts = ["192.0.2.7:{port}"]\n')
    room.agent()
    assert "http_hosts" not in run(room, "serve", "--port", str(port)).partition("beyond this machine")[2]
    assert status_at(port, host=f"192.0.2.7:{port}") == 401


def test_an_address_that_is_not_there_is_told(room):
    (room.state / "settings.toml").write_text('http_address = "192.0.2.7"\n')
    room.agent()
    said = room.person().ask("http", port=0)["error"]["message"]
    assert "192.0.2.7 (http_address) is no address of this machine" in said


def test_the_next_server_listens_where_the_one_before_did(room, tmp_path):
    copy = tmp_path / "installed"
    shutil.copytree(Path(workroom.__file__).parent, copy / "workroom", ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-P", "-m", "workroom", "serve", "--background"]
    environ = {**room.environ, "PYTHONPATH": str(copy)}
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as server:
        assert b"true" in server.stdout.readline()
        web = listening(room)
        (copy / "workroom" / "base" / "ids.py").touch()
        assert room.agent().call("workspace_inspect", action="list")["isError"] is False
        assert server.wait(60) == 0
    assert room.pid() != server.pid
    assert web.get("/workspaces").status == 200, "the same port, the same token"
    web.close()
    room.stop()
    room.agent()
    assert room.person().get("status")["server"]["http"] is None, "it was told to stop, and left nothing"


IDLE = """
import os, sys
from workroom.interfaces import daemon, link
place = link.Place(os.environ)
state = daemon.open_state(place)
server = daemon.Daemon(place, state, idle_seconds=0.1, http=sys.argv[1] == "http", port=0)
sys.exit(server.run(daemon.take_lock(place), lambda: print("ready", flush=True)))
"""


def test_a_server_that_listens_does_not_end_by_itself(room, tmp_path):
    def idle(how, state):
        environ = {**room.environ, "WORKROOM_STATE": str(state)}
        server = subprocess.Popen([sys.executable, "-c", IDLE, how], env=environ, stdout=subprocess.PIPE, text=True)
        assert server.stdout.readline() == "ready\n"
        return server

    with idle("http", room.state) as listens, idle("none", tmp_path / "state") as silent:
        assert silent.wait(60) == 0, "nobody came"
        server = room.person(start=False).get("status")["server"]
        assert (server["pid"], status_at(port_in(server["http"]))) == (listens.pid, 401)
        listens.terminate()
        assert listens.wait(60) == 0


def test_a_running_call_is_answered_when_the_server_stops(web: Web):
    web.room.person(web.room.folder).get("mode", mode="auto")
    pid = web.room.pid()
    operations = [{"type": "create", "path": f"d/{n}.txt", "content": "x\n" * 50} for n in range(200)]
    found = []
    calling = threading.Thread(target=lambda: found.append(web.call("edit", "apply", operations=operations)))
    calling.start()
    web.room.wait_for(lambda: any(web.room.folder.glob(".agentic/stage/*")) or (web.room.folder / "d").exists())
    os.kill(pid, signal.SIGTERM)
    calling.join()
    web.room.wait_for_end(pid)
    (answer,) = found
    assert (answer.status, answer.json["data"]["status"]) == (200, "applied")
    assert len(list((web.room.folder / "d").glob("*.txt"))) == 200


def test_a_call_that_waits_for_the_person_is_told_that_the_server_stops(web: Web):
    person = web.room.person(web.room.folder)
    person.get("mode", mode="manual")
    person.get("settings.set", key="wait_seconds_workspace", value=600)
    found = []
    operations = [{"type": "create", "path": "x.txt", "content": "x"}]
    calling = threading.Thread(target=lambda: found.append(web.call("edit", "apply", operations=operations)))
    calling.start()
    web.room.wait_for(lambda: person.get("pending")["pending"])
    web.room.stop()
    calling.join()
    assert (found[0].status, found[0].code) == (503, "CANCELLED")
    assert found[0].headers["retry-after"] == "1"


def test_a_call_that_waits_is_answered_when_the_person_decides(web: Web):
    person = web.room.person(web.room.folder)
    person.get("mode", mode="manual")
    person.get("settings.set", key="wait_seconds_workspace", value=600)
    found = []
    operations = [{"type": "create", "path": "x.txt", "content": "x"}]
    calling = threading.Thread(target=lambda: found.append(web.call("edit", "apply", operations=operations)))
    calling.start()
    web.room.wait_for(lambda: person.get("pending")["pending"])
    person.get("accept")
    calling.join()
    assert (found[0].status, found[0].json["data"]["status"]) == (200, "applied")


@pytest.mark.parametrize(
    "start",
    [
        "import workroom.interfaces.mcp.shim",
        "import workroom.interfaces.cli.app",
        "import workroom.interfaces.daemon",
        "import workroom",
    ],
)
def test_http_costs_nothing_where_it_is_not_used(start):
    look = "import sys; print(sorted({'starlette', 'uvicorn', 'h11', 'anyio'} & sys.modules.keys()))"
    said = subprocess.run([sys.executable, "-c", f"{start}\n{look}"], capture_output=True, text=True, check=True)
    assert said.stdout == "[]\n"
