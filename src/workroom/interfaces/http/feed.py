"""What has happened lately in a workspace: read and encoded once, for however many streams follow it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from workroom.base.errors import WorkroomError
from workroom.system.store import Store

__all__ = ["AT_ONCE", "Feed", "Feeds", "Told", "encoded"]

AT_ONCE = 500
"""Events that are read from the store, or sent to a client, at once; and that are held for all streams together."""


@dataclass(frozen=True, slots=True)
class Told:
    """An event as a stream sends it."""

    number: int
    name: str
    text: bytes


class Feed:
    """The newest events of one workspace. Everything here belongs to the loop's thread, apart from `_heard`."""

    def __init__(self, store: Store, pool: Executor) -> None:
        self.last = 0
        """The number of the newest event that is known here."""
        self.is_over = False
        """Whether no more is read; whoever follows has to come again."""
        self._store = store
        self._pool = pool
        self._loop = asyncio.get_running_loop()
        self._recent: deque[Told] = deque()
        self._before = 0
        self._wakes: list[Callable[[], None]] = []
        self._news = asyncio.Event()
        self._leave = store.subscribe(lambda _number, _event: self._heard())
        self._reader = self._loop.create_task(self._read())
        self._begun: asyncio.Future[None] = self._loop.create_future()

    async def join(self, wake: Callable[[], None]) -> None:
        """Call `wake` at news, from now on; `last` is true from here. A closed workspace raises as its store does."""
        self._wakes.append(wake)
        await asyncio.shield(self._begun)

    def leave(self, wake: Callable[[], None]) -> bool:
        """Call it no more; answers whether nobody follows, and this is over."""
        self._wakes.remove(wake)
        if not self._wakes:
            self._leave()
            self._reader.cancel()
        return not self._wakes

    def after(self, number: int) -> list[Told] | None:
        """The events behind one, oldest first; None where that is longer ago than what is held."""
        if number < self._before:
            return None
        newer: list[Told] = []
        for told in reversed(self._recent):
            if told.number <= number:
                break
            newer.append(told)
        return newer[::-1]

    def _heard(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is over
            self._loop.call_soon_threadsafe(self._news.set)

    async def _read(self) -> None:
        """Begin behind all that has happened, and read on whenever something happens."""
        try:
            self.last = self._before = await self._ask(self._store.last_event)
            self._begun.set_result(None)
            while True:
                await self._news.wait()
                self._news.clear()
                while rows := await self._ask(self._store.events_since, self.last, AT_ONCE):
                    self._add(rows)
        except Exception as error:
            if not self._begun.done():
                self._begun.set_exception(error)
            elif not isinstance(error, WorkroomError):  # the workspace is closed
                raise
        finally:
            self.is_over = True
            self._wake()

    async def _ask(self, read: Callable[..., Any], *arguments: Any) -> Any:
        return await self._loop.run_in_executor(self._pool, read, *arguments)

    def _add(self, rows: list[dict[str, Any]]) -> None:
        self._recent.extend(map(encoded, rows))
        self.last = self._recent[-1].number
        while len(self._recent) > AT_ONCE:
            self._before = self._recent.popleft().number
        self._wake()

    def _wake(self) -> None:
        for wake in self._wakes:
            wake()


class Feeds:
    """The feeds of all workspaces that somebody follows."""

    def __init__(self, pool: Executor) -> None:
        self._pool = pool
        self._feeds: dict[Store, Feed] = {}

    async def join(self, store: Store, wake: Callable[[], None]) -> Feed:
        """The feed of a workspace; `leave` with the same `wake` when done, also where this was cancelled or raised."""
        feed = self._feeds.get(store)
        if feed is None:
            feed = self._feeds[store] = Feed(store, self._pool)
        await feed.join(wake)
        return feed

    def leave(self, store: Store, wake: Callable[[], None]) -> None:
        """Follow it no more."""
        feed = self._feeds.get(store)
        if feed is not None and feed.leave(wake):
            del self._feeds[store]


def encoded(row: dict[str, Any]) -> Told:
    """An event's row, as `Store.events_since` has it, in the form of server-sent events."""
    name, number = row["type"], row["number"]
    body = json.dumps(row, separators=(",", ":"))
    return Told(number, name, f"id: {number}\nevent: {name}\ndata: {body}\n\n".encode("ascii"))
