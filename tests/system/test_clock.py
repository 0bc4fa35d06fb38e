from __future__ import annotations

import time

import pytest

from workroom.system.clock import iso, now


def test_now_is_the_systems_time() -> None:
    before = time.time()
    assert before <= now() <= time.time()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (0.1239, "1970-01-01T00:00:00.123Z"),
        (1796040000.5, "2026-11-30T12:00:00.500Z"),
        (951782400, "2000-02-29T00:00:00.000Z"),
    ],
)
def test_iso_is_utc_with_milliseconds(seconds: float, text: str) -> None:
    assert iso(seconds) == text
