"""Staging by file and by hunk, and taking it back: only the index changes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.git.guard import check_filters, names
from workroom.core.git.index import copied_index
from workroom.core.git.patch import some_hunks
from workroom.core.git.reading import DIFF, Reading

__all__ = ["Preview", "Staging", "change_staging", "preview_staging", "version_of_patch"]

_Env = Mapping[str, str] | None


@dataclass(frozen=True, slots=True)
class Staging:
    """What shall be staged, or with `back` unstaged: files of the workspace and what is below folders.

    With `hunks` only those of one file, by their numbers from 0 in its patch with so much `context`: against the
    working tree, with `back` the staged one. `version` is of that patch.
    """

    paths: tuple[str, ...]
    back: bool = False
    hunks: frozenset[int] | None = None
    context: int = 0
    version: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    """What would come of it: the files, how the last commit and the index would differ there, and what tells that index
    from others."""

    paths: tuple[str, ...]
    patch: bytes
    index: str


def preview_staging(repo: Reading, wanted: Staging, *, patch: bool = False) -> Preview:
    """Try it out on a copy of the index. Errors as for `change_staging`."""
    with copied_index(repo.runner, keeps=False) as index:
        paths = _change(repo, wanted, index.env)
        base = repo.head() or repo.empty_tree()
        spec = [repo.place.to_git(path) for path in wanted.paths]
        shown = index.run(*DIFF, "--cached", "-U3", base, "--", *spec).stdout if patch else b""
        return Preview(paths, shown, version_of_patch(index.run("ls-files", "--stage", "-z").stdout))


def change_staging(repo: Reading, wanted: Staging) -> tuple[str, ...]:
    """Do it; the files whose staged content is another. A file in conflict that is staged counts as resolved.

    UNSUPPORTED where a filter would be needed; EDIT_CONFLICT where the patch is another than `version`; INVALID_INPUT
    for a hunk that isn't there.
    """
    return _change(repo, wanted, None)


def version_of_patch(patch: bytes) -> str:
    """What tells one patch, or list, from another."""
    return hashlib.sha256(patch).hexdigest()


def _change(repo: Reading, wanted: Staging, env: _Env) -> tuple[str, ...]:
    if wanted.hunks is not None:
        return _hunks(repo, wanted, wanted.hunks, env)
    spec = [repo.place.to_git(path) for path in wanted.paths]
    return (_unstage if wanted.back else _stage)(repo, spec, env)


def _stage(repo: Reading, spec: Sequence[str], env: _Env) -> tuple[str, ...]:
    listed = names(repo.runner.run("ls-files", "-m", "-o", "--exclude-standard", "-z", "--", *spec).stdout)
    changed = [path for path in dict.fromkeys(listed) if not path.endswith("/")]
    check_filters(repo.runner, changed, "clean", "process")
    return _each(repo, changed, env, "add", "--all")


def _unstage(repo: Reading, spec: Sequence[str], env: _Env) -> tuple[str, ...]:
    head = repo.head()
    base = head or repo.empty_tree()
    listed = repo.runner.run("diff", "--cached", "--name-only", "--no-renames", "-z", base, "--", *spec).stdout
    command = ("rm", "--cached", "--quiet", "--force") if head is None else ("reset", "--quiet")
    return _each(repo, list(names(listed)), env, *command)


def _each(repo: Reading, paths: Sequence[str], env: _Env, *command: str) -> tuple[str, ...]:
    """Run a command on these paths, as git calls them; those of the workspace."""
    if not paths:
        return ()
    asked = os.fsencode("".join(f"{path}\0" for path in paths))
    repo.runner.run(
        *command, "--pathspec-from-file=-", "--pathspec-file-nul", stdin=asked, writes=env is None, env=env
    )  # fmt: skip
    return tuple(sorted(ours for path in paths if (ours := repo.place.to_root(path)) is not None))


def _hunks(repo: Reading, wanted: Staging, chosen: frozenset[int], env: _Env) -> tuple[str, ...]:
    if len(wanted.paths) != 1:
        raise WorkroomError(ErrorCode.INVALID_INPUT, "hunks: they are of one file, and paths names several.")
    path = wanted.paths[0]
    found = repo.diff(path, "index" if wanted.back else "worktree", wanted.context)
    if wanted.version and wanted.version != version_of_patch(found.patch):
        raise WorkroomError(
            ErrorCode.EDIT_CONFLICT,
            f"{path} has changed since its hunks were looked at; nothing was staged.",
            next_step="Ask editor_git_hunks again.",
        )
    missing = sorted(chosen - set(range(len(found.hunks))))
    if missing or not chosen:
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            f"hunks: {path} has {len(found.hunks)} hunks, numbered from 0; {missing or 'none'} can't be chosen.",
            next_step="Ask editor_git_hunks, or name the file without hunks.",
        )
    if not wanted.back:
        check_filters(repo.runner, [repo.place.to_git(path)], "clean", "process")
    way = ("--reverse",) if wanted.back else ()
    patch = some_hunks(found.patch, chosen, back=wanted.back)
    command = ("apply", "--cached", "--unidiff-zero", "--whitespace=nowarn", *way, "-")
    repo.runner.run(*command, stdin=patch, writes=env is None, env=env)
    return (path,)
