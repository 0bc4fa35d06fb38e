"""How many records are kept, and what makes way for one more."""

from tests.core.approvals.conftest import AGENT, refused

from workroom.base.actor import Actor
from workroom.base.errors import ErrorCode
from workroom.core.approvals import KEPT, KEPT_EACH, Denial, Status


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


def test_the_audit_log_tells_of_what_still_stood_and_was_dropped(room):
    finished, denied = room.stage("f1"), room.stage("f2")
    room.approvals.approve(finished.id, "ann")
    room.use(finished.id)
    room.approvals.deny(denied.id, "ann")
    waiting = crowd(room, 3, KEPT_EACH - 1) + crowd(room, 1, 1, "one more ")
    assert kept(room, finished, denied) == [True, True]
    for fingerprint in ("f3", "f4", "f5"):
        room.stage(fingerprint)
    told = [(name, line["approval"], line["was"]) for _, name, line in room.lines("dropped")]
    assert told == [("workroom", denied.id, "denied"), ("workroom", waiting[296].id, "pending")]
    assert kept(room, finished, denied) == [False, False]


def test_a_plan_takes_the_place_of_what_waits_before_that_of_what_is_approved(room):
    """Also where whoever plans has most waiting, and no room of its own is left."""
    waiting = [room.stage(f"f{number}") for number in range(KEPT_EACH)]
    with room.store.write():
        for record in crowd(room, 2, KEPT_EACH):
            room.approvals.approve(record.id, "ann")
    room.plan("plan_a")
    assert kept(room, waiting[-1], waiting[-2]) == [False, True]
    assert room.approvals.pending_plan().id == "plan_a"
    assert len(room.approvals.list({Status.APPROVED}, 1000)) == 2 * KEPT_EACH


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
