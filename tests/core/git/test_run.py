"""Runs of git: limits, errors, and a configuration that is read once until it is another."""

from __future__ import annotations

import pytest
from tests.repositories import git, repository

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.git import run as module
from workroom.core.git.place import find_place
from workroom.core.git.run import Runner, said
from workroom.system.process import Completed
from workroom.system.root import Root


@pytest.fixture
def make(tmp_path):
    folder = repository(tmp_path / "ws", f="1")

    def runner(timeout=15.0):
        with Root.open(folder) as root:
            return Runner(find_place(root, "."), timeout)

    return runner


def code(caught):
    return caught.value.code


def test_git_fails_and_its_words_are_told(make):
    with pytest.raises(WorkroomError) as caught:
        make().run("rev-parse", "--verify", "nothing")
    assert code(caught) is ErrorCode.IO_ERROR
    assert "git rev-parse failed: fatal: " in caught.value.message
    assert make().run("rev-parse", "--verify", "-q", "nothing", ok=(0, 1)).code == 1


def test_a_timeout_names_the_setting(make):
    runner = make()
    runner.config()
    runner.timeout = 0.0
    with pytest.raises(WorkroomError, match="editor_git_timeout_ms") as caught:
        runner.run("status")
    assert code(caught) is ErrorCode.TIMEOUT


def test_too_much_output(make):
    done = Completed(0, b"", b"", timed_out=False, truncated=True)
    with pytest.raises(WorkroomError) as caught:
        make().check(done, "log")
    assert code(caught) is ErrorCode.LIMIT_EXCEEDED
    assert said(Completed(1, b"x" * 3_000, b"", timed_out=False, truncated=False)).endswith("x …")


def test_the_configuration_is_read_anew_when_a_file_of_it_is_another(make, tmp_path):
    first = make().config()
    assert make().config() is first
    git(tmp_path / "ws", "config", "a.b", "c")
    assert make().config().get("a.b") == "c"
    (tmp_path / "more").write_text("[a]\n\tb = d\n")
    git(tmp_path / "ws", "config", "include.path", str(tmp_path / "more"))
    assert make().config().get("a.b") == "d"
    (tmp_path / "more").write_text("[a]\n\tb = e\n")
    assert make().config().get("a.b") == "e"  # an included file isn't watched, so nothing is kept


def test_few_configurations_are_kept(make, monkeypatch):
    monkeypatch.setattr(module.Runner, "_known", {f"/{n}": None for n in range(64)})
    make().config()
    assert len(module.Runner._known) == 64
    assert "/0" not in module.Runner._known


def test_reading_takes_no_lock_and_reaches_nothing(make, tmp_path):
    env = make()._environment(network=False, writes=False)
    assert (env["GIT_OPTIONAL_LOCKS"], env["GIT_ALLOW_PROTOCOL"]) == ("0", "none")
    assert env["GIT_SSH_COMMAND"] == "ssh -oBatchMode=yes"
    git(tmp_path / "ws", "config", "core.sshCommand", "evil")
    env = make()._environment(network=True, writes=True)
    assert env["GIT_OPTIONAL_LOCKS"] == "1"
    assert "ext" not in env["GIT_ALLOW_PROTOCOL"].split(":")
    assert env["GIT_SSH_COMMAND"] == "ssh -oBatchMode=yes"
