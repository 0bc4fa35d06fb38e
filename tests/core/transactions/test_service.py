"""Plan, commit, undo, recover: the whole through the service."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import re
import resource
import shutil
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import TypeAdapter
from tests.conftest import AGENT, House
from tests.moments import just_before

from workroom.base.actor import Actor
from workroom.base.changes import ABSENT, Permit
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.pulse import Pulse
from workroom.core.transactions import Observation, Observed, Operation, tables
from workroom.core.transactions.model import Derivation
from workroom.core.transactions.rewind import Only
from workroom.core.transactions.steps import step_from_json
from workroom.core.transactions.views import drop_views, write_views
from workroom.text.paths import STAGE_PREFIX

OPERATIONS = TypeAdapter(tuple[Operation, ...]).validate_python
DAY = 24 * 3600.0
PROJECT = Path(__file__).parents[3]
CREATE = {"type": "create", "path": "f", "content": "new\n"}


def refused(house, act) -> WorkroomError:
    """The refusal, and the proof that nothing was changed by it and no staged file left."""
    before = house.tree(), house.tx.history(), staged(house)
    with pytest.raises(WorkroomError) as caught:
        act()
    assert (house.tree(), house.tx.history(), staged(house)) == before
    return caught.value


def staged(house) -> list[str]:
    stage = house.folder / ".agentic/stage"
    return os.listdir(stage) if stage.exists() else []


def test_edit_undo_redo(house):
    house.write("a.txt", "one\ntwo\n", 0o755)
    before = house.tree()
    entry = house.edit(
        {"type": "replace", "path": "a.txt", "search": "two", "replacement": "2"},
        {"type": "create", "path": "new/b.txt", "content": "b\n"},
    )
    assert house.read("a.txt") == b"one\n2\n"
    assert (house.folder / "a.txt").stat().st_mode & 0o777 == 0o755
    assert house.read("new/b.txt") == b"b\n"
    after = house.tree()
    undo = house.undo(entry.transaction_id)
    assert house.tree() == before | {"new": None}  # parents that a create made stay
    house.undo(undo.transaction_id)
    assert house.tree() == after
    assert house.tx.get(entry.transaction_id).status == "applied"


# Looking.


def test_listeners_hear_of_a_commit_once_it_is_there(house):
    heard = []
    house.workspace.store.subscribe(lambda number, event: heard.append((event, house.read("f"))))
    entry = house.edit(CREATE)
    ((event, body),) = heard
    assert (event.entry, event.transaction_id, event.paths, event.total, body) == (
        entry.number, entry.transaction_id, ("f",), 1, b"new\n",
    )  # fmt: skip


# The gate.


def test_who_wants_to_know_before_a_commit_hears_what_it_will_change(house):
    heard = []
    house.tx.before_commit = lambda change_set: heard.append((list(change_set.paths()), house.tree()))
    house.edit(CREATE)
    planned = house.plan({**CREATE, "path": "g"})
    house.write("g", "theirs\n")
    assert refused(house, lambda: house.commit(planned)).code is ErrorCode.EDIT_CONFLICT
    assert heard == [(["f"], {})], "of what is refused there is nothing to hear"


def test_a_permit_is_for_one_change_set(house):
    planned, other = house.plan(CREATE), house.plan({**CREATE, "content": "other\n"})
    permit = Permit(other.fingerprint, "test")
    assert refused(house, lambda: house.tx.commit(planned, permit, AGENT)).code is ErrorCode.APPROVAL_REQUIRED


def test_a_permit_for_an_edit_is_none_for_its_undo(house):
    entry = house.edit(CREATE)
    undo = house.tx.plan_rollback(entry.transaction_id)
    forced = house.tx.plan_rollback(entry.transaction_id, force=True)
    assert undo.change_set == forced.change_set
    assert undo.fingerprint != forced.fingerprint


def test_an_approval_is_used_once(house):
    house.commit(house.plan(CREATE), approval_id="approval_1")
    again = house.plan({**CREATE, "path": "g"})
    error = refused(house, lambda: house.commit(again, approval_id="approval_1"))
    assert error.code is ErrorCode.TRANSACTION_STATE
    assert house.tx.find()[1] == 1, "the other was not even tried"


def test_an_approval_that_is_used_in_the_moment_of_the_commit_takes_the_commit_back(house):
    """The check at the start can't see it; the row that is written with the commit does."""
    with house.workspace.store.write() as db:
        db.execute("DROP TRIGGER consumptions_have_a_line")
        db.execute(
            "CREATE TEMP TRIGGER used AFTER INSERT ON main.intents BEGIN "
            "INSERT INTO consumptions VALUES ('approval_1', 'other', 0); END"
        )
    planned = house.plan(CREATE)
    error = refused(house, lambda: house.commit(planned, approval_id="approval_1"))
    assert error.code is ErrorCode.TRANSACTION_STATE
    assert house.tx.get(planned.id).status == "failed"
    assert "used already" in house.tx.get(planned.id).note


# Plans that wait.


def test_a_kept_plan_is_committed_after_a_restart(house):
    house.write("f", "old\n")
    kept = house.tx.keep(house.plan({"type": "rewrite", "path": "f", "content": "new\n"}), AGENT)
    assert kept.contents == {}
    house.reopen()
    stored = house.tx.get(kept.id)
    assert stored.status == "planned"
    house.tx.check(stored.planned)
    house.commit(stored.planned)
    assert house.read("f") == b"new\n"
    assert house.tx.get(kept.id).status == "applied"
    error = refused(house, lambda: house.commit(stored.planned))
    assert (error.code, f"{kept.id} is applied" in error.message) == (ErrorCode.TRANSACTION_STATE, True)


def test_a_kept_plan_is_kept_once_and_can_come_to_wait(house):
    kept = house.tx.keep(house.plan(CREATE), AGENT)
    assert house.tx.keep(kept, AGENT, waits=True) == kept
    assert house.tx.find()[1] == 1


def test_a_kept_plan_is_refused_over_what_was_changed_since_and_stays_planned(house):
    house.write("f", "old\n")
    kept = house.tx.keep(house.plan({"type": "rewrite", "path": "f", "content": "new\n"}), AGENT)
    house.write("f", "other\n")
    error = refused(house, lambda: house.tx.check(kept))
    assert error.code is ErrorCode.EDIT_CONFLICT
    assert "+other\n" in error.details["patch"]
    assert refused(house, lambda: house.commit(kept)).code is ErrorCode.EDIT_CONFLICT
    assert house.tx.get(kept.id).status == "planned"
    house.write("f", "old\n")
    house.commit(kept)


def test_a_kept_plan_that_fails_in_the_middle_stays_planned(house):
    house.write("f", "old\n")
    kept = house.tx.keep(house.plan(CREATE | {"overwrite": True}), AGENT)
    with open(house.folder / "f", "ab"):  # another program writes to it just now
        error = refused(house, lambda: house.commit(kept))
    assert error.code is ErrorCode.EDIT_CONFLICT
    assert house.tx.get(kept.id).status == "planned"
    house.commit(kept)


def test_a_plan_that_fails_in_the_middle_says_why(house):
    house.write("f", "old\n")
    planned = house.plan(CREATE | {"overwrite": True})
    with open(house.folder / "f", "ab"):
        error = refused(house, lambda: house.commit(planned))
    assert error.details["path"] == "f"
    stored = house.tx.get(planned.id)
    assert (stored.status, "open for writing" in stored.note) == ("failed", True)


def test_plans_live_seven_days(house):
    old = house.tx.keep(house.plan(CREATE), AGENT)
    house.time += 7 * DAY - 60
    house.tx.keep(house.plan(CREATE), AGENT)
    assert house.tx.get(old.id).status == "planned"
    house.time += 120
    house.tx.keep(house.plan(CREATE), AGENT)
    assert refused(house, lambda: house.tx.get(old.id)).code is ErrorCode.NOT_FOUND
    error = refused(house, lambda: house.commit(old))
    assert (error.code, "forgotten" in error.message) == (ErrorCode.TRANSACTION_STATE, True)


def test_at_most_a_thousand_plans_are_kept_beside_those_that_wait(house):
    planned = house.plan(CREATE)
    with house.workspace.store.write():  # one unit of work, or the disk would be asked a thousand times
        for number in range(1002):
            house.tx.keep(replace(planned, id=f"tx_plan{number:08d}"), AGENT, waits=number == 0)
    found, total = house.tx.find(limit=2000, status="planned")
    assert total == 1001
    ids = {transaction.id for transaction in found}
    assert "tx_plan00000000" in ids
    assert "tx_plan00000001" not in ids
    assert "tx_plan00001001" in ids


def test_an_undo_that_waits_is_refused_when_somebody_undid_it_first(house):
    entry = house.edit(CREATE)
    kept = house.tx.keep(house.tx.plan_rollback(entry.transaction_id), AGENT)
    house.undo(entry.transaction_id)
    house.write("f", "new\n")
    error = refused(house, lambda: house.commit(kept))
    assert error.code is ErrorCode.TRANSACTION_STATE
    assert f"{entry.transaction_id} is rolled back" in error.message


# Idempotency keys.


def test_a_key_answers_with_its_transaction(house):
    operations = OPERATIONS([CREATE])
    assert house.tx.find_key("key", operations) is None
    planned = house.tx.plan(operations, key="key")
    house.commit(planned)
    assert house.tx.find_key("key", OPERATIONS([{**CREATE, "overwrite": False}])).id == planned.id


def test_a_key_with_other_operations_is_a_conflict(house):
    planned = house.plan(CREATE, key="key")
    house.tx.keep(planned, AGENT)
    other = OPERATIONS([{**CREATE, "content": "other\n"}])
    error = refused(house, lambda: house.tx.find_key("key", other))
    assert (error.code, error.details) == (ErrorCode.EDIT_CONFLICT, {"transactionId": planned.id})


def test_of_two_calls_with_one_key_at_once_one_is_made(house):
    first, second = house.plan(CREATE, key="key"), house.plan({**CREATE, "path": "g"}, key="key")
    house.commit(first)
    for act in (lambda: house.commit(second), lambda: house.tx.keep(second, AGENT)):
        error = refused(house, act)
        assert (error.code, error.details) == (ErrorCode.TRANSACTION_STATE, {"transactionId": first.id})


# Time.


def test_an_opening_answers_what_it_took_back(house):
    with house.workspace.store.write() as db:
        tables.put_intent(db, "tx_gone", {"steps": []}, 1.0)
    (report,) = house.tx.recover()
    assert (report.copies, report.restored, report.foreign) == ([], [], [])
    assert house.tx.recover() == ()


def test_what_was_replaced_is_kept_for_a_minute(house):
    house.write("f", "old\n")
    house.edit({"type": "rewrite", "path": "f", "content": "new\n"})
    stage = house.folder / ".agentic/stage"
    house.time += 59
    assert house.tx.settle()
    assert len(os.listdir(stage)) == 1
    house.time += 1.5
    assert house.tx.settle()
    assert os.listdir(stage) == []


def test_what_was_written_late_is_told_when_it_is_found(house):
    house.write("f", "old\n")
    house.edit({"type": "rewrite", "path": "f", "content": "new\n"})
    (slot,) = (house.folder / ".agentic/stage").iterdir()
    slot.write_text("late\n")
    house.time += 61
    at = house.time
    assert house.tx.settle()
    late, _ = house.tx.history()
    assert (late.cause, at < late.at <= house.time) == ("late_write", True)


def test_what_was_replaced_goes_when_the_workspace_is_closed_or_opened(house):
    house.write("f", "old\n")
    house.edit({"type": "rewrite", "path": "f", "content": "new\n"})
    assert len(staged(house)) == 1
    house.tx.close()
    assert staged(house) == []
    house.reopen()
    house.edit({"type": "rewrite", "path": "f", "content": "newer\n"})
    house.workspace.store.close()  # as if it had been killed
    house.workspace.root.close()
    assert len(staged(house)) == 1
    house.open()
    assert staged(house) == []


def test_a_database_that_refuses_to_settle_keeps_nobody_from_opening_the_folder(house):
    house.write("f", "old\n")
    house.edit({"type": "rewrite", "path": "f", "content": "new\n"})
    with house.workspace.store.write() as db:
        db.execute("CREATE TRIGGER refusing BEFORE DELETE ON intents BEGIN SELECT RAISE(ABORT, 'broken'); END")
    house.workspace.store.close()
    house.workspace.root.close()
    house.open()
    with pytest.raises(WorkroomError, match="broken"):
        house.tx.close()
    with pytest.raises(WorkroomError, match="the workspace is closed"):
        house.commit(house.plan({**CREATE, "path": "g"}))
    with house.workspace.store.write() as db:
        db.execute("DROP TRIGGER refusing")
    assert house.read("f") == b"new\n"


def test_a_closed_workspace_takes_no_commit(house):
    planned = house.plan(CREATE)
    house.tx.close()
    error = refused(house, lambda: house.commit(planned))
    assert (error.code, "closed" in error.message) == (ErrorCode.IO_ERROR, True)


# A disk or a database that fails.


@contextlib.contextmanager
def small_files(size: int) -> Iterator[None]:
    """No file of this process grows beyond `size` bytes: the system refuses, as a failing disk does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def refuse(house, when: str, then: str = "ABORT") -> None:
    """The database refuses from now on."""
    with house.workspace.store.write() as db:
        db.execute(f"CREATE TEMP TRIGGER refusing {when} BEGIN SELECT RAISE({then}, 'the disk is broken'); END")


@contextlib.contextmanager
def failing_commit(house, number: int) -> Iterator[None]:
    """The disk fails under the database's own commit, the so many-th from now on: its log can't be written further."""
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    log = Path(f"{house.workspace.store.folder}/workspace.db-wal")
    counter = itertools.count(1)

    def committing() -> bool:
        if next(counter) == number:
            resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size, limit[1]))
        return False

    writer = house.workspace.store._writer
    writer.set_commit_hook(committing)
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        writer.set_commit_hook(None)


def test_a_disk_that_takes_no_new_file_leaves_all_as_it_was(house):
    house.write("g", "g\n")
    planned = house.plan({"type": "delete", "path": "g"}, {**CREATE, "content": "x" * 3_000_000})
    with small_files(2_000_000):
        error = refused(house, lambda: house.commit(planned))
    assert error.code is ErrorCode.IO_ERROR
    assert "Nothing was changed" in str(error)
    house.commit(planned)


def test_a_database_that_takes_no_intent_leaves_all_as_it_was(house):
    planned = house.plan(CREATE)
    refuse(house, "BEFORE INSERT ON main.intents")
    error = refused(house, lambda: house.commit(planned))
    assert (error.code, "the disk is broken" in error.message) == (ErrorCode.IO_ERROR, True)
    with house.workspace.store.write() as db:
        db.execute("DROP TRIGGER refusing")
    house.commit(planned)


def test_a_database_that_takes_no_plan_says_so(house):
    planned = house.plan(CREATE)
    refuse(house, "BEFORE INSERT ON main.transactions")
    assert refused(house, lambda: house.tx.keep(planned, AGENT)).code is ErrorCode.IO_ERROR


def test_a_database_that_fails_at_the_end_is_asked_again_at_the_next_opening(house):
    house.write("g", "g\n")
    before = house.tree()
    planned = house.plan({"type": "delete", "path": "g"}, CREATE)
    with failing_commit(house, number=2), pytest.raises(WorkroomError) as caught:
        house.commit(planned)
    assert caught.value.code is ErrorCode.IO_ERROR
    reason = f"the database failed at the end of {planned.id}"
    assert re.match(rf"Whether {planned.id} was made is decided when .*: {reason}", caught.value.message)
    with pytest.raises(WorkroomError, match=f"No commit is taken: {reason}"):
        house.commit(house.plan({**CREATE, "path": "h"}))
    house.workspace.store.close()
    house.workspace.root.close()
    house.open()
    assert house.tree() == before
    assert house.tx.history() == []
    house.commit(house.tx.get(planned.id).planned)


def test_a_plan_of_which_nobody_knows_whether_it_is_kept_holds_up_no_other(house):
    planned = house.plan(CREATE)
    for act in (lambda: house.tx.keep(planned, AGENT), lambda: house.commit(planned)):
        with failing_commit(house, number=1):
            error = refused(house, act)
        assert (error.code, error.undecided) == (ErrorCode.IO_ERROR, False)
        assert "Nothing was changed" in error.next_step
    house.commit(house.plan({**CREATE, "path": "g"}))


def test_a_database_that_is_full_at_the_end_takes_the_commit_back(house):
    for number in range(200):
        house.write(f"old/{number}", f"{number}\n")
    kept = house.tx.keep(house.plan({"type": "move", "from": "old", "to": "new"}), AGENT)
    before = house.tree()
    with house.workspace.store.write() as db:
        pages = db.execute("PRAGMA page_count").get
        db.execute(f"PRAGMA max_page_count = {pages + 28}")  # the intent takes up to 16, the entry as many more
    error = refused(house, lambda: house.commit(kept))
    assert error.code is ErrorCode.IO_ERROR
    assert "full" in error.message
    assert house.tree() == before
    assert "full" in house.tx.get(kept.id).note, "it was made, and taken back"
    with house.workspace.store.write() as db:
        assert db.execute("SELECT COUNT(*) FROM intents").get == 0
        db.execute("PRAGMA max_page_count = 1000000")
    house.commit(kept)


def test_a_database_that_fails_while_a_commit_is_taken_back_holds_up_all_others(house):
    house.write("f", "old\n")
    before = house.tree()
    planned = house.plan(CREATE | {"overwrite": True})
    refuse(house, "BEFORE DELETE ON main.intents")
    with open(house.folder / "f", "ab"):
        error = refused(house, lambda: house.commit(planned))
    assert error.code is ErrorCode.EDIT_CONFLICT
    error = refused(house, lambda: house.commit(house.plan({**CREATE, "path": "g"})))
    assert (error.code, "taking back" in error.message) == (ErrorCode.IO_ERROR, True)
    with house.workspace.store.write() as db:
        db.execute("DROP TRIGGER refusing")
    assert house.tree() == before
    house.edit({**CREATE, "path": "g"})
    assert house.tx.get(planned.id).note == "Its commit was interrupted and taken back."


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MB."""
    target = tmp_path / "small"
    target.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=4m", "none", str(target)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("mounting a file system takes root")
    yield target
    subprocess.run(["umount", "-l", str(target)], check=True)


def fill_up(folder: Path, leave: int) -> Path:
    """Take all room of a file system but `leave` bytes."""
    filler = folder / "filler"
    space = os.statvfs(folder)
    filler.write_bytes(bytes(space.f_bavail * space.f_frsize - leave))
    return filler


@pytest.fixture
def opened() -> Iterator[list[House]]:
    houses: list[House] = []
    yield houses
    for house in houses:
        house.close()


def test_a_full_folder_leaves_all_as_it_was(small_disk, tmp_path, opened):
    (small_disk / "ws").mkdir()
    house = House(small_disk / "ws", tmp_path / "state")
    opened.append(house)
    house.open()
    house.write("g", "g\n")
    house.edit(CREATE)
    planned = house.plan({"type": "delete", "path": "g"}, {**CREATE, "path": "large", "content": "x" * 1_000_000})
    filler = fill_up(small_disk, 500_000)
    error = refused(house, lambda: house.commit(planned))
    assert (error.code, "No space left" in error.message) == (ErrorCode.IO_ERROR, True)
    filler.unlink()
    house.commit(planned)


@pytest.mark.parametrize("size", [50_000, 500_000], ids=["in the database", "beside it"])
def test_a_full_state_folder_leaves_all_as_it_was(small_disk, tmp_path, opened, size):
    (tmp_path / "room").mkdir()
    house = House(tmp_path / "room", small_disk / "state")
    opened.append(house)
    house.open()
    house.write("g", "g\n")
    house.edit(CREATE)
    planned = house.plan({"type": "delete", "path": "g"}, {**CREATE, "path": "large", "content": "x" * size})
    filler = fill_up(small_disk, 12_000)
    error = refused(house, lambda: house.commit(planned))
    assert error.code is ErrorCode.IO_ERROR
    filler.unlink()
    house.commit(planned)
    house.reopen()
    assert house.read("large") == b"x" * size


def test_bytes_of_another_program_that_a_failed_commit_met_are_kept_and_told(house):
    """Another program saves just before the exchange, and again just after it."""
    house.write("f", "mine\n")
    planned = house.plan({"type": "rewrite", "path": "f", "content": "ours\n"})

    def save(content: str) -> None:
        house.write("new", content).rename(house.folder / "f")

    with (
        just_before("open", planned.id, lambda: None),  # it is staged
        just_before("open", "f", lambda: None),  # its attributes are looked at
        just_before("open", "f", lambda: save("saved first\n")),  # the lease is asked for
        just_before("open", planned.id, lambda: save("saved again\n")),  # what came out is looked at
        pytest.raises(WorkroomError) as caught,
    ):
        house.commit(planned)
    assert caught.value.code is ErrorCode.EDIT_CONFLICT
    assert house.read("f") == b"saved again\n"
    (copy,) = caught.value.details["kept"]
    assert copy in caught.value.message
    assert house.read(copy) == b"saved first\n"
    (entry,) = house.tx.history()
    assert ([change.path for change in entry.changes], entry.cause) == ([copy], "recovery")
    assert staged(house) == []
    assert house.tx.get(planned.id).status == "failed"


def test_a_conflict_that_is_met_in_the_middle_is_shown_as_well(house):
    house.write("f", "mine\n")
    planned = house.plan({"type": "rewrite", "path": "f", "content": "ours\n"})
    with (
        just_before("open", planned.id, lambda: house.write("f", "theirs\n")),
        pytest.raises(WorkroomError) as caught,
    ):
        house.commit(planned)
    assert (caught.value.code, caught.value.details["path"]) == (ErrorCode.EDIT_CONFLICT, "f")
    assert caught.value.details["patch"].endswith("-mine\n+theirs\n")
    assert house.read("f") == b"theirs\n"


def test_a_folder_that_is_moved_away_in_the_middle_takes_the_commit_back(house):
    house.write("d/x", "x\n")
    house.write("f", "old\n")
    planned = house.plan({**CREATE, "path": "d/g"}, {"type": "rewrite", "path": "f", "content": "new\n"})
    with (
        just_before("open", planned.id, lambda: None),  # it is staged
        just_before("open", "f", lambda: None),  # its attributes are looked at
        just_before("open", "f", lambda: (house.folder / "d").rename(house.folder / "away")),  # d/g is made already
        pytest.raises(WorkroomError, match="its folder was moved or replaced in the moment of the commit") as caught,
    ):
        house.commit(planned)
    assert caught.value.code is ErrorCode.EDIT_CONFLICT
    assert (house.read("f"), sorted(house.tree())) == (b"old\n", ["away", "away/x", "f"])


def test_a_plan_that_is_forgotten_while_it_is_staged_is_not_committed(house):
    kept = house.tx.keep(house.plan(CREATE), AGENT)

    def forget() -> None:
        with house.workspace.store.write() as db:
            tables.prune_planned(db, kept.id)

    with just_before("open", kept.id, forget):
        error = refused(house, lambda: house.commit(kept))
    assert (error.code, "forgotten" in error.message) == (ErrorCode.TRANSACTION_STATE, True)


def test_the_images_of_a_failed_try_are_dropped(house):
    planned = house.plan({"type": "create", "path": "f", "content": "ours\n"})

    def take_the_place() -> None:
        house.write("f", "theirs\n")

    with just_before("open", planned.id, take_the_place), pytest.raises(WorkroomError):
        house.commit(planned)
    assert house.read("f") == b"theirs\n"
    assert house.workspace.store.images_bytes() == 0


def test_a_part_of_a_plan_that_changed_meanwhile_is_not_committed(house):
    operations = [{"type": "create", "path": name, "content": "x\n"} for name in "abc"]
    whole = house.tx.keep(house.plan(*operations), AGENT)
    planned = house.tx.get(whole.id).planned
    first, second = (house.tx.part(planned, house.tx.select(planned, [name], [])) for name in "ab")
    house.commit(first)
    for stale in (second, planned):
        with pytest.raises(WorkroomError) as caught:
            house.commit(stale)
        assert caught.value.code in {ErrorCode.TRANSACTION_STATE, ErrorCode.EDIT_CONFLICT}
    assert house.tree().keys() == {"a"}
    house.commit(house.tx.get(whole.id).planned)
    late = house.tx.part(planned, house.tx.select(planned, ["c"], []))
    with pytest.raises(WorkroomError) as caught:
        house.commit(late)
    assert caught.value.code is ErrorCode.TRANSACTION_STATE
    assert house.tree().keys() == {"a", "b", "c"}


def test_a_part_that_fails_leaves_the_plan_whole(house):
    house.write("a", "a\n")
    whole = house.tx.keep(
        house.plan({"type": "rewrite", "path": "a", "content": "b\n"}, {"type": "mkdir", "path": "d"}), AGENT
    )
    planned = house.tx.get(whole.id).planned
    part = house.tx.part(planned, house.tx.select(planned, ["a"], []))
    with open(house.folder / "a", "ab"), pytest.raises(WorkroomError):  # another program has it open for writing
        house.commit(part)
    assert house.tx.get(part.id).status == "failed"
    assert house.tx.get(whole.id).planned == planned
    house.commit(planned)
    assert house.read("a") == b"b\n"


# Who waits goes.


def test_a_commit_that_nobody_waits_for_ends_before_it_is_prepared_and_leaves_nothing(house):
    planned = house.plan(*({"type": "create", "path": f"{n}.txt", "content": "x\n"} for n in range(70)))
    pulse = Pulse(lambda *_: pulse.cancel())
    with pytest.raises(WorkroomError) as cancelled:
        house.tx.commit(planned, Permit(planned.fingerprint, "test"), AGENT, pulse)
    assert cancelled.value.code is ErrorCode.CANCELLED
    assert house.tree() == {}
    assert os.listdir(house.folder / ".agentic" / "stage") == []
    assert house.tx.history() == []
    assert house.commit(planned).number == 1


def test_no_cancelling_stops_what_is_prepared(house):
    house.write("f", "before\n")
    planned = house.plan({"type": "rewrite", "path": "f", "content": "after\n"})
    pulse = Pulse()
    with (
        just_before("open", planned.id, lambda: None),  # it is staged
        just_before("open", "f", lambda: None),  # its attributes are looked at
        just_before("open", "f", pulse.cancel),  # it is prepared, and the lease is asked for
    ):
        house.tx.commit(planned, Permit(planned.fingerprint, "test"), AGENT, pulse)
    assert pulse.cancelled
    assert house.read("f") == b"after\n"
    assert [entry.transaction_id for entry in house.tx.history()] == [planned.id]


@pytest.fixture
def other(small_disk, house) -> Iterator[Path]:
    """A small disk below the folder: what is staged for it is staged beside its target."""
    mount = house.folder / "other"
    mount.mkdir()
    subprocess.run(["mount", "--bind", str(small_disk), str(mount)], check=True)
    yield mount
    subprocess.run(["umount", "-l", str(mount)], check=True)


def intents(house, phase: str) -> list:
    with house.workspace.store.read() as db:
        return tables.intents(db, phase)


def test_what_is_staged_on_another_mount_is_written_down_before_it_is_made(house, other):
    planned = house.plan(CREATE, {**CREATE, "path": "other/f"})
    seen = []

    def look() -> None:
        seen.append((intents(house, "staging"), os.listdir(other)))

    with just_before("open", f"{STAGE_PREFIX}{planned.id}", look):
        house.commit(planned)
    ((((transaction_id, body),), there),) = seen
    assert (transaction_id, there) == (planned.id, [])
    assert [(step_from_json(step).path, step_from_json(step).slot_folder) for step in body["steps"]] == [
        ("other/f", "other")
    ]
    assert (intents(house, "staging"), os.listdir(other)) == ([], ["f"])


@pytest.mark.parametrize("broken", [False, True], ids=["the disk", "the database too"])
def test_a_full_disk_below_the_folder_leaves_no_word_behind(house, other, broken):
    """What was to be staged beside its target was written down; that goes as well, if need be at the next opening."""
    planned = house.plan({"type": "create", "path": "other/f", "content": "x" * 5_000_000})
    if broken:
        refuse(house, "BEFORE DELETE ON main.intents")
    error = refused(house, lambda: house.commit(planned))
    assert (error.code, "can't be written" in error.message) == (ErrorCode.IO_ERROR, True)
    assert "broken" not in error.message
    assert len(intents(house, "staging")) == broken
    house.reopen()
    assert intents(house, "staging") == []


def test_views_that_cant_be_removed_stay(house):
    kept = house.tx.keep(house.plan(CREATE), AGENT)
    folder = house.folder / ".agentic"
    folder.mkdir(exist_ok=True)
    (folder / "transactions").write_text("a file where a folder belongs")
    with pytest.raises(WorkroomError):
        house.workspace.agentic.write(f"transactions/{kept.id}/x", b"", "x")
    drop_views(house.workspace.agentic, ["../x", kept.id])


# What is handed on when planning.


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def rewrite(path: str, content: str, **more) -> dict:
    return {"type": "rewrite", "path": path, "content": content, **more}


def test_a_plan_has_the_title_and_the_key_that_it_is_given(house):
    planned = house.plan(CREATE, title="Make f", key="k")
    assert (planned.title, planned.idempotency_key) == ("Make f", "k")
    assert house.plan(CREATE).title == "f"


def test_an_older_version_is_refused_unless_a_merge_is_asked_for(house):
    house.write("f", "one\ntwo\nthree\n")
    house.edit(rewrite("f", "one\ntwo\n3\n"))
    stale = {"type": "replace", "path": "f", "search": "one", "replacement": "1",
             "expected_sha256": sha("one\ntwo\nthree\n")}  # fmt: skip
    assert refused(house, lambda: house.plan(stale)).code is ErrorCode.EDIT_CONFLICT
    house.write("g", "one\ntwo\n3\n")
    error = refused(house, lambda: house.plan({**stale, "path": "g"}, merge=True))
    assert error.code is ErrorCode.EDIT_CONFLICT, "g never was that"
    house.commit(house.plan(stale, merge=True))
    assert house.read("f") == b"1\ntwo\n3\n"


def test_a_plan_that_nobody_waits_for_ends(house):
    pulse = Pulse()
    pulse.cancel()
    assert refused(house, lambda: house.plan(CREATE, pulse=pulse)).code is ErrorCode.CANCELLED


def in_the_middle(house, planned, act) -> None:
    """Commit a plan that changes `f`; `act` is done on another thread once it is prepared, and answers by then or not.

    `act` gets the thread, to see whether it has come to its end.
    """
    with (
        just_before("open", planned.id, lambda: None),  # it is staged
        just_before("open", "f", lambda: None),  # its attributes are looked at
        just_before("open", "f", act),  # it is prepared, and the lease is asked for
    ):
        house.commit(planned)


def answers_meanwhile(house, planned, ask):
    """What `ask` answers, and whether it did while a commit was under way or only after it."""
    answers: list = []
    early: list[bool] = []
    thread = threading.Thread(target=lambda: answers.append(ask()))

    def act() -> None:
        thread.start()
        thread.join(0.3)
        early.append(not thread.is_alive())

    in_the_middle(house, planned, act)
    thread.join(10)
    return answers[0], early[0]


def test_a_merge_is_planned_between_commits_and_all_else_beside_them(house):
    house.write("f", "old\n")
    planned, merged = (house.plan(rewrite("f", content)) for content in ("new\n", "newer\n"))
    other, early = answers_meanwhile(house, planned, lambda: house.plan({**CREATE, "path": "g"}))
    assert (list(other.change_set.paths()), early) == (["g"], True)
    other, early = answers_meanwhile(
        house, house.plan(rewrite("f", "newest\n")), lambda: house.plan({**CREATE, "path": "g"}, merge=True)
    )
    assert (list(other.change_set.paths()), early) == (["g"], False)
    assert refused(house, lambda: house.commit(merged)).code is ErrorCode.EDIT_CONFLICT


def test_who_asks_for_a_key_that_is_being_committed_hears_what_became_of_it(house):
    house.write("f", "old\n")
    kept = house.tx.keep(house.plan({**CREATE, "path": "g"}, key="idle"), AGENT)
    operations = OPERATIONS([rewrite("f", "new\n")])
    planned = house.tx.plan(operations, key="busy")
    found, early = answers_meanwhile(house, planned, lambda: house.tx.find_key("busy", operations))
    assert (found.id, found.status, early) == (planned.id, "applied", False)
    idle = OPERATIONS([{**CREATE, "path": "g"}])
    found, early = answers_meanwhile(house, house.plan(rewrite("f", "x\n")), lambda: house.tx.find_key("idle", idle))
    assert (found.id, found.status, early) == (kept.id, "planned", True)


def test_the_key_of_a_plan_can_be_let_go_and_that_of_a_commit_not(house):
    operations = OPERATIONS([CREATE])
    kept = house.tx.keep(house.tx.plan(operations, key="k"), AGENT)
    assert house.tx.release_key(kept.id)
    assert house.tx.find_key("k", operations) is None
    planned = house.tx.plan(operations, key="k")
    house.commit(planned)
    assert not house.tx.release_key(planned.id)
    assert house.tx.find_key("k", operations).id == planned.id


def test_every_plan_has_an_id_of_its_own(house):
    entry = house.edit(CREATE)
    first = kept_plan(house, {**CREATE, "path": "g"}, {**CREATE, "path": "h"})
    part = part_of(house, first, "g")
    plans = [
        first, part, house.tx.plan_merge(first), house.tx.amend(first, {"g": b"mine"}, "ann").planned,
        house.tx.plan_rollback(entry.transaction_id), house.tx.plan_rewind(0),
    ]  # fmt: skip
    assert all(re.fullmatch(r"tx_\d{12}", each.id) for each in plans)
    assert len({each.id for each in plans}) == len(plans)


def test_a_way_back_refuses_over_later_work_unless_it_is_told_what_to_do(house):
    house.write("f", "one\ntwo\nthree\n")
    entry = house.edit(rewrite("f", "1\ntwo\nthree\n"))
    house.write("f", "1\ntwo\nthree\nfour\n")
    ways = {
        "rollback": lambda **options: house.tx.plan_rollback(entry.transaction_id, **options),
        "rewind": lambda **options: house.tx.plan_rewind(0, **options),
    }
    for cause, plan in ways.items():
        assert refused(house, plan).code is ErrorCode.EDIT_CONFLICT
        merged, forced = plan(strategy="merge"), plan(force=True)
        assert (merged.cause, forced.cause, merged.id != forced.id) == (cause, cause, True)
        ((first,), (second,)) = merged.change_set.changes, forced.change_set.changes
        assert merged.contents[first.after.sha256] == b"one\ntwo\nthree\nfour\n"
        assert second.after.sha256 == sha("one\ntwo\nthree\n")
        assert (merged.operations[0]["strategy"], forced.operations[0]["strategy"]) == ("merge", "refuse")
        assert (merged.operations[0]["force"], forced.operations[0]["force"]) == (False, True)
    house.write("f", "1\ntwo\nthree\n")
    house.settings = house.settings.model_copy(update={"protected_patterns": ("f",)})
    for plan in ways.values():
        assert refused(house, plan).code is ErrorCode.PROTECTED_PATH


def test_a_rewind_goes_back_to_an_entry_that_there_is(house):
    first, second = house.edit(CREATE), house.edit({**CREATE, "path": "g"})
    rewind = house.tx.plan_rewind(first.number)
    assert (list(rewind.change_set.paths()), rewind.operations[0]["to"]) == (["g"], first.number)
    assert list(house.tx.plan_rewind(0).change_set.paths()) == ["f", "g"]
    assert list(house.tx.plan_rewind(0, only=Only(paths=("f",))).change_set.paths()) == ["f"]
    assert house.tx.plan_rewind(0).takes_back == (second.number, first.number)
    error = refused(house, lambda: house.tx.plan_rewind(9))
    assert (error.code, "no entry 9" in error.message) == (ErrorCode.NOT_FOUND, True)


# Who hears, and what is answered.


def test_an_event_names_twenty_paths_and_counts_all(house):
    heard = []
    house.workspace.store.subscribe(lambda number, event: heard.append(event))
    entry = house.edit(*({**CREATE, "path": f"f{number:02}"} for number in range(21)))
    (event,) = heard
    assert (event.paths, event.total) == (tuple(f"f{number:02}" for number in range(20)), 21)
    assert (event.entry, event.actor, event.cause) == (entry.number, AGENT.name, "edit")


def test_what_a_commit_answers_is_what_the_history_says(house):
    house.write("f", "one\n")
    first = house.commit(
        house.plan(rewrite("f", "1\n"), {"type": "mkdir", "path": "d"}, {**CREATE, "path": "Makefile"}, title="Both"),
        approval_id="approval_1", decided_by="ann",
    )  # fmt: skip
    assert (first.title, first.warnings != (), [each.path for each in first.directories]) == ("Both", True, ["d"])
    assert first == house.tx.entry(first.number) == house.tx.entry_by("approval_1")
    assert house.tx.entry_by("approval_2") is None
    undo = house.undo(first.transaction_id)
    assert (undo.cause, undo.undoes, undo.decided_by) == ("rollback", first.number, "test")
    assert undo == house.tx.entry(undo.number)
    assert house.tx.entry(first.number) == replace(first, undone_by=undo.number)


def test_a_rewind_marks_what_it_takes_back(house):
    entries = [house.edit({**CREATE, "path": path}) for path in "abc"]
    rewind = house.commit(house.tx.plan_rewind(entries[0].number))
    assert [house.tx.entry(each.number).undone_by for each in entries] == [None, rewind.number, rewind.number]


# Who waits for a word on what is no longer so.


def ask(house, action: str, transaction_id: str, fingerprint: str, **arguments) -> str:
    """Somebody asks the person for a yes; answers the record's id."""
    record = house.workspace.approvals.stage(
        kind="transaction", title=f"{action} {transaction_id}", destructive=False, asks=(), requests=(),
        fingerprint=fingerprint, tool="workspace_edit", preview={}, actor=AGENT, profile="files",
        arguments={"action": action, "transaction_id": transaction_id, **arguments},
    )  # fmt: skip
    return record.id


def standing(house, *records: str) -> list[str]:
    return [str(house.workspace.approvals.get(record).status) for record in records]


def by_whom(house) -> list[str]:
    """By which transactions those that were withdrawn are over, in order."""
    return [line["what"]["by"] for line in house.workspace.audit.lines() if line["kind"] == "withdrawn"]


def waits(house, *plans: str) -> list[bool]:
    """Which plans are kept however many others come."""
    with house.workspace.store.read() as db:
        counted_out = tables.planned_before(db, 0.0, 0)
    return [plan not in counted_out for plan in plans]


def kept_plan(house, *operations):
    """Kept as preview does, and read back."""
    return house.tx.get(house.tx.keep(house.plan(*operations), AGENT).id).planned


def part_of(house, planned, *files):
    return house.tx.part(planned, house.tx.select(planned, files, []))


def test_a_plan_waits_when_it_is_told_to(house):
    kept = house.tx.keep(house.plan(CREATE), AGENT)
    assert waits(house, kept.id) == [False]
    house.tx.keep(kept, AGENT, waits=True)
    assert waits(house, kept.id) == [True]


def test_with_a_commit_those_are_over_who_wait_for_a_word_on_it(house):
    kept, other = kept_plan(house, CREATE), kept_plan(house, {**CREATE, "path": "g"})
    records = [ask(house, "commit", each.id, each.fingerprint) for each in (kept, other)]
    house.commit(kept)
    assert standing(house, *records) == ["superseded", "pending"]
    assert by_whom(house) == [kept.id]


def test_with_an_undo_those_are_over_who_wait_for_a_word_on_undoing_it(house):
    entry = house.edit(CREATE)
    undo = kept_plan_of(house, house.tx.plan_rollback(entry.transaction_id))
    records = [ask(house, "rollback", entry.transaction_id, "f1"), ask(house, "commit", entry.transaction_id, "f2")]
    house.commit(undo)
    assert standing(house, *records) == ["superseded", "pending"]
    assert by_whom(house) == [undo.id]


def kept_plan_of(house, planned):
    return house.tx.get(house.tx.keep(planned, AGENT).id).planned


def test_of_those_who_wait_for_a_part_only_they_go_on_whose_part_is_still_whole(house):
    house.write("t", "".join(f"{n}\n" for n in range(40)))
    changed = "".join(f"{n}{'!' if n in {3, 30} else ''}\n" for n in range(40))
    whole = kept_plan(house, CREATE, {**CREATE, "path": "g"}, {**CREATE, "path": "h"}, rewrite("t", changed))
    first, second = (hunk.id for hunk in house.tx.hunks(whole)["t"])
    hunk = house.tx.part(whole, house.tx.select(whole, [], [first]))
    f, g = part_of(house, whole, "f"), part_of(house, whole, "g")
    records = [
        ask(house, "commit", whole.id, whole.fingerprint),
        ask(house, "commit", whole.id, f.fingerprint, files=["f"]),
        ask(house, "commit", whole.id, g.fingerprint, files=["g"]),
        ask(house, "commit", whole.id, hunk.fingerprint, hunks=[first]),
        ask(house, "commit", whole.id, "another", files=["h"]),
    ]
    house.tx.keep(whole, AGENT, waits=True)
    house.commit(f)
    assert standing(house, *records) == ["superseded", "superseded", "pending", "pending", "superseded"]
    assert by_whom(house) == [f.id] * 3
    assert waits(house, whole.id) == [True]
    rest = house.tx.get(whole.id).planned
    house.commit(part_of(house, rest, "g"))
    house.commit(house.tx.part(house.tx.get(whole.id).planned, house.tx.select(rest, [], [first])))
    assert standing(house, *records) == ["superseded"] * 5
    house.time += 61
    house.tx.settle()
    assert waits(house, whole.id) == [False]
    assert second in {each.id for each in house.tx.hunks(house.tx.get(whole.id).planned)["t"]}


def test_a_part_that_is_committed_says_of_which_plan_and_takes_its_images_out_of_it(house):
    whole = kept_plan(house, {**CREATE, "content": "f\n"}, {**CREATE, "path": "g", "content": "g\n"})
    part = part_of(house, whole, "f")
    house.commit(part)
    assert house.tx.get(part.id).derived == Derivation("part", whole.id)
    assert [each.id for each in house.tx.derived_from(whole.id)] == [part.id]
    with house.workspace.store.read() as db:
        rows = db.execute("SELECT sha256, transaction_id FROM image_refs").fetchall()
    assert sorted(rows) == sorted([(sha("f\n"), part.id), (sha("g\n"), whole.id)])


def merged_plan(house):
    """A kept plan, and the one that was merged from it and kept in its turn."""
    house.write("f", "one\ntwo\nthree\n")
    first = {"type": "replace", "path": "f", "search": "one", "replacement": "1"}
    old = kept_plan(house, first, {**CREATE, "path": "g"})
    house.write("f", "one\ntwo\n3\n")
    return old, kept_plan_of(house, house.tx.plan_merge(old))


def test_a_merged_plan_ends_the_one_that_it_was_made_from_and_takes_its_key(house):
    house.write("f", "one\ntwo\nthree\n")
    operations = OPERATIONS([{"type": "replace", "path": "f", "search": "one", "replacement": "1"}])
    old = kept_plan_of(house, house.tx.plan(operations, key="k"))
    house.write("f", "one\ntwo\n3\n")
    merged = kept_plan_of(house, house.tx.plan_merge(old))
    record = ask(house, "commit", old.id, old.fingerprint)
    assert house.tx.find_key("k", operations).id == merged.id
    house.commit(merged)
    assert house.tx.get(old.id).superseded_by == merged.id
    assert (standing(house, record), by_whom(house)) == (["superseded"], [merged.id])


def test_a_part_of_a_merged_plan_ends_the_one_before_it_too(house):
    old, merged = merged_plan(house)
    record = ask(house, "commit", old.id, old.fingerprint)
    house.commit(part_of(house, merged, "g"))
    assert (house.tx.get(old.id).superseded_by, house.tx.get(merged.id).status) == (merged.id, "planned")
    assert (standing(house, record), by_whom(house)) == (["superseded"], [merged.id])


# What the person makes of a plan.


def test_what_the_person_made_of_a_plan_has_its_place(house):
    whole = kept_plan(house, {**CREATE, "content": "proposed\n"})
    decided, late = (ask(house, "commit", whole.id, fingerprint) for fingerprint in (whole.fingerprint, "other"))
    amended = house.tx.amend(whole, {"f": b"mine\n"}, "ann")
    at = house.time + 0.001
    made = house.tx.supersede(amended, AGENT, lambda: house.workspace.approvals.approve(decided, "ann") and None)
    assert (made.id, made.contents, made.kept) == (amended.planned.id, {}, True)
    assert standing(house, decided, late) == ["approved", "superseded"]
    assert by_whom(house) == [made.id]
    old, new = house.tx.get(whole.id), house.tx.get(made.id)
    assert (old.status, old.superseded_by) == ("superseded", made.id)
    assert (new.status, new.actor, new.derived, new.created_at) == ("planned", AGENT, amended.derived, at)
    assert (new.planned.fingerprint, waits(house, made.id)) == (amended.planned.fingerprint, [True])
    assert (house.tx.image(sha("proposed\n")), house.tx.image(sha("mine\n"))) == (None, b"mine\n")
    house.commit(new.planned)
    assert house.read("f") == b"mine\n"


def test_what_the_person_made_of_a_part_leaves_the_rest_planned(house):
    whole = kept_plan(house, {**CREATE, "content": "f\n"}, {**CREATE, "path": "g", "content": "g\n"})
    records = [ask(house, "commit", whole.id, part_of(house, whole, path).fingerprint, files=[path]) for path in "fg"]
    amended = house.tx.amend(part_of(house, whole, "f"), {"f": b"mine\n"}, "ann")
    made = house.tx.supersede(amended, AGENT, lambda: None)
    rest = house.tx.get(whole.id)
    assert (rest.status, rest.superseded_by, list(rest.planned.change_set.paths())) == ("planned", None, ["g"])
    assert standing(house, *records) == ["superseded", "pending"]
    assert (by_whom(house), waits(house, whole.id, made.id)) == ([made.id], [True, True])
    assert (house.tx.image(sha("f\n")), house.tx.image(sha("g\n"))) == (None, b"g\n")
    house.commit(house.tx.get(made.id).planned)
    house.commit(rest.planned)
    assert (house.read("f"), house.read("g")) == (b"mine\n", b"g\n")


@pytest.mark.parametrize("files", [(), ("g",)], ids=["the whole", "a part"])
def test_what_the_person_made_of_a_merged_plan_ends_the_one_before_it(house, files):
    old, merged = merged_plan(house)
    record = ask(house, "commit", old.id, old.fingerprint)
    amended = house.tx.amend(part_of(house, merged, *files) if files else merged, {"g": b"mine\n"}, "ann")
    house.tx.supersede(amended, AGENT, lambda: None)
    assert (house.tx.get(old.id).status, standing(house, record)) == ("superseded", ["superseded"])


def test_the_person_edits_only_what_is_still_planned(house):
    whole = kept_plan(house, CREATE, {**CREATE, "path": "g"})
    amended = house.tx.amend(whole, {"f": b"mine\n"}, "ann")
    house.commit(part_of(house, whole, "g"))
    error = refused(house, lambda: house.tx.supersede(amended, AGENT, lambda: None))
    assert (error.code, "committed in part" in error.message) == (ErrorCode.TRANSACTION_STATE, True)
    assert house.tx.find()[1] == 2


# Room for plans.


def viewed(house, *plans):
    """Which of the plans have a folder with their views."""
    folder = house.folder / ".agentic/transactions"
    return [(folder / plan.id).exists() for plan in plans]


def test_plans_that_are_dropped_take_their_views_and_images_along(house):
    old = house.tx.keep(house.plan({**CREATE, "content": "old\n"}), AGENT)
    young = house.tx.keep(house.plan({**CREATE, "content": "x" * 600}), AGENT)
    for each in (old, young):
        write_views(house.workspace.agentic, each, "")
    house.time += 7 * DAY - 1
    house.tx.keep(young, AGENT)
    assert viewed(house, old, young) == [True, True]
    house.time += 2
    with house.workspace.store.write() as db:
        db.execute("UPDATE transactions SET created_at = ? WHERE id = ?", (house.time, young.id))
    house.tx.keep(house.plan({**CREATE, "content": "y"}), AGENT)
    assert viewed(house, old, young) == [False, True]
    assert house.tx.image(sha("old\n")) is None
    house.settings = house.settings.model_copy(update={"history_quota_bytes": 1000})
    house.tx.keep(house.plan({**CREATE, "content": "z" * 600}), AGENT)
    assert viewed(house, young) == [False]
    assert refused(house, lambda: house.tx.get(young.id)).code is ErrorCode.NOT_FOUND


def test_what_the_person_made_of_a_plan_takes_the_room_of_plans_that_nobody_is_asked_about(house):
    idle = house.tx.keep(house.plan({**CREATE, "path": "g", "content": "x" * 600}), AGENT)
    write_views(house.workspace.agentic, idle, "")
    whole = kept_plan(house, CREATE)
    house.settings = house.settings.model_copy(update={"history_quota_bytes": 1000})
    house.tx.supersede(house.tx.amend(whole, {"f": b"y" * 600}, "ann"), AGENT, lambda: None)
    assert viewed(house, idle) == [False]
    assert refused(house, lambda: house.tx.get(idle.id)).code is ErrorCode.NOT_FOUND


def test_the_plan_of_which_a_part_is_committed_is_not_dropped_for_its_room(house):
    house.write("t", "".join(f"{n}\n" for n in range(40)))
    changed = "".join(f"{n}{'!' * 300 if n in {3, 30} else ''}\n" for n in range(40))
    whole, idle = kept_plan(house, rewrite("t", changed)), kept_plan(house, {**CREATE, "content": "x\n"})
    first, _ = house.tx.hunks(whole)["t"]
    part = house.tx.part(whole, house.tx.select(whole, [], [first.id]))
    house.settings = house.settings.model_copy(update={"history_quota_bytes": 1000})
    house.commit(part)
    assert house.tx.get(whole.id).status == "planned"
    assert refused(house, lambda: house.tx.get(idle.id)).code is ErrorCode.NOT_FOUND
    house.commit(house.tx.get(whole.id).planned)
    assert house.read("t") == changed.encode()


def test_room_is_taken_from_the_history_by_commits_only(house):
    entry = house.edit({**CREATE, "content": "x" * 600})
    house.settings = house.settings.model_copy(update={"history_quota_bytes": 1000})
    planned = house.plan({**CREATE, "path": "g", "content": "y" * 600})
    assert refused(house, lambda: house.tx.keep(planned, AGENT)).code is ErrorCode.LIMIT_EXCEEDED
    small = kept_plan(house, {**CREATE, "path": "h"})
    amended = house.tx.amend(small, {"h": b"z" * 600}, "ann")
    error = refused(house, lambda: house.tx.supersede(amended, AGENT, lambda: None))
    assert error.code is ErrorCode.LIMIT_EXCEEDED
    house.commit(planned)
    assert house.tx.entry(entry.number).forgotten


# By the settings of now.


def test_a_plan_that_waited_is_judged_by_the_settings_of_now(house):
    whole = kept_plan(house, CREATE, {**CREATE, "path": ".npmrc"})
    fresh, part = house.plan(CREATE), part_of(house, whole, "f")
    assert [house.tx.asks(each) for each in (whole, part)] == [(".npmrc can run code",), ()]
    house.settings = house.settings.model_copy(update={"ask_patterns": ("f", ".npmrc")})
    assert house.tx.asks(whole) == (".npmrc can run code", "f can run code")
    assert [house.tx.asks(each) for each in (part, fresh)] == [("f can run code",), ()]
    house.settings = house.settings.model_copy(update={"protected_patterns": ("f",)})
    for each, act in itertools.product((whole, part), (house.tx.check, house.commit)):
        assert refused(house, lambda each=each, act=act: act(each)).code is ErrorCode.PROTECTED_PATH
    house.tx.check(fresh)


def test_a_conflict_shows_what_is_there_at_its_own_path(house):
    house.write("f", "old\n")
    house.write("g", "g\n")
    kept = kept_plan(house, rewrite("f", "new\n"), rewrite("g", "G\n"))
    house.write("g", "other\n")
    for act in (lambda: house.tx.check(kept), lambda: house.commit(kept)):
        told = refused(house, act).details
        assert [told[key] for key in ("path", "expectedSha256", "actualSha256")] == ["g", sha("g\n"), sha("other\n")]
        assert told["patch"].endswith("-g\n+other\n")


# What others do.

OTHER = Actor("program", "another")


def observed(house, *changes, **options):
    return house.tx.observe(Observation(changes, OTHER, "git", "git did it", **options))


def test_what_others_have_done_is_told_as_it_is_handed_in(house):
    house.write("f", "one\n")
    before = house.tx.snapshot(["f", "g"])
    assert (before["f"].sha256, before["g"], house.tx.image(sha("one\n"))) == (sha("one\n"), ABSENT, b"one\n")
    house.write("f", "two\n")
    was = Observed("f", before["f"])
    entry = observed(house, was, detail={"why": "test"}, notes=["It walked."])
    assert (entry.actor, entry.cause, entry.title, entry.warnings) == (OTHER, "git", "git did it", ("It walked.",))
    assert house.tx.get(entry.transaction_id).planned.operations == ({"why": "test", "type": "git"},)
    assert observed(house, was, since=entry.number - 1) is None, "that entry told of it"
    again = observed(house, was)
    assert ([change.before for change in again.changes], again.warnings) == ([before["f"]], ())
    assert house.tx.get(again.transaction_id).planned.operations == ({"type": "git"},)
    assert observed(house) is None
    nothing = observed(house, always=True)
    error = refused(house, lambda: house.tx.plan_rollback(nothing.transaction_id))
    assert (error.code, "changed no file" in error.message) == (ErrorCode.TRANSACTION_STATE, True)


def test_contents_are_kept_for_a_while_as_far_as_there_is_room(house):
    house.settings = house.settings.model_copy(update={"history_quota_bytes": 1000})
    bodies = [letter * 100 for letter in "abc"]

    def kept() -> list[bool]:
        return [house.tx.image(sha(body)) is not None for body in bodies]

    for path, body in zip("fg", bodies, strict=False):
        house.write(path, body)
    house.tx.snapshot(["f"], evict=False)
    house.tx.snapshot(["g"], evict=False)
    assert kept() == [True, False, False]
    house.tx.snapshot(["g"])
    assert kept() == [False, True, False]
    house.tx.hold([bodies[2].encode()])
    assert kept() == [False, True, True]


def test_while_somebody_is_alone_others_commit_nothing(house):
    planned = house.plan({**CREATE, "path": "g"})
    thread = threading.Thread(target=lambda: house.commit(planned))
    with house.tx.alone():
        thread.start()
        thread.join(0.2)
        house.edit(CREATE)
        assert (thread.is_alive(), list(house.tree())) == (True, ["f"])
    thread.join(10)
    assert list(house.tree()) == ["f", "g"]
