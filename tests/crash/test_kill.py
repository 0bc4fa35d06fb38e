"""SIGKILL at every system call of a commit and of a rollback, and at a sample of those of recoveries: no mixed tree."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from tests.crash import sweep as crash

pytestmark = pytest.mark.skipif(bool(crash.missing()), reason=crash.missing() or "strace is there")

_JOBS = max(2, os.cpu_count() or 2)
_MEMORY = Path("/dev/shm")


@pytest.fixture
def pool(monkeypatch):
    # The killed processes are looked at call by call: coverage would add calls of its own.
    for name in [name for name in os.environ if name.startswith("COVERAGE_")]:
        monkeypatch.delenv(name)
    with crash.workers(_JOBS) as pool:
        yield pool


@pytest.fixture
def scenes(tmp_path):
    """A folder for scenes. In memory where that is: a killed process loses nothing that it has handed to the system."""
    memory = _MEMORY if os.access(_MEMORY, os.W_OK) else tmp_path
    with tempfile.TemporaryDirectory(dir=memory, prefix="workroom-crash-") as name:
        yield Path(name)


@pytest.mark.parametrize("what", ["commit", "rollback"])
def test_every_system_call(pool, scenes, what):
    listed = crash.points(pool, what, scenes / what)
    found = crash.sweep(pool, listed)
    assert [verdict for verdict in found if verdict.fault] == []
    # Both ends were seen, and each process was killed where it should be.
    assert {verdict.applied for verdict in found} == {True, False}
    assert crash.missed(found) == []


@pytest.mark.parametrize("what", ["commit", "rollback"])
def test_recovery_killed_and_run_again(pool, scenes, what):
    listed = crash.points(pool, what, scenes / what)
    firsts = [point for point in listed if point.kill.name == "renameat2"][::5]
    firsts.append(listed[-1])  # committed, and killed before it was settled
    again = [second for first in firsts for second in crash.recovery_points(pool, first, 40)]
    found = crash.sweep(pool, again)
    assert [verdict for verdict in found if verdict.fault] == []
    assert {verdict.applied for verdict in found} == {True, False}
    assert crash.missed(found) == []
