"""The feed of a workspace: what is held, what is too long ago, and when it is over."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from workroom.base.errors import WorkroomError
from workroom.base.events import ModeChanged
from workroom.interfaces.http.feed import AT_ONCE, Feed, Feeds
from workroom.system.store import Store

THREADS = 2


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "store", [])
    yield made
    made.close()


def happen(store: Store, times: int = 1) -> None:
    with store.write() as db:
        for _ in range(times):
            store.emit(db, ModeChanged("auto"), 1.5)


def followed(store: Store, work: Callable[[Feeds, Feed, asyncio.Event], Coroutine[Any, Any, None]]) -> None:
    """Run `work` with a feed of the store, and what it wakes."""

    async def all_of_it() -> None:
        with ThreadPoolExecutor(THREADS) as pool:
            feeds, woken = Feeds(pool), asyncio.Event()
            try:
                await work(feeds, await feeds.join(store, woken.set), woken)
            finally:
                feeds.leave(store, woken.set)

    asyncio.run(asyncio.wait_for(all_of_it(), 30))


async def until(feed: Feed, woken: asyncio.Event, number: int) -> None:
    while feed.last < number:
        await woken.wait()
        woken.clear()


def test_what_happens_is_held_and_what_was_before_is_not(store: Store) -> None:
    happen(store, 3)

    async def work(_feeds: Feeds, feed: Feed, woken: asyncio.Event) -> None:
        assert (feed.last, feed.after(3), feed.after(2)) == (3, [], None)
        happen(store, 2)
        await until(feed, woken, 5)
        assert [told.number for told in feed.after(3) or []] == [4, 5]
        assert [told.number for told in feed.after(4) or []] == [5]
        (told,) = feed.after(4) or []
        assert told.name == "mode_changed"
        assert told.text.startswith(b'id: 5\nevent: mode_changed\ndata: {"number":5,')
        assert told.text.endswith(b"}\n\n")

    followed(store, work)


def test_no_more_is_held_than_is_sent_at_once(store: Store) -> None:
    async def work(_feeds: Feeds, feed: Feed, woken: asyncio.Event) -> None:
        happen(store, AT_ONCE + 7)
        await until(feed, woken, AT_ONCE + 7)
        assert feed.after(6) is None
        held = feed.after(7) or []
        assert [told.number for told in held] == list(range(8, AT_ONCE + 8))

    followed(store, work)


def test_one_feed_serves_all_and_ends_with_the_last(store: Store) -> None:
    async def work(feeds: Feeds, feed: Feed, woken: asyncio.Event) -> None:
        other = asyncio.Event()
        assert await feeds.join(store, other.set) is feed
        happen(store)
        await until(feed, woken, 1)
        assert other.is_set()
        feeds.leave(store, other.set)
        other.clear()
        happen(store)
        await until(feed, woken, 2)
        assert not other.is_set()
        feeds.leave(store, woken.set)
        again = await feeds.join(store, woken.set)
        assert again is not feed
        assert (again.last, again.after(2)) == (2, [])

    followed(store, work)


def test_a_store_that_closes_ends_its_feed(store: Store) -> None:
    async def work(feeds: Feeds, feed: Feed, woken: asyncio.Event) -> None:
        closed = threading.Event()
        for _ in range(THREADS):
            feeds._pool.submit(closed.wait)  # so that what happens now is read when the store is closed
        happen(store)
        store.close()
        closed.set()
        await woken.wait()
        assert feed.is_over
        feeds.leave(store, woken.set)
        with pytest.raises(WorkroomError, match="closed"):
            await feeds.join(store, woken.set)

    followed(store, work)
