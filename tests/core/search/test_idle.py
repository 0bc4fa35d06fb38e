"""What nobody asks for is let go."""

from __future__ import annotations

import threading
import time

from workroom.core.search.idle import Idle


def test_it_is_let_go_after_a_while_and_only_then():
    gone = threading.Event()
    idle = Idle(0.3, gone.set)
    idle.asked()
    began = time.monotonic()
    while time.monotonic() < began + 0.5:
        idle.asked()
        assert not gone.wait(0.05)
    assert gone.wait(60)


def test_it_is_let_go_again_after_somebody_asked_again():
    """Also where what lets it go stops nothing."""
    gone = threading.Event()
    idle = Idle(0.05, gone.set)
    for _ in range(3):
        idle.asked()
        assert gone.wait(10)
        gone.clear()


def test_it_is_not_waited_for_once_it_is_stopped():
    gone = threading.Event()
    idle = Idle(0.05, gone.set)
    idle.stop()
    idle.asked()
    idle.stop()
    assert not gone.wait(0.2)
    idle.asked()
    assert gone.wait(60)
