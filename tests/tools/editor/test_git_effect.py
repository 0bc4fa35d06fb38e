"""What git did is told in the history, also where it failed; and asked about like any other change."""

from __future__ import annotations

import pytest
from tests.moments import just_before
from tests.repositories import git
from tests.tools.editor.conftest import ANN, newest

from workroom.base.settings import Settings
from workroom.core.approvals import Status
from workroom.person import decisions


def test_what_came_of_it_is_not_known_after_a_crash_and_it_is_not_done_again(house, repo, ask):
    house.settings = Settings(mode="manual")
    (repo / "f").write_text("2\n")
    ask("git_commit", message="x")

    def ends():
        raise KeyboardInterrupt

    with just_before("open", str(repo / ".git/index.lock"), ends), pytest.raises(KeyboardInterrupt):
        decisions.accept(ANN, house.workspace)
    house.reopen()
    record = house.workspace.approvals.list({Status.CONSUMED}, 1)[0]
    assert any("isn't known" in fact for fact in decisions.show(ANN, house.workspace, record.id).facts)
    assert ask("git_commit", message="x")["status"] == "pending_approval"
    assert git(repo, "rev-list", "--count", "HEAD") == "1"
    accepted = decisions.accept(ANN, house.workspace).record
    assert not any("isn't known" in fact for fact in decisions.show(ANN, house.workspace, accepted.id).facts)


def test_a_commit_that_cannot_be_told_is_made_all_the_same(house, repo, ask):
    (repo / "f").write_text("2\n")
    house.settings = Settings(mode="auto")
    with house.workspace.store.write() as db:  # the database takes no entry from now on
        db.execute(
            "CREATE TEMP TRIGGER refusing BEFORE INSERT ON main.entries BEGIN "
            "SELECT RAISE(ABORT, 'the disk is broken'); END"
        )
    answer = ask("git_commit", message="x", whole=True)
    assert answer.data["committed"]
    assert git(repo, "log", "-1", "--format=%s") == "x"
    assert "The history couldn't be told: " in answer.summary
    assert "the disk is broken" in answer.summary


def test_undoing_a_commits_entry_names_the_tool(house, repo, ask):
    (repo / "f").write_text("2\n")
    ask("git_commit", message="x")
    with pytest.raises(Exception, match="editor_git_undo_commit"):
        house.undo(newest(house).transaction_id)


def test_what_can_run_code_is_asked_about_and_what_is_protected_refused(house, repo, ask):
    house.settings = Settings(mode="auto", protected_patterns=("locked/**",))
    (repo / ".vscode").mkdir()
    (repo / ".vscode/tasks.json").write_text("{}")
    git(repo, "stash", "push", "-qu")
    assert ask("git_stash", action="pop")["approval"]["asks"] == [".vscode/tasks.json can run code"]
    git(repo, "stash", "drop", "-q")
    (repo / "locked").mkdir()
    (repo / "locked/n").write_text("n\n")
    assert ask("git_stash", action="push")["error"]["code"] == "PROTECTED_PATH"
    assert (repo / "locked/n").exists()
