"""The audit log of one workspace: what gets a line, what a look over it finds, and how refused calls are bounded."""

import json

import apsw
import pytest
from tests.conftest import AGENT, House

from workroom.base.actor import Actor
from workroom.base.audit import SessionEnded
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core import audit as module
from workroom.core.audit import Fault
from workroom.system.store import Store

CREATE = {"type": "create", "path": "a.txt", "content": "a\n"}
OUTSIDE = WorkroomError(ErrorCode.PATH_OUTSIDE_WORKSPACE, "../x leads out of the folder.")


def lines(house, kind=None):
    found = house.workspace.audit.lines()
    return [line for line in found if kind in {None, line["kind"]}]


def stage(house, fingerprint="f1", **more):
    return house.workspace.approvals.stage(
        kind="transaction", title="Commit", destructive=True, asks=("why",), fingerprint=fingerprint, requests=(),
        tool="workspace_edit", arguments={"action": "commit"}, preview={}, actor=AGENT, profile="files", **more,
    )  # fmt: skip


def tamper(house, *statements):
    """What somebody does who has the database before them, and no key; the workspace is closed meanwhile."""
    house.close()
    db = apsw.Connection(str(house.store_folder / "workspace.db"))
    for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        db.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        db.execute(statement)
    db.close()


def faults(house, since=1):
    return [fault for fault in house.workspace.audit.verify(since).faults if "guard" not in fault.what]


# What gets a line.


def test_a_new_log_begins_with_its_store_and_each_opening(house):
    house.reopen()
    begun, one, two = lines(house)
    assert begun["what"] == {"store": "test", "entries": 0, "used": 0}
    assert [line["what"] for line in (one, two)] == [
        {"path": str(house.folder), "head": "whole", "head_lines": 0, "head_hash": "0" * 64},
        {"path": str(house.folder), "head": "whole", "head_lines": 2, "head_hash": one["hash"]},
    ]
    assert two["who"]["kind"] == "program"


def test_a_commit_tells_who_asked_who_decided_and_what_was_done(house):
    entry = house.commit(house.plan(CREATE, title="Make a"), approval_id="approval_1")
    (line,) = lines(house, "entry")
    assert line["who"] == {"kind": "agent", "name": AGENT.name, "session": AGENT.session}
    assert line["what"].items() >= {
        "entry": 1, "transaction": entry.transaction_id, "cause": "edit", "title": "Make a", "changes": 1,
        "paths": ["a.txt"], "approval": "approval_1",
    }.items()  # fmt: skip
    assert "content" not in json.dumps(line)


def test_an_approval_tells_what_was_asked_shown_and_decided_and_where(house):
    approvals = house.workspace.approvals
    record = stage(house)
    for sha in ("ab", "ab", "cd"):  # the same once more is no news
        approvals.mark_shown(record.id, "ann", sha, surface="terminal")
    approvals.approve(record.id, "ann", "go on", surface="terminal")
    approvals.finish(record.id, {"envelope": {"ok": False}, "text": ""})
    denied = stage(house, "f2")
    approvals.deny(denied.id, "bob", "no", surface="page")
    told = [(line["kind"], line["who"]["name"]) for line in lines(house)[2:]]
    assert told == [
        ("staged", AGENT.name), ("shown", "ann"), ("shown", "ann"), ("decided", "ann"), ("answered", AGENT.name),
        ("staged", AGENT.name), ("decided", "bob"),
    ]  # fmt: skip
    staged = lines(house, "staged")[0]["what"]
    assert staged.items() >= {"approval": record.id, "destructive": True, "asks": ["why"], "fingerprint": "f1"}.items()
    yes, no = (line["what"] for line in lines(house, "decided"))
    assert yes == {"approval": record.id, "decision": "approved", "note": "go on", "surface": "terminal",
                   "fingerprint": "f1", "shown": "cd"}  # fmt: skip
    assert no.items() >= {"decision": "denied", "note": "no", "surface": "page"}.items()
    assert "shown" not in no
    assert lines(house, "answered")[0]["what"].items() >= {"ok": False, "status": "finished"}.items()
    assert house.workspace.audit.verify().good


def test_what_expires_is_told_once_and_what_makes_room_as_well(house):
    approvals = house.workspace.approvals
    waiting, approved, denied = stage(house, "f1"), stage(house, "f2"), stage(house, "f3")
    approvals.approve(approved.id, "ann")
    approvals.deny(denied.id, "ann")
    house.time += 25 * 3600
    approvals.tell_expired()
    approvals.tell_expired()
    assert [line["what"] for line in lines(house, "expired")] == [
        {"approval": waiting.id, "was": "pending"}, {"approval": approved.id, "was": "approved"},
        {"approval": denied.id, "was": "denied"},
    ]  # fmt: skip
    assert house.workspace.audit.verify().good


def test_a_plans_life_is_told(house):
    approvals = house.workspace.approvals
    for fingerprint, plan in (("p1", "plan_a"), ("p2", "plan_b")):
        with house.workspace.store.write() as db:
            approvals.supersede_plans(db)
            approvals.stage(
                kind="plan", title="Plan", destructive=False, asks=(), fingerprint=fingerprint, requests=(),
                tool="workspace_plan", arguments={}, preview={}, actor=AGENT, profile="workspace", id=plan,
            )  # fmt: skip
    approvals.approve("plan_b", "ann")
    approvals.complete("plan_b")
    assert [line["what"] for line in lines(house, "plan_ended")] == [
        {"approval": "plan_a", "status": "superseded"}, {"approval": "plan_b", "status": "completed"},
    ]  # fmt: skip
    assert house.workspace.audit.verify().good


# Refused calls.


def test_a_refused_call_gets_a_line_where_it_wanted_what_is_not_allowed(house):
    audit = house.workspace.audit
    audit.refused(AGENT, "inspect.read", OUTSIDE, {"path": "../x"})
    audit.refused(AGENT, "edit.apply", WorkroomError(ErrorCode.EDIT_CONFLICT, "stale"), {})
    (line,) = lines(house, "refused")
    assert line["what"].items() >= {"operation": "inspect.read", "code": "PATH_OUTSIDE_WORKSPACE"}.items()
    assert len(line["what"]["arguments"]) == 64


def test_a_flood_of_refused_calls_is_counted_and_hides_nobody_elses(house):
    audit = house.workspace.audit
    for _ in range(500):
        audit.refused(AGENT, "inspect.read", OUTSIDE, {})
    audit.refused(Actor("agent", "quiet"), "inspect.read", OUTSIDE, {})
    told = lines(house, "refused")
    assert len(told) == module.REFUSED_EACH + 1
    assert told[-1]["who"]["name"] == "quiet"
    assert lines(house, "refused_more") == []
    house.time += 3600
    audit.refused(AGENT, "inspect.read", OUTSIDE, {})
    (more,) = lines(house, "refused_more")
    assert more["what"]["count"] == 500 - module.REFUSED_EACH
    assert more["what"]["by"] == {f"{AGENT.name} PATH_OUTSIDE_WORKSPACE": 500 - module.REFUSED_EACH}
    assert len(lines(house, "refused")) == module.REFUSED_EACH + 2
    house.time += 3600
    audit.refused(AGENT, "inspect.read", OUTSIDE, {})
    assert len(lines(house, "refused_more")) == 1


def test_many_names_take_no_more_room_than_one(house):
    audit = house.workspace.audit
    for number in range(module.REFUSED_ALL + 200):
        audit.refused(Actor("agent", f"client {number}"), "inspect.read", OUTSIDE, {})
    assert len(lines(house, "refused")) == module.REFUSED_ALL
    audit.close()
    audit.close()
    (more,) = lines(house, "refused_more")
    assert more["what"]["count"] == 200
    assert len(json.dumps(more)) < 10_000


# What a look over it finds.


@pytest.fixture
def written(house: House) -> House:
    """Three entries, the last of them under an approval that was used."""
    for number in range(3):
        house.commit(house.plan({**CREATE, "path": f"{number}.txt"}), approval_id="approval_9" if number == 2 else None)
    return house


def test_an_untouched_log_is_good(written):
    verdict = written.workspace.audit.verify()
    assert (verdict.good, verdict.lines, verdict.checked, verdict.entries) == (True, 5, 5, 3)
    assert verdict.head.state == "whole"
    written.reopen()
    assert written.workspace.audit.verify().good


def test_a_store_without_a_key_is_told_apart(tmp_path, house):
    store = Store(tmp_path / "bare", [*module.tables.MIGRATIONS])
    audit = module.Audit(store, house.clock)
    audit.open("/x")
    audit.tell(SessionEnded(), AGENT)
    assert [fault.what for fault in audit.verify().faults] == [
        "when the folder was opened, the head was gone", "the head was gone",
    ]  # fmt: skip
    store.close()


MORE = (
    "INSERT INTO entries (transaction_id, at, actor_kind, actor_name, session, cause, title, body) "
    "VALUES ('tx_x', 0, 'agent', 'a', '', 'edit', '', '{}')"
)
CHANGED = "was changed: its hash is another"
UNCHAINED = "doesn't follow the line before it: one was changed, removed or put in"
UNSEALED = "has no valid seal: it was put in without the key, or the key or the store is another"


@pytest.mark.parametrize(
    ("statement", "first"),
    [
        ("UPDATE audit SET line = replace(line, '0.txt', '9.txt') WHERE number = 3", Fault(3, CHANGED)),
        ("UPDATE audit SET line = replace(line, ',', ', ') WHERE number = 3", Fault(3, CHANGED)),
        ("UPDATE audit SET line = 'no JSON' WHERE number = 3", Fault(3, CHANGED)),
        ("UPDATE audit SET hash = upper(hash) WHERE number = 3", Fault(3, CHANGED)),
        ("UPDATE audit SET seal = (SELECT seal FROM audit WHERE number = 4) WHERE number = 3", Fault(3, UNSEALED)),
        ("DELETE FROM audit WHERE number = 3", Fault(3, "line is gone")),
        ("DELETE FROM audit WHERE number IN (2, 3)", Fault(2, "lines to 3 are gone")),
        ("DELETE FROM audit WHERE number = 1", Fault(1, "line is gone")),
        (
            "DELETE FROM audit WHERE number = 3; UPDATE audit SET number = number - 1 WHERE number > 3",
            Fault(3, "was changed: it isn't in the log's form, or not in its place"),
        ),
        ("DELETE FROM entries WHERE number = 2", Fault(4, "entry 2 of the history, which it tells of, is gone")),
        (
            "UPDATE entries SET body = replace(body, '1.txt', '9.txt') WHERE number = 2",
            Fault(4, "entry 2 of the history isn't what it tells of: it was changed"),
        ),
        (
            "DELETE FROM consumptions",
            Fault(5, "approval_9 was used by tx_000000000003, and isn't marked as used"),
        ),
        (
            "INSERT INTO consumptions VALUES ('approval_1', 'tx_1', 1.0)",
            Fault(0, "2 approvals are marked as used since the log began, which tells of 1"),
        ),
        (
            MORE,
            Fault(0, "the history has 4 entries since the log began, which tells of 3"),
        ),
    ],
)
def test_what_was_done_to_the_database_is_found(written, statement, first):
    tamper(written, statement)
    written.open()
    assert faults(written)[0] == first


def test_a_decision_without_its_line_is_found(house):
    waiting, other = stage(house, "f1"), stage(house, "f2")
    house.workspace.approvals.approve(other.id, "ann")
    tamper(house, f"UPDATE approvals SET status = 'approved', decided_by = 'ann' WHERE id = '{waiting.id}'")
    house.open()
    assert faults(house) == [Fault(0, f"{waiting.id} is approved, and no line tells who decided that")]
    assert faults(house, since=3) == []


def test_a_decision_on_one_thing_cannot_be_moved_to_another(house):
    record = stage(house, "f1")
    house.workspace.approvals.approve(record.id, "ann")
    tamper(house, f"UPDATE approvals SET fingerprint = 'f9' WHERE id = '{record.id}'")
    house.open()
    assert faults(house) == [Fault(0, f"{record.id} is approved, and no line tells who decided that")]


def test_guards_that_are_gone_are_told(house):
    tamper(house)
    house.open()
    verdict = house.workspace.audit.verify(most=3)
    assert (verdict.total, len(verdict.faults)) == (11, 3)
    assert verdict.faults[0] == Fault(0, "the database's guard audit_is_added_to is gone")


def test_lines_that_were_cut_off_are_told_at_the_opening_and_ever_after(written):
    tamper(
        written, "DELETE FROM audit WHERE number = 5; DELETE FROM entries WHERE number = 3; DELETE FROM consumptions"
    )
    written.open()
    what = (
        "when the folder was opened, the head told of 5 lines and there were 4: the others were cut off, or the "
        "database was set back to an earlier one"
    )
    assert faults(written) == [Fault(5, what)]
    written.reopen()
    assert faults(written) == [Fault(5, what)]
    assert faults(written, since=6) == []  # who knows of it looks from there on


def test_lines_that_are_cut_off_while_it_is_open_are_told(written):
    db = apsw.Connection(str(written.store_folder / "workspace.db"))
    db.execute("DROP TRIGGER audit_is_not_cut; DELETE FROM audit WHERE number = 5")
    db.close()
    assert Fault(0, "the head told of 5 lines and there were 4: the others were cut off, or the database was set back "
                 "to an earlier one") in faults(written)  # fmt: skip


def test_a_log_that_was_made_anew_is_told(written):
    """Lines that are chained anew with the right hashes have no seals; those of another log have, and not these."""
    written.close()
    (written.store_folder / "workspace.db").unlink()
    written.open()
    (fault,) = faults(written)
    assert fault.what.startswith("when the folder was opened, the head told of 5 lines and there were 1: the others")


@pytest.mark.parametrize(
    ("done", "told"),
    [
        (lambda file: file.unlink(), "the head was gone"),
        (
            lambda file: file.write_bytes(file.read_bytes().replace(b'"lines":5', b'"lines":4')),
            "the head was not of this key and store: it was replaced or damaged, or the key was",
        ),
    ],
)
def test_a_head_that_was_taken_away_or_replaced_is_told(written, done, told):
    written.close()
    done(written.head)
    written.open()
    assert faults(written) == [Fault(6, f"when the folder was opened, {told}")]


def test_a_head_of_another_past_is_told(written):
    """The head belongs to a log that went another way: the database was exchanged from before its end."""
    written.close()
    db = apsw.Connection(str(written.store_folder / "workspace.db"))
    copy = db.serialize("main")
    db.close()
    written.open()
    written.close()
    for leftover in written.store_folder.glob("workspace.db*"):
        leftover.unlink()
    (written.store_folder / "workspace.db").write_bytes(copy)
    saved = written.head.read_bytes()
    written.head.unlink()
    written.open()
    written.close()
    written.head.write_bytes(saved)
    written.open()
    assert [fault.what for fault in faults(written)][-1] == (
        "when the folder was opened, line 6 was another one than the head told of: the log was replaced from before it"
    )


def test_a_look_from_a_line_on_leaves_out_what_was_before(written):
    tamper(written, "UPDATE audit SET line = 'x' WHERE number = 2")
    written.open()
    assert [fault.line for fault in faults(written)] == [2]
    assert faults(written, since=3) == []
    assert written.workspace.audit.verify(99).checked == 0


def test_an_older_history_is_no_fault(written):
    """A store from before there was a log: its entries have no lines, and none are asked for."""
    tamper(written, "DROP TABLE audit; DELETE FROM meta WHERE name LIKE '%audit%'; "
           "ALTER TABLE approvals DROP COLUMN expiry_told")  # fmt: skip
    written.head.unlink()
    written.open()
    assert lines(written, "begun")[0]["what"] == {"store": "test", "entries": 3, "used": 1}
    written.commit(written.plan({**CREATE, "path": "new.txt"}))
    assert written.workspace.audit.verify().good


def test_lines_are_handed_out_from_a_number_on(written):
    assert [line["number"] for line in written.workspace.audit.lines(3, 2)] == [3, 4]
    assert written.workspace.audit.lines(99) == []


# Sessions, and who was turned away.


def test_a_session_is_told_at_its_first_call_and_at_its_end(house):
    audit = house.workspace.audit
    for _ in range(3):
        audit.met(AGENT, "files")
        audit.met(Actor("agent", "tester"), "files")  # in no session
    audit.parted(AGENT.session)
    audit.parted(AGENT.session)
    audit.parted("session_unknown")
    (begun,), (ended,) = lines(house, "session_begun"), lines(house, "session_ended")
    assert begun["what"] == {"profile": "files"}
    assert begun["who"] == ended["who"] == {"kind": "agent", "name": AGENT.name, "session": AGENT.session}


def test_sessions_end_with_the_workspace_and_not_after_it(house):
    audit = house.workspace.audit
    audit.met(AGENT, "files")
    audit.met(Actor("agent", "late", "session_late"), "files")
    house.workspace.store.close()
    audit.parted("session_late")
    house.workspace = None
    house.open()
    audit = house.workspace.audit
    audit.met(AGENT, "files")
    audit.close()
    assert [line["who"]["session"] for line in lines(house, "session_ended")] == [AGENT.session]


def test_a_client_that_connects_over_and_over_takes_no_more_lines_than_others(house, monkeypatch):
    audit = house.workspace.audit
    for number in range(module.REFUSED_EACH + 5):
        audit.met(Actor("agent", "again", f"session_{number}"), "files")
        audit.parted(f"session_{number}")
    audit.refused(Actor("agent", "again"), "inspect.read", OUTSIDE, {})
    audit.close()
    assert len(lines(house, "session_begun")) == len(lines(house, "session_ended")) == module.REFUSED_EACH
    assert len(lines(house, "refused")) == 1
    assert lines(house, "refused_more")[0]["what"]["by"] == {"again sessions": 5}


def test_no_more_sessions_are_remembered_than_there_is_room_for(house, monkeypatch):
    monkeypatch.setattr(module, "_SESSIONS", 2)
    for number in range(3):
        house.workspace.audit.met(Actor("agent", "a", f"session_{number}"), "files")
    house.workspace.audit.close()
    assert [line["who"]["session"] for line in lines(house, "session_ended")] == ["session_1", "session_2"]


def test_who_is_turned_away_is_told_in_bounds(house):
    audit = house.workspace.audit
    for _ in range(module.REFUSED_EACH + 3):
        audit.turned_away(Actor("program", "user 7"), "socket", "speak as the person", OUTSIDE)
    audit.close()
    told = lines(house, "turned_away")
    assert len(told) == module.REFUSED_EACH
    assert told[0]["what"].items() >= {"interface": "socket", "tried": "speak as the person"}.items()
    assert lines(house, "refused_more")[0]["what"]["count"] == 3
