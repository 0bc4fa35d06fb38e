"""Opening after a crash: what was prepared is taken back, what others did meanwhile is kept and told."""

from __future__ import annotations

import os
import shutil
from functools import partial

import pytest
from tests.conftest import AGENT
from tests.core.transactions.conftest import Half

from workroom.core.transactions import tables
from workroom.core.transactions.contents import pieces_of
from workroom.core.transactions.model import Derivation
from workroom.core.transactions.recover import recover
from workroom.core.transactions.stage import stage_all
from workroom.core.transactions.steps import Folders, build_steps, step_to_json

_REWRITE = {"type": "rewrite", "path": "f", "content": "new"}
_DELETE = {"type": "delete", "path": "f"}


def told(house):
    """What the audit log tells of commits that were taken back."""
    return [line["what"] for line in house.workspace.audit.lines() if line["kind"] == "taken_back"]


@pytest.mark.parametrize("count", [0, 1, None])
def test_a_prepared_commit_is_taken_back(house, half, count):
    house.write("f", "old")
    house.write("g", "moves")
    before = house.tree()
    made = half(_REWRITE, {"type": "move", "from": "g", "to": "d/g"}).do(count)
    house.reopen()
    assert house.tree() == before
    assert made.staged() == []
    found = house.tx.get(made.planned.id)
    assert (found.status, found.note) == ("planned", "Its commit was interrupted and taken back.")
    assert house.tx.history() == []
    assert told(house) == [{"transaction": made.planned.id, "interrupted": True, "note": found.note,
                            "copies": [], "restored": [], "foreign": []}]  # fmt: skip
    house.reopen()
    assert len(told(house)) == 1
    house.commit(found.planned)
    assert house.tree() == {"f": (b"new", 0o644), "d": None, "d/g": (b"moves", 0o644)}


def test_an_edit_after_the_crash_is_kept_and_told(house, half):
    house.write("f", "old")
    made = half(_REWRITE).do()
    house.write("f", "edited by a person")
    house.reopen()
    assert house.read("f") == b"edited by a person"
    (entry,) = house.tx.history()
    assert (entry.cause, entry.actor.kind) == ("recovery", "program")
    assert f"{made.planned.id}: " in entry.title
    assert entry.title == (
        f"{made.planned.id}: Its commit was interrupted and taken back. "
        "Changed by somebody else meanwhile, and left: f."
    )
    assert told(house)[0]["foreign"] == ["f"]
    house.undo(entry.transaction_id)
    assert house.read("f") == b"old"


def test_a_deleted_file_is_put_back_and_told(house, half):
    house.write("f", "old")
    made = half(_DELETE)
    (house.folder / "f").unlink()
    house.reopen()
    assert house.read("f") == b"old"
    (entry,) = house.tx.history()
    assert entry.title == (
        f"{made.planned.id}: Its commit was interrupted and taken back. Gone from the disk, and put back: f."
    )
    assert told(house)[0]["restored"] == ["f"]
    house.undo(entry.transaction_id)
    assert house.tree() == {}


def test_git_clean_between_the_crash_and_the_opening(house, half):
    house.write("f", "old")
    house.write("empty", "")
    before = house.tree()
    half(_DELETE, {"type": "delete", "path": "empty"}).do()
    shutil.rmtree(house.folder / ".agentic")
    house.reopen()
    assert house.tree() == before


def test_a_copy_that_is_made_at_the_opening_is_told(house, half):
    house.write("f", "old")
    made = half(_REWRITE)
    made.slot("f").write_bytes(b"nobody knows these")
    house.reopen()
    (entry,) = house.tx.history()
    (copy,) = [change.path for change in entry.changes]
    assert house.tree() == {"f": (b"old", 0o644), copy: (b"nobody knows these", 0o644)}
    assert told(house)[0]["copies"] == [copy]
    assert made.planned.id[-6:] in copy


def test_copies_of_one_name_in_several_folders_are_all_told(house, half):
    """Also those that an earlier opening made, which was killed before it told of them."""
    for folder in ("d", "e"):
        house.write(f"{folder}/f", "old")
    made = half(*({"type": "rewrite", "path": f"{folder}/f", "content": "new"} for folder in ("d", "e")))
    for folder in ("d", "e"):
        made.slot(f"{folder}/f").write_bytes(b"nobody knows these")
    copies = made.undo().copies
    house.reopen()
    (entry,) = house.tx.history()
    assert sorted(change.path for change in entry.changes) == sorted(copies)


def test_copies_are_told_even_when_an_earlier_recovery_was_killed_after_it_made_them(house, half):
    house.write("f", "old")
    made = half(_REWRITE)
    made.slot("f").write_bytes(b"nobody knows these")
    (copy,) = made.undo().copies
    house.reopen()
    (entry,) = house.tx.history()
    assert [change.path for change in entry.changes] == [copy]
    assert house.tree() == {"f": (b"old", 0o644), copy: (b"nobody knows these", 0o644)}


def test_a_folder_that_is_a_link_by_now(house, half, tmp_path):
    house.write("d/f", "old")
    half({"type": "rewrite", "path": "d/f", "content": "new"}).do()
    (house.folder / "d").rename(tmp_path / "d")
    (house.folder / "d").symlink_to(tmp_path / "d")
    house.reopen()
    (entry,) = house.tx.history()
    assert "left: d/f." in entry.title
    assert (tmp_path / "d/f").read_text() == "new"


def test_what_was_staged_and_not_prepared_is_swept(house):
    stage = house.folder / ".agentic/stage"
    mine = [
        stage / "tx_000000000009-1",
        stage / "tx_000000000009-2.part",
        stage / ".workroom-stage-0123456789abcdef",
    ]
    others = [
        stage / "tx_9-1.kept",
        house.folder / ".workroom-stage-tx_000000000009-3",
        house.folder / ".workroom-stage-0123456789abcdef",
        house.folder / "tx_000000000009-1",
        house.folder / ".agentic/.workroom-stage-0123456789abcdef",
    ]
    for path in [*mine, *others]:
        path.write_text("x")
    (stage / "tx_000000000009-4").mkdir()
    (stage / "tx_000000000009-5").mkdir()
    (stage / "tx_000000000009-5/something").write_text("x")
    house.reopen()
    assert [path for path in mine if path.exists()] == []
    assert [path for path in others if not path.exists()] == []
    assert sorted(os.listdir(stage)) == ["tx_000000000009-5", "tx_9-1.kept"]


def test_what_a_commit_displaced_waits_until_it_is_settled(house):
    house.write("f", "old")
    house.edit(_REWRITE)
    workspace = house.workspace
    assert recover(workspace.root, workspace.store, workspace.agentic, house.clock()) == ()
    assert len(os.listdir(house.folder / ".agentic/stage")) == 1
    with workspace.store.read() as db:
        assert len(tables.intents(db, "committed")) == 1


def test_what_was_staged_on_another_mount_and_not_prepared_is_removed(house, mount):
    mount("m")
    planned = house.plan({"type": "create", "path": "m/f", "content": "1"}, {"type": "mkdir", "path": "m/d"})
    workspace = house.workspace
    steps = build_steps(workspace.root, planned.change_set, planned.id, workspace.agentic.stage())
    with workspace.store.write() as db:
        tables.put_intent(db, planned.id, {"steps": [step_to_json(step) for step in steps]}, 0.0, "staging")
    with Folders(workspace.root) as folders:
        stage_all(workspace.root, folders, steps, partial(pieces_of, planned.contents))
    assert len(os.listdir(house.folder / "m")) == 2
    house.reopen()
    assert house.tree() == {"m": None}
    with house.workspace.store.read() as db:
        assert tables.intents(db, "staging") == []


@pytest.mark.parametrize("count", [0, 1, None])
def test_a_part_goes_back_to_what_it_was_taken_from(house, count):
    """A crash between `prepared` and `committed` of a part: the plan is whole again, and can be taken apart again."""
    house.write("f", "old\n")
    before = house.tree()
    whole = house.tx.keep(house.plan({**_REWRITE, "content": "new\n"}, {"type": "mkdir", "path": "d"}), AGENT)
    planned = house.tx.get(whole.id).planned
    part = house.tx.part(planned, house.tx.select(planned, ["f"], []))
    made = Half(house, part)
    with house.workspace.store.write() as db:
        tables.derive(db, part.id, Derivation("part", whole.id))
    made.do(count)
    house.reopen()
    assert house.tree() == before
    assert (house.tx.get(part.id).status, house.tx.get(whole.id).planned) == ("failed", planned)
    again = house.tx.part(planned, house.tx.select(planned, ["f"], []))
    house.commit(again)
    assert house.read("f") == b"new\n"
    house.commit(house.tx.get(whole.id).planned)
    assert house.tree().keys() == {"f", "d"}
