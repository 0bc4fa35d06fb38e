"""Whether git knows a file, read from the repository itself: git isn't run, for a config could make it run others.

A repository also says where else to look (`core.worktree`, `commondir`, alternates, includes, links), and came with
the folder; so it is read in a thread that the kernel keeps below the root. Where it can't, nothing is told.
"""

from __future__ import annotations

import os
from functools import cache

from workroom.base.changes import Kind
from workroom.system.landlock import confined, has_landlock
from workroom.system.root import Root

__all__ = ["git_state"]


def git_state(root: Root, path: str) -> str | None:
    """clean, modified, added, deleted, untracked or ignored; None outside a repository of the root's own.

    A repository that is elsewhere (a `.git` file that points out of the folder), or whose files are elsewhere, isn't
    looked at, nor is the person's own git configuration.
    """
    seen = root.stat(".git")
    if seen is None or seen.kind is not Kind.DIRECTORY or not has_landlock():
        return None
    _load()
    flags = confined(lambda: _flags(root, path), [root.fd])
    return None if flags is None else _word(flags)


def _flags(root: Root, path: str) -> int | None:
    import pygit2  # noqa: PLC0415 - slow to load, and few calls need it
    from pygit2.enums import RepositoryOpenFlag  # noqa: PLC0415

    try:
        repository = pygit2.Repository(os.path.join(root.path, ".git"), RepositoryOpenFlag.NO_SEARCH)
        place = os.stat(repository.workdir or os.devnull)
        ours = (place.st_dev, place.st_ino) == (root.device, root.inode)
        return int(repository.status_file(path)) if ours else None
    except (KeyError, ValueError, OSError, pygit2.GitError):
        return None


def _word(flags: int) -> str:
    from pygit2.enums import FileStatus  # noqa: PLC0415

    for wanted, word in (
        (FileStatus.IGNORED, "ignored"),
        (FileStatus.WT_NEW, "untracked"),
        (FileStatus.WT_DELETED | FileStatus.INDEX_DELETED, "deleted"),
        (FileStatus.INDEX_NEW, "added"),
    ):
        if flags & wanted:
            return word
    return "modified" if flags else "clean"


@cache
def _load() -> None:
    """Load the library before a thread can't, and have it look for no configuration outside of repositories."""
    import pygit2  # noqa: PLC0415
    from pygit2.enums import ConfigLevel  # noqa: PLC0415

    for level in (ConfigLevel.PROGRAMDATA, ConfigLevel.SYSTEM, ConfigLevel.XDG, ConfigLevel.GLOBAL):
        pygit2.settings.search_path[level] = ""
