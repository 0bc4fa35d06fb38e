"""editor_git_sync: fetch, fast-forward pull, push.

A pull is gated for what it brings. What was fetched by then is known, and shown; where the fetch finds more, the pull
is proposed anew with that, and gated anew. What the person has accepted is brought and no more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from pydantic import BaseModel

from workroom.base.changes import Permit
from workroom.base.envelope import Envelope
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.git import (
    FETCH_HOOKS,
    PULL_HOOKS,
    PUSH_HOOKS,
    Forward,
    Push,
    Reading,
    Remote,
    contains,
    fast_forward,
    fetch,
    forward_patch,
    hooks_there,
    prepare_forward,
    prepare_push_to,
    remote_of,
    send,
    shown_url,
)
from workroom.tools.editor.git_effect import Did, Effect, asks_about, begun, proposal, shown_patch, told
from workroom.tools.editor.git_read import Cwd, repository
from workroom.tools.tool import Arguments, Call, Proposal, flat_tool

__all__ = ["GIT_SYNC"]

_HOOKS = {"fetch": FETCH_HOOKS, "pull": PULL_HOOKS, "push": PUSH_HOOKS}
_SHORT = 7


class GitSyncInput(Arguments):
    action: Literal["fetch", "pull", "push"]
    """fetch: learn what the remote has; pull: fetch, then fast-forward, never merge; push: send the branch, never
    forced, and set its upstream where it has none."""
    cwd: Cwd = None
    """A folder within the repository. Not set: the workspace's own."""


class GitSyncOutput(BaseModel):
    action: Literal["fetch", "pull", "push"]
    ok: bool
    """False where branches have diverged, the remote refused, and while the call waits for the person."""
    ahead: int
    """Commits that the upstream hasn't, afterwards."""
    behind: int
    """Commits of the upstream that the branch hasn't, afterwards, as far as was fetched."""
    summary: str
    hooks_skipped: list[str] = []
    """Hooks that the repository has for this; none is run."""


def _sync(call: Call, arguments: GitSyncInput) -> Proposal:
    repo = repository(call, arguments.cwd)
    remote = remote_of(repo, push=arguments.action == "push")
    if arguments.action == "fetch":
        return _fetch(call, arguments, repo, remote)
    if arguments.action == "push":
        return _push(call, arguments, prepare_push_to(repo, remote), repo)
    return _pull(call, arguments, repo, remote, fetched=False)


def _fetch(call: Call, arguments: GitSyncInput, repo: Reading, remote: Remote) -> Proposal:
    effect = Effect(f"editor_git_sync fetch: {remote.name}", ("fetch", repo.place.git_dir, remote.urls))

    def run(permit: Permit) -> Envelope:
        with begun(call, permit, effect):
            note = told(call, effect.title, (), lambda: _fetched(call, repo, remote))
        return _answer(repo, "fetch", True, f"Fetched {remote.name}.{note}")

    return _proposal(call, arguments, effect, repo, remote, lambda: "", run, asks=_outside(call, remote))


def _fetched(call: Call, repo: Reading, remote: Remote) -> Did:
    moved = fetch(repo, remote, call.pulse)
    return Did(f"git fetch {remote.name}", _detail(repo, "fetch", remote), moved=moved)


def _push(call: Call, arguments: GitSyncInput, push: Push, repo: Reading) -> Proposal:
    remote, short = push.remote, push.sha[:_SHORT]
    title = f"editor_git_sync push: {push.branch} ({short}) to {remote.name} {push.ref.removeprefix('refs/heads/')}"
    effect = Effect(title, ("push", repo.place.git_dir, remote.urls, push.sha, push.ref))

    def run(permit: Permit) -> Envelope:
        taken: list[tuple[bool, str]] = []

        def work() -> Did:
            taken.append(send(repo, push))
            label = f"git push {short} to {remote.name} {push.ref.removeprefix('refs/heads/')}"
            return Did(label, {**_detail(repo, "push", remote), "sha": push.sha, "ref": push.ref}, moved=taken[0][0])

        with begun(call, permit, effect):
            note = told(call, effect.title, (), work)
        ok, word = taken[0]
        said = f"{remote.name} took {short}: {word}." if ok else f"{remote.name} refused {short}: {word}. Pull first."
        return _answer(repo, "push", ok, said + note)

    shown = f"{push.branch} ({push.sha}) -> {push.ref}" + (", which becomes its upstream" if push.new else "")
    return _proposal(call, arguments, effect, repo, remote, lambda: shown, run, asks=_outside(call, remote))


def _pull(call: Call, arguments: GitSyncInput, repo: Reading, remote: Remote, *, fetched: bool) -> Proposal:
    forward = prepare_forward(repo)
    asks = (*_outside(call, remote), *asks_about(call, () if forward is None else forward.paths))
    known = ("", "") if forward is None else (forward.head, forward.target)
    title = f"editor_git_sync pull: {remote.name}"
    if forward is not None and forward.state == "forward":
        title += f", {_count(forward)} to {forward.target[:_SHORT]}"
    effect = Effect(title, ("pull", repo.place.git_dir, remote.urls, *known))

    def run(permit: Permit) -> Envelope:
        with begun(call, permit, effect):
            note = "" if fetched else told(call, effect.title, (), lambda: _fetched(call, repo, remote))
            return _bring(call, permit, repo, remote, forward, note)

    def shown() -> str:
        patch = b"" if forward is None else forward_patch(repo, forward)
        return shown_patch(repo, patch) if patch else "What it brings isn't fetched yet; it is asked about then."

    again = None if fetched else (lambda: _pull(call, arguments, repo, remote, fetched=True))
    return _proposal(call, arguments, effect, repo, remote, shown, run, asks=asks, again=again)


def _bring(call: Call, permit: Permit, repo: Reading, remote: Remote, asked: Forward | None, note: str) -> Envelope:
    """Fast-forward to what was asked about; EDIT_CONFLICT where that is something else by now."""
    found = prepare_forward(repo)
    if found is None:
        raise WorkroomError(
            ErrorCode.NOT_FOUND,
            "The branch has no upstream, or its remote hasn't that branch.",
            next_step="Push it, which sets its upstream, or have the person set one.",
        )
    if found.state == "diverged":
        said = "The branch and its upstream have diverged; nothing was merged. The person can, in a terminal."
        return _answer(repo, "pull", False, said + note)
    if found.state == "current":
        return _answer(repo, "pull", True, f"There is nothing to pull.{note}")
    if asked != found:
        if permit.approval_id is None or not _still(repo, asked, found):
            raise _more(found)
        found = asked if asked is not None else found
    head, target = found.head[:_SHORT], found.target[:_SHORT]

    def work() -> Did:
        fast_forward(repo, found)
        return Did(f"git pull {head}..{target}", {**_detail(repo, "pull", remote), "sha": found.target})

    with call.workspace.transactions.alone():
        note += told(call, f"git pull {head}..{target}", found.paths, work)
    return _answer(repo, "pull", True, f"Fast-forwarded {head}..{target}: {_count(found)}.{note}")


def _still(repo: Reading, asked: Forward | None, found: Forward) -> bool:
    """Whether what was asked about is still on the way."""
    return (
        asked is not None
        and asked.state == "forward"
        and asked.head == found.head
        and contains(repo, found.target, asked.target)
    )


def _more(found: Forward) -> WorkroomError:
    return WorkroomError(
        ErrorCode.EDIT_CONFLICT,
        f"The fetch brought what wasn't asked about: {_count(found)} would change. Nothing was merged.",
        next_step="Make the call again: it is asked about as it is now.",
    )


def _proposal(
    call: Call,
    arguments: GitSyncInput,
    effect: Effect,
    repo: Reading,
    remote: Remote,
    shown: Callable[[], str],
    run: Callable[[Permit], Envelope],
    *,
    asks: tuple[str, ...],
    again: Callable[[], Proposal] | None = None,
) -> Proposal:
    where = "\n".join([f"{arguments.action} {remote.name}: {', '.join(map(shown_url, remote.urls))}", ""])
    waiting = _answer(repo, arguments.action, False, "It waits for the person.").data
    return proposal(
        call, arguments, effect, waiting=waiting, shown=lambda: where + shown(), run=run, asks=asks, again=again
    )  # fmt: skip


def _count(forward: Forward) -> str:
    return "1 file" if len(forward.paths) == 1 else f"{len(forward.paths):,} files"


def _outside(call: Call, remote: Remote) -> tuple[str, ...]:
    return tuple(f"it reaches {path}, outside of the workspace" for path in remote.outside(call.workspace.root.path))


def _detail(repo: Reading, action: str, remote: Remote) -> dict[str, Any]:
    return {"git": action, "remote": remote.name, "url": shown_url(remote.urls[0]), "folder": repo.place.below}


def _answer(repo: Reading, action: str, ok: bool, said: str) -> Envelope:
    status = repo.status()
    hooks = list(hooks_there(repo.runner, *_HOOKS[action]))
    data = {"action": action, "ok": ok, "ahead": status.ahead, "behind": status.behind, "summary": said}
    skipped = f" Hooks that weren't run: {', '.join(hooks)}." if hooks else ""
    return Envelope(True, "editor_git_sync", said + skipped, {**data, "hooks_skipped": hooks}, "high")


GIT_SYNC = flat_tool(
    "editor_git_sync",
    "Fetch, pull, push",
    "Fetch, pull (fast-forward only) or push (never forced); answers how far the branch is ahead and behind then.",
    GitSyncInput,
    GitSyncOutput,
    propose=_sync,
    annotations={"openWorldHint": True},
)
