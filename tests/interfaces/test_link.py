"""Where the server is, and how a client joins it."""

from __future__ import annotations

import importlib.metadata
import json
import os
import socket
import threading
from pathlib import Path

import pytest

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.interfaces import link
from workroom.system.state import StateDirectory


def test_the_version_is_the_package_s():
    assert importlib.metadata.version("workroom") == link.VERSION


def test_the_state_directory_follows_the_environment():
    assert link.Place({"HOME": "/home/a"}).state == "/home/a/.local/state/workroom"
    assert link.Place({"HOME": "/home/a", "XDG_STATE_HOME": "/s"}).state == "/s/workroom"
    assert link.Place({"HOME": "/home/a", "XDG_STATE_HOME": "/s", "WORKROOM_STATE": "/w"}).state == "/w"


def test_a_server_sees_only_what_is_listed():
    place = link.Place({"HOME": "/h", "PATH": "/bin", "SECRET": "x", "PYTHONPATH": "/evil", "WORKROOM_STATE": "/w"})
    assert place.environ == {
        "HOME": "/h", "PATH": "/bin", "WORKROOM_STATE": "/w", "PYDANTIC_DISABLE_PLUGINS": "__all__",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["short", "long" * 40])
@pytest.mark.parametrize("runtime", [None, "r"])
def test_the_socket_is_where_the_state_directory_says(tmp_path, name, runtime):
    environ = {"HOME": str(tmp_path), "WORKROOM_STATE": str(tmp_path / name)}
    if runtime:
        environ["XDG_RUNTIME_DIR"] = "/tmp"
    place = link.Place(environ)
    state = StateDirectory(Path(place.state), runtime=Path(place.runtime) if place.runtime else None)
    state.make()
    assert place.socket == str(state.socket_path())


def test_the_fingerprint_is_of_the_installed_files():
    assert link.build() == link.build()
    assert len(link.build()) == 16


def test_the_hello_is_one_short_line():
    greeting = link.hello("agent", "/w", environ={"PATH": "/bin", "SECRET": "x"})
    assert greeting["env"] == {"PATH": "/bin"}
    assert b"\n" not in json.dumps(greeting).encode()


def place_with(tmp_path, answer):
    """A place where something that is no server of ours answers."""
    place = link.Place({"WORKROOM_STATE": str(tmp_path)})
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(place.socket)
    listener.listen()

    def serve():
        with listener, listener.accept()[0] as connection:
            connection.recv(65536)
            connection.sendall(answer)

    threading.Thread(target=serve, daemon=True).start()
    return place


def joined(place, **options):
    return link.join(place, link.hello("agent", "/w", environ={}), start=False, **options)


def test_nobody_listens(tmp_path):
    with pytest.raises(link.NoServerError) as caught:
        joined(link.Place({"WORKROOM_STATE": str(tmp_path)}))
    assert caught.value.code is ErrorCode.NOT_FOUND
    (tmp_path / "x").write_text("")
    with pytest.raises(WorkroomError):
        joined(link.Place({"WORKROOM_STATE": str(tmp_path / "x")}))


def test_an_answer_is_taken_with_what_came_behind_it(tmp_path):
    found = joined(place_with(tmp_path, b'{"ok": true, "session": "s"}\nmore'))
    found.connection.close()
    assert (found.answer["session"], found.rest) == ("s", b"more")


def test_a_refusal_comes_as_it_is(tmp_path):
    error = {"code": "UNSUPPORTED", "message": "No.", "next_step": "Go.", "details": {"a": 1}}
    with pytest.raises(WorkroomError) as caught:
        joined(place_with(tmp_path, json.dumps({"ok": False, "error": error}).encode() + b"\n"))
    assert (caught.value.code, str(caught.value), caught.value.details) == (ErrorCode.UNSUPPORTED, "No. Go.", {"a": 1})


def test_a_server_that_cannot_start_is_told_with_what_to_do(tmp_path):
    place = link.Place({"WORKROOM_STATE": str(tmp_path)})
    place.environ["PYTHONHOME"] = str(tmp_path / "nowhere")
    with pytest.raises(link.NoServerError, match="ended before it was ready") as caught:
        link.join(place, link.hello("agent", "/w", environ={}))
    assert caught.value.code is ErrorCode.IO_ERROR
    assert str(tmp_path / "logs" / "server.log") in caught.value.next_step
    assert "workroom stop" in caught.value.next_step


@pytest.mark.parametrize("answer", [b'{"ok": false, "retry": true}\n', b""])
def test_a_server_that_makes_way_is_left(tmp_path, answer):
    with pytest.raises(WorkroomError) as caught:
        joined(place_with(tmp_path, answer))
    assert caught.value.code is ErrorCode.NOT_FOUND


def test_who_listens_is_looked_at():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert link.peer_uid(ours) == os.geteuid()
