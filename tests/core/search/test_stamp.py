"""When a folder's times tell that it is what it was."""

from __future__ import annotations

import time

from workroom.core.search.stamp import settled


def test_what_was_changed_just_now_may_change_again_unseen():
    now = time.time_ns()
    fine = now - 1_000_000_000 | 1
    assert settled((1, fine, fine, 2)) == (1, fine, fine, 2)
    assert settled((1, fine, now, 2)) is None
    assert settled((1, now, fine, 2)) is None
    whole = (now // 1_000_000_000 - 1) * 1_000_000_000
    assert settled((1, whole, whole, 2)) is None, "times are whole seconds there"
    assert settled((1, whole - 5_000_000_000, whole - 5_000_000_000, 2)) is not None
