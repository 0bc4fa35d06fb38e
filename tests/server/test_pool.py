"""The threads of the server: quick to begin, sure to end."""

from __future__ import annotations

import asyncio
import logging
import threading
from concurrent.futures import CancelledError

import pytest

from workroom.server.pool import Pool


@pytest.fixture
def pool():
    pool = Pool(2)
    yield pool
    assert pool.close(30)


def test_work_is_run_on_a_thread(pool):
    names, done = [], threading.Event()

    def work():
        names.append(threading.current_thread().name)
        done.set()

    pool.run(work)
    assert done.wait(30)
    assert names[0].startswith("workroom-")


def test_a_fault_is_logged_and_the_thread_lives(pool, caplog):
    for _ in range(4):
        pool.run(lambda: 1 / 0)
    assert pool.submit(lambda: 7).result(30) == 7
    assert pool.submit(lambda: 8).result(30) == 8
    with caplog.at_level(logging.ERROR):
        assert pool.close(30)
    assert sum("work failed" in record.message for record in caplog.records) == 4


def test_it_is_an_executor(pool):
    assert list(pool.map(lambda x: x * x, range(5))) == [0, 1, 4, 9, 16]
    with pytest.raises(ZeroDivisionError):
        pool.submit(lambda: 1 / 0).result(30)

    async def use():
        return await asyncio.get_running_loop().run_in_executor(pool, lambda: "x")

    assert asyncio.run(use()) == "x"


def test_closing_drops_what_waits_and_finishes_what_runs():
    pool = Pool(1)
    began, go, ran = threading.Event(), threading.Event(), []

    def work():
        began.set()
        go.wait(30)
        ran.append("first")

    pool.run(work)
    began.wait(30)
    pool.run(lambda: ran.append("second"))
    waiting = pool.submit(lambda: ran.append("third"))
    assert pool.close(0) is False
    go.set()
    assert pool.close(30) is True
    assert ran == ["first"]
    with pytest.raises(CancelledError):
        waiting.result(0)
    pool.run(lambda: ran.append("late"))
    assert pool.submit(lambda: 1).cancelled()
    assert ran == ["first"]


def test_a_cancelled_future_is_not_run():
    pool = Pool(1)
    began, go, ran = threading.Event(), threading.Event(), []

    def work():
        began.set()
        go.wait(30)

    pool.run(work)
    began.wait(30)
    future = pool.submit(lambda: ran.append("x"))
    assert future.cancel()
    go.set()
    assert pool.submit(lambda: 1).result(30) == 1
    assert ran == []
    assert pool.close(30)
