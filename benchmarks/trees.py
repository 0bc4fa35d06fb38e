"""list, overview, find and stat of `workspace_inspect` in trees that are too large or too deep to be looked at whole.

Three trees: 1,000,000 files in one folder, 500,000 in 5,000 folders, and 5,000 folders within one another. Ours are
calls of a client to a server that doesn't watch and builds no index, so that nothing is known before it is asked for;
`ls`, `find` and `fzf` of this machine stand beside them where they do the same. A page is 500 entries with kind, size
and time; `ls` tells names alone.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.client import Client
from benchmarks.measure import Figure, Row, Sample, medians, tell
from benchmarks.ours import Ours

__all__ = ["measure"]

_WIDE = 1_000_000
_FOLDERS, _EACH = 5_000, 100
_DEEP = 5_000
_FIRST_LOOK_MS = 300.0
_PAGE_MS = 1_000.0
_REPEATS = 5


def measure(scratch: Path) -> Iterator[Row | Figure]:
    """Each tree in a folder and a server of its own."""
    for make, look in ((_make_wide, _wide), (_make_spread, _spread), (_make_deep, _deep)):
        name = make.__name__.removeprefix("_make_")
        folder, state = scratch / name, scratch / f"state-{name}"
        state.mkdir(parents=True, mode=0o700)
        (state / "settings.toml").write_text("watch = false\nsearch_index = false\n")
        tell(f"making the tree {name}")
        make(folder)
        house = Ours(folder, state)
        try:
            with Client(house.command, house.environ) as ours:
                yield from look(ours, folder)
        finally:
            house.stop()
            subprocess.run(["rm", "-rf", "--", folder], check=True)


def _make_wide(folder: Path) -> None:
    _fill(folder / "many", [f"file_{number:07}.txt" for number in range(_WIDE)])


def _make_spread(folder: Path) -> None:
    ends = ("py", "ts", "c", "h", "md")
    for number in range(_FOLDERS):
        names = [f"file_{number:04}_{each:02}.{ends[each % 5]}" for each in range(_EACH)]
        _fill(folder / f"module_{number // 100:02}" / f"part_{number % 100:02}", names)


def _make_deep(folder: Path) -> None:
    folder.mkdir(parents=True)
    at = os.open(folder, os.O_RDONLY)
    for number in range(_DEEP):
        name = f"d{number}"
        os.mkdir(name, dir_fd=at)
        below = os.open(name, os.O_RDONLY, dir_fd=at)
        os.close(at)
        os.close(os.open("file.py", os.O_CREAT | os.O_WRONLY, dir_fd=below))
        at = below
    os.close(at)


def _fill(folder: Path, names: list[str]) -> None:
    folder.mkdir(parents=True)
    at = os.open(folder, os.O_RDONLY)
    for name in names:
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY, dir_fd=at))
    os.close(at)


def _wide(ours: Client, folder: Path) -> Iterator[Row | Figure]:
    size = f"{_WIDE:,} files in a folder"
    took, answer = _timed(ours, "list", path="many")
    theirs = _program("ls", "-1", str(folder / "many"))
    yield Figure(f"list: the first page of {size} (peer: ls)", took, theirs, _PAGE_MS, "ms")
    cursor = answer["data"]["cursor"]
    mine, theirs = medians(
        _call(ours, "list", path="many", cursor=cursor), _peer("ls", "-1", str(folder / "many")),
        repeats=_REPEATS, warm=1,
    )  # fmt: skip
    yield Row("list: the next page (peer: ls again)", mine, theirs, 0.5)
    mine, theirs = medians(
        _call(ours, "list", path="many", pattern="*99999.txt"),
        _peer("find", str(folder / "many"), "-name", "*99999.txt"),
        repeats=_REPEATS, warm=1,
    )  # fmt: skip
    yield Row(f"list: 10 that match of {size} (peer: find -name)", mine, theirs, None)
    yield Figure(f"overview of {size}", _timed(ours, "overview")[0], None, _FIRST_LOOK_MS, "ms")
    yield from _found(ours, folder, size, "file_0500000.txt")
    yield Figure(f"stat of {size}", _timed(ours, "stat", path="many")[0], None, _FIRST_LOOK_MS, "ms")


def _spread(ours: Client, folder: Path) -> Iterator[Row | Figure]:
    size = f"{_FOLDERS * _EACH:,} files in {_FOLDERS:,} folders"
    yield Figure(f"overview of {size}, the first look", _timed(ours, "overview")[0], None, _FIRST_LOOK_MS, "ms")
    for name, pattern in (("one that matches", "*4999_99.md"), ("a folder's that match", "module_20/part_10/*.c")):
        mine, theirs = medians(
            _call(ours, "list", recursive=True, pattern=pattern),
            _peer("find", str(folder), "-path", f"*{pattern}"),
            repeats=_REPEATS, warm=1,
        )  # fmt: skip
        yield Row(f"list: {name} of {size} (peer: find)", mine, theirs, None)
    yield from _found(ours, folder, size, "file_2010_42.c")
    yield Figure(f"overview of {size}, later", _timed(ours, "overview")[0], None, _FIRST_LOOK_MS, "ms")


def _deep(ours: Client, folder: Path) -> Iterator[Row | Figure]:
    size = f"{_DEEP:,} folders in one another"
    yield Figure(f"overview of {size}", _timed(ours, "overview")[0], None, _FIRST_LOOK_MS, "ms")
    mine, theirs = medians(_call(ours, "list", recursive=True), _peer("find", str(folder)), repeats=_REPEATS, warm=1)
    yield Figure(f"list: the first page of {size} (peer: find, all)", mine, theirs, _PAGE_MS, "ms")


def _found(ours: Client, folder: Path, size: str, query: str) -> Iterator[Row | Figure]:
    yield Figure(f"find in {size}, the first", _timed(ours, "find", query=query)[0], None, None, "ms")
    if shutil.which("fzf") is None:
        return
    command = f"find {folder} | fzf --filter {query}"
    mine, theirs = medians(_call(ours, "find", query=query), _peer("sh", "-c", command), repeats=_REPEATS, warm=1)
    yield Row("find: the next one (peer: find | fzf)", mine, theirs, 0.5)


def _call(ours: Client, action: str, **arguments: Any) -> Sample:
    return lambda: _timed(ours, action, **arguments)[0] / 1000


def _timed(ours: Client, action: str, **arguments: Any) -> tuple[float, dict[str, Any]]:
    """Milliseconds, and the answer; one that is a failure ends the measuring."""
    began = time.perf_counter()
    answer = ours.call("workspace_inspect", action=action, **arguments)
    took = (time.perf_counter() - began) * 1000
    envelope = answer.get("structuredContent", {})
    if not envelope.get("ok"):
        raise RuntimeError(f"{action} failed: {envelope.get('summary', answer)}")
    return took, envelope


def _peer(*command: str) -> Sample:
    return lambda: _program(*command) / 1000


def _program(*command: str) -> float:
    began = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return (time.perf_counter() - began) * 1000
