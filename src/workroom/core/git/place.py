"""Which repository a folder of the workspace belongs to, found without asking git.

Only a `.git` entry counts, in the folder or above it: a folder that merely looks like a bare repository is none. What a
`.git` file or link names has to be within the workspace, or has to name this folder itself: a linked worktree whose
repository lists it, or a submodule of a repository above. So nothing that came with the folder makes git read another
repository in its place.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.system.root import Root

__all__ = ["Place", "find_place"]

_POINTER_BYTES = 4_096
_WORKTREE = re.compile(r"^[ \t]*worktree[ \t]*=[ \t]*(.+?)[ \t]*$", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """A repository as the workspace has it.

    `top` is the absolute folder of its working tree, `git_dir` and `common_dir` where it keeps its own files. One of
    `above` (the workspace within the repository) and `below` (the repository within the workspace) is empty; both are
    relative, with `/`.
    """

    top: str
    git_dir: str
    common_dir: str
    above: str
    below: str

    def to_git(self, path: str) -> str:
        """A canonical path of the workspace as git calls it. INVALID_INPUT for one of another repository."""
        if self.above:
            return self.above if path == "." else f"{self.above}/{path}"
        if not self.below:
            return path
        if path == self.below:
            return "."
        if path.startswith(self.below + "/"):
            return path[len(self.below) + 1 :]
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            f"path: {path} isn't in the repository of {self.below}.",
            next_step="Give a path below that, or leave cwd out.",
        )

    def to_root(self, path: str) -> str | None:
        """What git calls so, as the workspace does; None for what lies outside."""
        if self.above:
            return path[len(self.above) + 1 :] if path.startswith(self.above + "/") else None
        return f"{self.below}/{path}" if self.below else path

    @property
    def spec(self) -> str:
        """The workspace's part of the repository, as a literal pathspec from the top."""
        return self.above or "."


def find_place(root: Root, folder: str) -> Place:
    """The repository of a folder, by its canonical path. NOT_FOUND without one; UNSUPPORTED where it isn't its own."""
    start = Path(root.path, folder)
    for top in (start, *start.parents):
        entry = top / ".git"
        if not os.path.lexists(entry):
            continue
        git_dir = _git_dir(root, entry)
        if git_dir is not None:
            return _place(root, top, git_dir)
    raise WorkroomError(
        ErrorCode.NOT_FOUND,
        f"{folder} is in no git repository.",
        next_step="Files are opened, edited and searched without one.",
    )


def _git_dir(root: Root, entry: Path) -> Path | None:
    """Where the repository's own files are; None when the entry is none."""
    _check_owner(root, entry)
    if entry.is_symlink() or entry.is_file():
        return _pointed(root, entry)
    if not _is_repository(entry):
        return None
    if (entry / "commondir").exists():
        raise _elsewhere(entry, "its commondir leads to another repository")
    return entry


def _pointed(root: Root, entry: Path) -> Path:
    target = entry if entry.is_symlink() else entry.parent / _pointer(entry, b"gitdir: ")
    found = Path(os.path.realpath(target))
    if not _is_repository(found):
        raise _elsewhere(entry, "there is no repository where it points")
    if not (_within(found, Path(root.path)) or _lists(found, entry) or _is_submodule(found, entry)):
        raise _elsewhere(entry, "it points to a repository outside, which doesn't know this folder")
    _check_owner(root, found)
    return found


def _place(root: Root, top: Path, git_dir: Path) -> Place:
    common = git_dir
    if (git_dir / "commondir").exists():
        common = Path(os.path.realpath(git_dir / _pointer(git_dir / "commondir", b"")))
        if git_dir.parent != common / "worktrees":
            raise _elsewhere(git_dir, "its commondir leads to another repository")
    inside = _within(top, Path(root.path))
    above = "" if inside else Path(root.path).relative_to(top).as_posix()
    below = top.relative_to(root.path).as_posix() if inside else "."
    return Place(str(top), str(git_dir), str(common), above, "" if below == "." else below)


def _is_repository(folder: Path) -> bool:
    return os.path.lexists(folder / "HEAD") and ((folder / "objects").is_dir() or (folder / "commondir").is_file())


def _lists(git_dir: Path, entry: Path) -> bool:
    """Whether it is the part of a repository that belongs to this linked worktree."""
    try:
        return os.path.realpath(git_dir / _pointer(git_dir / "gitdir", b"")) == str(entry)
    except WorkroomError:
        return False


def _is_submodule(git_dir: Path, entry: Path) -> bool:
    """Whether a repository above keeps this as its submodule, checked out in this very folder."""
    if not any(_within(git_dir, parent / ".git/modules") for parent in entry.parent.parents):
        return False
    try:
        named = _WORKTREE.findall((git_dir / "config").read_text("utf-8", "replace"))
    except OSError:
        return False
    return [os.path.realpath(git_dir / name) for name in named] == [str(entry.parent)]


def _pointer(file: Path, prefix: bytes) -> str:
    """The path that a one-line file of git's holds."""
    try:
        with open(file, "rb") as opened:
            text = opened.read(_POINTER_BYTES)
    except OSError:
        text = b""
    if not text.startswith(prefix) or b"\0" in text or not text.strip():
        raise _elsewhere(file, "it can't be read as one of git's")
    return os.fsdecode(text[len(prefix) :].rstrip(b"\r\n"))


def _check_owner(root: Root, path: Path) -> None:
    """Git reads no repository of another user's unasked; here the folder's own owner is as good, where it is in it."""
    owner = path.lstat().st_uid
    if owner != os.geteuid() and not (_within(path, Path(root.path)) and owner == os.fstat(root.fd).st_uid):
        raise _elsewhere(path, "it belongs to another user")


def _within(path: Path, folder: Path) -> bool:
    return path == folder or folder in path.parents


def _elsewhere(entry: Path, why: str) -> WorkroomError:
    return WorkroomError(
        ErrorCode.UNSUPPORTED, f"{entry} isn't followed: {why}.", next_step="Open the repository's own folder."
    )
