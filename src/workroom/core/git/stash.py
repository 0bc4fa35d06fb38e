"""Putting changes aside and bringing them back, untracked files with them.

A pop is tried out first, on a copy of the index: one that would meet a conflict, or a file in the way, isn't begun. So
no file is ever left with marks of a conflict in it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.git.commit import stage_everything
from workroom.core.git.guard import check_filters, check_inside, check_settled, hooks_there, listed, names
from workroom.core.git.index import Index, copied_index
from workroom.core.git.reading import DIFF, Reading

__all__ = ["Shelved", "check_free", "pop", "prepare_pop", "prepare_push", "push"]

HOOKS = ("post-index-change", "reference-transaction")
_STASH = "refs/stash"
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Shelved:
    """What a stash takes from the files (`push`) or brings back (`pop`).

    `head` is what it is put upon, `sha` the stash (empty before it is made), `tree` what the files would hold.
    """

    head: str
    sha: str
    tree: str
    paths: tuple[str, ...]
    """Of the workspace, sorted."""
    hooks: tuple[str, ...]
    patch: bytes = field(default=b"", compare=False)
    """What the stash holds, as a change of `head`, where that was asked for."""


def prepare_push(repo: Reading, *, patch: bool = False) -> Shelved | None:
    """What would be put aside, with its `patch` or without; None where there is nothing. Nothing of the repository
    changes.

    TRANSACTION_STATE in the middle of a merge or rebase, and before the first commit; UNSUPPORTED where a filter would
    be needed.
    """
    check_settled(repo.runner)
    head = _head(repo)
    with copied_index(repo.runner, keeps=False) as index:
        staged = names(index.run("diff", "--cached", "--name-only", "--no-renames", "-z", head).stdout)
        stage_everything(repo, index)
        changed = names(index.run("diff", "--cached", "--name-only", "--no-renames", "-z", head).stdout)
        ours = [path for path in dict.fromkeys((*changed, *staged)) if repo.place.to_root(path) is not None]
        if not ours:
            return None
        check_filters(repo.runner, ours, "clean", "smudge", "process")
        paths = tuple(sorted(check_inside(repo.place, ours, "It would take")))
        return _shelved(repo, index, head, "", paths, patch=patch)


def push(repo: Reading, shelved: Shelved) -> str:
    """Put it aside; the stash's commit. EDIT_CONFLICT when it would be another by now, and nothing is done."""
    if prepare_push(repo) != shelved:
        raise _other()
    before = repo.resolve(_STASH)
    spec = ("--", f":(top,literal){repo.place.above}") if repo.place.above else ()
    # What git runs to remove the untracked files is given a pattern by git itself.
    repo.runner.run("stash", "push", "--quiet", "--include-untracked", *spec, writes=True, literal=False)
    made = repo.resolve(_STASH)
    if made is None or made == before:  # pragma: no cover - there was something to stash a moment ago
        raise WorkroomError(ErrorCode.IO_ERROR, "Git made no stash.", next_step="Look at editor_git_status.")
    return made


def prepare_pop(repo: Reading, *, patch: bool = False) -> Shelved:
    """What the newest stash would bring back, with its `patch` or without. Nothing of the repository changes.

    NOT_FOUND without a stash; EDIT_CONFLICT where files were changed since, or it and later commits touch the same
    lines; PATH_OUTSIDE_WORKSPACE where it holds more than the workspace.
    """
    check_settled(repo.runner)
    head, sha = _head(repo), repo.resolve(_STASH)
    if sha is None:
        raise WorkroomError(ErrorCode.NOT_FOUND, "Nothing is stashed.")
    parents = repo.runner.text("show", "-s", "--format=%P", sha).split(" ")
    base, untracked = parents[0], parents[2] if len(parents) > 2 else None
    tracked = names(repo.runner.run("diff-tree", "-r", "--no-renames", "--name-only", "-z", base, sha).stdout)
    more = names(repo.runner.run("ls-tree", "-r", "--name-only", "-z", untracked).stdout) if untracked else ()
    paths = tuple(sorted(check_inside(repo.place, (*tracked, *more), "It holds")))
    check_free(repo, paths, head)
    with copied_index(repo.runner, keeps=False) as index:
        _merge(repo, index, head, base, sha)
        if untracked:
            entries = index.run("ls-tree", "-r", "-z", untracked).stdout
            index.run("update-index", "-z", "--index-info", stdin=entries)
        _check_attributes(repo, index, (*tracked, *more))
        return _shelved(repo, index, head, sha, paths, patch=patch)


def pop(repo: Reading, shelved: Shelved) -> None:
    """Bring it back, and drop the stash. EDIT_CONFLICT when it would be another by now, and nothing is done."""
    if prepare_pop(repo) != shelved:
        raise _other()
    repo.runner.run("stash", "pop", "--quiet", writes=True, literal=False)


def check_free(repo: Reading, paths: Collection[str], head: str) -> None:
    """EDIT_CONFLICT where one of these files of the workspace holds what `head` hasn't, ignored files among them."""
    wanted = set(paths)
    rows = repo.status().rows
    taken = {path for row in rows for path in (row.path, row.came_from) if path is not None} & wanted
    known = names(repo.runner.run("ls-tree", "-r", "-z", "--name-only", head).stdout) if paths else ()
    tracked = {repo.place.to_root(path) for path in known}
    taken |= {path for path in wanted - tracked if repo.root.stat(path) is not None}
    if taken:
        raise WorkroomError(
            ErrorCode.EDIT_CONFLICT,
            f"It would overwrite what isn't committed: {listed(sorted(taken))}. Nothing was done.",
            next_step="Commit or stash that first.",
            details={"paths": sorted(taken)[:_SHOWN], "total": len(taken)},
        )


def _shelved(repo: Reading, index: Index, head: str, sha: str, paths: tuple[str, ...], *, patch: bool) -> Shelved:
    shown = index.run(*DIFF, "--cached", "-U3", head, "--", repo.place.spec).stdout if patch else b""
    return Shelved(head, sha, index.tree(), paths, hooks_there(repo.runner, *HOOKS), shown)


def _merge(repo: Reading, index: Index, head: str, base: str, sha: str) -> None:
    """Have the index hold what comes of the stash upon `head`."""
    tree = repo.runner.text("rev-parse", f"{head}^{{tree}}")
    author = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    upon = repo.runner.text("commit-tree", tree, "-p", base, "-m", "x", env={**index.env, **author})
    merged = index.run("merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", upon, sha, ok=(0, 1))
    tree, *conflicts = names(merged.stdout)
    if merged.code:
        raise WorkroomError(
            ErrorCode.EDIT_CONFLICT,
            f"The stash and what was committed since touch the same lines: {listed(conflicts)}. Nothing was done, and "
            "the stash is kept.",
            next_step="Have the person bring it back in a terminal, or check out what it was made upon.",
            details={"paths": conflicts[:_SHOWN], "total": len(conflicts)},
        )
    index.run("read-tree", tree)


def _check_attributes(repo: Reading, index: Index, paths: Collection[str]) -> None:
    check_filters(repo.runner, paths, "clean", "smudge", "process")
    check_filters(repo.runner, paths, "clean", "smudge", "process", index=index)


def _head(repo: Reading) -> str:
    head = repo.head()
    if head is None:
        raise WorkroomError(
            ErrorCode.TRANSACTION_STATE, "There is no commit yet; nothing can be stashed.", next_step="Commit first."
        )
    return head


def _other() -> WorkroomError:
    return WorkroomError(
        ErrorCode.EDIT_CONFLICT,
        "The files or the stash aren't what they were when this was asked for; nothing was done.",
        next_step="Look at editor_git_status, and make the call again.",
    )
