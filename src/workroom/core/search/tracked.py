"""Whether git knows a file, read from the repository itself: git isn't run, for a config could make it run others.

A repository also says where else to look (`core.worktree`, `commondir`, alternates, includes, links), and came with
the folder; so it is read in a thread that the kernel keeps below the root. Where it can't, nothing is told.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from functools import cache
from typing import Any

from workroom.base.changes import Kind
from workroom.system.landlock import confined, has_landlock
from workroom.system.root import Root

__all__ = ["git_state", "git_states", "tracked_paths"]


def git_state(root: Root, path: str) -> str | None:
    """What `git_states` says of one path."""
    return git_states(root, [path]).get(path)


def git_states(root: Root, paths: Iterable[str]) -> dict[str, str]:
    """clean, modified, added, deleted, untracked or ignored, of each path; nothing outside a repository of the root's.

    A repository that is elsewhere (a `.git` file that points out of the folder), or whose files are elsewhere, isn't
    looked at, nor is the person's own git configuration. It is opened once, which takes longer than all the rest.
    """
    if not _can_look(root):
        return {}
    found = confined(lambda: _flags(root, paths), [root.fd])
    return {path: _word(flags) for path, flags in found.items()}


def tracked_paths(root: Root) -> list[str] | None:
    """Every path that git tracks, whether it is there or not; None outside a repository of the root's own."""
    return confined(lambda: _tracked(root), [root.fd]) if _can_look(root) else None


def _can_look(root: Root) -> bool:
    """Whether there is a repository that can be looked at; the library is loaded then."""
    seen = root.stat(".git")
    if seen is None or seen.kind is not Kind.DIRECTORY or not has_landlock():
        return False
    _load()
    return True


def _tracked(root: Root) -> list[str] | None:
    repository = _opened(root)
    return None if repository is None else [entry.path for entry in repository.index]


def _flags(root: Root, paths: Iterable[str]) -> dict[str, int]:
    import pygit2  # noqa: PLC0415 - slow to load, and few calls need it

    repository = _opened(root)
    found: dict[str, int] = {}
    for path in paths if repository is not None else ():
        with contextlib.suppress(KeyError, ValueError, OSError, pygit2.GitError):
            found[path] = int(repository.status_file(path))
    return found


def _opened(root: Root) -> Any:
    """The repository, whose files are the root's own; None for any other."""
    import pygit2  # noqa: PLC0415 - as above
    from pygit2.enums import RepositoryOpenFlag  # noqa: PLC0415

    try:
        repository = pygit2.Repository(os.path.join(root.path, ".git"), RepositoryOpenFlag.NO_SEARCH)
        place = os.stat(repository.workdir or os.devnull)
    except (KeyError, ValueError, OSError, pygit2.GitError):
        return None
    return repository if (place.st_dev, place.st_ino) == (root.device, root.inode) else None


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
