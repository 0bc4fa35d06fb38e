"""Plan, commit, undo, recover: the whole through the service."""

from __future__ import annotations

import contextlib
import itertools
import os
import resource
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import TypeAdapter
from tests.conftest import AGENT, House
from tests.moments import just_before

from workroom.base.changes import Permit
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.pulse import Pulse
from workroom.core.transactions import Operation
from workroom.core.transactions.views import drop_views

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


def test_what_is_not_there_is_not_found(house):
    assert refused(house, lambda: house.tx.get("tx_no")).code is ErrorCode.NOT_FOUND
    assert refused(house, lambda: house.tx.entry(1)).code is ErrorCode.NOT_FOUND
    assert refused(house, lambda: house.tx.plan_rollback("tx_no")).code is ErrorCode.NOT_FOUND
    assert house.tx.entry_of("tx_no") is None
    assert house.tx.newest_undoable() is None


def test_transactions_and_entries_are_listed_newest_first(house):
    entries = [house.edit({"type": "create", "path": name, "content": ""}) for name in "abc"]
    kept = house.tx.keep(house.plan(CREATE), AGENT)
    found, total = house.tx.find(limit=2)
    assert ([each.id for each in found], total) == ([kept.id, entries[2].transaction_id], 4)
    after = (found[-1].created_at, found[-1].id)
    assert [each.id for each in house.tx.find(limit=1, after=after)[0]] == [entries[1].transaction_id]
    assert [each.id for each in house.tx.find(status="planned")[0]] == [kept.id]
    assert [entry.number for entry in house.tx.history(2)] == [3, 2]
    assert [entry.number for entry in house.tx.history(2, 2)] == [1]
    assert house.tx.newest_undoable() == entries[2]
    house.undo(entries[2].transaction_id)
    assert house.tx.newest_undoable() == entries[1]


def test_an_entry_tells_who_why_and_by_whose_yes(house):
    planned = house.plan(CREATE)
    entry = house.commit(planned, approval_id="approval_1", decided_by="me")
    assert (entry.actor, entry.approval_id, entry.decided_by) == (AGENT, "approval_1", "me")
    assert house.edit({**CREATE, "path": "g"}).decided_by == "test"


def test_listeners_hear_of_a_commit_once_it_is_there(house):
    heard = []
    house.workspace.store.subscribe(lambda number, event: heard.append((event, house.read("f"))))
    entry = house.edit(CREATE)
    ((event, body),) = heard
    assert (event.entry, event.transaction_id, event.paths, event.total, body) == (
        entry.number, entry.transaction_id, ("f",), 1, b"new\n",
    )  # fmt: skip


# The gate.


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
    assert error.code is ErrorCode.TRANSACTION_STATE


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
    assert refused(house, lambda: house.commit(kept)).code is ErrorCode.TRANSACTION_STATE


def test_only_what_is_in_force_is_rolled_back(house):
    kept = house.tx.keep(house.plan(CREATE), AGENT)
    error = refused(house, lambda: house.tx.plan_rollback(kept.id))
    assert (error.code, "never applied" in error.message) == (ErrorCode.TRANSACTION_STATE, True)
    entry = house.commit(kept)
    house.undo(entry.transaction_id)
    error = refused(house, lambda: house.tx.plan_rollback(entry.transaction_id))
    assert (error.code, "is rolled back" in error.message) == (ErrorCode.TRANSACTION_STATE, True)


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


def test_what_was_replaced_is_kept_for_a_minute(house):
    house.write("f", "old\n")
    house.edit({"type": "rewrite", "path": "f", "content": "new\n"})
    stage = house.folder / ".agentic/stage"
    house.time += 30
    house.tx.settle()
    assert len(os.listdir(stage)) == 1
    house.time += 31
    house.tx.settle()
    assert os.listdir(stage) == []


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
    assert (caught.value.code, "decided when" in caught.value.message) == (ErrorCode.IO_ERROR, True)
    with pytest.raises(WorkroomError, match="No commit is taken"):
        house.commit(house.plan({**CREATE, "path": "h"}))
    house.workspace.store.close()
    house.workspace.root.close()
    house.open()
    assert house.tree() == before
    assert house.tx.history() == []
    house.commit(house.tx.get(planned.id).planned)


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


def test_a_full_disk_below_the_folder_leaves_no_word_behind(small_disk, house, tmp_path):
    """What was to be staged beside its target, on another mount, was written down; that goes as well."""
    mount = house.folder / "other"
    mount.mkdir()
    subprocess.run(["mount", "--bind", str(small_disk), str(mount)], check=True)
    try:
        planned = house.plan({"type": "create", "path": "other/f", "content": "x" * 5_000_000})
        assert refused(house, lambda: house.commit(planned)).code is ErrorCode.IO_ERROR
        with house.workspace.store.read() as db:
            assert db.execute("SELECT COUNT(*) FROM intents").get == 0
    finally:
        subprocess.run(["umount", "-l", str(mount)], check=True)


def test_views_that_cant_be_removed_stay(house):
    kept = house.tx.keep(house.plan(CREATE), AGENT)
    folder = house.folder / ".agentic"
    folder.mkdir(exist_ok=True)
    (folder / "transactions").write_text("a file where a folder belongs")
    with pytest.raises(WorkroomError):
        house.workspace.agentic.write(f"transactions/{kept.id}/x", b"", "x")
    drop_views(house.workspace.agentic, ["../x", kept.id])
