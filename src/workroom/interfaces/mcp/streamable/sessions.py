"""The sessions of clients that introduce themselves: found by their id and their token, bounded, ended when idle."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from workroom.interfaces.mcp.jsonrpc import INVALID_REQUEST
from workroom.interfaces.mcp.steps import Send
from workroom.interfaces.mcp.streamable.limits import Limits
from workroom.interfaces.mcp.streamable.place import Place
from workroom.interfaces.mcp.streamable.rules import RefusedError
from workroom.interfaces.mcp.streamable.stream import Stream

__all__ = ["HttpSession", "Kept", "Sessions"]

_FINISHED_STREAMS = 16
_FINISHED_BYTES = 1024 * 1024
"""How much of what was answered a session keeps for a client that has lost its connection."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A session that outlives its server: what another one needs to go on with it."""

    key: str
    owner: str
    room: str
    revision: str
    lines: tuple[bytes, ...]
    root: str = ""
    """Where the client worked, if that wasn't the room."""

    def to_json(self) -> dict[str, Any]:
        """As a row; the lines' bytes as Latin-1."""
        return {**asdict(self), "lines": [line.decode("latin-1") for line in self.lines]}

    @classmethod
    def of(cls, row: dict[str, Any]) -> Kept:
        """From a row."""
        return cls(
            row["key"],
            row["owner"],
            row["room"],
            row["revision"],
            tuple(line.encode("latin-1") for line in row["lines"]),
            row.get("root", ""),
        )


class HttpSession:
    """One client's session: its conversation, and the streams that it may read."""

    def __init__(self, key: str, place: Place) -> None:
        self.key = key
        self.revision = ""
        """The one that was agreed upon; empty before."""
        self.owner, self.room = place.owner, place.room
        self.is_over = False
        self.returning: asyncio.Task[None] | None = None
        """Of a session that another server began: until it works again where it worked there."""
        self.in_use = 0
        """How many requests, streams among them, are being served."""
        self.idle: asyncio.TimerHandle | None = None
        self.streams: dict[int, Stream] = {}
        self._begun = 0
        self.standing = self.begin_stream()
        """For what belongs to no request."""
        self.conversation = place.converse(self._send, True)

    def begin_stream(self) -> Stream:
        """A stream for one request."""
        self._forget_finished()
        stream = Stream(self._begun)
        self.streams[self._begun] = stream
        self._begun += 1
        return stream

    def forget(self, stream: Stream) -> None:
        """Nobody will come for this one again."""
        self.streams.pop(stream.number, None)

    def end(self) -> None:
        """The conversation is over, and so are all streams; what is open is told so."""
        self.is_over = True
        self.conversation.stop()
        self.conversation.end()
        for stream in self.streams.values():
            stream.end()

    def _send(self, message: Send) -> None:
        """Sort what the conversation says; on any thread."""
        stream = message.origin if isinstance(message.origin, Stream) else self.standing
        stream.put(message.line, final=message.final and stream is not self.standing, error=message.error)

    def _forget_finished(self) -> None:
        finished = [stream for stream in self.streams.values() if stream.is_over and not stream.is_read]
        held = sum(stream.bytes for stream in finished)
        for index, stream in enumerate(finished):
            if len(finished) - index <= _FINISHED_STREAMS and held <= _FINISHED_BYTES:
                return
            self.forget(stream)
            held -= stream.bytes


class Sessions:
    """Every session of an endpoint. An id is given out once, to its client; what is kept of it is its hash."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._sessions: dict[str, HttpSession] = {}  # the longest unused first
        self._kept: dict[str, Kept] = {}

    def __len__(self) -> int:
        return len(self._sessions)

    def __iter__(self) -> Iterator[HttpSession]:
        return iter(self._sessions.values())

    def begin(self, place: Place) -> tuple[str, HttpSession]:
        """A new session and its id, which nobody can guess."""
        self._make_room(place.owner)
        session_id = secrets.token_hex(32)
        return session_id, self._add(_key(session_id), place)

    def find(self, session_id: str | None, place: Place) -> HttpSession:
        """The session of that id, if it is this token's and in this room.

        Refuses with 404 otherwise, in the same words whether it is another's or was never there: a client that hears
        this introduces itself anew.
        """
        if session_id is None:
            raise RefusedError(
                400, INVALID_REQUEST, "The Mcp-Session-Id header is missing; the first request is initialize."
            )
        key = _key(session_id)
        session = self._sessions.get(key) or self._revive(key, place)
        if session is None or (session.owner, session.room) != (place.owner, place.room):
            raise RefusedError(404, INVALID_REQUEST, "There is no such session any more; begin one with initialize.")
        return session

    def enter(self, session: HttpSession) -> None:
        """A request of the session is being served from now on."""
        session.in_use += 1
        if session.idle is not None:
            session.idle.cancel()
            session.idle = None
        if session.key in self._sessions:  # it is the last used
            self._sessions[session.key] = self._sessions.pop(session.key)

    def leave(self, session: HttpSession) -> None:
        """It is served."""
        session.in_use -= 1
        if not session.in_use and not session.is_over:
            session.idle = asyncio.get_running_loop().call_later(self._limits.idle_seconds, self.end, session)

    def end(self, session: HttpSession) -> None:
        """The session is no more."""
        if self._sessions.pop(session.key, None) is not None:
            if session.idle is not None:
                session.idle.cancel()
            session.end()

    def end_all(self, chosen: Callable[[HttpSession], bool]) -> None:
        """End those that are chosen."""
        for session in [one for one in self._sessions.values() if chosen(one)]:
            self.end(session)

    def rest(self) -> None:
        """End the streams that only wait for something to happen."""
        for session in self._sessions.values():
            session.standing.end()

    def stop(self) -> list[Kept]:
        """End them all so that another server can go on with them; what is open is told that this one goes."""
        kept = list(self._kept.values())
        for session in list(self._sessions.values()):
            lines = session.conversation.stop()
            if lines:
                root = session.conversation.root
                kept.append(Kept(session.key, session.owner, session.room, session.revision, lines, root))
            self.end(session)
        return kept

    def go_on(self, kept: list[Kept]) -> None:
        """Take over what another server has kept; each begins again when its client comes, if that isn't too long."""
        self._kept.update({one.key: one for one in kept})
        asyncio.get_running_loop().call_later(self._limits.idle_seconds, self._kept.clear)

    def _add(self, key: str, place: Place) -> HttpSession:
        session = HttpSession(key, place)
        self._sessions[key] = session
        return session

    def _revive(self, key: str, place: Place) -> HttpSession | None:
        kept = self._kept.get(key)
        if kept is None or (kept.owner, kept.room) != (place.owner, place.room):
            return None
        del self._kept[key]
        self._make_room(place.owner)
        session = self._add(key, place)
        session.revision = kept.revision
        session.conversation.recall(kept.lines)
        if kept.root:
            session.returning = asyncio.create_task(session.conversation.return_to(kept.root))
        return session

    def _make_room(self, owner: str) -> None:
        """Let the longest unused session of the token go when there are too many. Refuses when all are in use."""
        own = [session for session in self._sessions.values() if session.owner == owner]
        if len(own) < self._limits.sessions:
            return
        unused = next((session for session in own if not session.in_use), None)
        if unused is None:
            raise RefusedError(429, INVALID_REQUEST, f"This token has {self._limits.sessions} sessions in use.")
        self.end(unused)


def _key(session_id: str) -> str:
    return hashlib.sha256(session_id.encode("utf-8", "surrogateescape")).hexdigest()
