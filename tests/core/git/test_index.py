"""A copy of the index takes the other's place, or nothing is done."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from tests.core.git.conftest import authored
from tests.repositories import git, repository

from workroom.base.errors import WorkroomError
from workroom.core.git.index import copied_index


def test_what_lands_is_what_was_staged_in_the_copy(ws, at):
    (ws / "n").write_text("n\n")
    with copied_index(at(ws).runner, keeps=True) as index:
        index.run("add", "n")
        assert git(ws, "diff", "--cached", "--name-only") == ""
        tree = index.tree()
        assert index.land(lambda: "done") == "done"
        aged = os.stat(index.file).st_mtime_ns
    assert git(ws, "write-tree") == tree
    assert (ws / ".git/index").stat().st_mtime_ns == aged


def test_objects_are_kept_only_where_that_is_meant(ws, at, tmp_path):
    odd = authored(repository(tmp_path / 'a:b"c\\d', f="1\n"))
    (odd / "n").write_text("new\n")
    with copied_index(at(odd).runner, keeps=False) as index:
        index.run("add", "n")
        tree = index.tree()
        assert index.run("cat-file", "-p", f"{tree}:n").stdout == b"new\n"
        assert index.run("cat-file", "-p", f"{tree}:f").stdout == b"1\n"
    with pytest.raises(WorkroomError):
        at(odd).runner.run("cat-file", "-e", tree)


def test_a_copy_of_an_older_index_does_not_land(ws, at):
    with copied_index(at(ws).runner, keeps=True) as index:
        git(ws, "rm", "-q", "--cached", "f")
        assert index.land(lambda: "done") is None
    assert git(ws, "ls-files") == ""
    assert not (ws / ".git/index.lock").exists()


@pytest.mark.parametrize("landed", [False, True])
def test_an_edit_as_young_as_the_index_is_seen(ws, at, landed):
    """Git looks again into a file that may have been changed in the moment in which its index was written."""
    git(ws, "config", "core.trustctime", "false")
    git(ws, "config", "core.checkStat", "minimal")
    at_once = (ws / ".git/index").stat().st_mtime_ns - 100 * 10**9  # git may count in seconds
    os.utime(ws / "f", ns=(at_once, at_once))
    git(ws, "update-index", "--refresh", "-q")
    os.utime(ws / ".git/index", ns=(at_once, at_once))
    (ws / "f").write_text("2\n")
    os.utime(ws / "f", ns=(at_once, at_once))
    with copied_index(at(ws).runner, keeps=True) as index:
        if landed:
            index.land(lambda: "done")
            assert git(ws, "diff", "--name-only") == "f"
        else:
            assert index.run("diff", "--name-only").stdout == b"f\n"


def test_where_there_is_none_yet(at, tmp_path):
    new = repository(tmp_path / "new")
    with copied_index(at(new).runner, keeps=True) as index:
        assert index.land(lambda: "done") == "done"
        assert not os.path.exists(index.file)


def test_a_link_in_its_place_is_not_followed(ws, at, tmp_path):
    (tmp_path / "secret").write_bytes((ws / ".git/index").read_bytes())
    (ws / ".git/index").unlink()
    (ws / ".git/index").symlink_to(tmp_path / "secret")
    with pytest.raises(OSError, match="symbolic"), copied_index(at(ws).runner, keeps=True):
        pass


def test_what_fails_leaves_no_lock(ws, at):
    def fail():
        raise KeyboardInterrupt

    before = (ws / ".git/index").read_bytes()
    with copied_index(at(ws).runner, keeps=True) as index, pytest.raises(KeyboardInterrupt):
        index.land(fail)
    assert not (ws / ".git/index.lock").exists()
    assert (ws / ".git/index").read_bytes() == before


DIES = """
import os, signal, sys
from workroom.core.git.index import copied_index
from workroom.core.git.reading import Reading
from workroom.system.root import Root

with copied_index(Reading(Root.open(sys.argv[1])).runner, keeps=True) as index:
    index.run("add", "n")
    index.land(lambda: os.kill(os.getpid(), signal.SIGKILL))
"""


def test_a_server_that_is_killed_leaves_the_index_whole_and_its_lock_told(ws, at):
    (ws / "n").write_text("n\n")
    before = (ws / ".git/index").read_bytes()
    died = subprocess.run([sys.executable, "-c", DIES, str(ws)], check=False)
    assert died.returncode == -signal.SIGKILL
    assert (ws / ".git/index").read_bytes() == before
    assert git(ws, "fsck", "--no-dangling") == ""
    with copied_index(at(ws).runner, keeps=True) as index, pytest.raises(WorkroomError) as refused:
        index.land(lambda: "done")
    assert refused.value.details == {"lock": str(ws / ".git/index.lock")}
    assert "have the person delete that file" in refused.value.next_step
    (ws / ".git/index.lock").unlink()
    with copied_index(at(ws).runner, keeps=True) as index:
        assert index.land(lambda: "done") == "done"
