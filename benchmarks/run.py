"""`python -m benchmarks.run [NAME ...]`: each figure beside a peer's, both measured in one run.

Names: commits, recovery, calls, starts, tools, pages, editor, find, screen, search, looks, meaning, trees; none: all.
`--check` ends with 1 when a goal is missed.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from benchmarks import (
    calls,
    commits,
    editor,
    find,
    looks,
    meaning,
    pages,
    recovery,
    screen,
    search,
    starts,
    tool_list,
    trees,
)
from benchmarks.measure import Figure, Row, table, tell

_ALL: Mapping[str, Callable[[Path], Iterator[Row] | Iterator[Figure] | Iterator[Row | Figure]]] = {
    "commits": commits.measure,
    "recovery": recovery.measure,
    "calls": calls.measure,
    "starts": starts.measure,
    "tools": tool_list.measure,
    "pages": pages.measure,
    "editor": editor.measure,
    "find": find.measure,
    "screen": screen.measure,
    "search": search.measure,
    "looks": looks.measure,
    "meaning": meaning.measure,
    "trees": trees.measure,
}


def main(arguments: list[str]) -> int:
    """Measure what is named and print the table."""
    names = [word for word in arguments if not word.startswith("-")] or list(_ALL)
    unknown = [name for name in names if name not in _ALL]
    if unknown:
        tell(f"{unknown[0]!r} is none of {', '.join(_ALL)}")
        return 2
    rows: list[Row | Figure] = []
    with tempfile.TemporaryDirectory(prefix="workroom-bench-") as scratch:
        try:
            for name in names:
                tell(f"measuring {name}")
                rows.extend(_ALL[name](Path(scratch) / name))
        finally:
            print(table(rows))  # also what was measured before one of them failed
    missed = [row.name.strip() for row in rows if row.verdict == "NO"]
    print(f"\nGoals missed: {', '.join(missed)}." if missed else "\nEvery goal is met.")
    return 1 if missed and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
