"""Every line of the rooms that hold the rules is run by a test; the other rooms are reported.

`python tools/check_coverage.py REPORT.json` reads what `coverage json` wrote and ends with 1 when a line of text,
system, core or tools was run by no test.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath
from typing import Any

WHOLE = ("text", "system", "core", "tools")


def room_of(path: str) -> str:
    """The room of a source file; what lies in none is `workroom` itself."""
    parts = PurePath(path).parts
    below = parts[parts.index("workroom") + 1 :]
    return below[0] if len(below) > 1 else "workroom"


def ranges(lines: Sequence[int]) -> str:
    """`[3, 4, 5, 9]` as `3-5, 9`."""
    runs: list[list[int]] = []
    for line in lines:
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def faults(files: dict[str, Any]) -> Iterator[str]:
    for path, data in sorted(files.items()):
        if room_of(path) in WHOLE and data["missing_lines"]:
            yield f"{path}: no test runs line {ranges(data['missing_lines'])}"


def table(files: dict[str, Any]) -> Iterator[str]:
    """One line a room: how much of it was run."""
    covered: dict[str, int] = defaultdict(int)
    total: dict[str, int] = defaultdict(int)
    for path, data in files.items():
        covered[room_of(path)] += data["summary"]["covered_lines"]
        total[room_of(path)] += data["summary"]["num_statements"]
    for room in sorted(total):
        share = 100 * covered[room] / total[room] if total[room] else 100
        yield f"  {room:<12}{covered[room]:>6} of {total[room]:>5} lines {share:6.1f} %"


def main(arguments: list[str]) -> int:
    files = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))["files"]
    found = list(faults(files))
    print("\n".join(["coverage:", *table(files), *found, f"coverage: {len(found)} faults"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
