"""The person's own calls of the tools."""

from __future__ import annotations

import itertools

import pytest

from workroom.base.actor import Actor
from workroom.base.settings import Settings
from workroom.person import calls
from workroom.person.credential import PersonCredential
from workroom.tools.dispatch import TRIES

ANN = PersonCredential.grant("k", "k", 0, 0, name="ann")
CREATE = {"type": "create", "path": "a.txt", "content": "one\n"}


@pytest.fixture
def ask(house):
    def ask(name, **arguments):
        return calls.call(ANN, house.workspace, name, arguments, session="session_ann")

    return ask


@pytest.mark.parametrize("mode", ["manual", "plan", "auto"])
def test_what_the_person_does_is_done_at_once_and_recorded_as_theirs(house, ask, mode):
    house.settings = Settings(mode=mode, destructive_edits="refuse")
    house.write("gone.txt", "x")
    done = ask("workspace_edit", action="apply", operations=[CREATE, {"type": "delete", "path": "gone.txt"}])
    assert done.ok
    assert house.tree() == {"a.txt": (b"one\n", 0o644)}
    (entry,) = house.tx.history()
    assert (entry.actor, entry.decided_by) == (Actor("person", "ann", "session_ann"), "ann")
    assert house.workspace.approvals.count_pending() == 0
    house.undo(entry.transaction_id)
    assert house.read("gone.txt") == b"x"


def test_what_can_run_code_later_is_theirs_to_write_and_what_is_protected_is_not(house, ask):
    assert ask("workspace_edit", action="apply", operations=[{**CREATE, "path": ".envrc"}]).ok
    refused = ask("workspace_edit", action="apply", operations=[{**CREATE, "path": ".git/config"}])
    assert refused.error["code"] == "PROTECTED_PATH"


def test_tools_of_every_profile_answer_in_their_form(ask):
    assert ask("editor_diff", before="a", after="b").shown()["identical"] is False
    assert ask("workspace_inspect", action="capabilities").shown()["ok"] is True
    missing = ask("editor_dif")
    assert missing.error["code"] == "NOT_FOUND"
    assert "Did you mean editor_diff?" in missing.summary
    assert "Did you mean" not in ask("zzz").summary
    wrong = ask("editor_diff", before="a")
    assert (wrong.operation, list(wrong.shown())) == ("editor_diff", ["error"])


def test_what_needs_no_permit_is_answered(ask):
    done = ask("workspace_edit", action="apply", operations=[CREATE], idempotency_key="k")
    again = ask("workspace_edit", action="apply", operations=[CREATE], idempotency_key="k")
    assert again.data["transactionId"] == done.data["transactionId"]
    assert "nothing was done" in again.summary


def test_what_stops_a_commit_is_told_as_it_is(house, ask):
    house.tx.close()
    refused = ask("workspace_edit", action="apply", operations=[CREATE])
    assert refused.error["code"] == "IO_ERROR"
    assert house.tree() == {}


@pytest.fixture
def stale(house, ask):
    """The commit of a person's plan that has to be merged: the file is another since."""
    house.write("b.txt", "1\n2\n3\n4\n5\n")
    operations = [{"type": "replace", "path": "b.txt", "search": "1\n", "replacement": "one\n"}]
    planned = ask("workspace_edit", action="preview", operations=operations)
    house.edit({"type": "replace", "path": "b.txt", "search": "5\n", "replacement": "five\n"})
    arguments = {"action": "commit", "transaction_id": planned.data["transactionId"]}
    assert ask("workspace_edit", **arguments).error["code"] == "EDIT_CONFLICT"
    return {**arguments, "on_conflict": "merge"}


def writing_meanwhile(house, lines):
    """Another program writes the last line of the file within each commit, as long as there are lines."""

    def write(_changes):
        for line in lines:
            kept = house.read("b.txt").decode().split("\n")[:4]
            house.write("b.txt", "\n".join([*kept, line, ""]))
            return

    house.tx.before_commit = write


def test_a_commit_that_merges_is_made_again_while_others_write(house, ask, stale):
    writing_meanwhile(house, iter(["5!", "5!!"]))
    done = ask("workspace_edit", **stale)
    assert done.ok, done.summary
    assert house.read("b.txt") == b"one\n2\n3\n4\n5!!\n"


def test_what_never_stops_to_conflict_is_given_up(house, ask, stale):
    count = itertools.count()
    writing_meanwhile(house, map(str, count))
    assert ask("workspace_edit", **stale).error["code"] == "EDIT_CONFLICT"
    assert next(count) == TRIES
    assert house.read("b.txt") == f"1\n2\n3\n4\n{TRIES - 1}\n".encode()
