"""A copy of the repository's index in which staging is tried out, and how the copy takes its place.

    copy ── git add, git apply ──> write-tree            nothing of the repository has changed so far
      │
      └─ land: index.lock is ours, the index is what was copied ── swap() ──> renamed into its place

Git's other programs honour index.lock; so between the check and the rename nobody stages anything.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from workroom.core.git.run import Runner, locked
from workroom.system.process import Completed

__all__ = ["Index", "copied_index"]

_Stamp = tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Index:
    """A copy of the index. `stamp` tells the original as it was when it was copied."""

    runner: Runner
    file: str
    env: Mapping[str, str]
    stamp: _Stamp

    def run(self, *arguments: str, stdin: bytes = b"", ok: tuple[int, ...] = (0,)) -> Completed:
        """Run git with this index in the place of the repository's."""
        return self.runner.run(*arguments, stdin=stdin, ok=ok, env=self.env)

    def tree(self) -> str:
        """The tree that it would be committed as."""
        return self.runner.text("write-tree", env=self.env)

    def land(self, swap: Callable[[], str]) -> str | None:
        """Put it in the place of the repository's once `swap` has moved what goes with it; answers what that does.

        None when another program has written the index since it was copied, if only to look it over, and nothing was
        done. IO_ERROR while one holds the lock.
        """
        real = self.real
        lock = real + ".lock"
        descriptor = _locked(lock)
        try:
            with os.fdopen(descriptor, "wb") as into:
                if _stamp(real) != self.stamp:
                    os.unlink(lock)
                    return None
                if os.path.exists(self.file):
                    with open(self.file, "rb") as copy:
                        shutil.copyfileobj(copy, into)
                        seen = os.fstat(copy.fileno())
                    into.flush()
                    # Git takes a file as young as its index for changed; a younger index would hide an edit.
                    os.utime(into.fileno(), ns=(seen.st_atime_ns, seen.st_mtime_ns))
            done = swap()
            os.rename(lock, real)
        except BaseException:
            with suppress(OSError):
                os.unlink(lock)
            raise
        return done

    @property
    def real(self) -> str:
        return _index_of(self.runner)


@contextmanager
def copied_index(runner: Runner, *, keeps: bool) -> Iterator[Index]:
    """A copy of the index. What is staged in it goes to the repository's objects only where it `keeps`."""
    real = _index_of(runner)
    with tempfile.TemporaryDirectory(prefix="workroom-git-") as folder:
        file = os.path.join(folder, "index")
        env = {"GIT_INDEX_FILE": file}
        if not keeps:
            objects = os.path.join(folder, "objects")
            os.mkdir(objects)
            theirs = _quoted(os.path.join(runner.place.common_dir, "objects"))
            env |= {"GIT_OBJECT_DIRECTORY": objects, "GIT_ALTERNATE_OBJECT_DIRECTORIES": theirs}
        yield Index(runner, file, env, _copy(real, file))


def _index_of(runner: Runner) -> str:
    return os.path.join(runner.place.git_dir, "index")


def _copy(real: str, file: str) -> _Stamp:
    try:
        descriptor = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as source, open(file, "wb") as copy:
        shutil.copyfileobj(source, copy)
        copy.flush()
        seen = os.fstat(source.fileno())
        os.utime(copy.fileno(), ns=(seen.st_atime_ns, seen.st_mtime_ns))
    return _stamp_of(seen)


def _stamp(real: str) -> _Stamp:
    try:
        return _stamp_of(os.lstat(real))
    except FileNotFoundError:
        return None


def _stamp_of(seen: os.stat_result) -> _Stamp:
    return seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns


def _locked(lock: str) -> int:
    try:
        return os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    except FileExistsError:
        raise locked(lock) from None


def _quoted(path: str) -> str:
    """A path as git reads it in a list that colons part."""
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
