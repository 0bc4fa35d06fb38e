"""Time, as a value that tests can set."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

__all__ = ["Clock", "iso", "now"]

Clock = Callable[[], float]
"""Seconds since 1970, UTC."""


def now() -> float:
    """The system's clock."""
    return time.time()


def iso(seconds: float) -> str:
    """`2026-11-30T12:00:00.000Z`."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
