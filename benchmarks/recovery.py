"""Opening a folder after a crash: a commit of 1,000 operations was killed when all of it was done but its last row.

That is the longest way back there is. Beside it stands an opening of the same folder with nothing to take back.
"""

from __future__ import annotations

import itertools
import os
import signal
import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.measure import Figure

from workroom.base.actor import Actor
from workroom.base.changes import Permit
from workroom.core.transactions.operations import Create, Delete, Move, Operation, Replace
from workroom.server.build import build_workspace, close_workspace
from workroom.system.state import StateDirectory

__all__ = ["measure"]

_COUNT = 1000
_GOAL_MS = 1000.0
_REPEATS = 5
_IN_A_FOLDER = 50
_AGENT = Actor("agent", "benchmark")


def measure(scratch: Path) -> Iterator[Figure]:
    """A figure for replaced files, and one for creations, replacements, deletions and moves in equal parts."""
    names = [f"src/part{number // _IN_A_FOLDER:02d}/module{number:04d}.py" for number in range(_COUNT)]
    for what, operations in (("replacements", _replacements(names)), ("mixed operations", _mixed(names))):
        folder, state = scratch / what / "folder", StateDirectory(scratch / what / "state")
        _lay_out(folder, names)
        state.make()
        plain, recovering = [], []
        for _ in range(_REPEATS):
            plain.append(_open(folder, state))
            _crash(folder, state, operations)
            recovering.append(_open(folder, state))
        name = f"open after a crash in {_COUNT:,} {what} (peer: nothing to take back)"
        yield Figure(name, statistics.median(recovering), statistics.median(plain), _GOAL_MS, "ms")


def _replacements(names: Sequence[str]) -> list[Operation]:
    return [Replace(type="replace", path=name, search="turn = 0", replacement="turn = 1") for name in names]


def _mixed(names: Sequence[str]) -> list[Operation]:
    return [_one_of_four(number % 4, name) for number, name in enumerate(names)]


def _one_of_four(which: int, name: str) -> Operation:
    if which == 0:
        return Create(type="create", path=f"{name}.new", content=_content())
    if which == 1:
        return Replace(type="replace", path=name, search="turn = 0", replacement="turn = 1")
    if which == 2:
        return Delete(type="delete", path=name)
    return Move.model_validate({"type": "move", "from": name, "to": f"moved/{name}"})


def _content() -> str:
    lines = [f"def step_{number}(value: int) -> int:\n    return value * {number} + 1\n\n" for number in range(32)]
    return "turn = 0\n" + "".join(lines)


def _lay_out(folder: Path, names: Sequence[str]) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(_content())
    os.sync()


def _open(folder: Path, state: StateDirectory) -> float:
    """Milliseconds until the workspace is open."""
    start = time.perf_counter()
    workspace = build_workspace(str(folder), state)
    took = time.perf_counter() - start
    close_workspace(workspace)
    return 1000 * took


def _crash(folder: Path, state: StateDirectory, operations: Sequence[Operation]) -> None:
    """Commit in a process of its own, which kills itself as the row is written that would make the commit one."""
    child = os.fork()
    if child == 0:
        try:
            workspace = build_workspace(str(folder), state)
            planned = workspace.transactions.plan(operations)
            commits = itertools.count(1)

            def committing() -> bool:
                if next(commits) == 3:
                    os.kill(os.getpid(), signal.SIGKILL)
                return False

            with workspace.store.write() as db:  # the first commit from here on, before the intent's and the last one
                db.set_commit_hook(committing)
            workspace.transactions.commit(planned, Permit(planned.fingerprint, "benchmark"), _AGENT)
        finally:
            os._exit(1)
    if not os.WIFSIGNALED(os.waitpid(child, 0)[1]):
        raise RuntimeError("The commit wasn't killed.")
