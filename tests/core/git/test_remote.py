"""Which remote a branch goes with, and which ways to it are not taken."""

from __future__ import annotations

import pytest
from tests.repositories import git

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.git.remote import receive_pack, remote_of, shown_url, upload_pack


def refused(work):
    with pytest.raises(WorkroomError) as caught:
        work()
    return caught.value


def add(ws, name, url):
    git(ws, "remote", "add", name, url)


def test_none_one_and_origin_among_several(ws, at):
    assert refused(lambda: remote_of(at(ws))).message == "This repository has no remote."
    add(ws, "mine", "https://x.test/a")
    assert remote_of(at(ws)).name == "mine"
    add(ws, "other", "https://x.test/b")
    assert "'origin'" in refused(lambda: remote_of(at(ws))).message
    add(ws, "origin", "https://x.test/c")
    found = remote_of(at(ws))
    assert (found.name, found.urls, found.branch, found.follows) == (
        "origin", ("https://x.test/c",), "refs/heads/main", False,
    )  # fmt: skip


def test_what_a_branch_follows_and_is_pushed_to(ws, at):
    add(ws, "origin", "https://x.test/a")
    add(ws, "fork", "https://x.test/b")
    git(ws, "config", "branch.main.remote", "origin")
    git(ws, "config", "branch.main.merge", "refs/heads/trunk")
    for push in (False, True):
        found = remote_of(at(ws), push=push)
        assert (found.name, found.branch, found.follows) == ("origin", "refs/heads/trunk", True)
    git(ws, "config", "remote.pushDefault", "fork")
    found = remote_of(at(ws), push=True)
    assert (found.name, found.branch, found.follows) == ("fork", "refs/heads/main", False)
    git(ws, "config", "branch.main.pushRemote", "origin")
    assert remote_of(at(ws), push=True).name == "origin"
    git(ws, "config", "branch.main.remote", ".")
    assert remote_of(at(ws)).name == "origin"
    git(ws, "checkout", "-q", "--detach")
    assert remote_of(at(ws)).branch is None


@pytest.mark.parametrize("name", ["-x", "https://x.test/a", "none"])
def test_names_that_are_no_remotes(ws, at, name):
    add(ws, "origin", "https://x.test/a")
    git(ws, "config", "remote.-x.url", "https://x.test/a")
    git(ws, "config", "branch.main.remote", name)
    assert refused(lambda: remote_of(at(ws))).code is ErrorCode.NOT_FOUND


@pytest.mark.parametrize(
    "url",
    [
        "ext::sh -c evil", "fd::17", "git://x.test/a", "ftp://x.test/a", "-oProxyCommand=evil", "ssh://-oProxyCommand=e/x",
        "n@-oProxyCommand=evil:x", "ssh:///x", "https://x.test/\x1b[0m",
    ],
)  # fmt: skip
def test_ways_that_are_not_taken(ws, at, url):
    git(ws, "config", "remote.origin.url", url)
    assert refused(lambda: remote_of(at(ws))).code is ErrorCode.UNSUPPORTED


@pytest.mark.parametrize(
    "url", ["https://x.test/a", "http://x.test:8/a", "ssh://n@x.test:2/a", "n@x.test:a/b", "x.test:a"]
)
def test_other_machines(ws, at, url):
    add(ws, "origin", url)
    found = remote_of(at(ws))
    assert (found.local, upload_pack(found), receive_pack(found)) == ((), "git-upload-pack", "git-receive-pack")


def test_folders_of_this_machine(ws, at, tmp_path):
    (ws / "link").symlink_to(tmp_path / "far")
    urls = {
        "inner": ws / "inner", "../far": tmp_path / "far", "link": tmp_path / "far", "a/b:c": ws / "a/b:c",
        f"file://{tmp_path}/f%20r": tmp_path / "f r",
    }  # fmt: skip
    for url, path in urls.items():
        git(ws, "config", "remote.origin.url", url)
        found = remote_of(at(ws))
        assert found.local == (str(path),)
        assert found.outside(str(ws)) == (() if path.is_relative_to(ws) else (str(path),))
        assert "core.hooksPath=/dev/null" in receive_pack(found)
        assert "GIT_ALLOW_PROTOCOL=none" in upload_pack(found)


def test_where_a_url_leads_in_the_end_counts(ws, at, tmp_path):
    add(ws, "origin", "short:a")
    git(ws, "config", "url.ext::evil.insteadOf", "short:")
    assert refused(lambda: remote_of(at(ws))).code is ErrorCode.UNSUPPORTED
    git(ws, "config", "--unset", "url.ext::evil.insteadOf")
    git(ws, "remote", "set-url", "--add", "--push", "origin", "https://x.test/a")
    git(ws, "remote", "set-url", "--add", "--push", "origin", str(tmp_path))
    assert remote_of(at(ws), push=True).urls == ("https://x.test/a", str(tmp_path))


@pytest.mark.parametrize(
    "key",
    [
        "http.proxy", "http.https://x.test.proxy", "http.sslVerify", "http.curloptResolve", "remote.origin.proxy",
        "remote.origin.vcs", "fetch.bundleURI",
    ],
)  # fmt: skip
def test_only_the_person_says_how_a_remote_is_reached(ws, at, tmp_path, key):
    add(ws, "origin", "https://x.test/a")
    (tmp_path / "home/.gitconfig").write_text("[http]\n\tproxy = p\n\tsslVerify = true\n")
    remote_of(at(ws))
    git(ws, "config", key, "evil")
    error = refused(lambda: remote_of(at(ws)))
    assert (error.code, error.details) == (ErrorCode.UNSUPPORTED, {"keys": [key.lower()]})


def test_what_signs_in_is_not_shown():
    assert shown_url("https://me:secret@x.test:8/a?b") == "https://me@x.test:8/a?b"
    assert shown_url("https://me@x.test/a") == "https://me@x.test/a"
    assert shown_url("me:secret@x") == "me:secret@x"
