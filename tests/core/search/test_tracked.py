"""What git says about a file, without git."""

from __future__ import annotations

import shutil
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


def hostile(ws, outside):
    """Repositories that say where else to look; each would have git tell of what is outside."""
    (ws / "x").write_text("x")
    (outside / "x").write_text("other")
    (outside / "rules").write_text("x\nuntracked\n")
    config = (ws / ".git/config").read_text()
    yield "worktree", lambda: git(ws, "config", "core.worktree", str(outside))
    yield "excludes", lambda: git(ws, "config", "core.excludesFile", str(outside / "rules"))
    yield "include", lambda: (ws / ".git/config").write_text(f"{config}[include]\n path = {outside}/config\n")
    yield "exclude link", lambda: link(ws / ".git/info/exclude", outside / "rules")
    yield "ignore link", lambda: link(ws / ".gitignore", outside / "rules")
    yield "index", lambda: link(ws / ".git/index", outside / ".git/index")
    yield "head", lambda: link(ws / ".git/HEAD", outside / ".git/HEAD")
    yield "objects", lambda: link(ws / ".git/objects", outside / ".git/objects")
    yield "alternates", lambda: (ws / ".git/objects/info/alternates").write_text(f"{outside}/.git/objects\n")
    yield "common", lambda: (ws / ".git/commondir").write_text(f"{outside}/.git\n")


def link(path, target):
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    path.symlink_to(target)


NAMES = [
    "worktree", "excludes", "include", "exclude link", "ignore link", "index", "head", "objects", "alternates",
    "common",
]  # fmt: skip


@pytest.mark.parametrize("trick", NAMES)
def test_a_hostile_repository_tells_nothing_of_outside(ws, tmp_path, trick):
    """The answer is the same whatever the files outside hold."""
    outside, answers = tmp_path / "outside", []
    shutil.copytree(ws, outside)
    (outside / "config").write_text(f"[core]\n excludesFile = {outside}/rules\n")
    dict(hostile(ws, outside))[trick]()
    for emptied in (False, True):
        for path in outside.rglob("*") if emptied else ():
            if path.is_file():
                path.write_bytes(b"")
        with Root.open(ws) as root:
            answers.append({name: git_state(root, name) for name in ("clean", "modified", "x", "untracked")})
    assert answers[0] == answers[1]
    assert "ignored" not in answers[0].values()


def test_the_persons_own_configuration_isnt_asked(ws, tmp_path, monkeypatch):
    (tmp_path / "rules").write_text("untracked\n")
    (tmp_path / ".gitconfig").write_text(f"[core]\n excludesFile = {tmp_path}/rules\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    with Root.open(ws) as root:
        assert git_state(root, "untracked") == "untracked"
