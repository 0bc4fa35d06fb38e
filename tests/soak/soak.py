"""Many clients on one folder over HTTP, for a while: is the history serialisable, does nothing fail, does nothing grow?

    python -m tests.soak.soak [--minutes 30] [--writers 50] [--readers 200] [--pause 2.0]

A server of its own, in a state directory of its own, on a folder of its own. A third of the clients comes by the JSON
API, a third by MCP with sessions, a third by MCP without; each has a token. Every tenth reader also holds a stream of
events open. Writers edit the same files, so many of their edits are refused: each commit that is acknowledged goes into
a ledger, which must have a serial order that gives the folder as it stands in the end. Ends with 1 where it doesn't,
where a call failed by the server's fault, or where something grows that shouldn't.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.interfaces.conftest import Person, Room
from tests.soak.crowd import Crowd, listen, read, write
from tests.soak.gauge import FIELDS, Gauge, percentile, slope
from tests.soak.speakers import Api, Speaker, Stateless, WithSession

__all__ = ["Plan", "run"]

_FILES = 24
_LINES = 40
_QUOTA_BYTES = 50_000_000
"""Of before-images. A long run reaches it and forgets the oldest from there on, as a server of many weeks does."""
_JUDGED_SECONDS = 1_200
"""A shorter run says nothing of what grows: clients are still coming, and caches are being filled."""
_GROWTH = 0.05
"""By which share what is held may grow from the middle of a long run to its end."""


@dataclass(frozen=True)
class Plan:
    """How long, how many, how busy."""

    seconds: float
    writers: int = 50
    readers: int = 200
    pause: float = 2.0


@dataclass
class Report:
    """What came of it."""

    lines: list[str]
    faults: list[str]


def run(plan: Plan) -> Report:
    """A whole run."""
    work = Path(tempfile.mkdtemp(prefix="soak-"))
    room = Room(work / "ws", work / "s", work / "stderr")
    room.folder.mkdir()
    first = _fill(room.folder)
    try:
        person = room.person(room.folder)
        person.get("settings.set", key="mode", value="auto")
        person.get("settings.set", key="destructive_edits", value="allow")
        person.get("settings.set", key="history_quota_bytes", value=_QUOTA_BYTES)
        port = int(person.get("http", port=0)["url"].rpartition(":")[2])
        gauge = Gauge(room.pid(), room.state)
        crowd = asyncio.run(_crowd(plan, room.folder, person, port, gauge))
        return _judge(plan, crowd, gauge, first, room.folder)
    finally:
        room.stop()
        for one in room.people:
            one.connection.close()
        shutil.rmtree(work, ignore_errors=True)


async def _crowd(plan: Plan, folder: Path, person: Person, port: int, gauge: Gauge) -> Crowd:
    """Everybody at once, until the end."""
    names = [f"writer-{n}" for n in range(plan.writers)] + [f"reader-{n}" for n in range(plan.readers)]
    made = {name: person.get("clients.create", name=name, folders=[str(folder)]) for name in names}
    contents = _tree(folder)
    crowd = Crowd(tuple(contents), asyncio.get_running_loop().time() + plan.seconds, plan.pause)
    crowd.known.update(contents.values())
    work: list[Coroutine[Any, Any, None]] = [_watch(gauge, crowd, plan.seconds)]
    for index, name in enumerate(names):
        token, workspace = made[name]["token"], made[name]["client"]["workspaces"][0]["id"]
        kinds: tuple[type[Speaker], ...] = (Api, WithSession, Stateless)
        speaker = kinds[index % 3](port, token, workspace)
        work.append((write if name.startswith("writer") else read)(crowd, speaker, name))
        if name.startswith("reader") and index % 10 == 0:
            path = f"/api/v1/workspaces/{workspace}/events"
            work.append(listen(crowd, port, path, {"authorization": f"Bearer {token}"}))
    await asyncio.gather(*work)
    return crowd


async def _watch(gauge: Gauge, crowd: Crowd, seconds: float) -> None:
    """Look at the server a hundred times."""
    gauge.look()
    while not crowd.is_over():
        await asyncio.sleep(min(seconds / 100, max(0.0, crowd.until - asyncio.get_running_loop().time())))
        gauge.look()


def _judge(plan: Plan, crowd: Crowd, gauge: Gauge, first: dict[str, str], folder: Path) -> Report:
    lost = crowd.ledger.faults(first, _tree(folder))
    faults = [*crowd.faults, *lost]
    known = crowd.known | {change.after for changes in crowd.ledger.commits.values() for change in changes}
    faults += [
        f"{path} was read with contents that nobody wrote" for sha, path in crowd.seen.items() if sha not in known
    ]
    if plan.seconds >= _JUDGED_SECONDS:
        faults += list(_grown(gauge))
    lines = [
        f"{plan.writers} writers and {plan.readers} readers for {plan.seconds / 60:.1f} minutes, {time.strftime('%F')}",
        "  " + ", ".join(f"{name} {count}" for name, count in sorted(crowd.counts.items())),
        f"  serialisable: {'no' if lost else 'yes'}, {len(crowd.ledger.commits)} commits",
        *_latencies(crowd),
        *_growth(gauge),
    ]
    return Report(lines, faults)


def _latencies(crowd: Crowd) -> list[str]:
    lines = ["  milliseconds                           calls      p50      p95      p99      max"]
    for name, values in sorted(crowd.took.items()):
        shown = [1000 * percentile(values, share) for share in (0.5, 0.95, 0.99, 1)]
        lines.append(f"    {name:34} {len(values):7}" + "".join(f"{value:9.1f}" for value in shown))
    return lines


def _growth(gauge: Gauge) -> list[str]:
    first, last = gauge.samples[0], gauge.samples[-1]
    busy = (last.cpu_seconds - first.cpu_seconds) / max(last.at - first.at, 0.001)
    lines = [
        f"  the server took {busy:.2f} of a processor",
        "  what it holds                 at first     middle        end   + an hour (second half)   in a day",
    ]
    settled = gauge.settled()
    for field in FIELDS:
        hourly = slope(settled, field)
        begin, middle, end = (getattr(sample, field) for sample in (first, settled[0], last))
        lines.append(f"    {field:24}{begin:12.1f}{middle:11.1f}{end:11.1f}{hourly:+14.2f}{end + 24 * hourly:14.1f}")
    return lines


def _grown(gauge: Gauge) -> list[str]:
    """What grew in the second half, beyond what a scrap of noise would explain; the store's rows may."""
    settled = gauge.settled()
    hours = (settled[-1].at - settled[0].at) / 3600
    found = []
    for field in FIELDS[:3]:
        middle, grown = getattr(settled[0], field), slope(settled, field) * hours
        if grown > max(_GROWTH * middle, 2):
            found.append(f"{field} grew by {grown:.1f} from {middle:.1f} in the second half")
    return found


def _fill(folder: Path) -> dict[str, str]:
    for number in range(_FILES):
        lines = [f"stamp first {number} line {line}" for line in range(_LINES)]
        (folder / f"shared-{number:02}.txt").write_text("\n".join(lines) + "\n")
    return _tree(folder)


def _tree(folder: Path) -> dict[str, str]:
    """The hash of each file, by its path."""
    found = {}
    for path, folders, names in os.walk(folder):
        if ".agentic" in folders:
            folders.remove(".agentic")
        for name in names:
            whole = Path(path, name)
            found[whole.relative_to(folder).as_posix()] = hashlib.sha256(whole.read_bytes()).hexdigest()
    return found


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--writers", type=int, default=50)
    parser.add_argument("--readers", type=int, default=200)
    parser.add_argument("--pause", type=float, default=2.0, help="seconds that each thinks between two calls")
    given = parser.parse_args(arguments)
    report = run(Plan(given.minutes * 60, given.writers, given.readers, given.pause))
    sys.stdout.write("\n".join(report.lines) + "\n")
    if report.faults:
        sys.stdout.write("FAULTS\n" + "\n".join(report.faults[:100]) + "\n")
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
