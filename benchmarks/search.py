"""Searches in files beside `rg`: in the Linux tree as Debian has it (`linux-source-6.1`), and in one small project.

A call of ours answers up to 2,000 lines, whole: structured, in order, over MCP. The peer is `rg` that writes all of its
lines into a pipe, with its own defaults. Where the tree is: WORKROOM_LINUX, or what `apt-get install linux-source-6.1`
puts into /usr/src, unpacked beside itself; without it its figures are left out, and it is said why. Its `.gitignore`
names every file (Debian's packaging put that there), so it is taken away in the copy that is searched.
"""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import statistics
import subprocess
import sysconfig
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.client import Client
from benchmarks.measure import Figure, Row, Sample, medians, tell
from benchmarks.ours import Ours

from workroom.system.process import ripgrep

__all__ = ["measure"]

_LINUX = (Path(os.environ.get("WORKROOM_LINUX", "/usr/src/linux-source-6.1")), Path("/tmp/linux/linux-source-6.1"))
_SMALL = 300
_BUILT_SECONDS, _REOPENED_MS, _PART, _SLOWED = 20.0, 1_000.0, 15.0, 1.5
_WAIT_SECONDS = 600


@dataclass(frozen=True)
class _Query:
    """What is looked for; `goal` is the highest ratio of ours to the peer's on the Linux tree."""

    text: str
    what: str
    goal: float
    regex: bool = False
    ignore_case: bool = False

    def call(self) -> dict[str, Any]:
        """The arguments of ours."""
        case = {"case_sensitive": not self.ignore_case}
        return {"action": "search", "query": self.text, "regex": self.regex, "limit": 2_000, **case}

    def flags(self) -> list[str]:
        """And of the peer's."""
        return [*([] if self.regex else ["-F"]), *(["-i"] if self.ignore_case else []), "-n", "-e", self.text, "."]


_QUERIES = (
    _Query("zqxjkvwpzq", "absent", 0.02),
    _Query("no_such_function(", "absent", 0.02),
    _Query("hrtimer_forward_now", "rare", 0.02),
    _Query("sched_setscheduler_nocheck", "rare", 0.02),
    _Query("napi_complete_done", "in 200 files", 0.05),
    _Query("kmalloc_array", "common", 0.5),
    _Query("EXPORT_SYMBOL_GPL", "common", 0.5),
    _Query("return -ENOMEM", "common", 0.5),
    _Query("linus torvalds", "in any case", 1, ignore_case=True),
    _Query(r"Copyright.*Torvalds", "regex", 1, regex=True),
    _Query(r"^static (inline )?struct task_struct \*", "regex", 1, regex=True),
    _Query(r"[a-z]{3}_[0-9]{7,}_", "regex without a literal", 1, regex=True),
)


_FIRST = _QUERIES[2]


def measure(scratch: Path) -> Iterator[Row | Figure]:
    """The small project always, the Linux tree where it is there."""
    small = scratch / "small" / "project"
    small.mkdir(parents=True)
    for source in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))[:_SMALL]:
        shutil.copyfile(source, small / source.name)
    yield from _measured(small, scratch / "small", "small", goals=False)
    linux = next((each for each in _LINUX if each.is_dir()), None)
    if linux is None:
        tell(f"no figures of the Linux tree: {_LINUX[0]} isn't there (apt-get install linux-source-6.1, unpacked)")
        return
    folder = scratch / "linux" / "tree"
    folder.parent.mkdir(parents=True)
    subprocess.run(["cp", "-r", "--reflink=auto", str(linux), str(folder)], check=True)
    (folder / ".gitignore").unlink(missing_ok=True)
    yield from _measured(folder, scratch / "linux", "linux", goals=True)


def _measured(folder: Path, scratch: Path, name: str, *, goals: bool) -> Iterator[Row | Figure]:
    mine, theirs = medians(_opening(folder, scratch), _peer(folder, _FIRST), repeats=5, warm=1)
    yield Row(f"{name}: first answer after opening", mine, theirs, 1.0 if goals else None)
    state = scratch / "state"
    house = Ours(folder, state)
    began = time.perf_counter()
    try:
        with Client(house.command, house.environ) as client:
            meanwhile = _reads(client, folder, until_ready=True)
            built = time.perf_counter() - began
            yield Figure(f"{name}: until the index is whole", built, None, _BUILT_SECONDS if goals else None, "s")
            after = _reads(client, folder, until_ready=False)
            yield Row(
                f"{name}: a read while it is built, beside one after", meanwhile, after, _SLOWED if goals else None
            )
            yield Figure(f"{name}: the index, of the text", _share(folder, state), None, _PART, "%")
            yield Figure(f"{name}: the server's memory", _memory(state), None, None, "MB")
            for query in _QUERIES:
                mine, theirs = medians(_ours(client, query), _peer(folder, query), repeats=7, warm=1)
                yield Row(f"{name}: {query.what}, {query.text}", mine, theirs, query.goal if goals else None)
            yield Figure(f"{name}: a changed file is found", _changed(client, folder), None, None, "ms")
        yield from _again(house, name, goals=goals)
    finally:
        house.stop()


def _opening(folder: Path, scratch: Path) -> Sample:
    """The first search of a folder that nobody has opened before."""

    def once() -> float:
        state = scratch / f"opening-{time.time_ns()}"
        house = Ours(folder, state)
        try:
            with Client(house.command, house.environ) as client:
                return _ours(client, _FIRST)()
        finally:
            house.stop()
            shutil.rmtree(state)

    return once


def _reads(client: Client, folder: Path, *, until_ready: bool) -> float:
    """The median of reads of a small file, one every 50 ms, in milliseconds: until the index is whole, or a hundred."""
    target = str(min(folder.rglob("*.[ch]"), default=min(folder.rglob("*.py"))).relative_to(folder))
    samples, deadline = list[float](), time.monotonic() + _WAIT_SECONDS
    while time.monotonic() < deadline:
        began = time.perf_counter()
        client.call("workspace_inspect", action="read", path=target, end_line=100)
        samples.append(time.perf_counter() - began)
        if _is_ready(client) if until_ready else len(samples) == 100:
            return statistics.median(samples) * 1000
        time.sleep(0.05)
    raise RuntimeError("the index is never whole")


def _memory(state: Path) -> float:
    """The resident memory of the server with this state directory, in MB."""
    mine = f"WORKROOM_STATE={state}".encode()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (
                mine in (process / "environ").read_bytes().split(b"\0")
                and b"mcp" not in (process / "cmdline").read_bytes()
            ):
                return int((process / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    return math.nan


def _share(folder: Path, state: Path) -> float:
    """The size of the index in percent of the files'."""
    text = sum(each.lstat().st_size for each in folder.rglob("*") if each.is_file() and not each.is_symlink())
    return 100 * sum(each.stat().st_size for each in state.glob("workspaces/*/index/*")) / text


def _changed(client: Client, folder: Path) -> float:
    """From a write by another program to the answer that has it, in milliseconds."""
    target = next(each for each in sorted(folder.rglob("*.[ch]")) or sorted(folder.rglob("*.py")))
    word = _Query(f"changed_at_{time.time_ns()}", "changed", 1)
    began = time.perf_counter()
    with target.open("a") as file:
        file.write(f"\n/* {word.text} */\n")
    answer = client.call("workspace_inspect", **word.call())["structuredContent"]["data"]
    took = time.perf_counter() - began
    if [row["path"] for row in answer["matches"]] != [str(target.relative_to(folder))]:
        raise RuntimeError("what another program wrote isn't found")
    return took * 1000


def _again(house: Ours, name: str, *, goals: bool) -> Iterator[Row | Figure]:
    """A new server, whose index is on disk: its first answer, the start of the server and of `rg` in it; and how long
    it takes from there until the index is whole again."""

    def once() -> float:
        house.stop()
        began = time.perf_counter()
        with Client(house.command, house.environ) as client:
            _ours(client, _FIRST)()
            return time.perf_counter() - began

    mine, theirs = medians(once, _peer(house.folder, _FIRST), repeats=5, warm=1)
    yield Row(f"{name}: a new server's first answer", mine, theirs, None)
    house.stop()
    with Client(house.command, house.environ) as client:
        client.call("workspace_inspect", action="list", limit=1)
        began = time.perf_counter()
        _await(client)
        took = time.perf_counter() - began
    yield Figure(f"{name}: the index is taken up again", took * 1000, None, _REOPENED_MS if goals else None, "ms")


def _await(client: Client) -> None:
    deadline = time.monotonic() + _WAIT_SECONDS
    while time.monotonic() < deadline:
        if _is_ready(client):
            return
        time.sleep(0.05)
    raise RuntimeError("the index is never whole")


def _is_ready(client: Client) -> bool:
    """Whether the index is whole."""
    answer = client.call("workspace_inspect", action="capabilities")["structuredContent"]["data"]
    return bool(answer["guarantees"]["search_index"] == "ready")


def _ours(client: Client, query: _Query) -> Sample:
    def once() -> float:
        began = time.perf_counter()
        client.call("workspace_inspect", **query.call())
        return time.perf_counter() - began

    return once


def _peer(folder: Path, query: _Query) -> Sample:
    def once() -> float:
        began = time.perf_counter()
        subprocess.run([ripgrep(), *query.flags()], cwd=folder, capture_output=True, check=False)
        return time.perf_counter() - began

    return once
