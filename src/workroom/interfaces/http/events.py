"""What happens in a workspace, as a stream of server-sent events.

    id: 41                                    GET …/events                       from now on
    event: ready                              GET …/events?since=41              after event 41
    data: {"number":41}                       GET …/events, Last-Event-ID: 41    the same, as a client reconnects

    id: 42
    event: committed
    data: {"number":42,"at":…,"type":"committed","entry":7,…}

`resync` in the place of events: too many have happened, or the number asked for isn't of this workspace; look anew, and
go on from the number it brings. A comment line every 15 s tells that the stream is alive. It ends when the token counts
no more, when the workspace is closed, and when the server stops; a client then comes again.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Collection
from concurrent.futures import Executor
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.events import ApprovalDecided, ApprovalStaged, Committed, Event, ModeChanged, PlanChanged
from workroom.interfaces.http.feed import AT_ONCE, Feed, Feeds, Told, encoded
from workroom.interfaces.http.place import entered
from workroom.server.hub import Hub
from workroom.tools.workspace import Workspace

__all__ = ["TYPES", "Stream", "follow_events", "since_of"]

TYPES: tuple[type[Event], ...] = (Committed, ApprovalStaged, ApprovalDecided, PlanChanged, ModeChanged)
"""What an agent may see: no more than `workspace_inspect changes` tells it. What isn't listed is the person's."""

_NAMES = frozenset(each.type for each in TYPES)
_HEARTBEAT_SECONDS = 15.0
_FAR_BEHIND = 20_000
_LARGEST = 2**53


async def follow_events(request: Request) -> Response:
    """The events of a workspace from a number on."""
    since = since_of(request)
    async with entered(request) as place:
        workspace = place.rooms.active()
    lane = request.state.hub.pool.lane(request.state.client.actor.name)
    stream = Stream(
        request.state.hub, request.state.feeds, lane, workspace, request.state.stopping, request.state.current
    )
    return StreamingResponse(stream.events(since), media_type="text/event-stream")


def since_of(request: Request) -> int | None:
    """The number behind which the client wants to go on; what it says when it reconnects is newer than its address."""
    text = request.headers.get("last-event-id") or request.query_params.get("since")
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 17 and int(text) < _LARGEST):
        raise WorkroomError(
            ErrorCode.INVALID_INPUT, "`since` and Last-Event-ID are the number of an event.", next_step="Leave it out."
        )
    return int(text)


class Stream:
    """One client's stream. Everything here belongs to the loop's thread."""

    def __init__(
        self,
        hub: Hub,
        feeds: Feeds,
        lane: Executor,
        workspace: Workspace,
        stopping: asyncio.Event,
        is_current: Callable[[], bool],
        names: Collection[str] | None = _NAMES,
    ) -> None:
        """`names` are the types of event that are told; None: all."""
        self._names = names
        self._hub = hub
        self._feeds = feeds
        self._lane = lane
        self._workspace = workspace
        self._stopping = stopping
        self._is_current = is_current
        self._loop = asyncio.get_running_loop()
        self._woken = asyncio.Event()
        self._closed = False

    async def events(self, since: int | None) -> AsyncIterator[bytes]:
        """The stream's bytes, until it is over for whatever reason."""
        wake = self._woken.set
        self._hub.closing.append(self._closing)
        stopper = self._loop.create_task(self._stopping.wait())
        stopper.add_done_callback(lambda _task: self._woken.set())
        try:
            feed = await self._feeds.join(self._workspace.store, wake)
            async for part in self._follow(feed, since):
                yield part
        except WorkroomError:  # the workspace is closed
            return
        except asyncio.CancelledError:
            if not self._stopping.is_set():
                raise  # the client has gone
        finally:
            stopper.cancel()
            self._hub.closing.remove(self._closing)
            self._feeds.leave(self._workspace.store, wake)

    async def _follow(self, feed: Feed, since: int | None) -> AsyncIterator[bytes]:
        sent = feed.last if since is None else since
        yield b"retry: 2000\n" + _note("ready", sent)
        while self._goes_on() and not feed.is_over:
            self._woken.clear()
            last = max(feed.last, await self._last()) if sent > feed.last else feed.last
            if not last - _FAR_BEHIND <= sent <= last:
                sent = last
                yield _note("resync", last)
            rows = await self._after(feed, sent)
            if rows:
                sent = rows[-1].number
                yield b"".join(row.text for row in rows if self._names is None or row.name in self._names)
            elif not await self._wait():
                yield b": here\n\n"

    def _goes_on(self) -> bool:
        return not self._closed and not self._stopping.is_set() and self._is_current()

    async def _last(self) -> int:
        """By the store: who has just asked for something may know more than the feed does yet."""
        last: int = await self._read(self._workspace.store.last_event)
        return last

    async def _after(self, feed: Feed, number: int) -> list[Told]:
        held = feed.after(number)
        if held is not None:
            return held
        return [encoded(row) for row in await self._read(self._workspace.store.events_since, number, AT_ONCE)]

    async def _read(self, read: Callable[..., Any], *arguments: Any) -> Any:
        return await self._loop.run_in_executor(self._lane, read, *arguments)

    async def _wait(self) -> bool:
        """Wait for news; False when there are none for a while."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_HEARTBEAT_SECONDS):
                return await self._woken.wait()
        return False

    def _closing(self, workspace: Workspace) -> None:
        if workspace is self._workspace:
            self._closed = True
            with contextlib.suppress(RuntimeError):  # the loop is over
                self._loop.call_soon_threadsafe(self._woken.set)


def _note(name: str, number: int) -> bytes:
    return f'id: {number}\nevent: {name}\ndata: {{"number":{number}}}\n\n'.encode("ascii")
