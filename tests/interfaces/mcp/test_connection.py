"""One agent's connection, where the server goes while calls are under way."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from contextlib import contextmanager

from workroom.base.pulse import Pulse
from workroom.interfaces.channel import SocketChannel
from workroom.interfaces.mcp.calls import Run
from workroom.interfaces.mcp.connection import Connection
from workroom.server.rooms import OpenDoors, Rooms
from workroom.server.session import Session

LIST = {"name": "workspace_inspect", "arguments": {"action": "list"}}


@contextmanager
def connected(hub, workspace):
    """A connection whose client has introduced itself, and the client's end."""
    ours, theirs = socket.socketpair()
    with theirs:
        theirs.settimeout(30)
        channel = SocketChannel(ours)
        rooms = Rooms(hub, "session_1", OpenDoors(hub), workspace, alone=True)
        connection = Connection(channel, hub, Session("session_1", "workspace", workspace), workspace, rooms)
        connection.hear(line(id=0, method="initialize", params={"protocolVersion": "2025-11-25"}))
        assert received(theirs)["id"] == 0
        yield channel, connection, theirs
        channel.close()


def line(**message):
    return json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"


def until(true):
    deadline = time.monotonic() + 30
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def received(client):
    data = b""
    while not data.endswith(b"\n"):
        data += client.recv(65536)
    return json.loads(data)


@contextmanager
def busy(hub):
    """Every thread of the pool has something else to do."""
    go_on, begun = threading.Event(), threading.Barrier(17)

    def work():
        begun.wait(30)
        go_on.wait(30)

    for _ in range(16):
        hub.pool.run(work)
    begun.wait(30)
    try:
        yield
    finally:
        go_on.set()


def test_a_call_that_has_not_begun_is_told_so_and_never_begins(hub, house):
    async def part():
        with connected(hub, house.workspace) as (_, connection, client):
            operations = [{"type": "create", "path": "a.txt", "content": "x\n"}]
            arguments = {"action": "apply", "operations": operations}
            with busy(hub):
                connection.hear(
                    line(id=1, method="tools/call", params={"name": "workspace_edit", "arguments": arguments})
                )
                connection.hand_back()
                told = received(client)
            assert told["id"] == 1
            assert "nothing was done. Send it again." in told["error"]["message"]
            assert hub.pool.close(30)

    asyncio.run(part())
    assert not (house.folder / "a.txt").exists()


def test_an_answer_that_is_ready_leaves_before_the_connection_is_handed_back(hub, house):
    """The channel is held where the answer is on its way into it: handing back has to wait."""

    async def part():
        with connected(hub, house.workspace) as (channel, connection, client):
            channel.rest()
            (step,) = connection._conversation._peer.receive(line(id=1, method="tools/call", params=LIST))
            connection._conversation._calls._running[step] = Run(Pulse())
            with channel._lock:
                answering = threading.Thread(target=connection._conversation._calls._run, args=(step, lambda: "{}"))
                answering.start()
                until(lambda: not connection._conversation._peer.open_requests())
                handing = threading.Thread(target=connection.hand_back)
                handing.start()
                handing.join(0.2)
                assert handing.is_alive()
            answering.join(30)
            handing.join(30)
            assert received(client)["id"] == 1

    asyncio.run(part())
