"""From the start of the process to its first answer (`initialize`), against the start of the peer."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.client import Client
from benchmarks.measure import Row, Sample, medians
from benchmarks.ours import Ours
from benchmarks.peer import command

__all__ = ["measure"]

_REPEATS = 15


def measure(scratch: Path) -> Iterator[Row]:
    """With the server running, and with none: then the first client starts it."""
    here, there = scratch / "ours", scratch / "peer"
    here.mkdir(parents=True)
    there.mkdir()
    house, peer = Ours(here, scratch / "state"), command(there)
    joining, starting = _starting(house.command, house.environ), _starting(peer)

    def cold() -> float:
        house.stop()
        return joining()

    try:
        ours_ms, peer_ms = medians(joining, starting, repeats=_REPEATS)
        yield Row("start, server running", ours_ms, peer_ms, 0.25)
        ours_ms, peer_ms = medians(cold, starting, repeats=_REPEATS)
        yield Row("start, server not running", ours_ms, peer_ms, 2.5)
    finally:
        house.stop()


def _starting(command: Sequence[str], environ: Mapping[str, str] | None = None) -> Sample:
    def once() -> float:
        start = time.perf_counter()
        client = Client(command, environ)
        took = time.perf_counter() - start
        client.close()
        return took

    return once
