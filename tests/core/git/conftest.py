"""A repository with an author, and what is known of it."""

from __future__ import annotations

import pytest
from tests.repositories import git, repository

from workroom.core.git.reading import Reading
from workroom.system.root import Root


def authored(folder):
    git(folder, "config", "user.name", "Ann")
    git(folder, "config", "user.email", "ann@x")
    return folder


@pytest.fixture
def ws(tmp_path, monkeypatch):
    """One commit of `f`; the person's own configuration is empty."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return authored(repository(tmp_path / "ws", f="1\n"))


@pytest.fixture
def at():
    """The repository of a folder as the workspace has it."""
    opened = []

    def open_at(folder, cwd="."):
        opened.append(Root.open(folder))
        return Reading(opened[-1], cwd)

    yield open_at
    for root in opened:
        root.close()
