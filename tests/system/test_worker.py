"""A program that answers: real processes, told what to do by what they are asked."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
import time

import pytest

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.system.process import base_env
from workroom.system.worker import Worker, received, serve

PROGRAM = """
import os, sys, time
from workroom.system.worker import received, serve

def answer(request):
    if request == b"die":
        os._exit(1)
    if request == b"hang":
        time.sleep(600)
    if request == b"pid":
        return str(os.getpid()).encode()
    return request[::-1]

serve(answer, sys.stdin.buffer, sys.stdout.buffer, received(sys.stdin.buffer))
"""


@pytest.fixture
def worker(tmp_path):
    found = Worker([sys.executable, "-P", "-c", PROGRAM], cwd=str(tmp_path), env=base_env())
    yield found
    found.stop()


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def refused(worker, request, timeout=30.0) -> ErrorCode:
    with pytest.raises(WorkroomError) as raised:
        worker.ask(request, timeout)
    return raised.value.code


def test_it_answers_again_and_again_in_one_process(worker):
    assert worker.pid is None
    assert [worker.ask(request, 30) for request in (b"abc", b"", b"pid")] == [b"cba", b"", str(worker.pid).encode()]


def test_requests_and_answers_larger_than_a_pipe(worker):
    request = os.urandom(3_000_000)
    assert worker.ask(request, 30) == request[::-1]


def test_one_that_hangs_is_killed_and_another_takes_its_place(worker):
    first = int(worker.ask(b"pid", 30))
    assert refused(worker, b"hang", 0.2) is ErrorCode.TIMEOUT
    assert gone(first)
    assert worker.ask(b"abc", 30) == b"cba"


def test_one_that_ends_costs_one_answer(worker):
    assert refused(worker, b"die") is ErrorCode.IO_ERROR
    first = int(worker.ask(b"pid", 30))
    os.kill(first, signal.SIGKILL)
    assert refused(worker, b"x" * 3_000_000) is ErrorCode.IO_ERROR
    assert worker.ask(b"abc", 30) == b"cba"


def test_one_that_cant_be_started(tmp_path):
    worker = Worker([sys.executable], cwd=str(tmp_path / "none"), env={})
    assert refused(worker, b"abc") is ErrorCode.IO_ERROR
    worker.stop()


def test_one_that_stops_listening(tmp_path):
    deaf = "import os, time; os.close(0); time.sleep(0.2)"
    worker = Worker([sys.executable, "-c", deaf], cwd=str(tmp_path), env=base_env())
    assert refused(worker, b"x" * 3_000_000) is ErrorCode.IO_ERROR
    worker.stop()


def test_many_threads_ask(worker):
    answers = []
    threads = [
        threading.Thread(target=lambda n=n: answers.append(worker.ask(str(n).encode(), 30)), args=()) for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [str(n).encode() for n in range(8)]


def test_one_that_nobody_asks_is_ended(tmp_path):
    worker = Worker([sys.executable, "-P", "-c", PROGRAM], cwd=str(tmp_path), env=base_env(), idle=0.3)
    first = int(worker.ask(b"pid", 30))
    deadline = time.monotonic() + 30
    while not (worker.pid is None and gone(first)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert gone(first)
    assert int(worker.ask(b"pid", 30)) != first
    worker.stop()


def test_stopped_it_ends_in_the_middle_of_a_request_and_isnt_started_again(worker):
    pid = int(worker.ask(b"pid", 30))
    asked = threading.Thread(target=lambda: refused(worker, b"hang"))
    asked.start()
    worker.stop()
    asked.join(30)
    assert not asked.is_alive()
    assert gone(pid)
    assert refused(worker, b"abc") is ErrorCode.CANCELLED
    worker.stop()


def test_the_program_ends_with_its_owner():
    requests, answers = io.BytesIO(b"\0\0\0\1a\0\0\0\2bc\0\0"), io.BytesIO()
    serve(bytes.upper, requests, answers, received(requests))
    assert answers.getvalue() == b"\0\0\0\1A\0\0\0\2BC"
    assert received(requests) is None
