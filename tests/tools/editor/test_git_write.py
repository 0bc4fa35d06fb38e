"""editor_git_commit, editor_git_undo_commit, editor_git_stash, editor_git_stage: gated, carried out, told."""

from __future__ import annotations

import pytest
from tests.conftest import AGENT
from tests.repositories import git, planted, repository
from tests.tools.editor.conftest import ANN, newest

from workroom.base.settings import Mode, Settings
from workroom.person import calls, decisions
from workroom.tools.catalog import tools_for


@pytest.fixture
def manual(house):
    house.settings = Settings(mode="manual")
    return house


def files(house):
    return {path: what for path, what in house.tree().items() if path.split("/")[0] != ".git"}


LEAST = {
    "git_status": {}, "git_hunks": {"path": "f"}, "git_show": {"path": "f"}, "git_commit": {"message": "x"},
    "git_undo_commit": {"force": True}, "git_stash": {"action": "push"}, "git_sync": {"action": "fetch"},
    "git_stage": {"action": "stage", "paths": ["f"]},
}  # fmt: skip
"""What each tool that takes a `cwd` has to be told beside."""


def test_every_tool_that_takes_a_folder_of_git_is_known():
    takes = {tool.name for tool in tools_for("editor", Mode.AUTO) if "cwd" in tool.actions[0].arguments.model_fields}
    assert takes == {f"editor_{name}" for name in LEAST}


@pytest.mark.parametrize("name", LEAST)
def test_every_cwd_is_within_the_clients_root(house, repo, ask, tmp_path, name):
    other = repository(tmp_path / "other", f="1\n")
    (other / "f").write_text("2\n")
    (repo / "f").write_text("2\n")
    (repo / "out").symlink_to(other)
    (repo / "sub").mkdir()
    for cwd in (str(other), "../other", "out", "sub/../../other"):
        assert ask(name, cwd=cwd, **LEAST[name])["error"]["code"] == "PATH_OUTSIDE_WORKSPACE", cwd
    assert ask(name, cwd="gone", **LEAST[name])["error"]["code"] == "NOT_FOUND"
    assert git(other, "status", "--porcelain") == "M f"
    assert git(other, "log", "--format=%s") == "one"
    assert house.tx.history() == []
    if name != "git_sync":  # there is no remote to reach
        git(repo, "commit", "-qm", "sub", "--allow-empty")
        assert "error" not in ask(name, cwd=str(repo / "sub"), **LEAST[name])
        assert "error" not in ask(name, cwd="sub" if (repo / "sub").exists() else ".", **LEAST[name])


# commit


def test_only_what_was_looked_at_is_committed(repo, ask):
    (repo / "f").write_text("1\n")
    git(repo, "add", "f")
    (repo / "f").write_text("2\n")
    seen = ask("git_status")
    (repo / "f").write_text("3\n")
    assert ask("git_status")["staged_version"] == seen["staged_version"], "what is beside the index is another matter"
    (repo / "g").write_text("1\n")
    assert ask("git_status")["staged_version"] == seen["staged_version"]
    every = {"message": "x", "expected_version": seen["version"]}
    assert ask("git_commit", **every)["error"]["code"] == "EDIT_CONFLICT"
    (repo / "g").unlink()
    git(repo, "add", "f")
    staged = {"message": "x", "stage_all": False}
    refused = ask("git_commit", **staged, expected_version=seen["staged_version"])["error"]
    assert refused["code"] == "EDIT_CONFLICT"
    seen = ask("git_status")
    git(repo, "stash", "-q")
    git(repo, "commit", "-qm", "another", "--allow-empty")
    git(repo, "stash", "pop", "-q", "--index")
    refused = ask("git_commit", **staged, expected_version=seen["staged_version"])["error"]
    assert refused["code"] == "EDIT_CONFLICT"
    assert ask("git_commit", **staged, expected_version=ask("git_status")["staged_version"])["committed"] is True
    (repo / "f").write_text("4\n")
    assert ask("git_commit", message="y", expected_version=ask("git_status")["version"])["committed"] is True


def test_a_commit_is_made_and_told(house, repo, ask):
    (repo / "f").write_text("2\n")
    (repo / "n").write_text("n\n")
    answer = ask("git_commit", message="two\n\nwhy")
    sha = git(repo, "rev-parse", "HEAD")
    assert answer == {
        "committed": True,
        "sha": sha,
        "summary": f"[main {sha[:7]}] two\n 2 files changed, 2 insertions(+), 1 deletion(-)",
        "hooks_skipped": [],
        "unsigned": False,
    }
    entry = newest(house)
    assert (entry.cause, entry.title, entry.changes) == ("git", f"git commit {sha[:7]} two", ())
    assert entry.actor == AGENT
    assert git(repo, "status", "--porcelain") == ""


def test_nothing_to_commit(house, repo, ask):
    assert ask("git_commit", message="x") == {"committed": False, "sha": None, "summary": "Nothing to commit."}
    assert ask("git_commit", message="x", stage_all=False)["summary"] == "Nothing is staged."
    assert house.tx.history(1) == []


def test_a_commit_waits_with_its_diff_and_the_word_is_used_once(manual, repo, ask):
    (repo / "f").write_text("2\n")
    waits = ask("git_commit", message="two")
    assert (waits["status"], waits["committed"]) == ("pending_approval", False)
    shown = decisions.show(ANN, manual.workspace)
    assert '"message": "two"' in shown.body
    assert "-1\n+2\n" in shown.body
    assert git(repo, "rev-list", "--count", "HEAD") == "1"
    decided = decisions.accept(ANN, manual.workspace)
    assert decided.envelope.data["committed"]
    assert decided.record.status == "consumed"
    assert ask("git_commit", message="two")["sha"] == git(repo, "rev-parse", "HEAD")
    assert ask("git_commit", message="two")["committed"] is False
    assert git(repo, "rev-list", "--count", "HEAD") == "2"
    assert manual.workspace.audit.verify().faults == ()


def test_what_was_changed_while_it_waited_is_not_committed(manual, repo, ask):
    (repo / "f").write_text("2\n")
    ask("git_commit", message="two")
    (repo / "f").write_text("3\n")
    decided = decisions.accept(ANN, manual.workspace)
    assert decided.envelope.error["code"] == "EDIT_CONFLICT"
    assert git(repo, "rev-list", "--count", "HEAD") == "1"


def test_the_person_commits_unasked(manual, repo):
    (repo / "f").write_text("2\n")
    answer = calls.call(ANN, manual.workspace, "editor_git_commit", {"message": "mine"})
    assert answer.data["committed"]
    assert newest(manual).actor.kind == "person"


def test_hooks_and_signatures_that_are_left_out_are_told(house, repo, ask, tmp_path):
    program, mark = planted(tmp_path, "evil")
    (repo / ".git/hooks/pre-commit").symlink_to(program)
    git(repo, "config", "commit.gpgSign", "true")
    (repo / "f").write_text("2\n")
    answer = ask("git_commit", message="x", whole=True)
    assert (answer.data["hooks_skipped"], answer.data["unsigned"]) == (["pre-commit"], True)
    assert "Hooks that weren't run: pre-commit." in answer.summary
    assert "isn't signed" in answer.summary
    assert not mark.exists()


# undo-commit


def test_a_commit_is_undone(house, repo, ask):
    (repo / "f").write_text("2\n")
    sha = ask("git_commit", message="two\n\nwhy")["sha"]
    answer = ask("git_undo_commit")
    assert answer == {"undone_sha": sha, "message": "two\n\nwhy", "outside": 0}
    assert git(repo, "status", "--porcelain") == "M  f"
    assert newest(house).title == f"git undo of commit {sha[:7]}"
    assert ask("git_undo_commit")["message"] == "one"
    assert ask("git_undo_commit")["error"]["code"] == "NOT_FOUND"


def test_another_commit_than_the_one_that_is_meant_stays(house, repo, ask):
    seen = ask("git_status")["head"]
    (repo / "f").write_text("2\n")
    git(repo, "commit", "-qam", "theirs")
    refused = ask("git_undo_commit", expected_sha=seen)
    assert refused["error"]["code"] == "EDIT_CONFLICT"
    assert (git(repo, "log", "-1", "--format=%s"), house.tx.history(1)) == ("theirs", [])
    assert ask("git_undo_commit", expected_sha="HEAD")["error"]["code"] == "INVALID_INPUT"
    assert ask("git_undo_commit", expected_sha=ask("git_status")["head"])["message"] == "theirs"


def test_undoing_a_pushed_commit_is_refused_and_forced_it_is_destructive(house, repo, ask, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", str(repo), "far")
    git(repo, "remote", "add", "origin", str(tmp_path / "far"))
    git(repo, "fetch", "-q")
    assert ask("git_undo_commit")["error"]["code"] == "TRANSACTION_STATE"
    house.settings = Settings(mode="auto")
    assert ask("git_undo_commit", force=True)["approval"]["destructive"]
    assert git(repo, "rev-parse", "HEAD") in decisions.show(ANN, house.workspace).body
    decisions.accept(ANN, house.workspace)
    assert git(repo, "status", "--porcelain") == "A  f"


def test_undoing_a_merge_is_refused_and_forced_it_is_destructive(house, repo, ask):
    git(repo, "checkout", "-qb", "side")
    git(repo, "commit", "-q", "--allow-empty", "-m", "side")
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "--no-ff", "-m", "both", "side")
    refused = ask("git_undo_commit")["error"]
    assert (refused["code"], refused["details"]["merge"]) == ("TRANSACTION_STATE", True)
    house.settings = Settings(mode="auto")
    assert ask("git_undo_commit", force=True)["approval"]["destructive"]
    decisions.accept(ANN, house.workspace)
    assert git(repo, "log", "-1", "--format=%s") == "one"


def test_what_is_undone_outside_is_counted(tmp_path, house, ask, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    outer = repository(tmp_path, g="1\n")
    (house.folder / "n").write_text("n\n")
    git(outer, "add", "ws")
    (outer / "g").write_text("2\n")
    git(outer, "commit", "-qam", "both")
    answer = ask("git_undo_commit", whole=True)
    assert answer.data["outside"] == 1
    assert "1 of its paths lie outside" in answer.summary


# stash


def test_a_stash_is_an_entry_that_can_be_undone(house, repo, ask):
    (repo / "f").write_text("2\n")
    (repo / "d").mkdir()
    (repo / "d/n").write_text("n\n")
    before = files(house)
    answer = ask("git_stash", action="push")
    assert (answer["ok"], answer["paths"], answer["total"]) == (True, ["d/n", "f"], 2)
    assert house.read("f") == b"1\n"
    entry = newest(house)
    assert entry.title == f"git stash {git(repo, 'rev-parse', 'stash')[:7]}"
    assert [change.path for change in entry.changes] == ["d", "d/n", "f"]
    house.undo(entry.transaction_id)
    assert files(house) == before
    house.undo(newest(house).transaction_id)
    answer = ask("git_stash", action="pop")
    assert (answer["ok"], answer["paths"]) == (True, ["d/n", "f"])
    assert files(house) == before
    assert newest(house).title.startswith("git stash pop ")


def test_nothing_to_stash(repo, ask):
    assert ask("git_stash", action="push") == {"action": "push", "ok": False, "summary": "There is nothing to stash."}
    assert ask("git_stash", action="pop")["error"]["code"] == "NOT_FOUND"


def test_a_stash_waits_with_its_diff(manual, repo, ask):
    (repo / "f").write_text("2\n")
    waits = ask("git_stash", action="push")
    assert (waits["ok"], waits["paths"]) == (False, ["f"])
    assert "+2\n" in decisions.show(ANN, manual.workspace).body
    decisions.accept(ANN, manual.workspace)
    assert manual.read("f") == b"1\n"


# stage


def test_files_and_hunks_are_staged_and_unstaged(house, repo, ask):
    (repo / "f").write_text("".join(f"{n}\n" for n in range(20)))
    git(repo, "commit", "-qam", "long")
    (repo / "f").write_text("zero\n" + "".join(f"{n}\n" for n in range(1, 19)) + "last\n")
    (repo / "n").write_text("n\n")
    hunks = ask("git_hunks", path="f")
    options = {"hunks": [1], "patch_version": hunks["patch_version"]}
    answer = ask("git_stage", action="stage", paths=["f"], **options)
    assert answer == {"action": "stage", "ok": True, "summary": "Staged 1 hunk of f.", "paths": ["f"], "total": 1}
    assert ask("git_hunks", path="f", against="index")["added"] == 1
    assert ask("git_stage", action="stage", paths=["f"], **options)["error"]["code"] == "EDIT_CONFLICT"
    assert ask("git_stage", action="stage", paths=["."])["paths"] == ["f", "n"]
    assert ask("git_stage", action="unstage", paths=["f", "n"])["summary"] == "Unstaged 2 files."
    assert ask("git_stage", action="unstage", paths=["f"])["summary"] == "There is nothing to unstage there."
    assert git(repo, "diff", "--cached", "--name-only") == ""
    assert house.tx.history(1) == []


def test_staging_waits_with_its_diff(manual, repo, ask):
    (repo / "f").write_text("2\n")
    assert ask("git_stage", action="stage", paths=["f"])["ok"] is False
    assert "+2\n" in decisions.show(ANN, manual.workspace).body
    decisions.accept(ANN, manual.workspace)
    assert git(repo, "status", "--porcelain") == "M  f"
