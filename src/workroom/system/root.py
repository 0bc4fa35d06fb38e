"""A folder opened once; every path below it, never outside it.

Paths are canonical: relative to the root, `/`, no `.` or `..`, no link on the way (`parse` and `resolve` see to it).
Every access goes from the root's descriptor to the parent folder without following a link, and from there by one name:
a folder that is swapped for a link meanwhile is refused, not followed. Mounts below the root are part of it.

    given -> parse -> resolve -> stat, read, scan, folder …
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from types import TracebackType
from typing import Any, Self

from workroom.base.changes import ABSENT, Kind, State
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.system import syscalls
from workroom.system.resolve import follow
from workroom.text import paths

__all__ = ["Root", "Stat", "refusal"]

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_LIST = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_CHUNK = 1 << 20
_NOTHING_THERE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
_KINDS = {stat.S_IFREG: Kind.FILE, stat.S_IFDIR: Kind.DIRECTORY, stat.S_IFLNK: Kind.SYMLINK}
_WORDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFLNK: "a link",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


@dataclass(frozen=True, slots=True)
class Stat:
    """What stands at one path, a link itself and not what it leads to. `mode` is the permission bits (`0o7777`)."""

    path: str
    kind: Kind
    size: int
    mode: int
    mtime_ns: int
    device: int
    inode: int
    links: int
    target: str | None
    ctime_ns: int


class Root:
    """One opened folder. Safe to use from many threads until it is closed."""

    def __init__(self, path: str, descriptor: int, *, alias: str, walk: bool) -> None:
        self.path = path
        self.fd = descriptor
        _nowhere()  # found while descriptors can be had: closing must not need a new one
        weakref.finalize(self, os.close, descriptor)
        info = os.fstat(descriptor)
        self.device = info.st_dev
        self.inode = info.st_ino
        self._alias = alias
        self._walk = walk
        self._capabilities: dict[str, Any] | None = None

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, walk: bool = False) -> Self:
        """Open a folder. NOT_FOUND when it is absent, INVALID_INPUT when it is no folder.

        `walk` opens every path one component at a time even where the kernel could do it in one call.
        """
        given = os.fspath(path)
        try:
            real = os.path.realpath(given)  # what it can't follow, the call below refuses
            descriptor = os.open(real, _LIST | os.O_NOFOLLOW)
        except NotADirectoryError:
            raise WorkroomError(ErrorCode.INVALID_INPUT, f"{given!r} is not a folder.") from None
        except OSError as error:
            raise refusal(given, error) from error
        alias = os.path.abspath(given)
        return cls(
            real,
            descriptor,
            alias=alias if os.path.realpath(alias) == real else real,
            walk=walk or not syscalls.has_openat2(),
        )

    @property
    def identity(self) -> str:
        """Which folder it is, whatever stands at its path by now."""
        return f"{self.device}:{self.inode}"

    def close(self) -> None:
        """Let the folder go, and with it the lock on it; a second time does nothing.

        A thread may be about to use the descriptor. Its number leads nowhere from here on, but stays ours until nobody
        holds this object: another folder that came to have it would be read in this one's name.
        """
        descriptor, self.fd = self.fd, -1
        if descriptor >= 0:
            os.dup2(_nowhere(), descriptor, inheritable=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Paths.

    def parse(self, given: str) -> str:
        """A canonical path from what a caller gave: relative, or absolute inside the root. See `text.paths`."""
        return paths.parse_path(self._from_alias(given), self.path)

    def parse_write(self, given: str) -> str:
        """The same for a file that shall be written: no trailing slash, not the root."""
        return paths.parse_write_path(self._from_alias(given), self.path)

    def _from_alias(self, given: str) -> str:
        """The root may have been opened through a link (`/tmp` on macOS); that name for it is as good."""
        if given == self._alias or given.startswith(self._alias + "/"):
            return self.path + given[len(self._alias) :]
        return given

    def resolve(self, path: str, *, last: bool = True) -> str:
        """Where a path leads: no links on the way, and none at the end unless `last` is False.

        A missing tail stays as it is; a dangling link leads to its target's path. A link's absolute target lexically
        inside the root counts as a relative one. PATH_OUTSIDE_WORKSPACE when a link leaves the root, even one that
        would come back; INVALID_INPUT when links go round.
        """
        try:
            info = self._look(path)
        except OSError as error:
            if error.errno in {errno.ENOENT, errno.ENOTDIR}:
                return path
        else:
            if not (last and stat.S_ISLNK(info.st_mode)):
                return path
        return follow(path, self.path, self._target_of, last=last)

    def split(self, path: str) -> tuple[str, str]:
        """Parent (`.` at the top) and name. INVALID_INPUT for the root, which has neither."""
        if path == ".":
            raise WorkroomError(ErrorCode.INVALID_INPUT, "Path '.' is the workspace itself.")
        parent, _, name = path.rpartition("/")
        return parent or ".", name

    def check_writable(self, path: str, patterns: Sequence[str] = (), *, last: bool = True) -> str:
        """PROTECTED_PATH when the path, as given or where it leads, is protected; answers where it leads."""
        paths.check_protected(path, patterns)
        resolved = self.resolve(path, last=last)
        paths.check_protected(resolved, patterns)
        return resolved

    def check_new_name(self, path: str) -> None:
        """INVALID_INPUT when a part of the path that isn't there yet has a name that Windows can't keep."""
        known = path
        while self.stat(known) is None:
            known = self.split(known)[0]
        paths.check_new_name(path if known == "." else path[len(known) + 1 :])

    # Looking.

    def stat(self, path: str) -> Stat | None:
        """What stands at the path; None when nothing does, or a parent is no folder."""
        try:
            with self._at(path) as (folder, name):
                return _see(path, folder, name)
        except OSError as error:
            if error.errno in _NOTHING_THERE:
                return None
            raise refusal(path, error) from error

    def top_links(self, names: Iterable[str]) -> set[str]:
        """Which of these names are links, in the folder itself."""
        found = set()
        for name in names:
            with contextlib.suppress(OSError):
                if stat.S_ISLNK(os.lstat(name, dir_fd=self.fd).st_mode):
                    found.add(name)
        return found

    def state(self, path: str) -> State:
        """What stands at the path, as the value that guards compare: a file's bytes and a link's target hashed."""
        try:
            with self._at(path) as (folder, name):
                seen = _see(path, folder, name)
                state = _file_state(folder, name) if seen.kind is Kind.FILE else _other_state(seen)
        except OSError as error:
            if error.errno in _NOTHING_THERE:
                return ABSENT
            raise refusal(path, error) from error
        return state or self.state(path)

    def scan(self, path: str) -> list[Stat]:
        """A folder's entries, sorted by name; what goes away meanwhile and our staging files left out.

        Names that aren't UTF-8 come with surrogate escapes.
        """
        prefix = "" if path == "." else path + "/"
        found = []
        try:
            with self.folder(path) as folder:
                for name in sorted(os.listdir(folder)):
                    if not name.startswith(paths.STAGE_PREFIX):
                        with contextlib.suppress(FileNotFoundError):
                            found.append(_see(prefix + name, folder, name))
        except OSError as error:
            raise refusal(path, error) from error
        return found

    def listing(self, path: str) -> list[tuple[str, bool]]:
        """The names in a folder, in no order, and whether each is a folder, as far as the folder itself tells."""
        try:
            with self.folder(path) as folder, os.scandir(folder) as entries:
                found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        except OSError as error:  # pragma: no cover - needs a disk that fails
            raise refusal(path, error) from error
        return [each for each in found if not each[0].startswith(paths.STAGE_PREFIX)]

    def stats(self, path: str, names: Iterable[str], *, beyond: bool = False) -> list[Stat | None]:
        """What stands at these names in a folder, in their order; None where nothing does, or there is no folder.

        `beyond`: as `folder` has it.
        """
        prefix = "" if path == "." else path + "/"
        found: list[Stat | None] = []
        looked_at = path
        try:
            with self.folder(path, beyond=beyond) as folder:
                for name in names:
                    looked_at = prefix + name
                    try:
                        found.append(_see(looked_at, folder, name))
                    except FileNotFoundError:
                        found.append(None)
        except WorkroomError:
            return [None for _ in names]
        except OSError as error:
            raise refusal(looked_at, error) from error
        return found

    def lstats(self, path: str, names: Iterable[str]) -> list[os.stat_result | None]:
        """The same as the system tells it, for a great many; None also for a name that can't be looked at."""
        found: list[os.stat_result | None] = []
        try:
            with self.folder(path) as folder:
                for name in names:
                    try:
                        found.append(os.lstat(name, dir_fd=folder))
                    except OSError:
                        found.append(None)
        except WorkroomError:
            return [None for _ in names]
        return found

    def names(self, path: str) -> list[str]:
        """What a folder's entries are called, in no order; none where there is no such folder."""
        try:
            with self.folder(path) as folder:
                return os.listdir(folder)
        except WorkroomError:
            return []

    def folds_names(self, path: str) -> bool:
        """Whether the file system takes `A` and `a` for one name in a folder, or in the nearest above it that is there.

        Asked of names that stand there: is one found by its other case, and not listed so? A folder without letters
        does as the one above it.
        """
        names = self.names(path)
        for name in names:
            other = name.swapcase()
            if other != name and other not in names:
                prefix = "" if path == "." else f"{path}/"
                return self.stat(prefix + other) is not None
        return path != "." and self.folds_names(self.split(path)[0])

    def readlink(self, path: str) -> str:
        """A link's target as it is written. NOT_FOUND, or INVALID_INPUT when it is no link."""
        try:
            with self._at(path) as (folder, name):
                target = _link_target(folder, name)
        except OSError as error:
            raise refusal(path, error) from error
        if target is None:
            raise WorkroomError(ErrorCode.INVALID_INPUT, f"Path {path!r} is not a link.")
        return target

    # Reading.

    def open_file(self, path: str) -> int:
        """A descriptor of a regular file for reading; the caller closes it.

        NOT_FOUND; INVALID_INPUT for a folder, FIFO, socket or device, which is looked at and not opened.
        """
        try:
            with self._at(path) as (folder, name):
                _require_file(path, os.lstat(name, dir_fd=folder))
                descriptor = os.open(name, _READ, dir_fd=folder)
        except OSError as error:
            raise refusal(path, error) from error
        try:
            _require_file(path, os.fstat(descriptor))
        except WorkroomError:
            syscalls.close(descriptor)
            raise
        return descriptor

    def read(self, path: str, limit: int | None = None) -> bytes:
        """A file's bytes, whole. LIMIT_EXCEEDED, naming both sizes, when there are more than `limit`."""
        return self.read_with_stat(path, limit)[0]

    def read_with_stat(self, path: str, limit: int | None = None) -> tuple[bytes, Stat]:
        """A file's bytes and what the same descriptor says about it."""
        with self._opened(path) as descriptor:
            info = os.fstat(descriptor)
            if limit is not None and info.st_size > limit:
                raise _too_large(path, info.st_size, limit)
            data = _read_all(descriptor, info.st_size, limit)
        if limit is not None and len(data) > limit:  # it grew meanwhile
            raise _too_large(path, len(data), limit)
        return data, _describe(path, info, None)

    @contextlib.contextmanager
    def _opened(self, path: str) -> Iterator[int]:
        descriptor = self.open_file(path)
        try:
            yield descriptor
        except OSError as error:
            raise refusal(path, error) from error
        finally:
            syscalls.close(descriptor)

    # Folders.

    @contextlib.contextmanager
    def folder(self, path: str, *, beyond: bool = False) -> Iterator[int]:
        """A descriptor of a folder, readable, reached without following a link; closed at the end of the block.

        `beyond`: also where the path is longer than the system takes, and a caller could name. NOT_FOUND, INVALID_INPUT
        when it is no folder. Errors of the block itself pass as they are.
        """
        # The root is opened anew too: readers of one descriptor share a position, and would each see a part.
        try:
            descriptor = self._open_far_beneath(path) if beyond else self._open_beneath(path, _LIST)
        except NotADirectoryError as error:
            if self.stat(path) is None:
                raise refusal(path, error) from error
            raise WorkroomError(ErrorCode.INVALID_INPUT, f"Path {path!r} is not a folder.") from None
        except OSError as error:
            raise refusal(path, error) from error
        try:
            yield descriptor
        finally:
            syscalls.close(descriptor)

    def make_folder(self, path: str, mode: int = 0o777) -> None:
        """Make one folder in an existing one. EDIT_CONFLICT when something stands there."""
        try:
            with self._at(path) as (folder, name):
                os.mkdir(name, mode, dir_fd=folder)
        except OSError as error:
            raise refusal(path, error) from error

    def capabilities(self, probe: str = ".") -> dict[str, Any]:
        """How strong this platform and file system make the promises, with the reason where they are weaker.

        What can't be asked is tried once, with two files that are made and removed in the folder `probe`.

        `confinement` (openat2, walk), `atomic_replace` (exchange, rename), `lease` (True, or why not).
        """
        if self._capabilities is None:
            try:
                folder = self._open_beneath(probe, _LIST)
                try:
                    self._capabilities = _probe(folder, walk=self._walk)
                finally:
                    syscalls.close(folder)
            except OSError as error:  # a full disk, no descriptors left: the next time it is tried again
                return _untried(error, walk=self._walk)
        return dict(self._capabilities)

    # Inside.

    @contextlib.contextmanager
    def _at(self, path: str) -> Iterator[tuple[int, str]]:
        """The parent's descriptor, good for reaching what is in it, and the name; plain OSErrors."""
        parent, _, name = path.rpartition("/")
        if not parent:
            try:
                yield self.fd, name
            except OSError:
                self._check_open()
                raise
            return
        descriptor = self._open_beneath(parent, syscalls.O_FOLDER)
        try:
            yield descriptor, name
        finally:
            syscalls.close(descriptor)

    def _open_beneath(self, path: str, flags: int) -> int:
        try:
            return syscalls.open_beneath(self.fd, path, flags, walk=self._walk)
        except OSError:
            self._check_open()
            raise

    def _open_far_beneath(self, path: str) -> int:
        try:
            return syscalls.open_far_beneath(self.fd, path, _LIST, walk=self._walk)
        except OSError:
            self._check_open()
            raise

    def _check_open(self) -> None:
        """IO_ERROR when the folder was closed: that nothing is found is then no finding."""
        if self.fd < 0:
            raise WorkroomError(
                ErrorCode.IO_ERROR, f"The workspace {self.path} was closed meanwhile.", next_step="Connect again."
            )

    def _look(self, path: str) -> os.stat_result:
        with self._at(path) as (folder, name):
            return os.lstat(name, dir_fd=folder)

    def _target_of(self, path: str) -> str | None:
        seen = self.stat(path)
        return None if seen is None else seen.target


@cache
def _nowhere() -> int:
    """A descriptor, one for the process, from which no path leads anywhere."""
    return os.open(os.devnull, os.O_RDONLY)


def refusal(path: str, error: OSError) -> WorkroomError:
    """What the operating system refused, in words: NOT_FOUND, EDIT_CONFLICT (exists), IO_ERROR and so on."""
    reason = error.strerror or str(error)
    if error.errno in {errno.ENOENT, errno.ENOTDIR}:
        return WorkroomError(ErrorCode.NOT_FOUND, f"Path {path!r} does not exist.")
    if error.errno in {errno.ELOOP, errno.EXDEV}:
        return WorkroomError(ErrorCode.PATH_OUTSIDE_WORKSPACE, f"Path {path!r} goes through a link that was just made.")
    if error.errno == errno.ENAMETOOLONG:
        return WorkroomError(ErrorCode.INVALID_INPUT, f"Path {path!r} is too long for this file system.")
    if error.errno in {errno.EEXIST, errno.EISDIR}:
        return WorkroomError(ErrorCode.EDIT_CONFLICT, f"Something stands at {path!r} already.")
    code = ErrorCode.EDIT_CONFLICT if error.errno == errno.ENOTEMPTY else ErrorCode.IO_ERROR
    return WorkroomError(code, f"Path {path!r}: {reason}.")


def _see(path: str, folder: int, name: str) -> Stat:
    info = os.lstat(name, dir_fd=folder)
    if not stat.S_ISLNK(info.st_mode):
        return _describe(path, info, None)
    target = _link_target(folder, name)
    # None: something else was put there between the two calls.
    return _describe(path, info, target) if target is not None else _see(path, folder, name)


def _link_target(folder: int, name: str) -> str | None:
    """None when it is no link."""
    try:
        return os.readlink(name, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.EINVAL:
            return None
        raise


def _describe(path: str, info: os.stat_result, target: str | None) -> Stat:
    kind = _KINDS.get(stat.S_IFMT(info.st_mode), Kind.OTHER)
    mode = stat.S_IMODE(info.st_mode)
    return Stat(
        path, kind, info.st_size, mode, info.st_mtime_ns, info.st_dev, info.st_ino, info.st_nlink, target,
        info.st_ctime_ns,
    )  # fmt: skip


def _file_state(folder: int, name: str) -> State | None:
    """A file's state, its bytes hashed; None when it is no file any more."""
    try:
        descriptor = os.open(name, _READ, dir_fd=folder)
    except OSError as error:
        if error.errno in _NOTHING_THERE:
            return None
        raise
    try:
        info, sha, size = os.fstat(descriptor), hashlib.sha256(), 0
        if not stat.S_ISREG(info.st_mode):
            return None
        while chunk := os.read(descriptor, _CHUNK):
            sha.update(chunk)
            size += len(chunk)
    finally:
        syscalls.close(descriptor)
    return State(Kind.FILE, sha.hexdigest(), size, stat.S_IMODE(info.st_mode))


def _other_state(seen: Stat) -> State:
    if seen.target is None:
        return State(seen.kind, mode=seen.mode)
    target = os.fsencode(seen.target)
    return State(Kind.SYMLINK, hashlib.sha256(target).hexdigest(), len(target))


def _require_file(path: str, info: os.stat_result) -> None:
    if not stat.S_ISREG(info.st_mode):
        what = _WORDS.get(stat.S_IFMT(info.st_mode), "something else")
        raise WorkroomError(ErrorCode.INVALID_INPUT, f"Path {path!r} is {what}, not a file.")


def _read_all(descriptor: int, size: int, limit: int | None) -> bytes:
    """To the end of the file, wherever that is by now, or to where it is seen to pass `limit`. One call for most."""
    data = os.read(descriptor, size + 1)
    if len(data) == size:
        return data
    pieces, got = [data], len(data)
    while (limit is None or got <= limit) and (piece := os.read(descriptor, _CHUNK)):
        pieces.append(piece)
        got += len(piece)
    return b"".join(pieces)


def _too_large(path: str, size: int, limit: int) -> WorkroomError:
    return WorkroomError(
        ErrorCode.LIMIT_EXCEEDED,
        f"Path {path!r} holds {size:,} bytes; the limit is {limit:,}.",
        details={"bytes": size, "limit": limit},
    )


def _confinement(*, walk: bool) -> dict[str, Any]:
    if not walk:
        return {"confinement": "openat2"}
    reason = "Paths are opened one folder at a time: as safe, slower."
    return {"confinement": "walk", "confinement_reason": reason}


def _untried(error: OSError, *, walk: bool) -> dict[str, Any]:
    reason = f"It can't be tried now: {error.strerror}."
    return {**_confinement(walk=walk), "atomic_replace": "rename", "atomic_replace_reason": reason, "lease": reason}


def _probe(folder: int, *, walk: bool) -> dict[str, Any]:
    found = _confinement(walk=walk)
    if syscalls.supports_exchange(folder):
        found["atomic_replace"] = "exchange"
    else:
        found["atomic_replace"] = "rename"
        found["atomic_replace_reason"] = (
            "The file system can't exchange two files: another program's save in the instant between check and "
            "rename can be overwritten on disk."
        )
    found["lease"] = syscalls.supports_lease(folder) or (
        "The system can't tell whether another program has a file open for writing: "
        "what it writes after a replace can end in the old file."
    )
    return found
