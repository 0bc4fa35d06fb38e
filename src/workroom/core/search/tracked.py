"""Whether git knows a file, read from the repository itself: git isn't run, for a config could make it run others."""

from __future__ import annotations

import os

from workroom.base.changes import Kind
from workroom.system.root import Root

__all__ = ["git_state"]


def git_state(root: Root, path: str) -> str | None:
    """clean, modified, added, deleted, untracked or ignored; None outside a repository of the root's own.

    A repository that is elsewhere (a `.git` file that points out of the folder) isn't looked at.
    """
    seen = root.stat(".git")
    if seen is None or seen.kind is not Kind.DIRECTORY:
        return None
    import pygit2  # noqa: PLC0415 - slow to load, and few calls need it
    from pygit2.enums import FileStatus, RepositoryOpenFlag  # noqa: PLC0415

    try:
        repository = pygit2.Repository(os.path.join(root.path, ".git"), RepositoryOpenFlag.NO_SEARCH)
        flags = repository.status_file(path)
    except (KeyError, ValueError, pygit2.GitError):
        return None
    for wanted, word in (
        (FileStatus.IGNORED, "ignored"),
        (FileStatus.WT_NEW, "untracked"),
        (FileStatus.WT_DELETED | FileStatus.INDEX_DELETED, "deleted"),
        (FileStatus.INDEX_NEW, "added"),
    ):
        if flags & wanted:
            return word
    return "modified" if flags else "clean"
