"""After a failure: what was done is undone, and a disk that didn't confirm it is believed again when it is proven.

Syncs are made to fail by strace, in a process of its own that plays the acts it is told and says how each ended.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import House
from tests.core.transactions.conftest import Half

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions import tables
from workroom.core.transactions.apply import perform
from workroom.core.transactions.steps import Folders, build_steps

PROJECT = Path(__file__).parents[3]


def play(house: House, act: str) -> str:
    """`+f` makes a file, `*f` nine at once, `!` makes one while another can't be replaced, `o` opens anew.

    `~f` makes one and crashes before its commit; `>f` makes one while a file moves; `?` tells the intents'
    phases. Answers how it ended, and the tree.
    """
    try:
        if act == "o":
            house.reopen()
        elif act == "!":
            with open(house.write("held", "held"), "ab"):
                house.edit(made("f"), {"type": "rewrite", "path": "held", "content": "new"})
        elif act.startswith("~"):
            Half(house, house.plan(made(act[1:]))).do()
        elif act.startswith(">"):
            house.write("from", "moves")
            house.edit(made(act[1:]), {"type": "move", "from": "from", "to": "to"})
        elif act.startswith("*"):
            house.edit(*(made(f"{act[1:]}{number}") for number in range(9)))
        else:
            house.edit(made(act[1:]))
    except (WorkroomError, OSError) as error:
        return f"{error} {sorted(house.tree())}"
    return f"done {sorted(house.tree())}"


def made(path: str) -> dict[str, str]:
    return {"type": "create", "path": path, "content": "x"}


def phases(store: str) -> str:
    """Of the intents, as the database has them, whether or not it could be opened as a workspace."""
    (path,) = Path(store).rglob("workspace.db")
    with contextlib.closing(sqlite3.connect(path)) as db:
        return str(sorted(phase for (phase, at) in db.execute("SELECT phase, at FROM intents") if at is not None))


def main(folder: str, store: str, *acts: str) -> None:
    house = House(Path(folder), Path(store))
    house.open()
    for act in acts:
        print(phases(store) if act == "?" else play(house, act), flush=True)  # noqa: T201 - what the test reads
    with house.workspace.store.read() as db:
        print([tables.intents(db, phase) for phase in ("doubted", "prepared")])  # noqa: T201
    house.close()


@pytest.fixture
def failing(tmp_path):
    """Plays acts while the syncs of one path fail, counted from 1 (`1..2`, `1..4+3` for the first and the fourth).

    `also` is another path whose syncs count with those.
    """

    def run(path: str, when: str, *acts: str, also: str | None = None) -> list[str]:
        strace = ["strace", "-f", "-qq", "-o", os.devnull, "-e", "trace=fsync"]
        for each in (path, also or path):
            strace += ["-P", str(tmp_path / "ws" / each)]
        strace += ["-e", f"inject=fsync:error=EIO:when={when}"]
        if (
            shutil.which("strace") is None
            or subprocess.run([*strace, "true"], capture_output=True, check=False).returncode
        ):
            pytest.skip("strace can't trace here")
        (tmp_path / "ws").mkdir()
        command = [*strace, sys.executable, __file__, str(tmp_path / "ws"), str(tmp_path / "state"), *acts]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(["src", "."])}
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=PROJECT, env=environment)
        *ended, intents = done.stdout.splitlines()
        assert intents == "[[], []]"
        return ended

    return run


def test_a_disk_that_does_not_confirm_is_not_asked_again(failing):
    """Two syncs of the folder fail: the commit's, and the one that should prove that all is well again."""
    first, second, third = failing("", "1..2", "+f", "+g", "+h")
    assert first.startswith("The disk did not confirm the change; it was taken back: Input/output error.")
    assert first.endswith(" []")
    assert second.startswith("No commit is taken: the disk did not confirm tx_000000000001 (Input/output error), and")
    assert second.endswith(" []")
    assert third == "done ['h']"


def test_new_files_that_the_disk_does_not_confirm(failing):
    first, second = failing(".agentic/stage/tx_000000000001-1", "1", "+f", "+g")
    assert first.startswith("The new files can't be written: Input/output error.")
    assert second == "done ['g']"


def test_the_folder_of_new_files_that_the_disk_does_not_confirm_is_doubted_until_it_is_proven(failing):
    stage = ".agentic/stage"
    first, second, third = failing(f"{stage}/tx_000000000001-1", "1..2", "+f", "+g", "+h", also=stage)
    assert first.startswith("The new files can't be written: Input/output error.")
    assert second.startswith("No commit is taken: the disk did not confirm new files (Input/output error), and")
    assert third == "done ['h']"


def test_one_of_many_new_files_that_the_disk_does_not_confirm(failing):
    first, second = failing(".agentic/stage/tx_000000000001-5", "1", "*f", "+g")
    assert first.startswith("The new files can't be written: Input/output error.")
    assert second == "done ['g']"


def test_a_way_back_that_the_disk_does_not_confirm(failing):
    first, second = failing("", "1", "!", "+g")
    assert first.startswith("held: another program has it open for writing. Nothing was changed.")
    assert second == "done ['g', 'held']"


def test_an_opening_does_not_believe_the_disk_either(failing):
    """The second opening proves it, and then can't sync what it took back; the third begins again."""
    ended = failing("", "1..4+3", "+f", "o", "o", "+g")
    assert [each.partition(" [")[2] for each in ended] == ["]", "]", "]", "'g']"]
    assert [each.startswith("done") for each in ended] == [False, False, True, True]


def test_an_opening_that_cant_sync_what_it_took_back_doubts_the_disk(failing):
    made, opened, doubted, again, last = failing("", "1", "~f", "o", "?", "o", "+g")
    assert made == "done ['f']"
    assert "Input/output error" in opened
    assert doubted == "['doubted']"
    assert again == "done []"
    assert last == "done ['g']"


def test_only_folders_of_new_files_are_doubted_and_not_those_of_moved_ones(failing):
    """The second fault is of the root: nothing was to be proven there before the commit."""
    staged = ".agentic/stage/tx_000000000001-1"
    first, second, third = failing(staged, "1..2", ">f", "+g", "+h", also=".")
    assert first.startswith("The new files can't be written: Input/output error.")
    assert second.startswith("The disk did not confirm the change; it was taken back: Input/output error.")
    assert third == "done ['from', 'h']"


if __name__ == "__main__":
    main(*sys.argv[1:])


@pytest.fixture
def deleted(house):
    """Takes back a deletion whose steps were carried out; the folder closed, or the store shut, where that is said."""
    house.write("f", "old")
    planned = house.plan({"type": "delete", "path": "f"})
    root = house.workspace.root
    steps = build_steps(root, planned.change_set, planned.id, house.workspace.agentic.stage())

    def take_back(error, *, closed=False, shut=False, between=lambda: None):
        with Folders(root) as folders:
            perform(folders, steps, done := [])
        between()
        if closed:
            root.close()
        if shut:
            house.workspace.store.close()
        with Folders(root) as folders:
            house.tx._wayback.take_back(folders, planned, steps, done, error)

    take_back.planned = planned
    yield take_back
    house.workspace.store.close()
    house.workspace = None


def refused(house):
    """What the next commit is told."""
    with pytest.raises(WorkroomError) as caught:
        house.tx._wayback.ready()
    assert caught.value.code is ErrorCode.IO_ERROR
    return caught.value.message


def test_a_way_back_that_fails_is_not_told_as_nothing(house, deleted, caplog):
    """Who is told that nothing was changed believes the files."""
    with pytest.raises(WorkroomError) as caught:
        deleted(OSError("the first fault"), closed=True)
    assert "half changed" in caught.value.message
    assert f"{deleted.planned.id} failed (the first fault), and so did taking it back (" in caught.value.message
    assert "closed" in caught.value.message
    assert caught.value.code is ErrorCode.IO_ERROR
    (record,) = caplog.records
    assert record.getMessage().startswith(f"taking back {deleted.planned.id} failed (")
    assert record.exc_info[1] is caught.value.__cause__


def test_after_a_way_back_that_failed_what_an_opening_does_is_done_before_the_next_commit(house, deleted):
    tried = []
    house.tx._wayback._recover = lambda: tried.append("recovered")
    with pytest.raises(WorkroomError):
        deleted(OSError("the first fault"), closed=True)
    house.tx._wayback.ready()
    house.tx._wayback.ready()
    assert tried == ["recovered"]


def test_an_opening_that_would_fail_lets_no_commit_through(house, deleted):
    with pytest.raises(WorkroomError):
        deleted(OSError("the first fault"), closed=True, shut=True)
    assert refused(house).startswith(f"No commit is taken: taking back {deleted.planned.id} failed (")


def test_a_history_that_cant_be_written_doesnt_hide_that_all_stands_as_before(house, deleted):
    deleted(OSError("the first fault"), shut=True)
    assert house.read("f") == b"old"
    message = refused(house)
    assert f"taking back {deleted.planned.id} failed (" in message
    assert "(None)" not in message


def test_only_a_copy_that_was_kept_is_told(house, deleted):
    error = WorkroomError(ErrorCode.EDIT_CONFLICT, "The first fault.")
    deleted(error)
    assert (error.message, error.details) == ("The first fault.", {})


def test_a_copy_that_was_kept_is_told_behind_the_fault(house, deleted):
    error = WorkroomError(ErrorCode.EDIT_CONFLICT, "The first fault.")
    deleted(error, between=lambda: house.write("f", "theirs"))
    (copy,) = error.details["kept"]
    assert error.message == f"The first fault. What another program wrote meanwhile is kept in {copy}."
