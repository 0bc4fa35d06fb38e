"""What long work tells of itself, and how it learns that nobody waits."""

import pytest

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.pulse import STILL, Pulse


def test_a_beat_is_reported_until_the_call_is_cancelled():
    heard = []
    pulse = Pulse(lambda done, total: heard.append((done, total)))
    pulse.beat(1, 3)
    pulse.beat(2)
    pulse.cancel()
    with pytest.raises(WorkroomError) as cancelled:
        pulse.beat(3, 3)
    assert cancelled.value.code is ErrorCode.CANCELLED
    assert heard == [(1, 3), (2, None)]


def test_work_that_nobody_follows_goes_on():
    STILL.beat(1, 2)
    STILL.check()
