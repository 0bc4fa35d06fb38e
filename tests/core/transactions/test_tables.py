"""The rows: what is written is read back, links of undos, images that nobody needs."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
from dataclasses import replace

import apsw
import pytest
from tests.conftest import AGENT

from workroom.base.changes import ABSENT, Change, ChangeSet, Danger, Kind, Permit, State
from workroom.core.transactions import marks, tables
from workroom.core.transactions.model import Derivation, Directory, Entry, Planned, Transaction
from workroom.system.store import Store

NOBODY = Permit("", "")


@pytest.fixture
def db(house):
    with house.workspace.store.write() as db:
        yield db


def add_entry(house, db, planned, permit=NOBODY):
    return tables.add_entry(house.workspace.store, db, planned, AGENT, 1.0, permit)


def blank(transaction_id: str, cause="edit", **fields) -> Planned:
    return Planned(transaction_id, cause, "title", (), ChangeSet(()), "print", **fields)


def test_a_plan_is_read_back_as_it_was(house, db):
    house.write("f", "x\n")
    planned = house.plan(
        {"type": "rewrite", "path": "f", "content": "y\n"},
        {"type": "mkdir", "path": "d"},
        {"type": "create", "path": ".npmrc", "content": "k=v\n"},
        {"type": "create", "path": "Makefile", "content": "all:\n"},
        key="key",
    )
    tables.add_transaction(db, planned, AGENT, 5.0)
    for found in (tables.find_transaction(db, planned.id), tables.key_owner(db, "key")):
        assert found.planned == replace(planned, contents={}, kept=True)
        assert (found.status, found.actor, found.created_at, found.entry) == ("planned", AGENT, 5.0, None)
    assert tables.find_transaction(db, "tx_other") is None
    assert tables.key_owner(db, "other") is None


def test_an_entry_is_read_back_by_number_and_by_transaction(house):
    made = house.edit({"type": "create", "path": "f", "content": "x\n"}, {"type": "mkdir", "path": "d"})
    with house.workspace.store.read() as db:
        assert tables.entry(db, made.number) == tables.entry_of(db, made.transaction_id) == made
        assert tables.entry(db, 99) is None
        assert tables.entry_of(db, "tx_other") is None
        found = tables.find_transaction(db, made.transaction_id)
    assert (found.status, found.entry, found.applied_at) == ("applied", made.number, made.at)


def test_pages_of_transactions_go_on_after_one(db):
    for number, at in enumerate([1.0, 2.0, 2.0, 3.0]):
        tables.add_transaction(db, blank(f"tx_{number}"), AGENT, at)
    tables.set_status(db, "tx_1", "failed", "why")

    def ids(*arguments):
        return [transaction.id for transaction in tables.transactions(db, *arguments)]

    assert ids(None, 10) == ["tx_3", "tx_1", "tx_2", "tx_0"]
    assert ids(None, 2, (2.0, "tx_1")) == ["tx_2", "tx_0"]
    assert ids("planned", 10, (2.0, "tx_1")) == ["tx_2", "tx_0"]
    assert ids("failed", 10) == ["tx_1"]
    assert (tables.count_transactions(db, None), tables.count_transactions(db, "failed")) == (4, 1)
    assert tables.find_transaction(db, "tx_1").note == "why"


def test_pages_of_the_history_go_on_before_a_number(house):
    for name in "abc":
        house.edit({"type": "create", "path": name, "content": ""})
    with house.workspace.store.read() as db:
        assert [entry.number for entry in tables.entries(db, 2)] == [3, 2]
        assert [entry.number for entry in tables.entries(db, 2, 2)] == [1]


def test_plans_go_stale_by_age_and_by_number_but_not_while_they_are_used(db):
    for number in range(6):
        tables.add_transaction(db, blank(f"tx_{number}"), AGENT, float(number))
    tables.set_waiting(db, "tx_2")
    tables.put_intent(db, "tx_3", {}, 9.0)
    assert tables.planned_before(db, 0.0, 10) == []
    assert tables.planned_before(db, 2.0, 10) == ["tx_1", "tx_0"]
    assert tables.planned_before(db, 0.0, 1) == ["tx_4", "tx_1", "tx_0"]
    assert tables.planned_before(db, 3.0, 1) == ["tx_4", "tx_2", "tx_1", "tx_0"]


def test_only_plans_are_pruned(house, db):
    for name in ("tx_1", "tx_2"):
        tables.add_transaction(db, blank(name), AGENT, 1.0)
    add_entry(house, db, blank("tx_2"))
    tables.prune_planned(db, "tx_1")
    tables.prune_planned(db, "tx_2")
    assert tables.find_transaction(db, "tx_1") is None
    assert tables.find_transaction(db, "tx_2").status == "applied"


def test_plans_that_may_be_dropped_come_oldest_first(db):
    for name, at in (("tx_3", 3.0), ("tx_1", 1.0), ("tx_2", 2.0), ("tx_4", 0.5), ("tx_5", 0.1)):
        tables.add_transaction(db, blank(name), AGENT, at)
    tables.set_waiting(db, "tx_4")
    tables.put_intent(db, "tx_5", {}, 1.0)
    assert tables.droppable_plans(db, "tx_3") == ["tx_1", "tx_2"]


def test_a_released_key_may_be_used_again(db):
    tables.add_transaction(db, replace(blank("tx_1"), idempotency_key="k"), AGENT, 1.0)
    tables.release_key(db, "tx_1")
    assert tables.key_owner(db, "k") is None
    tables.add_transaction(db, replace(blank("tx_2"), idempotency_key="k"), AGENT, 1.0)
    tables.set_status(db, "tx_2", "failed")
    assert tables.key_owner(db, "k") is None


def test_an_undo_of_an_undo_brings_the_first_one_into_force_again(house, db):
    for name, undoes in (("tx_1", None), ("tx_2", 1), ("tx_3", 2)):
        planned = blank(name, undoes=undoes)
        tables.add_transaction(db, planned, AGENT, 1.0)
        number = add_entry(house, db, planned, Permit("", "approval approval_1", "approval_1", "me"))
        if undoes is not None:
            marks.take_back(db, (undoes,), number)
    assert [tables.entry(db, number).undone_by for number in (1, 2, 3)] == [None, 3, None]
    statuses = [tables.find_transaction(db, name).status for name in ("tx_1", "tx_2", "tx_3")]
    assert statuses == ["applied", "rolled_back", "applied"]
    assert (tables.entry(db, 1).approval_id, tables.entry(db, 1).decided_by) == ("approval_1", "me")


def test_the_newest_that_can_be_undone_is_a_change_in_force(house, db):
    assert tables.newest_undoable(db) is None
    for name, cause, undoes in (
        ("tx_1", "edit", None), ("tx_2", "edit", None), ("tx_3", "rollback", 2), ("tx_4", "late_write", None),
        ("tx_5", "recovery", None),
    ):  # fmt: skip
        planned = blank(name, cause, undoes=undoes)
        tables.add_transaction(db, planned, AGENT, 1.0)
        number = add_entry(house, db, planned)
        if undoes is not None:
            marks.take_back(db, (undoes,), number)
    assert tables.newest_undoable(db).transaction_id == "tx_1"


def test_intents_go_from_prepared_to_committed_to_none(db):
    for name, at in (("tx_2", 2.0), ("tx_1", 1.0)):
        tables.put_intent(db, name, {"steps": []}, at)
    assert [name for name, _ in tables.intents(db, "prepared")] == ["tx_1", "tx_2"]
    tables.set_intent_phase(db, "tx_1", "committed", 5.0)
    assert tables.intents(db, "committed", 5.0) == []
    assert tables.intents(db, "committed", 5.1) == [("tx_1", {"steps": []})]
    tables.delete_intent(db, "tx_1")
    assert tables.intents(db, "committed") == []


def test_released_images_that_no_other_needs_are_told(house, db):
    shas = [house.workspace.store.put_image(db, body) for body in (b"one", b"three")]
    tables.refer(db, "tx_1", shas[1:])
    for name in ("tx_1", "tx_2"):
        tables.add_transaction(db, blank(name), AGENT, 1.0)
        add_entry(house, db, blank(name))
        tables.refer(db, name, shas[:1])
    assert tables.oldest_kept(db, 9) == [(1, "tx_1"), (2, "tx_2")]
    tables.put_intent(db, "tx_1", {}, 1.0)
    assert tables.oldest_kept(db, 9) == [(2, "tx_2")]
    assert tables.release(db, "tx_2") == []
    tables.mark_forgotten(db, 2)
    assert tables.entry(db, 2).forgotten
    assert tables.oldest_kept(db, 9) == []
    assert sorted(tables.release(db, "tx_1")) == sorted(shas)
    assert db.execute("SELECT COUNT(*) FROM image_refs").get == 0


def test_what_came_from_what(house, db):
    for number, transaction_id in enumerate(("tx_whole", "tx_part", "tx_edit")):
        tables.add_transaction(db, blank(transaction_id), AGENT, float(number))
    tables.derive(db, "tx_part", Derivation("part", "tx_whole"))
    tables.derive(db, "tx_edit", Derivation("edited", "tx_whole", "ann", "the difference"))
    assert tables.derivation(db, "tx_whole") is None
    assert tables.derivation(db, "tx_edit") == Derivation("edited", "tx_whole", "ann", "the difference")
    assert [each.id for each in tables.derived_from(db, "tx_whole")] == ["tx_part", "tx_edit"]
    assert tables.find_transaction(db, "tx_whole").superseded_by is None
    tables.supersede(db, "tx_whole", "tx_edit")
    tables.supersede(db, "tx_whole", "tx_part")
    whole = tables.find_transaction(db, "tx_whole")
    assert (whole.status, whole.superseded_by) == ("superseded", "tx_edit"), "once"
    assert tables.find_transaction(db, "tx_part").derived == Derivation("part", "tx_whole")


def test_a_plan_whose_part_is_being_committed_is_not_dropped(house, db):
    for transaction_id in ("tx_whole", "tx_idle"):
        tables.add_transaction(db, blank(transaction_id), AGENT, 1.0)
    tables.derive(db, "tx_part", Derivation("part", "tx_whole"))
    tables.put_intent(db, "tx_part", {"steps": []}, 2.0)
    assert tables.planned_before(db, 9.0, 0) == ["tx_idle"]
    assert tables.droppable_plans(db, "tx_part") == ["tx_idle"]
    tables.delete_intent(db, "tx_part")
    assert sorted(tables.planned_before(db, 9.0, 0)) == ["tx_idle", "tx_whole"]


def test_a_plan_shrinks_while_it_is_planned_and_waits_no_more(house, db):
    house.write("f", "x\n")
    whole = house.plan({"type": "rewrite", "path": "f", "content": "y\n"}, {"type": "mkdir", "path": "d"})
    tables.add_transaction(db, whole, AGENT, 1.0)
    tables.set_waiting(db, whole.id)
    rest = replace(whole, change_set=ChangeSet(whole.change_set.changes[:1]), fingerprint="other")
    tables.shrink(db, rest)
    found = tables.find_transaction(db, whole.id).planned
    assert (found.change_set, found.fingerprint, found.operations) == (rest.change_set, "other", whole.operations)
    assert tables.planned_before(db, 0.0, 0) == [whole.id]
    tables.set_status(db, whole.id, "applied")
    tables.shrink(db, whole)
    assert tables.find_transaction(db, whole.id).planned.fingerprint == "other"


def test_images_to_keep_are_not_released(house, db):
    for sha in ("a", "b"):
        db.execute("INSERT INTO images (sha256, bytes, body) VALUES (?, 3, x'00')", (sha,))
    tables.refer(db, "tx_1", ["a", "b"])
    assert tables.release(db, "tx_1", ["a"]) == ["b"]
    assert tables.release(db, "tx_1") == ["a"]


def test_no_entry_is_written_without_its_line_in_the_audit_log(house, db):
    """Whatever road comes to be built, the database refuses it."""
    row = "INSERT INTO entries (number, transaction_id, at, actor_kind, actor_name, session, cause, title, body) "
    with pytest.raises(apsw.ConstraintError, match="needs its line"):
        db.execute(row + "VALUES (1, 'tx_1', 0, 'agent', 'a', '', 'edit', '', '{}')")
    add_entry(house, db, blank("tx_1"))
    for number, transaction in ((2, "tx_1"), (2, "tx_2"), (1, "tx_3")):  # the line of another doesn't count
        with pytest.raises(apsw.ConstraintError, match="needs its line"):
            db.execute(row + f"VALUES ({number}, '{transaction}', 0, 'agent', 'a', '', 'edit', '', '{{}}')")


def test_an_entry_and_a_used_approval_stay_as_they_are(house, db):
    add_entry(house, db, blank("tx_1"), Permit("", "approval", "approval_1", "me"))
    db.execute("INSERT INTO consumptions VALUES ('approval_1', 'tx_1', 1.0)")
    for sql in (
        "UPDATE entries SET title = 'other'", "UPDATE entries SET body = '{}'", "UPDATE entries SET decided_by = 'x'",
        "DELETE FROM entries", "DELETE FROM consumptions", "UPDATE consumptions SET approval_id = 'approval_2'",
    ):  # fmt: skip
        with pytest.raises(apsw.ConstraintError, match=r"is never|stays used"):
            db.execute(sql)
    tables.mark_forgotten(db, 1)
    assert tables.entry(db, 1).forgotten


# What stands in stores of before, and what a long history costs.


def test_rows_of_before_are_kept_as_they_are_read_and_still_planned(tmp_path):
    names = [name for name, _ in tables.MIGRATIONS]
    before = tables.MIGRATIONS[: names.index("transactions/rows")]
    change = {
        "path": "f", "before": ["absent", "", 0, None], "after": ["file", "ab", 2, 420], "origin": None, "like": "g",
        "matched": "exact", "added": None, "removed": 0, "merged": False,
    }  # fmt: skip
    body = {
        "operations": [{"type": "create", "path": "f"}], "changes": [change], "directories": [], "dangers": [],
        "asks": [], "warnings": ["w"], "supersedes": None, "takes_back": [],
    }  # fmt: skip
    with contextlib.closing(Store(tmp_path / "store", before)) as store, store.write() as db:
        for number, status in enumerate(("planned", "applied")):
            db.execute(
                "INSERT INTO transactions (id, cause, status, title, body, fingerprint, idempotency_key, actor_kind, "
                "actor_name, session, created_at, entry, waits) VALUES (?, 'edit', ?, 't', ?, 'p', ?, 'agent', 'a', "
                "'s', ?, ?, 1)",
                (f"tx_{number}", status, json.dumps(body), f"key {number}", 5.0 - number, number),
            )
    with contextlib.closing(Store(tmp_path / "store", tables.MIGRATIONS)) as store, store.read() as db:
        assert [each.id for each in tables.transactions(db, None, 9)] == ["tx_0", "tx_1"]
        found = tables.key_owner(db, "key 1")
        assert (found.id, found.status, found.created_at, found.entry) == ("tx_1", "applied", 4.0, 1)
        (kept,) = found.planned.change_set.changes
        assert kept == Change("f", ABSENT, State(Kind.FILE, "ab", 2, 420), like="g", added=None)
        assert (found.planned.operations, found.planned.warnings) == (tuple(body["operations"]), ("w",))
        assert tables.planned_before(db, 9.0, 0) == ["tx_0"]


def steps(db, act) -> int:
    """How much work for SQLite something is, in hundreds of its machine's instructions."""
    counted = itertools.count()
    db.set_progress_handler(lambda: next(counted) < 0, 100)
    act()
    db.set_progress_handler(None)
    return next(counted)


def test_room_is_made_at_no_more_cost_in_a_long_history(house, db):
    store = house.workspace.store
    for number in range(400):
        planned = blank(f"tx_{number}")
        tables.add_transaction(db, planned, AGENT, float(number))
        tables.refer(db, planned.id, [store.put_image(db, b"%d" % number)])
        add_entry(house, db, planned)
        if number < 390:
            tables.mark_forgotten(db, number + 1)
    cost = {
        "oldest": steps(db, lambda: tables.oldest_kept(db, 1)),
        "plans": steps(db, lambda: tables.droppable_plans(db, "tx_0")),
        "stale": steps(db, lambda: tables.planned_before(db, 0.0, 9)),
        "held": steps(db, store.images_bytes),
        "undo": steps(db, lambda: marks.take_back(db, (200,), 400)),
    }
    assert max(cost.values()) <= 5, cost


def test_what_is_as_in_most_changes_is_not_written(house, db):
    house.write("f", "x\n")
    planned = house.plan({"type": "replace", "path": "f", "search": "x", "replacement": "y"})
    tables.add_transaction(db, planned, AGENT, 1.0)
    body = json.loads(db.execute("SELECT body FROM transactions").get)
    assert sorted(body) == ["changes", "operations"]
    assert sorted(body["changes"][0]) == ["added", "after", "before", "path", "removed"]


# Names that are never changed, and what each column holds.


def test_the_names_of_the_steps_that_made_the_tables_stay():
    assert [name for name, _ in tables.MIGRATIONS] == [
        "transactions/1", "transactions/derivations", "transactions/audit", "transactions/marks",
        "transactions/superseded", "transactions/rows",
    ]  # fmt: skip


def test_the_guards_are_the_triggers_of_entries_and_consumptions(db):
    found = db.execute(
        "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name IN ('entries', 'consumptions')"
    )
    assert sorted(tables.GUARDS) == sorted(name for (name,) in found)


EVERYTHING = Planned(
    "tx_1",
    "rewind",
    "title",
    ({"type": "rewind", "to": 3},),
    ChangeSet((Change("f", ABSENT, State(Kind.FILE, "ab", 2, 0o644)), Change("g", State(Kind.FILE, "cd", 3), ABSENT))),
    "print",
    directories=(Directory("d", existed_before=True), Directory("e", existed_before=False)),
    dangers=(Danger("delete", "g", "move"), Danger("rewrite", "f")),
    asks=("f can run code",),
    warnings=("one", "two"),
    undoes=7,
    supersedes="tx_0",
    takes_back=(5, 4),
    idempotency_key="key",
    kept=True,
)
"""Every field has a value, and no two the same."""


def test_each_field_of_a_transaction_is_read_back(house, db):
    tables.add_transaction(db, EVERYTHING, AGENT, 5.0)
    found = tables.find_transaction(db, "tx_1")
    assert found == Transaction(EVERYTHING, "planned", AGENT, 5.0)
    assert tables.key_owner(db, "key") == found
    number = add_entry(house, db, EVERYTHING, Permit("", "why", "approval_1", "ann"))
    tables.derive(db, "tx_1", Derivation("edited", "tx_0", "ann", "the difference"))
    tables.supersede(db, "tx_1", "tx_2")
    assert tables.find_transaction(db, "tx_1") == replace(
        found, status="applied", entry=number, applied_at=1.0, approval_id="approval_1",
        derived=Derivation("edited", "tx_0", "ann", "the difference"),
    )  # fmt: skip
    assert tables.derived_from(db, "tx_0") == tables.transactions(db, None, 9) == [tables.find_transaction(db, "tx_1")]


def test_each_field_of_an_entry_is_read_back(house, db):
    number = add_entry(house, db, EVERYTHING, Permit("", "why", "approval_1", "ann"))
    written = Entry(
        number, "tx_1", 1.0, AGENT, "rewind", "title", EVERYTHING.change_set.changes, EVERYTHING.directories, 7,
        approval_id="approval_1", decided_by="ann", warnings=("one", "two"),
    )  # fmt: skip
    assert tables.entry(db, number) == tables.entry_of(db, "tx_1") == written
    assert tables.entries(db, 9) == tables.entries_after(db, 0) == [written]
    tables.mark_forgotten(db, number)
    marks.take_back(db, (number,), 8)
    assert tables.entry(db, number) == replace(written, forgotten=True, undone_by=8)
    other = add_entry(house, db, blank("tx_2"), Permit("", "why"))
    assert (tables.entry(db, other).decided_by, tables.entry(db, other).approval_id) == ("why", None)
    assert (tables.entry(db, other).forgotten, tables.entry(db, other).changes) == (False, ())


def test_the_audit_log_tells_of_an_entry_all_but_contents(house, db):
    number = add_entry(house, db, EVERYTHING, Permit("", "approval approval_1", "approval_1", "ann"))
    body = db.execute("SELECT body FROM entries").get
    assert "operations" not in json.loads(body)
    assert body == json.dumps(json.loads(body), separators=(",", ":")), "written without a blank"
    line = house.workspace.audit.lines()[-1]
    assert (line["kind"], line["who"]["name"]) == ("entry", AGENT.name)
    assert line["what"] == {
        "entry": number, "transaction": "tx_1", "cause": "rewind", "title": "title", "fingerprint": "print",
        "sha256": hashlib.sha256(body.encode()).hexdigest(), "changes": 2, "paths": ["f", "g"],
        "reason": "approval approval_1", "approval": "approval_1", "decided_by": "ann", "undoes": 7,
        "takes_back": [5, 4], "derived": "merged", "source": "tx_0",
    }  # fmt: skip
    assert tables.stored_entry(db, number) == ("tx_1", line["what"]["sha256"])
    assert tables.stored_entry(db, 99) is None


@pytest.mark.parametrize("kind", ["part", "edited", "create", None])
def test_the_audit_log_tells_where_an_entry_came_from(house, db, kind):
    operations = () if kind is None else ({"type": kind, "of": "tx_0"}, {"type": "part", "of": "tx_9"})
    add_entry(house, db, replace(blank("tx_1"), operations=operations))
    what = house.workspace.audit.lines()[-1]["what"]
    came = ("derived", kind), ("source", "tx_0")
    assert {name: value for name, value in what.items() if name in {"derived", "source"}} == (
        dict(came) if kind in {"part", "edited"} else {}
    )
    assert what.keys().isdisjoint({"approval", "decided_by", "undoes", "takes_back"})


def test_entries_are_counted_and_found_by_number_and_time(house, db):
    assert (tables.last_entry(db), tables.count_entries(db, 0), tables.last_by(db, 9.0)) == (0, 0, 0)
    numbers = [
        tables.add_entry(house.workspace.store, db, blank(f"tx_{at}"), AGENT, float(at), NOBODY) for at in range(1, 5)
    ]
    assert numbers == [1, 2, 3, 4]
    assert (tables.last_entry(db), tables.count_entries(db, 0), tables.count_entries(db, 3)) == (4, 4, 1)
    assert [tables.last_by(db, at) for at in (0.9, 2.0, 2.5, 9.0)] == [0, 2, 2, 4]
    assert [entry.number for entry in tables.entries_after(db, 2)] == [4, 3]


def test_a_status_goes_with_its_note_and_a_key_is_only_released_by_a_failure(db):
    tables.add_transaction(db, replace(blank("tx_1"), idempotency_key="k"), AGENT, 1.0)
    tables.set_status(db, "tx_1", "planned", "it was interrupted")
    assert tables.find_transaction(db, "tx_1").note == "it was interrupted"
    assert tables.key_owner(db, "k").id == "tx_1"
    tables.set_status(db, "tx_1", "planned")
    assert tables.find_transaction(db, "tx_1").note == ""
    tables.supersede(db, "tx_1", "tx_2")
    assert (tables.find_transaction(db, "tx_1").status, tables.find_transaction(db, "tx_1").note) == ("superseded", "")


def test_a_merged_plan_ends_all_that_it_goes_back_to_while_they_are_planned(db):
    for name, before in (("tx_1", None), ("tx_2", "tx_1"), ("tx_3", "tx_2"), ("tx_4", "tx_3")):
        tables.add_transaction(db, replace(blank(name), supersedes=before), AGENT, 1.0)
    tables.set_status(db, "tx_1", "rolled_back")
    assert tables.supersede_merged(db, tables.find_transaction(db, "tx_4").planned) == ("tx_3", "tx_2")
    found = [tables.find_transaction(db, f"tx_{number}") for number in range(1, 5)]
    assert [each.status for each in found] == ["rolled_back", "superseded", "superseded", "planned"]
    assert [each.superseded_by for each in found] == [None, "tx_3", "tx_4", None]
    assert [each.derived for each in found] == [None, None, Derivation("merged", "tx_2"), Derivation("merged", "tx_3")]
    assert [each.note for each in found] == ["", *["tx_4 was committed in its place."] * 2, ""]
    assert tables.supersede_merged(db, replace(blank("tx_5"), supersedes="tx_gone")) == ()


def test_a_content_is_held_for_a_path_that_had_it_before_or_after(db):
    for name, shas in (("tx_1", ["ab", "cd"]), ("tx_2", ["ab"])):
        tables.add_transaction(db, replace(EVERYTHING, id=name, idempotency_key=None), AGENT, 1.0)
        tables.refer(db, name, shas)
    tables.add_transaction(db, blank("tx_3"), AGENT, 1.0)
    tables.refer(db, "tx_3", ["ef"])
    asked = [("f", "ab"), ("g", "cd"), ("f", "cd"), ("g", "ab"), ("f", "ef"), ("f", "no")]
    assert [tables.held(db, path, sha) for path, sha in asked] == [True, True, False, False, False, False]


def test_an_intent_is_there_until_it_is_settled(db):
    tables.put_intent(db, "tx_1", {"steps": [1]}, 1.0, "staging")
    assert (tables.has_intent(db, "tx_1"), tables.has_intent(db, "tx_2")) == (True, False)
    assert tables.intents(db, "staging") == [("tx_1", {"steps": [1]})]
    tables.put_intent(db, "tx_1", {"steps": [2]}, 2.0)
    assert (tables.intents(db, "staging"), tables.intents(db, "prepared")) == ([], [("tx_1", {"steps": [2]})])
    tables.delete_intent(db, "tx_1")
    assert not tables.has_intent(db, "tx_1")


def test_an_image_is_there_or_not(house, db):
    sha = house.workspace.store.put_image(db, b"one")
    assert (tables.has_image(db, sha), tables.has_image(db, "other")) == (True, False)
