"""What waits for the person, and what they said: each status and each way between them."""

import hashlib
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.core.approvals.conftest import AGENT, OTHER, Room, refused

from workroom.base.actor import Actor
from workroom.base.errors import ErrorCode
from workroom.base.events import ApprovalDecided, ApprovalStaged, PlanChanged
from workroom.core.approvals import LIFETIME_SECONDS, Amendment, Denial, Status


def test_a_staged_record_has_every_field(room):
    record = room.approvals.stage(
        kind="transaction", title="Commit tx_1", destructive=True, asks=(".npmrc can run code",), fingerprint="f1",
        effect="e1", requests=("r1", "r2"), tool="workspace_edit", arguments={"action": "commit"},
        preview={"data": {"a": 1}}, actor=AGENT, profile="files",
    )  # fmt: skip
    assert record.id == "approval_0001"
    assert (record.kind, record.title, record.status) == ("transaction", "Commit tx_1", Status.PENDING)
    assert (record.destructive, record.asks) == (True, (".npmrc can run code",))
    assert (record.fingerprint, record.effect) == ("f1", "e1")
    assert (record.tool, record.arguments, record.preview) == (
        "workspace_edit",
        {"action": "commit"},
        {"data": {"a": 1}},
    )
    assert (record.actor, record.profile) == (AGENT, "files")
    assert (record.created_at, record.expires_at) == (room.at, room.at + LIFETIME_SECONDS)
    assert (record.decided_at, record.decided_by, record.note) == (None, None, "")
    assert (record.result, record.collected) == (None, False)
    assert room.told == [ApprovalStaged("approval_0001", "transaction", "Commit tx_1")]


def test_the_same_operation_gets_the_same_record_while_it_waits(room):
    first = room.stage(requests=("apply",))
    again = room.stage(requests=("commit",))
    assert again.id == first.id
    assert room.approvals.count_pending() == 1
    room.approvals.approve(first.id, "ann")
    room.use(first.id)
    room.approvals.finish(first.id, {"envelope": {}, "text": ""})
    assert room.approvals.collect("commit", AGENT) is not None
    assert room.stage().id != first.id


def test_another_asker_gets_a_record_of_its_own(room):
    assert room.stage(actor=OTHER).id != room.stage(actor=AGENT).id


def test_a_reconnected_asker_is_the_same_asker(room):
    assert room.stage(actor=AGENT).id == room.stage(actor=Actor("agent", "claude", "session-9")).id


def test_approving(room):
    record = room.stage()
    room.at += 5
    approved = room.approvals.approve(record.id, "ann", "go on")
    assert approved.status is Status.APPROVED
    assert (approved.decided_at, approved.decided_by, approved.note) == (room.at, "ann", "go on")
    assert room.told[-1] == ApprovalDecided(record.id, "transaction", "approved")


def test_denying(room):
    denied = room.approvals.deny(room.stage().id, "ann", "not that file")
    assert (denied.status, denied.note) == (Status.DENIED, "not that file")
    assert room.told[-1] == ApprovalDecided(denied.id, "transaction", "denied")


def test_a_record_is_decided_once(room):
    record = room.stage()
    room.approvals.deny(record.id, "ann")
    assert "denied" in refused(ErrorCode.TRANSACTION_STATE, room.approvals.approve, record.id, "ann")
    assert "denied" in refused(ErrorCode.TRANSACTION_STATE, room.approvals.deny, record.id, "ann")
    refused(ErrorCode.NOT_FOUND, room.approvals.approve, "approval_9999", "ann")


def test_a_record_that_has_used_its_time_up_is_expired(room):
    waiting, approved, denied = room.stage("f1"), room.stage("f2"), room.stage("f3")
    room.approvals.approve(approved.id, "ann")
    room.approvals.deny(denied.id, "ann")
    room.at += LIFETIME_SECONDS - 1
    assert [room.approvals.get(r.id).status.value for r in (waiting, approved, denied)] == [
        "pending", "approved", "denied",
    ]  # fmt: skip
    room.at += 1
    for record in (waiting, approved, denied):
        assert room.approvals.get(record.id).status is Status.EXPIRED
        assert room.approvals.find(record.fingerprint, AGENT) is None
    assert "expired" in refused(ErrorCode.TRANSACTION_STATE, room.approvals.approve, waiting.id, "ann")
    assert room.approvals.pending() == ()
    assert room.stage("f1").id != waiting.id


def test_what_is_consumed_stays_so(room):
    record = room.stage()
    room.approvals.approve(record.id, "ann")
    room.use(record.id)
    room.at += LIFETIME_SECONDS
    assert room.approvals.get(record.id).status is Status.CONSUMED
    assert room.approvals.find("f1", AGENT) is None


def test_find_answers_the_newest_record_that_waits_or_is_approved(room):
    assert room.approvals.find("f1", AGENT) is None
    old = room.stage()
    room.approvals.approve(old.id, "ann")
    new = room.stage()
    assert room.approvals.find("f1", AGENT).id == new.id
    room.approvals.deny(new.id, "ann")
    assert room.approvals.find("f1", AGENT).id == old.id


def test_an_approval_is_its_askers_and_a_denial_binds_everyone(room):
    record = room.stage(actor=AGENT)
    assert room.approvals.find("f1", OTHER) is None
    room.approvals.approve(record.id, "ann")
    assert room.approvals.find("f1", OTHER) is None
    assert room.approvals.find("f1", AGENT).id == record.id
    denied = room.stage("f2", actor=AGENT)
    room.approvals.deny(denied.id, "ann", "not that file")
    assert room.approvals.find("f2", AGENT) is None
    assert room.approvals.denial("f2") == Denial(denied.id, "not that file")
    assert room.approvals.denial("f1") is None


def test_a_denial_is_bound_to_the_effect(room):
    denied = room.stage("f1", effect="e")
    room.approvals.deny(denied.id, "ann")
    assert room.approvals.denial("e") == Denial(denied.id, "")
    assert room.approvals.denial("f1") is None
    again = room.stage("f2", effect="e", actor=OTHER)
    room.approvals.deny(again.id, "ann", "still not")
    assert room.approvals.denial("e") == Denial(again.id, "still not")


def test_a_denial_stands_until_its_record_expires(room):
    room.approvals.deny(room.stage("f1").id, "ann")
    room.at += LIFETIME_SECONDS - 1
    assert room.approvals.denial("f1")
    room.at += 1
    assert room.approvals.denial("f1") is None
    room.approvals.deny(room.stage("f2").id, "ann")
    with room.store.read() as db:
        assert [row[0] for row in db.execute("SELECT effect FROM denials")] == ["f2"]


def test_the_persons_last_word_on_an_effect_counts(room):
    denied, other = room.stage("f1", effect="e"), room.stage("f2", effect="e", actor=OTHER)
    room.approvals.deny(denied.id, "ann")
    room.approvals.approve(other.id, "ann")
    assert room.approvals.denial("e") is None


def test_a_result_is_collected_once_by_who_asked(room):
    record = room.stage(requests=("apply", "commit"))
    assert room.approvals.collect("apply", AGENT) is None
    room.approvals.approve(record.id, "ann")
    room.use(record.id)
    result = {"envelope": {"ok": True}, "text": "done"}
    room.approvals.finish(record.id, result)
    assert room.told[-1] == ApprovalDecided(record.id, "transaction", "consumed")
    assert room.approvals.collect("apply", OTHER) is None
    assert room.approvals.collect("other", AGENT) is None
    assert room.approvals.collect("commit", AGENT) == result
    assert room.approvals.collect("apply", AGENT) is None
    assert room.approvals.get(record.id).collected


def test_a_failure_leaves_it_approved_and_is_collected_too(room):
    record = room.stage()
    room.approvals.approve(record.id, "ann")
    room.approvals.finish(record.id, {"envelope": {"ok": False}, "text": ""})
    assert room.told[-1] == ApprovalDecided(record.id, "transaction", "finished")
    assert room.approvals.get(record.id).status is Status.APPROVED
    assert room.approvals.collect("r1", AGENT) == {"envelope": {"ok": False}, "text": ""}
    assert room.approvals.find("f1", AGENT).id == record.id


def test_an_old_result_answers_no_new_call(room):
    record = room.stage()
    room.approvals.approve(record.id, "ann")
    room.approvals.finish(record.id, {"envelope": {}, "text": ""})
    room.at += LIFETIME_SECONDS
    assert room.approvals.collect("r1", AGENT) is None


def test_of_many_collectors_one_gets_the_result(room):
    record = room.stage()
    room.approvals.approve(record.id, "ann")
    room.approvals.finish(record.id, {"envelope": {}, "text": ""})
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: room.approvals.collect("r1", AGENT), range(8)))
    assert sum(result is not None for result in results) == 1


def test_a_result_collected_meanwhile_is_not_given_again(room):
    record = room.stage()
    room.approvals.approve(record.id, "ann")
    room.approvals.finish(record.id, {"envelope": {}, "text": ""})
    lasting = room.approvals.get(record.id)
    room.approvals.collect("r1", AGENT)
    assert room.approvals.get(record.id).collected
    assert not lasting.collected


def test_pending_is_newest_first_plans_included(room):
    one = room.stage("f1")
    room.plan("plan_a")
    two = room.stage("f2")
    room.approvals.deny(one.id, "ann")
    assert [record.id for record in room.approvals.pending()] == [two.id, "plan_a"]
    assert room.approvals.count_pending() == 2
    assert [r.id for r in room.approvals.list({Status.DENIED, Status.PENDING}, 2)] == [two.id, "plan_a"]
    assert [r.id for r in room.approvals.list({Status.DENIED}, 9)] == [one.id]
    assert room.approvals.list((), 9) == ()
    assert [r.id for r in room.approvals.list({Status.DENIED, Status.PENDING}, 2, plans=False)] == [two.id, one.id]


def test_an_id_by_its_beginning(room):
    first, second = room.stage("f1"), room.stage("f2")
    assert [r.id for r in room.approvals.resolve_prefix("approval_000")] == [second.id, first.id]
    assert [r.id for r in room.approvals.resolve_prefix(first.id)] == [first.id]
    assert room.approvals.resolve_prefix("approval%") == ()


def test_a_plan_unlocks_until_it_is_completed(room):
    assert room.plan("plan_a") == ()
    assert room.approvals.pending_plan().id == "plan_a"
    assert room.approvals.active_plan() is None
    room.approvals.approve("plan_a", "ann")
    assert room.approvals.active_plan().id == "plan_a"
    assert room.approvals.pending_plan() is None
    assert room.approvals.complete("plan_a").status is Status.COMPLETED
    assert room.approvals.active_plan() is None
    changes = [(event.plan_id, event.status) for event in room.told if isinstance(event, PlanChanged)]
    assert changes == [("plan_a", "pending"), ("plan_a", "approved"), ("plan_a", "completed")]


def test_an_approved_plan_stands_for_a_day(room):
    room.plan("plan_a")
    room.approvals.approve("plan_a", "ann")
    room.at += LIFETIME_SECONDS
    assert room.approvals.active_plan() is None


def test_a_new_plan_supersedes_a_pending_and_an_approved_one(room):
    room.plan("plan_a")
    assert room.plan("plan_b") == ("plan_a",)
    room.approvals.approve("plan_b", "ann")
    assert room.plan("plan_c") == ("plan_b",)
    assert [room.approvals.get(f"plan_{x}").status.value for x in "abc"] == ["superseded", "superseded", "pending"]
    assert room.approvals.active_plan() is None


def test_only_an_approved_plan_is_completed(room):
    room.plan("plan_a")
    message = refused(ErrorCode.TRANSACTION_STATE, room.approvals.complete, "plan_a")
    assert "plan_a" in message
    assert "wait" in message
    room.approvals.deny("plan_a", "ann")
    assert "denied" in refused(ErrorCode.TRANSACTION_STATE, room.approvals.complete, "plan_a")
    approval = room.stage()
    room.approvals.approve(approval.id, "ann")
    refused(ErrorCode.TRANSACTION_STATE, room.approvals.complete, approval.id)
    refused(ErrorCode.NOT_FOUND, room.approvals.complete, "plan_z")


def test_last_shown_is_a_persons_own(room):
    first, second = room.stage("f1"), room.stage("f2")
    assert room.approvals.last_shown("ann") is None
    room.approvals.mark_shown(first.id, "ann", "a" * 64)
    room.approvals.mark_shown(second.id, "ann", "b" * 64)
    room.approvals.mark_shown(first.id, "bob", "a" * 64)
    assert room.approvals.last_shown("ann") == second.id
    assert room.approvals.last_shown("bob") == first.id
    refused(ErrorCode.NOT_FOUND, room.approvals.mark_shown, "approval_9999", "ann", "")


def test_a_record_survives_a_restart(room, tmp_path):
    record = room.stage()
    room.store.close()
    again = Room(tmp_path / "store")
    assert again.approvals.find("f1", AGENT).id == record.id
    again.store.close()


def test_a_failed_unit_of_work_stages_nothing(room):
    def fail():
        with room.store.write():
            room.stage()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert room.approvals.pending() == ()
    assert room.told == []


def test_while_a_session_is_there_its_records_are_its_own(room):
    twin, next_one = Actor("agent", AGENT.name, "session-9"), Actor("agent", AGENT.name, "session-10")
    for session in (AGENT.session, twin.session):
        room.approvals.arrive(session)
    record = room.stage(requests=("r1",))
    assert room.stage(actor=twin).id != record.id
    room.approvals.approve(record.id, "ann")
    assert room.approvals.find("f1", AGENT).id != room.approvals.find("f1", twin).id
    room.approvals.finish(record.id, {"a": 1})
    assert room.approvals.collect("r1", twin) is None
    room.approvals.leave(AGENT.session)
    room.approvals.leave("session-unknown")
    assert room.approvals.collect("r1", next_one) == {"a": 1}


def test_an_amended_yes_binds_the_record_anew_and_keeps_what_was_asked(room):
    amendment = Amendment("f2", "e2", {"action": "other"}, True, ("asked",), {"how": "in part", "files": ["a"]})
    record = room.stage(requests=("r1",), effect="e1")
    amended = room.approvals.approve(record.id, "ann", amendment=amendment)
    assert (amended.fingerprint, amended.effect, amended.arguments) == ("f2", "e2", {"action": "other"})
    assert (amended.destructive, amended.asks) == (True, ("asked",))
    assert amended.amended == {
        "how": "in part", "files": ["a"], "asked": {"fingerprint": "f1", "arguments": record.arguments},
    }  # fmt: skip
    assert room.approvals.find("f1", AGENT) is None
    assert room.approvals.find("f2", AGENT) == amended
    assert room.approvals.held("r1", AGENT) == amended
    assert room.approvals.held("r1", OTHER) is None
    room.approvals.finish(record.id, {"a": 1}, collected=True)
    assert room.approvals.held("r1", AGENT) is None
    assert room.approvals.collect("r1", AGENT) is None
    refused(
        ErrorCode.TRANSACTION_STATE, lambda: room.approvals.approve(record.id, "ann", amendment=amendment)
    )  # fmt: skip


def test_a_yes_to_a_part_leaves_the_no_to_the_whole(room):
    room.approvals.deny(room.stage(effect="e1").id, "ann", "not all of it")
    amendment = Amendment("f2", "e2", {}, False, (), {"how": "in part"})
    room.approvals.approve(room.stage(fingerprint="f3", effect="e1").id, "ann", amendment=amendment)
    assert room.approvals.denial("e1") is not None


def test_the_audit_log_tells_what_was_asked_in_full(room):
    record = room.approvals.stage(
        kind="transaction", title="Commit", destructive=True, asks=("why",), fingerprint="f1", effect="e1", requests=(),
        tool="workspace_edit", arguments={"action": "commit"}, preview={}, actor=AGENT, profile="files",
    )  # fmt: skip
    digest = hashlib.sha256(b'{"action":"commit"}').hexdigest()
    assert room.lines("staged") == [
        (
            "agent",
            "claude",
            {
                "approval": record.id, "what": "transaction", "title": "Commit", "tool": "workspace_edit",
                "profile": "files", "destructive": True, "asks": ["why"], "fingerprint": "f1", "effect": "e1",
                "arguments": digest,
            },
        )
    ]  # fmt: skip


def test_a_decision_without_a_word_and_a_place_has_none(room):
    accepted, refused_ = room.stage("f1"), room.stage("f2")
    assert room.approvals.approve(accepted.id, "ann").note == ""
    assert room.approvals.deny(refused_.id, "ann").note == ""
    assert [(line["note"], line["surface"]) for _, _, line in room.lines("decided")] == [("", ""), ("", "")]


def test_the_audit_log_tells_what_was_shown_and_to_whom(room):
    record, other = room.stage("f1"), room.stage("f2")
    for person, sha in (("ann", "aa"), ("ann", "aa"), ("ann", "bb"), ("bob", "cc")):
        room.approvals.mark_shown(record.id, person, sha, surface="terminal")
    room.approvals.mark_shown(other.id, "ann", "dd")
    shown = {"approval": record.id, "surface": "terminal"}
    assert room.lines("shown") == [
        ("person", "ann", {**shown, "sha256": "aa"}),
        ("person", "ann", {**shown, "sha256": "bb"}),
        ("person", "bob", {**shown, "sha256": "cc"}),
        ("person", "ann", {"approval": other.id, "surface": "", "sha256": "dd"}),
    ]
    room.approvals.approve(record.id, "ann", "go on", surface="page")
    room.approvals.deny(other.id, "bob", "no", surface="chat")
    assert room.lines("decided") == [
        (
            "person",
            "ann",
            {"approval": record.id, "decision": "approved", "note": "go on", "surface": "page", "fingerprint": "f1",
             "shown": "bb"},
        ),
        (
            "person",
            "bob",
            {"approval": other.id, "decision": "denied", "note": "no", "surface": "chat", "fingerprint": "f2"},
        ),
    ]  # fmt: skip


def test_a_word_without_a_note_or_a_place_has_neither(room):
    yes, no = room.stage("f1"), room.stage("f2")
    assert room.approvals.approve(yes.id, "ann").note == ""
    assert room.approvals.deny(no.id, "ann").note == ""
    assert [(told["note"], told["surface"]) for _, _, told in room.lines("decided")] == [("", ""), ("", "")]


def test_the_audit_log_tells_what_a_yes_to_something_else_was_to(room):
    record = room.stage("f1")
    room.approvals.approve(record.id, "ann", amendment=Amendment("f2", "e2", {}, False, (), {"how": "in part"}))
    ((_, _, told),) = room.lines("decided")
    assert (told["fingerprint"], told["how"], told["asked"]) == ("f2", "in part", "f1")


@pytest.mark.parametrize("ok", [True, False])
def test_the_audit_log_tells_how_an_accepted_call_ended(room, ok):
    record = room.stage()
    room.approvals.approve(record.id, "ann")
    room.approvals.finish(record.id, {"envelope": {"ok": ok}})
    digest = hashlib.sha256(f'{{"envelope":{{"ok":{str(ok).lower()}}}}}'.encode()).hexdigest()
    told = {"approval": record.id, "ok": ok, "status": "finished", "sha256": digest}
    assert room.lines("answered") == [("agent", "claude", told)]


def test_the_audit_log_tells_of_plans_that_end_and_listeners_too(room):
    room.plan("plan_a")
    room.plan("plan_b")
    room.approvals.approve("plan_b", "ann")
    room.approvals.complete("plan_b")
    assert room.lines("plan_ended") == [
        ("agent", "claude", {"approval": "plan_a", "status": "superseded"}),
        ("agent", "claude", {"approval": "plan_b", "status": "completed"}),
    ]
    changes = [(event.plan_id, event.status) for event in room.told if isinstance(event, PlanChanged)]
    assert changes == [
        ("plan_a", "pending"), ("plan_a", "superseded"), ("plan_b", "pending"), ("plan_b", "approved"),
        ("plan_b", "completed"),
    ]  # fmt: skip


def test_the_audit_log_tells_of_time_that_is_over_when_the_next_one_asks_or_decides(room):
    first, second = room.stage("f1"), room.stage("f2")
    room.at += LIFETIME_SECONDS
    room.approvals.tell_expired()
    assert room.lines("expired") == [
        ("program", "workroom", {"approval": record.id, "was": "pending"}) for record in (first, second)
    ]
    third = room.stage("f3")
    room.at += LIFETIME_SECONDS
    fourth = room.stage("f4")
    assert [told["approval"] for _, _, told in room.lines("expired")][2:] == [third.id]
    room.at += LIFETIME_SECONDS
    refused(ErrorCode.TRANSACTION_STATE, room.approvals.deny, fourth.id, "ann")
    assert [told["approval"] for _, _, told in room.lines("expired")][3:] == [fourth.id]


def test_another_call_for_the_same_may_collect_the_result_too(room):
    record = room.stage(requests=("first",))
    room.approvals.ask_again(record.id, "second")
    room.approvals.ask_again(record.id, "second")
    room.approvals.approve(record.id, "ann")
    room.approvals.finish(record.id, {"a": 1})
    assert room.approvals.collect("second", AGENT) == {"a": 1}


def test_what_is_over_waits_for_nobody(room):
    """Of the same action on the same transaction; what still stands is counted, and waits on."""
    first, second, third = (room.stage(f"f{number}") for number in range(3))
    other = room.approvals.stage(
        kind="transaction", title="Undo", destructive=False, asks=(), fingerprint="f4", requests=(),
        tool="workspace_edit", arguments={"action": "rollback", "transaction_id": "tx_1"}, preview={}, actor=AGENT,
        profile="workspace",
    )  # fmt: skip
    with room.store.write() as db:
        left = room.approvals.withdraw(db, "commit", "tx_1", "tx_2", lambda _, fingerprint: fingerprint != "f1")
        assert left == 2
        assert room.approvals.withdraw(db, "commit", "tx_9", "tx_2", lambda *_: False) == 0
    assert [room.approvals.get(record.id).status for record in (first, second, third, other)] == [
        Status.PENDING, Status.SUPERSEDED, Status.PENDING, Status.PENDING,
    ]  # fmt: skip
    assert room.lines("withdrawn") == [("program", "workroom", {"approval": second.id, "by": "tx_2"})]
    assert room.told[-1] == ApprovalDecided(second.id, "transaction", "superseded")
