"""The sockets that are listened on."""

from __future__ import annotations

import asyncio
import socket

from workroom.interfaces.http import house


def test_no_part_of_an_answer_waits_for_the_one_before_to_be_taken():
    async def use():
        came = asyncio.get_running_loop().create_future()

        class Connection(asyncio.Protocol):
            def connection_made(self, transport):
                came.set_result(transport)

        listeners = house._bound(0)
        servers = [await asyncio.get_running_loop().create_server(Connection, sock=one) for one in listeners]
        client = await asyncio.to_thread(socket.create_connection, listeners[0].getsockname()[:2])
        transport = await came
        assert transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 1
        client.close()
        transport.close()
        for server in servers:
            server.close()

    asyncio.run(use())
