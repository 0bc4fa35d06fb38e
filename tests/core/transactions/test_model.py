"""Nouns of a transaction: rows of answers, sums, what is stored and read back."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from workroom.base.actor import Actor
from workroom.base.changes import ABSENT, UNKNOWN, Change, ChangeSet, Kind, State
from workroom.core.transactions.model import (
    Derivation,
    Entry,
    Planned,
    Transaction,
    change_from_json,
    change_to_json,
    file_row,
)

OLD, NEW = State(Kind.FILE, "a" * 64, 3, 0o644), State(Kind.FILE, "b" * 64, 4, None)
FOLDER, LINK = State(Kind.DIRECTORY, mode=0o755), State(Kind.SYMLINK, "c" * 64, 1)
CHANGES = (
    Change("f", OLD, NEW, None, "g", "indent", 2, 1),
    Change("n", ABSENT, NEW, added=None, removed=None),
    Change("o", OLD, ABSENT),
    Change("m", ABSENT, OLD, origin="o"),
    Change("d", ABSENT, FOLDER),
    Change("l", LINK, ABSENT),
)


def test_what_is_done_to_a_path_has_a_word():
    words = [(row["path"], row["change"], row.get("from")) for row in map(file_row, CHANGES)]
    assert words == [
        ("f", "modify", None), ("n", "create", None), ("o", "delete", None), ("m", "move", "o"), ("d", "mkdir", None),
        ("l", "delete", None),
    ]  # fmt: skip


def test_a_row_carries_hashes_counts_and_the_rung():
    assert file_row(CHANGES[0]) == {
        "path": "f", "change": "modify", "beforeSha256": "a" * 64, "afterSha256": "b" * 64, "added": 2, "removed": 1,
        "matched": "indent",
    }  # fmt: skip
    assert (file_row(CHANGES[4])["beforeSha256"], file_row(CHANGES[4])["afterSha256"]) == (None, None)


def test_a_row_says_when_a_change_was_merged_or_what_was_before_is_not_known_and_is_silent_otherwise():
    merged = replace(CHANGES[0], merged=True)
    assert file_row(merged) == file_row(CHANGES[0]) | {"merged": True}
    unknown = replace(CHANGES[0], before=UNKNOWN)
    assert file_row(unknown) == file_row(CHANGES[0]) | {"beforeSha256": None, "before": "unknown"}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.path)
def test_a_stored_change_is_read_back_as_it_was(change):
    assert change_from_json(json.loads(json.dumps(change_to_json(change)))) == change


def test_an_entry_sums_lines_where_there_are_lines():
    entry = Entry(1, "tx_1", 0.0, Actor("agent", "a"), "edit", "t", CHANGES)
    assert (entry.added, entry.removed) == (2, 1)


def test_a_transaction_goes_by_its_plans_id():
    planned = Planned("tx_1", "edit", "t", (), ChangeSet(CHANGES), "f")
    assert Transaction(planned, "planned", Actor("agent", "a"), 0.0).id == "tx_1"


def test_what_is_not_said_of_a_plan_a_transaction_or_an_entry_is_not_so():
    agent = Actor("agent", "a")
    planned = Planned("tx_1", "edit", "t", (), ChangeSet(()), "f")
    assert planned == Planned(
        "tx_1", "edit", "t", (), ChangeSet(()), "f", contents={}, directories=(), dangers=(), asks=(), warnings=(),
        undoes=None, supersedes=None, takes_back=(), idempotency_key=None, kept=False, part=None,
    )  # fmt: skip
    assert planned.contents is not Planned("tx_2", "edit", "t", (), ChangeSet(()), "f").contents
    assert Derivation("part", "tx_1") == Derivation("part", "tx_1", person="", patch="")
    assert Transaction(planned, "planned", agent, 0.0) == Transaction(
        planned, "planned", agent, 0.0, entry=None, applied_at=None, approval_id=None, note="", derived=None,
        superseded_by=None,
    )  # fmt: skip
    assert Entry(1, "tx_1", 0.0, agent, "edit", "t", ()) == Entry(
        1, "tx_1", 0.0, agent, "edit", "t", (), directories=(), undoes=None, undone_by=None, approval_id=None,
        decided_by=None, forgotten=False, warnings=(),
    )  # fmt: skip
