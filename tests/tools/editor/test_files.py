"""editor_create, editor_move, editor_delete."""

from __future__ import annotations

import pytest
from tests.conftest import AGENT
from tests.tools.editor.conftest import ANN, OTHER

from workroom.base.settings import Settings
from workroom.person import calls, decisions


def test_create_makes_parents_and_never_takes_a_place(house, ask):
    made = ask("create", path="a/b/c.txt", content="x\n")
    assert (made["path"], made["created"], made["kind"]) == ("a/b/c.txt", True, "file")
    assert house.read("a/b/c.txt") == b"x\n"
    assert ask("create", path="empty")["created"]
    assert house.read("empty") == b""
    for kind in ("file", "folder"):
        error = ask("create", path="empty", kind=kind, content="y")["error"]
        assert (error["code"], error["details"]) == ("EDIT_CONFLICT", {"path": "empty"})
    assert house.read("empty") == b""


def test_create_a_folder(house, ask):
    assert ask("create", path="d/e", kind="folder", content="not looked at")["kind"] == "folder"
    assert (house.folder / "d/e").is_dir()
    assert ask("create", path="d/e", kind="folder")["error"]["code"] == "EDIT_CONFLICT"
    house.undo(house.tx.history()[0].transaction_id)
    assert "d/e" not in house.tree()


def test_move_renames_in_every_view_and_its_language(house, ask):
    house.write("src/a.py", "x\n", mode=0o755)
    house.write("src/deep/b.txt", "y\n")
    for who in (AGENT, OTHER):
        ask("open", path="src/a.py", who=who)
    ask("open", path="src/deep/b.txt")
    house.workspace.buffers.unfold(AGENT, ["src", "src/deep"], [])
    moved = ask("move", **{"from": "src", "to": "lib/new"})
    assert (moved["from"], moved["to"], moved["remapped"], moved["root"]) == ("src", "lib/new", 5, str(house.folder))
    assert [(row["path"], row["mine"]) for row in moved["buffers"]] == [
        ("lib/new/a.py", True), ("lib/new/deep/b.txt", True), ("lib/new/a.py", False),
    ]  # fmt: skip
    assert (house.folder / "lib/new/a.py").stat().st_mode & 0o777 == 0o755
    assert house.workspace.buffers.unfolded() == ("lib/new", "lib/new/deep")
    renamed = ask("move", **{"from": "lib/new/a.py", "to": "lib/new/a.ts"})
    assert {row["language"] for row in renamed["buffers"]} == {"typescript", "plaintext"}
    assert ask("save", path="lib/new/a.ts", content="z\n")["saved"]
    assert not (house.folder / "src").exists()


def test_what_is_made_moved_and_saved_is_undone_one_by_one(house, ask):
    house.write("src/a.py", "x\n", mode=0o755)
    before = house.tree()
    made = ask("create", path="new/deep/b.txt", content="b\n")["transaction_id"]
    moved = ask("move", **{"from": "src", "to": "lib/src"})["transaction_id"]
    ask("open", path="lib/src/a.py")
    saved = ask("save", path="lib/src/a.py", content="y\n")["transaction_id"]
    assert [entry.transaction_id for entry in house.tx.history()] == [saved, moved, made]
    for transaction_id in (saved, moved, made):
        house.undo(transaction_id)
    after = house.tree()
    folders = {"lib", "new", "new/deep"}  # made on the way: they stay
    assert {path: after[path] for path in after if path not in folders} == before


def test_move_takes_no_place_that_is_taken(house, ask):
    house.write("a", "a")
    house.write("b", "b")
    assert ask("move", **{"from": "a", "to": "b"})["error"]["code"] == "EDIT_CONFLICT"
    assert ask("move", **{"from": "gone", "to": "c"})["error"]["code"] == "NOT_FOUND"
    assert (house.read("a"), house.read("b")) == (b"a", b"b")


def test_delete_closes_what_was_open_and_can_be_undone(house, ask):
    house.write("d/a.txt", "x\n", mode=0o600)
    house.write("b.txt", "y\n")
    ask("open", path="d/a.txt")
    ask("open", path="d/a.txt", who=OTHER)
    ask("open", path="b.txt")
    before = house.tree()
    assert ask("delete", path="d")["error"]["code"] == "EDIT_CONFLICT"
    gone = ask("delete", path="d", recursive=True)
    assert (gone["deleted"], gone["buffers_closed"]) == (True, ["d/a.txt"])
    assert [row["path"] for row in gone["buffers"]] == ["b.txt"]
    assert "d" not in house.tree()
    house.undo(gone["transaction_id"])
    assert house.tree() == before
    assert ask("delete", path="nothing")["error"]["code"] == "NOT_FOUND"


def test_delete_of_a_link_leaves_what_it_leads_to(house, ask):
    house.write("a", "x")
    (house.folder / "link").symlink_to("a")
    ask("delete", path="link")
    assert house.tree() == {"a": (b"x", 0o644)}


WAITING = [
    ("create", {"path": "n.txt", "content": "n\n"}, {"created": False, "kind": "file"}),
    ("move", {"from": "a.txt", "to": "b.txt"}, {"remapped": 0}),
    ("delete", {"path": "a.txt"}, {"deleted": False, "buffers_closed": []}),
]


@pytest.mark.parametrize(("tool", "raw", "fields"), WAITING)
@pytest.mark.parametrize("by", ["the same call", "its resume"])
def test_what_waits_for_the_person_says_so_and_is_collected(gated, ask, tool, raw, fields, by):
    gated.settings = Settings(mode="manual")
    gated.write("a.txt", "x\n")
    ask("open", path="a.txt")
    before = gated.tree()
    waits = ask(tool, **raw)
    assert waits["status"] == "pending_approval"
    assert fields.items() <= waits.items()
    assert gated.tree() == before
    resume = waits["approval"]["resume"]["arguments"]
    assert ask(tool, **resume)["status"] == "pending_approval"
    again = raw if by == "the same call" else resume
    decisions.accept(ANN, gated.workspace)
    assert gated.tree() != before
    done = ask(tool, **again)
    assert "status" not in done
    assert "error" not in done
    assert done["transaction_id"] == waits["transaction_id"]
    if tool == "move":
        assert (done["remapped"], [row["path"] for row in done["buffers"]]) == (1, ["b.txt"])
    if tool == "delete":
        assert (done["deleted"], done["buffers_closed"], done["buffers"]) == (True, ["a.txt"], [])


@pytest.mark.parametrize(("tool", "raw", "fields"), WAITING)
def test_what_fails_when_it_is_accepted_is_told(gated, ask, tool, raw, fields):
    gated.settings = Settings(mode="manual")
    gated.write("a.txt", "x\n")
    ask(tool, **raw)
    gated.write("a.txt", "theirs\n")
    gated.write("n.txt", "theirs\n")
    assert not decisions.accept(ANN, gated.workspace).envelope.ok
    assert ask(tool, **raw)["error"]["code"] == "EDIT_CONFLICT"
    assert gated.read("a.txt") == b"theirs\n"


def test_another_operations_plan_is_refused(gated, ask):
    gated.write("a.txt", "x\n")
    waits = ask("delete", path="a.txt")
    error = ask("move", **{"from": "a.txt", "to": "b.txt", "transaction_id": waits["transaction_id"]})["error"]
    assert "is no move" in error["message"]


def test_a_new_file_runs_at_once_in_auto_mode_and_what_can_run_code_waits(gated, ask):
    assert ask("create", path="a.txt")["created"]
    waits = ask("create", path=".envrc", content="x")
    assert (waits["status"], waits["created"]) == ("pending_approval", False)
    assert waits["approval"]["asks"]


def test_the_person_does_all_three_at_once(gated):
    def do(tool, **raw):
        return calls.call(ANN, gated.workspace, f"editor_{tool}", raw, session="tab").shown()

    assert do("create", path="a.txt", content="x\n")["created"]
    assert do("move", **{"from": "a.txt", "to": "b.txt"})["to"] == "b.txt"
    assert do("delete", path="b.txt")["deleted"]
    assert gated.tree() == {}
    assert [entry.actor.name for entry in gated.tx.history()] == ["ann", "ann", "ann"]


def test_views_that_cannot_be_written_keep_nobody_from_changing(gated, ask):
    gated.write(".agentic/transactions", "a file where the folder goes")
    assert ask("create", path="a.txt", content="x\n")["created"]
    gated.write("b.txt", "x\n")
    assert ask("delete", path="b.txt")["status"] == "pending_approval"
