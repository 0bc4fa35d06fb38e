"""A program of our own that answers one request after another, for what may crash or hang where it is done.

    Worker             its owner's side: started when it is first asked, ended when nobody asks any more
    received, serve    the program's side

A request and an answer are a length of four bytes and so many bytes, over pipes; the program ends when its owner does.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import IO, BinaryIO

from workroom.base.errors import ErrorCode, WorkroomError

__all__ = ["Worker", "received", "serve"]

_LENGTH = 4
_CHUNK = 1 << 18
_IDLE = 60.0
"""Seconds after the last answer that it is kept."""


class Worker:
    """Asked by one thread at a time; the others wait for their turn."""

    def __init__(self, argv: Sequence[str], *, cwd: str, env: Mapping[str, str], idle: float = _IDLE) -> None:
        self._argv = list(argv)
        self._cwd = cwd
        self._env = dict(env)
        self._idle = idle
        self._turn = threading.Condition()
        self._process: subprocess.Popen[bytes] | None = None
        self._keeper: threading.Thread | None = None
        self._used = 0.0
        self._stopped = False

    @property
    def pid(self) -> int | None:
        """The number of its process, while there is one."""
        process = self._process
        return None if process is None else process.pid

    def ask(self, request: bytes, timeout: float) -> bytes:
        """The answer to a request. TIMEOUT after so many seconds, IO_ERROR where the program ended: then the next
        request begins with a new one. CANCELLED once it was stopped."""
        with self._turn:
            process = self._started()
            try:
                return _conversation(process, request, time.monotonic() + timeout)
            except WorkroomError:
                self._end()
                raise
            finally:
                self._used = time.monotonic()

    def stop(self) -> None:
        """End it, in the middle of a request too; it isn't started again."""
        self._stopped = True
        process = self._process
        if process is not None:
            _kill(process)
        with self._turn:
            self._end()
            self._turn.notify_all()
            keeper, self._keeper = self._keeper, None
        if keeper is not None:
            keeper.join()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._stopped:
            raise WorkroomError(ErrorCode.CANCELLED, "The workspace is being closed.")
        if self._process is None:
            self._process = _popen(self._argv, self._cwd, self._env)
        if self._keeper is None:
            self._keeper = threading.Thread(target=self._keep, name="workroom-worker", daemon=True)
            self._keeper.start()
        return self._process

    def _keep(self) -> None:
        """End it when nobody has asked for a while."""
        with self._turn:
            while self._process is not None and (left := self._used + self._idle - time.monotonic()) > 0:
                self._turn.wait(left)
            self._end()
            self._keeper = None

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            _kill(process)
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()


def received(requests: BinaryIO) -> bytes | None:
    """The next request; None when there are no more."""
    head = requests.read(_LENGTH)
    return requests.read(int.from_bytes(head, "big")) if len(head) == _LENGTH else None


def serve(answer: Callable[[bytes], bytes], requests: BinaryIO, answers: BinaryIO, request: bytes | None) -> None:
    """Answer a request that was received, and those after it, until there are no more."""
    while request is not None:
        said = answer(request)
        answers.write(len(said).to_bytes(_LENGTH, "big") + said)
        answers.flush()
        request = received(requests)


def _popen(argv: Sequence[str], cwd: str, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            argv, cwd=cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True, bufsize=0,
        )  # fmt: skip
    except OSError as error:
        raise WorkroomError(ErrorCode.IO_ERROR, f"{argv[0]} can't be started: {error.strerror}.") from error


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def _conversation(process: subprocess.Popen[bytes], request: bytes, deadline: float) -> bytes:
    """Hand a request over, and take the answer."""
    unsent = memoryview(len(request).to_bytes(_LENGTH, "big") + request)
    heard = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(_nonblocking(process.stdout), selectors.EVENT_READ)
        selector.register(_nonblocking(process.stdin), selectors.EVENT_WRITE)
        while len(heard) < _LENGTH or len(heard) - _LENGTH < int.from_bytes(heard[:_LENGTH], "big"):
            ready = selector.select(max(deadline - time.monotonic(), 0))
            if not ready:
                raise WorkroomError(ErrorCode.TIMEOUT, "It took too long.")
            for key, _ in ready:
                if key.events == selectors.EVENT_READ:
                    heard += _read(key.fd)
                    continue
                unsent = unsent[_written(key.fd, unsent) :]
                if not unsent:
                    selector.unregister(key.fd)
    return bytes(heard[_LENGTH:])


def _nonblocking(pipe: IO[bytes] | None) -> int:
    descriptor = -1 if pipe is None else pipe.fileno()
    os.set_blocking(descriptor, False)
    return descriptor


def _read(descriptor: int) -> bytes:
    data = os.read(descriptor, _CHUNK)
    if not data:
        raise WorkroomError(ErrorCode.IO_ERROR, "The program that does it ended.")
    return data


def _written(descriptor: int, data: memoryview) -> int:
    try:
        return os.write(descriptor, data[:_CHUNK])
    except BrokenPipeError:  # it ended, which the other pipe tells
        return len(data)
