"""Making a commit of exactly what was looked at, and taking the last one back.

The commit is made from a tree that was written from a copy of the index, and the branch moves to it only from the
commit it was made upon; so what the person was shown is what is committed, whatever another program stages meanwhile.
No hook is run; those that the repository has are told.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.git.guard import check_filters, check_inside, check_settled, hooks_there, names
from workroom.core.git.index import Index, copied_index
from workroom.core.git.reading import DIFF, Reading
from workroom.core.git.run import Runner

__all__ = [
    "TRIES",
    "Made",
    "Prepared",
    "Undoing",
    "make_commit",
    "plan_undo",
    "prepare_commit",
    "stage_everything",
    "undo",
]

HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "reference-transaction")
TRIES = 5
"""How often the index may be written by another program while a commit is made; most only look it over."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A commit that could be made: its tree and parents (none: the first), its message, and how much it changes."""

    tree: str
    parents: tuple[str, ...]
    message: str
    stat: str
    stage_all: bool
    patch: bytes = field(default=b"", compare=False)
    """How it differs, where that was asked for."""

    @property
    def subject(self) -> str:
        return self.message.partition("\n")[0]


@dataclass(frozen=True, slots=True)
class Made:
    """A commit that was made. `summary` is as git words it; `hooks` are those that weren't run."""

    sha: str
    summary: str
    hooks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Undoing:
    """The last commit, to be taken back. `parent` None: it is the first. `pushed` is a remote's branch that has it."""

    sha: str
    parent: str | None
    message: str
    merge: bool
    pushed: str | None
    outside: int
    """How many of its paths lie outside of the workspace."""


def prepare_commit(repo: Reading, message: str, *, stage_all: bool = True, patch: bool = False) -> Prepared | None:
    """What a commit would hold, with its `patch` or without; None where there is nothing to commit. Nothing of the
    repository changes.

    INVALID_INPUT for an empty message; UNSUPPORTED without an author, and where a filter would be needed;
    TRANSACTION_STATE in the middle of a rebase or with files in conflict; PATH_OUTSIDE_WORKSPACE where something is
    staged outside.
    """
    check_settled(repo.runner, merge=True)
    text = _cleaned(repo.runner, message)
    _check_author(repo.runner)
    with copied_index(repo.runner, keeps=False) as index:
        return _prepared(repo, index, text, stage_all=stage_all, patch=patch)


def make_commit(repo: Reading, prepared: Prepared) -> Made:
    """Make that commit. EDIT_CONFLICT when it would be another by now, and nothing is done."""
    sha = next(filter(None, (_try_commit(repo, prepared) for _ in range(TRIES))), None)
    if sha is None:
        raise _moved()
    if len(prepared.parents) > 1:
        repo.runner.run("merge", "--quit", writes=True)
    branch = repo.branch() or "detached HEAD"
    first = "" if prepared.parents else " (root-commit)"
    summary = f"[{branch}{first} {sha[:7]}] {prepared.subject}\n{prepared.stat}".rstrip()
    return Made(sha, summary, hooks_there(repo.runner, *HOOKS))


def _try_commit(repo: Reading, prepared: Prepared) -> str | None:
    """The commit, or None where another program has written the index in between."""
    with copied_index(repo.runner, keeps=True) as index:
        if _prepared(repo, index, prepared.message, stage_all=prepared.stage_all) != prepared:
            raise _moved()
        return index.land(lambda: _commit(repo, prepared))


def stage_everything(repo: Reading, index: Index) -> None:
    """Stage every change of the workspace, but for repositories of their own that are no submodules.

    UNSUPPORTED where a filter would be needed.
    """
    listed = names(index.run("ls-files", "-m", "-o", "--exclude-standard", "-z", "--", repo.place.spec).stdout)
    check_filters(repo.runner, [path for path in listed if not path.endswith("/")], "clean", "process")
    within = (f":(top,exclude,literal){path}" for path in listed if path.endswith("/"))
    spec = f":(top,literal){repo.place.above}" if repo.place.above else ":/"
    repo.runner.run("add", "--all", "--", spec, *within, env=index.env, literal=False)


def plan_undo(repo: Reading, *, force: bool = False, expected: str | None = None) -> Undoing:
    """The last commit as it would be taken back. NOT_FOUND without one; EDIT_CONFLICT where it isn't the `expected`
    one; TRANSACTION_STATE for a merge and for one that was pushed, unless it is forced."""
    check_settled(repo.runner)
    sha = repo.head()
    if sha is None:
        raise WorkroomError(ErrorCode.NOT_FOUND, "There is no commit to undo.")
    if expected is not None and sha != expected:
        raise _another(sha, expected)
    parents, _, message = repo.runner.text("show", "-s", "--format=%P%x00%B", "--encoding=UTF-8", sha).partition("\0")
    parent = parents.split(" ")[0] or None
    pushed = repo.runner.text("for-each-ref", "--count=1", f"--contains={sha}", "--format=%(refname)", "refs/remotes")
    undoing = Undoing(
        sha=sha,
        parent=parent,
        message=message.rstrip("\n"),
        merge=" " in parents,
        pushed=pushed.removeprefix("refs/remotes/") or None,
        outside=_outside(repo, parent or repo.empty_tree(), sha),
    )
    if not force and (undoing.merge or undoing.pushed):
        raise _not_undone(undoing)
    return undoing


def undo(repo: Reading, undoing: Undoing) -> None:
    """Move the branch back; its changes stay staged, and no file is touched. EDIT_CONFLICT when it moved meanwhile."""
    repo.runner.run("update-ref", "ORIG_HEAD", undoing.sha)
    move = ("-d", "HEAD", undoing.sha) if undoing.parent is None else ("HEAD", undoing.parent, undoing.sha)
    _move_head(repo, undoing.sha, "reset: moving to HEAD~1", *move)


def _prepared(repo: Reading, index: Index, message: str, *, stage_all: bool, patch: bool = False) -> Prepared | None:
    head = repo.head()
    merging = _merge_heads(repo.runner)
    base = head or repo.empty_tree()
    if stage_all:
        stage_everything(repo, index)
    changed = names(index.run("diff", "--cached", "--name-only", "--no-renames", "-z", base).stdout)
    if not changed and not merging:
        return None
    check_inside(repo.place, changed, "It would take along what is staged at")
    return Prepared(
        tree=index.tree(),
        parents=tuple(filter(None, (head, *merging))),
        message=message,
        stat=index.run("diff", "--cached", "--no-ext-diff", "--shortstat", base).stdout.decode().rstrip("\n"),
        stage_all=stage_all,
        patch=index.run(*DIFF, "--cached", "-U3", base).stdout if patch else b"",
    )


def _commit(repo: Reading, prepared: Prepared) -> str:
    parents = [part for parent in prepared.parents for part in ("-p", parent)]
    written = repo.runner.run("commit-tree", prepared.tree, *parents, "-F", "-", stdin=_text(prepared.message))
    sha = written.stdout.decode().strip()
    head = prepared.parents[0] if prepared.parents else ""
    first = "" if prepared.parents else " (initial)"
    _move_head(repo, head or None, f"commit{first}: {prepared.subject}", "HEAD", sha, head)
    return sha


def _move_head(repo: Reading, was: str | None, why: str, *move: str) -> None:
    try:
        repo.runner.run("update-ref", "-m", why, *move)
    except WorkroomError as error:
        if repo.head() != was:
            raise _moved() from error
        raise


def _merge_heads(runner: Runner) -> tuple[str, ...]:
    try:
        with open(os.path.join(runner.place.git_dir, "MERGE_HEAD"), encoding="ascii") as heads:
            return tuple(heads.read().split())
    except FileNotFoundError:
        return ()


def _cleaned(runner: Runner, message: str) -> str:
    cleaned = runner.run("stripspace", stdin=_text(message)).stdout.decode() if message.strip() else ""
    if not cleaned:
        raise WorkroomError(ErrorCode.INVALID_INPUT, "message: it is empty.", next_step="Say what the commit does.")
    return cleaned.rstrip("\n")


def _text(message: str) -> bytes:
    if "\0" in message:
        raise WorkroomError(ErrorCode.INVALID_INPUT, "message: it holds a NUL character.")
    return message.encode("utf-8", "replace") + b"\n"


def _check_author(runner: Runner) -> None:
    """UNSUPPORTED where git knows no author or committer; none is guessed."""
    for who in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
        if runner.run("var", who, ok=(0, 128)).code:
            raise WorkroomError(
                ErrorCode.UNSUPPORTED,
                "Git knows no name and address for the author of a commit (user.name, user.email).",
                next_step='Have the person run `git config --global user.name "NAME"` and the same with user.email.',
            )


def _outside(repo: Reading, before: str, after: str) -> int:
    if not repo.place.above:
        return 0
    changed = names(repo.runner.run("diff-tree", "-r", "--name-only", "--no-renames", "-z", before, after).stdout)
    return sum(repo.place.to_root(path) is None for path in changed)


def _not_undone(undoing: Undoing) -> WorkroomError:
    why = f"is in {undoing.pushed} already" if undoing.pushed else "is a merge"
    return WorkroomError(
        ErrorCode.TRANSACTION_STATE,
        f"{undoing.sha[:7]} {why}; it isn't undone.",
        next_step="Make a commit that turns it back, or force this where nobody has fetched it.",
        details={"sha": undoing.sha, "merge": undoing.merge, "pushed": undoing.pushed},
    )


def _another(sha: str, expected: str) -> WorkroomError:
    return WorkroomError(
        ErrorCode.EDIT_CONFLICT,
        f"The last commit is {sha[:7]} by now, not {expected[:7]}. Nothing was undone.",
        next_step="Look at editor_git_status and at that commit, then undo it by its own hash if it is meant.",
        details={"sha": sha, "expected": expected},
    )


def _moved() -> WorkroomError:
    return WorkroomError(
        ErrorCode.EDIT_CONFLICT,
        "The repository isn't what it was when this was asked for: files, index or branch have changed. Nothing was "
        "committed or moved.",
        next_step="Look at editor_git_status, and make the call again.",
    )
