"""Staging by file and by hunk."""

from __future__ import annotations

import pytest
from tests.core.git.conftest import authored
from tests.repositories import git, planted, repository

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.git.reading import DIFF
from workroom.core.git.staging import Staging, change_staging, preview_staging, version_of_patch


def refused(work):
    with pytest.raises(WorkroomError) as caught:
        work()
    return caught.value


def change(repo, paths, back=False, hunks=None, context=0, version=""):
    """Do it, after it was tried out: the same comes of both."""
    wanted = Staging(tuple(paths), back, hunks, context, version)
    preview = preview_staging(repo, wanted, patch=True)
    found = change_staging(repo, wanted)
    listed = repo.runner.run("ls-files", "--stage", "-z").stdout
    assert (preview.paths, preview.index) == (found, version_of_patch(listed))
    spec, base = map(repo.place.to_git, paths), repo.head() or repo.empty_tree()
    assert preview.patch == repo.runner.run(*DIFF, "--cached", "-U3", base, "--", *spec).stdout
    return found


def stage(repo, paths):
    return change(repo, paths)


def unstage(repo, paths):
    return change(repo, paths, back=True)


def stage_hunks(repo, path, chosen, **options):
    return change(repo, [path], hunks=frozenset(chosen), **options)


EDITS = {2: "two\n", 15: "", 27: "27\nmore\n"}


def text(*chosen):
    """The file with some of its three edits."""
    edits = {line: EDITS[line] for number, line in enumerate(EDITS) if number in chosen}
    return "".join(edits.get(n, f"{n}\n") for n in range(30))


@pytest.fixture
def long(ws):
    (ws / "f").write_text(text())
    git(ws, "commit", "-qam", "long")
    (ws / "f").write_text(text(0, 1, 2))
    return ws


def staged(ws):
    return git(ws, "diff", "--cached", "--name-only").splitlines()


def test_by_file_and_back(ws, at):
    (ws / "f").write_text("2\n")
    (ws / "d").mkdir()
    (ws / "d/[*]").write_text("n\n")
    (ws / "d/n").write_text("n\n")
    assert stage(at(ws), ["d/[*]"]) == ("d/[*]",)
    assert staged(ws) == ["d/[*]"]
    assert stage(at(ws), ["f", "d"]) == ("d/n", "f")
    assert unstage(at(ws), ["d"]) == ("d/[*]", "d/n")
    assert staged(ws) == ["f"]
    assert stage(at(ws), ["none"]) == unstage(at(ws), ["none"]) == ()


def test_a_deleted_file_and_one_that_is_ignored(ws, at):
    (ws / "f").unlink()
    (ws / ".git/info/exclude").write_text("n\n")
    (ws / "n").write_text("n\n")
    assert stage(at(ws), ["."]) == ("f",)
    assert git(ws, "status", "--porcelain") == "D  f"


def test_before_the_first_commit(at, tmp_path):
    new = authored(repository(tmp_path / "new"))
    (new / "f").write_text("1\n")
    assert stage(at(new), ["f"]) == ("f",)
    (new / "f").write_text("2\n")
    assert unstage(at(new), ["."]) == ("f",)
    assert git(new, "status", "--porcelain") == "?? f"


def test_a_part_of_a_larger_repository(ws, at):
    (ws / "part").mkdir()
    (ws / "part/n").write_text("n\n")
    (ws / "f").write_text("2\n")
    assert stage(at(ws / "part"), ["."]) == ("n",)
    git(ws, "add", "f")
    assert unstage(at(ws / "part"), ["."]) == ("n",)
    assert staged(ws) == ["f"]


@pytest.mark.parametrize("context", [0, 3])
@pytest.mark.parametrize("chosen", [{0}, {1}, {2}, {0, 2}, {0, 1, 2}])
def test_by_hunk_and_back(long, at, chosen, context):
    whole = at(long).diff("f", "worktree", context)
    stage_hunks(at(long), "f", chosen, context=context, version=version_of_patch(whole.patch))
    assert git(long, "show", ":f") + "\n" == text(*chosen)
    last = len(chosen) - 1
    stage_hunks(at(long), "f", {last}, context=context, back=True)
    assert git(long, "show", ":f") + "\n" == text(*sorted(chosen)[:last])
    assert (long / "f").read_text() == text(0, 1, 2)


def test_hunks_that_are_not_there(long, at):
    for chosen in ({3}, {-1}, set()):
        assert refused(lambda chosen=chosen: stage_hunks(at(long), "f", chosen)).code is ErrorCode.INVALID_INPUT
    (long / "n").write_text("n\n")
    assert refused(lambda: stage_hunks(at(long), "n", {0})).code is ErrorCode.INVALID_INPUT
    assert staged(long) == []


def test_hunks_of_several_files(long, at):
    wanted = Staging(("f", "g"), hunks=frozenset({0}))
    assert refused(lambda: change_staging(at(long), wanted)).code is ErrorCode.INVALID_INPUT


def test_hunks_of_another_patch(long, at):
    version = version_of_patch(at(long).diff("f").patch)
    (long / "f").write_text("other\n")
    error = refused(lambda: stage_hunks(at(long), "f", {0}, version=version))
    assert error.code is ErrorCode.EDIT_CONFLICT
    assert staged(long) == []


def test_a_file_that_needs_a_filter(long, at, tmp_path):
    program, mark = planted(tmp_path, "evil")
    git(long, "config", "filter.x.clean", program)
    (long / ".git/info/attributes").write_text("f filter=x\n")
    assert refused(lambda: stage(at(long), ["f"])).code is ErrorCode.UNSUPPORTED
    assert refused(lambda: stage_hunks(at(long), "f", {0})).code is ErrorCode.UNSUPPORTED
    assert staged(long) == []
    assert not mark.exists()


def test_an_index_that_another_program_holds(long, at):
    (long / ".git/index.lock").write_text("")
    whole, one = Staging(("f",)), Staging(("f",), hunks=frozenset({0}))
    for work in (lambda: change_staging(at(long), whole), lambda: change_staging(at(long), one)):
        assert "lock" in refused(work).details
    assert staged(long) == []
