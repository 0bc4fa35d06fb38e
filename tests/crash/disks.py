"""Disks that lose power, fill up or turn read-only: loop-mounted ext4 and small tmpfs, in a mount namespace of our own.

own_mounts()                       what is mounted from here on is seen by this process and its children only
with Disk(image, where) as disk:   mounted; disk.cut(LOG_LOST) is the power cut; disk.again() the next start
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Self

__all__ = ["CUTS", "Disk", "Memory", "copy_image", "make_image", "missing", "own_mounts"]

CUTS = {"flushed": 0, "log": 1, "lost": 2}
"""How the file system is shut down: everything brought to the disk first; its log only; nothing, not even that."""

_libc = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWNS, _MS_RDONLY, _MS_REMOUNT, _MS_REC, _MS_PRIVATE, _MNT_DETACH = 0x20000, 1, 32, 0x4000, 1 << 18, 2
_SHUTDOWN = 0x8004587D
_LOOP_GET_FREE, _LOOP_CONFIGURE, _AUTOCLEAR = 0x4C82, 0x4C0A, 4
_IMAGE_BYTES = 24 * 1024 * 1024


@cache
def missing() -> str:
    """Why no disks can be mounted here; empty where they can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "mounting a file system takes root on Linux"
    if shutil.which("mkfs.ext4") is None:
        return "mkfs.ext4 isn't there (package e2fsprogs)"
    if not os.path.exists("/dev/loop-control"):
        return "the kernel has no loop devices (/dev/loop-control)"
    child = os.fork()
    if child == 0:
        code = 1
        with contextlib.suppress(OSError):
            own_mounts()
            code = 0
        os._exit(code)
    return "" if os.waitpid(child, 0)[1] == 0 else "a mount namespace can't be had here"


def own_mounts() -> None:
    """Leave the machine's mounts alone: what this process mounts goes with it and its children."""
    _check(_libc.unshare(_CLONE_NEWNS), "unshare")
    _check(_libc.mount(b"none", b"/", None, ctypes.c_ulong(_MS_REC | _MS_PRIVATE), None), "mount --make-rprivate")


def make_image(image: Path) -> None:
    """An empty ext4 with a journal, in a file."""
    with open(image, "wb") as file:
        file.truncate(_IMAGE_BYTES)
    options = ("-q", "-m", "0", "-b", "4096", "-J", "size=4", "-E", "lazy_itable_init=0,nodiscard")
    subprocess.run(["mkfs.ext4", *options, str(image)], check=True, capture_output=True)


def copy_image(image: Path, target: Path) -> None:
    """The same file once more, its holes left out."""
    with open(image, "rb") as source, open(target, "wb") as copy:
        end = os.fstat(source.fileno()).st_size
        copy.truncate(end)
        position = 0
        while position < end:
            try:
                start = os.lseek(source.fileno(), position, os.SEEK_DATA)
            except OSError as error:
                if error.errno == errno.ENXIO:
                    return
                raise
            position = os.lseek(source.fileno(), start, os.SEEK_HOLE)
            copy.seek(start)
            copy.write(os.pread(source.fileno(), position - start, start))


class Memory:
    """A small file system in memory, mounted at a folder while the block runs."""

    def __init__(self, where: Path, kib: int) -> None:
        self.where = where
        self._options = f"size={kib}k,mode=755"

    def __enter__(self) -> Self:
        self.where.mkdir(parents=True, exist_ok=True)
        _mount("tmpfs", self.where, "tmpfs", self._options)
        return self

    def leave(self, kib: int) -> None:
        """Let so much be free from now on."""
        info = os.statvfs(self.where)
        used = (info.f_blocks - info.f_bfree) * info.f_frsize // 1024
        _mount("tmpfs", self.where, "tmpfs", f"size={used + kib}k", _MS_REMOUNT)

    def __exit__(self, *_: object) -> None:
        _unmount(self.where)


class Disk:
    """An ext4 in an image file, mounted at a folder while the block runs."""

    def __init__(self, image: Path, where: Path, options: str = "") -> None:
        self.image = image
        self.where = where
        self._options = f"data=ordered{options}"
        self._device = ""

    def __enter__(self) -> Self:
        self.where.mkdir(parents=True, exist_ok=True)
        with _loop(self.image) as self._device:
            _mount(self._device, self.where, "ext4", self._options)
        return self

    def __exit__(self, *_: object) -> None:
        _unmount(self.where)

    def cut(self, how: str) -> None:
        """Take its power away."""
        descriptor = os.open(self.where, os.O_RDONLY)
        try:
            fcntl.ioctl(descriptor, _SHUTDOWN, struct.pack("I", CUTS[how]))
        finally:
            os.close(descriptor)

    def again(self) -> None:
        """Take it down and mount it anew, as at the next start; what its log holds is played again."""
        _unmount(self.where)
        self.__enter__()

    def abort(self) -> None:
        """Let ext4 meet an error: it gives up its log, and is read-only from there on."""
        Path(f"/sys/fs/ext4/{self._device.rpartition('/')[2]}/trigger_fs_error").write_text("1")

    def leave(self, kib: int) -> None:
        """Let so much be free from now on; all that is, when it is less than nothing."""
        filler = self.where / "filler"
        filler.unlink(missing_ok=True)
        info = os.statvfs(self.where)
        if kib >= 0:
            with open(filler, "wb") as file:
                size = _fill(file.fileno(), info.f_bfree * info.f_frsize)
                file.truncate(max(0, size - kib * 1024))

    def read_only(self, *, on: bool) -> bool:
        """Let nobody write to it any more, or again; False while it is busy."""
        try:
            _mount("none", self.where, "ext4", "", _MS_REMOUNT | (_MS_RDONLY if on else 0))
        except OSError as error:
            if error.errno == errno.EBUSY:
                return False
            raise
        return True


def _fill(descriptor: int, chunk: int) -> int:
    """Take all there is; answers how much it was. Some of what counts as free can't be had."""
    size = 0
    while chunk >= 4096:
        try:
            os.posix_fallocate(descriptor, size, chunk)
            size += chunk
        except OSError:
            chunk //= 2
    return size


def _mount(source: str, where: Path, kind: str, options: str, flags: int = 0) -> None:
    arguments = (source.encode(), os.fsencode(where), kind.encode(), ctypes.c_ulong(flags), options.encode())
    _check(_libc.mount(*arguments), f"mount {kind} at {where}")


def _unmount(where: Path) -> None:
    if _libc.umount2(os.fsencode(where), 0) != 0:
        _check(_libc.umount2(os.fsencode(where), _MNT_DETACH), f"umount {where}")
        raise RuntimeError(f"{where} was still in use.")


@contextlib.contextmanager
def _loop(image: Path) -> Iterator[str]:
    """A loop device over a file, which goes by itself once nobody uses it."""
    backing = os.open(image, os.O_RDWR | os.O_CLOEXEC)
    control = os.open("/dev/loop-control", os.O_RDWR | os.O_CLOEXEC)
    device = -1
    try:
        while device < 0:
            name = f"/dev/loop{fcntl.ioctl(control, _LOOP_GET_FREE)}"
            device = _configured(name, backing)
        yield name
    finally:
        for descriptor in (backing, control, device):
            if descriptor >= 0:
                os.close(descriptor)


def _configured(name: str, backing: int) -> int:
    """The device's descriptor; -1 where another process was faster."""
    device = os.open(name, os.O_RDWR | os.O_CLOEXEC)
    info = struct.pack("=5Q4I64s64s32s2Q", 0, 0, 0, 0, 0, 0, 0, 0, _AUTOCLEAR, b"", b"", b"", 0, 0)
    try:
        fcntl.ioctl(device, _LOOP_CONFIGURE, struct.pack("=2I", backing, 0) + info + bytes(64))
    except OSError as error:
        os.close(device)
        if error.errno == errno.EBUSY:
            return -1
        raise
    return device


def _check(result: int, what: str) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), what)
