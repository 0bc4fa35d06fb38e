"""Whether what happened in a folder is what some serial order of commits and other programs' writes gives.

    problems(before, commits, writes, after, kept)     what can't be explained; empty when all is well

Commits come in the order of their entries and say, for each path, which value they replaced and which they left. A
write is another program's: one value at one path, made at some instant between `start` and `end`; it read nothing.
Values are whatever can be compared (hashes of contents), None for nothing at the path.

For one path the commits are a chain. In the gap before a commit, the last value has to be the one that it replaced:

    … commit ─ after ─┤ gap: any writes whose time allows it, the last of them leaves `before` ├─ commit …

A write that fits no gap in which something later, or a commit that saw it, could have replaced it was overwritten
unseen: it is lost, unless its value was kept in a copy.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Commit", "Write", "problems"]

Value = Any


@dataclass(frozen=True, slots=True)
class Commit:
    """An acknowledged commit: asked for at `start`, acknowledged at `end`."""

    number: int
    start: int
    end: int
    changes: Mapping[str, tuple[Value, Value]]


@dataclass(frozen=True, slots=True)
class Write:
    """Another program left `value` at `path`, at an instant from `start` to `end`.

    `others` are paths to which the file may have moved while the program had it open: then it wrote there.
    """

    path: str
    value: Value
    start: int
    end: int
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Gap:
    """What may happen at a path between two commits: its first and last value, and the earliest and latest instant."""

    first: Value
    last: Value
    opens: int
    closes: int

    def may_hold(self, write: Write) -> bool:
        return write.start <= self.closes and write.end >= self.opens


_NEVER = 1 << 62


def problems(
    before: Mapping[str, Value],
    commits: Sequence[Commit],
    writes: Iterable[Write],
    after: Mapping[str, Value],
    kept: Collection[Value] = (),
) -> list[str]:
    """What no serial order explains. `kept` are values of copies that somebody was told of."""
    ordered = sorted(commits, key=lambda commit: commit.number)
    by_path: dict[str, list[Write]] = defaultdict(list)
    listed = list(writes)
    for write in listed:
        for path in {write.path, *write.others}:
            by_path[path].append(write)
    found = list(_out_of_time(ordered))
    paths = {*before, *after, *by_path, *(path for commit in ordered for path in commit.changes)}
    ends: dict[str, list[tuple[_Gap, list[Write]]]] = {}
    for path in sorted(paths):
        gaps = list(_gaps(path, before.get(path), ordered, after.get(path)))
        found += _unexplained(path, gaps, by_path[path])
        ends[path] = [(gap, _ends(gap, by_path[path])) for gap in gaps]
    return found + [
        f"{write.path}: {write.value!r} was overwritten unseen"
        for write in listed
        if write.value not in kept and not any(_placed(write, ends[path]) for path in (write.path, *write.others))
    ]


def _out_of_time(commits: Sequence[Commit]) -> Iterator[str]:
    """A commit that was acknowledged before another was asked for has the lower number."""
    latest = -1
    for commit in commits:
        if commit.end < latest:
            yield f"entry {commit.number} was acknowledged before one with a lower number was asked for"
        latest = max(latest, commit.start)


def _gaps(path: str, value: Value, commits: Sequence[Commit], last: Value) -> Iterator[_Gap]:
    opens = -1
    for commit in commits:
        if path in commit.changes:
            replaced, left = commit.changes[path]
            yield _Gap(value, replaced, opens, commit.end)
            value, opens = left, commit.start
    yield _Gap(value, last, opens, _NEVER)


def _ends(gap: _Gap, writes: Sequence[Write]) -> list[Write]:
    """Writes that can have been the last in the gap."""
    return [write for write in writes if write.value == gap.last and gap.may_hold(write)]


def _unexplained(path: str, gaps: Sequence[_Gap], writes: Sequence[Write]) -> Iterator[str]:
    for number, gap in enumerate(gaps):
        if gap.first != gap.last and not _ends(gap, writes):
            place = "at the end" if gap.closes == _NEVER else f"before its commit {number + 1}"
            yield f"{path}: nobody wrote {gap.last!r}, which stood there {place} instead of {gap.first!r}"


def _placed(write: Write, gaps: Sequence[tuple[_Gap, Sequence[Write]]]) -> bool:
    """Whether the write can have happened in a gap: as its last one, or before that."""
    return any(
        gap.may_hold(write) and any(write is end or write.start <= end.end for end in ends) for gap, ends in gaps
    )
