"""What the person makes of a plan: its own paths with other contents, and nothing that wasn't asked for."""

import hashlib
from dataclasses import replace

import pytest
from tests.conftest import AGENT

from workroom.base.changes import ABSENT, Change, Kind, State
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions.amend import check_editable
from workroom.core.transactions.model import Derivation


@pytest.fixture
def kept(house):
    def make(*operations):
        return house.tx.get(house.tx.keep(house.plan(*operations), AGENT).id).planned

    return make


def create(path, content="x\n"):
    return {"type": "create", "path": path, "content": content}


def test_the_amended_plan_has_the_dangers_and_folders_of_the_plan(house, kept):
    house.write("a", "a\n")
    house.write("b", "b\n")
    planned = kept(
        {"type": "rewrite", "path": "a", "content": "aa\n"}, {"type": "rewrite", "path": "b", "content": "bb\n"},
        create("d/.mcp.json"), create(".npmrc"), {"type": "mkdir", "path": "e"},
    )  # fmt: skip
    amended = house.tx.amend(planned, {"a": b"a\n", "b": b"one\ntwo\n"}, "ann")
    new = amended.planned
    assert list(new.change_set.paths()) == [".npmrc", "b", "d", "d/.mcp.json", "e"]
    assert [(danger.operation, danger.path) for danger in new.dangers] == [("rewrite", "b")]
    assert new.asks == planned.asks
    assert new.directories == planned.directories
    assert new.operations == ({"type": "edited", "of": planned.id, "by": "ann", "files": ["a", "b"]},)
    assert (new.idempotency_key, new.kept, new.part, amended.rest) == (None, False, None, None)
    change = next(change for change in new.change_set.changes if change.path == "b")
    assert (change.added, change.removed) == (2, 1)
    assert "-bb\n+one\n+two\n" in amended.derived.patch
    assert new.fingerprint != planned.fingerprint


def test_it_is_kept_in_place_of_the_plan_together_with_the_decision(house, kept):
    planned = kept(create("a"))
    amended = house.tx.amend(planned, {"a": b"y\n"}, "ann")

    def fail():
        raise RuntimeError

    with pytest.raises(RuntimeError):
        house.tx.supersede(amended, AGENT, fail)
    assert house.tx.get(planned.id).status == "planned"
    new = house.tx.supersede(amended, AGENT, lambda: None)
    assert (house.tx.get(planned.id).status, house.tx.get(new.id).status) == ("superseded", "planned")
    house.reopen()
    house.commit(house.tx.get(new.id).planned)
    assert house.read("a") == b"y\n"
    with pytest.raises(WorkroomError) as caught:
        house.tx.supersede(amended, AGENT, lambda: None)
    assert caught.value.code is ErrorCode.TRANSACTION_STATE


def test_what_can_be_edited(house, kept):
    house.write("old", "x\n")
    planned = kept(create("a"), {"type": "move", "from": "old", "to": "new"}, {"type": "mkdir", "path": "d"})
    assert check_editable(planned, "a") == ""
    assert "only moves" in check_editable(planned, "new")
    assert "no file" in check_editable(planned, "old")
    assert "no file" in check_editable(planned, "d")


def refused(house, planned, contents):
    with pytest.raises(WorkroomError) as caught:
        house.tx.amend(planned, contents, "ann")
    assert caught.value.code is ErrorCode.INVALID_INPUT
    return caught.value


def file_state(data, mode=None):
    return State(Kind.FILE, hashlib.sha256(data).hexdigest(), len(data), mode)


def test_a_change_has_the_persons_content_and_is_otherwise_the_plans(house, kept):
    house.write("a", "one\ntwo\n", 0o640)
    house.write("b", "b\n", 0o600)
    planned = kept(
        {"type": "replace", "path": "a", "search": " two", "replacement": "2"},
        {"type": "rewrite", "path": "b", "content": "B\n"}, create("c"),
    )  # fmt: skip
    assert planned.change_set.changes[0].matched != "exact"
    amended = house.tx.amend(planned, {"a": b"1\n2\n3\n", "b": b"B\n", "c": b"made\nby ann\n"}, "ann")
    new, of = amended.planned, planned.change_set.changes
    assert new.change_set.changes == (
        Change("a", of[0].before, file_state(b"1\n2\n3\n", 0o640), added=3, removed=2),
        of[1],  # as it was proposed
        Change("c", ABSENT, file_state(b"made\nby ann\n", of[2].after.mode), added=2, removed=0),
    )
    assert new.contents == {
        hashlib.sha256(data).hexdigest(): data
        for data in (b"one\ntwo\n", b"1\n2\n3\n", b"b\n", b"B\n", b"made\nby ann\n")
    }
    assert new.operations[0]["files"] == ["a", "c"]
    assert amended.derived == Derivation("edited", planned.id, "ann", PATCH)
    assert amended.source is planned
    assert (new.cause, new.title, new.supersedes) == (planned.cause, planned.title, None)
    house.commit(house.tx.supersede(amended, AGENT, lambda: None))
    assert (house.read("a"), house.read("b"), house.read("c")) == (b"1\n2\n3\n", b"B\n", b"made\nby ann\n")


PATCH = """\
diff --git a/a b/a
--- a/a
+++ b/a
@@ -1,2 +1,3 @@
-one
+1
 2
+3
diff --git a/c b/c
--- a/c
+++ b/c
@@ -1 +1,2 @@
-x
+made
+by ann
"""


def test_it_is_said_first_that_the_person_edited_it(house, kept):
    house.write("a", "a\r\n")
    planned = kept({"type": "rewrite", "path": "a", "content": "b\n"})
    said = f"Edited by ann, the person, before it was accepted; it was proposed as {planned.id}."
    new = house.tx.amend(planned, {"a": b"c\n"}, "ann").planned
    assert new.warnings == (said, "a keeps its CRLF line endings.")


def test_what_the_plan_was_to_others_goes_on_to_nobody(house):
    planned = replace(house.plan(create("a"), key="once"), supersedes="tx_before")
    new = house.tx.amend(planned, {"a": b"y\n"}, "ann").planned
    assert (new.idempotency_key, new.supersedes) == (None, None)
    assert new.id != planned.id


def test_a_file_whose_mode_changes_stays_though_its_bytes_are_as_before(house, kept):
    house.write("a", "a\n", 0o644)
    house.write("b", "b\n", 0o644)
    patch = "".join(
        f"diff --git a/{name} b/{name}\nold mode 100644\nnew mode 100755\n"
        f"--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-{name}\n+new\n"
        for name in "ab"
    )
    planned = kept({"type": "patch", "patch": patch})
    changes = house.tx.amend(planned, {"a": b"a\n", "b": b"x\n"}, "ann").planned.change_set.changes
    assert [(c.path, c.before, c.after) for c in changes] == [
        ("a", file_state(b"a\n", 0o644), file_state(b"a\n", 0o755)),
        ("b", file_state(b"b\n", 0o644), file_state(b"x\n", 0o755)),
    ]


def test_an_empty_file_may_be_filled_and_a_filled_one_emptied(house, kept):
    house.write("full", "x\n")
    house.write("none", "")
    planned = kept(
        {"type": "rewrite", "path": "full", "content": "y\n"}, {"type": "rewrite", "path": "none", "content": "y\n"},
        create("new"),
    )  # fmt: skip
    new = house.tx.amend(planned, {"full": b"", "none": b"1\n2\n", "new": b""}, "ann").planned
    assert [(c.path, c.added, c.removed) for c in new.change_set.changes] == [
        ("full", 0, 1), ("new", 0, 0), ("none", 2, 0)
    ]  # fmt: skip
    house.commit(new)
    assert (house.read("full"), house.read("new"), house.read("none")) == (b"", b"", b"1\n2\n")


def test_an_amended_part_leaves_the_rest_but_nothing_of_a_file_that_was_edited(house, kept):
    lines = [f"{n}\n" for n in range(30)]
    house.write("a", "".join(lines))
    whole = kept(
        {"type": "replace", "path": "a", "search": "\n3\n", "replacement": "\nthree\n"},
        {"type": "replace", "path": "a", "search": "\n20\n", "replacement": "\ntwenty\n"},
        create("b"),
    )
    hunk = house.tx.hunks(whole)["a"][0].id
    part = house.tx.part(whole, house.tx.select(whole, [], [hunk]))
    mine = "".join(["mine\n", *lines]).encode()
    amended = house.tx.amend(part, {"a": mine}, "ann")
    assert list(amended.planned.change_set.paths()) == ["a"]
    assert amended.planned.operations[0]["of"] == amended.derived.source == whole.id
    assert f"it was proposed as {whole.id}." in amended.planned.warnings[0]
    assert list(amended.rest.change_set.paths()) == ["b"]
    assert (amended.rest.id, amended.planned.part) == (whole.id, None)
    every = house.tx.part(whole, house.tx.select(whole, ["b"], []))
    assert list(house.tx.amend(every, {"b": b"y\n"}, "ann").rest.change_set.paths()) == ["a"]
    only = kept({"type": "replace", "path": "a", "search": "\n3\n", "replacement": "\nthree\n"},
                {"type": "replace", "path": "a", "search": "\n20\n", "replacement": "\ntwenty\n"})  # fmt: skip
    part = house.tx.part(only, house.tx.select(only, [], [hunk]))
    assert house.tx.amend(part, {"a": mine}, "ann").rest is None


def test_what_is_no_edit_is_refused_and_says_what_to_do(house, kept):
    house.write("old", "x\n")
    planned = kept(create("src/module.py"), {"type": "move", "from": "old", "to": "new"})
    error = refused(house, planned, {"src/module.py": b"x\n"})
    assert (error.message, error.next_step) == (
        f"{planned.id}: nothing was edited.", "Accept it as it was proposed."
    )  # fmt: skip
    error = refused(house, planned, {"new": b"y\n"})
    assert error.message == "new only moves; its content is not part of the plan."
    assert (error.next_step, error.details) == ("Accept it in part, or deny it.", {"path": "new"})
    error = refused(house, planned, {"src/modul.py": b"y\n"})
    assert error.message == f"{planned.id} changes nothing at 'src/modul.py'. The nearest is 'src/module.py'."
    assert error.details == {"path": "src/modul.py", "nearest": "src/module.py"}
    assert refused(house, planned, {"c/mod": b"y\n"}).details["nearest"] == "src/module.py"  # half of it is enough
    error = refused(house, planned, {"\u202e" + "q" * 100: b"y\n"})
    assert error.message == f"{planned.id} changes nothing at '\\u202e{'q' * 79}'."
    assert error.details["nearest"] is None
    house.write("a", "a\n")
    planned = kept({"type": "rewrite", "path": "a", "content": "b\n"})
    error = refused(house, planned, {"a": b"a\n"})
    assert error.message == f"{planned.id}: as you edited it, it changes nothing."
    assert error.next_step == "Deny it, if that is meant."
