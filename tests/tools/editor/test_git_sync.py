"""editor_git_sync: gated for where it reaches and what it brings, and told."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest
from tests.repositories import git, planted
from tests.tools.editor.conftest import ANN, newest

from workroom.base.settings import Settings
from workroom.person import calls, decisions


@pytest.fixture
def far(repo):
    """A bare remote within the workspace, so that nothing of it has to be asked about; `theirs` pushes to it."""
    (repo / ".git/info/exclude").write_text("/far\n/theirs\n")
    git(repo, "clone", "-q", "--bare", str(repo), "far")
    git(repo, "remote", "add", "origin", "far")
    git(repo, "fetch", "-q")
    git(repo, "branch", "-q", "-u", "origin/main")
    git(repo, "clone", "-q", "far", "theirs")
    return repo / "far"


@pytest.fixture
def theirs(far, repo):
    def commit(name="n", text="n\n"):
        clone = repo / "theirs"
        (clone / name).parent.mkdir(exist_ok=True)
        (clone / name).write_text(text)
        git(clone, "add", ".")
        git(clone, "commit", "-qm", f"their {name}")
        git(clone, "push", "-q")
        return git(clone, "rev-parse", "HEAD")

    return commit


def test_fetch(house, ask, theirs):
    sha = theirs()
    assert ask("git_sync", action="fetch") == {
        "action": "fetch", "ok": True, "ahead": 0, "behind": 1, "summary": "Fetched origin.", "hooks_skipped": [],
    }  # fmt: skip
    assert git(house.folder, "rev-parse", "origin/main") == sha
    assert newest(house).title == "git fetch origin"
    number = newest(house).number
    ask("git_sync", action="fetch")
    assert newest(house).number == number


def test_a_pull_is_an_entry_that_can_be_undone(house, repo, ask, theirs):
    theirs("d/n")
    sha = theirs("f", "2\n")
    head = git(repo, "rev-parse", "HEAD")
    answer = ask("git_sync", action="pull")
    said = f"Fast-forwarded {head[:7]}..{sha[:7]}: 2 files."
    assert (answer["ok"], answer["ahead"], answer["behind"], answer["summary"]) == (True, 0, 0, said)
    entry = newest(house)
    assert entry.title == f"git pull {head[:7]}..{sha[:7]}"
    assert [change.path for change in entry.changes] == ["d", "d/n", "f"]
    assert house.read("f") == b"2\n"
    house.undo(entry.transaction_id)
    assert house.read("f") == b"1\n"
    assert not (repo / "d").exists()


KILLED = """#!/bin/sh
# git is killed as it puts its new index in place: the second file that it renames
case " $* " in *" merge --ff-only "*)
    exec strace -f -qq -o /dev/null -e trace=/rename.* -e inject=/rename.*:signal=KILL:when=2 "{git}" "$@";;
esac
exec "{git}" "$@"
"""


def test_a_git_that_is_killed_leaves_a_lock_that_is_told_and_files_that_go_back(
    house, repo, ask, theirs, tmp_path, monkeypatch
):
    strace = ["strace", "-f", "-qq", "-o", os.devnull, "true"]
    if shutil.which("strace") is None or subprocess.run(strace, check=False, capture_output=True).returncode:
        pytest.skip("strace can't trace here")  # pragma: no cover
    theirs("f", "2\n")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/git").write_text(KILLED.format(git=shutil.which("git")))
    (tmp_path / "bin/git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    lock = repo / ".git/index.lock"
    failed = ask("git_sync", action="pull")["error"]
    assert (failed["code"], failed["details"]["lock"]) == ("IO_ERROR", str(lock))
    entry = newest(house)
    assert entry.title.endswith("(it failed)")
    assert [change.path for change in entry.changes] == ["f"]
    house.undo(entry.transaction_id)
    assert house.read("f") == b"1\n"
    for name, arguments in (("git_commit", {"message": "x"}), ("git_stage", {"action": "stage", "paths": ["f"]})):
        house.write("f", "3\n")
        told = ask(name, **arguments)["error"]
        assert told["details"]["lock"] == str(lock)
        assert told["next_step"] == "Try again in a moment; where no git is running, have the person delete that file."
    assert lock.exists()  # whose it is can't be proved: the person takes it away
    lock.unlink()
    house.write("f", "1\n")
    monkeypatch.setenv("PATH", os.environ["PATH"].partition(":")[2])
    assert ask("git_sync", action="pull")["ok"]
    assert house.read("f") == b"2\n"


def test_a_pull_brings_what_its_fetch_finds_beyond_what_was_known(house, repo, ask, theirs):
    theirs()
    ask("git_sync", action="fetch")
    sha = theirs("m")
    assert ask("git_sync", action="pull")["ok"]
    assert git(repo, "rev-parse", "HEAD") == sha


def test_nothing_to_pull_diverged_and_no_upstream(house, repo, ask, theirs):
    assert ask("git_sync", action="pull")["summary"] == "There is nothing to pull."
    theirs()
    git(repo, "commit", "-q", "--allow-empty", "-m", "mine")
    answer = ask("git_sync", action="pull")
    assert (answer["ok"], answer["ahead"], answer["behind"]) == (False, 1, 1)
    assert not (repo / "n").exists()
    git(repo, "branch", "-q", "--unset-upstream")
    assert ask("git_sync", action="pull")["error"]["code"] == "NOT_FOUND"


def test_what_a_pull_brings_is_asked_about_where_it_can_run_code(house, repo, ask, theirs):
    house.settings = Settings(mode="auto")
    sha = theirs(".vscode/tasks.json", "{}")
    waits = ask("git_sync", action="pull")
    assert waits["approval"]["asks"] == [".vscode/tasks.json can run code"]
    assert not (repo / ".vscode").exists()
    shown = decisions.show(ANN, house.workspace)
    assert "+{}" in shown.body
    assert "pull origin: far" in shown.body
    later = theirs()
    decided = decisions.accept(ANN, house.workspace)
    assert decided.envelope.data["ok"], decided.envelope
    assert git(repo, "rev-parse", "HEAD") == sha != later
    assert decided.envelope.data["behind"] == 1


def test_a_pull_that_was_accepted_before_anything_was_fetched_asks_again(house, repo, ask, theirs):
    house.settings = Settings(mode="manual")
    ask("git_sync", action="pull")
    theirs()
    assert decisions.accept(ANN, house.workspace).envelope.error["code"] == "EDIT_CONFLICT"
    assert not (repo / "n").exists()
    assert ask("git_sync", action="pull")["error"]["code"] == "EDIT_CONFLICT"  # what came of the first
    assert ask("git_sync", action="pull")["status"] == "pending_approval"
    assert "+n\n" in decisions.show(ANN, house.workspace).body
    assert decisions.accept(ANN, house.workspace).envelope.data["ok"]
    assert (repo / "n").exists()


def test_a_pull_of_what_is_protected_is_refused(house, repo, ask, theirs):
    house.settings = Settings(mode="auto", protected_patterns=("locked/**",))
    theirs("locked/n")
    assert ask("git_sync", action="pull")["error"]["code"] == "PROTECTED_PATH"
    assert not (repo / "locked").exists()


def test_push(house, repo, ask, far, tmp_path):
    program, mark = planted(tmp_path, "evil")
    (repo / ".git/hooks/pre-push").symlink_to(program)
    git(repo, "commit", "-q", "--allow-empty", "-m", "mine")
    sha = git(repo, "rev-parse", "HEAD")
    answer = ask("git_sync", action="push", whole=True)
    assert (answer.data["ok"], answer.data["ahead"]) == (True, 0)
    assert answer.data["hooks_skipped"] == ["pre-push"]
    assert "Hooks that weren't run: pre-push." in answer.summary
    assert git(far, "rev-parse", "main") == sha
    assert newest(house).title == f"git push {sha[:7]} to origin main"
    assert not mark.exists()


def test_a_refused_push_is_no_entry(house, repo, ask, theirs):
    theirs()
    git(repo, "commit", "-q", "--allow-empty", "-m", "mine")
    answer = ask("git_sync", action="push")
    assert answer["ok"] is False
    assert "refused" in answer["summary"]
    assert house.tx.history(1) == []


def test_a_push_waits_for_the_person_with_its_url(house, repo, ask, far):
    house.settings = Settings(mode="manual")
    git(repo, "checkout", "-qb", "new")
    assert ask("git_sync", action="push")["ok"] is False
    body = decisions.show(ANN, house.workspace).body
    assert "push origin: far" in body
    assert "refs/heads/new, which becomes its upstream" in body
    assert decisions.accept(ANN, house.workspace).record.status == "consumed"
    assert git(far, "rev-parse", "new") == git(repo, "rev-parse", "HEAD")


def test_a_remote_outside_of_the_workspace_is_asked_about_and_the_person_just_reaches_it(house, repo, ask, tmp_path):
    house.settings = Settings(mode="auto")
    git(tmp_path, "clone", "-q", "--bare", str(repo), "out")
    git(repo, "remote", "add", "origin", str(tmp_path / "out"))
    for action in ("fetch", "push", "pull"):
        waits = ask("git_sync", action=action)
        assert waits["approval"]["asks"] == [f"it reaches {tmp_path / 'out'}, outside of the workspace"]
    assert calls.call(ANN, house.workspace, "editor_git_sync", {"action": "fetch"}).data["ok"]
    assert git(repo, "rev-parse", "origin/main") == git(repo, "rev-parse", "HEAD")
