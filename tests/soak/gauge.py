"""How much of the machine a server takes, again and again, and what that comes to in a day."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

__all__ = ["FIELDS", "Gauge", "Sample", "percentile", "slope"]

FIELDS = ("rss_mb", "descriptors", "threads", "store_mb")


@dataclass(frozen=True, slots=True)
class Sample:
    """One look, `at` seconds after the beginning."""

    at: float
    rss_mb: float
    descriptors: float
    threads: float
    store_mb: float
    cpu_seconds: float


class Gauge:
    """Looks at one process and its store."""

    def __init__(self, pid: int, store: Path) -> None:
        self._process = Path(f"/proc/{pid}")
        self._store = store
        self._began = time.monotonic()
        self.samples: list[Sample] = []

    def look(self) -> Sample:
        """Take a sample."""
        status = dict(line.split(":\t", 1) for line in (self._process / "status").read_text().splitlines())
        times = (self._process / "stat").read_text().rpartition(")")[2].split()
        sample = Sample(
            at=time.monotonic() - self._began,
            rss_mb=int(status["VmRSS"].split()[0]) / 1024,
            descriptors=len(os.listdir(self._process / "fd")),
            threads=int(status["Threads"]),
            store_mb=_size(self._store) / 1024 / 1024,
            cpu_seconds=(int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK"),
        )
        self.samples.append(sample)
        return sample

    def settled(self) -> list[Sample]:
        """The samples of the second half: caches are warm, and every client has come."""
        return self.samples[len(self.samples) // 2 :]


def slope(samples: list[Sample], field: str) -> float:
    """By how much a field grows in an hour: the line of the least squares."""
    if len(samples) < 2:
        return 0.0
    xs = [sample.at / 3600 for sample in samples]
    ys = [float(getattr(sample, field)) for sample in samples]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - mean_x) ** 2 for x in xs)
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / spread if spread else 0.0


def percentile(values: list[float], share: float) -> float:
    """The value that this share of all values doesn't exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


def _size(folder: Path) -> int:
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(path, name)).st_size
            except FileNotFoundError:  # a file that just went
                continue
    return total
