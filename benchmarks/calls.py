"""Reading a file and changing one line of it over MCP on standard input and output, against the peer's tools.

The peer's edit reads, replaces and renames: it syncs nothing, and what another program wrote in between is lost.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.client import Client
from benchmarks.measure import Row, Sample, medians
from benchmarks.ours import Ours
from benchmarks.peer import command

__all__ = ["measure"]

_KILOBYTE_LINES = 16
_READS, _EDITS = 300, 100


def measure(scratch: Path) -> Iterator[Row]:
    """A read of 10 KB, and an edit of one line."""
    here, there = _folder(scratch / "ours"), _folder(scratch / "peer")
    house = Ours(here, scratch / "state")
    try:
        with Client(house.command, house.environ) as ours, Client(command(there)) as peer:
            ours_ms, peer_ms = medians(_reading(ours), _peer_reading(peer, there), repeats=_READS, warm=50)
            yield Row("read 10 KB over MCP", ours_ms, peer_ms, 1.0)
            ours_ms, peer_ms = medians(_editing(ours), _peer_editing(peer, there), repeats=_EDITS, warm=10)
            yield Row("edit one line over MCP", ours_ms, peer_ms, 2.0)
            _check(here, there)
    finally:
        house.stop()


def _folder(folder: Path) -> Path:
    """A folder with one file to read and one to edit."""
    folder.mkdir(parents=True)
    line = "{:04d}: a line of text that is as long as one of these mostly is.\n"
    text = "".join(line.format(number) for number in range(10 * _KILOBYTE_LINES))
    (folder / "read.txt").write_text(text)
    (folder / "edit.txt").write_text(text + "turn 0 of the edit\n")
    return folder


def _check(*folders: Path) -> None:
    """Both have done what was asked of them."""
    for folder in folders:
        if f"turn {_EDITS + 10} of the edit\n" not in (folder / "edit.txt").read_text():
            raise RuntimeError(f"an edit in {folder} is missing")


def _timed(client: Client, tool: str, **arguments: object) -> float:
    start = time.perf_counter()
    client.call(tool, **arguments)
    return time.perf_counter() - start


def _reading(client: Client) -> Sample:
    return lambda: _timed(client, "workspace_inspect", action="read", path="read.txt")


def _peer_reading(client: Client, folder: Path) -> Sample:
    return lambda: _timed(client, "read_text_file", path=str(folder / "read.txt"))


def _editing(client: Client) -> Sample:
    turns = itertools.count()

    def once() -> float:
        turn = next(turns)
        search, replacement = f"turn {turn} of the edit", f"turn {turn + 1} of the edit"
        edit = {"type": "replace", "path": "edit.txt", "search": search, "replacement": replacement}
        return _timed(client, "workspace_edit", action="apply", operations=[edit])

    return once


def _peer_editing(client: Client, folder: Path) -> Sample:
    turns = itertools.count()

    def once() -> float:
        turn = next(turns)
        edit = {"oldText": f"turn {turn} of the edit", "newText": f"turn {turn + 1} of the edit"}
        return _timed(client, "edit_file", path=str(folder / "edit.txt"), edits=[edit])

    return once
