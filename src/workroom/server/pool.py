"""The threads that calls run on, in shares; core and system are synchronous.

    Pool    a fixed number of threads
    Lane    one owner's way to them: at most half of them at once, and what is beyond waits where it is in nobody's way

Beside what any executor does, `run` starts work that nobody waits for with as little as possible on the way: on a call
of a third of a millisecond, the standard library's pool and its futures take a fifth of one.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, TypeVar
from weakref import WeakValueDictionary

__all__ = ["Lane", "Pool"]

_log = logging.getLogger(__name__)

T = TypeVar("T")


class Pool(Executor):
    """A fixed number of threads, which don't keep the process from ending."""

    def __init__(self, threads: int) -> None:
        self._queue: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._closed = False
        self._share = max(1, threads // 2)
        self._lanes: WeakValueDictionary[str, Lane] = WeakValueDictionary()
        self._lock = threading.Lock()
        self._threads = [
            threading.Thread(target=self._work, name=f"workroom-{number}", daemon=True) for number in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    def lane(self, owner: str) -> Lane:
        """The way of one owner: the same as long as anything of it runs or waits, or somebody holds it."""
        with self._lock:
            lane = self._lanes.get(owner)
            if lane is None:
                lane = self._lanes[owner] = Lane(self, self._share)
            return lane

    def run(self, work: Callable[[], None]) -> None:
        """Run `work` on some thread, soon; what it raises is logged. Dropped once the pool is closed."""
        if self._closed:
            _give_up(work)
        else:
            self._queue.put(work)

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """As any executor's; cancelled at once when the pool is closed."""
        future: Future[T] = Future()
        self.run(partial(_fulfil, future, partial(fn, *args, **kwargs)))
        return future

    def close(self, seconds: float) -> bool:
        """Begin nothing more, and wait for what runs; False when something still runs after that time."""
        self._closed = True
        while True:
            try:
                waiting = self._queue.get_nowait()
            except Empty:
                break
            _give_up(waiting)
        for _ in self._threads:
            self._queue.put(None)
        deadline = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _work(self) -> None:
        while (work := self._queue.get()) is not None:
            try:
                work()
            except Exception:  # noqa: BLE001 - a thread outlives what it runs
                _log.exception("work failed")


class Lane(Executor):
    """One owner's way to the threads of a pool, as an executor. Made by `Pool.lane`."""

    def __init__(self, pool: Pool, share: int) -> None:
        self._pool = pool
        self._free = share
        self._waiting: deque[Callable[[], None]] = deque()
        self._lock = threading.Lock()

    def run(self, work: Callable[[], None]) -> None:
        """As the pool's, when it is this owner's turn."""
        with self._lock:
            if not self._free:
                self._waiting.append(work)
                return
            self._free -= 1
        self._pool.run(_Turn(self, work))

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """As any executor's; cancelled when the pool is closed before its turn."""
        future: Future[T] = Future()
        self.run(partial(_fulfil, future, partial(fn, *args, **kwargs)))
        return future

    def go_on(self) -> None:
        """One of the owner's has run: another one's turn."""
        with self._lock:
            if not self._waiting:
                self._free += 1
                return
            work = self._waiting.popleft()
        self._pool.run(_Turn(self, work))

    def give_up(self) -> None:
        """The pool is closed: none of those who wait has a turn any more."""
        with self._lock:
            waiting, self._waiting = self._waiting, deque()
        for work in waiting:
            _give_up(work)


class _Turn:
    """Work of a lane on its way to a thread."""

    __slots__ = ("lane", "work")

    def __init__(self, lane: Lane, work: Callable[[], None]) -> None:
        self.lane = lane
        self.work = work

    def __call__(self) -> None:
        try:
            self.work()
        finally:
            self.lane.go_on()


def _give_up(work: Callable[[], None] | None) -> None:
    """It won't be run; whoever waits for it is told."""
    if isinstance(work, _Turn):
        _give_up(work.work)
        work.lane.give_up()
    elif isinstance(work, partial) and work.func is _fulfil:
        work.args[0].cancel()


def _fulfil(future: Future[T], call: Callable[[], T]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = call()
    except BaseException as error:  # noqa: BLE001 - whoever waits gets it
        future.set_exception(error)
    else:
        future.set_result(result)
