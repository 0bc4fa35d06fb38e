"""Kill a commit, a rollback or a recovery at every system call, open the folder again, and look at what is there.

    python tests/crash/sweep.py [JOBS [FOLDER]]     far more points than the tests take; scenes are laid out in FOLDER

Each point is a process of its own: it opens a copy of the scene (see `victim`), stops, is traced by strace from there
on, goes on, and gets SIGKILL on entering the N-th call of one name, which is then not made. What it leaves is opened
again and judged. A point of a recovery is killed twice: in the commit or rollback first, then in the recovery of that.

    trace once ──> points (every call between two marks) ──> a pool of workers ──> verdicts
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from multiprocessing.pool import Pool
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.crash import victim
from tests.crash.victim import Act, Tree

from workroom.core.transactions import tables

__all__ = ["Call", "Point", "Verdict", "missed", "missing", "points", "recovery_points", "sweep", "workers"]

_CALL = re.compile(r"(\d+) +(\w+)\((.*)")
_CHANGING = {"renameat2", "fdatasync"}
_OWN = {
    *("brk", "madvise", "mmap", "mprotect", "mremap", "munmap"),
    *("clone", "clone3", "futex", "gettid", "rseq", "rt_sigprocmask", "rt_sigreturn", "sched_yield", "set_robust_list"),
}
"""Calls about the process's own memory and threads: how many there are hangs on how busy the machine is."""
_EVERY = 7
"""Of the calls of one recovery, each so many-th is killed in a long sweep."""
_ID = "tx_000000001000"
"""The transaction that every victim makes; see `victim.house_at`."""


@dataclass(frozen=True, slots=True)
class Call:
    """The N-th call of one name that a thread makes since the process was stopped: the first one, or any other."""

    name: str
    nth: int
    any_thread: bool = False


@dataclass(frozen=True, slots=True)
class Point:
    """Where a process is killed, and perhaps the recovery after it."""

    scene: Path
    what: Act
    kill: Call
    again: Call | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found after a point. `fault` is empty when all is well."""

    point: Point
    killed: bool
    applied: bool
    fault: str


def missing() -> str:
    """Why a sweep can't run here; empty where it can."""
    if sys.platform != "linux" or shutil.which("strace") is None:
        return "strace isn't there"
    done = subprocess.run(["strace", "-qq", "-o", os.devnull, "true"], capture_output=True, check=False)
    return "" if done.returncode == 0 else "strace may not trace here"


@contextlib.contextmanager
def workers(jobs: int) -> Iterator[Pool]:
    """Processes that carry points out, with everything imported that a victim needs."""
    with multiprocessing.get_context("spawn").Pool(jobs, _warm) as pool:
        yield pool
        pool.close()
        pool.join()


def points(pool: Pool, what: Act, scene: Path) -> list[Point]:
    """Lay out the scene of an act, and list every system call from before it to its acknowledgement."""
    pool.apply(victim.prepare, (scene / "ws", scene / "st", what))
    return [Point(scene, what, call) for call in pool.apply(_trace, (scene, what, None))]


def recovery_points(pool: Pool, first: Point, every: int) -> list[Point]:
    """The system calls of the recovery after `first`, each `every`-th of them."""
    calls = pool.apply(_trace, (first.scene, first.what, first.kill))
    return [replace(first, again=call) for call in calls[:: max(1, every)]]


def sweep(pool: Pool, listed: Sequence[Point]) -> list[Verdict]:
    """Carry the points out."""
    return pool.map(_carry_out, listed, chunksize=8)


def missed(found: Iterable[Verdict]) -> list[Point]:
    """Points whose process came to its end, since it made a call less often than the traced one.

    With calls about the process's own memory and threads, and with those that threads share out among them, that
    happens; being killed there is being killed at the next.
    """
    ended = [each.point for each in found if not each.killed]
    return [point for point in ended if not _varies(point.again or point.kill)]


def _varies(call: Call) -> bool:
    return call.any_thread or call.name in _OWN


# In a worker.


def _warm() -> None:
    os.umask(0o022)
    with tempfile.TemporaryDirectory() as name:
        for what in ("commit", "rollback"):
            folder, store = Path(name) / what / "ws", Path(name) / what / "st"
            victim.prepare(folder, store, what)
            house = victim.house_at(folder, store)
            with open(os.devnull, "wb") as nowhere:
                victim.act(house, what, nowhere.fileno(), stop=False)
            house.close()


def _trace(scene: Path, what: Act, kill: Call | None) -> list[Call]:
    """The calls of an act, or of the recovery after it was killed."""
    with _copied(scene) as (folder, store):
        if kill is not None:
            _run(what, folder, store, _injected(kill))
            what = "recover"
        log = folder.parent / "trace"
        _run(what, folder, store, ["-f", "-e", "trace=all", "-o", str(log)])
        return list(_window(log.read_text(errors="replace").splitlines()))


def _window(lines: Iterable[str]) -> Iterator[Call]:
    counts: Counter[tuple[str, str]] = Counter()
    first, begun, listed = "", False, set()
    for found in filter(None, map(_CALL.match, lines)):
        thread, name, rest = found.groups()
        first = first or thread
        counts[thread, name] += 1
        begun = begun or victim.BEGIN in rest
        call = Call(name, counts[thread, name], thread != first)
        if begun and call not in listed and not (call.any_thread and name in _OWN):
            listed.add(call)
            yield call
        if victim.END in rest:
            return
    raise RuntimeError("The traced process didn't come to its end.")


def _carry_out(point: Point) -> Verdict:
    with _copied(point.scene) as (folder, store):
        acknowledged, killed = _run(point.what, folder, store, _injected(point.kill))
        if point.again is not None:
            killed = _run("recover", folder, store, _injected(point.again))[1] and killed
        try:
            applied, faults = _judge(folder, store, point.what)
        except Exception:  # noqa: BLE001 - whatever it is, it is what was found
            applied, faults = False, [f"it can't be opened: {traceback.format_exc()}"]
    if acknowledged and not applied:
        faults.append("an acknowledged commit is lost")
    return Verdict(point, killed, applied, "; ".join(faults))


def _judge(folder: Path, store: Path, what: Act) -> tuple[bool, list[str]]:
    """Open what was left; answers whether the act took place, and what is wrong with that."""
    house = victim.house_at(folder, store, first=2000)
    workspace = house.open()
    try:
        applied = house.tx.entry_of(_ID) is not None
        before, after = victim.trees(what)
        faults = _differences(victim.tree(folder), after if applied else before)
        faults += [f"left: {left}" for left in _leftovers(folder)]
        with workspace.store.read() as db:
            statuses = {row.id: row.status for row in tables.transactions(db, None, 10, None)}
            if tables.intents(db, "prepared") or tables.intents(db, "committed"):
                faults.append("an intent is left")
        if statuses != _statuses(what, statuses, applied=applied):
            faults.append(f"applied {applied}, but {statuses}")
        return applied, faults
    finally:
        house.close()


def _statuses(what: Act, found: Mapping[str, str], *, applied: bool) -> Mapping[str, str]:
    """What each transaction's status must be. One that wasn't applied may have left no row."""
    wanted = {_ID: "applied" if applied else "planned"} if applied or _ID in found else {}
    if what == "rollback":
        wanted["tx_000000000001"] = "rolled_back" if applied else "applied"
    return wanted


def _differences(found: Tree, wanted: Tree) -> list[str]:
    paths = sorted(found.keys() | wanted.keys())
    return [f"{path}: {found.get(path)!r:.80}" for path in paths if found.get(path) != wanted.get(path)]


def _leftovers(folder: Path) -> list[str]:
    """Files on their way that nobody will fetch."""
    own = folder / ".agentic"
    found = {*(own / "stage").iterdir(), *own.rglob(".workroom-stage-*")}
    return sorted(str(path.relative_to(folder)) for path in found)


@contextlib.contextmanager
def _copied(scene: Path) -> Iterator[tuple[Path, Path]]:
    with tempfile.TemporaryDirectory(dir=scene.parent, prefix="point-") as name:
        copy = Path(name) / "scene"
        shutil.copytree(scene, copy, symlinks=True)
        yield copy / "ws", copy / "st"


def _injected(call: Call) -> list[str]:
    rule = f"{call.name}:signal=SIGKILL:when={call.nth}"
    threads = ["-f"] if call.any_thread else []
    return [*threads, "-e", f"trace={call.name}", "-e", f"inject={rule}", "-o", os.devnull]


def _run(what: Act, folder: Path, store: Path, options: Sequence[str]) -> tuple[str, bool]:
    """Run the victim under strace; answers what it acknowledged and whether it was killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _be_victim(what, folder, store, writing)
    os.close(writing)
    os.waitpid(child, os.WUNTRACED)
    with subprocess.Popen(["strace", "-p", str(child), *options], stderr=subprocess.PIPE, text=True) as tracer:
        if not any("attached" in line for line in iter(tracer.stderr.readline, "")):
            raise RuntimeError("strace did not attach.")
        os.kill(child, signal.SIGCONT)
        status = os.waitpid(child, 0)[1]
        tracer.stderr.read()
    with open(reading) as stream:
        acknowledged = stream.read().strip()
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    if not killed and status != 0:
        raise RuntimeError(f"The victim ended by itself with {status}.")
    return acknowledged, killed


def _be_victim(what: Act, folder: Path, store: Path, acknowledged: int) -> None:
    code = 1
    try:
        victim.act(victim.house_at(folder, store), what, acknowledged, stop=True)
        code = 0
    except BaseException:  # noqa: BLE001 - a forked child must never go on as its parent
        traceback.print_exc()
    finally:
        os._exit(code)


# As a program.


def main(arguments: Sequence[str]) -> int:
    jobs = int(arguments[0]) if arguments else 2
    scenes = arguments[1] if len(arguments) > 1 else None
    faults = 0
    with tempfile.TemporaryDirectory(prefix="workroom-crash-", dir=scenes) as name, workers(jobs) as pool:
        acts: tuple[Act, ...] = ("commit", "rollback")
        for what in acts:
            listed = points(pool, what, Path(name) / what)
            faults += _report(what, sweep(pool, listed))
            firsts = [point for point in listed if point.kill.name in _CHANGING]
            again = [second for first in firsts for second in recovery_points(pool, first, _EVERY)]
            faults += _report(f"recovery of a {what}", sweep(pool, again))
    return 1 if faults else 0


def _report(title: str, found: Sequence[Verdict]) -> int:
    calls = Counter((verdict.point.again or verdict.point.kill).name for verdict in found)
    killed, applied = (sum(values) for values in zip(*((each.killed, each.applied) for each in found), strict=True))
    lines = [
        f"{title}: {len(found)} points, {killed} killed; {applied} wholly after, {len(found) - applied} wholly before",
        "  " + ", ".join(f"{name} {count}" for name, count in calls.most_common()),
        *(f"  FAULT {each.point.kill} {each.point.again or ''}: {each.fault}" for each in found if each.fault),
    ]
    sys.stdout.write("\n".join([*lines, ""]))
    return len([each for each in found if each.fault])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
