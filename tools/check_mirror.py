"""Tests mirror the source, checked both ways.

Each `src/workroom/ROOM/x.py` of the rooms below has its `tests/ROOM/test_x.py`, and each test file in these folders
has its source. Interfaces and the server are tested by hooking them up, in folders that follow the ways in; attacks,
crashes, docs and the page have folders of their own. `python tools/check_mirror.py [ROOT]` ends with 1 on a fault.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

ROOMS = ("base", "text", "system", "core", "tools", "person")


def faults(root: Path) -> Iterator[str]:
    source, tests = root / "src" / "workroom", root / "tests"
    for room in ROOMS:
        wanted = {
            path.relative_to(source).with_name(f"test_{path.name}"): path
            for path in (source / room).rglob("*.py")
            if path.name != "__init__.py"
        }
        there = {path.relative_to(tests): path for path in (tests / room).rglob("test_*.py")}
        for name in sorted(wanted.keys() - there.keys()):
            yield f"{wanted[name]}: has no test file {tests / name}"
        for name in sorted(there.keys() - wanted.keys()):
            yield (
                f"{there[name]}: tests no source file; name it after the module it tests, "
                "or put it into a folder of its own beside the rooms"
            )


def main(arguments: list[str]) -> int:
    found = list(faults(Path(arguments[0] if arguments else ".")))
    print("\n".join([*found, f"mirror: {len(found)} faults"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
