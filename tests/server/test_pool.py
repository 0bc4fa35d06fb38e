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


@pytest.fixture
def held():
    """A pool of four threads in which an owner has ten works under way, and what ran; `go` lets them end."""
    pool, go, begun, ran = Pool(4), threading.Event(), threading.Semaphore(0), []

    def work(number):
        begun.release()
        go.wait(30)
        ran.append(number)

    lane = pool.lane("a")
    futures = [lane.submit(work, number) for number in range(10)]
    begun.acquire(timeout=30)
    begun.acquire(timeout=30)
    yield pool, go, ran, futures
    go.set()
    assert pool.close(30)


def test_one_owner_takes_half_of_the_threads_and_the_others_go_on(held):
    pool, go, ran, futures = held
    assert pool.lane("b").submit(lambda: "other").result(30) == "other"
    assert pool.submit(lambda: "own").result(30) == "own"
    assert ran == []
    go.set()
    for future in futures:
        future.result(30)
    assert sorted(ran) == list(range(10))
    assert pool.lane("a").submit(lambda: "again").result(30) == "again"


def test_an_owner_has_one_lane_however_it_comes(held):
    pool, go, ran, _ = held
    late = pool.lane("a").submit(lambda: ran.append("late"))
    assert pool.lane("b").submit(lambda: 1).result(30) == 1
    assert not late.running()
    go.set()
    late.result(30)
    assert "late" in ran


def test_closing_drops_what_waits_in_lanes(held):
    pool, go, ran, futures = held
    rest = pool.lane("b")
    assert pool.close(0) is False
    go.set()
    assert pool.close(30)
    assert len(ran) == 2
    assert [future.cancelled() for future in futures].count(True) == 8
    assert rest.submit(lambda: 1).cancelled()


def test_closing_drops_what_a_lane_has_in_the_queue():
    pool = Pool(2)
    began, go = threading.Event(), threading.Event()

    def hold():
        began.set()
        go.wait(30)

    running = [pool.submit(hold) for _ in range(2)]
    began.wait(30)
    lane = pool.lane("a")
    waiting = [lane.submit(lambda: 1) for _ in range(3)]
    lane.run(lambda: None)
    assert pool.close(0) is False
    assert all(future.cancelled() for future in waiting)
    go.set()
    assert pool.close(30)
    assert all(future.done() for future in running)


def test_a_fault_in_a_lane_gives_the_next_its_turn():
    pool = Pool(2)
    lane = pool.lane("a")
    for _ in range(3):
        lane.run(lambda: 1 / 0)
    assert lane.submit(lambda: 7).result(30) == 7
    assert pool.close(30)
