"""Commits of exactly what was looked at, and the last one taken back."""

from __future__ import annotations

import os
from contextlib import ExitStack

import pytest
from tests.core.git.conftest import authored
from tests.moments import just_before
from tests.repositories import git, planted, repository

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.git.commit import TRIES, make_commit, plan_undo, prepare_commit, undo


def refused(work):
    with pytest.raises(WorkroomError) as caught:
        work()
    return caught.value


def snapshot(folder):
    """What git has written down: refs, index, objects."""
    files = (path for path in (folder / ".git").rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in files}


def test_preparing_leaves_the_repository_as_it_was(ws, at):
    (ws / "f").write_text("2\n")
    (ws / "n").write_text("n\n")
    before = snapshot(ws)
    prepared = prepare_commit(at(ws), "two\n\n\nlines  \n", patch=True)
    assert prepared.message == "two\n\nlines"
    assert b"+2\n" in prepared.patch
    assert b"+n\n" in prepared.patch
    assert snapshot(ws) == before


def test_a_commit_holds_what_was_prepared(ws, at):
    (ws / "f").write_text("2\n")
    (ws / "n").write_text("n\n")
    (ws / "a b\n\udcff").write_text("")
    made = make_commit(at(ws), prepare_commit(at(ws), "second"))
    assert made.sha == git(ws, "rev-parse", "HEAD")
    assert made.summary == f"[main {made.sha[:7]}] second\n 3 files changed, 2 insertions(+), 1 deletion(-)"
    assert git(ws, "status", "--porcelain") == ""
    parent = git(ws, "rev-parse", "HEAD~1")
    assert git(ws, "log", "-1", "--format=%an %ae %cn %s %P") == f"Ann ann@x Ann second {parent}"
    assert git(ws, "reflog", "-1", "--format=%gs") == "commit: second"
    git(ws, "fsck", "--strict")
    assert not (ws / ".git/index.lock").exists()


def test_nothing_to_commit(ws, at):
    assert prepare_commit(at(ws), "x") is None
    (ws / "n").write_text("n\n")
    assert prepare_commit(at(ws), "x", stage_all=False) is None


def test_only_what_is_staged(ws, at):
    (ws / "f").write_text("2\n")
    (ws / "n").write_text("n\n")
    git(ws, "add", "n")
    make_commit(at(ws), prepare_commit(at(ws), "n alone", stage_all=False))
    assert git(ws, "status", "--porcelain") == "M f"
    assert git(ws, "show", "--name-only", "--format=") == "n"


def test_the_first_commit_and_a_detached_head(tmp_path, ws, at):
    new = authored(repository(tmp_path / "new"))
    (new / "f").write_text("1\n")
    made = make_commit(at(new), prepare_commit(at(new), "first"))
    assert made.summary.startswith(f"[main (root-commit) {made.sha[:7]}] first\n")
    assert git(new, "reflog", "-1", "--format=%gs") == "commit (initial): first"
    git(ws, "checkout", "-q", "--detach")
    (ws / "f").write_text("2\n")
    assert make_commit(at(ws), prepare_commit(at(ws), "x")).summary.startswith("[detached HEAD ")


def test_what_was_changed_since_is_not_committed(ws, at):
    (ws / "f").write_text("2\n")
    prepared = prepare_commit(at(ws), "x")
    (ws / "f").write_text("3\n")
    assert refused(lambda: make_commit(at(ws), prepared)).code is ErrorCode.EDIT_CONFLICT
    (ws / "f").write_text("2\n")
    git(ws, "commit", "-q", "--allow-empty", "-m", "moved")
    assert refused(lambda: make_commit(at(ws), prepared)).code is ErrorCode.EDIT_CONFLICT
    assert git(ws, "log", "-1", "--format=%s") == "moved"
    assert git(ws, "diff", "--cached", "--name-only") == ""


def test_what_is_staged_in_the_last_moment_is_not_committed(ws, at):
    (ws / "f").write_text("2\n")
    prepared = prepare_commit(at(ws), "x")

    def stage():
        (ws / "n").write_text("n\n")
        git(ws, "add", "n")

    with just_before("open", str(ws / ".git/index.lock"), stage):
        assert refused(lambda: make_commit(at(ws), prepared)).code is ErrorCode.EDIT_CONFLICT
    assert git(ws, "log", "--format=%s") == "one"
    assert git(ws, "diff", "--cached", "--name-only") == "n"


def test_an_index_that_is_looked_over_all_the_time_is_given_up(ws, at):
    def look_over():  # later by a millisecond: the system's clock may not have gone on since the last time
        seen = (ws / ".git/index").stat()
        os.utime(ws / ".git/index", ns=(seen.st_atime_ns, seen.st_mtime_ns + 1_000_000))

    (ws / "f").write_text("2\n")
    prepared = prepare_commit(at(ws), "x")
    with ExitStack() as every_time:
        for _ in range(TRIES):
            every_time.enter_context(just_before("open", str(ws / ".git/index.lock"), look_over))
        assert refused(lambda: make_commit(at(ws), prepared)).code is ErrorCode.EDIT_CONFLICT
    assert not (ws / ".git/index.lock").exists()


def test_a_branch_that_moves_in_the_last_moment_stays(ws, at):
    (ws / "f").write_text("2\n")
    prepared = prepare_commit(at(ws), "x")

    def move():
        tree, head = git(ws, "rev-parse", "HEAD^{tree}"), git(ws, "rev-parse", "HEAD")
        git(ws, "update-ref", "HEAD", git(ws, "commit-tree", tree, "-p", head, "-m", "theirs"))

    with just_before("open", str(ws / ".git/index.lock"), move):
        assert refused(lambda: make_commit(at(ws), prepared)).code is ErrorCode.EDIT_CONFLICT
    assert git(ws, "log", "-1", "--format=%s") == "theirs"
    assert git(ws, "diff", "--cached", "--name-only") == ""


def test_a_branch_that_is_locked_is_told_in_gits_words(ws, at):
    (ws / "f").write_text("2\n")
    prepared = prepare_commit(at(ws), "x")
    (ws / ".git/refs/heads/main.lock").write_text("")
    assert "main.lock" in refused(lambda: make_commit(at(ws), prepared)).message


def test_an_index_that_another_program_holds(ws, at):
    (ws / "f").write_text("2\n")
    prepared = prepare_commit(at(ws), "x")
    (ws / ".git/index.lock").write_text("theirs")
    error = refused(lambda: make_commit(at(ws), prepared))
    assert (error.code, error.details["lock"]) == (ErrorCode.IO_ERROR, str(ws / ".git/index.lock"))
    assert (ws / ".git/index.lock").read_text() == "theirs"
    assert git(ws, "log", "--format=%s") == "one"


@pytest.mark.parametrize("key", ["user.name", "user.email"])
def test_no_author_is_guessed(ws, at, key):
    git(ws, "config", "--unset", key)
    (ws / "f").write_text("2\n")
    error = refused(lambda: prepare_commit(at(ws), "x"))
    assert error.code is ErrorCode.UNSUPPORTED
    assert "user.email" in error.message


@pytest.mark.parametrize("message", ["", " \n\t", "a\0b"])
def test_messages_that_are_none(ws, at, message):
    assert refused(lambda: prepare_commit(at(ws), message)).code is ErrorCode.INVALID_INPUT


def conflicting(ws, *, resolved):
    git(ws, "checkout", "-qb", "side")
    (ws / "f").write_text("side\n")
    git(ws, "commit", "-qam", "side")
    git(ws, "checkout", "-q", "main")
    (ws / "f").write_text("main\n")
    git(ws, "commit", "-qam", "main")
    with pytest.raises(Exception, match="merge"):
        git(ws, "merge", "side")
    if resolved:
        (ws / "f").write_text("both\n")
        git(ws, "add", "f")


def test_files_in_conflict_are_not_committed(ws, at):
    conflicting(ws, resolved=False)
    error = refused(lambda: prepare_commit(at(ws), "x"))
    assert (error.code, error.details["paths"]) == (ErrorCode.TRANSACTION_STATE, ["f"])


def test_a_resolved_merge_is_concluded(ws, at):
    conflicting(ws, resolved=True)
    assert refused(lambda: plan_undo(at(ws))).code is ErrorCode.TRANSACTION_STATE
    make_commit(at(ws), prepare_commit(at(ws), "merged"))
    assert git(ws, "log", "-1", "--format=%p").count(" ") == 1
    assert not (ws / ".git/MERGE_HEAD").exists()
    assert git(ws, "status", "--porcelain") == ""


@pytest.mark.parametrize("entry", ["CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge"])
def test_another_operation_is_not_meddled_with(ws, at, entry):
    (ws / ".git" / entry).write_text("")
    (ws / "f").write_text("2\n")
    assert refused(lambda: prepare_commit(at(ws), "x")).code is ErrorCode.TRANSACTION_STATE


def test_a_part_of_a_larger_repository(tmp_path, ws, at):
    (ws / "part").mkdir()
    (ws / "part/n").write_text("n\n")
    (ws / "f").write_text("2\n")
    make_commit(at(ws / "part"), prepare_commit(at(ws / "part"), "the part"))
    assert git(ws, "show", "--name-only", "--format=") == "part/n"
    assert git(ws, "status", "--porcelain") == "M f"
    git(ws, "add", "f")
    (ws / "part/n").write_text("2\n")
    error = refused(lambda: prepare_commit(at(ws / "part"), "x"))
    assert (error.code, error.details["outside"]) == (ErrorCode.PATH_OUTSIDE_WORKSPACE, 1)
    assert "f" not in error.message.split()


def test_a_repository_below_the_workspace(tmp_path, at):
    inner = authored(repository(tmp_path / "outer/inner", f="1\n"))
    (inner / "f").write_text("2\n")
    make_commit(at(tmp_path / "outer", "inner"), prepare_commit(at(tmp_path / "outer", "inner"), "x"))
    assert git(inner, "log", "-1", "--format=%s") == "x"


def test_hooks_are_not_run_and_told(ws, at, tmp_path):
    program, mark = planted(tmp_path, "evil")
    (ws / ".git/hooks/pre-commit").symlink_to(program)
    (ws / ".git/hooks/commit-msg").write_text("not executable")
    (ws / "f").write_text("2\n")
    assert make_commit(at(ws), prepare_commit(at(ws), "x")).hooks == ("pre-commit",)
    (tmp_path / "other").mkdir()
    (tmp_path / "other/post-commit").symlink_to(program)
    git(ws, "config", "core.hooksPath", "../other")
    (ws / "f").write_text("3\n")
    assert make_commit(at(ws), prepare_commit(at(ws), "x")).hooks == ("post-commit",)
    assert not mark.exists()


# undo


def test_the_last_commit_is_taken_back_and_its_changes_stay_staged(ws, at):
    (ws / "f").write_text("2\n")
    git(ws, "commit", "-qam", "subject\n\nbody")
    sha = git(ws, "rev-parse", "HEAD")
    (ws / "f").write_text("3\n")
    undoing = plan_undo(at(ws))
    undo(at(ws), undoing)
    assert (undoing.sha, undoing.message) == (sha, "subject\n\nbody")
    assert git(ws, "log", "--format=%s") == "one"
    assert git(ws, "status", "--porcelain") == "MM f"
    assert (ws / "f").read_text() == "3\n"
    assert git(ws, "rev-parse", "ORIG_HEAD") == sha


def test_the_first_commit_is_taken_back(ws, at):
    undo(at(ws), plan_undo(at(ws)))
    assert at(ws).head() is None
    assert git(ws, "status", "--porcelain") == "A  f"
    assert refused(lambda: plan_undo(at(ws))).code is ErrorCode.NOT_FOUND


def test_a_pushed_commit_is_not_taken_back_unless_forced(ws, at, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", str(ws), "far")
    git(ws, "remote", "add", "origin", str(tmp_path / "far"))
    git(ws, "fetch", "-q")
    error = refused(lambda: plan_undo(at(ws)))
    assert (error.code, error.details["pushed"]) == (ErrorCode.TRANSACTION_STATE, "origin/main")
    undo(at(ws), plan_undo(at(ws), force=True))
    assert at(ws).head() is None


def test_a_merge_is_not_taken_back_unless_forced(ws, at):
    conflicting(ws, resolved=True)
    git(ws, "commit", "-qm", "merged")
    assert "is a merge" in refused(lambda: plan_undo(at(ws))).message
    undo(at(ws), plan_undo(at(ws), force=True))
    assert git(ws, "log", "-1", "--format=%s") == "main"


def test_only_the_commit_that_is_meant_is_taken_back(ws, at):
    meant = git(ws, "rev-parse", "HEAD")
    assert plan_undo(at(ws), expected=meant).sha == meant
    git(ws, "commit", "-q", "--allow-empty", "-m", "theirs")
    error = refused(lambda: plan_undo(at(ws), force=True, expected=meant))
    assert error.code is ErrorCode.EDIT_CONFLICT
    assert error.details == {"sha": git(ws, "rev-parse", "HEAD"), "expected": meant}


def test_a_branch_that_has_moved_is_not_taken_back(ws, at):
    undoing = plan_undo(at(ws))
    git(ws, "commit", "-q", "--allow-empty", "-m", "theirs")
    assert refused(lambda: undo(at(ws), undoing)).code is ErrorCode.EDIT_CONFLICT
    assert git(ws, "log", "-1", "--format=%s") == "theirs"


def test_what_of_a_commit_lies_outside_is_counted(ws, at):
    (ws / "part").mkdir()
    (ws / "part/n").write_text("n\n")
    (ws / "f").write_text("2\n")
    git(ws, "add", ".")
    git(ws, "commit", "-qm", "both")
    assert plan_undo(at(ws / "part")).outside == 1
    assert plan_undo(at(ws)).outside == 0


def test_a_file_becomes_a_folder_and_a_folder_a_file(ws, at):
    (ws / "d").mkdir()
    (ws / "d/x").write_text("x\n")
    git(ws, "add", ".")
    git(ws, "commit", "-qm", "d")
    (ws / "d/x").unlink()
    (ws / "d").rmdir()
    (ws / "d").symlink_to("f")
    (ws / "f").unlink()
    (ws / "f").mkdir()
    (ws / "f/y").write_text("y\n")
    make_commit(at(ws), prepare_commit(at(ws), "other way round"))
    assert git(ws, "ls-tree", "-r", "--name-only", "HEAD").split() == ["d", "f/y"]
    assert git(ws, "status", "--porcelain") == ""


def test_a_repository_within_is_left(ws, at):
    repository(ws / "inner", g="1\n")
    repository(ws / "*empty")
    (ws / "f").write_text("2\n")
    make_commit(at(ws), prepare_commit(at(ws), "f alone"))
    assert git(ws, "show", "--name-only", "--format=") == "f"
    assert git(ws, "status", "--porcelain") == "?? *empty/\n?? inner/"
