"""MCP's conformance suites, both published versions, against the product and against a fixture on its protocol.

What doesn't pass is listed in `expected.toml`, check by check, with the reason. A check that fails and isn't there is a
fault; so is one that is there and passes.
"""

from __future__ import annotations

import tomllib

import pytest
from tests.interfaces.conformance.conftest import HERE, run_suite

RUNS = (
    ("conformance-stable", None),
    ("conformance-newest", "2025-11-25"),
    ("conformance-newest", "2026-07-28"),
)


def expected(server: str, suite: str, revision: str | None) -> dict[str, set[str]]:
    """By scenario: the checks that don't pass, `*` for all of them."""
    wanted: dict[str, set[str]] = {}
    for group in tomllib.loads((HERE / "expected.toml").read_text())["group"]:
        assert group["reason"]
        if server in group["servers"] and f"{suite} {revision or ''}".strip() in group["runs"]:
            for entry in group["checks"]:
                scenario, _, check = entry.partition(":")
                wanted.setdefault(scenario, set()).add(check)
    return wanted


def compare(found: dict[str, dict[str, str]], wanted: dict[str, set[str]]) -> list[str]:
    wrong = [f"{scenario}: is listed, and wasn't run" for scenario in wanted.keys() - found.keys()]
    for scenario, checks in found.items():
        bad = {check for check, status in checks.items() if status != "SUCCESS"}
        listed = wanted.get(scenario, set())
        wrong += [f"{scenario}:{check}  {checks[check]}" for check in sorted(bad - listed)]
        wrong += [f"{scenario}:{check}  is listed, and passes" for check in sorted(listed - bad)]
    return wrong


@pytest.mark.parametrize(("suite", "revision"), RUNS)
def test_the_protocol_passes_on_the_fixture(fixture_port, suite, revision):
    found = run_suite(suite, revision, fixture_port)
    assert compare(found, expected("fixture", suite, revision)) == []


@pytest.mark.parametrize(("suite", "revision"), RUNS)
def test_the_product_passes_what_applies_to_it(workroom_port, suite, revision):
    found = run_suite(suite, revision, workroom_port)
    assert compare(found, expected("workroom", suite, revision)) == []


def test_the_list_is_compared_exactly():
    found = {"a": {"x": "SUCCESS", "y": "FAILURE"}, "b": {"z": "WARNING"}}
    assert compare(found, {"a": {"y"}, "b": {"z"}}) == []
    assert compare(found, {"a": {"x", "y"}, "b": {"z"}}) == ["a:x  is listed, and passes"]
    assert compare(found, {"a": {"y"}}) == ["b:z  WARNING"]
    assert compare(found, {"a": {"y"}, "b": {"z"}, "c": {"*"}}) == ["c: is listed, and wasn't run"]
