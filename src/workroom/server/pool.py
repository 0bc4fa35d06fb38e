"""The threads that calls run on; core and system are synchronous.

Beside what any executor does, `run` starts work that nobody waits for with as little as possible on the way: on a call
of a third of a millisecond, the standard library's pool and its futures take a fifth of one.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

__all__ = ["Pool"]

_log = logging.getLogger(__name__)

T = TypeVar("T")


class Pool(Executor):
    """A fixed number of threads, which don't keep the process from ending."""

    def __init__(self, threads: int) -> None:
        self._queue: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._closed = False
        self._threads = [
            threading.Thread(target=self._work, name=f"workroom-{number}", daemon=True) for number in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    def run(self, work: Callable[[], None]) -> None:
        """Run `work` on some thread, soon; what it raises is logged. Dropped once the pool is closed."""
        if not self._closed:
            self._queue.put(work)

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """As any executor's; cancelled at once when the pool is closed."""
        future: Future[T] = Future()
        if self._closed:
            future.cancel()
        else:
            self._queue.put(partial(_fulfil, future, partial(fn, *args, **kwargs)))
        return future

    def close(self, seconds: float) -> bool:
        """Begin nothing more, and wait for what runs; False when something still runs after that time."""
        self._closed = True
        while True:
            try:
                waiting = self._queue.get_nowait()
            except Empty:
                break
            if isinstance(waiting, partial) and waiting.func is _fulfil:
                waiting.args[0].cancel()
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


def _fulfil(future: Future[T], call: Callable[[], T]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = call()
    except BaseException as error:  # noqa: BLE001 - whoever waits gets it
        future.set_exception(error)
    else:
        future.set_result(result)
