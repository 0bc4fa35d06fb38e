"""Which repository a folder belongs to, and which is not believed."""

from __future__ import annotations

import os

import pytest
from tests.repositories import git, repository

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.git.place import Place, find_place
from workroom.system.root import Root


def place(folder, inside="."):
    with Root.open(folder) as root:
        return find_place(root, inside)


def refused(folder, inside="."):
    with pytest.raises(WorkroomError) as caught:
        place(folder, inside)
    return caught.value.code


def test_the_workspaces_own_and_one_below(tmp_path):
    ws = repository(tmp_path / "ws")
    (ws / "a/b").mkdir(parents=True)
    assert place(ws, "a/b") == Place(str(ws), f"{ws}/.git", f"{ws}/.git", "", "")
    repository(ws / "a")
    below = place(ws, "a/b")
    assert (below.below, below.above, below.spec, below.to_git("a"), below.to_git("a/b/c")) == (
        "a", "", ".", ".", "b/c",
    )  # fmt: skip
    assert below.to_root("x") == "a/x"
    with pytest.raises(WorkroomError) as caught:
        below.to_git("ab")
    assert caught.value.code is ErrorCode.INVALID_INPUT


def test_a_repository_above(tmp_path):
    top = repository(tmp_path / "top")
    (top / "ws").mkdir()
    above = place(top / "ws")
    assert (above.above, above.spec, above.to_git("."), above.to_git("f")) == ("ws", "ws", "ws", "ws/f")
    assert (above.to_root("ws/f"), above.to_root("f"), above.to_root("wsf")) == ("f", None, None)


def test_no_repository_and_folders_that_only_look_like_one(tmp_path):
    ws = tmp_path / "ws"
    (ws / ".git").mkdir(parents=True)
    git(ws, "init", "-q", "--bare", "bare")
    assert refused(ws) == refused(ws, "bare") == ErrorCode.NOT_FOUND


def test_linked_worktrees_are_followed_where_their_repository_lists_them(tmp_path):
    main = repository(tmp_path / "main", f="1")
    git(main, "worktree", "add", "-q", str(tmp_path / "ws"), "-b", "other")
    found = place(tmp_path / "ws")
    assert (found.top, found.common_dir) == (str(tmp_path / "ws"), f"{main}/.git")
    (tmp_path / "else").mkdir()
    (tmp_path / "else/.git").write_text((tmp_path / "ws/.git").read_text())
    assert refused(tmp_path / "else") is ErrorCode.UNSUPPORTED


def test_submodules_within_and_opened_by_themselves(tmp_path):
    library = repository(tmp_path / "library", f="1")
    ws = repository(tmp_path / "ws", g="1")
    git(ws, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "sub")
    assert place(ws, "sub").git_dir == place(ws / "sub").git_dir == f"{ws}/.git/modules/sub"
    (ws / "other").mkdir()
    (ws / "other/.git").write_text("gitdir: ../.git/modules/sub\n")
    assert refused(ws / "other") is ErrorCode.UNSUPPORTED
    (ws / ".git/modules/sub/config").unlink()
    assert refused(ws / "sub") is ErrorCode.UNSUPPORTED


@pytest.mark.parametrize("text", ["gitdir: ../secret/.git\n", "gitdir: nowhere\n", "something", "gitdir: \0", ""])
def test_G07_a_git_file_that_points_elsewhere(tmp_path, text):
    repository(tmp_path / "secret", f="1")
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws/.git").write_text(text)
    assert refused(tmp_path / "ws") is ErrorCode.UNSUPPORTED


def test_G07_a_git_link_that_leads_elsewhere_and_one_that_stays(tmp_path):
    secret = repository(tmp_path / "secret", f="1")
    ws = repository(tmp_path / "ws/real").parent
    (ws / ".git").symlink_to(secret / ".git")
    assert refused(ws) is ErrorCode.UNSUPPORTED
    (ws / ".git").unlink()
    (ws / ".git").symlink_to("real/.git")
    assert place(ws).git_dir == f"{ws}/real/.git"


def test_G07_a_commondir_that_leads_elsewhere(tmp_path):
    secret = repository(tmp_path / "secret", f="1")
    ws = repository(tmp_path / "ws")
    (ws / ".git/commondir").write_text(f"{secret}/.git")
    assert refused(ws) is ErrorCode.UNSUPPORTED
    (ws / ".git").rename(ws / "fake")
    (ws / ".git").write_text("gitdir: fake\n")
    assert refused(ws) is ErrorCode.UNSUPPORTED


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_G07_another_users_repository_above(tmp_path):
    top = repository(tmp_path / "top")
    (top / "ws").mkdir()
    os.chown(top / ".git", 12345, 12345)
    assert refused(top / "ws") is ErrorCode.UNSUPPORTED
    os.chown(top, 12345, 12345)
    assert place(top).top == str(top)  # the folder's own owner, in the folder
