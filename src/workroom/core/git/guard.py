"""What has to be true before a repository is written: no operation half done, no filter needed, nothing outside.

A filter (git-lfs is one) turns files into what is stored, and back. It is a program that the repository names, so it
isn't run; and without it a file would be stored as what it isn't.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.git.index import Index
from workroom.core.git.place import Place
from workroom.core.git.run import Runner

__all__ = ["check_filters", "check_inside", "check_settled", "hooks_there", "listed", "names"]

_UNDER_WAY = (
    ("rebase-merge", "a rebase"), ("rebase-apply", "a rebase"), ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"), ("MERGE_HEAD", "a merge"),
)  # fmt: skip
_SHOWN = 10


def names(written: bytes) -> tuple[str, ...]:
    """The names of a list that ends each with NUL, as git calls them."""
    return tuple(os.fsdecode(written).split("\0")[:-1])


def check_settled(runner: Runner, *, merge: bool = False) -> None:
    """TRANSACTION_STATE while a rebase, cherry-pick, revert or (unless `merge`) merge is under way, or files are in
    conflict."""
    for entry, name in _UNDER_WAY:
        if os.path.exists(os.path.join(runner.place.git_dir, entry)) and not (merge and entry == "MERGE_HEAD"):
            raise WorkroomError(
                ErrorCode.TRANSACTION_STATE,
                f"{name.capitalize()} is under way in this repository; nothing was done.",
                next_step="Have the person finish or abort it in a terminal.",
            )
    found = names(runner.run("diff", "--name-only", "--diff-filter=U", "-z", "--cached").stdout)
    if found:
        raise WorkroomError(
            ErrorCode.TRANSACTION_STATE,
            f"In conflict: {listed(found)}. Nothing was done.",
            next_step="Resolve each, and stage it by editor_git_stage.",
            details={"paths": list(found[:_SHOWN]), "total": len(found)},
        )


def check_filters(runner: Runner, paths: Collection[str], *kinds: str, index: Index | None = None) -> None:
    """UNSUPPORTED where git would have a filter change one of these files: `kinds` of clean, smudge, process.

    Attributes are of the working tree, with an `index` of that alone.
    """
    filters = runner.config().filters(*kinds)
    if not filters or not paths:
        return
    cached, env = ((), None) if index is None else (("--cached",), index.env)
    asked = os.fsencode("\0".join(paths) + "\0")
    found = names(runner.run("check-attr", *cached, "-z", "--stdin", "filter", stdin=asked, env=env).stdout)
    filtered = [(path, value) for path, value in zip(found[::3], found[2::3], strict=True) if value in filters]
    if filtered:
        used = ", ".join(sorted({value for _, value in filtered}))
        raise WorkroomError(
            ErrorCode.UNSUPPORTED,
            f"The filter {used} would have to be run for {listed([path for path, _ in filtered])}; it isn't, since "
            "the repository names the program. Nothing was done.",
            next_step="Have the person do this in a terminal.",
            details={"filters": used.split(", "), "paths": [path for path, _ in filtered[:_SHOWN]]},
        )


def check_inside(place: Place, paths: Iterable[str], what: str) -> tuple[str, ...]:
    """The same paths as the workspace's. PATH_OUTSIDE_WORKSPACE where some are of a larger repository's rest."""
    ours = [(path, place.to_root(path)) for path in paths]
    outside = sum(found is None for _, found in ours)
    if outside:
        raise WorkroomError(
            ErrorCode.PATH_OUTSIDE_WORKSPACE,
            f"{what} {outside:,} paths outside of the workspace, which is a part of the repository. Nothing was done.",
            next_step="Have the person do this in a terminal, or open the repository's own folder.",
            details={"outside": outside},
        )
    return tuple(found for _, found in ours if found is not None)


def hooks_there(runner: Runner, *hooks: str) -> tuple[str, ...]:
    """Which of these hooks the repository has, ready to be run; none of them is."""
    configured = runner.config().written("core.hookspath")
    usual = os.path.join(runner.place.common_dir, "hooks")
    folder = os.path.join(runner.place.top, os.path.expanduser(configured)) if configured else usual
    return tuple(hook for hook in hooks if os.access(os.path.join(folder, hook), os.X_OK))


def listed(paths: Collection[str]) -> str:
    """The first ten of some paths, for a message, and how many more there are."""
    shown = ", ".join(list(paths)[:_SHOWN])
    return shown if len(paths) <= _SHOWN else f"{shown} and {len(paths) - _SHOWN:,} more"
