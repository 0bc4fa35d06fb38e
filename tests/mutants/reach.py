"""Which test runs which line, and how long each takes: measured once, kept by the test file's bytes.

python -m tests.mutants.reach OUT TESTFILE...     runs these test files with coverage and writes what they reach
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import coverage
import pytest

__all__ = ["MODULES", "PROJECT", "SOURCE", "Reach", "judging_files", "measure", "mirror_of", "modules"]

PROJECT = Path(__file__).resolve().parents[2]
SOURCE = PROJECT / "src" / "workroom"
MODULES = (
    "system/root.py",
    "core/permissions.py",
    "core/approvals/*.py",
    *(
        f"core/transactions/{name}.py"
        for name in ("apply", "stage", "steps", "unwind", "recover", "rollback", "service")
    ),
    "core/transactions/*.py",
)
"""What keeps the promises, the most important first."""
_TESTS = ("core", "system/test_root.py", "laws", "person", "attacks/test_*.py", "attacks/approvals")
"""Tests that run the code in their own process, the near ones first."""


def modules(part: str = "") -> list[str]:
    """The modules that are mutated, as paths below the package."""
    found = (path for pattern in MODULES for path in sorted(SOURCE.glob(pattern)))
    names = (path.relative_to(SOURCE).as_posix() for path in found if path.name != "__init__.py")
    return [name for name in dict.fromkeys(names) if part in name]


@dataclass(frozen=True)
class Reach:
    """For each module, line and test what is known; tests are named as pytest names them."""

    lines: dict[str, dict[int, set[str]]]
    seconds: dict[str, float]

    def of(self, module: str, first: int, last: int) -> set[str]:
        """The tests that run any of these lines of a module."""
        lines = self.lines.get(module, {})
        return {test for line in range(first, last + 1) for test in lines.get(line, ())}


def mirror_of(module: str) -> str:
    """The test file of a module, below the project."""
    path = Path(module)
    return f"tests/{path.with_name(f'test_{path.name}')}"


def judging_files() -> list[str]:
    """All test files that may judge a mutant."""
    return list(dict.fromkeys(file for one in _TESTS for file in _files(one)))


def _files(pattern: str) -> Iterator[str]:
    for path in sorted((PROJECT / "tests").glob(pattern)):
        found = sorted(path.rglob("test_*.py")) if path.is_dir() else [path]
        yield from (file.relative_to(PROJECT).as_posix() for file in found)


def measure(folder: Path) -> Reach:
    """Of all test files; only those that changed since are run again. A change of a mutated module runs all of them.

    What other modules change is taken not to lead tests past these ones: a test that is missed kills less, not more.
    """
    folder.mkdir(parents=True, exist_ok=True)
    source = _digest([SOURCE / module for module in modules()])
    wanted = {file: folder / f"{_digest([PROJECT / file])}-{source}.json" for file in judging_files()}
    for old in set(folder.glob("*.json")) - set(wanted.values()):
        old.unlink()
    missing = [file for file, kept in wanted.items() if not kept.exists()]
    if missing:
        sys.stdout.write(f"mutants: running {len(missing)} test files to see what they reach\n")
        sys.stdout.flush()
        out = folder / "out.tmp"
        subprocess.run([sys.executable, "-m", "tests.mutants.reach", str(out), *missing], check=True, cwd=PROJECT)
        found = json.loads(out.read_text())
        out.unlink()
        for file in missing:
            wanted[file].write_text(json.dumps(found.get(file, {})))
    return _joined([json.loads(kept.read_text()) for kept in wanted.values()])


def _joined(parts: Sequence[dict[str, Any]]) -> Reach:
    reach = Reach({}, {})
    for part in parts:
        for test, (seconds, modules) in part.items():
            reach.seconds[test] = seconds
            for module, lines in modules.items():
                for line in lines:
                    reach.lines.setdefault(module, {}).setdefault(line, set()).add(test)
    return reach


def _digest(paths: Sequence[Path]) -> str:
    whole = hashlib.sha256()
    for path in paths:
        whole.update(path.read_bytes())
    return whole.hexdigest()[:16]


class _Contexts:
    """A plugin: each test is a context of its own, its fixtures included."""

    def __init__(self, measured: coverage.Coverage) -> None:
        self.seconds: dict[str, float] = {}
        self._measured = measured

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._measured.switch_context(item.nodeid)
        began = time.perf_counter()
        answer = yield
        self.seconds[item.nodeid] = time.perf_counter() - began
        self._measured.switch_context("")
        return answer


def _run(out: Path, files: Sequence[str]) -> int:
    measured = coverage.Coverage(data_file=None, source=[str(SOURCE)], config_file=False)
    contexts = _Contexts(measured)
    measured.start()
    # Its hooks measure other processes; their lines would be nobody's.
    code = pytest.main(["-q", "-p", "no:cacheprovider", "--no-header", *files], plugins=[contexts])
    measured.stop()
    data = measured.get_data()
    found: dict[str, dict[str, tuple[float, dict[str, list[int]]]]] = {}
    for test, seconds in contexts.seconds.items():
        found.setdefault(test.partition("::")[0], {})[test] = (seconds, {})
    for path in data.measured_files():
        module = os.path.relpath(path, SOURCE)
        for line, tests in data.contexts_by_lineno(path).items():
            for test in tests:
                if test:
                    found[test.partition("::")[0]][test][1].setdefault(module, []).append(line)
    out.write_text(json.dumps(found))
    return int(code)


if __name__ == "__main__":
    sys.exit(_run(Path(sys.argv[1]), sys.argv[2:]))
