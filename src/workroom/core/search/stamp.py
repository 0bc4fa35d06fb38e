"""What a folder's or file's times say of it: whether it is what it was when it was read."""

from __future__ import annotations

import time

__all__ = ["Stamp", "settled"]

_TICK_NS = 100_000_000
_COARSE_TICK_NS = 2_500_000_000
"""Within how much of its last change a folder may change unseen; the second where times are whole seconds."""

Stamp = tuple[int, int, int, int]
"""Inode, the times of the last change in nanoseconds (of content, of anything), and one more that tells."""


def settled(stamp: Stamp) -> Stamp | None:
    """The stamp, where what has it can't change any more without another."""
    newest = max(stamp[1], stamp[2])
    tick = _TICK_NS if stamp[1] % 1_000_000_000 else _COARSE_TICK_NS
    return stamp if newest + tick < time.time_ns() else None
