"""A request and its response: what holds them, and for how long."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Iterator

import pytest

from workroom.interfaces.mcp.streamable.exchange import Exchange


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collector")
def test_a_request_that_was_waited_for_is_gone_when_it_is_closed():
    async def use() -> bool:
        async def receive() -> None:
            await asyncio.Event().wait()

        exchange = Exchange({"method": "POST", "headers": []}, receive, receive, 1.0)
        assert await exchange.wait(asyncio.Event(), 0.001) is False
        exchange.close()
        held = weakref.ref(exchange)
        del exchange
        for _ in range(3):  # the task that was cancelled ends
            await asyncio.sleep(0)
        return held() is None

    assert asyncio.run(use())
