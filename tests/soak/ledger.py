"""What was acknowledged, and whether it all can have happened one after the other.

Every write makes contents that were never there before, so the hash of a file before a commit names the one commit that
it came after. The history is serialisable when

- no two commits came after the same contents of a file: else one of them has overwritten the other unseen;
- the commits of each file make one chain, from what was there at first to what is there at the end;
- the chains of all files together have an order: no commit is both before and after another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

__all__ = ["Change", "Ledger"]


@dataclass(frozen=True, slots=True)
class Change:
    """What a commit did to one path; None where there is no file."""

    path: str
    before: str | None
    after: str | None


class Ledger:
    """The acknowledged commits of a run."""

    def __init__(self) -> None:
        self.commits: dict[str, tuple[Change, ...]] = {}

    def add(self, transaction: str, changes: tuple[Change, ...]) -> None:
        """Write down an acknowledged commit."""
        self.commits[transaction] = changes

    def faults(self, first: Mapping[str, str], last: Mapping[str, str]) -> list[str]:
        """What is wrong, given each path's hash at first and at the end; paths without a file aren't there."""
        found: list[str] = []
        order: dict[str, set[str]] = {transaction: set() for transaction in self.commits}
        by_path: dict[str, list[tuple[str, Change]]] = defaultdict(list)
        for transaction, changes in self.commits.items():
            for change in changes:
                by_path[change.path].append((transaction, change))
        for path in sorted({*by_path, *first, *last}):
            found += _chain(path, by_path[path], first.get(path), last.get(path), order)
        try:
            tuple(TopologicalSorter(order).static_order())
        except CycleError as error:
            found.append(f"no order of these commits gives what each has seen: {' '.join(error.args[1])}")
        return found


def _chain(
    path: str, commits: list[tuple[str, Change]], first: str | None, last: str | None, order: dict[str, set[str]]
) -> list[str]:
    """Walk from what was there at first, from commit to commit; `order` gets who came after whom."""
    if first is None and any(change.before is None for _, change in commits[1:]):
        return _lives(path, commits, last)
    after: dict[str | None, list[tuple[str, Change]]] = defaultdict(list)
    for transaction, change in commits:
        after[change.before].append((transaction, change))
    lost = [
        f"{path}: {' and '.join(name for name, _ in same)} both came after {before}"
        for before, same in after.items()
        if len(same) > 1
    ]
    if lost:
        return lost
    now, walked, previous = first, 0, None
    while now in after:
        ((transaction, change),) = after.pop(now)
        if previous is not None:
            order[transaction].add(previous)
        now, previous, walked = change.after, transaction, walked + 1
    found = []
    if walked < len(commits):
        found.append(f"{path}: {len(commits) - walked} of {len(commits)} commits come after what was never there")
    if now != last:
        found.append(f"{path}: ends as {last}, and the commits end as {now}")
    return found


def _lives(path: str, commits: list[tuple[str, Change]], last: str | None) -> list[str]:
    """A path that is made and removed again and again, by one client, whose commits stand in its order."""
    now: str | None = None
    for transaction, change in commits:
        if change.before != now:
            return [f"{path}: {transaction} came after {change.before}, and {now} was there"]
        now = change.after
    return [] if now == last else [f"{path}: ends as {last}, and the commits end as {now}"]
