"""editor_git_status, editor_git_hunks, editor_git_show."""

from __future__ import annotations

import hashlib

import pytest
from tests.conftest import AGENT
from tests.repositories import git, repository

from workroom.base.settings import Settings
from workroom.tools.dispatch import call
from workroom.tools.tool import Call


@pytest.fixture
def ask(house):
    def send(name, **arguments):
        return call(Call(house.workspace, AGENT, "editor"), f"editor_git_{name}", arguments)

    return send


@pytest.fixture
def ws(house):
    return repository(house.folder, f="1\n", g="1\n")


def test_status(ws, ask):
    assert ask("status").shown()["entries"] == []
    git(ws, "mv", "g", "h")
    (ws / "\udcff").write_text("")
    answer = ask("status")
    shown = answer.shown()
    assert {len(shown.pop(name)) for name in ("version", "staged_version")} == {20}
    assert shown == {
        "branch": "main",
        "upstream": None,
        "ahead": 0,
        "behind": 0,
        "clean": False,
        "entries": [
            {"path": "h", "index": "renamed", "worktree": "unchanged", "staged": True, "renamed_from": "g"},
            {"path": "\\xff", "index": "untracked", "worktree": "untracked", "staged": False, "renamed_from": None},
        ],
        "head": git(ws, "rev-parse", "HEAD"),
    }
    assert answer.summary == "On main: 2 changed paths."


def test_status_names_the_upstream(house, ws, ask, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", str(ws), "far")
    git(ws, "remote", "add", "origin", str(tmp_path / "far"))
    git(ws, "fetch", "-q")
    git(ws, "branch", "-q", "-u", "origin/main")
    assert ask("status").summary == "On main, 0 ahead and 0 behind origin/main: clean."
    git(ws, "checkout", "-q", "--detach")
    assert ask("status").shown()["branch"] is None


def test_outside_a_repository_and_no_folder(house, ask):
    assert ask("status").error["code"] == "NOT_FOUND"
    assert "cwd" in ask("status", cwd="none").summary
    assert ask("status", cwd="..").error["code"] == "PATH_OUTSIDE_WORKSPACE"


def test_hunks(house, ws, ask):
    (ws / "f").write_text("1\n2\n")
    assert ask("hunks", path="f").shown() == {
        "path": "f",
        "against": "worktree",
        "patch": "diff --git a/f b/f\nindex d00491f..1191247 100644\n--- a/f\n+++ b/f\n@@ -1,0 +2 @@\n+2\n",
        "hunks": [{"old_start": 1, "old_lines": 0, "new_start": 2, "new_lines": 1, "added": 1, "removed": 0}],
        "added": 1,
        "removed": 0,
        "untracked": False,
        "patch_version": hashlib.sha256(ask("hunks", path="f").data["patch"].encode()).hexdigest(),
    }
    assert ask("hunks", path="f", context_lines=3).data["hunks"][0]["old_lines"] == 1
    (ws / "n").write_text("")
    assert ask("hunks", path="n").data["untracked"]
    house.settings = Settings(editor_max_diff_bytes=30)
    cut = ask("hunks", path="f").data
    assert (cut["truncated"], cut["patch"], len(cut["hunks"])) == (True, "diff --git a/f b/f\n", 1)


def test_show(house, ws, ask):
    (ws / "f").write_text("2\n")
    assert ask("show", path="f").shown() == {"path": "f", "rev": "HEAD", "exists": True, "content": "1\n"}
    assert ask("show", path="none", rev="main").shown() == {
        "path": "none", "rev": "main", "exists": False, "content": "",
    }  # fmt: skip
    (ws / "f").write_bytes(b"\0\1")
    git(ws, "commit", "-qam", "binary")
    assert ask("show", path="f").data["binary"]
    house.settings = Settings(editor_max_file_bytes=1)
    assert ask("show", path="g").data["truncated"]
    house.settings = Settings(editor_max_file_bytes=2)
    assert ask("show", path="g").shown() == {"path": "g", "rev": "HEAD", "exists": True, "content": "1\n"}
