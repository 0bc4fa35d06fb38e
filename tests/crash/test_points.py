"""Kills, power cuts and faults, a sample of those of `make crash`: each ends wholly before or wholly after."""

from __future__ import annotations

import os

import pytest
from tests.crash import disks, judge, points, scenes, sweep, tracer, victim
from tests.crash.points import Point, Verdict
from tests.crash.sweep import Row

from workroom.server.build import close_workspace

pytestmark = pytest.mark.skipif(bool(tracer.missing()), reason=tracer.missing() or "processes can be traced")
on_disks = pytest.mark.skipif(bool(disks.missing()), reason=disks.missing() or "disks can be mounted")

_JOBS = 2
_SINGLES = [f"one-{name}" for name in scenes.PARTS]


@pytest.fixture(scope="module")
def pool():
    # The processes are looked at call by call: coverage would add calls of its own.
    hidden = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("COVERAGE_")}
    try:
        with sweep.workers(_JOBS) as pool:
            yield pool
    finally:
        os.environ.update(hidden)


def carried_out(pool, *rows: Row) -> list[Verdict]:
    """The verdicts on the points of rows: no fault among them, and nearly all did take place."""
    found = list(sweep.sweep(pool, sweep.listed(pool, rows)))
    assert [verdict for verdict in found if verdict.fault] == []
    assert sum(verdict.fired for verdict in found) > 0.9 * len(found)
    return found


def both_ends(found: list[Verdict]) -> bool:
    """Whether some were wholly before, and some wholly after."""
    return {verdict.applied for verdict in found if verdict.fired} == {True, False}


def test_C03_killed_at_every_call_of_a_commit_it_is_wholly_before_or_wholly_after(pool):
    found = carried_out(pool, Row("kill", "commit", "full", 150), *(Row("kill", "commit", one, 8) for one in _SINGLES))
    assert both_ends(found)


def test_C03_killed_in_an_undo_an_accept_a_call(pool):
    found = carried_out(
        pool,
        Row("kill", "rollback", "full", 60),
        Row("kill", "accept", "full", 40),
        Row("kill", "apply", "full", 30),
        Row("kill", "part", "full", 25),
        Row("kill", "edit", "full", 25),
        Row("kill", "commit", "mixed-1-50", 12),
    )
    assert both_ends(found)


def test_C03_killed_while_it_is_staged_kept_or_settled(pool):
    rows = [Row("kill", "stage", "full", 20), Row("kill", "preview", "full", 15), Row("kill", "settle", "full", 25)]
    carried_out(pool, *rows)


@on_disks
@pytest.mark.parametrize("layout", ["same", "apart"])
def test_C04_after_a_power_cut_too_and_what_was_acknowledged_is_there(pool, layout):
    """`apart`: the folder and its store are on two disks, which lose power in the same moment."""
    found = carried_out(
        pool,
        Row(f"cut-lost-{layout}", "commit", "full", 25),
        Row(f"cut-log-{layout}", "accept", "full", 20),
        Row(f"cut-flushed-{layout}", "rollback", "full", 5),
        Row(f"dies-lost-{layout}", "apply", "full", 8),
    )
    assert both_ends(found)


@pytest.mark.parametrize("error", ["ENOSPC", "EIO", "EMFILE"])
def test_C05_a_call_that_fails_leaves_all_as_it_was_and_a_clear_error(pool, error):
    """Or it is done all the same, and the answer says so."""
    rows = [Row(error, "apply", "full", 25), Row(error, "accept", "full", 15), Row(error, "settle", "full", 5)]
    carried_out(pool, *rows)


@pytest.mark.parametrize("error", ["EINTR", "EACCES"])
def test_C05_interrupted_or_forbidden_as_well(pool, error):
    carried_out(pool, Row(error, "apply", "full", 15))


def test_C05_a_disk_that_goes_on_failing(pool):
    carried_out(pool, Row("EIO-on", "apply", "full", 12), Row("ENOSPC-on", "rollback", "full", 10))


@on_disks
@pytest.mark.parametrize("what", ["folder", "store", "disk"])
def test_C05_a_disk_that_is_really_full(pool, what):
    full = [Point(f"fill-{what}", act, "full", (kib,)) for act in ("apply", "accept") for kib in range(0, 800, 160)]
    found = list(sweep.sweep(pool, full))
    assert [verdict for verdict in found if verdict.fault] == []
    assert {verdict.applied for verdict in found} == {True, False}
    assert any(verdict.fired for verdict in found)


@on_disks
def test_C05_a_disk_that_turns_read_only_on_the_way(pool):
    carried_out(pool, Row("aborted", "apply", "full", 10), Row("aborted", "accept", "full", 8))


def test_C06_a_recovery_that_is_killed_ends_the_same_when_it_is_run_again(pool):
    carried_out(pool, Row("recover", "commit", "full", 10, 4), Row("recover", "rollback", "full", 8, 2))


@on_disks
def test_C06_a_recovery_that_loses_power(pool):
    carried_out(pool, Row("recut-lost-same", "commit", "full", 6, 2))


def test_C06_killed_on_the_way_back_from_a_failed_step(pool):
    found = carried_out(pool, Row("back", "apply", "full", 10, 4))
    assert not any(verdict.applied for verdict in found)


EDITED, OWN = "crlf.txt", b"the person's own\n"


@pytest.mark.parametrize("moment", [0.0, 0.5, 1.0])
def test_C07_what_a_person_changed_after_the_crash_is_kept_and_reported(pool, moment):
    """Killed at the first rename, in the middle, at the last: the file is as before or as after by then."""
    note, entries, left = pool.apply(_edited_after_a_crash, (moment,))
    assert EDITED in note
    assert entries == [("recovery", [EDITED])]
    assert left.pop(EDITED).data == OWN
    assert left == {path: thing for path, thing in scenes.FULL.before.items() if path != EDITED}


def _edited_after_a_crash(moment: float):
    """In a worker: the note on the transaction, the history, the tree."""
    work, point = sweep.work(), Point("kill", "apply", "full")
    names = points.calls(work, point)
    renames = [number for number, name in enumerate(names) if name == "renameat2"][1:]  # the first only tries it
    kill = renames[int(moment * (len(renames) - 1))]
    with points.placed(work, point.kind, point.act, point.scene) as site:
        points.run(site.place, point.act, point.scene, lambda call: tracer.KILL if call.number == kill else 0)
        (site.place.folder / EDITED).write_bytes(OWN)
        workspace = victim.open_at(site.place, 500)
        (interrupted,) = (row for row in workspace.transactions.find()[0] if row.planned.cause == "edit")
        entries = [(row.cause, [change.path for change in row.changes]) for row in workspace.transactions.history()]
        close_workspace(workspace)
        return interrupted.note, entries, scenes.tree(site.place.folder)


def test_a_point_has_a_name_that_brings_it_back():
    point = Point("recut-lost-same", "commit", "mixed-1-50", (12, 5))
    assert Point.named(point.name) == point


@pytest.mark.parametrize("name", ["full", "mixed-1-50"])
def test_a_scene_ends_as_it_is_written_out(pool, name):
    """The scenes are right by themselves: done and undone in peace, they give the trees that they name."""
    assert pool.apply(_in_peace, (name,)) == []


def _in_peace(name: str) -> list[str]:
    faults = []
    for act in ("apply", "rollback"):
        with points.placed(sweep.work(), "kill", act, name) as site:
            ran = points.run(site.place, act, name, lambda _call: 0)
            faults += judge.at_once(site.place, act, scenes.scene(name), ran.answers)
            faults += judge.judge(site.place, act, scenes.scene(name), ran.answers).faults
            assert ran.answers[-1].ok, ran.answers
    return faults
