"""Two ways of doing one thing, measured in turn; the ratio of their medians against a goal; and the table."""

from __future__ import annotations

import gc
import math
import statistics
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass

__all__ = ["Figure", "Row", "medians", "percentile", "table", "tell"]

_WHOLE = {"bytes": "B", "chars": "ch"}
"""Units of which there are no parts."""

Sample = Callable[[], float]
"""Does the thing once; answers how many seconds the part took that counts."""


@dataclass(frozen=True)
class Row:
    """One line of the table. `goal` is the highest ratio of ours to the peer's, None where there is none."""

    name: str
    ours: float
    peer: float
    goal: float | None
    unit: str = "ms"

    @property
    def ratio(self) -> float:
        return self.ours / self.peer

    @property
    def verdict(self) -> str:
        if self.goal is None:
            return ""
        return "yes" if self.ratio <= self.goal else "NO"


@dataclass(frozen=True)
class Figure:
    """A line with a goal of its own, in place of a peer's figure to be held against; where nobody does it, no peer."""

    name: str
    ours: float
    peer: float | None
    most: float | None
    unit: str = "bytes"

    @property
    def verdict(self) -> str:
        if self.most is None:
            return ""
        return "yes" if self.ours < self.most else "NO"


def medians(*samples: Sample, repeats: int, warm: int = 3) -> list[float]:
    """The median of each in milliseconds. They take turns, and turns at being first: what disturbs one disturbs all."""
    seconds: list[list[float]] = [[] for _ in samples]
    for turn in range(warm + repeats):
        gc.collect()
        order = range(len(samples)) if turn % 2 else reversed(range(len(samples)))
        for which in order:
            took = samples[which]()
            if turn >= warm:
                seconds[which].append(took)
    return [statistics.median(each) * 1000 for each in seconds]


def percentile(seconds: list[float], percent: int) -> float:
    """By the nearest rank, in milliseconds."""
    ranked = sorted(seconds)
    return ranked[math.ceil(len(ranked) * percent / 100) - 1] * 1000


def tell(text: str) -> None:
    """Say what is going on, beside the table."""
    print(text, file=sys.stderr, flush=True)


def table(rows: Iterable[Row | Figure]) -> str:
    """The rows as aligned text."""
    head = ("", "ours", "peer", "ratio", "goal", "met")
    lines = [head, *map(_cells, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(_aligned(line, widths) for line in lines)


def _cells(row: Row | Figure) -> tuple[str, ...]:
    ours = _number(row.ours, row.unit)
    peer = "" if row.peer is None else _number(row.peer, row.unit)
    if isinstance(row, Row):
        goal = "" if row.goal is None else f"<= {row.goal:g}"
        return row.name, ours, peer, f"{row.ratio:.2f}", goal, row.verdict
    goal = "" if row.most is None else f"< {row.most:,.0f}"
    ratio = "" if row.peer is None else f"{row.ours / row.peer:.2f}"
    return row.name, ours, peer, ratio, goal, row.verdict


def _number(value: float, unit: str) -> str:
    if unit in _WHOLE:
        return f"{value:,.0f} {_WHOLE[unit]}"
    return f"{value:,.2f} {unit}"


def _aligned(line: tuple[str, ...], widths: list[int]) -> str:
    cells = [line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))]
    return "  ".join(cells).rstrip()
