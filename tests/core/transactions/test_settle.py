"""A while after a commit: displaced files go, unless somebody wrote into them."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace

import pytest

from workroom.core.transactions import tables
from workroom.core.transactions.service import KEEP_DISPLACED_SECONDS
from workroom.core.transactions.steps import build_steps, step_to_json

_REWRITE = {"type": "rewrite", "path": "f", "content": "new"}


def displaced(house):
    return [house.folder / ".agentic/stage" / name for name in sorted(os.listdir(house.folder / ".agentic/stage"))]


def settle(house):
    house.time += KEEP_DISPLACED_SECONDS + 1
    house.tx.settle()
    with house.workspace.store.read() as db:
        return tables.intents(db, "committed")


def test_displaced_files_are_kept_a_while(house):
    house.write("f", "old")
    house.write("d/g", "1")
    house.edit(_REWRITE, {"type": "delete", "path": "d", "recursive": True})
    house.tx.settle()
    assert sorted(path.is_dir() for path in displaced(house)) == [False, False, True]
    assert settle(house) == []
    assert displaced(house) == []
    assert [entry.cause for entry in house.tx.history()] == ["edit"]


def test_a_late_write_is_kept_and_told(house):
    house.write("f", "old")
    with open(house.folder / "f", "rb"):  # who reads is no reason to wait
        edit = house.edit(_REWRITE)
    (slot,) = displaced(house)
    slot.write_bytes(b"old, and a late line")
    assert settle(house) == []
    late, _ = house.tx.history()
    assert (late.cause, late.title) == (
        "late_write",
        f"Written into a file after {edit.transaction_id} had replaced it; kept as a copy",
    )
    assert house.read(late.changes[0].path) == b"old, and a late line"
    assert house.read("f") == b"new"
    assert displaced(house) == []


def test_a_displaced_file_that_a_program_has_open_for_writing_is_kept_until_it_has_not(house):
    house.write("f", "old")
    edit = house.edit(_REWRITE)
    (slot,) = displaced(house)
    with open(slot, "a") as log:
        assert len(settle(house)) == 1
        assert not house.tx.settle()
        house.reopen()
        log.write(", and a late line")
    assert slot.exists()
    assert settle(house) == []
    assert house.tx.settle()
    late, _ = house.tx.history()
    assert (late.cause, edit.transaction_id in late.title) == ("late_write", True)
    assert house.read(late.changes[0].path) == b"old, and a late line"


def test_a_folder_into_which_something_was_put_late(house):
    (house.folder / "d").mkdir()
    house.edit({"type": "delete", "path": "d", "recursive": True})
    (slot,) = displaced(house)
    (slot / "late").write_text("theirs")
    settle(house)
    late, _ = house.tx.history()
    assert house.read(f"{late.changes[0].path}/late") == b"theirs"
    assert displaced(house) == []


def test_slots_that_somebody_cleaned_away(house):
    house.write("f", "old")
    house.write("g", "moves")
    house.edit(_REWRITE, {"type": "move", "from": "g", "to": "h"}, {"type": "create", "path": "n", "content": ""})
    for path in displaced(house):
        path.unlink()
    house.write("f2", "old")
    house.edit({**_REWRITE, "path": "f2"})
    shutil.rmtree(house.folder / ".agentic/stage")
    assert settle(house) == []
    assert {entry.cause for entry in house.tx.history()} == {"edit"}


def test_what_the_system_does_not_remove_is_no_late_write(house):
    """It is tried again, and keeps nobody from opening the folder."""
    planned = house.plan({"type": "create", "path": "f", "content": "x"})
    (step,) = build_steps(house.workspace.root, planned.change_set, planned.id, house.workspace.agentic.stage())
    unnamed = replace(step, action="replace", slot="x" * 300)  # a name that no file system looks for
    with house.workspace.store.write() as db:
        tables.put_intent(db, planned.id, {"steps": [step_to_json(unnamed)]}, 1.0, "committed")
    with pytest.raises(OSError, match="too long"):
        house.tx.settle()
    house.workspace.store.close()
    house.workspace.root.close()
    house.open()
    assert house.tx.history() == []
    with house.workspace.store.write() as db:
        tables.delete_intent(db, planned.id)
