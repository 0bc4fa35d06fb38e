"""What waits for the person, and what they said: each status and each way between them."""

import itertools
import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from workroom.base.actor import Actor
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.events import ApprovalDecided, ApprovalStaged, PlanChanged
from workroom.core.approvals import KEPT, KEPT_EACH, LIFETIME_SECONDS, MIGRATIONS, VIEW_PATH, Approvals, Denial, Status
from workroom.core.transactions.consumption import consume
from workroom.core.transactions.tables import MIGRATIONS as TRANSACTIONS
from workroom.system.agentic import Agentic
from workroom.system.root import Root
from workroom.system.store import Store

AGENT = Actor("agent", "claude", "session-1")
OTHER = Actor("agent", "codex", "session-2")


class Room:
    """The records of one workspace, with a clock that stands still and ids that count."""

    def __init__(self, folder):
        self.at = 1_000_000.0
        self.numbers = itertools.count(1)
        self.store = Store(folder, [*TRANSACTIONS, *MIGRATIONS])
        self.approvals = Approvals(self.store, lambda: self.at, lambda prefix: f"{prefix}_{next(self.numbers):04}")
        self.told = []
        self.store.subscribe(lambda _number, event: self.told.append(event))

    def stage(self, fingerprint="f1", *, actor=AGENT, kind="transaction", title="Commit", requests=("r1",), **more):
        return self.approvals.stage(
            kind=kind, title=title, destructive=False, asks=(), fingerprint=fingerprint, requests=requests,
            tool="workspace_edit", arguments={"action": "commit", "transaction_id": "tx_1"}, preview={"data": {}},
            actor=actor, profile="workspace", **more,
        )  # fmt: skip

    def use(self, approval_id):
        with self.store.write() as db:
            consume(db, approval_id, "tx_1", self.at)

    def plan(self, plan_id):
        with self.store.write() as db:
            superseded = self.approvals.supersede_plans(db)
            self.stage(plan_id, kind="plan", requests=(), id=plan_id)
        return superseded


@pytest.fixture
def room(tmp_path):
    room = Room(tmp_path / "store")
    yield room
    room.store.close()


def refused(code, do, *arguments):
    with pytest.raises(WorkroomError) as caught:
        do(*arguments)
    assert caught.value.code is code
    return str(caught.value)


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


def crowd(room, askers, each, name="agent"):
    """Fill the room with what `askers` agents ask, `each` as often."""
    with room.store.write():  # one trip to the disk
        return [
            room.stage(f"{name}{agent} {number}", actor=Actor("agent", f"{name}{agent}", "s"))
            for agent in range(askers)
            for number in range(each)
        ]


def kept(room, *records):
    ids = {record.id for record in room.approvals.list(set(Status), 1000)}
    return [record.id in ids for record in records]


def test_300_are_kept_and_the_finished_go_first(room):
    consumed, denied, approved = room.stage("f1"), room.stage("f2"), room.stage("f3")
    room.approvals.mark_shown(consumed.id, "ann", "")
    for record in (consumed, approved):
        room.approvals.approve(record.id, "ann")
    room.approvals.deny(denied.id, "ann", "no")
    room.use(consumed.id)
    crowd(room, 3, 99)
    for gone in ([True, True, True], [False, True, True], [False, False, True]):
        assert kept(room, consumed, denied, approved) == gone
        room.stage(f"one more than {gone}")
    assert len(room.approvals.list(set(Status), 1000)) == KEPT
    assert room.approvals.denial("f2") == Denial(denied.id, "no")
    assert room.approvals.last_shown("ann") is None
    assert kept(room, approved) == [True]


def test_an_asker_has_at_most_100_waiting_and_others_are_not_locked_out(room):
    waiting = crowd(room, 1, KEPT_EACH)
    flooder = waiting[0].actor
    message = refused(ErrorCode.LIMIT_EXCEEDED, lambda: room.stage("one too many", actor=flooder))
    assert "100" in message
    assert room.stage(waiting[0].fingerprint, actor=flooder).id == waiting[0].id
    assert room.stage("f1", actor=AGENT).status is Status.PENDING
    room.approvals.deny(waiting[0].id, "ann")
    assert room.stage("one more", actor=flooder)


def test_who_has_less_waiting_gets_the_room_of_who_has_most(room):
    waiting = crowd(room, 3, KEPT_EACH)
    own = room.stage("f1", actor=AGENT)
    assert kept(room, own, waiting[-1], waiting[-2], waiting[0]) == [True, False, True, True]
    crowd(room, 300, 1, "more")
    assert kept(room, own) == [True]
    assert room.approvals.count_pending() == KEPT
    assert "300" in refused(ErrorCode.LIMIT_EXCEEDED, room.stage, "f2")


def test_a_plan_finds_room_and_stays(room):
    crowd(room, 3, KEPT_EACH)
    room.plan("plan_a")
    room.approvals.approve("plan_a", "ann")
    room.plan("plan_b")
    room.approvals.approve("plan_b", "ann")
    crowd(room, 300, 1, "more")
    assert room.approvals.active_plan().id == "plan_b"
    room.plan("plan_c")
    crowd(room, 310, 1, "again")
    assert room.approvals.pending_plan().id == "plan_c"
    assert len(room.approvals.list(set(Status), 1000)) == KEPT


def test_an_approved_record_makes_way_for_a_plan_only(room):
    records = crowd(room, 3, KEPT_EACH)
    with room.store.write():
        for record in records:
            room.approvals.approve(record.id, "ann")
    refused(ErrorCode.LIMIT_EXCEEDED, room.stage, "f1")
    room.plan("plan_a")
    assert kept(room, *records[:2]) == [False, True]
    assert room.approvals.pending_plan().id == "plan_a"


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


def test_the_view_follows_the_records(room, tmp_path):
    (tmp_path / "folder").mkdir()
    with Root.open(tmp_path / "folder") as root:
        end = room.approvals.keep_view(Agentic(root))
        view = tmp_path / "folder" / ".agentic" / VIEW_PATH
        assert not view.parent.parent.exists()
        record = room.stage(title="Commit tx_1")
        assert json.loads(view.read_text())["approvals"] == [
            {
                "id": record.id, "kind": "transaction", "title": "Commit tx_1", "status": "pending",
                "destructive": False, "actor": "claude", "note": "", "decidedAt": None,
                "resume": {"tool": "workspace_edit", "arguments": {"action": "commit", "transaction_id": "tx_1"}},
                "createdAt": "1970-01-12T13:46:40.000Z", "expiresAt": "1970-01-13T13:46:40.000Z",
            }
        ]  # fmt: skip
        room.approvals.approve(record.id, "ann")
        row = json.loads(view.read_text())["approvals"][0]
        assert (row["status"], row["decidedAt"]) == ("approved", "1970-01-12T13:46:40.000Z")
        end()
        room.stage("f2")
        assert len(json.loads(view.read_text())["approvals"]) == 1


def test_a_view_that_a_clone_brings_is_replaced(room, tmp_path):
    view = tmp_path / "folder" / ".agentic" / VIEW_PATH
    view.parent.mkdir(parents=True)
    view.write_text('{"approvals": [{"id": "approval_x", "status": "approved"}]}')
    with Root.open(tmp_path / "folder") as root:
        room.approvals.keep_view(Agentic(root))
    assert json.loads(view.read_text())["approvals"] == []
    refused(ErrorCode.NOT_FOUND, room.approvals.get, "approval_x")


@pytest.mark.parametrize("place", [".agentic", ".agentic/approvals"])
def test_a_view_that_cant_be_written_stops_nobody(room, tmp_path, caplog, place):
    stands = tmp_path / "folder" / place
    stands.parent.mkdir(parents=True)
    stands.write_text("a file where a folder goes")
    with Root.open(tmp_path / "folder") as root:
        room.approvals.keep_view(Agentic(root))
        assert room.stage().status is Status.PENDING
    assert "can't be written" in caplog.text
