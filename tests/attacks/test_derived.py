"""Parts of plans, the person's edits, merges, undos and rewinds, set against each other.

Rows A01 and A02: a yes covers what was shown, once. What is over waits for nobody, and everybody is told what was done.
"""

from __future__ import annotations

import pytest
from tests.person.test_amending import LINES
from tests.person.test_decisions import ANN, Desk, refused

from workroom.base.actor import Actor
from workroom.base.errors import ErrorCode
from workroom.base.settings import Settings
from workroom.core.approvals import Status
from workroom.person import decisions, rewind, undo

OTHER = Actor("agent", "codex", "session-2")


@pytest.fixture
def desk(house):
    house.settings = Settings(mode="manual", destructive_edits="ask")
    return Desk(house)


@pytest.fixture
def auto(house, desk):
    """Nobody is asked."""
    house.settings = Settings(mode="auto", destructive_edits="allow")
    return desk


def replace(path, search, replacement, **more):
    return {"type": "replace", "path": path, "search": search, "replacement": replacement, **more}


@pytest.fixture
def two(house):
    """Operations on two files."""
    house.write("a.txt", "a\n")
    house.write("b.txt", "b\n")
    return [replace("a.txt", "a", "A"), replace("b.txt", "b", "B")]


def line(text, number, word):
    return text.replace(f"line {number}\n", f"{word}\n")


def approval(answer):
    return answer.data["approval"]["id"]


def kinds(house, kind):
    return [row["what"] for row in house.workspace.audit.lines() if row["kind"] == kind]


@pytest.fixture(autouse=True)
def whole_log(house):
    """Whatever was tried: the audit log is whole, and tells of every entry and decision."""
    yield
    verdict = house.workspace.audit.verify()
    assert verdict.good, verdict.faults


# A yes covers what was shown.


def test_A01_a_yes_to_what_is_left_of_a_plan_is_none_to_the_whole(desk, house, two):
    """The person sees the rest, b.txt; a yes to that, kept for the whole, would let a.txt be changed again unseen."""
    answer = desk.ask(action="apply", operations=two)
    part = desk.ask(action="commit", transaction_id=answer.data["transactionId"], files=["a.txt"])
    desk.accept(approval(part))
    refused(ErrorCode.TRANSACTION_STATE, desk.accept, approval(answer))
    done = house.tx.history(1)[0].transaction_id
    desk.accept(approval(desk.ask(action="rollback", transaction_id=done)))
    for _ in range(2):
        assert desk.ask(action="apply", operations=two).data["status"] == "pending_approval"
    assert (house.read("a.txt"), house.read("b.txt")) == (b"a\n", b"b\n")


def test_A01_an_undo_that_would_do_something_else_by_now_is_not_accepted(desk, auto, house):
    """The merge that was asked about, and what the person is shown, must be one."""
    house.write("a.txt", LINES)
    done = auto.ask(action="apply", operations=[replace("a.txt", "line 3\n", "three\n")]).data["transactionId"]
    house.settings = Settings(mode="manual", destructive_edits="ask")
    asked_over = line(house.read("a.txt").decode(), 30, "hidden")
    house.write("a.txt", asked_over)
    undo_call = {"action": "rollback", "transaction_id": done, "strategy": "merge"}
    asked = approval(desk.ask(**undo_call))
    house.write("a.txt", line(LINES, 3, "three"))
    assert "hidden" not in desk.show(asked).body
    assert "has changed since it was asked for" in refused(ErrorCode.EDIT_CONFLICT, desk.accept, asked).message
    house.write("a.txt", asked_over)
    for _ in range(2):
        assert desk.ask(**undo_call).data["status"] == "pending_approval"
    refused(ErrorCode.EDIT_CONFLICT, desk.accept, asked)  # the last that was shown is something else
    assert house.read("a.txt").decode() == asked_over
    desk.show(asked)
    desk.accept(asked)
    assert house.read("a.txt").decode() == line(LINES, 30, "hidden")


def test_A01_a_hunk_is_chosen_without_the_mode(auto, house):
    """All hunks of a file are not all of it: that it shall be executable is another thing."""
    house.write("run.txt", "one\n", 0o644)
    head = "diff --git a/run.txt b/run.txt\nold mode 100644\nnew mode 100755\n--- a/run.txt\n+++ b/run.txt\n"
    patch = {"type": "patch", "patch": head + "@@ -1 +1 @@\n-one\n+two\n"}
    plan = auto.ask(action="preview", operations=[patch]).data["transactionId"]
    [hunk] = house.tx.hunks(house.tx.get(plan).planned)["run.txt"]
    assert auto.ask(action="commit", transaction_id=plan, hunks=[hunk.id]).ok
    assert house.tree() == {"run.txt": (b"two\n", 0o644)}
    assert auto.ask(action="commit", transaction_id=plan).ok
    assert house.tree() == {"run.txt": (b"two\n", 0o755)}


# One effect a call.


def test_A02_a_hunk_that_is_committed_again_is_not_the_next_one_like_it(auto, house):
    same = line(line(line(LINES, 3, "same"), 20, "same"), 35, "same")
    house.write("a.txt", same)
    planned = auto.ask(action="preview", operations=[replace("a.txt", "same", "other", expected_matches=3)])
    plan = planned.data["transactionId"]
    ids = [hunk.id for hunk in house.tx.hunks(house.tx.get(plan).planned)["a.txt"]]
    for _ in range(2):  # the first answer was lost
        assert auto.ask(action="commit", transaction_id=plan, hunks=[ids[1]]).ok
    assert house.read("a.txt").decode() == line(line(line(LINES, 3, "same"), 20, "other"), 35, "same")
    for _ in range(2):
        assert auto.ask(action="commit", transaction_id=plan, hunks=[ids[0]]).ok
    assert house.read("a.txt").decode() == line(line(line(LINES, 3, "other"), 20, "other"), 35, "same")


def test_A02_what_was_merged_from_a_merge_ends_them_all(desk, house):
    house.write("a.txt", LINES)
    operations = [replace("a.txt", "line 3\n", "three\n")]
    first = desk.ask(action="preview", operations=operations).data["transactionId"]
    house.write("a.txt", line(LINES, 20, "twenty"))
    second = desk.ask(action="commit", transaction_id=first, on_conflict="merge").data["transactionId"]
    house.write("a.txt", line(line(LINES, 20, "twenty"), 40, "forty"))
    third = desk.ask(action="commit", transaction_id=second, on_conflict="merge")
    desk.accept(approval(third))
    done = third.data["transactionId"]
    stored = [house.tx.get(each) for each in (first, second, done)]
    assert [(each.status, each.superseded_by) for each in stored] == [
        ("superseded", second), ("superseded", done), ("applied", None)
    ]  # fmt: skip
    assert desk.pending() == ()
    again = desk.ask(action="commit", transaction_id=first, on_conflict="merge")
    assert (again.data["transactionId"], again.summary) == (done, f"{done} was applied already; nothing was done.")
    told = kinds(house, "entry")[-1]
    assert (told["transaction"], told["derived"], told["source"]) == (done, "merged", second)


# Combined.


@pytest.fixture
def merged(desk, house, two):
    """A plan, and what it was merged to, which waits."""
    house.write("a.txt", LINES)
    two[0] = replace("a.txt", "line 3\n", "three\n")
    plan = desk.ask(action="preview", operations=two).data["transactionId"]
    house.write("a.txt", line(LINES, 20, "twenty"))
    answer = desk.ask(action="commit", transaction_id=plan, on_conflict="merge")
    return plan, answer.data["transactionId"], approval(answer)


def test_what_was_merged_is_edited_by_the_person(desk, house, merged):
    plan, merge, asked = merged
    decided = decisions.accept_edited(ANN, house.workspace, asked, {"b.txt": "mine\n"})
    assert decided.envelope.ok
    assert house.read("a.txt").decode() == line(line(LINES, 20, "twenty"), 3, "three")
    assert house.read("b.txt") == b"mine\n"
    done = decided.record.amended["transaction"]
    stored = [house.tx.get(each) for each in (plan, merge)]
    assert [(each.status, each.superseded_by) for each in stored] == [("superseded", merge), ("superseded", done)]
    assert desk.ask(action="commit", transaction_id=plan).data["transactionId"] == done


def test_what_was_merged_is_done_in_part(desk, house, merged):
    plan, merge, asked = merged
    assert desk.accept(asked, files=["b.txt"]).envelope.ok
    assert (house.tx.get(plan).status, house.tx.get(merge).status) == ("superseded", "planned")
    assert desk.ask(action="commit", transaction_id=merge).data["rest"]["files"] == ["a.txt"]
    desk.accept(approval(desk.ask(action="commit", transaction_id=merge)))
    assert house.read("a.txt").decode() == line(line(LINES, 20, "twenty"), 3, "three")
    assert house.read("b.txt") == b"B\n"
    for entry in house.tx.history(2):
        desk.accept(approval(desk.ask(action="rollback", transaction_id=entry.transaction_id)))
    assert (house.read("a.txt").decode(), house.read("b.txt")) == (line(LINES, 20, "twenty"), b"b\n")


def test_of_two_edits_of_one_plan_the_last_stands_for_it(desk, house, two):
    house.ids = iter(range(900, 0, -1)).__next__  # ids tell nothing of what came first
    house.write("c.txt", "c\n")
    plan = desk.ask(action="preview", operations=[*two, replace("c.txt", "c", "C")]).data["transactionId"]
    one = approval(desk.ask(action="commit", transaction_id=plan, files=["a.txt"]))
    first = decisions.accept_edited(ANN, house.workspace, one, {"a.txt": "1\n"}).record.amended["transaction"]
    two_left = approval(desk.ask(action="commit", transaction_id=plan))
    last = decisions.accept_edited(ANN, house.workspace, two_left, {"b.txt": "2\n"}).record.amended["transaction"]
    assert last < first
    assert house.tx.get(plan).superseded_by == last
    assert desk.ask(action="commit", transaction_id=plan).data["transactionId"] == last


# What is over waits for nobody.


def test_A02_nobody_waits_for_a_plan_that_the_person_made_another(desk, house, two):
    plan = desk.ask(action="preview", operations=two).data["transactionId"]
    first = approval(desk.ask(action="commit", transaction_id=plan))
    second = approval(desk.ask(action="commit", transaction_id=plan, actor=OTHER))
    part = approval(desk.ask(action="commit", transaction_id=plan, files=["a.txt"], actor=OTHER))
    done = decisions.accept_edited(ANN, house.workspace, first, {"a.txt": "mine\n"}).record.amended["transaction"]
    assert [desk.status(each) for each in (first, second, part)] == [
        Status.CONSUMED, Status.SUPERSEDED, Status.SUPERSEDED
    ]  # fmt: skip
    assert desk.pending() == ()
    assert [row["approval"] for row in kinds(house, "withdrawn")] == [second, part]
    assert {row["by"] for row in kinds(house, "withdrawn")} == {done}
    refused(ErrorCode.TRANSACTION_STATE, desk.accept, second)
    told = desk.ask(action="commit", transaction_id=plan, actor=OTHER)
    assert told.data["transactionId"] == done


def test_A02_who_waits_for_a_part_that_is_left_goes_on_waiting(desk, house, two):
    house.write("c.txt", "c\n")
    plan = desk.ask(action="preview", operations=[*two, replace("c.txt", "c", "C")]).data["transactionId"]

    def ask(**chosen):
        return approval(desk.ask(action="commit", transaction_id=plan, **chosen))

    whole, a, both, b = ask(), ask(files=["a.txt"]), ask(files=["a.txt", "b.txt"]), ask(files=["b.txt"])
    desk.accept(a)
    assert [desk.status(each) for each in (whole, a, both, b)] == [
        Status.SUPERSEDED, Status.CONSUMED, Status.SUPERSEDED, Status.PENDING
    ]  # fmt: skip
    assert desk.accept(b).envelope.ok
    assert (house.read("a.txt"), house.read("b.txt"), house.read("c.txt")) == (b"A\n", b"B\n", b"c\n")


def test_A02_nobody_waits_for_an_undo_of_what_is_taken_back_already(desk, auto, house, two):
    done = auto.ask(action="apply", operations=two).data["transactionId"]
    house.settings = Settings(mode="manual", destructive_edits="ask")
    asked = approval(desk.ask(action="rollback", transaction_id=done))
    forced = approval(desk.ask(action="rollback", transaction_id=done, force=True, actor=OTHER))
    rewind.rewind(ANN, house.workspace, "0")
    assert [desk.status(each) for each in (asked, forced)] == [Status.SUPERSEDED, Status.SUPERSEDED]
    assert kinds(house, "entry")[-1]["takes_back"] == [1]
    assert undo.undo(ANN, house.workspace, "2").undoes == 2
    assert house.read("a.txt") == b"A\n"


# Careless.


@pytest.mark.parametrize("number", ["9" * 30, str(2**63)])
def test_a_number_beyond_all_is_no_entry(desk, house, number):
    refused(ErrorCode.NOT_FOUND, undo.preview_undo, ANN, house.workspace, number)
    refused(ErrorCode.NOT_FOUND, rewind.preview_rewind, ANN, house.workspace, number)
