"""Fetch, fast-forward and push, with bare repositories beside."""

from __future__ import annotations

import http.server
import threading

import pytest
from tests.core.git.conftest import authored
from tests.repositories import git, planted, repository

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.pulse import Pulse
from workroom.core.git.remote import remote_of
from workroom.core.git.sync import (
    contains,
    fast_forward,
    fetch,
    forward_patch,
    prepare_forward,
    prepare_push_to,
    send,
)


def refused(work):
    with pytest.raises(WorkroomError) as caught:
        work()
    return caught.value


@pytest.fixture
def far(ws, tmp_path):
    """A bare remote that `main` follows, and a clone of it by somebody else."""
    git(tmp_path, "clone", "-q", "--bare", str(ws), "far")
    git(ws, "remote", "add", "origin", str(tmp_path / "far"))
    git(ws, "fetch", "-q")
    git(ws, "branch", "-q", "-u", "origin/main")
    git(tmp_path, "clone", "-q", str(tmp_path / "far"), "theirs")
    return tmp_path / "far"


@pytest.fixture
def theirs(far, tmp_path):
    """Commit and push there, as somebody else."""

    def commit(name="n", text="n\n", *, push=True):
        clone = tmp_path / "theirs"
        (clone / name).parent.mkdir(exist_ok=True)
        (clone / name).write_text(text)
        git(clone, "add", ".")
        git(clone, "commit", "-qm", f"their {name}")
        if push:
            git(clone, "push", "-q")
        return git(clone, "rev-parse", "HEAD")

    return commit


def go(ws, at, *, push=False):
    repo = at(ws)
    return repo, remote_of(repo, push=push)


def test_fetch_tells_whether_anything_is_new(ws, at, theirs):
    assert fetch(*go(ws, at)) is False
    sha = theirs()
    told = []
    assert fetch(*go(ws, at), Pulse(lambda done, total: told.append((done, total)))) is True
    assert git(ws, "rev-parse", "origin/main") == sha
    assert told
    assert all(done <= total for done, total in told)


def test_a_cancelled_fetch_ends(ws, at, theirs):
    theirs()
    pulse = Pulse()
    pulse.cancel()
    assert refused(lambda: fetch(*go(ws, at), pulse)).code is ErrorCode.CANCELLED


def test_a_remote_that_is_not_there(ws, at, far):
    far.rename(far.parent / "gone")
    error = refused(lambda: fetch(*go(ws, at)))
    assert error.code is ErrorCode.IO_ERROR
    assert "terminal" in error.next_step
    assert refused(lambda: send(at(ws), prepare_push_to(*go(ws, at, push=True)))).code is ErrorCode.IO_ERROR


def test_nothing_is_prompted_for_and_no_password_told(ws, at, tmp_path):
    class Closed(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="x"')
            self.end_headers()

        def log_message(self, *_args):
            pass

    program, mark = planted(tmp_path, "evil")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Closed) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://me:secret@127.0.0.1:{server.server_port}/a"
        git(ws, "remote", "add", "origin", url)
        git(ws, "config", "core.askPass", program)
        git(ws, "config", "credential.helper", program)
        for shown in (url, url.replace("me:secret@", "")):
            git(ws, "remote", "set-url", "origin", shown)
            error = refused(lambda: fetch(*go(ws, at)))
            assert error.code is ErrorCode.IO_ERROR
            assert "secret" not in str(error)
        server.shutdown()
    assert not mark.exists()


def test_a_fast_forward_brings_files(ws, at, theirs):
    theirs("d/n")
    (ws / "mine").write_text("untracked\n")
    fetch(*go(ws, at))
    forward = prepare_forward(at(ws))
    assert (forward.state, forward.paths) == ("forward", ("d/n",))
    assert b"+n\n" in forward_patch(at(ws), forward)
    assert contains(at(ws), forward.target, forward.head)
    fast_forward(at(ws), forward)
    assert (ws / "d/n").read_text() == "n\n"
    assert git(ws, "reflog", "-1", "--format=%gs") == "pull: Fast-forward"
    current = prepare_forward(at(ws))
    assert current.state == "current"
    assert forward_patch(at(ws), current) == b""


def test_diverged_branches_are_not_merged(ws, at, theirs):
    theirs()
    git(ws, "commit", "-q", "--allow-empty", "-m", "mine")
    fetch(*go(ws, at))
    assert prepare_forward(at(ws)).state == "diverged"


def test_nothing_fetched_and_no_commit(ws, at, tmp_path):
    assert prepare_forward(at(ws)) is None
    new = authored(repository(tmp_path / "new"))
    assert refused(lambda: prepare_forward(at(new))).code is ErrorCode.TRANSACTION_STATE


@pytest.mark.parametrize("way", ["changed", "untracked", "ignored"])
def test_a_pull_overwrites_nothing(ws, at, theirs, way):
    name = "f" if way == "changed" else "n"
    theirs(name, "theirs\n")
    fetch(*go(ws, at))
    if way == "ignored":
        (ws / ".git/info/exclude").write_text("n\n")
    (ws / name).write_text("mine\n")
    error = refused(lambda: prepare_forward(at(ws)))
    assert (error.code, error.details["paths"]) == (ErrorCode.EDIT_CONFLICT, [name])
    assert (ws / name).read_text() == "mine\n"


def test_what_has_moved_since_is_not_pulled(ws, at, theirs):
    theirs()
    fetch(*go(ws, at))
    forward = prepare_forward(at(ws))
    git(ws, "commit", "-q", "--allow-empty", "-m", "mine")
    assert refused(lambda: fast_forward(at(ws), forward)).code is ErrorCode.EDIT_CONFLICT
    assert not (ws / "n").exists()


def test_a_part_of_a_larger_repository(ws, at, theirs):
    (ws / "part").mkdir()
    theirs("part/n")
    fetch(*go(ws, at))
    fast_forward(at(ws / "part"), prepare_forward(at(ws / "part")))
    assert (ws / "part/n").exists()
    theirs("f", "2\n")
    fetch(*go(ws / "part", at))
    assert refused(lambda: prepare_forward(at(ws / "part"))).code is ErrorCode.PATH_OUTSIDE_WORKSPACE


@pytest.mark.parametrize("where", ["here", "there"])
def test_files_that_need_a_filter(ws, at, theirs, tmp_path, where):
    program, mark = planted(tmp_path, "evil")
    git(ws, "config", "filter.x.smudge", program)
    if where == "here":
        (ws / ".git/info/attributes").write_text("n filter=x\n")
    else:
        theirs(".gitattributes", "n filter=x\n", push=False)
    theirs("n")
    fetch(*go(ws, at))
    assert refused(lambda: prepare_forward(at(ws))).code is ErrorCode.UNSUPPORTED
    assert not mark.exists()


def test_what_git_lfs_keeps_apart_is_not_pushed(ws, at, far):
    git(ws, "config", "filter.lfs.clean", "true")
    (ws / ".git/info/attributes").write_text("n filter=lfs\n")
    (ws / "n").write_text("n\n")
    git(ws, "add", "n")
    git(ws, "commit", "-qm", "large")
    assert refused(lambda: prepare_push_to(*go(ws, at, push=True))).code is ErrorCode.UNSUPPORTED


def test_a_push_sends_one_commit(ws, at, far):
    git(ws, "commit", "-q", "--allow-empty", "-m", "mine")
    git(ws, "tag", "-am", "t", "v1")
    git(ws, "config", "push.followTags", "true")
    push = prepare_push_to(*go(ws, at, push=True))
    git(ws, "commit", "-q", "--allow-empty", "-m", "later")
    assert send(at(ws), push)[0] is True
    assert git(far, "rev-parse", "main") == push.sha == git(ws, "rev-parse", "origin/main")
    assert git(far, "tag") == ""
    assert send(at(ws), push)[0] is True


def test_a_push_that_the_remote_refuses(ws, at, theirs):
    sha = theirs()
    git(ws, "commit", "-q", "--allow-empty", "-m", "mine")
    taken, word = send(at(ws), prepare_push_to(*go(ws, at, push=True)))
    assert taken is False
    assert "rejected" in word
    assert git(ws.parent / "far", "rev-parse", "main") == sha


def test_a_new_branch_gets_its_upstream(ws, at, far):
    git(ws, "checkout", "-qb", "n.e/w")
    push = prepare_push_to(*go(ws, at, push=True))
    assert (push.new, push.ref) == (True, "refs/heads/n.e/w")
    assert send(at(ws), push)[0] is True
    assert git(ws, "rev-parse", "--abbrev-ref", "@{upstream}") == "origin/n.e/w"
    assert prepare_push_to(*go(ws, at, push=True)).new is False


def test_nothing_to_push(ws, at, far, tmp_path):
    git(ws, "checkout", "-q", "--detach")
    assert refused(lambda: prepare_push_to(*go(ws, at, push=True))).code is ErrorCode.TRANSACTION_STATE


def test_hooks_of_a_local_remote_do_not_run(ws, at, far, tmp_path):
    program, mark = planted(tmp_path, "evil")
    for name in ("pre-receive", "update", "post-receive", "post-update", "reference-transaction"):
        (far / "hooks" / name).unlink(missing_ok=True)
        (far / "hooks" / name).symlink_to(program)
    git(far, "config", "core.fsmonitor", program)
    git(far, "config", "core.alternateRefsCommand", program)
    git(far, "config", "uploadpack.packObjectsHook", program)
    git(ws, "config", "remote.origin.uploadpack", program)
    git(ws, "config", "remote.origin.receivepack", program)
    git(ws, "commit", "-q", "--allow-empty", "-m", "mine")
    assert send(at(ws), prepare_push_to(*go(ws, at, push=True)))[0] is True
    git(ws, "update-ref", "-d", "refs/remotes/origin/main")
    assert fetch(*go(ws, at)) is True
    assert not mark.exists()
