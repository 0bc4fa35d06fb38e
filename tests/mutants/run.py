"""`make mutants`: every mutant of the modules that keep promises, each tried by the tests that reach it.

python -m tests.mutants.run [--module PART] [--jobs N] [--budget SECONDS] [--again]

It goes on where it was ended. `--module` takes the modules whose path has this in it. `--again` tries survivors anew.
It ends with 1 while a mutant survives that `survivors.tsv` doesn't explain, or where a line there is stale.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import pickle
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.mutants import explained, report
from tests.mutants import mutants as making
from tests.mutants.mutants import Mutant
from tests.mutants.reach import PROJECT, SOURCE, Reach, measure, mirror_of, modules
from tests.mutants.trial import Trial, Tried, try_all

__all__ = ["Log", "made"]

KEPT = PROJECT / ".mutants"


def made(module: str) -> list[Mutant]:
    """A module's mutants; making them takes seconds, so they are kept."""
    source = (SOURCE / module).read_bytes()
    maker = Path(making.__file__).read_bytes()
    kept = KEPT / "made" / f"{module.replace('/', '-')}-{hashlib.sha256(source + maker).hexdigest()[:16]}.pickle"
    if kept.exists():
        found: list[Mutant] = pickle.loads(kept.read_bytes())
        return found
    found = making.mutants(module, source)
    kept.parent.mkdir(parents=True, exist_ok=True)
    for old in kept.parent.glob(f"{module.replace('/', '-')}-*"):
        old.unlink()
    kept.write_bytes(pickle.dumps(found))
    return found


@dataclass(frozen=True)
class Log:
    """What became of mutants, one line each, the last word counts."""

    path: Path

    def read(self) -> dict[tuple[str, str], dict[str, str]]:
        """By name and digest of the function."""
        if not self.path.exists():
            return {}
        rows = (json.loads(line) for line in self.path.read_text(encoding="utf-8").splitlines())
        return {(row["name"], row["digest"]): row for row in rows}

    def add(self, tried: Tried) -> None:
        mutant = tried.trial.mutant
        assert mutant is not None
        row = {
            "name": mutant.name,
            "digest": mutant.digest,
            "mirror": _mirror_digest(mutant.module),
            "verdict": tried.verdict,
            "by": tried.by,
            "seconds": round(tried.seconds, 2),
        }
        with self.path.open("a", encoding="utf-8") as log:
            log.write(json.dumps(row) + "\n")


@cache
def _mirror_digest(module: str) -> str:
    """As it was when this run began: it goes on with the tests that it has loaded."""
    return hashlib.sha256((PROJECT / mirror_of(module)).read_bytes()).hexdigest()[:12]


# Which tests.


def judges_of(mutant: Mutant, reach: Reach, budget: float) -> tuple[str, ...]:
    """All of the mirroring file that reach it, then others for some seconds: near ones first, then the shortest."""
    mirror = mirror_of(mutant.module)
    near = mirror.rpartition("/")[0] + "/"
    apart = {test for test in reach.seconds if mutant.module in _APART.get(test.partition("::")[0], ())}
    mirrored = {test for test in reach.seconds if test.startswith(f"{mirror}::")}
    reaching = _reaching(mutant, reach)
    first = (mirrored if mutant.early else mirrored & reaching) | apart
    seconds = reach.seconds
    others = sorted(reaching - first, key=lambda test: (not test.startswith(near), seconds[test], test))
    return (*sorted(first, key=lambda test: (test in apart, seconds[test], test)), *_within(others, seconds, budget))


def _reaching(mutant: Mutant, reach: Reach) -> set[str]:
    if not mutant.early:
        return reach.of(mutant.module, *mutant.lines)
    # What an import does is run by no test; the lines that name what is assigned there are, in whichever module.
    assigned = re.match(r"(\w+)\s*[:=]", mutant.before)
    if assigned is None:
        return reach.of(mutant.module, 1, len((SOURCE / mutant.module).read_text(encoding="utf-8").splitlines()))
    return {test for module, line in _naming(assigned[1]) for test in reach.of(module, line, line)}


@cache
def _naming(name: str) -> list[tuple[str, int]]:
    word = re.compile(rf"\b{name}\b")
    texts = ((module, (SOURCE / module).read_text(encoding="utf-8").splitlines()) for module in modules())
    return [(module, number) for module, lines in texts for number, line in enumerate(lines, 1) if word.search(line)]


_APART = {
    "tests/core/transactions/test_wayback.py": {
        f"core/transactions/{name}.py" for name in ("apply", "recover", "service", "stage", "tables", "wayback")
    },
}
"""Tests that run these modules in a process of their own, where nothing tells which lines."""


def _within(tests: Sequence[str], seconds: Mapping[str, float], budget: float) -> Iterator[str]:
    for test in tests:
        budget -= seconds[test]
        if budget < 0:
            return
        yield test


# The run.


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="mutants")
    parser.add_argument("--module", default="")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 1) // 2))
    parser.add_argument("--budget", type=float, default=4.0)
    parser.add_argument("--again", action="store_true")
    options = parser.parse_args(arguments)
    KEPT.mkdir(exist_ok=True)
    log = Log(KEPT / "log.jsonl")
    chosen = modules(options.module)
    for module in chosen:
        _mirror_digest(module)
    reach = measure(KEPT / "reach")
    rows = log.read()
    todo = [mutant for module in chosen for mutant in _untried(module, rows, again=options.again)]
    if todo:
        _say(f"mutants: {len(todo)} to try")
        trials = [Trial(mutant, judges_of(mutant, reach, options.budget)) for mutant in todo]
        try_all(trials, reach.seconds, options.jobs, log.add)
    found = {module: made(module) for module in modules()}
    known = explained.read(explained.FILE)
    table = report.write(PROJECT / "docs" / "mutants", found, log.read(), known)
    _say(table)
    faults = list(explained.faults({module: found[module] for module in chosen}, log.read(), known))
    _say("\n".join([*faults, f"mutants: {len(faults)} faults"]))
    return 1 if faults else 0


def _untried(module: str, rows: Mapping[tuple[str, str], Mapping[str, str]], *, again: bool) -> Iterator[Mutant]:
    """Those without a verdict, and survivors of other tests than there are now."""
    mirror = _mirror_digest(module)
    for mutant in made(module):
        row = rows.get((mutant.name, mutant.digest))
        survived = row is not None and row["verdict"] == "survived"
        if row is None or (survived and (again or row["mirror"] != mirror)):
            yield mutant


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
