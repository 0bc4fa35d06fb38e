"""A race: agents commit and undo in a folder while other programs work there, and then everything has to add up.

    python tests/race/room.py [ATTEMPTS [SEED]]     many more than the tests make (`make race`)

What each agent was told and what each program did is laid before the checker. Besides: no line that was appended is
lost, every copy that was kept was told of, and nothing is left on its way.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.conftest import House
from tests.race.checker import Commit, Write, problems

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions import Entry

__all__ = ["Report", "program", "race", "swaps"]

_WRITERS = str(Path(__file__).with_name("writers.py"))
_SECONDS = 60
"""A guard against hanging, no measure."""
_EDITED = tuple(f"p{number}" for number in range(8))
_LOGS = ("l0", "l1")
_CHECKED_OUT = ("g/a", "g/b")
_SWAPPED = ("sw/real/f0", "sw/real/f1")
_FREE = ("m/0", "m/1", "m/2")
_PATHS = (*_EDITED, *_CHECKED_OUT, *_SWAPPED, *_FREE)
_REFUSALS = {ErrorCode.EDIT_CONFLICT, ErrorCode.NOT_FOUND, ErrorCode.TRANSACTION_STATE, ErrorCode.INVALID_INPUT,
             ErrorCode.PATH_OUTSIDE_WORKSPACE}  # fmt: skip
_AGENTS = 3


@dataclass
class Report:
    """What a race came to. `faults` is empty when all is well."""

    attempts: int = 0
    commits: list[Commit] = field(default_factory=list)
    moves: list[tuple[Commit, str, str]] = field(default_factory=list)
    codes: Counter[str] = field(default_factory=Counter)
    writes: int = 0
    lines: int = 0
    swaps: int = 0
    copies: int = 0
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        codes = ", ".join(f"{code} {count}" for code, count in self.codes.most_common())
        return (
            f"{self.attempts:,} attempts, {len(self.commits):,} commits ({codes}); {self.writes:,} writes and "
            f"{self.lines:,} lines of others, {self.swaps:,} swaps; {self.copies} copies, {len(self.faults)} faults"
        )


@contextlib.contextmanager
def program(kind: str, folder: Path, seed: str, log: Path, *paths: str) -> Iterator[subprocess.Popen[str]]:
    """Another program at work for the length of the block; its log is whole afterwards."""
    command = [sys.executable, _WRITERS, kind, str(folder), seed, str(log), *paths]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.stdin.close()
            assert process.wait(_SECONDS) == 0


def race(work: Path, attempts: int, seed: str) -> Report:
    """Let agents try so many commits in a new folder below `work`, against every kind of other program."""
    house = _house(work)
    before = {path: _value(house.folder / path) for path in _PATHS}
    report = Report()
    logs = {name: work / f"log-{name}" for name in ("one", "two", "append", "git", "swap")}
    house.open()
    with contextlib.ExitStack() as stack:
        for kind, name, paths in (
            ("edit", "one", _EDITED[:4]),
            ("edit", "two", _EDITED[4:]),
            ("append", "append", _LOGS),
            ("git", "git", _CHECKED_OUT),
            ("swap", "swap", ("sw/real", "sw/link")),
        ):
            stack.enter_context(program(kind, house.folder, f"{seed}-{name}", logs[name], *paths))
        _let_agents_work(house, report, attempts, seed)
    _check(house, report, before, logs)
    return report


def swaps(log: Path) -> int:
    """How often a program has swapped two names by now, in ten thousands."""
    return int((log.read_text().splitlines() or ["0"])[-1])


def _house(work: Path) -> House:
    """The scene: each path with a value of its own, a repository with two branches, and a link that leads out."""
    folder = work / "ws"
    for path in (*_EDITED, *_LOGS, *_CHECKED_OUT, *_SWAPPED):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(f"first {path}\n")
    (folder / "m").mkdir()
    (work / "outside").mkdir()
    for path in _SWAPPED:
        (work / "outside" / Path(path).name).write_text("outside\n")
    (folder / "sw/link").symlink_to(work / "outside")
    git = ["git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@t"]
    subprocess.run([*git, "init", "-q", "-b", "one"], check=True)
    for branch in ("one", "two"):
        if branch == "two":
            subprocess.run([*git, "checkout", "-q", "-b", "two"], check=True)
        for path in _CHECKED_OUT:
            (folder / path).write_text(f"{branch} {path}\n")
        subprocess.run([*git, "add", "g"], check=True)
        subprocess.run([*git, "commit", "-q", "-m", branch], check=True)
    counted, lock = itertools.count(1), threading.Lock()

    def number() -> int:
        with lock:
            return next(counted)

    return House(folder, work / "state", ids=number)


def _value(path: Path) -> str | None:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except (FileNotFoundError, NotADirectoryError):
        return None


# Agents.


def _let_agents_work(house: House, report: Report, attempts: int, seed: str) -> None:
    lock = threading.Lock()
    threads = [
        threading.Thread(target=_Agent(house, report, lock, f"{seed}-agent{number}").run, args=(attempts // _AGENTS,))
        for number in range(_AGENTS)
    ]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        time.sleep(0.05)
        house.time += 60  # what commits displaced is settled meanwhile
        with contextlib.suppress(WorkroomError):
            house.tx.settle()
    for thread in threads:
        thread.join()


class _Agent:
    def __init__(self, house: House, report: Report, lock: threading.Lock, seed: str) -> None:
        self.house = house
        self.report = report
        self.lock = lock
        self.seed = seed
        self.chance = Random(seed)
        self.count = 0
        self.own: list[str] = []

    def run(self, attempts: int) -> None:
        for _ in range(attempts):
            try:
                code = self.attempt()
            except Exception as error:  # noqa: BLE001 - whatever it is, it is what was found
                code = type(error).__name__
                with self.lock:
                    self.report.faults.append(f"{self.seed}: {error!r}")
            with self.lock:
                self.report.attempts += 1
                self.report.codes[code] += 1

    def attempt(self) -> str:
        start = 0
        try:
            if self.own and self.chance.random() < 0.15:
                planned = self.house.tx.plan_rollback(self.own.pop(self.chance.randrange(len(self.own))))
            else:
                planned = self.house.plan(*self.operations())
            start = time.monotonic_ns()
            entry = self.house.commit(planned)
        except WorkroomError as error:
            if error.code not in _REFUSALS:
                raise
            return str(error.code)
        self.remember(entry, start, time.monotonic_ns())
        return "done"

    def remember(self, entry: Entry, start: int, end: int) -> None:
        self.own.append(entry.transaction_id)
        changes = {c.path: (c.before.sha256 or None, c.after.sha256 or None) for c in entry.changes if c.path in _PATHS}
        commit = Commit(entry.number, start, end, changes)
        with self.lock:
            self.report.commits.append(commit)
            self.report.moves += [(commit, c.origin, c.path) for c in entry.changes if c.origin is not None]

    def operations(self) -> list[dict[str, Any]]:
        return [self.operation() for _ in range(self.chance.choice((1, 1, 2, 3)))]

    def operation(self) -> dict[str, Any]:
        self.count += 1
        path, content = self.chance.choice(_PATHS), f"{self.seed} {self.count}\n"
        kind = self.chance.choice(("rewrite", "rewrite", "rewrite", "delete", "move", "copy", "log"))
        if kind == "log":
            log = self.chance.choice(_LOGS)
            return {"type": "splice", "path": log, "start_line": 1, "delete_count": 1, "content": content}
        if kind == "rewrite":
            return {"type": kind, "path": path, "content": content, "create_if_missing": True}
        if kind == "delete":
            return {"type": kind, "path": path}
        return {"type": kind, "from": path, "to": self.chance.choice(_PATHS), "overwrite": self.chance.random() < 0.5}


# Adding up.


def _check(house: House, report: Report, before: dict[str, Any], logs: dict[str, Path]) -> None:
    folder = house.folder
    report.swaps = swaps(logs["swap"])
    if (folder / "sw/real").is_symlink():
        (folder / "sw/link").rename(folder / "sw/aside")
        (folder / "sw/real").unlink()
        (folder / "sw/aside").rename(folder / "sw/real")
    house.reopen()
    told = {change.path for entry in house.tx.history(1 << 30) for change in entry.changes}
    house.close()
    copies = [path for path in folder.rglob("*.workroom-kept-*") if ".git" not in path.parts]
    report.copies = len(copies)
    untold = [name for path in copies if (name := path.relative_to(folder).as_posix()) not in told]
    report.faults += [f"{name} was kept and nobody was told" for name in untold]
    report.faults += [f"{left} is left" for left in _left(folder)]
    outside = {path.read_text() for path in (folder.parent / "outside").iterdir()}
    report.faults += [f"outside: {outside}"] if outside != {"outside\n"} else []
    contents = [path.read_bytes() for path in copies]
    report.faults += _lost_lines(folder, report, logs["append"], contents)
    after = {path: _value(folder / path) for path in _PATHS}
    logged = [each for name in ("one", "two", "git") for each in _writes(logs[name])]
    writes = [_where(write, opened, report) for write, opened in logged]
    report.writes = len(writes)
    kept = {hashlib.sha256(content).hexdigest() for content in contents}
    report.faults += problems(before, report.commits, writes, after, kept)


def _writes(log: Path) -> Iterator[tuple[Write, int]]:
    """Each write of a log, and since when the file was open for it."""
    for line in log.read_text().splitlines():
        path, value, start, end, opened = json.loads(line)
        yield Write(path, None if value is None else hashlib.sha256(value.encode()).hexdigest(), start, end), opened


def _where(write: Write, opened: int, report: Report) -> Write:
    """The write with the paths to which its file may have moved while it was open."""
    places = [write.path]
    for commit, origin, target in sorted(report.moves, key=lambda move: move[0].number):
        if origin in places and commit.start <= write.end and commit.end >= opened:
            places.append(target)
    return replace(write, others=tuple(places[1:]))


def _lost_lines(folder: Path, report: Report, log: Path, copies: Sequence[bytes]) -> list[str]:
    text = [(folder / path).read_bytes() for path in _LOGS]
    appended = [json.loads(line)[1] for line in log.read_text().splitlines()]
    report.lines = len(appended)
    found = Counter(line for content in (*text, *copies) for line in content.decode().splitlines(keepends=True))
    return [f"the line {line!r} is lost" for line in appended if not found[line]]


def _left(folder: Path) -> list[str]:
    stage = folder / ".agentic/stage"
    return [path.name for path in (*stage.iterdir(), *folder.rglob(".workroom-stage-*"))]


def main(attempts: str = "30000", seed: str = "1") -> int:
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    faults, left, number = 0, int(attempts), 0
    while left > 0:
        with tempfile.TemporaryDirectory(prefix="workroom-race-", dir=memory) as name:
            report = race(Path(name), min(left, 3000), f"{seed}-{number}")
        sys.stdout.write("\n".join([str(report), *(f"  FAULT {fault}" for fault in report.faults[:20]), ""]))
        sys.stdout.flush()
        faults, left, number = faults + len(report.faults), left - 3000, number + 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
