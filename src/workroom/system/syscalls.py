"""What Python's `os` lacks: openat2, renames that don't replace or that exchange, leases; each by feature.

Everything degrades: what the kernel, the C library or the file system can't do is answered by a weaker way (opening
one component at a time, link and unlink) or said (`"unsupported"`, False), never guessed from the system's name alone.
All functions take descriptors and raise plain `OSError`; `system/root.py` turns that into words.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import platform
import secrets
import signal
import struct
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any, Literal

from workroom.text.paths import STAGE_PREFIX

__all__ = [
    "O_FOLDER",
    "LeaseResult",
    "SyncError",
    "close",
    "copy_xattrs",
    "fsync",
    "has_openat2",
    "is_on_this_machine",
    "lease_intact",
    "lock_folder",
    "open_beneath",
    "open_far_beneath",
    "prove_disk",
    "rename_exchange",
    "rename_noreplace",
    "supports_exchange",
    "supports_lease",
    "take_read_lease",
]

LeaseResult = Literal["held", "refused", "unsupported"]

O_FOLDER = os.O_DIRECTORY | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)
"""Flags that open a folder only to reach what is in it; it need not be readable where the system has O_PATH."""

_PIECE = 4_095 // 4
"""Characters of a path that the system takes in one call, whatever they are: Linux takes 4,095 bytes."""

_libc = ctypes.CDLL(None, use_errno=True)

_SYS_OPENAT2 = 437  # the same number on every architecture that Python runs on under Linux, Alpha apart
_NO_LINKS_BENEATH = 0x02 | 0x04 | 0x08  # RESOLVE_NO_MAGICLINKS, RESOLVE_NO_SYMLINKS, RESOLVE_BENEATH
_SYS_RENAMEAT2 = {
    "x86_64": 316,
    "aarch64": 276,
    "riscv64": 276,
    "armv7l": 382,
    "i686": 353,
    "ppc64le": 357,
    "s390x": 347,
}
_CANT_RENAME = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})
_PASSING = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO, errno.EINTR}
)  # fmt: skip
"""What may be otherwise in a moment."""
_CANT_LINK = frozenset({*_CANT_RENAME, errno.EPERM, errno.EMLINK})
_NO_ATTRIBUTE = frozenset({errno.ENOTSUP, errno.EOPNOTSUPP, getattr(errno, "ENODATA", errno.ENOTSUP)})
_NOT_OURS = frozenset({errno.EPERM, errno.EACCES, errno.EINVAL})
_NEVER_COPIED = frozenset({"security.capability", "security.ima", "security.evm"})

_LOCAL = frozenset(
    {
        0xEF53,  # ext2, ext3, ext4
        0x58465342,  # XFS
        0x9123683E,  # Btrfs
        0x2FC12FC1,  # ZFS
        0xCA451A4E,  # bcachefs
        0xF2F52010,  # F2FS
        0x01021994,  # tmpfs
        0x794C7630,  # overlayfs
    }
)
"""File systems that nobody but this kernel writes to, by the number that statfs(2) tells."""


# Opening.


def open_beneath(root: int, path: str, flags: int, mode: int = 0, *, walk: bool = False) -> int:
    """Open `path` beneath the folder `root` without following any link, the last component's neither.

    ELOOP where a link is met (with O_PATH and O_NOFOLLOW a last one is opened itself), EXDEV where the path would
    leave. `walk` opens one component at a time, which is also the way where the kernel has no openat2.
    """
    if walk or not has_openat2():
        return _open_by_walk(root, path, flags, mode)
    return _openat2(root, path, flags | os.O_CLOEXEC, mode)


def open_far_beneath(root: int, path: str, flags: int, *, walk: bool = False) -> int:
    """The same of an existing path of any length, which the system takes in pieces only."""
    if len(path) <= _PIECE:
        return open_beneath(root, path, flags, walk=walk)
    at, rest = os.dup(root), path
    try:
        while len(rest) > _PIECE and (cut := rest.rfind("/", 0, _PIECE)) > 0:
            piece, rest = rest[:cut], rest[cut + 1 :]
            at, above = open_beneath(at, piece, O_FOLDER, walk=walk), at
            os.close(above)
        return open_beneath(at, rest, flags, walk=walk)
    finally:
        os.close(at)


@cache
def has_openat2() -> bool:
    """Whether the kernel has openat2 and lets us use it (Linux 5.6; some sandboxes forbid it)."""
    if sys.platform != "linux":  # pragma: no cover - the number means something else there
        return False
    root = os.open("/", O_FOLDER)
    try:
        os.close(_openat2(root, ".", O_FOLDER, 0))
    except OSError:  # pragma: no cover - needs an old kernel
        return False
    finally:
        os.close(root)
    return True


def _openat2(root: int, path: str, flags: int, mode: int) -> int:
    how = struct.pack("QQQ", flags, mode, _NO_LINKS_BENEATH)
    name = os.fsencode(path)
    while True:
        descriptor = _syscall(_SYS_OPENAT2, root, name, how, len(how))
        if descriptor >= 0:
            return descriptor
        code = ctypes.get_errno()
        if code != errno.EINTR:
            raise _failed(code, path)


def _open_by_walk(root: int, path: str, flags: int, mode: int) -> int:
    parts = [part for part in path.split("/") if part != "."]
    if path.startswith("/") or ".." in parts:
        raise _failed(errno.EXDEV, path)
    folder = os.dup(root)
    try:
        for part in parts[:-1]:
            folder, above = _open_one(folder, part, O_FOLDER, 0), folder
            os.close(above)
        return _open_one(folder, parts[-1] if parts else ".", flags, mode)
    finally:
        os.close(folder)


def _open_one(folder: int, name: str, flags: int, mode: int) -> int:
    try:
        return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, mode, dir_fd=folder)
    except NotADirectoryError:
        if _is_link(folder, name):  # O_DIRECTORY is looked at before O_NOFOLLOW
            raise _failed(errno.ELOOP, name) from None
        raise


def _is_link(folder: int, name: str) -> bool:
    try:
        os.readlink(name, dir_fd=folder)
    except OSError:
        return False
    return True


# Renaming.


def rename_noreplace(from_folder: int, name: str, to_folder: int, new_name: str) -> None:
    """Rename, FileExistsError when something stands at the new name.

    Where the file system can't do it in one step a file is linked, then unlinked (as safe, not as atomic); where it
    has no hard links either, and for folders, the name is looked at first, which another program can outrun.
    """
    code = _rename(from_folder, name, to_folder, new_name, exchange=False)
    if code in _CANT_RENAME:
        _rename_by_link(from_folder, name, to_folder, new_name)
    elif code:
        raise _failed(code, name, new_name)


def rename_exchange(from_folder: int, name: str, to_folder: int, new_name: str) -> None:
    """Put each of two existing things in the other's place, in one step; ENOSYS, EINVAL or ENOTSUP if impossible."""
    code = _rename(from_folder, name, to_folder, new_name, exchange=True)
    if code:
        raise _failed(code, name, new_name)


def supports_exchange(folder: int) -> bool:
    """Whether the file system under an open folder can exchange two files. Tries it on two files of its own.

    OSError where it can't be tried just now: a full disk, no descriptors left.
    """
    try:
        with _scratch(folder) as (one, other):
            rename_exchange(folder, one, folder, other)
    except OSError as error:
        if error.errno in _PASSING:
            raise
        return False
    return True


def _rename_by_link(from_folder: int, name: str, to_folder: int, new_name: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.lstat(new_name, dir_fd=to_folder)
        raise _failed(errno.EEXIST, name, new_name)
    try:
        os.link(name, new_name, src_dir_fd=from_folder, dst_dir_fd=to_folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _CANT_LINK:
            raise
        os.rename(name, new_name, src_dir_fd=from_folder, dst_dir_fd=to_folder)
    else:
        os.unlink(name, dir_fd=from_folder)


def _rename(from_folder: int, name: str, to_folder: int, new_name: str, *, exchange: bool) -> int:
    """0 or the error's number; ENOSYS where there is no such call."""
    old, new = os.fsencode(name), os.fsencode(new_name)
    if hasattr(_libc, "renameat2"):
        result = _libc.renameat2(from_folder, old, to_folder, new, 2 if exchange else 1)
    elif hasattr(_libc, "renameatx_np"):  # pragma: no cover - macOS
        result = _libc.renameatx_np(from_folder, old, to_folder, new, 2 if exchange else 4)
    elif sys.platform == "linux" and platform.machine() in _SYS_RENAMEAT2:  # pragma: no cover - an older C library
        number = _SYS_RENAMEAT2[platform.machine()]
        result = _syscall(number, from_folder, old, to_folder, new, 2 if exchange else 1)
    else:  # pragma: no cover - neither
        return errno.ENOSYS
    return 0 if result == 0 else ctypes.get_errno()


@contextlib.contextmanager
def _scratch(folder: int) -> Iterator[tuple[str, str]]:
    """Two empty files in a folder, for finding out what its file system can do."""
    names = [f"{STAGE_PREFIX}{secrets.token_hex(8)}" for _ in range(2)]
    try:
        for name in names:
            os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600, dir_fd=folder))
        yield names[0], names[1]
    finally:
        for name in names:
            with contextlib.suppress(OSError):
                os.unlink(name, dir_fd=folder)


# Leases: told when somebody opens the file for writing.


def take_read_lease(descriptor: int) -> LeaseResult:
    """Ask to be told when a file (open for reading only) is opened for writing; `refused`: somebody has it so now.

    The kernel tells by a signal. SIGIO, the usual one, would end the process; SIGURG is ignored unless asked for, so
    nothing happens and `lease_intact` is what tells. Closing the descriptor gives the lease back.
    """
    if not hasattr(fcntl, "F_SETLEASE"):  # pragma: no cover - not Linux
        return "unsupported"
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, int(signal.SIGURG))
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except BlockingIOError:
        return "refused"
    except OSError:  # a file system without leases, or a file of another user's
        return "unsupported"
    return "held"


def lease_intact(descriptor: int) -> bool:
    """Whether the lease is still held and nobody has asked to write since."""
    if not hasattr(fcntl, "F_GETLEASE"):  # pragma: no cover - not Linux
        return False
    return fcntl.fcntl(descriptor, fcntl.F_GETLEASE) == fcntl.F_RDLCK


def supports_lease(folder: int) -> bool:
    """Whether files in an open folder can be leased. Tries it on a file of its own. OSError as `supports_exchange`."""
    try:
        with _scratch(folder) as (name, _):
            descriptor = os.open(name, os.O_RDONLY | os.O_CLOEXEC, dir_fd=folder)
            try:
                return take_read_lease(descriptor) == "held"
            finally:
                os.close(descriptor)
    except OSError as error:
        if error.errno in _PASSING:
            raise
        return False


# Files.


def close(descriptor: int) -> None:
    """Close what was read, or was brought to the disk before: that this fails says nothing of what was done with it."""
    with contextlib.suppress(OSError):
        os.close(descriptor)


def copy_xattrs(source: int, target: int) -> None:
    """Copy extended attributes (ACLs among them) from one open file to another, as far as the systems allow.

    Capabilities and integrity hashes speak of the very bytes; they are not carried over to others. OSError where one
    could be kept and isn't: a full disk, a fault.
    """
    if not hasattr(os, "listxattr"):  # pragma: no cover - macOS
        if hasattr(_libc, "fcopyfile"):
            _libc.fcopyfile(source, target, None, 1 | 4)  # COPYFILE_ACL, COPYFILE_XATTR
        return
    names: list[str] = []
    with _as_allowed("user."):
        names = os.listxattr(source)
    for name in names:
        if name not in _NEVER_COPIED:
            with _as_allowed(name):
                os.setxattr(target, name, os.getxattr(source, name))


@contextlib.contextmanager
def _as_allowed(name: str) -> Iterator[None]:
    """An attribute that this system hasn't, or that went away, or that is not a user's to give, is left out."""
    try:
        yield
    except OSError as error:
        left = _NO_ATTRIBUTE if name.startswith("user.") else _NO_ATTRIBUTE | _NOT_OURS
        if error.errno not in left:
            raise


class SyncError(OSError):
    """The system could not bring something to the disk. It may say the next time that it did: that proves nothing."""


def fsync(descriptor: int) -> None:
    """Bring a file or folder to the disk itself, past the drive's cache where `fsync` alone doesn't. `SyncError`."""
    if hasattr(fcntl, "F_FULLFSYNC"):  # pragma: no cover - macOS
        with contextlib.suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            return
    try:
        os.fsync(descriptor)
    except OSError as error:
        raise SyncError(error.errno, error.strerror) from error


def prove_disk(folder: int) -> None:
    """Write a new file in an open folder, bring both to the disk, and read it from there. OSError when that fails.

    A sync that failed may have left pages that count as written and are not. What was in doubt is written anew with
    this: a folder's entries stand in the same blocks as the new one.
    """
    name, data = f"{STAGE_PREFIX}{secrets.token_hex(8)}", secrets.token_bytes(4096)
    descriptor = os.open(name, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        os.write(descriptor, data)
        fsync(descriptor)
        fsync(folder)
        if hasattr(os, "posix_fadvise"):  # the pages in memory are let go, so that the disk is asked
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        if os.pread(descriptor, len(data), 0) != data:  # pragma: no cover - needs a disk that lies
            raise OSError(errno.EIO, os.strerror(errno.EIO))
    finally:
        os.close(descriptor)
        os.unlink(name, dir_fd=folder)
    fsync(folder)


def lock_folder(descriptor: int) -> bool:
    """Take the one lock of an open folder; False when another process has it. Closing the descriptor gives it back."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_on_this_machine(descriptor: int) -> bool:
    """Whether the file system of an open folder is known as one that no other machine or program keeps the names of."""
    told = ctypes.create_string_buffer(256)  # struct statfs, and more; its type is the first word
    if sys.platform != "linux" or _libc.fstatfs(descriptor, told) != 0:
        return False  # pragma: no cover - not here
    return int.from_bytes(told.raw[: ctypes.sizeof(ctypes.c_long)], sys.byteorder) & 0xFFFFFFFF in _LOCAL


# The C library.


def _prepare() -> Any:
    for name in ("renameat2", "renameatx_np"):
        if hasattr(_libc, name):
            function = getattr(_libc, name)
            function.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
            function.restype = ctypes.c_int
    syscall = _libc.syscall
    syscall.restype = ctypes.c_long
    return syscall


_raw_syscall = _prepare()


def _syscall(number: int, *arguments: int | bytes) -> int:
    """A system call by number. Integers are passed as longs: a variadic C function doesn't widen them itself."""
    widened = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    return int(_raw_syscall(ctypes.c_long(number), *widened))


def _failed(code: int, path: str, other: str | None = None) -> OSError:
    return OSError(code, os.strerror(code), path, None, other)
