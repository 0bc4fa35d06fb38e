"""Survivors that are looked at: `survivors.tsv` says of each why no test kills it, and is held against what there is.

Its columns: module, function, the line before, the line after, number (among the same in the function), verdict
(`equivalent`: no outcome differs; `explained`: one does, and why it isn't tested; a race may kill it by chance),
reason.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.mutants.mutants import Mutant

__all__ = ["FILE", "VERDICTS", "faults", "read"]

FILE = Path(__file__).parent / "survivors.tsv"
VERDICTS = frozenset({"equivalent", "explained"})
_COLUMNS = ("module", "function", "before", "after", "number", "verdict", "reason")


def read(path: Path) -> dict[str, dict[str, str]]:
    """The lines by the names of their mutants."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [dict(zip(_COLUMNS, line, strict=True)) for line in csv.reader(file, _Dialect)]
    if rows[0]["module"] != "module":
        raise ValueError(f"{path}: the first line names no columns")
    return {"\t".join(row[column] for column in _COLUMNS[:5]): row for row in rows[1:]}


class _Dialect(csv.excel_tab):
    quoting = csv.QUOTE_NONE
    lineterminator = "\n"


def faults(
    found: Mapping[str, Sequence[Mutant]],
    rows: Mapping[tuple[str, str], Mapping[str, Any]],
    known: Mapping[str, Mapping[str, str]],
) -> Iterator[str]:
    """Survivors that nobody has explained, and lines that explain what isn't so."""
    names = {mutant.name for mutants in found.values() for mutant in mutants}
    for mutants in found.values():
        for mutant in mutants:
            row = rows.get((mutant.name, mutant.digest))
            where = (
                f"src/workroom/{mutant.module}:{mutant.lines[0]}: {mutant.function}: {mutant.before} => {mutant.after}"
            )
            if row is None:
                yield f"{where}: not tried"
            elif row["verdict"] == "survived" and mutant.name not in known:
                yield f"{where}: survived"
            elif row["verdict"] != "survived" and known.get(mutant.name, {}).get("verdict") == "equivalent":
                yield f"{where}: survivors.tsv calls it equivalent, and it was killed by {row['by']}"
    for name, line in known.items():
        where = f"{line['module']}: {line['function']}: {line['before']} => {line['after']}"
        if line["module"] in found and name not in names:
            yield f"{where}: survivors.tsv explains a mutant that isn't made any more"
        if line["verdict"] not in VERDICTS or not line["reason"]:
            yield f"{where}: survivors.tsv gives no reason, or {line['verdict']!r} for a verdict"
