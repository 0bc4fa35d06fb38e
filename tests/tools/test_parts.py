"""A commit in part, by the one road: what is done, what is said of the rest, and what an approval covers."""

from __future__ import annotations

import re

import pytest
from tests.conftest import AGENT

from workroom.base.settings import Settings
from workroom.tools.dispatch import call
from workroom.tools.tool import Call

LINES = "".join(f"line {n}\n" for n in range(1, 41))
EDITED = LINES.replace("line 3\n", "three\n").replace("line 20\n", "").replace("line 38\n", "line 38\nmore\n")


@pytest.fixture
def edit(house):
    def run(action: str, **arguments):
        return call(Call(house.workspace, AGENT), "workspace_edit", {"action": action, **arguments}).to_json()

    return run


@pytest.fixture
def planned(house, edit):
    """A planned transaction of a file with three hunks and of a new one; its answer's data."""
    house.write("a.txt", LINES)
    operations = [
        {"type": "patch", "patch": diff(LINES, EDITED)},
        {"type": "create", "path": "b.txt", "content": "b\n"},
    ]
    return edit("preview", operations=operations, title="Both")["data"]


def diff(before, after):
    from workroom.text.diff import FileSide, render_file

    return render_file(FileSide("a.txt", before.encode(), 0o644), FileSide("a.txt", after.encode(), 0o644))


def test_the_ids_stand_in_the_answer_and_behind_the_at_signs(house, edit, planned):
    row = next(row for row in planned["files"] if row["path"] == "a.txt")
    assert len(row["hunks"]) == 3
    assert re.findall(r"^@@ .* @@ (h\S+)$", planned["diffPreview"], re.MULTILINE) == row["hunks"]
    shown = edit("show", transaction_id=planned["transactionId"])
    assert row["hunks"][0] in shown["data"]["diffPreview"]
    changes = (house.folder / ".agentic/transactions" / planned["transactionId"] / "changes.diff").read_text()
    assert all(hunk in changes for hunk in row["hunks"])
    applied = edit("commit", transaction_id=planned["transactionId"])
    assert row["hunks"][0] not in str(applied)


def test_a_file_is_committed_and_the_answer_says_where_the_rest_is(house, edit, planned):
    whole = planned["transactionId"]
    answer = edit("commit", transaction_id=whole, files=["b.txt"])
    data = answer["data"]
    assert (data["status"], data["partOf"]) == ("applied", whole)
    assert data["rest"] == {
        "transactionId": whole, "files": ["a.txt"], "commit": {"action": "commit", "transaction_id": whole},
    }  # fmt: skip
    assert f"The rest stays planned as {whole} (1 path, +2 -2 lines)" in answer["summary"]
    assert (house.read("a.txt"), house.read("b.txt")) == (LINES.encode(), b"b\n")
    shown = edit("show", transaction_id=whole)["data"]
    assert (shown["status"], shown["files"], shown["derived"]) == (
        "planned", ["a.txt"], [{"transactionId": data["transactionId"], "status": "applied", "partOf": whole}],
    )  # fmt: skip
    assert "b.txt" not in (house.folder / ".agentic/transactions" / whole / "changes.diff").read_text()
    listed = {row["transactionId"]: row for row in edit("list")["data"]["transactions"]}
    assert (listed[whole]["status"], listed[data["transactionId"]]["partOf"]) == ("planned", whole)
    assert edit(**data["rest"]["commit"])["data"]["status"] == "applied"
    assert house.read("a.txt") == EDITED.encode()


def test_hunks_one_after_another_after_a_restart(house, edit, planned):
    hunks = next(row["hunks"] for row in planned["files"] if row["path"] == "a.txt")
    assert edit("commit", transaction_id=planned["transactionId"], hunks=[hunks[1]])["ok"]
    assert house.read("a.txt") == LINES.replace("line 20\n", "").encode()
    house.reopen()
    answer = edit("commit", transaction_id=planned["transactionId"], hunks=[hunks[2]], files=["b.txt"])
    assert answer["data"]["rest"]["files"] == ["a.txt"]
    assert edit("commit", transaction_id=planned["transactionId"])["data"]["committed"]
    assert house.read("a.txt") == EDITED.encode()


def test_the_same_part_again_does_nothing_and_says_so(house, edit, planned):
    whole = planned["transactionId"]
    hunks = next(row["hunks"] for row in planned["files"] if row["path"] == "a.txt")
    part = {"transaction_id": whole, "hunks": hunks[:2]}
    first = edit("commit", **part)
    again = edit("commit", **part)
    assert (again["ok"], again["data"]["transactionId"]) == (True, first["data"]["transactionId"])
    assert "nothing was done" in again["summary"]
    mixed = edit("commit", transaction_id=whole, hunks=[hunks[2], hunks[0]])
    assert mixed["error"]["code"] == "INVALID_INPUT"
    assert f"was committed already, with {first['data']['transactionId']}" in mixed["error"]["message"]
    rest = edit("commit", transaction_id=whole)
    assert rest["data"]["status"] == "applied"
    assert "was applied already" in edit("commit", transaction_id=whole, files=["b.txt"])["summary"]


def test_all_hunks_of_a_file_are_the_file_and_can_be_asked_for_again(house, edit, planned):
    hunks = next(row["hunks"] for row in planned["files"] if row["path"] == "a.txt")
    first = edit("commit", transaction_id=planned["transactionId"], hunks=hunks)
    assert house.read("a.txt") == EDITED.encode()
    again = edit("commit", transaction_id=planned["transactionId"], hunks=hunks)
    assert again["data"]["transactionId"] == first["data"]["transactionId"]
    everything = edit("commit", transaction_id=planned["transactionId"], files=["."])
    assert everything["data"]["transactionId"] == planned["transactionId"]


def test_what_is_not_there_names_the_nearest(edit, planned):
    hunks = next(row["hunks"] for row in planned["files"] if row["path"] == "a.txt")
    answer = edit("commit", transaction_id=planned["transactionId"], hunks=[hunks[0] + "0"])
    assert answer["error"]["code"] == "INVALID_INPUT"
    assert f"The nearest is {hunks[0]}." in answer["error"]["message"]
    answer = edit("commit", transaction_id=planned["transactionId"], files=["b.text"])
    assert "The nearest is b.txt." in answer["error"]["message"]


def test_a_part_is_taken_back_by_itself(house, edit, planned):
    part = edit("commit", transaction_id=planned["transactionId"], files=["b.txt"])["data"]["transactionId"]
    assert edit("rollback", transaction_id=part)["ok"]
    assert not (house.folder / "b.txt").exists()
    assert edit("show", transaction_id=planned["transactionId"])["data"]["status"] == "planned"


def test_a_stale_part_is_refused_and_nothing_is_done(house, edit, planned):
    house.write("a.txt", LINES + "later\n")
    hunks = next(row["hunks"] for row in planned["files"] if row["path"] == "a.txt")
    answer = edit("commit", transaction_id=planned["transactionId"], hunks=hunks[:1])
    assert answer["error"]["code"] == "EDIT_CONFLICT"
    assert "+later" in answer["error"]["details"]["patch"]
    assert edit("commit", transaction_id=planned["transactionId"], files=["b.txt"])["ok"]
    shown = edit("show", transaction_id=planned["transactionId"])["data"]
    assert (shown["status"], shown["files"]) == ("planned", ["a.txt"])


def test_an_approval_of_a_part_covers_just_that_part(house, edit, planned):
    house.settings = Settings(mode="manual")
    whole = planned["transactionId"]
    hunks = next(row["hunks"] for row in planned["files"] if row["path"] == "a.txt")
    staged = edit("commit", transaction_id=whole, hunks=hunks[:1])["data"]
    assert (staged["status"], staged["transactionId"], staged["part"]) == (
        "pending_approval", whole, {"hunks": hunks[:1]},
    )  # fmt: skip
    assert staged["rest"]["files"] == ["a.txt", "b.txt"]
    assert "+three" in staged["diffPreview"]
    assert "+more" not in staged["diffPreview"]
    resume = staged["approval"]["resume"]["arguments"]
    assert resume == {"action": "commit", "transaction_id": whole, "hunks": hunks[:1]}
    house.workspace.approvals.approve(staged["approval"]["id"], "ann")
    assert edit("commit", transaction_id=whole)["data"]["status"] == "pending_approval"
    assert edit("commit", transaction_id=whole, hunks=hunks[:2])["data"]["status"] == "pending_approval"
    assert house.read("a.txt") == LINES.encode()
    assert edit(**resume)["data"]["committed"]
    assert house.read("a.txt") == LINES.replace("line 3\n", "three\n").encode()


def test_a_part_that_another_part_has_changed_is_asked_for_anew(house, edit, planned):
    house.settings = Settings(mode="manual")
    hunks = next(row["hunks"] for row in planned["files"] if row["path"] == "a.txt")
    first, second = (
        edit("commit", transaction_id=planned["transactionId"], hunks=[hunk])["data"]["approval"] for hunk in hunks[:2]
    )
    for approval in (first, second):
        house.workspace.approvals.approve(approval["id"], "ann")
    assert edit(**first["resume"]["arguments"])["data"]["committed"]
    again = edit(**second["resume"]["arguments"])["data"]
    assert (again["status"], again["approval"]["id"] != second["id"]) == ("pending_approval", True)


def test_a_part_is_as_destructive_as_it_is(house, edit):
    house.write("a.txt", "a\n")
    operations = [{"type": "delete", "path": "a.txt"}, {"type": "create", "path": "b.txt", "content": "b\n"}]
    whole = edit("preview", operations=operations)["data"]["transactionId"]
    house.settings = Settings(mode="auto", destructive_edits="refuse")
    assert edit("commit", transaction_id=whole)["error"]["code"] == "PROTECTED_PATH"
    assert edit("commit", transaction_id=whole, files=["a.txt"])["error"]["code"] == "PROTECTED_PATH"
    assert edit("commit", transaction_id=whole, files=["b.txt"])["data"]["committed"]


def test_a_path_that_was_protected_meanwhile_is_no_part(house, edit, planned):
    house.settings = Settings(mode="auto", protected_patterns=("b.txt",))
    answer = edit("commit", transaction_id=planned["transactionId"], files=["b.txt"])
    assert answer["error"]["code"] == "PROTECTED_PATH"
    house.settings = Settings(mode="auto", ask_patterns=("b.txt",))
    staged = edit("commit", transaction_id=planned["transactionId"], files=["b.txt"])
    assert staged["data"]["approval"]["asks"] == ["b.txt can run code"]


def test_a_key_has_the_rest_as_its_effect_too(house, edit):
    house.write("a.txt", LINES)
    operations = [{"type": "create", "path": name, "content": "x\n"} for name in ("c", "d")]
    whole = edit("preview", operations=operations, idempotency_key="k")["data"]["transactionId"]
    part = edit("commit", transaction_id=whole, files=["c"])["data"]["transactionId"]
    applied = edit("apply", operations=operations, idempotency_key="k")
    assert (applied["data"]["transactionId"], applied["data"]["status"]) == (whole, "applied")
    assert {(house.folder / name).exists() for name in ("c", "d")} == {True}
    assert [entry.transaction_id for entry in house.tx.history()] == [whole, part]


def test_a_long_rest_and_many_hunks_are_cut_and_counted(house, edit):
    house.write("a.txt", "".join(f"line {n}\n" for n in range(700)))
    operations = [{"type": "create", "path": f"f{n:02}", "content": "x\n"} for n in range(30)]
    operations += [
        {"type": "replace", "path": "a.txt", "search": f"line {n}\n", "replacement": f"{n}\n"}
        for n in range(5, 700, 12)
    ]
    data = edit("preview", operations=operations)["data"]
    row = next(row for row in data["files"] if row["path"] == "a.txt")
    assert (len(row["hunks"]), row["hunkCount"]) == (50, 58)
    rest = edit("commit", transaction_id=data["transactionId"], files=["a.txt"])["data"]["rest"]
    assert (len(rest["files"]), rest["fileCount"], rest["filesTruncated"]) == (20, 30, True)


def test_an_undo_in_part_is_refused(house, edit):
    applied = edit("apply", operations=[{"type": "create", "path": "a", "content": "x\n"}])["data"]["transactionId"]
    answer = edit("commit", transaction_id=applied, files=["a"])
    assert "was applied already" in answer["summary"]
