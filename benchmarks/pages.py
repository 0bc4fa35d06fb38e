"""How soon every open page is told of an agent's commit: from the sending of the call to the event at each page.

Many pages follow the events of one folder; one of them reads nothing at all. The peer's figure is the answer to the
agent itself, from the same call: what is left between both is what the telling costs. Drawing isn't in it.
"""

from __future__ import annotations

import asyncio
import http.client
import itertools
import json
import threading
import time
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote, urlsplit

from benchmarks.client import Client
from benchmarks.measure import Figure, percentile
from benchmarks.ours import Ours

__all__ = ["Pages", "edit", "measure"]

_COMMITS = 60
_WARM = 5
_STREAMS_OF_A_KEY = 100
_GOAL_MS = 100.0
_TOLD = b"event: committed"


def measure(scratch: Path) -> Iterator[Figure]:
    """The median and the 95th percentile over all pages and commits, with 1, 50 and 500 pages."""
    folder = scratch / "ours"
    folder.mkdir(parents=True)
    (folder / "edit.txt").write_text("turn 0 of the edit\n")
    house = Ours(folder, scratch / "state")
    try:
        # Who reads nothing counts as one of them, and holds up nobody.
        for count in (1, 50, 500):
            with Client(house.command, house.environ) as agent, Pages(house, count) as pages:
                yield from _figures(count, *pages.watch(agent))
    finally:
        house.stop()


def _figures(count: int, told: list[float], answered: list[float]) -> Iterator[Figure]:
    name = "1 page is told" if count == 1 else f"{count} pages are told"
    goal = _GOAL_MS if count == 50 else None
    yield Figure(f"{name}, median", percentile(told, 50), percentile(answered, 50), None, "ms")
    yield Figure(f"{name}, 95th percentile", percentile(told, 95), percentile(answered, 95), goal, "ms")


class Pages:
    """Pages that follow a folder's events, on a loop in a thread of its own, and one that never reads."""

    def __init__(self, house: Ours, count: int) -> None:
        self._house = house
        self._count = count
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._told: list[float] = []
        self._all_told = threading.Event()
        self._writers: list[asyncio.StreamWriter] = []
        self._following: list[asyncio.Task[None]] = []

    def __enter__(self) -> Self:
        self._thread.start()
        self._run(self._open()).result(60)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._run(self._close()).result(60)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def watch(self, agent: Client) -> tuple[list[float], list[float]]:
        """Seconds until each page was told, and until the agent was answered, of commits one after the other."""
        told, answered = [], []
        now = int((self._house.folder / "edit.txt").read_text().split()[1])
        for turn in itertools.islice(itertools.count(now), _WARM + _COMMITS):
            self._told, began = [], time.perf_counter()
            self._all_told.clear()
            agent.call("workspace_edit", action="apply", operations=[edit(turn)])
            took = time.perf_counter() - began
            if not self._all_told.wait(30):
                raise RuntimeError(f"{self._count - len(self._told)} pages weren't told")
            if turn >= now + _WARM:
                answered.append(took)
                told += [at - began for at in self._told]
        return told, answered

    def _run(self, work: Coroutine[Any, Any, None]) -> Future[None]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def _open(self) -> None:
        address = key = ""
        for number in range(self._count + 1):
            if number % _STREAMS_OF_A_KEY == 0:
                address, key = await asyncio.to_thread(_signed_in, self._house)
            reader, writer = await self._ask(address, key)
            self._writers.append(writer)
            if number:
                await reader.readuntil(b"event: ready")
                self._following.append(asyncio.create_task(self._follow(reader)))

    async def _ask(self, address: str, key: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        host, _, port = address.rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        path = f"/page/v1/events?workspace={quote(str(self._house.folder))}"
        head = f"GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\n\r\n"
        writer.write(head.encode())
        return reader, writer

    async def _follow(self, reader: asyncio.StreamReader) -> None:
        while True:
            await reader.readuntil(_TOLD)
            self._told.append(time.perf_counter())
            if len(self._told) == self._count:
                self._all_told.set()

    async def _close(self) -> None:
        for task in self._following:
            task.cancel()
        await asyncio.gather(*self._following, return_exceptions=True)
        for writer in self._writers:
            writer.close()


def edit(turn: int) -> dict[str, str]:
    """The operation that makes the file of one turn that of the next."""
    search, replacement = f"turn {turn} of the edit", f"turn {turn + 1} of the edit"
    return {"type": "replace", "path": "edit.txt", "search": search, "replacement": replacement}


def _signed_in(house: Ours) -> tuple[str, str]:
    """Host and port, and a key for the code in the link that a terminal prints."""
    link = urlsplit(house.run("page").split()[0])
    asked = http.client.HTTPConnection(link.netloc)
    asked.request("POST", "/page/v1/sign-in", json.dumps({"code": link.fragment}), {"Content-Type": "application/json"})
    key: str = json.loads(asked.getresponse().read())["key"]
    return link.netloc, key
