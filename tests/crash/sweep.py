"""`make crash`: thousands of kills, faults and power cuts, each judged by the bytes that it leaves.

python -m tests.crash.sweep [--jobs N] [--seed N] [--minutes N] [--fresh]    all that isn't done yet
python -m tests.crash.sweep --only NAME                                      one point again, by its name

plan (a row: kind, act, scene) ──> points (one a call, found by tracing once) ──> a pool of workers ──> verdicts
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import hashlib
import json
import logging
import multiprocessing
import os
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from multiprocessing.pool import Pool
from pathlib import Path

from tests.crash import disks, points, report, scenes, tracer, victim
from tests.crash.points import ERRORS, Point, Verdict
from tests.crash.victim import Act, Place

__all__ = ["Row", "listed", "missing", "plan", "sweep", "work", "workers"]

PROJECT = Path(__file__).resolve().parents[2]
_MEMORY = Path("/dev/shm")
_SMALL_SIZES = range(0, 400, 8)
"""KiB that are left free on a disk that fills up."""


@dataclass(frozen=True, slots=True)
class Row:
    """Points of one kind, act and scene: at most so many, spread evenly; for two numbers, so many firsts as well."""

    kind: str
    act: Act
    scene: str
    most: int = 100_000
    firsts: int = 0


def plan(seed: int) -> list[Row]:
    """All rows of a sweep."""
    return [row for rows in (_kills(seed), _recoveries(), _errors(), _cuts(), _full_disks()) for row in rows]


def _singles() -> list[str]:
    return [f"one-{name}" for name in scenes.PARTS]


def _mixed(seed: int) -> list[str]:
    return [f"mixed-{seed}-{count}" for count in (2, 5, 12, 50)]


def _kills(seed: int) -> Iterator[Row]:
    every: tuple[Act, ...] = ("commit", "rollback", "settle")
    others: tuple[Act, ...] = ("apply", "accept", "stage", "preview")
    yield from (Row("kill", act, "full") for act in every)
    yield from (Row("kill", act, "full", 150) for act in (*others, "part", "edit"))
    for scene in _singles():
        yield Row("kill", "commit", scene, 120)
        yield from (Row("kill", act, scene, 20) for act in ("rollback", "settle", *others))
    yield from (Row(kind, "begin", "full", 150) for kind in ("kill", "cut-lost-same", "cut-log-same"))
    yield from (Row("kill", act, scene, 50) for scene in _mixed(seed) for act in ("commit", "rollback"))


def _recoveries() -> Iterator[Row]:
    yield from (Row("recover", act, "full", 40, 12) for act in ("commit", "rollback", "accept", "part"))
    yield from (Row("recover", "commit", scene, 10, 3) for scene in _singles())
    yield from (Row("back", act, "full", 25, 8) for act in ("commit", "rollback"))


def _errors() -> Iterator[Row]:
    for name in ERRORS:
        yield from (Row(name, act, "full", 70) for act in ("apply", "rollback", "accept"))
        yield from (Row(name, "commit", scene, 8) for scene in _singles())
        yield from (Row(name, act, "full", 40) for act in ("stage", "settle", "begin"))
    lasting = [name for name in ERRORS if name != "EINTR"]  # a call that was interrupted is made again, as it should be
    yield from (Row(f"{name}-on", act, "full", 40) for name in lasting for act in ("apply", "accept"))


def _cuts() -> Iterator[Row]:
    for how in disks.CUTS:
        for layout in ("same", "apart"):
            yield from (Row(f"cut-{how}-{layout}", act, "full", 60) for act in ("commit", "rollback", "accept"))
            yield from (Row(f"cut-{how}-{layout}", "commit", scene, 6) for scene in _singles())
            yield Row(f"recut-{how}-{layout}", "commit", "full", 12, 6)
    for layout in ("same", "apart"):
        yield from (Row(f"dies-lost-{layout}", act, "full", 40) for act in ("apply", "accept"))


def _full_disks() -> Iterator[Row]:
    acts: tuple[Act, ...] = ("apply", "rollback", "accept")
    for act in acts:
        yield from (Row(f"fill-{what}", act, "full") for what in ("folder", "store", "disk"))
        yield from (Row(kind, act, "full", 50) for kind in ("readonly", "aborted"))


def missing() -> str:
    """Why no sweep can run here; empty where it can."""
    return tracer.missing() or disks.missing()


# Points of rows.


def listed(pool: Pool, rows: Sequence[Row]) -> list[Point]:
    """The points of rows, each row traced by a worker."""
    return [point for found in pool.imap(_points, rows) for point in found]


def _points(row: Row) -> list[Point]:
    first = Point(row.kind, row.act, row.scene)
    if row.kind.startswith("fill"):
        return [replace(first, numbers=(kib,)) for kib in _SMALL_SIZES]
    names = points.calls(work(), first)
    if row.kind == "back":
        return [replace(first, numbers=numbers) for numbers in _on_the_way_back(names, row)]
    if not row.firsts:
        # A lock on a local disk doesn't fail; one that can't be had is waited for, ten seconds each time.
        spared = {tracer.LOCK} if row.kind.partition("-")[0] in ERRORS else set()
        numbers = [number for number, name in enumerate(names) if name not in spared]
        return [replace(first, numbers=(number,)) for number in _spread(numbers, row.most)]
    found = []
    for number in _spread([number for number, name in enumerate(names) if name in _CHANGING], row.firsts):
        killed = replace(first, numbers=(number,))
        seconds = range(len(points.calls(work(), killed)))
        found += [replace(first, numbers=(number, second)) for second in _spread(seconds, row.most)]
    return found


_CHANGING = {"renameat2", "fsync", "fdatasync", "pwrite64"}
"""Calls after which a recovery has something else to do."""


def _on_the_way_back(names: Sequence[str], row: Row) -> Iterator[tuple[int, int]]:
    """Which call fails, and at which one after it the process is killed."""
    for number in _spread([number for number, name in enumerate(names) if name == "renameat2"], row.firsts):
        yield from ((number, number + 1 + 9 * after) for after in range(row.most))


def _spread(numbers: Sequence[int], most: int) -> Sequence[int]:
    """At most so many of them, evenly spread, the last among them."""
    if len(numbers) <= most:
        return numbers
    return sorted({numbers[round(place * (len(numbers) - 1) / (most - 1))] for place in range(most)})


# Workers.


_work: list[Path] = []


def work() -> Path:
    """A worker's own folder."""
    return _work[0]


@contextlib.contextmanager
def workers(jobs: int) -> Iterator[Pool]:
    """Processes that carry points out, with everything imported that a victim needs, and mounts of their own."""
    memory = _MEMORY if os.access(_MEMORY, os.W_OK) else None
    with (
        tempfile.TemporaryDirectory(dir=memory, prefix="workroom-crash-") as name,
        multiprocessing.get_context("spawn").Pool(jobs, _warm, (name,)) as pool,
    ):
        yield pool
        pool.close()
        pool.join()


def sweep(pool: Pool, todo: Iterable[Point]) -> Iterator[Verdict]:
    """Carry the points out, in any order."""
    return pool.imap_unordered(_carry_out, todo, chunksize=4)


def _carry_out(point: Point) -> Verdict:
    try:
        return points.carry_out(work(), point)
    except Exception:  # noqa: BLE001 - a fault of the sweep's own is one to be looked at, too
        return Verdict(point.name, fired=False, applied=False, fault=traceback.format_exc())


def _warm(where: str) -> None:
    tracer.end_with_parent()
    os.umask(0o022)
    logging.disable()
    if not disks.missing():
        disks.own_mounts()
    own = Path(tempfile.mkdtemp(dir=where))
    for act in victim.ACTS:  # whatever is loaded late is loaded before the first one is forked
        place = Place(own / "warm" / "ws", own / "warm" / "st")
        victim.prepare(place, act, scenes.FULL)
        victim.rehearse(place, act, scenes.FULL)
        shutil.rmtree(own / "warm")
    _work.append(own)
    gc.collect()
    gc.freeze()  # what is loaded is looked through no more before each fork


# As a program.


@dataclass(slots=True)
class _Record:
    """Verdicts on disk, so that an ended sweep goes on; of this seed and these sources only."""

    file: Path
    head: str
    done: dict[str, Verdict]

    @classmethod
    def of(cls, folder: Path, seed: int, *, fresh: bool) -> _Record:
        folder.mkdir(parents=True, exist_ok=True)
        head = json.dumps({"seed": seed, "sources": _sources()})
        file = folder / "verdicts.jsonl"
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() and not fresh else []
        if not lines or lines[0] != head:
            file.write_text(head + "\n", encoding="utf-8")
            lines = []
        return cls(file, head, {row["name"]: Verdict(**row) for row in map(json.loads, lines[1:])})

    def points(self, pool: Pool, seed: int) -> list[Point]:
        """All points of the sweep; found once."""
        file = self.file.with_name("points.json")
        if self.done and file.exists():
            return [Point.named(name) for name in json.loads(file.read_text(encoding="utf-8"))]
        found = list(dict.fromkeys(listed(pool, plan(seed))))
        file.write_text(json.dumps([point.name for point in found]), encoding="utf-8")
        return found

    def add(self, verdict: Verdict) -> None:
        with open(self.file, "a", encoding="utf-8") as stream:
            stream.write(json.dumps(asdict(verdict)) + "\n")
        self.done[verdict.name] = verdict


def _sources() -> str:
    """SHA-256 of what is tested and of what tests it."""
    sha = hashlib.sha256()
    for path in sorted([*(PROJECT / "src").rglob("*.py"), *Path(__file__).parent.glob("*.py")]):
        sha.update(path.read_bytes())
    return sha.hexdigest()


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.crash.sweep", description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report", type=Path, default=PROJECT / "docs" / "crash")
    parser.add_argument("--record", type=Path, default=PROJECT / ".crash", help="where verdicts are kept on the way")
    parser.add_argument("--minutes", type=float, help="end after so long; the next run goes on")
    parser.add_argument("--fresh", action="store_true", help="begin anew")
    parser.add_argument("--only", help="carry out one point by its name")
    asked = parser.parse_args(arguments)
    if reason := missing():
        _say(f"crash: nothing can be swept here: {reason}")
        return 1
    if asked.only:
        return _one(asked.only)
    record = _Record.of(asked.record, asked.seed, fresh=asked.fresh)
    began = time.monotonic()
    with workers(asked.jobs) as pool:
        wanted = record.points(pool, asked.seed)
        todo = [point for point in wanted if point.name not in record.done]
        random.Random(asked.seed).shuffle(todo)
        _say(f"crash: {len(wanted)} points, {len(todo)} to do, seed {asked.seed}")
        for number, verdict in enumerate(sweep(pool, todo), 1):
            record.add(verdict)
            if verdict.fault:
                _say(f"FAULT {verdict.name} ({verdict.call}): {verdict.fault}")
            if asked.minutes and time.monotonic() - began > 60 * asked.minutes:
                pool.terminate()
                break
            if number % 500 == 0:
                _say(f"crash: {number} of {len(todo)} after {time.monotonic() - began:.0f} s")
    verdicts = [record.done[point.name] for point in wanted if point.name in record.done]
    _say(f"crash: {len(verdicts)} of {len(wanted)} points done")
    _say(report.write(asked.report, asked.seed, verdicts))
    return 1 if any(verdict.fault for verdict in verdicts) else 0


def _one(name: str) -> int:
    with workers(1) as pool:
        (verdict,) = sweep(pool, [Point.named(name)])
    _say(json.dumps(asdict(verdict), indent=1))
    return 1 if verdict.fault else 0


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
