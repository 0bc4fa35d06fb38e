"""What became of the mutants, counted by module: a table to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.mutants.mutants import Mutant

__all__ = ["write"]

_COLUMNS = ("mutants", "killed", "timeout", "equivalent", "explained", "open", "not tried")
_INTRODUCTION = """\
# The last report of `make mutants`

A mutant is one small change of the source; the tests that reach it should fail. `killed` are those that a test found,
`timeout` those that hung it. Of the survivors, `equivalent` ones change no outcome, `explained` ones do and aren't
tested for the reason that `tests/mutants/survivors.tsv` gives; `open` ones have no reason yet.
[What is changed, and how](../how-to/mutants.md).
"""


def write(
    folder: Path,
    found: Mapping[str, Sequence[Mutant]],
    rows: Mapping[tuple[str, str], Mapping[str, Any]],
    known: Mapping[str, Mapping[str, str]],
) -> str:
    """Write `report.md` into a folder; answers the table."""
    counts = {module: _counted(mutants, rows, known) for module, mutants in found.items() if mutants}
    total: Counter[str] = Counter()
    for count in counts.values():
        total.update(count)
    head = f"| module | {' | '.join(_COLUMNS)} |\n|---|{'---:|' * len(_COLUMNS)}"
    lines = [
        f"| {module} | {' | '.join(str(count[name]) for name in _COLUMNS)} |"
        for module, count in [("all", total), *counts.items()]
    ]
    table = "\n".join([head, *lines])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.md").write_text(f"{_INTRODUCTION}\n{table}\n", encoding="utf-8")
    return table


def _counted(
    mutants: Sequence[Mutant],
    rows: Mapping[tuple[str, str], Mapping[str, Any]],
    known: Mapping[str, Mapping[str, str]],
) -> Counter[str]:
    count = Counter(mutants=len(mutants))
    for mutant in mutants:
        row = rows.get((mutant.name, mutant.digest))
        if row is None:
            count["not tried"] += 1
        elif row["verdict"] == "survived":
            count[known[mutant.name]["verdict"] if mutant.name in known else "open"] += 1
        else:
            count[row["verdict"]] += 1
    return count
