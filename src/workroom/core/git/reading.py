"""Reading a repository: status, differences, contents at a revision, log, branches. Nothing is written, nothing run."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.git.patch import Hunk, parse_hunks
from workroom.core.git.place import Place, find_place
from workroom.core.git.run import Runner
from workroom.core.git.status import Status, parse_status
from workroom.system.root import Root

__all__ = ["DIFF", "Against", "Blob", "Branch", "Commit", "FileDiff", "Reading"]

Against = Literal["worktree", "index", "head", "upstream"]
"""worktree: the index and the files; index: HEAD and the index; head: HEAD and the files; upstream: `@{upstream}` and
the files."""

DIFF = (
    "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-relative", "--no-renames", "--inter-hunk-context=0",
    "--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules=dirty",
)  # fmt: skip
_LOG = "--format=%H%x00%P%x00%an%x00%ae%x00%at%x00%s%x00"
_LOG_FIELDS = 6


@dataclass(frozen=True, slots=True)
class FileDiff:
    """What differs in one file. `untracked`: git doesn't know it, and nothing was compared."""

    patch: bytes
    hunks: tuple[Hunk, ...]
    untracked: bool = False

    @property
    def added(self) -> int:
        return sum(hunk.added for hunk in self.hunks)

    @property
    def removed(self) -> int:
        return sum(hunk.removed for hunk in self.hunks)


@dataclass(frozen=True, slots=True)
class Blob:
    """A file at a revision; `data` is None where there is none. `commit` is empty before the first commit."""

    commit: str
    data: bytes | None


@dataclass(frozen=True, slots=True)
class Commit:
    """A line of the log; `at` in seconds since 1970."""

    sha: str
    parents: tuple[str, ...]
    author: str
    email: str
    at: int
    subject: str


@dataclass(frozen=True, slots=True)
class Branch:
    """A local branch."""

    name: str
    commit: str
    upstream: str | None
    current: bool


class Reading:
    """The repository of one folder of the workspace. Paths are the workspace's, canonical."""

    def __init__(self, root: Root, folder: str = ".", *, timeout: float = 15.0) -> None:
        """NOT_FOUND where the folder is in no repository; `timeout` is for each run of git, in seconds."""
        self.root = root
        self.place: Place = find_place(root, folder)
        self.runner = Runner(self.place, timeout)

    def status(self) -> Status:
        """Branch and changed paths."""
        done = self.runner.run(
            "status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all", "--find-renames", "--ahead-behind",
            "--ignore-submodules=dirty", "--", self.place.spec,
        )  # fmt: skip
        return parse_status(self.place, done.stdout)

    def diff(self, path: str, against: Against = "worktree", context: int = 0) -> FileDiff:
        """What differs in one file. NOT_FOUND for `upstream` where the branch has none."""
        name = self.place.to_git(path)
        patch = self.runner.run(*DIFF, f"-U{context}", *self._side(against), "--", name).stdout
        if patch or against == "index":
            return FileDiff(patch, parse_hunks(patch))
        known = self.runner.run("ls-files", "-z", "--", name).stdout
        seen = self.root.stat(path)
        return FileDiff(b"", (), untracked=not known and seen is not None)

    def show(self, path: str, rev: str = "HEAD") -> Blob:
        """A file's bytes at a revision. NOT_FOUND for a revision that isn't there, INVALID_INPUT for what is none."""
        _check_revision(rev)
        asked = f"{rev}^{{commit}}\0{rev}^{{commit}}:{self.place.to_git(path)}\0"
        done = self.runner.run("cat-file", "--batch", "-z", stdin=os.fsencode(asked))
        commit, _, rest = _object(done.stdout)
        if commit is None:
            if rev == "HEAD":
                return Blob("", None)
            raise _no_revision(rev)
        sha, kind, rest = commit[0], *_object_kind(rest)
        return Blob(sha, rest if kind == "blob" else None)

    def log(self, limit: int = 50, path: str | None = None) -> tuple[Commit, ...]:
        """The newest commits, of one path where it is given; none before the first commit."""
        if self.head() is None:
            return ()
        spec = self.place.spec if path is None else self.place.to_git(path)
        done = self.runner.run(
            "log", f"--max-count={limit}", "--no-show-signature", "--no-color", "--encoding=UTF-8", _LOG, "--", spec
        )  # fmt: skip
        fields = done.stdout.decode("utf-8", "replace").split("\0")
        rows = (fields[n : n + _LOG_FIELDS] for n in range(0, len(fields) - _LOG_FIELDS, _LOG_FIELDS))
        return tuple(Commit(r[0].strip(), tuple(r[1].split()), r[2], r[3], int(r[4]), r[5]) for r in rows)

    def branches(self) -> tuple[Branch, ...]:
        """The local branches, by name."""
        form = "--format=%(refname)%00%(objectname)%00%(upstream:short)%00%(HEAD)%00"
        fields = os.fsdecode(self.runner.run("for-each-ref", form, "refs/heads").stdout).split("\0")
        rows = (fields[n : n + 4] for n in range(0, len(fields) - 4, 4))
        return tuple(Branch(r[0].strip().removeprefix("refs/heads/"), r[1], r[2] or None, r[3] == "*") for r in rows)

    def head(self) -> str | None:
        """The commit that is checked out; None before the first."""
        return self.resolve("HEAD")

    def branch(self) -> str | None:
        """The branch that is checked out, also before its first commit; None where HEAD is detached."""
        done = self.runner.run("symbolic-ref", "--quiet", "--short", "HEAD", ok=(0, 1))
        return os.fsdecode(done.stdout).strip() or None

    def resolve(self, rev: str) -> str | None:
        """The commit that a revision names; None where there is none."""
        _check_revision(rev)
        done = self.runner.run("rev-parse", "--quiet", "--verify", f"{rev}^{{commit}}", ok=(0, 1, 128))
        return done.stdout.decode().strip() or None

    def _side(self, against: Against) -> tuple[str, ...]:
        if against == "worktree":
            return ()
        if against == "index":
            return ("--cached",)
        if against == "head":
            return (self.head() or self.empty_tree(),)
        found = self.resolve("@{upstream}")
        if found is None:
            raise WorkroomError(
                ErrorCode.NOT_FOUND,
                "against: the branch has no upstream, or that was never fetched.",
                next_step="Compare against head, or have the person push the branch.",
            )
        return (found,)

    def empty_tree(self) -> str:
        """The tree that holds nothing: what stands before the first commit."""
        return self.runner.run("hash-object", "-t", "tree", "--stdin").stdout.decode().strip()


def _object(written: bytes) -> tuple[list[str] | None, bytes, bytes]:
    """Header, content and the rest of what `cat-file --batch` wrote; no header where the object is missing."""
    line, _, rest = written.partition(b"\n")
    header = os.fsdecode(line).rsplit(" ", 2)
    if len(header) < 3 or not header[2].isdigit():
        return None, b"", rest
    size = int(header[2])
    return header, rest[:size], rest[size + 1 :]


def _object_kind(written: bytes) -> tuple[str, bytes]:
    """Kind and content of the last object; the name of a missing one may have any form, but ends so."""
    if written.endswith(b" missing\n") and _object(written)[0] is None:
        return "", b""
    header, content, _ = _object(written)
    return ("", b"") if header is None else (header[1], content)


def _check_revision(rev: str) -> None:
    """INVALID_INPUT for what isn't a revision by its form: an option, a path within one, a range, several lines."""
    if not rev or rev.startswith("-") or any(mark in rev for mark in ("..", ":", "\0", "\n")) or len(rev) > 1_000:
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            "rev: it is no revision: a branch, a tag, a hash, HEAD~2.",
            next_step="Name one commit, without a path or range.",
        )


def _no_revision(rev: str) -> WorkroomError:
    return WorkroomError(
        ErrorCode.NOT_FOUND, f"rev: there is no revision {rev!r} here.", next_step="Look at the branches and the log."
    )
