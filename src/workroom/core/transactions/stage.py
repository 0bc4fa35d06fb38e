"""After-images on their way: written beside the place where they will stand, with the old file's attributes, synced.

Nothing that is visible changes here. Files are written in batches and each synced by itself, many at a time: syncing
the whole file system would wait for other programs' dirty pages.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from workroom.base.changes import Kind
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.pulse import STILL, Pulse
from workroom.core.transactions.steps import LOOK, Folders, Step
from workroom.system import syscalls
from workroom.system.root import Root

__all__ = ["PART", "discard", "stage_all", "stage_image"]

PART = ".part"
"""Ends the name of a before-image that isn't whole yet."""

PiecesOf = Callable[[str], Iterable[bytes] | None]
"""A content by its SHA-256, a piece at a time; None when it isn't kept."""
_BATCH = 64
_TOGETHER = 8
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def stage_all(
    root: Root, folders: Folders, steps: Sequence[Step], pieces: PiecesOf, pulse: Pulse = STILL
) -> tuple[Step, ...]:
    """Write what the steps need; answers the steps with the staged things' inodes. Cleans up after a failure.

    Nothing visible has changed when the pulse stops it.
    """
    staged: list[Step] = []
    pending: list[int] = []
    try:
        for step in steps:
            if not _needs_staging(step):
                staged.append(step)
                continue
            inode, descriptor = _stage(root, folders, step, pieces)
            staged.append(replace(step, inode=inode))
            if descriptor is not None:
                pending.append(descriptor)
            if len(pending) >= _BATCH:
                _sync(pending)
                pulse.beat(len(staged), len(steps))
        _sync(pending)
        pulse.check()
    except BaseException:
        for descriptor in pending:
            syscalls.close(descriptor)
        discard(folders, steps)
        raise
    return tuple(staged)


def discard(folders: Folders, steps: Sequence[Step]) -> None:
    """Remove what was staged and not used."""
    for step in steps:
        if _needs_staging(step):
            with contextlib.suppress(OSError, WorkroomError):
                _drop(folders.at(step.slot_folder), step)


def stage_image(root: Root, folders: Folders, step: Step, data: bytes) -> None:
    """Write a before-image into the step's slot, synced, for putting it back.

    It gets the slot's name when it is whole: a recovery that is killed meanwhile finds the slot empty again.
    """
    back = replace(step.change, after=step.change.before, like=None)
    part = replace(step, change=back, slot=step.slot + PART)
    folder = folders.at(step.slot_folder)
    with contextlib.suppress(FileNotFoundError):
        _drop(folder, part)
    _, descriptor = _stage(root, folders, part, lambda _sha: (data,))
    if descriptor is not None:
        _sync([descriptor])
    folder = folders.at(step.slot_folder)
    os.rename(part.slot, step.slot, src_dir_fd=folder, dst_dir_fd=folder)


def _needs_staging(step: Step) -> bool:
    return step.action in {"create", "replace"}


def _drop(folder: int, step: Step) -> None:
    if step.change.after.kind is Kind.DIRECTORY:
        os.rmdir(step.slot, dir_fd=folder)
    else:
        os.unlink(step.slot, dir_fd=folder)


def _stage(root: Root, folders: Folders, step: Step, pieces: PiecesOf) -> tuple[int, int | None]:
    """Make the thing in its slot; answers its inode, and its descriptor when it has bytes to be synced."""
    after = step.change.after
    folder = folders.at(step.slot_folder)
    if after.kind is Kind.DIRECTORY:
        os.mkdir(step.slot, dir_fd=folder)
        if after.mode is not None:
            os.chmod(step.slot, after.mode, dir_fd=folder)
        return os.lstat(step.slot, dir_fd=folder).st_ino, None
    data = pieces(after.sha256)
    if data is None:
        raise WorkroomError(
            ErrorCode.IO_ERROR, f"The content of {step.path} is no longer kept.", details={"path": step.path}
        )
    if after.kind is Kind.SYMLINK:
        os.symlink(os.fsdecode(b"".join(data)), step.slot, dir_fd=folder)
        return os.lstat(step.slot, dir_fd=folder).st_ino, None
    return _stage_file(root, folders, folder, step, data)


def _stage_file(root: Root, folders: Folders, folder: int, step: Step, data: Iterable[bytes]) -> tuple[int, int]:
    after = step.change.after
    private = _takes_the_place(step) or step.change.like is not None
    descriptor = os.open(step.slot, _NEW, 0o600 if private else 0o666, dir_fd=folder)
    try:
        for piece in data:
            view = memoryview(piece)
            while view:
                view = view[os.write(descriptor, view) :]
        _take_attributes(root, folders, step, descriptor)
        if after.mode is not None:
            os.fchmod(descriptor, after.mode)
        return os.fstat(descriptor).st_ino, descriptor
    except BaseException:
        syscalls.close(descriptor)
        raise


def _take_attributes(root: Root, folders: Folders, step: Step, descriptor: int) -> None:
    """Owner and extended attributes of the file that is replaced; the latter of one that is copied or moved there."""
    like = step.change.like
    if _takes_the_place(step):
        _take_from(root, folders, step.path, descriptor, owner=True, xattrs=like is None)
    if like is not None:
        _take_from(root, folders, like, descriptor, owner=False, xattrs=True)


def _takes_the_place(step: Step) -> bool:
    """Whether it is a file for a file, in one step or, where the file system can't exchange them, in two."""
    return step.change.before.kind is step.change.after.kind is Kind.FILE


def _take_from(root: Root, folders: Folders, model: str, descriptor: int, *, owner: bool, xattrs: bool) -> None:
    parent, name = root.split(model)
    try:
        source = os.open(name, LOOK, dir_fd=folders.at(parent))
    except (OSError, WorkroomError) as error:
        if _gone(error):
            return  # the guards decide whether that matters
        raise
    try:
        info, mine = os.fstat(source), os.fstat(descriptor)
        if owner and (info.st_uid, info.st_gid) != (mine.st_uid, mine.st_gid):
            with contextlib.suppress(PermissionError):
                os.fchown(descriptor, info.st_uid, info.st_gid)
        if xattrs:
            syscalls.copy_xattrs(source, descriptor)
    finally:
        syscalls.close(source)


def _gone(error: OSError | WorkroomError) -> bool:
    """Whether a file isn't where it was, or is a link now; not that it can't be opened just now."""
    if isinstance(error, WorkroomError):
        return error.code is not ErrorCode.IO_ERROR
    return error.errno in {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}


def _sync(descriptors: list[int]) -> None:
    """Bring the files to the disk and close them; many at a time, which the disk takes as fast as one."""
    if len(descriptors) < _TOGETHER:
        for descriptor in descriptors:
            syscalls.fsync(descriptor)
    else:
        with ThreadPoolExecutor(_TOGETHER) as pool:
            list(pool.map(syscalls.fsync, descriptors))
    while descriptors:
        syscalls.close(descriptors.pop())
