"""Committing changes to files, against a program that is as careful about each file, and about nothing else.

The peer writes each file beside its place, syncs it, renames it over the old one and syncs the folder. It checks
nothing, keeps nothing to go back to, and a crash leaves it half done. Both work on the same file system.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.measure import Row, Sample, medians

from workroom.base.actor import Actor
from workroom.base.changes import Permit
from workroom.core.transactions.operations import Replace
from workroom.server.build import build_workspace, close_workspace
from workroom.system.state import StateDirectory
from workroom.tools.workspace import Workspace

__all__ = ["measure"]

_SIZES = ((1, 3.0, 60, 60), (20, 1.1, 20, 15), (1000, 1.1, 5, 1))
"""Files, goal, repeats, and turns before these: a store that has been written to for a while is as it mostly is."""
_IN_A_FOLDER = 50
_AGENT = Actor("agent", "benchmark")


def measure(scratch: Path) -> Iterator[Row]:
    """Rows for each number of files: the commit of what is planned, then planning and commit."""
    for count, goal, repeats, warm in _SIZES:
        ours, whole, peer = _compare(scratch / str(count), count, repeats, warm)
        files = "1 file" if count == 1 else f"{count:,} files"
        yield Row(f"commit {files}", ours, peer, goal)
        yield Row(f"plan and commit {files}", whole, peer, None)


def _compare(scratch: Path, count: int, repeats: int, warm: int) -> list[float]:
    names = [f"src/part{number // _IN_A_FOLDER:02d}/module{number:04d}.py" for number in range(count)]
    for side in ("commit", "whole", "peer"):
        _lay_out(scratch / side, names)
    os.sync()
    with _opened(scratch, "commit") as commit, _opened(scratch, "whole") as whole:
        return medians(
            _committing(commit, names, planning=False),
            _committing(whole, names, planning=True),
            _writing(scratch / "peer", names),
            repeats=repeats,
            warm=warm,
        )


def _content(turn: int) -> str:
    """About 2 KB of source text, one line of which is another at each turn."""
    lines = [f"def step_{number}(value: int) -> int:\n    return value * {number} + 1\n\n" for number in range(32)]
    lines.insert(16, f"TURN = {turn}\n\n")
    return "".join(lines)


def _lay_out(folder: Path, names: list[str]) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(_content(0))


@contextmanager
def _opened(scratch: Path, side: str) -> Iterator[Workspace]:
    state = StateDirectory(scratch / f"{side}-state")
    state.make()
    workspace = build_workspace(str(scratch / side), state)
    try:
        yield workspace
    finally:
        close_workspace(workspace)


def _committing(workspace: Workspace, names: list[str], *, planning: bool) -> Sample:
    turns = itertools.count()

    def once() -> float:
        turn = next(turns)
        old, new = f"TURN = {turn}\n", f"TURN = {turn + 1}\n"
        edits = [Replace(type="replace", path=name, search=old, replacement=new) for name in names]
        start = time.perf_counter()
        planned = workspace.transactions.plan(edits)
        if not planning:
            start = time.perf_counter()
        workspace.transactions.commit(planned, Permit(planned.fingerprint, "benchmark"), _AGENT)
        return time.perf_counter() - start

    return once


def _writing(folder: Path, names: list[str]) -> Sample:
    turns = itertools.count(1)

    def once() -> float:
        data = _content(next(turns)).encode()
        start = time.perf_counter()
        for name in names:
            _write(str(folder / name), data)
        return time.perf_counter() - start

    return once


def _write(path: str, data: bytes) -> None:
    beside = path + ".new"
    file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    os.write(file, data)
    os.fsync(file)
    os.close(file)
    os.rename(beside, path)
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)
