"""The row that lists show of a transaction."""

from __future__ import annotations

from workroom.base.actor import Actor
from workroom.tools.transaction_rows import transaction_row


def test_true_counts_and_at_most_twenty_names(house):
    operations = [{"type": "create", "path": f"d/f{n:02}", "content": ""} for n in range(30)]
    folders = [{"type": "mkdir", "path": f"e{n:02}"} for n in range(25)]
    entry = house.edit(*operations, *folders)
    row = transaction_row(house.tx.get(entry.transaction_id))
    assert (row["fileCount"], len(row["files"]), row["filesTruncated"]) == (30, 20, True)
    assert (row["directoryCount"], len(row["directories"]), row["directoriesTruncated"]) == (26, 20, True)
    assert (row["entry"], row["status"]) == (1, "applied")
    assert row["appliedAt"].endswith("Z")


def test_a_transaction_of_folders_alone_changes_something(house):
    kept = house.tx.keep(house.plan({"type": "mkdir", "path": "d"}), Actor("agent", "tester"))
    row = transaction_row(house.tx.get(kept.id))
    assert (row["fileCount"], row["directoryCount"], row["directories"]) == (0, 1, ["d"])
    assert "appliedAt" not in row
    assert "entry" not in row
