"""The one road: what runs, waits, is refused, and how a waiting call gets its answer."""

from __future__ import annotations

import asyncio
import errno
import json
import queue
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from workroom.base.actor import Actor
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.events import ApprovalStaged
from workroom.base.pulse import Pulse
from workroom.base.settings import Settings
from workroom.core.approvals import Approval, Status
from workroom.tools.dispatch import call, dispatch, resume
from workroom.tools.tool import Call

AGENT = Actor("agent", "tester", "session_1")
OTHER = Actor("agent", "somebody else", "session_2")
CREATE = {"type": "create", "path": "f", "content": "x\n"}


def send(house, *operations, actor=AGENT, tool="workspace_edit", profile="workspace", **fields):
    raw = {"action": "apply", **fields}
    if operations:
        raw["operations"] = list(operations)
    return call(Call(house.workspace, actor, profile), tool, raw)


def accept(house, envelope):
    """What the person's side does with a yes: approve, run what is stored, keep the result."""
    approvals = house.workspace.approvals
    record = approvals.approve(envelope.data["approval"]["id"], "the person")
    result = resume(Call(house.workspace, record.actor, record.profile), record)
    approvals.finish(record.id, {"envelope": result.to_json(), "text": result.text})
    return result


def code(envelope):
    return None if envelope.error is None else envelope.error["code"]


# The gate.


def test_auto_runs(house):
    assert send(house, CREATE).data["status"] == "applied"


def test_plan_mode_needs_a_plan(house):
    house.settings = Settings(mode="plan")
    refused = send(house, CREATE)
    assert code(refused) == ErrorCode.APPROVAL_REQUIRED
    assert "workspace_plan" in refused.summary
    assert send(house, CREATE, action="preview").ok
    plan = send(house, tool="workspace_plan", action="propose", title="t", objective="o", steps=["s"])
    house.workspace.approvals.approve(plan.data["planId"], "the person")
    assert send(house, CREATE).data["status"] == "applied"
    entry = house.tx.history()[0]
    assert entry.decided_by == f"plan {plan.data['planId']}"
    send(house, tool="workspace_plan", action="complete")
    assert code(send(house, {**CREATE, "path": "g"})) == ErrorCode.APPROVAL_REQUIRED


def test_manual_mode_stages_and_the_same_call_gets_the_same_record(house):
    house.settings = Settings(mode="manual")
    first, second = send(house, CREATE), send(house, CREATE)
    assert first.data["status"] == second.data["status"] == "pending_approval"
    assert first.data == second.data
    assert len(house.workspace.approvals.pending()) == 1
    assert len(house.tx.find()[0]) == 1


def test_a_changed_file_makes_it_another_operation(house):
    house.write("f", "a\n")
    house.settings = Settings(mode="manual")
    edit = {"type": "replace", "path": "f", "search": "a", "replacement": "b"}
    first = send(house, edit)
    house.write("f", "a \n")
    second = send(house, edit)
    assert first.data["approval"]["id"] != second.data["approval"]["id"]


def test_validation_comes_before_the_gate(house):
    house.settings = Settings(mode="manual")
    assert code(send(house, {**CREATE, "content": 7})) == ErrorCode.INVALID_INPUT
    assert code(send(house, {"type": "delete", "path": "none"})) == ErrorCode.NOT_FOUND
    assert house.workspace.approvals.pending() == ()


@pytest.mark.parametrize("mode", ["manual", "plan", "auto"])
def test_the_ceiling_comes_before_everything(house, mode):
    house.write("f", "x\n")
    house.settings = Settings(mode=mode)
    refused = send(house, {"type": "rewrite", "path": "f", "content": "y\n"})
    assert code(refused) == ErrorCode.PROTECTED_PATH
    for word in ("edit.apply", "allowDestructiveEdits", "rewrite f", "replace"):
        assert word in refused.summary
    assert refused.error["details"]["destructive"] == [
        {"operation": "rewrite", "path": "f", "alternative": "replace"}
    ]  # fmt: skip
    assert house.workspace.approvals.pending() == ()


def test_a_long_list_of_dangers_is_cut_and_counted(house):
    for number in range(12):
        house.write(f"f{number:02}", "")
    house.settings = Settings(mode="auto")
    refused = send(house, *({"type": "delete", "path": f"f{number:02}"} for number in range(12)))
    assert "(and 2 more)" in refused.summary


def test_a_ceiling_that_asks_stages_in_every_mode(house):
    house.write("f", "x\n")
    rewrite = {"type": "rewrite", "path": "f", "content": "y\n"}
    house.settings = Settings(mode="auto", destructive_edits="ask")
    staged = send(house, rewrite)
    assert (staged.data["status"], staged.data["approval"]["destructive"]) == ("pending_approval", True)
    house.settings = Settings(mode="plan", destructive_edits="ask")
    assert code(send(house, rewrite)) == ErrorCode.APPROVAL_REQUIRED


# Decisions.


def test_accepted_runs_at_once_and_the_call_collects_its_result_once(house):
    house.settings = Settings(mode="manual")
    staged = send(house, CREATE)
    result = accept(house, staged)
    assert result.data["status"] == "applied"
    assert house.read("f") == b"x\n"
    entry = house.tx.history()[0]
    assert (entry.actor.name, entry.decided_by) == ("tester", "the person")
    collected = send(house, CREATE)
    assert collected.to_json() == {**result.to_json(), "operation": "edit.apply"}
    assert code(send(house, CREATE)) == ErrorCode.EDIT_CONFLICT  # a new call, and the file is there now


def test_the_resume_call_collects_the_result_too(house):
    house.settings = Settings(mode="manual")
    staged = send(house, CREATE)
    result = accept(house, staged)
    resumed = send(house, **staged.data["approval"]["resume"]["arguments"])
    assert resumed.to_json() == result.to_json()
    again = send(house, **staged.data["approval"]["resume"]["arguments"])
    assert (again.ok, again.data["committed"]) == (True, True)
    assert len(house.tx.history()) == 1


def test_a_result_that_was_undone_meanwhile_is_not_told(house):
    house.settings = Settings(mode="manual")
    staged = send(house, CREATE)
    applied = accept(house, staged).data["transactionId"]
    house.undo(applied)
    again = send(house, CREATE)
    assert again.data["status"] == "pending_approval"
    assert again.data["approval"]["id"] != staged.data["approval"]["id"]


def test_another_commit_of_the_same_edit_collects_the_result(house):
    house.settings = Settings(mode="manual")
    staged = send(house, CREATE)
    twin = send(house, CREATE, action="preview").data["transactionId"]
    same = send(house, action="commit", transaction_id=twin)
    assert same.data["approval"]["id"] == staged.data["approval"]["id"]
    result = accept(house, staged)
    assert send(house, action="commit", transaction_id=twin).to_json() == result.to_json()


def test_accepted_and_held_runs_when_it_is_resumed(house):
    house.settings = Settings(mode="manual")
    staged = send(house, CREATE)
    house.workspace.approvals.approve(staged.data["approval"]["id"], "the person")
    assert not (house.folder / "f").exists()
    assert send(house, CREATE).data["status"] == "applied"
    assert house.workspace.approvals.get(staged.data["approval"]["id"]).status is Status.CONSUMED


def test_an_approval_is_for_who_asked(house):
    house.settings = Settings(mode="manual")
    staged = send(house, CREATE)
    house.workspace.approvals.approve(staged.data["approval"]["id"], "the person")
    other = send(house, CREATE, actor=OTHER)
    assert other.data["status"] == "pending_approval"
    assert other.data["approval"]["id"] != staged.data["approval"]["id"]


def test_denied_blocks_the_identical_operation_and_no_other(house):
    house.settings = Settings(mode="manual")
    staged = send(house, CREATE)
    house.workspace.approvals.deny(staged.data["approval"]["id"], "the person", "not now")
    for mode in ("manual", "auto"):
        house.settings = Settings(mode=mode)
        refused = send(house, CREATE)
        assert code(refused) == ErrorCode.APPROVAL_DENIED
        assert "not now" in refused.summary
        assert refused.error["details"] == {"approvalId": staged.data["approval"]["id"]}
    assert send(house, {**CREATE, "content": "y\n"}).ok
    house.time += 25 * 3600
    (house.folder / "f").unlink()
    assert send(house, CREATE).ok


def test_a_denial_is_not_evaded_by_another_way_to_the_same_effect(house):
    house.write("f", "a\n")
    applied = send(house, {"type": "replace", "path": "f", "search": "a", "replacement": "b"}).data["transactionId"]
    house.settings = Settings(mode="manual", destructive_edits="ask")
    move = [{"type": "move", "from": "f", "to": "g"}]
    copy = [{"type": "copy", "from": "f", "to": "g"}, {"type": "delete", "path": "f"}]
    write = [{"type": "create", "path": "g", "content": "b\n"}, {"type": "delete", "path": "f"}]
    for staged in (send(house, *move), send(house, action="rollback", transaction_id=applied)):
        house.workspace.approvals.deny(staged.data["approval"]["id"], "the person")
    house.settings = Settings(mode="auto", destructive_edits="allow")
    for ways in (move, copy, write):
        assert code(send(house, *ways)) == ErrorCode.APPROVAL_DENIED
    assert code(send(house, *copy, actor=OTHER)) == ErrorCode.APPROVAL_DENIED
    rewrite = {"type": "rewrite", "path": "f", "content": "a\n"}
    for force in (False, True):
        back = send(house, action="rollback", transaction_id=applied, force=force)
        assert code(back) == ErrorCode.APPROVAL_DENIED
    assert code(send(house, rewrite)) == ErrorCode.APPROVAL_DENIED
    assert house.read("f") == b"b\n"
    assert send(house, copy[0]).ok


def test_a_denial_of_what_changes_nothing_denies_nothing_else(house):
    made = [send(house, {"type": "mkdir", "path": path}).data["transactionId"] for path in "de"]
    for path in "de":
        house.write(f"{path}/user", "mine\n")
    house.settings = Settings(mode="manual")
    staged = send(house, action="rollback", transaction_id=made[0])
    house.workspace.approvals.deny(staged.data["approval"]["id"], "the person")
    assert code(send(house, action="rollback", transaction_id=made[0])) == ErrorCode.APPROVAL_DENIED
    assert send(house, action="rollback", transaction_id=made[1]).data["status"] == "pending_approval"


def test_a_yes_after_a_no_to_the_same_effect_counts(house):
    house.settings = Settings(mode="manual")
    mine, theirs = send(house, CREATE), send(house, CREATE, actor=OTHER)
    approvals = house.workspace.approvals
    approvals.deny(mine.data["approval"]["id"], "the person")
    approvals.approve(theirs.data["approval"]["id"], "the person")
    assert send(house, CREATE, actor=OTHER).data["status"] == "applied"


def test_an_accept_whose_guards_fail_stays_approved(house):
    house.write("f", "a\n")
    house.settings = Settings(mode="manual")
    edit = {"type": "replace", "path": "f", "search": "a", "replacement": "b"}
    staged = send(house, edit)
    house.write("f", "a, changed\n")
    result = accept(house, staged)
    assert code(result) == ErrorCode.EDIT_CONFLICT
    record = house.workspace.approvals.get(staged.data["approval"]["id"])
    assert record.status is Status.APPROVED
    assert code(send(house, edit)) == ErrorCode.EDIT_CONFLICT  # collected
    house.write("f", "a\n")
    assert send(house, edit).data["status"] == "applied"  # under the approval that stayed


def test_a_rollback_that_changed_since_it_was_shown_is_not_run(house):
    house.write("f", "a\n")
    applied = send(house, {"type": "replace", "path": "f", "search": "a", "replacement": "b"}).data["transactionId"]
    house.settings = Settings(mode="manual", destructive_edits="ask")
    staged = send(house, action="rollback", transaction_id=applied, force=True)
    house.write("f", "later\n")
    result = accept(house, staged)
    assert code(result) == ErrorCode.EDIT_CONFLICT
    assert house.read("f") == b"later\n"


def test_ten_uses_of_one_approval_at_once(house):
    house.settings = Settings(mode="manual")
    staged = send(house, CREATE)
    house.workspace.approvals.approve(staged.data["approval"]["id"], "the person")
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda _: send(house, CREATE), range(10)))
    assert sum(answer.data.get("status") == "applied" for answer in answers) == 1
    assert len(house.tx.history()) == 1


def test_what_needs_no_run_is_answered_after_an_accept(house):
    house.settings = Settings(mode="manual")
    staged = send(house, CREATE)
    record = house.workspace.approvals.get(staged.data["approval"]["id"])
    house.settings = Settings(mode="auto")
    send(house, CREATE)
    assert resume(Call(house.workspace, AGENT), replace(record, arguments={"action": "none"})).error is not None


# Waiting.


def run_waiting(house, decide_with, seconds=30):
    """A call that waits while another thread decides; answers the envelope."""
    house.settings = Settings(mode="manual", wait_seconds_workspace=seconds)
    fields = {"action": "apply", "operations": [CREATE]}

    async def both():
        loop, staged = asyncio.get_running_loop(), asyncio.Event()
        house.workspace.store.subscribe(lambda *_: loop.call_soon_threadsafe(staged.set))
        with ThreadPoolExecutor(2) as pool:
            waiting = asyncio.create_task(dispatch(pool, Call(house.workspace, AGENT), "workspace_edit", fields))
            await staged.wait()
            await loop.run_in_executor(None, decide_with)
            return await waiting

    return asyncio.run(both())


def test_a_waiting_call_gets_the_result_of_the_accept(house):
    def decide():
        pending = house.workspace.approvals.pending()[0]
        record = house.workspace.approvals.approve(pending.id, "the person")
        result = resume(Call(house.workspace, AGENT), record)
        house.workspace.approvals.finish(record.id, {"envelope": result.to_json(), "text": result.text})

    assert run_waiting(house, decide).data["status"] == "applied"


def test_a_waiting_call_hears_of_the_denial(house):
    def decide():
        house.workspace.approvals.deny(house.workspace.approvals.pending()[0].id, "the person", "no")

    assert code(run_waiting(house, decide)) == ErrorCode.APPROVAL_DENIED


def test_a_wait_that_ends_answers_pending(house):
    assert run_waiting(house, lambda: None, seconds=1).data["status"] == "pending_approval"


def test_decided_before_the_wait_began(house):
    house.settings = Settings(mode="manual", wait_seconds_workspace=30)
    decided = threading.Event()

    def decide(_number, event):
        if event.type == "approval_staged" and not decided.is_set():
            decided.set()
            house.workspace.approvals.approve(event.approval_id, "the person")

    house.workspace.store.subscribe(decide)
    fields = {"action": "apply", "operations": [CREATE]}

    async def once():
        with ThreadPoolExecutor(1) as pool:
            return await dispatch(pool, Call(house.workspace, AGENT), "workspace_edit", fields)

    assert asyncio.run(once()).data["status"] == "applied"


def test_a_call_that_needs_no_yes_does_not_wait(house):
    house.settings = Settings(mode="auto", wait_seconds_workspace=30)
    fields = {"action": "apply", "operations": [CREATE]}

    async def once(seconds):
        house.settings = Settings(mode="auto", wait_seconds_workspace=seconds)
        with ThreadPoolExecutor(1) as pool:
            return await dispatch(pool, Call(house.workspace, AGENT), "workspace_edit", fields)

    assert asyncio.run(once(30)).data["status"] == "applied"
    assert code(asyncio.run(once(0))) == ErrorCode.EDIT_CONFLICT


# Faults and names.


def test_an_unknown_tool_is_named(house):
    answer = send(house, CREATE, tool="workspace_edits")
    assert (code(answer), "workspace_edit" in answer.summary) == (ErrorCode.NOT_FOUND, True)
    for name in ("x" * 1_000_000, "\ud800" * 100):
        answer = send(house, CREATE, tool=name)
        assert code(answer) == ErrorCode.NOT_FOUND
        assert len(json.dumps(answer.to_json(), ensure_ascii=False).encode()) < 2_000


def test_settings_that_cannot_be_read_are_told(house):
    def broken():
        raise WorkroomError(ErrorCode.INVALID_INPUT, "Setting mode: no such mode.")

    house.workspace = replace(house.workspace, settings=broken)
    assert code(send(house, CREATE)) == ErrorCode.INVALID_INPUT


def test_a_fault_of_ours_is_told_as_one(house):
    with house.workspace.store.write() as db:
        db.execute("ALTER TABLE transactions RENAME TO lost")
    answer = send(house, action="list")
    assert code(answer) == ErrorCode.INTERNAL
    assert "Traceback" not in str(answer.to_json())
    record = replace(a_record(), arguments={"action": "commit", "transaction_id": "tx_1"})
    assert code(resume(Call(house.workspace, AGENT), record)) == ErrorCode.INTERNAL


def test_a_record_whose_action_changes_nothing_cannot_be_run(house):
    record = replace(a_record(), arguments={"action": "list"})
    assert code(resume(Call(house.workspace, AGENT), record)) == ErrorCode.INTERNAL


def test_a_record_whose_effect_is_there_already_answers_so(house):
    entry = house.edit(CREATE)
    record = replace(a_record(), arguments={"action": "commit", "transaction_id": entry.transaction_id})
    assert "already" in resume(Call(house.workspace, AGENT), record).summary


def a_record():
    return Approval(
        id="approval_1", kind="transaction", title="t", status=Status.APPROVED, destructive=False, asks=(),
        fingerprint="f", effect="", tool="workspace_edit", arguments={}, preview={}, actor=AGENT, profile="workspace",
        created_at=0.0, expires_at=1.0, decided_at=0.5, decided_by="p", note="", result=None, collected=False,
    )  # fmt: skip


# How long a call is, and whether anybody waits.


def test_a_call_that_nobody_waits_for_does_nothing(house):
    pulse = Pulse()
    pulse.cancel()
    raw = {"action": "apply", "operations": [CREATE]}
    cancelled = call(Call(house.workspace, AGENT, pulse=pulse), "workspace_edit", raw)
    assert code(cancelled) == ErrorCode.CANCELLED
    assert house.tree() == {}
    house.settings = Settings(mode="manual")
    cancelled = call(Call(house.workspace, AGENT, pulse=pulse), "workspace_edit", raw)
    assert code(cancelled) == ErrorCode.CANCELLED
    assert house.workspace.approvals.pending() == ()


def test_an_answer_that_is_no_models_may_be_longer(house):
    house.settings = Settings(mode="auto", max_tool_result_chars=2_000)
    house.write("long.txt", "x" * 79 + "\n" + ("y" * 79 + "\n") * 99)
    raw = {"action": "read", "path": "long.txt", "numbered": False}
    assert call(Call(house.workspace, AGENT), "workspace_inspect", raw).data["truncated"]
    whole = call(Call(house.workspace, AGENT, chars=100_000), "workspace_inspect", raw)
    assert not whole.data["truncated"]
    assert len(whole.data["text"]) == 8_000


def test_an_accept_that_is_faster_than_the_wait_runs_once(house):
    """The person says yes before the waiting call has looked; what they accepted runs, and the call gets its result."""
    house.settings = Settings(mode="manual", wait_seconds_workspace=30)
    approvals = house.workspace.approvals
    raw = {"action": "apply", "operations": [CREATE]}
    accepted: queue.Queue = queue.Queue()

    def accept_at_once(_number, event):
        if isinstance(event, ApprovalStaged):
            accepted.put(approvals.approve(event.approval_id, "the person"))

    house.workspace.store.subscribe(accept_at_once)

    async def both():
        with ThreadPoolExecutor(2) as pool:
            waiting = asyncio.create_task(dispatch(pool, Call(house.workspace, AGENT), "workspace_edit", raw))
            record = approvals.get((await asyncio.to_thread(accepted.get, timeout=30)).id)
            result = await asyncio.to_thread(resume, Call(house.workspace, AGENT), record)
            approvals.finish(record.id, {"envelope": result.to_json(), "text": result.text})
            return await waiting

    assert asyncio.run(both()).data["status"] == "applied"
    assert len(house.tx.history()) == 1


def test_a_refused_call_is_told_to_the_audit_log_and_answered_where_it_can_not_be(house, caplog):
    raw = {"action": "read", "path": "../x"}
    assert call(Call(house.workspace, AGENT), "workspace_inspect", raw).error["code"] == "PATH_OUTSIDE_WORKSPACE"
    (line,) = [line for line in house.workspace.audit.lines() if line["kind"] == "refused"]
    assert (line["who"]["session"], line["what"]["operation"]) == (AGENT.session, "inspect.read")
    with house.workspace.store.write() as db:
        db.execute("CREATE TEMP TRIGGER full BEFORE INSERT ON main.audit BEGIN SELECT RAISE(ABORT, 'full'); END")
    assert call(Call(house.workspace, AGENT), "workspace_inspect", raw).error["code"] == "PATH_OUTSIDE_WORKSPACE"
    assert "can't be told to the audit log" in caplog.text


def test_what_the_system_refuses_where_nobody_foresaw_it_is_an_io_error(house):
    def settings():
        raise OSError(errno.EIO, "Input/output error", "settings.toml")

    kept = house.tx.keep(house.plan(CREATE), AGENT)
    broken = Call(replace(house.workspace, settings=settings), AGENT)
    answer = call(broken, "workspace_edit", {"action": "list"})
    assert code(answer) == ErrorCode.IO_ERROR
    assert "settings.toml" in answer.summary
    house.tx._settings = settings
    record = replace(a_record(), arguments={"action": "commit", "transaction_id": kept.id})
    assert code(resume(Call(house.workspace, AGENT), record)) == ErrorCode.IO_ERROR
