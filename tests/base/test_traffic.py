"""What can wait lets calls go first, and not for ever."""

from __future__ import annotations

import threading

import pytest

from workroom.base.traffic import Traffic


def test_without_a_call_nothing_waits():
    assert Traffic().give_way(60) < 1


def test_it_waits_until_the_last_call_is_over():
    traffic, begun, waited = Traffic(), threading.Event(), []

    def wait():
        begun.set()
        waited.append(traffic.give_way(60))

    with traffic.call(), traffic.call():
        thread = threading.Thread(target=wait)
        thread.start()
        assert begun.wait(60)
        thread.join(0.1)
        assert waited == []
    thread.join(60)
    assert 0.1 <= waited[0] < 30


def test_it_waits_no_longer_than_it_is_told():
    traffic = Traffic()
    with traffic.call():
        assert 0.05 <= traffic.give_way(0.05) < 10


def test_a_call_that_fails_is_over_too():
    traffic = Traffic()
    with pytest.raises(ValueError, match="x"), traffic.call():
        raise ValueError("x")
    assert traffic.give_way(60) < 1
