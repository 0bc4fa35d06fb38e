"""What a sweep found, counted by kind and act: a table to read, and the same as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from tests.crash.points import Verdict

__all__ = ["write"]

_COLUMNS = ("points", "fired", "not fired", "before", "after", "faults")
_INTRODUCTION = """\
# The last report of `make crash`

Seed {seed}. A point is one kill, fault or power cut at one place of one act in one scene. It counts as fired when it
did happen. What it left was opened again and compared byte for byte: `before` are those that were wholly as before the
act, `after` those that were wholly as after it. A fault is a mixed tree, an acknowledged commit that is lost, or an
answer that isn't true. [What the kinds and acts are](../how-to/crash.md).
"""


def write(folder: Path, seed: int, verdicts: Sequence[Verdict]) -> str:
    """Write `report.md` and `report.json` into a folder; answers the table."""
    rows = _counted(verdicts)
    head = f"| kind | act | {' | '.join(_COLUMNS)} |\n|---|---|{'---:|' * len(_COLUMNS)}"
    lines = [f"| {kind} | {act} | {' | '.join(str(row[name]) for name in _COLUMNS)} |" for kind, act, row in rows]
    table = "\n".join([head, *lines])
    calls = Counter(verdict.call for verdict in verdicts if verdict.fired and verdict.call)
    body = {
        "seed": seed,
        "counts": [{"kind": kind, "act": act, **{name: row[name] for name in _COLUMNS}} for kind, act, row in rows],
        "calls": dict(calls.most_common()),
        "faults": [asdict(verdict) for verdict in verdicts if verdict.fault],
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.md").write_text(f"{_INTRODUCTION.format(seed=seed)}\n{table}\n", encoding="utf-8")
    (folder / "report.json").write_text(json.dumps(body, indent=1) + "\n", encoding="utf-8")
    return table


def _counted(verdicts: Sequence[Verdict]) -> list[tuple[str, str, Counter[str]]]:
    rows: dict[tuple[str, str], Counter[str]] = {}
    for verdict in verdicts:
        kind, act, *_ = verdict.name.split("/")
        row = rows.setdefault((kind, act), Counter())
        row["points"] += 1
        row["fired" if verdict.fired else "not fired"] += 1
        row["faults"] += bool(verdict.fault)
        if verdict.fired:
            row["after" if verdict.applied else "before"] += 1
    total: Counter[str] = Counter()
    for row in rows.values():
        total.update(row)
    return [("all", "", total), *((kind, act, row) for (kind, act), row in sorted(rows.items()))]
