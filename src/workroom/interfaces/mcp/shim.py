"""`workroom mcp FOLDER`: passes lines between a client's pipes and the server; standard library only.

    client --stdin--> main thread ----> socket
    client <-stdout-- reader thread <-- socket     (one reader a connection)

When the server goes away (stopped, updated, crashed) the client keeps its pipes: requests without an answer are told,
and the next line joins the server that is there then, or starts one, with the client's first lines said again. Where no
server can be joined at all, the client is answered from here by a tool that says why.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.interfaces import link
from workroom.interfaces.mcp.diagnostic import Diagnostic

__all__ = ["run"]

_USAGE = "usage: workroom mcp [-C FOLDER] [--profile PROFILE] [FOLDER]"
_CHUNK = 1 << 16
"""More would be mapped and unmapped by the allocator at each read, which costs more than it saves."""
_PREFIX = b'{"jsonrpc":"2.0","id":'
"""How every answer of the server's begins; the id comes next."""
_DECODER = json.JSONDecoder()
_LOST = "The server went away while this ran; it may have taken effect. Look before you repeat it."


def run(arguments: list[str]) -> int:
    """Serve one client until it closes its end; answers the exit code."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        folder, profile = _parse(arguments)
    except ValueError as error:
        sys.stderr.write(f"{error}\n{_USAGE}\n")
        return 2
    if profile is None:
        sys.stdout.write(f"{_USAGE}\n")
        return 0
    place = link.Place(os.environ)
    greeting = link.hello("agent", folder, profile=profile, environ=os.environ)
    try:
        joined = link.join(place, greeting)
    except WorkroomError as reason:
        return _diagnose(Diagnostic(link.VERSION, folder, reason))
    return _Shim(place, greeting, joined).serve()


def _parse(arguments: list[str]) -> tuple[str, str | None]:
    """The folder, absolute, and the profile; no profile when help is asked for. ValueError when it can't be read."""
    base, folder, profile = "", "", "workspace"
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word in {"-h", "--help"}:
            return "", None
        name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        if name in {"-C", "--profile"}:
            if not equals and not rest:
                raise ValueError(f"{name} needs a value.")
            value = value if equals else rest.pop(0)
            base, profile = (os.path.join(base, value), profile) if name == "-C" else (base, value)
        elif word.startswith("-") or folder:
            raise ValueError(f"{word!r} is not understood.")
        else:
            folder = word
    return os.path.abspath(os.path.join(base, folder)), profile


def _diagnose(diagnostic: Diagnostic) -> int:
    for line in _lines(0):
        _write(diagnostic.receive(line))
    return 0


class _Shim:
    """One client, and the server's connection while there is one."""

    def __init__(self, place: link.Place, greeting: dict[str, Any], joined: link.Joined) -> None:
        self._place = place
        self._greeting = greeting
        self._lock = threading.Lock()
        self._joined: link.Joined | None = None
        self._reader: threading.Thread | None = None
        self._waiting: dict[str, None] = {}
        """Ids, as JSON, of requests that the server has and hasn't answered."""
        self._first: list[bytes] = []
        """The client's `initialize` and `notifications/initialized`, to be said again to another server."""
        self._attach(joined)

    def serve(self) -> int:
        for line in _lines(0):
            self._forward(line)
        joined = self._joined
        if joined is not None:
            _quietly(joined.connection.shutdown, socket.SHUT_WR)
        if self._reader is not None:
            self._reader.join()
        return 0

    def _attach(self, joined: link.Joined) -> None:
        self._joined = joined
        self._reader = threading.Thread(target=self._read, args=(joined,), daemon=True)
        self._reader.start()

    def _forward(self, line: bytes) -> None:
        """Pass one line on, to another server if the last has gone."""
        message = _peek(line)
        number = json.dumps(message["id"]) if "id" in message and "method" in message else None
        try:
            with self._lock:
                if self._joined is None:
                    self._attach(self._rejoin())
                joined = self._joined
                if number is not None:
                    self._waiting[number] = None
        except WorkroomError as error:
            if number is not None:
                _write(_error(number, f"Workroom's server can't be reached. {error}"))
            return
        self._note(message, line)
        if joined is not None:  # where sending fails, the reader sees the end too, and tells of what is open
            _quietly(joined.connection.sendall, line)

    def _note(self, message: dict[str, Any], line: bytes) -> None:
        method = message.get("method")
        if method == "initialize":
            self._first = [line]
        elif method == "notifications/initialized":
            self._first = [*self._first[:1], line]
        elif method == "notifications/cancelled" and isinstance(message.get("params"), dict):
            self._waiting.pop(json.dumps(message["params"].get("requestId")), None)

    def _rejoin(self) -> link.Joined:
        """Another server, brought to where the client was with the last one."""
        joined = link.join(self._place, self._greeting)
        if not self._first:
            return joined
        try:
            joined.connection.sendall(b"".join(self._first))
            while b"\n" not in joined.rest:
                chunk = joined.connection.recv(_CHUNK)
                if not chunk:
                    raise OSError(0, "it went away again")
                joined.rest += chunk
        except OSError as error:
            raise WorkroomError(ErrorCode.IO_ERROR, f"The new server can't be used: {error.strerror}.") from error
        joined.rest = joined.rest.partition(b"\n")[2]  # the answer to `initialize`, which the client has
        _write(b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n')
        return joined

    def _read(self, joined: link.Joined) -> None:
        """Pass on whole lines until the connection ends, then tell what stays without an answer."""
        for block in _blocks(joined):
            for line in block.split(b"\n")[:-1]:
                if line.startswith(_PREFIX):
                    self._waiting.pop(_id_of(line), None)
            _write(block)
        with self._lock:
            self._joined = None
            lost, self._waiting = self._waiting, {}
        joined.connection.close()
        for number in lost:
            _write(_error(number, _LOST))


def _blocks(joined: link.Joined) -> Iterator[bytes]:
    """What the server sends, cut behind newlines only."""
    held = bytearray(joined.rest)
    while True:
        end = held.rfind(b"\n") + 1
        if end:
            yield bytes(held[:end])
            del held[:end]
        try:
            chunk = joined.connection.recv(_CHUNK)
        except OSError:
            return
        if not chunk:
            return
        held += chunk


def _lines(descriptor: int) -> Iterator[bytes]:
    """Lines of a descriptor, each with its newline; the last gets one."""
    parts: list[bytes] = []
    while chunk := _read(descriptor):
        *whole, rest = chunk.split(b"\n")
        for line in whole:
            yield b"".join(parts) + line + b"\n"
            parts.clear()
        if rest:
            parts.append(rest)
    if parts:
        yield b"".join(parts) + b"\n"


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, _CHUNK)
    except OSError:  # a terminal that is gone
        return b""


_writing = threading.Lock()


def _write(data: bytes) -> None:
    """Write to the client; when it no longer reads there is nothing left to do."""
    with _writing:
        try:
            while data:
                data = data[os.write(1, data) :]
        except OSError:
            os._exit(0)


def _peek(line: bytes) -> dict[str, Any]:
    """The message of a line, or nothing when it is none; the server answers what is wrong with it."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def _id_of(line: bytes) -> str:
    """The id of an answer as JSON text, read without reading the whole answer."""
    try:
        return json.dumps(_DECODER.raw_decode(line[len(_PREFIX) : len(_PREFIX) + 1000].decode("utf-8", "ignore"))[0])
    except ValueError:  # longer than any sensible id
        return ""


def _quietly(act: Callable[[Any], object], value: Any) -> None:
    with contextlib.suppress(OSError):
        act(value)


def _error(number: str, message: str) -> bytes:
    return f'{{"jsonrpc":"2.0","id":{number},"error":{{"code":-32603,"message":{json.dumps(message)}}}}}\n'.encode(
        "ascii"
    )
