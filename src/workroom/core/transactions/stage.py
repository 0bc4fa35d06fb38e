"""After-images on their way: written beside the place where they will stand, with the old file's attributes, synced.

Nothing that is visible changes here. Files are written in batches and each synced by itself: syncing the whole file
system would wait for other programs' dirty pages.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from dataclasses import replace

from workroom.base.changes import Kind
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions.steps import Folders, Step
from workroom.system import syscalls
from workroom.system.root import Root

__all__ = ["discard", "stage_all", "stage_image"]

_BATCH = 64
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

ImageOf = Callable[[str], bytes | None]


def stage_all(root: Root, folders: Folders, steps: Sequence[Step], image: ImageOf) -> tuple[Step, ...]:
    """Write what the steps need; answers the steps with the staged things' inodes. Cleans up after a failure."""
    staged: list[Step] = []
    pending: list[int] = []
    try:
        for step in steps:
            if not _needs_staging(step):
                staged.append(step)
                continue
            inode, descriptor = _stage(root, folders, step, image)
            staged.append(replace(step, inode=inode))
            if descriptor is not None:
                pending.append(descriptor)
            if len(pending) >= _BATCH:
                _sync(pending)
        _sync(pending)
    except BaseException:
        for descriptor in pending:
            os.close(descriptor)
        discard(folders, steps)
        raise
    return tuple(staged)


def discard(folders: Folders, steps: Sequence[Step]) -> None:
    """Remove what was staged and not used."""
    for step in steps:
        if _needs_staging(step):
            with contextlib.suppress(OSError):
                _drop(folders.at(step.slot_folder), step)


def stage_image(root: Root, folders: Folders, step: Step, data: bytes) -> int:
    """Write a before-image into the step's slot, synced, for putting it back; answers its inode."""
    back = replace(step.change, after=step.change.before, like=None)
    inode, descriptor = _stage(root, folders, replace(step, change=back), lambda _sha: data)
    if descriptor is not None:
        _sync([descriptor])
    return inode


def _needs_staging(step: Step) -> bool:
    return step.action != "remove" and step.change.origin is None


def _drop(folder: int, step: Step) -> None:
    if step.change.after.kind is Kind.DIRECTORY:
        os.rmdir(step.slot, dir_fd=folder)
    else:
        os.unlink(step.slot, dir_fd=folder)


def _stage(root: Root, folders: Folders, step: Step, image: ImageOf) -> tuple[int, int | None]:
    """Make the thing in its slot; answers its inode, and its descriptor when it has bytes to be synced."""
    after = step.change.after
    folder = folders.at(step.slot_folder)
    if after.kind is Kind.DIRECTORY:
        os.mkdir(step.slot, 0o777 if after.mode is None else after.mode, dir_fd=folder)
        return os.lstat(step.slot, dir_fd=folder).st_ino, None
    data = image(after.sha256)
    if data is None:
        raise WorkroomError(
            ErrorCode.IO_ERROR, f"The content of {step.path} is no longer kept.", details={"path": step.path}
        )
    if after.kind is Kind.SYMLINK:
        os.symlink(os.fsdecode(data), step.slot, dir_fd=folder)
        return os.lstat(step.slot, dir_fd=folder).st_ino, None
    return _stage_file(root, folder, step, data)


def _stage_file(root: Root, folder: int, step: Step, data: bytes) -> tuple[int, int]:
    after = step.change.after
    private = step.action == "replace" or step.change.like is not None
    descriptor = os.open(step.slot, _NEW, 0o600 if private else 0o666, dir_fd=folder)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        _take_attributes(root, step, descriptor)
        if after.mode is not None:
            os.fchmod(descriptor, after.mode)
        return os.fstat(descriptor).st_ino, descriptor
    except BaseException:
        os.close(descriptor)
        raise


def _take_attributes(root: Root, step: Step, descriptor: int) -> None:
    """Owner and extended attributes of the file that is replaced, or of the one that is copied."""
    model = step.change.path if step.action == "replace" else step.change.like
    if model is None:
        return
    try:
        source = root.open_file(model)
    except WorkroomError:
        return  # the file it was copied from went away; the guards decide whether that matters
    try:
        info, mine = os.fstat(source), os.fstat(descriptor)
        if step.action == "replace" and (info.st_uid, info.st_gid) != (mine.st_uid, mine.st_gid):
            with contextlib.suppress(PermissionError):
                os.fchown(descriptor, info.st_uid, info.st_gid)
        syscalls.copy_xattrs(source, descriptor)
    finally:
        os.close(source)


def _sync(descriptors: list[int]) -> None:
    while descriptors:
        syscalls.fsync(descriptors[-1])
        os.close(descriptors.pop())
