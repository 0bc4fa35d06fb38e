"""editor_changes."""

from __future__ import annotations

from tests.conftest import AGENT

from workroom.tools.editor.changes import changed_rows
from workroom.tools.tool import Call


def test_the_newest_change_of_each_path_first(house, ask):
    house.write("old.txt", "1\n")
    ask("open", path="old.txt")
    ask("save", path="old.txt", content="2\n")
    ask("create", path="new.txt", content="x\n")
    ask("save", path="old.txt", content="3\n")
    ask("move", **{"from": "new.txt", "to": "moved.txt"})
    ask("delete", path="moved.txt")
    ask("create", path="folder", kind="folder")
    rows = ask("changes")["changes"]
    assert [(row["path"], row["kind"]) for row in rows] == [
        ("moved.txt", "deleted"), ("old.txt", "modified"), ("new.txt", "created"),
    ]  # fmt: skip
    saved = rows[1]
    assert "-2\n+3\n" in saved["patch"]
    assert (saved["added"], saved["removed"], saved["cause"], saved["truncated"]) == (1, 1, "edit", False)
    assert (saved["root"], saved["session_id"], saved["turn_id"]) == (str(house.folder), "session_1", None)
    assert (saved["actor"], saved["actor_kind"], saved["entry"]) == ("tester", "agent", 3)
    limited = ask("changes", limit=1)
    assert (len(limited["changes"]), limited["truncated"]) == (1, True)
    assert ask("changes", limit=3)["truncated"] is False


def test_one_entry_is_what_the_event_tells(house, ask):
    ask("create", path="a.txt", content="a line that is long enough\n" * 2_000)
    ask("move", **{"from": "a.txt", "to": "b.txt"})
    (row,) = ask("changes", entry=1)["changes"]
    assert (row["truncated"], len(row["patch"].encode())) == (True, 16 * 1024)
    (moved,) = ask("changes", entry=2)["changes"]
    assert (moved["path"], moved["kind"], moved["moved_from"]) == ("b.txt", "moved", "a.txt")
    assert changed_rows(Call(house.workspace, AGENT, "editor"), house.tx.entry(2)) == [moved]
    assert ask("changes", entry=9)["error"]["code"] == "NOT_FOUND"
