"""A pytest plugin for CI: a test that was skipped has not been run, so it fails the run.

Loaded with `-p tools.pytest_noskip`. On a developer's machine a test may skip where a program is missing; the machine
that decides whether a change is sound has to run them all.
"""

from __future__ import annotations

import pytest

_skipped: dict[str, str] = {}  # where -> why, of this run


def _why(report: pytest.TestReport | pytest.CollectReport) -> str:
    return str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else str(report.longrepr)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped and not hasattr(report, "wasxfail"):  # an expected failure was run
        _skipped[report.nodeid] = _why(report)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.skipped:
        _skipped[report.nodeid] = _why(report)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if _skipped and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _skipped:
        terminalreporter.section("skipped tests fail this run", red=True)
        for where, why in sorted(_skipped.items()):
            terminalreporter.line(f"{where}: {why}")
