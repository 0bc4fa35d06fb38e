"""What the list of tools costs a model before it has done anything: bytes of the answer to `tools/list`."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.client import Client
from benchmarks.measure import Figure
from benchmarks.ours import Ours
from benchmarks.peer import command

__all__ = ["measure"]

_A_TOOL = 1600.0


def measure(scratch: Path) -> Iterator[Figure]:
    """The whole list, and the largest and the average tool of it."""
    here, there = scratch / "ours", scratch / "peer"
    here.mkdir(parents=True)
    there.mkdir()
    house = Ours(here, scratch / "state")
    try:
        with Client(house.command, house.environ) as ours, Client(command(there)) as peer:
            mine, theirs = _sizes(ours), _sizes(peer)
    finally:
        house.stop()
    yield Figure(f"tools, {len(mine)} against {len(theirs)}", sum(mine.values()), sum(theirs.values()), None)
    yield Figure("a tool on average", statistics.mean(mine.values()), statistics.mean(theirs.values()), _A_TOOL)
    for name, size in sorted(mine.items(), key=lambda row: -row[1]):
        yield Figure(f"  {name}", size, statistics.mean(theirs.values()), _A_TOOL)


def _sizes(client: Client) -> dict[str, int]:
    tools: list[dict[str, Any]] = client.ask("tools/list")["tools"]
    return {tool["name"]: len(json.dumps(tool, ensure_ascii=False, separators=(",", ":")).encode()) for tool in tools}
