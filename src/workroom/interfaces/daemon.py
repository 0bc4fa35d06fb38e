"""The server process: one for a user, on a Unix socket, for agents and for the person's own programs.

    start:  take the lock beside the socket -> remove a dead socket -> listen -> tell the starter
    a connection:  its user is checked -> one line each way -> MCP lines, or the person's
    stop:   listen no more -> let running calls finish, 10 s at most -> close the folders -> give the lock back

A server whose installed files have changed stops when a client tells it so by its own fingerprint; that client then
starts the new one. One that was started in the background stops after half an hour without connections.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import json
import logging
import os
import pwd
import signal
import socket
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from workroom.base.actor import Actor
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.ids import new_id
from workroom.base.settings import parse_settings
from workroom.interfaces import link
from workroom.interfaces.answers import ServerRow
from workroom.interfaces.channel import LINE_BYTES, PipeChannel, SocketChannel
from workroom.interfaces.greeting import Greeting, read_greeting, refusal, wire_error
from workroom.interfaces.http.house import HttpHouse
from workroom.interfaces.mcp.answers import tool_list
from workroom.interfaces.mcp.connection import Connection
from workroom.interfaces.mcp.shimmed import Shimmed
from workroom.interfaces.page.late import LatePage
from workroom.interfaces.person import PersonConnection
from workroom.person.credential import PersonCredential
from workroom.server.hub import Hub
from workroom.server.rooms import KnownDoors, OpenDoors, Rooms
from workroom.server.session import Session
from workroom.server.signin import SignIn, link_of
from workroom.system.clock import now
from workroom.system.memory import give_back_large_blocks, share_arenas
from workroom.system.state import StateDirectory
from workroom.tools.workspace import Workspace

__all__ = ["Daemon", "open_state", "run_in_background", "run_in_foreground", "take_lock"]

_log = logging.getLogger(__name__)

_IDLE_SECONDS = 30 * 60
_FINISH_SECONDS = 10.0
_HANDOVER_SECONDS = 20.0
_LOG_BYTES = 5_000_000
_FULL = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_FULL_SECONDS = 1.0
"""How long nobody is let in when there is no room for a connection more."""


class _Speaker(Protocol):
    """Whoever speaks on a channel after the handshake."""

    @property
    def workspace(self) -> Workspace | None: ...

    def part(self) -> object: ...


def run_in_background() -> int:
    """What `workroom serve --background` does: serve until told to stop, away from the starter's terminal.

    The starter reads one JSON line from standard output: `{"ok": true}` when a server listens, or the error.
    """
    with contextlib.suppress(OSError):
        os.setsid()
    os.chdir("/")
    place = link.Place(os.environ)
    try:
        state = open_state(place)
        lock = take_lock(place)
        if lock is not None:
            port = state.take_http()
            http = port is not None or _wants_http(state)
            daemon = Daemon(place, state, idle_seconds=_IDLE_SECONDS, http=http, port=port)
            return daemon.run(lock, lambda: _detach(state))
    except WorkroomError as error:
        _tell({"ok": False, "error": wire_error(error)})
        return 1
    _tell({"ok": True})
    return 0


def run_in_foreground(
    place: link.Place, folder: str | None, say: Callable[[str], None], *, http: bool = True, port: int | None = None
) -> int:
    """What `workroom serve` does: serve, or open `folder` in the server that is there; `say` tells the person.

    With `http` the server listens on `port`, 0 being any that is free; without a port on the usual one.
    """
    state = open_state(place)
    lock = take_lock(place)
    if lock is None:
        return _join_running(place, state, folder, say, http=http, port=port)
    state.take_http()  # what the last server left is for one that nobody starts by hand
    daemon = Daemon(place, state, http=http, port=port)
    if folder is not None:
        daemon.hub.open(folder)
    _log_to_file(state)

    def ready() -> None:
        say(_serving(folder))
        if daemon.http.url is not None:
            say(_listening(daemon.http.url))
            say(_page(link_of(daemon.http.url, daemon.pages.new_code())))
        if daemon.http.warning:
            say(daemon.http.warning)

    return daemon.run(lock, ready)


def open_state(place: link.Place) -> StateDirectory:
    """The state directory and the socket's folder, made if missing; the errors are those of `StateDirectory`."""
    state = StateDirectory(Path(place.state), runtime=Path(place.runtime) if place.runtime else None)
    state.make()
    state.socket_path()
    return state


def take_lock(place: link.Place) -> int | None:
    """The descriptor of the server's one lock; None when another server listens. TIMEOUT when one only holds on."""
    deadline = time.monotonic() + _HANDOVER_SECONDS
    lock = os.open(place.socket + ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    while True:
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        if _listens(place.socket):
            os.close(lock)
            return None
        if time.monotonic() > deadline:
            os.close(lock)
            raise WorkroomError(
                ErrorCode.TIMEOUT,
                "Another server holds on to the socket and doesn't answer.",
                next_step=place.look_further,
            )
        time.sleep(0.01)


class Daemon:
    """One server: its socket, its connections, its folders."""

    def __init__(
        self,
        place: link.Place,
        state: StateDirectory,
        *,
        idle_seconds: float | None = None,
        http: bool = False,
        port: int | None = None,
    ) -> None:
        """`idle_seconds` without connections end the server, unless it listens for HTTP; None: it stays."""
        share_arenas()  # before there are threads
        give_back_large_blocks()
        self.place = place
        self.hub = Hub(state)
        self.pages = SignIn(state, now, new_id)
        self._wanted = (http, port)
        self._started = time.time()
        self._idle_seconds = idle_seconds
        self._build = link.build()
        self._key = state.person_key()
        uid = os.geteuid()
        person = PersonCredential.grant(self._key, self._key, uid, uid, name=_account(), surface="page")
        self.http = HttpHouse(self.hub, LatePage(self, self.pages, person))
        self._channels: dict[SocketChannel, _Speaker | None] = {}
        self._greetings: set[asyncio.Task[None]] = set()
        self._makes_way = False
        """Whether another server is to come at once."""
        self._full = False
        """Whether the last one who came found no room."""

    def run(self, lock: int, ready: Callable[[], None]) -> int:
        """Serve until told to stop; `ready` is called once clients can connect. Answers the exit code."""
        finished = asyncio.run(self._serve(ready))
        _log.info("server %s stops", os.getpid())
        os.close(lock)
        return 0 if finished else 1

    def stop(self) -> None:
        """Begin to stop; what runs is finished first."""
        self._stopped.set()

    def describe(self) -> ServerRow:
        """What a client is told of this server."""
        return {
            "version": link.VERSION,
            "pid": os.getpid(),
            "state": self.place.state,
            "started": self._started,
            "http": self.http.url,
            "http_warning": self.http.warning,
        }

    async def open_http(self, port: int | None) -> tuple[str | None, str]:
        """Listen for HTTP from now on, and until the end; the address, and a warning or nothing."""
        await self.http.open(port)
        self._watch_idle()
        return self.http.url, self.http.warning

    async def _serve(self, ready: Callable[[], None]) -> bool:
        self._loop = asyncio.get_running_loop()
        self._stopped = asyncio.Event()
        self._empty = asyncio.Event()
        """Set when the last connection has gone."""
        self._idle: asyncio.TimerHandle | None = None
        for number in (signal.SIGTERM, signal.SIGINT):
            self._loop.add_signal_handler(number, self.stop)
        wanted, port = self._wanted
        if wanted:
            await (self.http.open if self._idle_seconds is None else self.http.try_to_open)(port)
        self.hub.closing.append(self._closing)
        listener = _listen(self.place.socket)
        self._loop.add_reader(listener.fileno(), self._accept, listener)
        self._watch_idle()
        ready()
        _log.info("server %s listens on %s", os.getpid(), self.place.socket)
        await self._stopped.wait()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.place.socket)
        self._loop.remove_reader(listener.fileno())
        listener.close()
        return await self._finish()

    async def _finish(self) -> bool:
        """Hear nothing new, wait for running calls, let their answers leave, close the folders; whether all went well.

        A call that still runs after its time is left behind as by a crash; one that waits for the person is given up.
        """
        deadline = time.monotonic() + _FINISH_SECONDS
        for channel in self._channels:
            channel.rest()
        if self._makes_way and self.http.port is not None:
            self.hub.state.keep_http(self.http.port)
        self.http.rest()
        finished = await asyncio.to_thread(self.hub.pool.close, _FINISH_SECONDS)
        await asyncio.sleep(0)  # tasks that waited for a thread have its result now, and answer
        for channel, speaker in list(self._channels.items()):
            (speaker.part if speaker else channel.close)()
        await self.http.end(1)
        if self._channels:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._empty.wait(), 1)
        finished = finished and await asyncio.to_thread(self.hub.stop, max(0.0, deadline - time.monotonic()))
        if not finished:
            _log.error("work was still going on; its folders are made whole when they are opened again")
        return finished

    # Connections.

    def _accept(self, listener: socket.socket) -> None:
        try:
            connection, _ = listener.accept()
        except OSError as error:  # it has gone again, unless there is no room for it
            if error.errno in _FULL:
                self._let_nobody_in(listener, error)
            return
        self._full = False
        if link.peer_uid(connection) != os.geteuid():
            connection.close()
            return
        channel = SocketChannel(connection)
        self._channels[channel] = None
        self._empty.clear()
        self._watch_idle()
        channel.hear = lambda line: self._hear_greeting(channel, line)
        channel.overrun = lambda: self._turn_away(channel, _too_long())
        channel.ended.append(lambda: self._gone(channel))
        channel.go_on()

    def _let_nobody_in(self, listener: socket.socket, error: OSError) -> None:
        """Wait a little: who stands at the door would wake the loop again at once, and for ever."""
        if not self._full:
            _log.warning("connections wait until others have gone: %s", error.strerror)
        self._full = True
        self._loop.remove_reader(listener.fileno())
        self._loop.call_later(_FULL_SECONDS, self._let_in_again, listener)

    def _let_in_again(self, listener: socket.socket) -> None:
        if listener.fileno() >= 0:  # it is closed when the server stops
            self._loop.add_reader(listener.fileno(), self._accept, listener)

    def _gone(self, channel: SocketChannel) -> None:
        del self._channels[channel]
        if not self._channels:
            self._empty.set()
        self._watch_idle()

    def _hear_greeting(self, channel: SocketChannel, line: bytes) -> None:
        """Take the first line; no other is taken before it is answered."""
        channel.rest()
        task = self._loop.create_task(self._greet(channel, line))
        self._greetings.add(task)
        task.add_done_callback(self._greetings.discard)

    async def _greet(self, channel: SocketChannel, line: bytes) -> None:
        try:
            greeting = read_greeting(line)
            if self._is_outdated(greeting):
                _log.info("the installed files have changed")
                channel.send(refusal(_making_way(), retry=True))
                channel.close()
                self._makes_way = True
                self.stop()
                return
            await self._admit(channel, greeting)
        except WorkroomError as error:
            self._turn_away(channel, error)
        except Exception:  # noqa: BLE001 - a client is told, and the server goes on
            _log.exception("a connection could not be admitted")
            self._turn_away(channel, WorkroomError(ErrorCode.INTERNAL, "The server met a fault; its log tells more."))

    def _turn_away(self, channel: SocketChannel, error: WorkroomError) -> None:
        channel.send(refusal(error))
        channel.close()

    async def _admit(self, channel: SocketChannel, greeting: Greeting) -> None:
        """Open what the client names and hand the channel to its speaker."""
        credential = self._credential(channel, greeting) if greeting.role == "person" else None
        if greeting.pipes and len(channel.passed) != 2:
            raise _without_pipes()
        opening = await self._loop.run_in_executor(self.hub.pool, self._opening, greeting)
        workspace: Workspace | None = None
        if opening is not None:
            workspace = await asyncio.wrap_future(opening)
        if credential is None:
            if workspace is None:
                raise WorkroomError(ErrorCode.INVALID_INPUT, "An agent's handshake names its workspace.")
            tool_list(greeting.profile, workspace.settings().mode)  # refuses a profile that isn't there
        session = Session(new_id("session"), greeting.profile, workspace, greeting.env)
        answer: dict[str, Any] = {"ok": True, "server": self.describe(), "session": session.id}
        if workspace is not None:
            answer["workspace"] = workspace.root.path
        channel.send(json.dumps(answer).encode("ascii") + b"\n")
        if credential is not None:
            rooms = Rooms(self.hub, session.id, KnownDoors(self.hub), workspace)
            self._channels[channel] = PersonConnection(channel, self, session, credential, rooms)
        elif workspace is not None:
            rooms = Rooms(self.hub, session.id, OpenDoors(self.hub), workspace, alone=True)
            if greeting.resumed is not None and greeting.resumed.root:
                await self._loop.run_in_executor(self.hub.pool, rooms.return_to, greeting.resumed.root, self.hub.open)
            self._channels[channel] = self._agent(channel, greeting, session, workspace, rooms)
        channel.go_on()

    def _agent(
        self, channel: SocketChannel, greeting: Greeting, session: Session, workspace: Workspace, rooms: Rooms
    ) -> Connection | Shimmed:
        if not greeting.pipes:
            return Connection(channel, self.hub, session, workspace, rooms)
        reading, writing = channel.take_passed()
        pipes = PipeChannel(reading, writing)
        return Shimmed(channel, pipes, Connection(pipes, self.hub, session, workspace, rooms), greeting.resumed)

    def _opening(self, greeting: Greeting) -> Future[Workspace] | None:
        """Begin to open the folder that the greeting means, on a thread of the pool."""
        path = greeting.workspace
        if path is None:
            return None
        if not greeting.open and greeting.role == "person":
            path = self.hub.locate(path)
            if path is None:
                raise WorkroomError(
                    ErrorCode.NOT_FOUND,
                    f"{greeting.workspace} is not in a workspace.",
                    next_step="`workroom open FOLDER` makes one; -C FOLDER names another.",
                )
        return self.hub.opening(path)

    def _credential(self, channel: SocketChannel, greeting: Greeting) -> PersonCredential:
        peer = link.peer_uid(channel.connection)
        try:
            return PersonCredential.grant(greeting.key, self._key, peer, os.geteuid(), name=_account())
        except WorkroomError as error:
            who = Actor("program", f"user {peer}")
            self.hub.pool.run(partial(self.hub.ledger.turned_away, who, "socket", "speak as the person", error))
            raise

    def _is_outdated(self, greeting: Greeting) -> bool:
        """Whether this server's own files have changed; a client of another installation alone is no reason."""
        return greeting.build != self._build and link.build() != self._build

    def _closing(self, workspace: Workspace) -> None:
        """Hear from any thread that a workspace is being closed."""
        with contextlib.suppress(RuntimeError):  # the loop is over: the server is stopping
            self._loop.call_soon_threadsafe(self._part, workspace)

    def _part(self, workspace: Workspace) -> None:
        """End the connections to a workspace that is being closed; its clients may come again."""
        for speaker in list(self._channels.values()):
            if speaker is not None and speaker.workspace is workspace:
                speaker.part()

    def _watch_idle(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        if self._idle_seconds is not None and not self._channels and self.http.url is None:
            self._idle = self._loop.call_later(self._idle_seconds, self.stop)


def _listen(path: str) -> socket.socket:
    """A socket in place of a dead one; whoever has the lock knows that it is dead."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX)
    mask = os.umask(0o177)
    try:
        listener.bind(path)
    finally:
        os.umask(mask)
    listener.listen(128)
    listener.setblocking(False)  # who has gone again before the loop comes to it must not hold it
    return listener


def _listens(path: str) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(path)
        except OSError:
            return False
    return True


def _account() -> str:
    """What the history calls the person."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return "person"


def _making_way() -> WorkroomError:
    return WorkroomError(ErrorCode.UNSUPPORTED, "Workroom was updated; this server makes way for the new one.")


def _too_long() -> WorkroomError:
    return WorkroomError(ErrorCode.LIMIT_EXCEEDED, f"A line is at most {LINE_BYTES:,} bytes.")


def _without_pipes() -> WorkroomError:
    return WorkroomError(
        ErrorCode.IO_ERROR,
        "The client's input and output didn't reach the server, which may have too many files open.",
        next_step="End other clients, or stop the server with `workroom stop` and raise `ulimit -n`; then start again.",
    )


def _tell(report: dict[str, Any]) -> None:
    """One line to the starter, which may have gone."""
    with contextlib.suppress(OSError):
        os.write(1, json.dumps(report).encode("ascii") + b"\n")


def _join_running(
    place: link.Place,
    state: StateDirectory,
    folder: str | None,
    say: Callable[[str], None],
    *,
    http: bool,
    port: int | None,
) -> int:
    greeting = link.hello("person", folder, key=state.person_key(), environ=os.environ)
    joined = link.join(place, greeting, start=False)
    say(f"A server is running already (process {joined.answer['server']['pid']}).")
    if folder is not None:
        say(_serving(folder))
    with contextlib.closing(joined.connection):
        if http:
            opened = link.ask(joined, "http", port=port)
            say(_listening(opened["url"]))
            say(_page(link.ask(joined, "page.code")["link"]))
            if opened["warning"]:
                say(opened["warning"])
    return 0


def _wants_http(state: StateDirectory) -> bool:
    """Whether the person's settings say that every server listens; settings that are wrong are told elsewhere."""
    with contextlib.suppress(WorkroomError):
        return parse_settings(state.read_settings(None)[0]).http_port is not None
    return False


def _listening(url: str) -> str:
    return f"HTTP: {url}. `workroom token create NAME` lets a client in."


def _page(address: str) -> str:
    return f"The page: {address} (counts once, for two minutes; `workroom page` prints another)"


def _serving(folder: str | None) -> str:
    name = folder or "FOLDER"
    return f"Serving {folder or 'folders as they are asked for'}. An agent connects with: workroom mcp {name}"


def _detach(state: StateDirectory) -> None:
    """Tell the starter that clients can connect, and leave its pipe."""
    _tell({"ok": True})
    log = _log_to_file(state)
    os.dup2(log, 1)
    os.dup2(log, 2)


def _log_to_file(state: StateDirectory) -> int:
    """Log to the state directory from here on; answers the log's descriptor."""
    path = state.log_folder / "server.log"
    with contextlib.suppress(FileNotFoundError):
        if path.stat().st_size > _LOG_BYTES:
            path.rename(path.with_suffix(".log.1"))
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    stream = open(log, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - as long as the process
    logging.basicConfig(stream=stream, level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    return log
