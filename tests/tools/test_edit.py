"""workspace_edit as a client meets it: what its answers say."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.moments import just_before

from workroom.base.actor import Actor
from workroom.base.changes import Permit
from workroom.base.settings import Settings
from workroom.person.present import present
from workroom.tools.dispatch import call, resume
from workroom.tools.edit import EDIT
from workroom.tools.schema import parse_arguments
from workroom.tools.tool import Call, Proposal

AGENT = Actor("agent", "tester", "session_1")


@pytest.fixture
def edit(house):
    """Calls the tool by the one road; answers the wire's envelope."""

    def run(action: str, **arguments):
        return call(Call(house.workspace, AGENT), "workspace_edit", {"action": action, **arguments}).to_json()

    return run


REPLACE = {"type": "replace", "path": "a.txt", "search": "two", "replacement": "2"}


def test_preview_plans_and_changes_nothing(house, edit):
    house.write("a.txt", "one\r\ntwo  \r\n")
    answer = edit("preview", operations=[{**REPLACE, "search": "one\ntwo\n", "replacement": "1\n2\n"}])
    data = answer["data"]
    assert (answer["ok"], answer["operation"], data["status"], data["committed"]) == (
        True, "edit.preview", "planned", False,
    )  # fmt: skip
    assert data["files"] == [
        {
            "path": "a.txt",
            "change": "modify",
            "beforeSha256": data["files"][0]["beforeSha256"],
            "afterSha256": data["files"][0]["afterSha256"],
            "added": 2,
            "removed": 2,
            "matched": "trailing_blanks",
        }
    ]
    assert data["destructive"] is False
    assert "+2" in data["diffPreview"]
    assert answer["retention"]["omit_when_summarizing"] == ["diffPreview"]
    assert house.read("a.txt") == b"one\r\ntwo  \r\n"
    for artifact in answer["artifacts"]:
        assert len(Path(house.folder, artifact["path"]).read_bytes()) == artifact["bytes"]
    assert [a["kind"] for a in answer["artifacts"]] == ["diff", "review"]


def test_preview_then_commit(house, edit):
    house.write("a.txt", "two\n")
    planned = edit("preview", operations=[REPLACE], title="Make it a figure")
    transaction = planned["data"]["transactionId"]
    answer = edit("commit", transaction_id=transaction)
    assert (answer["ok"], answer["data"]["status"], answer["data"]["committed"]) == (True, "applied", True)
    assert house.read("a.txt") == b"2\n"
    again = edit("commit", transaction_id=transaction)
    assert (again["ok"], again["data"]["committed"]) == (True, True)
    assert "already" in again["summary"]


def test_a_planned_transaction_is_committed_after_a_restart(house, edit):
    house.write("a.txt", "two\n")
    transaction = edit("preview", operations=[REPLACE])["data"]["transactionId"]
    house.reopen()
    assert edit("commit", transaction_id=transaction)["ok"]
    assert house.read("a.txt") == b"2\n"


def test_a_stale_commit_is_refused_and_the_transaction_stays_planned(house, edit):
    house.write("a.txt", "two\n")
    transaction = edit("preview", operations=[REPLACE])["data"]["transactionId"]
    house.write("a.txt", "two and more\n")
    answer = edit("commit", transaction_id=transaction)
    assert (answer["ok"], answer["error"]["code"]) == (False, "EDIT_CONFLICT")
    assert answer["error"]["details"]["path"] == "a.txt"
    assert edit("show", transaction_id=transaction)["data"]["status"] == "planned"
    house.write("a.txt", "two\n")
    assert edit("commit", transaction_id=transaction)["ok"]


def test_a_refused_write_brings_back_what_is_on_disk(house, edit):
    house.write("a.txt", "two\n")
    transaction = edit("preview", operations=[REPLACE])["data"]["transactionId"]
    house.write("a.txt", "two\nthree\n")
    details = edit("commit", transaction_id=transaction)["error"]["details"]
    assert "+three" in details["patch"]
    assert details["actualSha256"] != details["expectedSha256"]


def test_apply_of_several_files(house, edit):
    house.write("a.txt", "two\n")
    answer = edit("apply", operations=[REPLACE, {"type": "create", "path": "b.txt", "content": "b\n"}])
    assert answer["ok"]
    assert [row["change"] for row in answer["data"]["files"]] == ["modify", "create"]
    assert (house.read("a.txt"), house.read("b.txt")) == (b"2\n", b"b\n")
    for artifact in answer["artifacts"]:
        assert (house.folder / artifact["path"]).exists()


def test_operations_may_come_as_a_json_string(house, edit):
    answer = edit("apply", operations='[{"type": "create", "path": "b.txt", "content": "b"}]')
    assert answer["ok"], answer
    assert house.read("b.txt") == b"b"


def test_a_wrong_field_is_named_with_the_right_one(edit):
    answer = edit("apply", operations=[{"type": "replace", "path": "a", "old_text": "x", "replacement": "y"}])
    assert answer["error"]["code"] == "INVALID_INPUT"
    assert "operations[0]" in answer["error"]["message"]


@pytest.mark.parametrize("operations", [[], [REPLACE] * 201, [{"type": "chmod", "path": "a"}], "no json", None, 7])
def test_operations_that_are_none(house, edit, operations):
    before = house.tree()
    assert edit("apply", operations=operations)["error"]["code"] == "INVALID_INPUT"
    assert house.tree() == before


def test_rollback_and_rollback_of_it(house, edit):
    house.write("a.txt", "two\n")
    applied = edit("apply", operations=[REPLACE])["data"]["transactionId"]
    back = edit("rollback", transaction_id=applied)
    assert (back["ok"], back["data"]["status"], back["data"]["transactionId"]) == (True, "rolled_back", applied)
    assert house.read("a.txt") == b"two\n"
    again = edit("rollback", transaction_id=applied)
    assert (again["ok"], again["data"]["status"]) == (True, "rolled_back")
    assert "nothing to do" in again["summary"]
    forth = edit("rollback", transaction_id=back["data"]["rollbackTransactionId"])
    assert forth["ok"]
    assert house.read("a.txt") == b"2\n"
    assert edit("commit", transaction_id=applied)["data"]["committed"] is True


def test_a_rolled_back_transaction_is_not_committed_again(house, edit):
    house.write("a.txt", "two\n")
    applied = edit("apply", operations=[REPLACE])["data"]["transactionId"]
    edit("rollback", transaction_id=applied)
    answer = edit("commit", transaction_id=applied)
    assert answer["error"]["code"] == "TRANSACTION_STATE"


def test_rollback_over_later_work_shows_the_difference(house, edit):
    house.write("a.txt", "two\n")
    applied = edit("apply", operations=[REPLACE])["data"]["transactionId"]
    house.write("a.txt", "2\nlater\n")
    answer = edit("rollback", transaction_id=applied)
    assert answer["error"]["code"] == "EDIT_CONFLICT"
    assert "+later" in answer["error"]["details"]["conflicts"][0]["patch"]
    forced = edit("rollback", transaction_id=applied, force=True)
    assert forced["ok"]
    assert house.read("a.txt") == b"two\n"
    edit("rollback", transaction_id=forced["data"]["rollbackTransactionId"])
    assert house.read("a.txt") == b"2\nlater\n"


def test_rollback_keeps_later_work_where_it_can_and_says_so(house, edit):
    house.write("a.txt", "one\ntwo\nthree\nfour\n")
    applied = edit("apply", operations=[REPLACE])["data"]["transactionId"]
    house.write("a.txt", "one\n2\nthree\n4\n")
    house.settings = Settings(mode="auto", destructive_edits="refuse")
    answer = edit("rollback", transaction_id=applied, strategy="merge")
    assert "a.txt was changed later: that stays" in answer["summary"]
    assert answer["data"]["files"][0]["merged"] is True
    assert answer["data"]["warnings"][0] in answer["summary"]
    assert house.read("a.txt") == b"one\ntwo\nthree\n4\n"
    assert edit("show", transaction_id=applied)["data"]["status"] == "rolled_back"


def test_a_rollback_that_overlaps_shows_the_regions_in_data_and_in_text(house):
    house.write("a.txt", "one\ntwo\nthree\n")
    caller = Call(house.workspace, AGENT)
    applied = call(caller, "workspace_edit", {"action": "apply", "operations": [REPLACE]}).data["transactionId"]
    house.write("a.txt", "one\nzwei\nthree\n")
    arguments = {"action": "rollback", "transaction_id": applied, "strategy": "merge"}
    answer = call(caller, "workspace_edit", arguments)
    assert answer.error["code"] == "EDIT_CONFLICT"
    assert answer.error["details"]["conflicts"][0]["regions"][0]["now"]["text"] == "zwei\n"
    assert answer.text.startswith("a.txt: both changed the same lines\n<<<<<<< now, line 2\nzwei\n")
    assert house.read("a.txt") == b"one\nzwei\nthree\n"


def test_a_staged_merge_is_run_only_as_it_was_shown(house, edit):
    house.write("a.txt", "one\ntwo\nthree\nfour\n")
    applied = edit("apply", operations=[REPLACE])["data"]["transactionId"]
    house.write("a.txt", "one\n2\nthree\n4\n")
    house.settings = Settings(mode="manual")
    staged = edit("rollback", transaction_id=applied, strategy="merge")["data"]
    assert staged["approval"]["resume"]["arguments"]["strategy"] == "merge"
    assert "merged" in staged["files"][0]
    house.write("a.txt", "one\n2\nthree\nvier\n")
    record = house.workspace.approvals.approve(staged["approval"]["id"], "ann")
    assert resume(Call(house.workspace, AGENT), record).error["code"] == "EDIT_CONFLICT"
    assert house.read("a.txt") == b"one\n2\nthree\nvier\n"
    house.write("a.txt", "one\n2\nthree\n4\n")
    assert resume(Call(house.workspace, AGENT), record).ok
    assert house.read("a.txt") == b"one\ntwo\nthree\n4\n"


def test_a_forced_rollback_is_destructive(house, edit):
    house.write("a.txt", "two\n")
    applied = edit("apply", operations=[REPLACE])["data"]["transactionId"]
    house.settings = Settings(mode="auto")
    answer = edit("rollback", transaction_id=applied, force=True)
    assert answer["error"]["code"] == "PROTECTED_PATH"
    assert answer["error"]["details"]["destructive"][0]["alternative"] == "rollback without force"
    assert edit("rollback", transaction_id=applied)["ok"]


def test_rollback_of_what_was_never_applied(house, edit):
    transaction = edit("preview", operations=[{"type": "mkdir", "path": "d"}])["data"]["transactionId"]
    assert edit("rollback", transaction_id=transaction)["error"]["code"] == "TRANSACTION_STATE"
    assert edit("rollback", transaction_id="tx_none")["error"]["code"] == "NOT_FOUND"


def test_a_staged_rollback_is_approved_by_itself(house, edit):
    house.write("a.txt", "two\n")
    applied = edit("apply", operations=[REPLACE])["data"]["transactionId"]
    house.settings = Settings(mode="manual")
    answer = edit("rollback", transaction_id=applied)
    assert (answer["data"]["status"], answer["data"]["committed"]) == ("pending_approval", False)
    assert answer["data"]["approval"]["resume"]["arguments"] == {
        "action": "rollback", "transaction_id": applied, "force": False,
    }  # fmt: skip
    assert house.read("a.txt") == b"2\n"


def test_one_effect_a_key(house, edit):
    operation = {"type": "create", "path": "f", "content": "x\n"}
    first = edit("apply", operations=[operation], idempotency_key="k")
    again = edit("apply", operations=[operation], idempotency_key="k")
    assert again["ok"]
    assert again["data"]["transactionId"] == first["data"]["transactionId"]
    other = edit("apply", operations=[{**operation, "content": "y\n"}], idempotency_key="k")
    assert other["error"]["code"] == "EDIT_CONFLICT"
    assert house.read("f") == b"x\n"


def test_a_key_carries_a_preview_on_to_its_apply(house, edit):
    operation = {"type": "create", "path": "f", "content": "x\n"}
    planned = edit("preview", operations=[operation], idempotency_key="k")
    assert edit("preview", operations=[operation], idempotency_key="k")["data"] == planned["data"]
    applied = edit("apply", operations=[operation], idempotency_key="k")
    assert applied["data"]["transactionId"] == planned["data"]["transactionId"]
    assert edit("preview", operations=[operation], idempotency_key="k")["data"]["status"] == "applied"


def test_a_failed_try_does_not_use_up_its_key(house, edit):
    house.write("f", "a\n")
    operation = {"type": "replace", "path": "f", "search": "a", "replacement": "b"}
    with open(house.folder / "f", "ab"):  # another program has it open for writing
        refused = edit("apply", operations=[operation], idempotency_key="k")
    assert refused["error"]["code"] == "EDIT_CONFLICT"
    assert edit("apply", operations=[operation], idempotency_key="k")["data"]["status"] == "applied"
    assert house.read("f") == b"b\n"


def test_a_key_whose_plan_is_stale_plans_anew(house, edit):
    house.write("f", "a\n")
    operation = {"type": "replace", "path": "f", "search": "a", "replacement": "b"}
    first = edit("preview", operations=[operation], idempotency_key="k")["data"]["transactionId"]
    house.write("f", "a, and more\n")
    applied = edit("apply", operations=[{**operation, "search": "a,", "replacement": "b,"}], idempotency_key="k2")
    assert applied["ok"]
    house.write("f", "a\nmore\n")
    applied = edit("apply", operations=[operation], idempotency_key="k")
    assert applied["data"]["status"] == "applied"
    assert applied["data"]["transactionId"] != first
    assert house.read("f") == b"b\nmore\n"


def test_a_stale_plan_of_a_protected_path_is_refused(house, edit):
    house.write("f", "a\n")
    operation = {"type": "replace", "path": "f", "search": "a", "replacement": "b"}
    edit("preview", operations=[operation], idempotency_key="k")
    house.settings = Settings(mode="auto", protected_patterns=("f",))
    assert edit("apply", operations=[operation], idempotency_key="k")["error"]["code"] == "PROTECTED_PATH"


@pytest.mark.parametrize("mode", ["auto", "manual"])
@pytest.mark.parametrize("action", ["preview", "apply"])
def test_one_effect_a_key_of_many_calls_at_once(house, edit, mode, action):
    house.settings = Settings(mode=mode)
    house.write("f", "a\n")
    operation = {"type": "replace", "path": "f", "search": "a", "replacement": "b"}
    with ThreadPoolExecutor(6) as pool:
        answers = list(
            pool.map(lambda _: edit(action, operations=[operation], idempotency_key="k"), range(12))
        )  # fmt: skip
    assert [answer.get("error") for answer in answers] == [None] * 12
    assert len({answer["data"]["transactionId"] for answer in answers}) == 1
    assert len(house.tx.history()) == (1 if (mode, action) == ("auto", "apply") else 0)


def test_two_calls_with_one_key_that_both_wait_are_one(house):
    house.settings = Settings(mode="manual")
    caller = Call(house.workspace, AGENT)
    raw = {"action": "apply", "operations": [{"type": "create", "path": "f", "content": ""}], "idempotency_key": "k"}
    action, arguments = parse_arguments(EDIT, raw)
    first, second = action.propose(caller, arguments), action.propose(caller, arguments)
    assert isinstance(first, Proposal)
    assert isinstance(second, Proposal)
    assert first.stage().arguments == second.stage().arguments


def test_a_call_whose_twin_was_faster_answers_with_it(house, edit):
    house.write("f", "a\n")
    raw = {"operations": [{"type": "replace", "path": "f", "search": "a", "replacement": "b"}], "idempotency_key": "k"}
    caller = Call(house.workspace, AGENT)
    action, arguments = parse_arguments(EDIT, {"action": "apply", **raw})
    first, second = action.propose(caller, arguments), action.propose(caller, arguments)
    assert isinstance(first, Proposal)
    assert isinstance(second, Proposal)
    applied = first.run(Permit(first.fingerprint, "test"))
    answer = second.run(Permit(second.fingerprint, "test"))
    assert (answer.ok, answer.data["transactionId"]) == (True, applied.data["transactionId"])
    assert len(house.tx.history()) == 1


@pytest.mark.parametrize("action", ["preview", "apply"])
def test_a_twin_that_was_made_while_this_one_was_planned(house, edit, action):
    house.write("f", "a\n")
    operation = {"type": "replace", "path": "f", "search": "a", "replacement": "b"}
    with just_before("open", "f", lambda: edit(action, operations=[operation], idempotency_key="k")):
        answer = edit(action, operations=[operation], idempotency_key="k")
    assert answer["ok"]
    assert house.tx.find()[1] == 1
    assert answer["data"]["transactionId"] == house.tx.find()[0][0].id


def test_a_kept_plan_that_cannot_be_committed_now_stays_planned(house, edit):
    house.write("f", "a\n")
    operation = {"type": "replace", "path": "f", "search": "a", "replacement": "b"}
    planned = edit("preview", operations=[operation], idempotency_key="k")["data"]["transactionId"]
    with open(house.folder / "f", "ab"):
        assert edit("apply", operations=[operation], idempotency_key="k")["error"]["code"] == "EDIT_CONFLICT"
    assert house.tx.get(planned).status == "planned"


def test_show_says_why_a_try_failed(house, edit):
    house.write("f", "a\n")
    with open(house.folder / "f", "ab"):
        edit("apply", operations=[{"type": "replace", "path": "f", "search": "a", "replacement": "b"}])
    failed = edit("list")["data"]["transactions"][0]
    assert failed["status"] == "failed"
    assert "open for writing" in edit("show", transaction_id=failed["transactionId"])["data"]["note"]


def test_a_plan_that_is_committed_while_its_twin_looks_is_not_made_anew(house, edit):
    house.write("f", "a\n")
    operation = {"type": "replace", "path": "f", "search": "a", "replacement": "aa"}
    planned = edit("preview", operations=[operation], idempotency_key="k")["data"]["transactionId"]
    with just_before("open", "f", lambda: edit("commit", transaction_id=planned)):
        answer = edit("apply", operations=[operation], idempotency_key="k")
    assert (answer["ok"], answer["data"]["transactionId"], answer["data"]["status"]) == (True, planned, "applied")
    assert house.read("f") == b"aa\n"


def test_list_pages_and_filters(house, edit):
    for number in range(5):
        edit("apply", operations=[{"type": "create", "path": f"f{number}", "content": ""}])
    edit("preview", operations=[{"type": "mkdir", "path": "d"}])
    first = edit("list", limit=2)["data"]
    assert (first["total"], first["truncated"], len(first["transactions"])) == (6, True, 2)
    row = first["transactions"][0]
    assert (row["status"], row["fileCount"], row["directoryCount"], row["directories"]) == ("planned", 0, 1, ["d"])
    rest = edit("list", limit=10, cursor=first["cursor"])["data"]
    assert (len(rest["transactions"]), rest["truncated"]) == (4, False)
    assert edit("list", status="planned")["data"]["total"] == 1
    assert [row["title"] for row in rest["transactions"]] == ["f3", "f2", "f1", "f0"]
    assert edit("list", cursor="elsewhere")["error"]["code"] == "INVALID_INPUT"


def test_show(house, edit):
    operation = {"type": "create", "path": "f", "content": "x\n"}
    transaction = edit("apply", operations=[operation])["data"]["transactionId"]
    data = edit("show", transaction_id=transaction)["data"]
    assert data["operations"] == [operation]
    assert (data["status"], data["entry"], data["files"]) == ("applied", 1, data["files"])
    assert "+x" in data["diffPreview"]
    assert edit("show", transaction_id="tx_none")["error"]["code"] == "NOT_FOUND"


def test_many_files_are_counted_and_cut(house, edit):
    operations = [{"type": "create", "path": f"d/f{n:03}", "content": "x\n"} for n in range(200)]
    house.settings = Settings(mode="auto", max_tool_result_chars=1_000_000)
    data = edit("apply", operations=operations)["data"]
    assert (len(data["files"]), data["fileCount"], data["filesTruncated"]) == (200, 201, True)
    assert data["diffTruncated"] is True


def test_staging_names_the_way_to_go_on(house, edit):
    house.settings = Settings(mode="manual")
    answer = edit("apply", operations=[{"type": "create", "path": "f", "content": "x\n"}])
    data = answer["data"]
    transaction = data["transactionId"]
    assert (data["status"], data["mode"], data["committed"]) == ("pending_approval", "manual", False)
    approval = data["approval"]
    assert approval["kind"] == "transaction"
    assert approval["resume"] == {
        "tool": "workspace_edit", "arguments": {"action": "commit", "transaction_id": transaction},
    }  # fmt: skip
    assert answer["retention"]["importance"] == "critical"
    assert answer["retention"]["facts"] == [
        f"approval {approval['id']} pending: {approval['title']}", "permission mode Manual (0)",
    ]  # fmt: skip
    assert edit("show", transaction_id=transaction)["data"]["status"] == "planned"
    assert not (house.folder / "f").exists()


STALE = "one\ntwo\nthree\nfour\n"


def test_a_stale_edit_is_refused_unless_a_merge_is_asked_for(house, edit):
    house.write("a.txt", STALE)
    edit("apply", operations=[{**REPLACE, "search": "four", "replacement": "4"}])
    seen = hashlib.sha256(STALE.encode()).hexdigest()
    late = {"operations": [{**REPLACE, "expected_sha256": seen}]}
    assert edit("apply", **late)["error"]["code"] == "EDIT_CONFLICT"
    answer = edit("apply", **late, on_conflict="merge")
    assert house.read("a.txt") == b"one\n2\nthree\n4\n"
    assert "Merged with what had changed meanwhile: a.txt." in answer["summary"]
    assert answer["data"]["files"][0]["merged"] is True
    assert "both changes are in it" in answer["data"]["warnings"][0]


def test_the_text_of_an_answer_says_that_it_was_merged(house):
    house.write("a.txt", STALE)
    caller = Call(house.workspace, AGENT)
    call(caller, "workspace_edit", {"action": "apply", "operations": [{**REPLACE, "search": "four"}]})
    seen = hashlib.sha256(STALE.encode()).hexdigest()
    late = {"operations": [{**REPLACE, "expected_sha256": seen}], "on_conflict": "merge"}
    house.settings = Settings(mode="manual")
    for action in ("preview", "apply"):
        assert "both changes are in it" in call(caller, "workspace_edit", {"action": action, **late}).text


def test_a_plan_is_merged_when_it_is_committed_if_that_is_asked_for(house, edit):
    house.write("a.txt", STALE)
    planned = edit("preview", operations=[REPLACE])["data"]["transactionId"]
    house.write("a.txt", STALE.replace("four", "4"))
    assert edit("commit", transaction_id=planned)["error"]["code"] == "EDIT_CONFLICT"
    answer = edit("commit", transaction_id=planned, on_conflict="merge")
    assert answer["data"]["status"] == "applied"
    assert answer["data"]["supersedes"] == planned
    assert answer["data"]["transactionId"] != planned
    assert house.read("a.txt") == b"one\n2\nthree\n4\n"
    assert edit("show", transaction_id=planned)["data"]["status"] == "superseded"
    again = edit("commit", transaction_id=planned, on_conflict="merge")
    assert (again["ok"], again["data"]["transactionId"]) == (True, answer["data"]["transactionId"])
    assert edit("show", transaction_id=planned)["data"]["supersededBy"] == answer["data"]["transactionId"]
    assert len(house.tx.history()) == 1


def test_a_merge_is_asked_about_anew_and_what_was_approved_stays_approved(house, edit):
    house.settings = Settings(mode="manual")
    house.write("a.txt", STALE)
    staged = edit("apply", operations=[REPLACE], on_conflict="merge")["data"]
    house.write("a.txt", STALE.replace("four", "4"))
    approvals, caller = house.workspace.approvals, Call(house.workspace, AGENT)
    record = approvals.approve(staged["approval"]["id"], "ann")
    assert resume(caller, record).error["code"] == "EDIT_CONFLICT"
    assert house.read("a.txt") == STALE.replace("four", "4").encode()
    assert approvals.get(record.id).status == "approved"

    commit = {"transaction_id": staged["transactionId"], "on_conflict": "merge"}
    merged = edit("commit", **commit)["data"]
    assert merged["status"] == "pending_approval"
    assert merged["supersedes"] == staged["transactionId"]
    assert merged["approval"]["id"] != record.id
    assert edit("commit", **commit)["data"]["approval"]["id"] == merged["approval"]["id"]  # the same call waits on
    assert "both changes are in it" in present(house.workspace, approvals.get(merged["approval"]["id"])).text
    assert house.read("a.txt") == STALE.replace("four", "4").encode()
    second = approvals.approve(merged["approval"]["id"], "ann")
    assert resume(caller, second).ok
    assert house.read("a.txt") == b"one\n2\nthree\n4\n"
    assert "was applied already; nothing was done" in resume(caller, record).summary
    assert len(house.tx.history()) == 1


def test_a_part_of_a_stale_plan_is_not_merged(house, edit):
    house.write("a.txt", STALE)
    operations = [REPLACE, {"type": "create", "path": "b.txt", "content": ""}]
    planned = edit("preview", operations=operations)["data"]["transactionId"]
    house.write("a.txt", STALE.replace("four", "4"))
    part = edit("commit", transaction_id=planned, files=["a.txt"], on_conflict="merge")
    assert part["error"]["code"] == "EDIT_CONFLICT"


def test_a_key_goes_over_to_the_merged_plan(house, edit):
    house.write("a.txt", STALE)
    call_ = {"operations": [REPLACE], "on_conflict": "merge", "idempotency_key": "k"}
    planned = edit("preview", **call_)["data"]["transactionId"]
    house.write("a.txt", STALE.replace("four", "4"))
    applied = edit("apply", **call_)["data"]
    assert (applied["status"], applied["supersedes"]) == ("applied", planned)
    assert edit("apply", **call_)["data"]["transactionId"] == applied["transactionId"]
    assert len(house.tx.history()) == 1
    assert house.read("a.txt") == b"one\n2\nthree\n4\n"


def test_what_another_wrote_in_the_last_moment_is_merged_too(house, edit):
    house.write("a.txt", STALE)
    planned = edit("preview", operations=[REPLACE])["data"]["transactionId"]
    looks = just_before("open", "a.txt", lambda: None)
    with looks, just_before("open", "a.txt", lambda: house.write("a.txt", STALE.replace("four", "4"))):
        answer = edit("commit", transaction_id=planned, on_conflict="merge")
    assert answer["data"]["files"][0]["merged"] is True
    assert house.read("a.txt") == b"one\n2\nthree\n4\n"


def test_of_eight_that_edit_one_file_at_once_all_that_were_told_so_are_in_it(house, edit):
    lines = [f"line {number}\n" for number in range(24)]
    house.write("a.txt", "".join(lines))
    seen = hashlib.sha256("".join(lines).encode()).hexdigest()

    def late(number: int):
        operation = {"path": "a.txt", "search": f"line {number}\n", "replacement": f"LINE {number}\n"}
        operations = [{"type": "replace", "expected_sha256": seen, **operation}]
        return edit("apply", operations=operations, on_conflict="merge")

    with ThreadPoolExecutor(8) as pool:
        answers = dict(zip(range(0, 24, 3), pool.map(late, range(0, 24, 3)), strict=True))
    done = {number for number, answer in answers.items() if answer["ok"]}
    assert {answer["error"]["code"] for answer in answers.values() if not answer["ok"]} <= {"EDIT_CONFLICT"}
    assert house.read("a.txt").decode() == "".join(
        line.upper() if number in done else line for number, line in enumerate(lines)
    )
    assert sum("merged" in answers[number]["data"]["files"][0] for number in done) == len(done) - 1


def test_what_can_not_be_had_is_not_tried_for_ever(house, edit):
    house.write("a.txt", STALE)
    with open(house.folder / "a.txt", "ab"):  # another program has it open for writing
        answer = edit("apply", operations=[REPLACE], on_conflict="merge")
    assert answer["error"]["code"] == "EDIT_CONFLICT"
    assert "open for writing" in answer["error"]["message"]
    assert house.read("a.txt") == STALE.encode()


def test_transactions_of_one_instant_are_all_listed(house, edit):
    house.clock = lambda: 1_800_000_000.0
    house.reopen()
    for number in range(3):
        edit("preview", operations=[{"type": "create", "path": f"f{number}", "content": ""}])
    seen, cursor = [], {}
    while True:
        data = edit("list", limit=1, **cursor)["data"]
        seen += [row["transactionId"] for row in data["transactions"]]
        if not data["truncated"]:
            break
        cursor = {"cursor": data["cursor"]}
    assert len(set(seen)) == 3


def test_a_staged_plan_outlives_a_thousand_others(house, edit):
    house.settings = Settings(mode="manual")
    staged = edit("apply", operations=[{"type": "create", "path": "mine", "content": ""}])["data"]["transactionId"]
    previewed = edit("preview", operations=[{"type": "create", "path": "other", "content": ""}])["data"]
    for number in range(1_001):
        house.tx.keep(house.plan({"type": "create", "path": f"f{number}", "content": ""}), AGENT)
    assert house.tx.get(staged).status == "planned"
    assert edit("show", transaction_id=previewed["transactionId"])["error"]["code"] == "NOT_FOUND"
    assert house.tx.find(limit=1)[1] == 1_001


def test_help_is_short_and_names_each_operation():
    for word in ("create", "rewrite", "replace", "splice", "copy", "move", "delete", "mkdir", "patch"):
        assert word in EDIT.help
    assert len(EDIT.help) < 600
