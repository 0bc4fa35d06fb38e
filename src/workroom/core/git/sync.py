"""Fetch, fast-forward and push: what a remote has, and what it gets.

A pull is a fetch, then a fast-forward of the very commit that was looked at; a merge is never begun. A push sends one
commit to one branch, never forced. Nothing is prompted for, and no hook is run on either side of a local remote.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.pulse import STILL, Pulse
from workroom.core.git.guard import check_filters, check_inside, check_settled, names
from workroom.core.git.index import copied_index
from workroom.core.git.reading import DIFF, Reading
from workroom.core.git.remote import Remote, receive_pack, shown_url, upload_pack
from workroom.core.git.stash import check_free

__all__ = [
    "FETCH_HOOKS",
    "PULL_HOOKS",
    "PUSH_HOOKS",
    "Forward",
    "Push",
    "contains",
    "fast_forward",
    "fetch",
    "forward_patch",
    "prepare_forward",
    "prepare_push_to",
    "send",
]

FETCH_HOOKS = ("reference-transaction",)
PULL_HOOKS = ("post-merge", "reference-transaction")
PUSH_HOOKS = ("pre-push", "reference-transaction")
_PROGRESS = re.compile(rb"\((\d+)/(\d+)\)")


@dataclass(frozen=True, slots=True)
class Forward:
    """Where a pull would bring the branch: from `head` to `target`. `paths` are the workspace's."""

    state: Literal["forward", "current", "diverged"]
    head: str
    target: str
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Push:
    """What a push would send: `sha` to the ref of a remote. `new`: the branch has no upstream yet, and gets it."""

    remote: Remote
    branch: str
    sha: str
    ref: str
    new: bool


def fetch(repo: Reading, remote: Remote, pulse: Pulse = STILL) -> bool:
    """Fetch; whether anything is new. IO_ERROR in git's words, TIMEOUT; a cancelled one leaves nothing half done."""
    before = _tracking(repo, remote)
    with _reaching(remote):
        repo.runner.run(
            "fetch", "--progress", "--no-recurse-submodules", f"--upload-pack={upload_pack(remote)}", "--", remote.name,
            network=True, heard=_heard(pulse),
        )  # fmt: skip
    return _tracking(repo, remote) != before


def prepare_forward(repo: Reading) -> Forward | None:
    """What a pull would do, as far as was fetched; None where nothing was, yet.

    NOT_FOUND without an upstream; EDIT_CONFLICT where it would overwrite what isn't committed; UNSUPPORTED where a
    filter would be needed; PATH_OUTSIDE_WORKSPACE where it changes more than the workspace.
    """
    check_settled(repo.runner)
    head = repo.head()
    if head is None:
        raise WorkroomError(
            ErrorCode.TRANSACTION_STATE, "There is no commit yet; nothing can be fast-forwarded.",
            next_step="Have the person pull for the first time in a terminal.",
        )  # fmt: skip
    target = repo.resolve("@{upstream}")
    return None if target is None else _forward(repo, head, target)


def fast_forward(repo: Reading, forward: Forward) -> None:
    """Bring branch and files there. EDIT_CONFLICT where they aren't what they were, and nothing is done."""
    if repo.head() != forward.head or _forward(repo, forward.head, forward.target) != forward:
        raise WorkroomError(
            ErrorCode.EDIT_CONFLICT,
            "The branch or the files aren't what they were when this was asked for; nothing was done.",
            next_step="Look at editor_git_status, and make the call again.",
        )
    reason = {"GIT_REFLOG_ACTION": "pull"}
    repo.runner.run("merge", "--ff-only", "--quiet", "--no-stat", forward.target, writes=True, env=reason)


def forward_patch(repo: Reading, forward: Forward) -> bytes:
    """What a pull would bring; empty where it brings nothing."""
    return repo.runner.run(*DIFF, "-U3", forward.head, forward.target).stdout if forward.paths else b""


def prepare_push_to(repo: Reading, remote: Remote) -> Push:
    """What a push would send. TRANSACTION_STATE without a branch or commit; UNSUPPORTED where a filter would be needed:
    what git-lfs keeps apart isn't sent by git alone."""
    branch, sha = repo.branch(), repo.head()
    if branch is None or sha is None or remote.branch is None:
        raise WorkroomError(
            ErrorCode.TRANSACTION_STATE, "No branch with a commit is checked out; there is nothing to push.",
            next_step="Check out a branch, or commit first.",
        )  # fmt: skip
    known = repo.resolve("@{upstream}") or repo.empty_tree()
    changed = names(repo.runner.run("diff-tree", "-r", "--name-only", "--no-renames", "-z", known, sha).stdout)
    check_filters(repo.runner, changed, "clean", "smudge", "process")
    upstream = repo.runner.config().get(f"branch.{branch}.remote")
    return Push(remote, branch, sha, remote.branch, new=not upstream)


def send(repo: Reading, push: Push) -> tuple[bool, str]:
    """Push; whether the remote took it, and its word on that. IO_ERROR where it can't be reached."""
    with _reaching(push.remote):
        done = repo.runner.run(
            "push", "--porcelain", "--no-verify", "--no-follow-tags", "--no-signed", "--recurse-submodules=no",
            f"--receive-pack={receive_pack(push.remote)}", "--", push.remote.name, f"{push.sha}:{push.ref}",
            network=True, ok=(0, 1),
        )  # fmt: skip
    rows = [line.split("\t") for line in done.stdout.decode("utf-8", "backslashreplace").split("\n")]
    taken = done.code == 0
    if taken and push.new:
        key = f"branch.{push.branch}"
        repo.runner.run("config", f"{key}.remote", push.remote.name)
        repo.runner.run("config", f"{key}.merge", push.ref)
    return taken, "; ".join(dict.fromkeys(row[2] for row in rows if len(row) == 3))


def _forward(repo: Reading, head: str, target: str) -> Forward:
    if contains(repo, head, target):
        return Forward("current", head, target)
    if not contains(repo, target, head):
        return Forward("diverged", head, target)
    changed = names(repo.runner.run("diff-tree", "-r", "--name-only", "--no-renames", "-z", head, target).stdout)
    paths = tuple(sorted(check_inside(repo.place, changed, "It would change")))
    check_free(repo, paths, head)
    if repo.runner.config().filters("clean", "smudge", "process"):
        check_filters(repo.runner, changed, "clean", "smudge", "process")
        with copied_index(repo.runner, keeps=False) as index:
            index.run("read-tree", target)
            check_filters(repo.runner, changed, "clean", "smudge", "process", index=index)
    return Forward("forward", head, target, paths)


def contains(repo: Reading, commit: str, ancestor: str) -> bool:
    """Whether one commit is another, or comes after it."""
    return not repo.runner.run("merge-base", "--is-ancestor", ancestor, commit, ok=(0, 1)).code


def _tracking(repo: Reading, remote: Remote) -> bytes:
    return repo.runner.run("for-each-ref", "--format=%(refname) %(objectname)", f"refs/remotes/{remote.name}").stdout


def _heard(pulse: Pulse) -> Callable[[bytes], None]:
    def hear(data: bytes) -> None:
        found = _PROGRESS.findall(data)
        if found:
            pulse.beat(int(found[-1][0]), int(found[-1][1]))

    return hear


@contextlib.contextmanager
def _reaching(remote: Remote) -> Iterator[None]:
    """Errors on the way don't tell what signs in, and what can be done."""
    try:
        yield
    except WorkroomError as error:
        if error.code is ErrorCode.CANCELLED:
            raise
        message = error.message
        for url in remote.urls:
            message = message.replace(url, shown_url(url))
        step = (
            "Nothing is prompted for here: have the person do this once in a terminal, so that git or ssh can sign in."
        )
        raise WorkroomError(error.code, message, next_step=error.next_step or step, details=error.details) from None
