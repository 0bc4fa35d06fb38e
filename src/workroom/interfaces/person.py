"""The person's side of the socket: JSON lines, each a method of `person/` or of the server itself.

    {"id": 1, "method": "accept", "params": {"words": "approval_7k3 fine by me"}}
    {"id": 1, "result": {...}}      or      {"id": 1, "error": {"code", "message", "next_step", "details"}}

`events` is answered, and then followed by `{"event": {...}}` lines from the number asked for until the connection ends;
a client that has fallen far behind gets `{"resync": NUMBER}` and is to take a new look. Whatever an agent wrote is
escaped before it leaves.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import Mapping
from typing import Any

from workroom.base.actor import Actor
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.events import Event
from workroom.interfaces.channel import LINE_BYTES, Channel
from workroom.interfaces.methods import Asking, HttpParams, Server, SinceParams, method_of, parsed
from workroom.interfaces.wording import person_error
from workroom.person.credential import PersonCredential
from workroom.server.rooms import Rooms
from workroom.server.session import Session
from workroom.tools.workspace import Workspace

__all__ = ["PersonConnection"]

_log = logging.getLogger(__name__)

_EVENTS_AT_ONCE = 500
_FAR_BEHIND = 20_000


class PersonConnection:
    """Answers one person's connection; requests run side by side, and each is answered when it is done."""

    def __init__(
        self, channel: Channel, server: Server, session: Session, credential: PersonCredential, rooms: Rooms
    ) -> None:
        self.workspace = session.workspace
        self._rooms = rooms
        self._asking = Asking(credential, server, session, rooms)
        self._channel = channel
        self._server = server
        self._loop = asyncio.get_running_loop()
        self._calls: set[asyncio.Task[None]] = set()
        self._stream: asyncio.Task[None] | None = None
        self._over = False
        channel.hear, channel.finished, channel.overrun = self.hear, self.finish, self._overrun
        channel.ended += (self._ended, rooms.leave)

    def hear(self, line: bytes) -> None:
        """Take one request."""
        task = self._loop.create_task(self._answer(line))
        self._calls.add(task)
        task.add_done_callback(self._done)

    def part(self) -> None:
        """Hear nothing more, and end when all is answered."""
        self._channel.rest()
        self.finish()

    def finish(self) -> None:
        """Nothing more is asked: end when all is answered, and follow no events."""
        self._over = True
        if self._stream is not None:
            self._stream.cancel()
        self._end_if_through()

    def _overrun(self) -> None:
        error = WorkroomError(ErrorCode.LIMIT_EXCEEDED, f"A request is at most {LINE_BYTES:,} bytes.")
        self._send({"id": None, "error": person_error(error)})
        self.finish()

    def _done(self, task: asyncio.Task[None]) -> None:
        self._calls.discard(task)
        self._end_if_through()

    def _end_if_through(self) -> None:
        if self._over and not self._calls:
            self._channel.close()

    def _ended(self) -> None:
        if self._stream is not None:
            self._stream.cancel()

    async def _answer(self, line: bytes) -> None:
        number: Any = None
        try:
            number, name, params = _request(line)
            result = await self._run(name, params)
            self._send({"id": number, "result": result})
        except WorkroomError as error:
            self._send({"id": number, "error": person_error(error)})
        except Exception:  # noqa: BLE001 - a fault of ours is told as one, and the connection lives
            _log.exception("a request of the person's failed")
            fault = WorkroomError(ErrorCode.INTERNAL, "The server met a fault; its log tells more.")
            self._send({"id": number, "error": person_error(fault)})

    async def _run(self, name: str, params: dict[str, Any]) -> Mapping[str, Any]:
        if name == "stop":
            self._loop.call_soon(self._server.stop)
            return {"stopping": True}
        if name == "http":
            url, warning = await self._server.open_http(parsed(HttpParams, name, params).port)
            return {"url": url, "warning": warning}
        if name == "events":
            return await self._follow(parsed(SinceParams, name, params).since)
        method = method_of(name, ("stop", "http", "events"))
        if name == "tool":
            self._introduce()
        checked = parsed(method.params, name, params)
        return await self._loop.run_in_executor(self._server.hub.pool, method.run, self._asking, checked)

    async def _follow(self, since: int | None) -> dict[str, Any]:
        """Begin to send events after `since` (None: from now on); a second asking begins anew."""
        self._introduce()
        start = since
        if start is None:
            store = self._asking.workspace.store
            start = await self._loop.run_in_executor(self._server.hub.pool, store.last_event)
        if self._over:
            return {"since": start}
        if self._stream is not None:
            self._stream.cancel()
        self._stream = self._loop.create_task(self._send_events(self._asking.workspace, start))
        return {"since": start}

    async def _send_events(self, workspace: Workspace, sent: int) -> None:
        news = asyncio.Event()

        def hear(_number: int, _event: Event) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is over
                self._loop.call_soon_threadsafe(news.set)

        pool = self._server.hub.pool
        leave = workspace.store.subscribe(hear)
        try:
            while True:
                news.clear()
                last = await self._loop.run_in_executor(pool, workspace.store.last_event)
                if last - sent > _FAR_BEHIND:
                    self._send({"resync": last})
                    sent = last
                rows = await self._loop.run_in_executor(pool, workspace.store.events_since, sent, _EVENTS_AT_ONCE)
                for row in rows:
                    self._send({"event": row})
                    sent = row["number"]
                await self._channel.writable.wait()
                if not rows:
                    await news.wait()
        finally:
            leave()

    def _introduce(self) -> None:
        """Be there for others to see: who works in the folder or watches it, and not who only asks something."""
        person = self._asking.credential.actor
        self._rooms.introduce(Actor(person.kind, person.name, self._rooms.session))

    def _send(self, body: dict[str, Any]) -> None:
        self._channel.send(json.dumps(body, separators=(",", ":")).encode("ascii") + b"\n")


def _request(line: bytes) -> tuple[Any, str, dict[str, Any]]:
    try:
        body = json.loads(line)
        number, name, params = body["id"], body["method"], body.get("params") or {}
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        raise WorkroomError(ErrorCode.INVALID_INPUT, "A request is a JSON object with id and method.") from None
    if not isinstance(name, str) or not isinstance(params, dict):
        raise WorkroomError(ErrorCode.INVALID_INPUT, "method is a string, params an object.")
    return number, name, params
