"""Run every test with coverage, check the coverage, and end with one plain line of counts.

`python tools/run_tests.py [ARGUMENT]...` passes its arguments on to pytest. With CI set, a skipped test fails the run.
The last line is `N passed, N failed, N skipped`; the exit code is 0 only if nothing failed and coverage holds.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

PYTHON = [sys.executable, "-m"]


def run_pytest(work: Path, arguments: list[str]) -> int:
    """All tests on two workers; each process leaves its coverage in `work`, and its temporary files below `work/tmp`.

    A folder of this run's own: runs at the same time would remove what is oldest in one that they share.
    """
    strict = ["-p", "tools.pytest_noskip"] if os.environ.get("CI", "") not in {"", "0", "false"} else []
    command = [*PYTHON, "coverage", "run", "-m", "pytest", "-n", "2", *strict, f"--basetemp={work / 'tmp'}"]
    command.append(f"--junitxml={work / 'tests.xml'}")
    env = {**os.environ, "COVERAGE_FILE": str(work / ".coverage")}
    return subprocess.run([*command, *arguments], check=False, env=env).returncode


def check_coverage(work: Path) -> int:
    """Join what the processes left, keep it as `.coverage` for `coverage html`, and check it."""
    report = str(work / "coverage.json")
    commands = (
        [*PYTHON, "coverage", "combine", "-q", "--data-file=.coverage", str(work)],
        [*PYTHON, "coverage", "json", "-q", "--data-file=.coverage", "-o", report],
        [sys.executable, "tools/check_coverage.py", report],
    )
    return next((code for command in commands if (code := subprocess.run(command, check=False).returncode)), 0)


def counts(report: Path) -> tuple[int, int, int]:
    """(passed, failed, skipped) of a JUnit report; a run that died before writing one has failed."""
    if not report.exists():
        return 0, 1, 0
    suites = list(ET.parse(report).getroot().iter("testsuite"))
    total, failed, errors, skipped = (
        sum(int(suite.get(name, "0")) for suite in suites) for name in ("tests", "failures", "errors", "skipped")
    )
    return total - failed - errors - skipped, failed + errors, skipped


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="workroom-tests-") as name:
        work = Path(name)
        tested = run_pytest(work, sys.argv[1:])
        covered = check_coverage(work)
        passed, failed, skipped = counts(work / "tests.xml")
    if tested:
        print(f"tests: pytest ended with {tested}")
    if covered:
        print("tests: the coverage check failed")
    if tested or covered:
        failed = failed or 1  # who reads the last line only must not take a failed check for a pass
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if tested or covered else 0


if __name__ == "__main__":
    sys.exit(main())
