"""Plan, commit, undo, recover: the whole through the service."""

from __future__ import annotations


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
