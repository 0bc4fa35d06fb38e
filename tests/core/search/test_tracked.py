"""What git says about a file, without git."""

from __future__ import annotations

import subprocess

import pytest

from workroom.core.search.tracked import git_state
from workroom.system.root import Root


def git(folder, *arguments):
    command = ["git", "-c", "user.name=n", "-c", "user.email=e@x", *arguments]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


@pytest.fixture
def ws(tmp_path):
    folder = tmp_path / "ws"
    folder.mkdir()
    git(folder, "init", "-q")
    for name in ("clean", "modified", "deleted"):
        (folder / name).write_text("x")
    (folder / ".gitignore").write_text("ignored\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
    (folder / "modified").write_text("y")
    (folder / "deleted").unlink()
    (folder / "added").write_text("x")
    git(folder, "add", "added")
    (folder / "untracked").write_text("x")
    (folder / "ignored").write_text("x")
    return folder


@pytest.mark.parametrize("name", ["clean", "modified", "deleted", "added", "untracked", "ignored"])
def test_states(ws, name):
    with Root.open(ws) as root:
        assert git_state(root, name) == name


def test_what_git_knows_nothing_of(ws):
    with Root.open(ws) as root:
        assert git_state(root, "nothing") is None


def test_outside_a_repository(tmp_path, ws):
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain/f").write_text("x")
    with Root.open(tmp_path / "plain") as root:
        assert git_state(root, "f") is None
        (tmp_path / "plain/.git").write_text(f"gitdir: {ws}/.git\n")
        assert git_state(root, "f") is None


def test_a_broken_repository(tmp_path):
    (tmp_path / "ws/.git").mkdir(parents=True)
    with Root.open(tmp_path / "ws") as root:
        assert git_state(root, "f") is None


def test_nothing_that_a_config_names_is_run(ws, tmp_path):
    marker = tmp_path / "ran"
    for key in ("core.fsmonitor", "filter.x.clean", "filter.x.process", "diff.external"):
        git(ws, "config", key, f"touch {marker}")
    (ws / ".gitattributes").write_text("* filter=x\n")
    (ws / "clean").write_text("x")
    with Root.open(ws) as root:
        assert git_state(root, "clean") is not None
    assert not marker.exists()
