"""After a failure: what was done is undone, and a disk that didn't confirm it is believed again when it is proven.

Syncs are made to fail by strace, in a process of its own that plays the acts it is told and says how each ended.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import House

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions import tables
from workroom.core.transactions.apply import perform
from workroom.core.transactions.steps import Folders, build_steps

PROJECT = Path(__file__).parents[3]


def play(house: House, act: str) -> str:
    """`+f` makes a file, `*f` nine at once, `!` makes one while another can't be replaced, `o` opens anew.

    Answers how it ended, and the tree.
    """
    try:
        if act == "o":
            house.reopen()
        elif act == "!":
            with open(house.write("held", "held"), "ab"):
                house.edit(made("f"), {"type": "rewrite", "path": "held", "content": "new"})
        elif act.startswith("*"):
            house.edit(*(made(f"{act[1:]}{number}") for number in range(9)))
        else:
            house.edit(made(act[1:]))
    except (WorkroomError, OSError) as error:
        return f"{error} {sorted(house.tree())}"
    return f"done {sorted(house.tree())}"


def made(path: str) -> dict[str, str]:
    return {"type": "create", "path": path, "content": "x"}


def main(folder: str, store: str, *acts: str) -> None:
    house = House(Path(folder), Path(store))
    house.open()
    for act in acts:
        print(play(house, act), flush=True)  # noqa: T201 - what the test reads
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


if __name__ == "__main__":
    main(*sys.argv[1:])


def test_a_way_back_that_fails_is_not_told_as_nothing(house):
    """Who is told that nothing was changed believes the files."""
    house.write("f", "old")
    planned = house.plan({"type": "delete", "path": "f"})
    steps = build_steps(house.workspace.root, planned.change_set, planned.id, house.workspace.agentic.stage())
    with Folders(house.workspace.root) as folders:
        perform(folders, steps, done := [])
        house.workspace.root.close()
        with Folders(house.workspace.root) as gone, pytest.raises(WorkroomError) as caught:
            house.tx._wayback.take_back(gone, planned, steps, done, OSError("the first fault"))
    assert "half changed" in caught.value.message
    assert "the first fault" in caught.value.message
    assert caught.value.code is ErrorCode.IO_ERROR
    house.workspace.store.close()
    house.workspace = None
