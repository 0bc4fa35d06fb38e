"""editor_git_commit, editor_git_undo_commit, editor_git_stash and editor_git_stage: what writes a repository here."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from workroom.base.changes import Danger, Permit
from workroom.base.envelope import Envelope, Importance
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.git import (
    Prepared,
    Reading,
    Shelved,
    Staging,
    Undoing,
    change_staging,
    make_commit,
    plan_undo,
    pop,
    prepare_commit,
    prepare_pop,
    prepare_push,
    preview_staging,
    push,
    undo,
)
from workroom.tools.editor.git_effect import Did, Effect, asks_about, carry_out, proposal, shown_patch
from workroom.tools.editor.git_read import Cwd, repository, shown_name
from workroom.tools.tool import Arguments, Call, Proposal, flat_tool

__all__ = ["GIT_COMMIT", "GIT_STAGE", "GIT_STASH", "GIT_UNDO_COMMIT"]

_SHORT = 7
_WAITS = "It waits for the person."
_YES = frozenset({"true", "yes", "on", "1"})
"""How git's configuration says so."""


# commit


class GitCommitInput(Arguments):
    message: Annotated[str, Field(max_length=100_000)]
    """Subject, and after an empty line what more there is to say."""
    stage_all: Annotated[bool, Field(description="stage every change first")] = True
    """Stage every change of the workspace first, untracked files too. Off: commit what is staged."""
    expected_version: Annotated[str | None, Field(max_length=100, description="else a conflict")] = None
    """What is meant: `version` of editor_git_status, with `stage_all` off its `staged_version`. Where that is another
    by now, it is a conflict and nothing is done. Not set: whatever there is."""
    cwd: Cwd = None
    """A folder within the repository. Not set: the workspace's own."""


class GitCommitOutput(BaseModel):
    committed: bool
    """False where there is nothing to commit, and while the call waits for the person."""
    sha: str | None = None
    """The new commit."""
    summary: str
    """Branch, short hash and subject, then how much changed, as git words it."""
    hooks_skipped: list[str] = []
    """Hooks that the repository has for a commit; none is run."""
    unsigned: bool = False
    """The configuration asks for signed commits; this one isn't, since the program for that may be the folder's."""


def _commit(call: Call, arguments: GitCommitInput) -> Proposal | Envelope:
    repo = repository(call, arguments.cwd)
    prepare = partial(prepare_commit, repo, arguments.message, stage_all=arguments.stage_all)
    prepared = prepare()
    _check_meant(repo, arguments)
    if prepared is None:
        said = "Nothing to commit." if arguments.stage_all else "Nothing is staged."
        return Envelope(True, "editor_git_commit", said, {"committed": False, "sha": None, "summary": said})
    operation = ("commit", repo.place.git_dir, prepared.tree, prepared.parents, prepared.message)
    effect = Effect(f"editor_git_commit: {prepared.subject}", operation)
    return proposal(
        call,
        arguments,
        effect,
        waiting={"committed": False, "sha": None, "summary": f"It waits for the person:{prepared.stat}."},
        shown=lambda: shown_patch(repo, _patch(prepare(patch=True))),
        run=lambda permit: _committed(call, permit, effect, repo, prepared),
    )


def _check_meant(repo: Reading, arguments: GitCommitInput) -> None:
    """EDIT_CONFLICT where something else would be committed than was looked at."""
    if arguments.expected_version is None:
        return
    now = repo.status()
    if arguments.expected_version != (now.version if arguments.stage_all else now.staged_version):
        raise WorkroomError(
            ErrorCode.EDIT_CONFLICT,
            "Nothing was committed: what would be is no longer what was looked at.",
            next_step="Look at what is staged and changed now (editor_git_status), then commit that.",
        )


def _committed(call: Call, permit: Permit, effect: Effect, repo: Reading, prepared: Prepared) -> Envelope:
    data: dict[str, Any] = {}

    def work() -> Did:
        made = make_commit(repo, prepared)
        data.update(committed=True, sha=made.sha, summary=made.summary, hooks_skipped=list(made.hooks))
        label = f"git commit {made.sha[:_SHORT]} {prepared.subject}"
        return Did(label, {"git": "commit", "sha": made.sha, "folder": repo.place.below})

    note = carry_out(call, permit, effect, work)
    data["unsigned"] = repo.runner.config().written("commit.gpgsign").lower() in _YES
    said = f"{data['summary']}{_skipped(data['hooks_skipped'])}"
    if data["unsigned"]:
        said += "\nIt isn't signed, as the configuration asks for (commit.gpgSign)."
    return Envelope(True, "editor_git_commit", said + note, data, "high", (f"committed {data['sha']}",))


# undo-commit


class GitUndoCommitInput(Arguments):
    cwd: Cwd = None
    """A folder within the repository. Not set: the workspace's own."""
    force: Annotated[bool, Field(description="also a pushed or merge commit")] = False
    """Also a commit that was pushed, or a merge (back to its first parent). Destructive."""
    expected_sha: Annotated[str | None, Field(pattern="^[0-9a-f]{40,64}$", description="else a conflict")] = None
    """The commit that is meant, in full (`head` of editor_git_status): where another is the last one by now, that is a
    conflict and nothing is done. Not set: whichever is the last."""


class GitUndoCommitOutput(BaseModel):
    undone_sha: str
    """The commit that was undone; its changes are staged, the files as they were. Empty while the call waits."""
    message: str
    """Its message, for a commit box."""
    outside: int = 0
    """How many of its paths lie outside of the workspace, where that is a part of the repository; staged as well."""


def _undo_commit(call: Call, arguments: GitUndoCommitInput) -> Proposal:
    repo = repository(call, arguments.cwd)
    undoing = plan_undo(repo, force=arguments.force, expected=arguments.expected_sha)
    short, subject = undoing.sha[:_SHORT], undoing.message.partition("\n")[0]
    operation = ("undo-commit", repo.place.git_dir, undoing.sha, arguments.force)
    effect = Effect(f"editor_git_undo_commit: {short} {subject}", operation)
    why = f"a commit that is in {undoing.pushed}" if undoing.pushed else "a merge"
    forced = undoing.pushed or undoing.merge
    return proposal(
        call,
        arguments,
        effect,
        waiting={"undone_sha": "", "message": undoing.message, "outside": undoing.outside},
        shown=lambda: (
            f"In {repo.place.below or '.'}: undo {undoing.sha} on {repo.branch() or 'a detached HEAD'}, keep its "
            f"changes staged.\n\n{undoing.message}"
        ),
        run=lambda permit: _undone(call, permit, effect, repo, undoing),
        dangers=(Danger(f"undo of {why}", undoing.sha, "a commit that turns it back"),) if forced else (),
    )


def _undone(call: Call, permit: Permit, effect: Effect, repo: Reading, undoing: Undoing) -> Envelope:
    def work() -> Did:
        undo(repo, undoing)
        detail = {"git": "undo-commit", "sha": undoing.sha, "folder": repo.place.below}
        return Did(f"git undo of commit {undoing.sha[:_SHORT]}", detail)

    note = carry_out(call, permit, effect, work)
    data = {"undone_sha": undoing.sha, "message": undoing.message, "outside": undoing.outside}
    said = f"Undid {undoing.sha[:_SHORT]}; its changes are staged, and no file was touched."
    if undoing.outside:
        said += f" {undoing.outside:,} of its paths lie outside of the workspace."
    return Envelope(True, "editor_git_undo_commit", said + note, data, "high")


# stash


class GitStashInput(Arguments):
    action: Literal["push", "pop"]
    """push: put changes aside, untracked files too; pop: bring the newest back."""
    cwd: Cwd = None
    """A folder within the repository. Not set: the workspace's own."""


class GitStashOutput(BaseModel):
    action: Literal["push", "pop"]
    ok: bool
    """False where there is nothing to put aside, and while the call waits for the person."""
    summary: str
    paths: list[str] = []
    """Files that were put aside or brought back, at most 200."""
    total: int = 0
    """How many there are."""
    hooks_skipped: list[str] = []
    """Hooks that the repository has for this; none is run."""


_PATHS_SHOWN = 200


def _stash(call: Call, arguments: GitStashInput) -> Proposal | Envelope:
    repo = repository(call, arguments.cwd)
    prepare = prepare_push if arguments.action == "push" else prepare_pop
    shelved = prepare(repo)
    if shelved is None:
        said = "There is nothing to stash."
        return Envelope(True, "editor_git_stash", said, {"action": "push", "ok": False, "summary": said})
    asks = asks_about(call, shelved.paths)
    operation = ("stash", arguments.action, repo.place.git_dir, shelved.head, shelved.sha, shelved.tree)
    effect = Effect(f"editor_git_stash {arguments.action}: {_count(shelved.paths)}", operation, shelved.paths)
    answer = partial(_of_files, arguments, "editor_git_stash", importance="high", hooks_skipped=list(shelved.hooks))
    return proposal(
        call,
        arguments,
        effect,
        waiting=answer(_WAITS, shelved.paths, ok=False).data,
        shown=lambda: shown_patch(repo, _patch(prepare(repo, patch=True))),
        run=lambda permit: answer(_stashed(call, permit, effect, repo, shelved, arguments.action), shelved.paths),
        asks=asks,
    )


def _stashed(call: Call, permit: Permit, effect: Effect, repo: Reading, shelved: Shelved, action: str) -> str:
    def work() -> Did:
        if action == "push":
            sha = push(repo, shelved)
        else:
            sha = shelved.sha
            pop(repo, shelved)
        label = f"git stash {'pop ' if action == 'pop' else ''}{sha[:_SHORT]}"
        return Did(label, {"git": "stash", "action": action, "sha": sha, "folder": repo.place.below})

    note = carry_out(call, permit, effect, work)
    verb = "Put aside" if action == "push" else "Brought back"
    return f"{verb} {_count(shelved.paths)}.{_skipped(list(shelved.hooks))}{note}"


# stage


class GitStageInput(Arguments):
    action: Literal["stage", "unstage"]
    paths: Annotated[tuple[str, ...], Field(min_length=1, max_length=1_000)]
    """Files and folders, relative to the workspace; a folder stands for all below it."""
    hunks: Annotated[tuple[int, ...] | None, Field(description="of one file, by number from 0")] = None
    """Only these hunks of one file, by their numbers from 0 in what editor_git_hunks answered: against worktree to
    stage, against index to unstage."""
    context_lines: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    """The `context_lines` with which the hunks were asked for."""
    patch_version: str | None = None
    """The `patch_version` that came with them: another patch is refused as a conflict."""
    cwd: Cwd = None
    """A folder within the repository. Not set: the workspace's own."""


class GitStageOutput(BaseModel):
    action: Literal["stage", "unstage"]
    ok: bool
    """False while the call waits for the person."""
    summary: str
    paths: list[str] = []
    """Files whose staged content is another now, at most 200."""
    total: int = 0
    """How many there are."""


def _stage(call: Call, arguments: GitStageInput) -> Proposal | Envelope:
    root = call.workspace.root
    repo = repository(call, arguments.cwd)
    paths = tuple(root.resolve(root.parse(path), last=False) for path in arguments.paths)
    hunks = None if arguments.hunks is None else frozenset(arguments.hunks)
    back = arguments.action == "unstage"
    wanted = Staging(paths, back, hunks, arguments.context_lines, arguments.patch_version or "")
    preview = preview_staging(repo, wanted)
    answer = partial(_of_files, arguments, "editor_git_stage")
    if not preview.paths:
        return answer(f"There is nothing to {arguments.action} there.", ())
    operation = (arguments.action, repo.place.git_dir, preview.index)
    effect = Effect(f"editor_git_stage: {arguments.action} {_count(preview.paths)}", operation)
    return proposal(
        call,
        arguments,
        effect,
        waiting=answer(_WAITS, preview.paths, ok=False).data,
        shown=lambda: shown_patch(repo, preview_staging(repo, wanted, patch=True).patch),
        run=lambda permit: answer(*_staged(call, permit, effect, repo, wanted)),
    )


def _staged(call: Call, permit: Permit, effect: Effect, repo: Reading, wanted: Staging) -> tuple[str, tuple[str, ...]]:
    found: list[str] = []

    def work() -> Did:
        found.extend(change_staging(repo, wanted))
        return Did(effect.title, moved=False)

    note = carry_out(call, permit, effect, work)
    verb = "Unstaged" if wanted.back else "Staged"
    count = 0 if wanted.hunks is None else len(wanted.hunks)
    hunks = f"{count} hunk{'s' if count > 1 else ''} of " if count else ""
    return f"{verb} {hunks}{_count(tuple(found))}.{note}", tuple(found)


def _of_files(
    arguments: GitStashInput | GitStageInput,
    tool: str,
    said: str,
    paths: tuple[str, ...],
    *,
    ok: bool = True,
    importance: Importance = "normal",
    **more: Any,
) -> Envelope:
    """What was done to files, or waits to be."""
    shown = {"paths": [shown_name(path) for path in paths[:_PATHS_SHOWN]], "total": len(paths)}
    data = {"action": arguments.action, "ok": ok, "summary": said, **shown, **more}
    return Envelope(True, tool, said, data, importance)


def _patch(prepared: Prepared | Shelved | None) -> bytes:
    return b"" if prepared is None else prepared.patch


def _count(paths: tuple[str, ...]) -> str:
    return shown_name(paths[0]) if len(paths) == 1 else f"{len(paths):,} files"


def _skipped(hooks: list[str]) -> str:
    return f"\nHooks that weren't run: {', '.join(hooks)}." if hooks else ""


GIT_COMMIT = flat_tool(
    "editor_git_commit",
    "Commit",
    "Stage every change (`stage_all: false`: what is staged) and commit. No hook is run. `committed: false` when there "
    "is nothing to commit.",
    GitCommitInput,
    GitCommitOutput,
    propose=_commit,
    annotations={"destructiveHint": False},
)
GIT_UNDO_COMMIT = flat_tool(
    "editor_git_undo_commit",
    "Undo the last commit",
    "Take the last commit back; its changes stay staged, no file is touched. Not one that was pushed, or a merge.",
    GitUndoCommitInput,
    GitUndoCommitOutput,
    propose=_undo_commit,
)
GIT_STASH = flat_tool(
    "editor_git_stash",
    "Stash",
    "Put all changes aside, untracked files too (push), or bring the newest stash back (pop) where nothing conflicts.",
    GitStashInput,
    GitStashOutput,
    propose=_stash,
)
GIT_STAGE = flat_tool(
    "editor_git_stage",
    "Stage",
    "Stage or unstage files, or `hunks` of one file. Only the index changes.",
    GitStageInput,
    GitStageOutput,
    propose=_stage,
    annotations={"destructiveHint": False},
)
