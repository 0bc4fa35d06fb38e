"""The ASGI application at `/mcp`: one HTTP request in, one response or stream of events out.

    POST     a message, or a batch where the revision has them. Answered as JSON where the answer is there soon, as a
             stream of events where something comes before it or it takes its time. Notifications and answers: 202.
    GET      with a session: the standing stream, or (Last-Event-ID) the rest of any of its streams
    DELETE   ends a session

With a session a lost connection cancels nothing: what was asked is finished, and its answer waits to be fetched.
Without one, the end of the connection is the end of the request.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

from starlette.types import Receive, Scope
from starlette.types import Send as Transmit

from workroom.interfaces.mcp.eras import negotiated
from workroom.interfaces.mcp.jsonrpc import INVALID_REQUEST, PARSE_ERROR, decode
from workroom.interfaces.mcp.streamable.exchange import Exchange, Left
from workroom.interfaces.mcp.streamable.limits import Limits
from workroom.interfaces.mcp.streamable.place import Converser, Door, Place
from workroom.interfaces.mcp.streamable.rules import (
    RefusedError,
    check_accept,
    check_content_type,
    check_mirrored,
    check_revision,
    check_stateless,
    is_stateless,
    status_of,
)
from workroom.interfaces.mcp.streamable.sessions import HttpSession, Kept, Sessions
from workroom.interfaces.mcp.streamable.stream import Event, Reader, Stream

__all__ = ["Endpoint"]

_PRIMED = "2025-11-25"
"""The revision since which clients take an event without data, which only tells them where a stream begins."""
_JSON, _EVENTS = "application/json", "text/event-stream"


class Endpoint:
    """Serves MCP to whoever the door lets in. Everything here belongs to the loop's thread."""

    def __init__(self, door: Door, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self.sessions = Sessions(self._limits)
        self._door = door
        self._served: Counter[str] = Counter()
        self._alone: dict[Converser, Place] = {}
        """Conversations of one request each, with their places."""
        self._stopping: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, transmit: Transmit) -> None:
        exchange = Exchange(scope, receive, transmit, self._limits.stall_seconds)
        try:
            place = await self._door(scope)
            self._served[place.owner] += 1
            try:
                if self._served[place.owner] > self._limits.requests:
                    raise RefusedError(429, INVALID_REQUEST, "Too many requests of this token are being served.")
                await self._serve(exchange, place)
            finally:
                self._served[place.owner] -= 1
                if not self._served[place.owner]:
                    del self._served[place.owner]
        except RefusedError as refused:
            await exchange.refuse(refused)
        except Left:
            pass
        finally:
            exchange.close()

    def part(self, room: str) -> None:
        """End what happens in a room that is being closed."""
        self.sessions.end_all(lambda session: session.room == room)
        self._stop_alone(lambda place: place.room == room)

    def expel(self, owner: str) -> None:
        """End what a token has begun: it counts no more."""
        self.sessions.end_all(lambda session: session.owner == owner)
        self._stop_alone(lambda place: place.owner == owner)

    def rest(self) -> None:
        """End the streams that only wait for something to happen; what is under way goes on."""
        self.sessions.rest()
        for conversation in list(self._alone):
            if not conversation.busy:
                conversation.stop()

    def stop(self) -> list[Kept]:
        """Tell everybody that this server goes, and answer the sessions that another may go on with."""
        self._stop_alone(lambda _place: True)
        return self.sessions.stop()

    async def _serve(self, exchange: Exchange, place: Place) -> None:
        serve = {"POST": self._post, "GET": self._get, "DELETE": self._delete}.get(exchange.method)
        if serve is None:
            raise _wrong_method("GET, POST, DELETE")
        await serve(exchange, place)

    # POST.

    async def _post(self, exchange: Exchange, place: Place) -> None:
        check_content_type(exchange.headers)
        check_accept(exchange.headers, _JSON, _EVENTS)
        message = await self._read(exchange)
        post = self._post_alone if is_stateless(exchange.headers, message) else self._post_in_session
        try:
            await post(exchange, place, message)
        except RefusedError as refused:
            await exchange.refuse(refused, message.get("id") if isinstance(message, dict) else None)

    async def _read(self, exchange: Exchange) -> Any:
        """The body's message, or batch of them, within bounds."""
        body = await exchange.body()
        try:
            is_small = len(body) <= self._limits.small_bytes
            message = decode(body) if is_small else await asyncio.to_thread(decode, body)
        except ValueError as error:
            raise RefusedError(400, PARSE_ERROR, f"The body is not JSON: {str(error)[:200]}.") from None
        messages = message if isinstance(message, list) else [message]
        if len(messages) > self._limits.batch:
            raise RefusedError(400, INVALID_REQUEST, f"A batch has at most {self._limits.batch} messages.")
        if len(body) > self._limits.other_bytes and not all(map(_is_call, messages)):
            most = f"{self._limits.other_bytes:,} bytes"
            raise RefusedError(413, INVALID_REQUEST, f"A message that calls no tool has at most {most}.")
        return message

    async def _post_in_session(self, exchange: Exchange, place: Place, message: Any) -> None:
        check_revision(exchange.headers)
        given, begun = exchange.headers.get("mcp-session-id"), None
        if given is None and isinstance(message, dict) and message.get("method") == "initialize":
            begun, session = self.sessions.begin(place)
        else:
            session = await self._found(given, place)
        self.sessions.enter(session)
        try:
            stream = session.begin_stream()
            answered = session.conversation.take(message, stream)
            if begun is not None:
                begun = self._introduced(session, stream, message, begun)
            if not answered:
                session.forget(stream)
                await exchange.respond(202)
                return
            await _Answer(exchange, place, self._limits, stream, session, begun or "").carry()
        finally:
            self.sessions.leave(session)

    async def _found(self, given: str | None, place: Place) -> HttpSession:
        """The session of that id, once it is where its client left it."""
        session = self.sessions.find(given, place)
        if session.returning is not None:
            await asyncio.shield(session.returning)
        return session

    def _introduced(self, session: HttpSession, stream: Stream, message: Any, begun: str) -> str | None:
        """The new session's id; None, and it is over, where the client hasn't introduced itself."""
        if not stream.is_over or stream.error is not None:
            self.sessions.end(session)
            return None
        session.revision = negotiated(message["params"]).revision
        return begun

    async def _post_alone(self, exchange: Exchange, place: Place, message: Any) -> None:
        """A request that is its own session."""
        if not isinstance(message, dict) or "method" not in message:
            raise RefusedError(400, INVALID_REQUEST, "The body is one request or one notification in this revision.")
        if "id" not in message:  # this revision has no notifications to a server that mean anything over HTTP
            check_stateless(exchange.headers)
            await exchange.respond(202)
            return
        check_mirrored(exchange.headers, message)
        stream = Stream(0)
        conversation = place.converse(lambda sent: stream.put(sent.line, final=sent.final, error=sent.error), False)
        self._alone[conversation] = place
        try:
            conversation.take(message, stream)
            await _Answer(exchange, place, self._limits, stream).carry()
        finally:
            del self._alone[conversation]
            conversation.cancel(stream)
            conversation.end()

    def _stop_alone(self, chosen: Callable[[Place], bool]) -> None:
        for conversation in [one for one, place in self._alone.items() if chosen(place)]:
            conversation.stop()

    # GET and DELETE.

    async def _get(self, exchange: Exchange, place: Place) -> None:
        if is_stateless(exchange.headers, None):
            raise _wrong_method("POST")
        check_accept(exchange.headers, _EVENTS)
        session = await self._found(exchange.headers.get("mcp-session-id"), place)
        stream, behind = _wanted(session, exchange.headers.get("last-event-id"))
        self.sessions.enter(session)
        try:
            await _Answer(exchange, place, self._limits, stream, session).carry_on(behind)
        finally:
            self.sessions.leave(session)

    async def _delete(self, exchange: Exchange, place: Place) -> None:
        if is_stateless(exchange.headers, None):
            raise _wrong_method("POST")
        self.sessions.end(self.sessions.find(exchange.headers.get("mcp-session-id"), place))
        await exchange.respond(204)


class _Answer:
    """Carries one stream to the client that asked."""

    def __init__(
        self,
        exchange: Exchange,
        place: Place,
        limits: Limits,
        stream: Stream,
        session: HttpSession | None = None,
        begun: str = "",
    ) -> None:
        """`begun` is the id of a session that begins with this."""
        self._exchange = exchange
        self._place = place
        self._limits = limits
        self._stream = stream
        self._session = session
        self._headers = {"mcp-session-id": begun} if begun else {}

    async def carry(self) -> None:
        """Answer as JSON if the answer comes soon and alone, else as events."""
        reader = self._stream.attach()
        is_resumable = False
        try:
            await self._wait_for_first(reader)
            is_over, events = self._stream.is_over, self._stream.behind(0)
            if is_over and len(events) <= 1:
                await self._respond(events)
            else:
                is_resumable = True
                await self._follow(reader)
        finally:
            self._stream.detach(reader)
            if self._session is not None and not is_resumable:
                self._session.forget(self._stream)

    async def carry_on(self, behind: int) -> None:
        """Answer as events, from behind the one of that number."""
        reader = self._stream.attach(behind)
        try:
            await self._follow(reader)
        finally:
            self._stream.detach(reader)

    async def _wait_for_first(self, reader: Reader) -> None:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._limits.patience_seconds
        while not (self._stream.is_over or self._stream.behind(0) or reader.is_released):
            reader.woken.clear()
            if not await self._exchange.wait(reader.woken, deadline - loop.time()):
                return

    async def _respond(self, events: list[Event]) -> None:
        if not events:  # the client has cancelled it, or the session is over
            await self._exchange.respond(202, headers=self._headers)
            return
        status = 200 if self._session is not None else status_of(self._stream.error)
        await self._exchange.respond(status, events[0].line.rstrip(b"\n"), self._headers)

    async def _follow(self, reader: Reader) -> None:
        await self._exchange.begin_events(self._headers)
        if self._session is not None:
            await self._exchange.write_events(self._beginning(reader))
        while not reader.is_released:
            reader.woken.clear()
            is_over, events = self._stream.is_over, self._stream.behind(reader.behind)
            if events:
                await self._exchange.write_events(b"".join(self._written(event) for event in events))
                self._stream.delivered = reader.behind = events[-1].number
            if is_over:
                break
            if not await self._exchange.wait(reader.woken, self._limits.keepalive_seconds):
                if not self._place.counts():
                    break
                await self._exchange.write_events(b": the stream goes on\n\n")
        await self._exchange.finish()

    def _beginning(self, reader: Reader) -> bytes:
        """Tell the client how to come again. Older ones take no event without data."""
        retry = f"retry: {self._limits.retry_seconds * 1000:.0f}\n"
        if self._session is None or self._session.revision < _PRIMED:
            return f"{retry}\n".encode()
        return f"id: {self._stream.number}-{reader.behind}\n{retry}data: \n\n".encode()

    def _written(self, event: Event) -> bytes:
        number = f"id: {self._stream.number}-{event.number}\n" if self._session is not None else ""
        return f"{number}event: message\ndata: ".encode() + event.line.rstrip(b"\n") + b"\n\n"


def _wanted(session: HttpSession, last: str | None) -> tuple[Stream, int]:
    """The stream that a GET asks for, and the number of the last event of it that the client has."""
    if last is None:
        return session.standing, session.standing.delivered
    which, _, number = last.partition("-")
    if which.isascii() and which.isdigit() and number.isascii() and number.isdigit() and len(last) < 40:
        stream = session.streams.get(int(which))
        if stream is not None and stream.has_been(int(number)):
            return stream, int(number)
    raise RefusedError(400, INVALID_REQUEST, "The stream of that Last-Event-ID is not kept any more.")


def _is_call(message: Any) -> bool:
    return isinstance(message, dict) and message.get("method") == "tools/call"


def _wrong_method(allowed: str) -> RefusedError:
    return RefusedError(405, INVALID_REQUEST, f"The endpoint takes {allowed}.", headers={"allow": allowed})
