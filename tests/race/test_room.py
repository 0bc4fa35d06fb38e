"""A short race of agents and other programs in one folder; `make race` makes a long one."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import pytest
from tests.race.room import race

_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


@pytest.mark.skipif(sys.platform != "linux", reason="the other programs swap names as Linux does")
def test_everything_adds_up():
    with tempfile.TemporaryDirectory(prefix="workroom-race-", dir=_MEMORY) as name:
        report = race(Path(name), 900, "test")
    assert report.faults == []
    # Both were met: commits that went through, and others that were refused.
    assert report.codes["done"] > 0
    assert report.codes["EDIT_CONFLICT"] > 0
