"""The soak in short, and what it would catch."""

from __future__ import annotations

import pytest
from tests.soak.gauge import Sample, percentile, slope
from tests.soak.ledger import Change, Ledger
from tests.soak.soak import Plan, run


def test_many_clients_on_one_folder_lose_nothing():
    report = run(Plan(seconds=6, writers=8, readers=16, pause=0.3))
    assert report.faults == [], report.lines
    assert int(report.lines[2].split()[2]) > 0, report.lines


def ledger(*commits: tuple[str, *tuple[tuple[str, str | None, str | None], ...]]) -> Ledger:
    made = Ledger()
    for name, *changes in commits:
        made.add(name, tuple(Change(*change) for change in changes))
    return made


def test_a_history_with_an_order_has_no_faults():
    made = ledger(
        ("t2", ("a", "1", "2"), ("b", "0", "1")),
        ("t1", ("a", "0", "1")),
        ("t3", ("b", "1", "2")),
        ("t4", ("c", None, "0")),
        ("t5", ("c", "0", None)),
        ("t6", ("c", None, "1")),
    )
    assert made.faults({"a": "0", "b": "0"}, {"a": "2", "b": "2", "c": "1"}) == []


@pytest.mark.parametrize(
    ("commits", "last", "told"),
    [
        ((("t1", ("a", "0", "1")), ("t2", ("a", "0", "2"))), {"a": "2"}, "both came after 0"),
        ((("t1", ("a", "7", "1")),), {"a": "0"}, "after what was never there"),
        ((("t1", ("a", "0", "1")),), {"a": "0"}, "ends as 0"),
        ((("t1", ("a", "0", "1")),), {}, "ends as None"),
        ((), {"a": "0", "b": "0"}, "b: ends as 0"),
        ((("t1", ("a", "0", "1"), ("b", "1", "2")), ("t2", ("b", "0", "1"), ("a", "1", "2"))), None, "no order"),
        ((("t1", ("c", None, "1")), ("t2", ("c", None, "2"))), {"a": "0", "c": "2"}, "1 was there"),
        ((("t1", ("c", None, "1")), ("t2", ("c", "1", None)), ("t3", ("c", None, "2"))), {"a": "0"}, "ends as None"),
    ],
)
def test_what_can_not_have_happened_one_after_the_other_is_told(commits, last, told):
    first = {"a": "0", "b": "0"} if last is None else {"a": "0"}
    (fault,) = ledger(*commits).faults(first, {"a": "2", "b": "2"} if last is None else last)
    assert told in fault


def test_slopes_and_percentiles_are_what_they_are_called():
    samples = [Sample(at, 100 + at / 360, 5, 6, 7, 8) for at in range(0, 7200, 100)]
    assert slope(samples, "rss_mb") == pytest.approx(10)
    assert slope(samples, "threads") == pytest.approx(0)
    assert slope(samples[:1], "rss_mb") == 0
    values = [float(value) for value in range(1, 101)]
    assert (percentile(values, 0.5), percentile(values, 0.99), percentile(values, 1), percentile([], 1)) == (
        51,
        100,
        100,
        0,
    )
