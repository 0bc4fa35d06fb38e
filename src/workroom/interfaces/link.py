"""How a client finds, starts and joins the server; standard library only, for the shim has no time to load more.

    Place(environment)        where the state directory and the server's socket are
    join(place, hello)        a connection that has shaken hands; starts a server where none listens
    ask(joined, method, …)    one question over a person's connection
    hello(role, …)            the client's half of the handshake

The handshake is one JSON line each way. The client says who it is and what it wants open; the server answers `ok` with
the session, or an error with its code, or `retry` when it is about to make way for another: its installed files have
changed, or it was told to stop.

    client                                server
      | {"workroom": 1, "role": "agent", "workspace": "/abs/path", ...}
      |------------------------------------>|
      |<------------------------------------|  {"ok": true, "session": "session_...", "server": {...}}
      |  MCP lines (agent) or the person's lines from here on

The shim passes its standard input and output along with the first line: the server then speaks to the client by these
itself, and the socket only says when that is over (see mcp/shim.py).
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import select
import socket
import struct
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from workroom.base.errors import ErrorCode, WorkroomError

__all__ = [
    "PROTOCOL",
    "VERSION",
    "Joined",
    "NoServerError",
    "Place",
    "ask",
    "build",
    "hello",
    "join",
    "no_server",
    "peer_uid",
]

VERSION = "0.1.0"
PROTOCOL = 1
"""The handshake's version; it changes when an older side could not understand a newer one."""

_START_SECONDS = 30.0
_GREET_SECONDS = 300.0
"""Opening a folder may have to undo what a crash left, and reads what it undoes."""
_SOCKET_PATH_BYTES = 100

_SESSION_ENV = ("LANG", "LC_ALL", "LC_CTYPE", "PATH", "SSH_AUTH_SOCK", "TZ", "VIRTUAL_ENV")
_SERVER_ENV = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER",
               "XDG_RUNTIME_DIR", "XDG_STATE_HOME")  # fmt: skip


class NoServerError(WorkroomError):
    """There is no server to speak to: none runs, and none was to be started or none could be."""


class Place:
    """Where a user's state directory and server are, read from the environment."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """`WORKROOM_STATE` overrides the platform's folder for state."""
        self.state = os.path.realpath(environ.get("WORKROOM_STATE") or _default_state(environ))
        runtime = environ.get("XDG_RUNTIME_DIR")
        self.runtime = os.path.join(runtime, "workroom") if runtime else None
        """The folder for the socket when the state directory's path is too long to hold one."""
        self.socket = self._socket()
        self.environ = {name: environ[name] for name in _SERVER_ENV if name in environ}
        """What a server started from here sees of the environment."""
        self.environ["WORKROOM_STATE"] = self.state
        self.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"  # nothing of ours; looking for them takes its time

    @property
    def look_further(self) -> str:
        """The next step where a server should be there and isn't, or doesn't answer."""
        log = os.path.join(self.state, "logs", "server.log")
        return f"Look into {log}; `workroom stop` ends a server that hangs, and the next command starts another."

    def _socket(self) -> str:
        """The same rule as the state directory's own, without making anything; a test compares the two."""
        try:
            space = os.stat("/proc/self/ns/mnt").st_ino
        except OSError:  # only Linux has mount namespaces
            space = 0
        path = os.path.join(self.state, f"server-{space}.sock")
        if len(os.fsencode(path)) <= _SOCKET_PATH_BYTES:
            return path
        folder = self.runtime or f"/tmp/workroom-{os.geteuid()}"  # noqa: S108 - whoever answers there is checked
        digest = hashlib.sha256(os.fsencode(self.state)).hexdigest()[:16]
        return os.path.join(folder, f"{digest}-{space}.sock")


class Joined:
    """A connection after the handshake. `rest` is what came behind the answer's line."""

    def __init__(self, connection: socket.socket, answer: dict[str, Any], rest: bytes) -> None:
        self.connection = connection
        self.answer = answer
        self.rest = rest


def hello(
    role: str,
    workspace: str | None,
    *,
    environ: Mapping[str, str],
    profile: str = "workspace",
    key: str = "",
    open: bool = True,  # noqa: A002 - the wire's word
) -> dict[str, Any]:
    """The client's half of the handshake. `role` is agent or person; `workspace` an absolute path.

    With `open` false a person means the workspace that the path stands in, and makes none.
    """
    return {
        "workroom": PROTOCOL,
        "version": VERSION,
        "build": build(),
        "role": role,
        "workspace": workspace,
        "open": open,
        "profile": profile,
        "key": key,
        "env": {name: environ[name] for name in _SESSION_ENV if name in environ},
    }


def join(place: Place, greeting: dict[str, Any], *, start: bool = True, descriptors: Sequence[int] = ()) -> Joined:
    """Shake hands with the server, which is started when none listens and `start` is true.

    `descriptors` are passed along; a server that refuses has left them as they were.
    The server's refusals come as they are, and TIMEOUT when it doesn't answer. NoServerError: NOT_FOUND when none
    listens and none is to be started; what kept one from starting; TIMEOUT when one after the other goes away.
    """
    deadline = time.monotonic() + _START_SECONDS
    while True:
        connection = _connect(place.socket)
        if connection is None:
            if not start:
                raise no_server()
            _start_in_turn(place, deadline)
            continue
        try:
            joined = _greet(connection, greeting, descriptors, place)
        except BaseException:
            connection.close()
            raise
        if joined is not None:
            return joined
        connection.close()
        if time.monotonic() > deadline:
            raise NoServerError(
                ErrorCode.TIMEOUT,
                "The server keeps making way for another that doesn't come.",
                next_step=place.look_further,
            )
        time.sleep(0.005)


def ask(joined: Joined, method: str, **params: Any) -> dict[str, Any]:
    """The result of the one thing that a person's connection asks; its refusal as the error it is."""
    line = json.dumps({"id": 1, "method": method, "params": params}).encode("ascii") + b"\n"
    received = joined.rest
    joined.connection.sendall(line)
    while b"\n" not in received:
        chunk = joined.connection.recv(65_536)
        if not chunk:
            raise NoServerError(ErrorCode.IO_ERROR, "The server went away.", next_step="Try again.")
        received += chunk
    answer = json.loads(received.partition(b"\n")[0])
    if "error" in answer:
        raise _told(answer["error"])
    result: dict[str, Any] = answer["result"]
    return result


def no_server() -> NoServerError:
    """What a caller is told who doesn't want one started."""
    return NoServerError(ErrorCode.NOT_FOUND, "No server is running.", next_step="`workroom serve FOLDER` starts one.")


def build() -> str:
    """A fingerprint of the installed files: it changes when Workroom is updated under a running server."""
    rows: list[str] = []
    folders = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    status = entry.stat()
                    rows.append(f"{entry.path} {status.st_size} {status.st_mtime_ns}")
                elif entry.name != "__pycache__" and entry.is_dir():
                    folders.append(entry.path)
    return hashlib.sha256("\n".join(sorted(rows)).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def peer_uid(connection: socket.socket) -> int:
    """The user at the other end of a Unix socket."""
    if hasattr(socket, "SO_PEERCRED"):
        found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return int(struct.unpack("3i", found)[1])
    found = connection.getsockopt(0, 1, 76)  # macOS: SOL_LOCAL, LOCAL_PEERCRED, a struct xucred
    return int(struct.unpack_from("2I", found)[1])


def _default_state(environ: Mapping[str, str]) -> str:
    home = environ.get("HOME") or os.path.expanduser("~")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support", "workroom")
    return os.path.join(environ.get("XDG_STATE_HOME") or os.path.join(home, ".local", "state"), "workroom")


def _connect(path: str) -> socket.socket | None:
    """A connection to whoever listens; None when nobody does. PROTECTED_PATH when it is another user."""
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(path)
    except (FileNotFoundError, ConnectionRefusedError, NotADirectoryError):
        connection.close()
        return None
    except OSError as error:
        connection.close()
        raise NoServerError(
            ErrorCode.IO_ERROR,
            f"The socket {path} can't be reached: {error.strerror}.",
            next_step="Give yourself access to its folder, or set WORKROOM_STATE to another one.",
        ) from error
    if peer_uid(connection) != os.geteuid():
        connection.close()
        raise WorkroomError(ErrorCode.PROTECTED_PATH, f"Another user listens on {path}.")
    return connection


def _greet(
    connection: socket.socket, greeting: dict[str, Any], descriptors: Sequence[int], place: Place
) -> Joined | None:
    """The answer to a greeting; None when the server is on its way out and another shall be asked."""
    connection.settimeout(_GREET_SECONDS)
    received = b""
    try:
        line = json.dumps({**greeting, "pipes": bool(descriptors)}).encode("ascii") + b"\n"
        sent = socket.send_fds(connection, [line], descriptors) if descriptors else 0
        connection.sendall(line[sent:])
        while b"\n" not in received:
            chunk = connection.recv(65_536)
            if not chunk:
                return None
            received += chunk
    except TimeoutError:
        raise WorkroomError(
            ErrorCode.TIMEOUT,
            f"The server didn't answer within {_GREET_SECONDS:.0f} s.",
            next_step=place.look_further,
        ) from None
    except OSError:
        return None
    connection.settimeout(None)
    line, _, rest = received.partition(b"\n")
    answer = json.loads(line)
    if answer.get("ok"):
        return Joined(connection, answer, rest)
    if answer.get("retry"):
        return None
    raise _told(answer["error"])


def _start_in_turn(place: Place, deadline: float) -> None:
    """Start a server, unless another client does: of many that come at once, one starts it, the others wait."""
    with contextlib.suppress(OSError):  # where it can't be made, the starting server says why
        os.makedirs(os.path.dirname(place.socket), 0o700, exist_ok=True)
    try:
        turn = os.open(place.socket + ".start", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError:
        _start(place, deadline)
        return
    try:
        while not _locked(turn):
            if time.monotonic() > deadline:
                raise _late(place)
            time.sleep(0.01)
        started = _connect(place.socket)
        if started is None:
            _start(place, deadline)
        else:
            started.close()
    finally:
        os.close(turn)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _start(place: Place, deadline: float) -> None:
    """Start a server and wait until it, or another that was faster, listens."""
    reading, writing = os.pipe()
    try:
        os.posix_spawn(
            sys.executable,
            [sys.executable, "-P", "-m", "workroom", "serve", "--background"],
            place.environ,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, writing, 1),
                (os.POSIX_SPAWN_DUP2, writing, 2),
            ],
        )
        os.close(writing)
        writing = -1
        _await_report(reading, deadline, place)
    except OSError as error:
        raise NoServerError(
            ErrorCode.IO_ERROR,
            f"No server can be started: {error.strerror}.",
            next_step="Start one by hand with `workroom serve`, which says more.",
        ) from error
    finally:
        os.close(reading)
        if writing >= 0:
            os.close(writing)


def _await_report(reading: int, deadline: float, place: Place) -> None:
    """A starting server reports one JSON line: `{"ok": true}`, or the error that keeps it from serving."""
    received = b""
    while select.select([reading], [], [], max(0.0, deadline - time.monotonic()))[0]:
        chunk = os.read(reading, 65_536)
        received += chunk
        for line in received.split(b"\n")[:-1]:
            report = _report(line)
            if report is not None and report.get("ok"):
                return
            if report is not None:
                raise _told(report["error"], NoServerError)
        if not chunk:
            said = received.decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise NoServerError(
                ErrorCode.IO_ERROR,
                f"The server ended before it was ready: {said or 'no reason given'}",
                next_step=place.look_further,
            )
    raise _late(place)


def _late(place: Place) -> NoServerError:
    message = f"No server was ready within {_START_SECONDS:.0f} s."
    return NoServerError(ErrorCode.TIMEOUT, message, next_step=place.look_further)


def _report(line: bytes) -> dict[str, Any] | None:
    """The report, or None for anything else that a starting interpreter prints."""
    try:
        report = json.loads(line)
    except ValueError:
        return None
    return report if isinstance(report, dict) and "ok" in report else None


def _told(error: Mapping[str, Any], kind: type[WorkroomError] = WorkroomError) -> WorkroomError:
    """An error that came over the wire, as it was."""
    code, details = ErrorCode(error["code"]), error.get("details")
    return kind(code, error["message"], next_step=error.get("next_step", ""), details=details)
