"""What waits, what the person is shown, and their word on it."""

import pytest

from workroom.base.actor import Actor
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.events import ApprovalDecided, PlanChanged
from workroom.base.settings import Settings
from workroom.core.approvals import LIFETIME_SECONDS, Status
from workroom.person import decisions
from workroom.person.credential import PersonCredential
from workroom.tools.dispatch import call
from workroom.tools.tool import Call

ANN = PersonCredential.grant("k", "k", 0, 0, name="ann")
BOB = PersonCredential.grant("k", "k", 0, 0, name="bob")
AGENT = Actor("agent", "claude", "session-1")
PLAN = {"action": "propose", "title": "Tidy", "objective": "One parser.", "steps": ["read"]}


class Desk:
    """An agent on one side and a person on the other, at one workspace."""

    def __init__(self, house):
        self.house = house
        self.told = []
        house.workspace.store.subscribe(lambda _number, event: self.told.append(event))

    def ask(self, tool="workspace_edit", actor=AGENT, **arguments):
        return call(Call(self.house.workspace, actor), tool, arguments)

    def edit(self, path="a.txt", content="new\n", actor=AGENT, **more):
        operations = [{"type": "create", "path": path, "content": content}]
        return self.ask(actor=actor, action="apply", operations=operations, **more)

    def staged(self, *arguments, **named):
        return self.edit(*arguments, **named).data["approval"]["id"]

    def plan(self):
        return self.ask("workspace_plan", **PLAN).data["planId"]

    def accept(self, words="", who=ANN, **options):
        return decisions.accept(who, self.house.workspace, words, **options)

    def deny(self, words="", who=ANN):
        return decisions.deny(who, self.house.workspace, words)

    def show(self, id=None, who=ANN):  # noqa: A002
        return decisions.show(who, self.house.workspace, id)

    def pending(self):
        return decisions.pending(ANN, self.house.workspace)

    def status(self, approval_id):
        return self.house.workspace.approvals.get(approval_id).status


@pytest.fixture
def desk(house):
    house.settings = Settings(mode="manual", destructive_edits="ask")
    return Desk(house)


def refused(code, do, *arguments, **named):
    with pytest.raises(WorkroomError) as caught:
        do(*arguments, **named)
    assert caught.value.code is code
    return caught.value


def test_pending_is_newest_first_plans_included(desk):
    assert desk.pending() == ()
    edit, plan = desk.staged(), desk.plan()
    rows = desk.pending()
    assert [row.id for row in rows] == [plan, edit]
    assert rows[0].to_json() == {
        "id": plan, "kind": "plan", "title": "Tidy", "asker": "claude", "destructive": False, "asks": [], "flags": [],
        "createdAt": rows[0].to_json()["createdAt"], "expiresAt": rows[0].to_json()["expiresAt"],
    }  # fmt: skip


def test_accepting_runs_the_stored_call_at_once(desk, house):
    answer = desk.edit()
    decided = desk.accept()
    assert house.read("a.txt") == b"new\n"
    assert decided.record.status is Status.CONSUMED
    assert decided.record.decided_by == "ann"
    assert (decided.envelope.ok, decided.envelope.data["committed"]) == (True, True)
    entry = house.tx.history(1)[0]
    assert (entry.actor, entry.approval_id) == (AGENT, answer.data["approval"]["id"])
    assert desk.told[-1] == ApprovalDecided(decided.record.id, "transaction", "consumed")


def test_the_asker_gets_that_result_by_the_resume_or_the_same_call_once(desk):
    answer = desk.edit()
    desk.accept()
    resumed = desk.ask(**answer.data["approval"]["resume"]["arguments"])
    assert (resumed.ok, resumed.data["committed"]) == (True, True)
    again = desk.edit()
    assert not again.ok
    assert "already exists" in again.summary


def test_holding_only_approves(desk, house):
    answer = desk.edit()
    decided = desk.accept(hold=True)
    assert (decided.record.status, decided.envelope) == (Status.APPROVED, None)
    assert not (house.folder / "a.txt").exists()
    assert desk.ask(**answer.data["approval"]["resume"]["arguments"]).data["committed"]
    assert house.read("a.txt") == b"new\n"
    assert desk.status(decided.record.id) is Status.CONSUMED


def test_a_call_that_fails_leaves_the_approval_approved(desk, house):
    approval_id = desk.staged()
    house.write("a.txt", "mine\n")
    decided = desk.accept()
    assert (decided.envelope.ok, decided.envelope.error["code"]) == (False, "EDIT_CONFLICT")
    assert decided.record.status is Status.APPROVED
    assert house.read("a.txt") == b"mine\n"
    assert desk.told[-1] == ApprovalDecided(approval_id, "transaction", "finished")
    answer = desk.edit()
    assert answer.error["code"] == "EDIT_CONFLICT"


def test_a_stored_call_of_another_version_fails_as_its_result(desk, house):
    house.workspace.approvals.stage(
        kind="command", title="t", destructive=False, asks=(), fingerprint="f", requests=("r",), tool="workspace_gone",
        arguments={"action": "run"}, preview={}, actor=AGENT, profile="workspace",
    )  # fmt: skip
    decided = desk.accept()
    assert (decided.envelope.ok, decided.envelope.error["code"]) == (False, "NOT_FOUND")
    assert decided.record.status is Status.APPROVED


def test_an_asker_that_was_faster_keeps_its_own_answer(desk, house):
    approval_id = desk.staged()
    raced = []

    def resume_first(_number, event):
        if event == ApprovalDecided(approval_id, "transaction", "approved"):
            raced.append(desk.edit())

    house.workspace.store.subscribe(resume_first)
    decided = desk.accept()
    assert raced[0].data["committed"]
    assert decided.record.status is Status.CONSUMED
    assert decided.record.result is None
    assert len(house.tx.history(9)) == 1


def test_denying_blocks_the_identical_operation(desk, house):
    approval_id = desk.staged()
    decided = desk.deny("not this file")
    assert (decided.record.status, decided.record.note, decided.envelope) == (Status.DENIED, "not this file", None)
    answer = desk.edit()
    assert answer.error["code"] == "APPROVAL_DENIED"
    assert answer.error["details"] == {"approvalId": approval_id}
    assert "not this file" in answer.summary
    assert desk.edit(content="other\n").data["status"] == "pending_approval"
    house.time += LIFETIME_SECONDS
    assert desk.edit().data["status"] == "pending_approval"


def test_accepting_a_plan_just_decides_it(desk, house):
    house.settings = Settings(mode="plan")
    plan_id = desk.plan()
    assert desk.edit().error["code"] == "APPROVAL_REQUIRED"
    decided = desk.accept("go")
    assert (decided.record.status, decided.record.note, decided.envelope) == (Status.APPROVED, "go", None)
    assert PlanChanged(plan_id, "approved") in desk.told
    assert desk.edit().data["committed"]
    desk.ask("workspace_plan", action="complete")
    assert desk.edit("b.txt").error["code"] == "APPROVAL_REQUIRED"


def test_denying_a_plan(desk):
    plan_id = desk.plan()
    desk.deny(f"{plan_id} too much")
    assert PlanChanged(plan_id, "denied") in desk.told
    assert desk.status(plan_id) is Status.DENIED


# Which record is meant.


def test_nothing_waits(desk):
    for do in (desk.accept, desk.deny, desk.show):
        refused(ErrorCode.NOT_FOUND, do)


def test_a_word_that_is_no_id_is_a_note(desk):
    desk.staged()
    assert desk.accept("approve it, ann").record.note == "approve it, ann"


def test_an_id_and_a_note(desk):
    first, second = desk.staged("a.txt"), desk.staged("b.txt")
    decided = desk.accept(f"  {first}   fine by me ")
    assert (decided.record.id, decided.record.note) == (first, "fine by me")
    assert desk.status(second) is Status.PENDING


def test_an_id_by_its_beginning(desk, house):
    numbers = iter((1, 2, 30, 40, 500, 600))
    house.ids = lambda: next(numbers)
    first = desk.staged("a.txt")
    desk.staged("b.txt")
    error = refused(ErrorCode.AMBIGUOUS_APPROVAL, desk.accept, first[:-2])
    assert len(error.details["pending"]) == 2
    desk.accept(first)
    assert desk.accept(first[:-2]).record.id != first


def test_an_unknown_id(desk):
    desk.staged()
    error = refused(ErrorCode.NOT_FOUND, desk.accept, "approval_zzz\x1b[2J")
    assert "\x1b" not in str(error)
    assert len(desk.pending()) == 1


def test_a_bare_word_decides_the_only_one(desk):
    approval_id = desk.staged()
    assert desk.deny().record.id == approval_id


def test_a_bare_word_among_several_is_refused_with_the_list(desk):
    first, second = desk.staged("a.txt"), desk.staged("b.txt")
    for do, verb in ((desk.accept, "accept"), (desk.deny, "deny")):
        error = refused(ErrorCode.AMBIGUOUS_APPROVAL, do, "fine")
        assert [row["id"] for row in error.details["pending"]] == [second, first]
        assert first in error.message
        assert f"workroom {verb} ID" in error.next_step
    assert len(desk.pending()) == 2


def test_a_title_cant_pass_for_another_line_of_the_list(desk):
    first, second = (
        desk.house.workspace.approvals.stage(
            kind="command", title=title, destructive=False, asks=(), fingerprint=title, requests=(), tool="workspace_x",
            arguments={}, preview={}, actor=AGENT, profile="workspace",
        ).id
        for title in ('x")\napproval_9 "y\x1b[2J\u202e', "b" * 200)
    )  # fmt: skip
    error = refused(ErrorCode.AMBIGUOUS_APPROVAL, desk.accept)
    assert error.message.splitlines() == [
        "Several requests wait, and the newest isn't the one you were shown last:",
        f'{second} "{"b" * 60}"',
        f'{first} "x\\")\\\\napproval_9 \\"y\\\\x1b[2J\\\\u202e"',
    ]


def test_a_bare_word_decides_the_newest_when_it_was_shown_last_to_this_person(desk):
    first, second = desk.staged("a.txt"), desk.staged("b.txt")
    desk.show(second, who=BOB)
    refused(ErrorCode.AMBIGUOUS_APPROVAL, desk.accept)
    desk.show(second)
    desk.show(first)
    refused(ErrorCode.AMBIGUOUS_APPROVAL, desk.accept)
    desk.show()
    assert desk.accept().record.id == second
    assert desk.status(first) is Status.PENDING


def test_what_came_since_the_showing_is_not_decided(desk):
    first = desk.staged("a.txt")
    desk.show(first)
    desk.staged("b.txt")
    refused(ErrorCode.AMBIGUOUS_APPROVAL, desk.accept)


def test_a_long_list_is_cut_in_the_sentence_only(desk):
    for number in range(12):
        desk.staged(f"{number}.txt")
    error = refused(ErrorCode.AMBIGUOUS_APPROVAL, desk.accept)
    assert error.message.splitlines()[-1] == "and 2 more."
    assert len(error.message.splitlines()) == 12
    assert len(error.details["pending"]) == 12


def test_what_is_decided_or_expired_is_not_decided_again(desk, house):
    approval_id = desk.staged()
    desk.deny()
    refused(ErrorCode.TRANSACTION_STATE, desk.accept, approval_id)
    expired = desk.staged("b.txt")
    house.time += LIFETIME_SECONDS
    refused(ErrorCode.TRANSACTION_STATE, desk.deny, expired)


# What may be accepted.


def test_a_destructive_call_under_a_ceiling_of_refuse(desk, house):
    house.write("a.txt", "old\n")
    delete = [{"type": "delete", "path": "a.txt"}]
    approval_id = desk.ask(action="apply", operations=delete).data["approval"]["id"]
    house.settings = Settings(mode="manual", destructive_edits="refuse")
    refused(ErrorCode.PROTECTED_PATH, desk.accept, approval_id)
    assert desk.status(approval_id) is Status.PENDING
    house.settings = Settings(mode="manual", destructive_edits="ask")
    assert desk.accept(approval_id).envelope.ok
    assert not (house.folder / "a.txt").exists()


def test_what_is_too_long_to_be_read_cant_be_accepted(desk, house):
    approval_id = desk.staged(content="x\n" * 20_001)
    assert "too long" in desk.show(approval_id).obstacle
    assert "deny" in refused(ErrorCode.LIMIT_EXCEEDED, desk.accept, approval_id).next_step
    assert desk.status(approval_id) is Status.PENDING
    assert not (house.folder / "a.txt").exists()
    assert desk.deny(approval_id).record.status is Status.DENIED


# What is shown.


def test_showing_a_pending_record_marks_it(desk, house):
    approval_id = desk.staged()
    presented = desk.show(approval_id)
    assert presented.record.id == approval_id
    assert house.workspace.approvals.last_shown("ann") == approval_id


def test_showing_what_is_decided_marks_nothing(desk, house):
    first, second = desk.staged("a.txt"), desk.staged("b.txt")
    desk.show(second)
    desk.deny(first)
    assert desk.show(first).record.status is Status.DENIED
    assert house.workspace.approvals.last_shown("ann") == second


def test_what_was_done_is_told_though_its_result_cant_be_kept(desk, house):
    approval_id = desk.staged()
    with house.workspace.store.write() as db:
        db.execute(
            "CREATE TEMP TRIGGER refusing BEFORE UPDATE OF result ON main.approvals "
            "BEGIN SELECT RAISE(ABORT, 'the disk is broken'); END"
        )
    decided = desk.accept()
    assert decided.envelope.ok
    assert desk.status(approval_id) is Status.CONSUMED
    assert house.read("a.txt") == b"new\n"
