"""Sessions without a connection: there while something runs, and a while after."""

from __future__ import annotations

import asyncio

from workroom.server.lobby import Lobby
from workroom.server.rooms import KnownDoors, Rooms


def there(hub):
    """How many sessions are there: each hears of folders that are closed."""
    return len(hub.closing)


def begin(hub, session):
    return lambda: Rooms(hub, session, KnownDoors(hub))


def test_a_session_is_the_same_until_it_rests_for_long(hub):
    async def use():
        lobby = Lobby(0.2)
        with lobby.visit("a", begin(hub, "a")) as first:
            with lobby.visit("a", begin(hub, "a")) as second:
                assert first is second
            await asyncio.sleep(0.4)
            assert there(hub) == 1
        await asyncio.sleep(0.1)
        with lobby.visit("a", begin(hub, "a")) as third:
            assert third is first
            await asyncio.sleep(0.2)
        assert there(hub) == 1
        await asyncio.sleep(0.4)
        assert (there(hub), len(lobby)) == (0, 0)

    asyncio.run(use())


def test_of_too_many_the_longest_unused_goes_and_none_that_is_in_use(hub):
    async def use():
        lobby = Lobby(60, 2)
        with lobby.visit("a", begin(hub, "a")):
            with lobby.visit("b", begin(hub, "b")) as b:
                pass
            with lobby.visit("c", begin(hub, "c")):
                assert len(lobby) == 2
                with lobby.visit("b", begin(hub, "b")) as again:
                    assert again is not b
                    assert len(lobby) == 3

    asyncio.run(use())
