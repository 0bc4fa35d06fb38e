"""`workroom mcp FOLDER`: brings a client and the server together; standard library only.

    client --stdin/stdout--> shim       at first: the shim joins the server, or starts one,
       |                      |socket   and passes it both of its ends
       +-------pipes-------> server     from then on they speak without it

The socket stays, and says how it ends: the client has ended; or the server has (stopped, updated), and the shim waits
for the client's next word, then joins the server that is there, or starts one, to go on where the last one was. When
the server crashes, the shim ends with 1, as any server of the client's would. Where no server can be joined at all, the
client is answered from here by a tool that says why.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import stat
import threading
from collections.abc import Callable
from typing import Any

from workroom.base.errors import WorkroomError
from workroom.interfaces import link
from workroom.interfaces.mcp.diagnostic import Diagnostic

__all__ = ["run"]

_USAGE = "usage: workroom mcp [-C FOLDER] [--profile PROFILE] [FOLDER]"
_CHUNK = 1 << 16


def run(arguments: list[str]) -> int:
    """Serve one client until it closes its end; answers the exit code."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _open_standard()
    try:
        folder, profile = _parse(arguments)
    except ValueError as error:
        os.write(2, f"{error}\n{_USAGE}\n".encode("utf-8", "replace"))
        return 2
    if profile is None:
        os.write(1, f"{_USAGE}\n".encode())
        return 0
    found = [(descriptor, os.get_blocking(descriptor)) for descriptor in (0, 1)]
    try:
        return _serve(folder, profile)
    finally:
        for descriptor, blocking in found:  # a server changes it, also for whoever has the same end open
            os.set_blocking(descriptor, blocking)


def _serve(folder: str, profile: str) -> int:
    place = link.Place(os.environ)
    greeting = link.hello("agent", folder, profile=profile, environ=os.environ)
    descriptors, finish = _ends()
    try:
        while True:
            try:
                joined = link.join(place, greeting, descriptors=descriptors)
            except WorkroomError as reason:
                _diagnose(Diagnostic(link.VERSION, folder, reason), greeting.get("resumed"), descriptors)
                return 0
            last = _last_word(joined)
            if last is None or "resumed" not in last:
                return 1 if last is None else 0
            greeting["resumed"], greeting["build"] = last["resumed"], link.build()
            os.set_blocking(descriptors[0], True)  # the server has changed it
            heard = _read(descriptors[0])
            if not heard:
                return 0
            greeting["resumed"]["held"] += heard.decode("latin-1")
    finally:
        finish()


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


def _last_word(joined: link.Joined) -> dict[str, Any] | None:
    """How the server ends the connection; None when it is gone without a word."""
    received = joined.rest
    while b"\n" not in received:
        try:
            chunk = joined.connection.recv(_CHUNK)
        except OSError:
            chunk = b""
        if not chunk:
            return None
        received += chunk
    joined.connection.close()
    last: dict[str, Any] = json.loads(received.partition(b"\n")[0])
    return last


def _diagnose(diagnostic: Diagnostic, resumed: dict[str, Any] | None, descriptors: tuple[int, int]) -> None:
    """Answer the client from here until it ends; `resumed` is what it told a server that is gone."""
    reading, writing = descriptors
    for descriptor in descriptors:
        os.set_blocking(descriptor, True)  # a server may have changed it
    held = b""
    if resumed is not None:
        diagnostic.receive("".join(resumed["first"]).encode("latin-1"))
        held = resumed["held"].encode("latin-1")
    with contextlib.suppress(OSError):  # the client doesn't read any more: nothing is left to do
        while True:
            *lines, held = held.split(b"\n")
            for line in lines:
                _write(writing, diagnostic.receive(line))
            chunk = _read(reading)
            if not chunk:
                _write(writing, diagnostic.receive(held))  # the last line may lack its newline
                return
            held += chunk


# The two ends of the client.


def _open_standard() -> None:
    """Open what the starter has closed of standard input, output and error: a pipe of ours would get its number."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)


def _ends() -> tuple[tuple[int, int], Callable[[], None]]:
    """Descriptors that a server can wait for, and what to do when all is said.

    They are the standard ones where these are pipes or sockets; a file or terminal is copied through a pipe.
    """
    reading, writing, copying = 0, 1, None
    if not _is_pipe(0):
        reading, source = os.pipe()
        threading.Thread(target=_copy, args=(0, source), daemon=True).start()
    if not _is_pipe(1):
        target, writing = os.pipe()
        copying = threading.Thread(target=_copy, args=(target, 1), daemon=True)
        copying.start()

    def finish() -> None:
        if copying is not None:
            os.close(writing)
            copying.join()

    return (reading, writing), finish


def _is_pipe(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _copy(source: int, target: int) -> None:
    with contextlib.suppress(OSError):  # who doesn't read any more; the server learns it by the closed pipe
        while chunk := _read(source):
            _write(target, chunk)
    for end in (source, target):
        if end > 2:  # ours
            os.close(end)


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, _CHUNK)
    except OSError:  # a terminal that is gone
        return b""


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
