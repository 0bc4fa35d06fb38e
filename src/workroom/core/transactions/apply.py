"""The visible part of a commit: each step is a rename that replaces nothing, or an exchange; then it is checked.

A step that finds something else than the plan raises EDIT_CONFLICT and leaves it to `unwind` to take back what was
done, its own half included: there is one way back, and recovery after a crash uses the same.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Sequence

from workroom.base.changes import Change, ChangeSet, Kind
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions.steps import LOOK, Folders, Step, holds_something, look
from workroom.system import syscalls
from workroom.system.root import Root, refusal

__all__ = ["check_guards", "perform", "sync_folders"]


def check_guards(root: Root, change_set: ChangeSet) -> None:
    """EDIT_CONFLICT unless every path still is what the plan saw: type, bytes, mode, absence."""
    for change in change_set.changes:
        now = root.state(change.path)
        same_mode = change.before.kind is not Kind.FILE or now.mode == change.before.mode
        if not (now.same_content(change.before) and same_mode):
            raise _conflict(change, _difference(change, now.kind))


def perform(folders: Folders, steps: Iterable[Step]) -> None:
    """Do the steps in order."""
    for step in steps:
        try:
            _ACTIONS[step.action](folders, step)
        except OSError as error:
            raise _refused(step, error) from error


def sync_folders(root: Root, folders: Folders, steps: Sequence[Step]) -> None:
    """Bring the targets' folders to the disk; one that isn't a folder any more has nothing to bring.

    The slots' folders only where a file moves: it has no image, and must not be lost between two folders.
    """
    targets = {root.split(step.path)[0] for step in steps}
    slots = {step.slot_folder for step in steps if step.change.origin is not None}
    for parent in sorted(targets | slots):
        seen = root.stat(parent)
        if seen is not None and seen.kind is Kind.DIRECTORY:
            syscalls.fsync(folders.at(parent))


def _remove(folders: Folders, step: Step) -> None:
    parent, name, slot = folders.both(step)
    change = step.change
    if change.before.kind is not Kind.FILE or step.inode:
        syscalls.rename_noreplace(parent, name, slot, step.slot)
        _check_out(slot, step)
        return
    descriptor, lease = _lease(parent, name, change)
    try:
        syscalls.rename_noreplace(parent, name, slot, step.slot)
        _check_out(slot, step)
        _check_lease(descriptor, lease, change)
    finally:
        os.close(descriptor)


def _create(folders: Folders, step: Step) -> None:
    parent, name, slot = folders.both(step)
    syscalls.rename_noreplace(slot, step.slot, parent, name)


def _replace(folders: Folders, step: Step) -> None:
    parent, name, slot = folders.both(step)
    descriptor, lease = _lease(parent, name, step.change)
    try:
        syscalls.rename_exchange(slot, step.slot, parent, name)
        _check_out(slot, step)
        _check_lease(descriptor, lease, step.change)
    finally:
        os.close(descriptor)


_ACTIONS = {"remove": _remove, "create": _create, "replace": _replace}


def _lease(parent: int, name: str, change: Change) -> tuple[int, syscalls.LeaseResult]:
    """Open the target and ask to be told of writers. Refused: some program has it open for writing now."""
    descriptor = os.open(name, LOOK, dir_fd=parent)
    lease = syscalls.take_read_lease(descriptor)
    if lease == "refused":
        os.close(descriptor)
        raise _conflict(change, "another program has it open for writing")
    return descriptor, lease


def _check_out(slot: int, step: Step) -> None:
    """What came out must be what the plan saw, and a folder must be empty."""
    out = look(slot, step.slot)
    if out is None or not out.is_before(step.change):
        raise _conflict(step.change, "another program changed it in the moment of the commit")
    if out.state.kind is Kind.DIRECTORY and holds_something(slot, step.slot):
        raise _conflict(step.change, "the folder holds something that the plan didn't see")


def _check_lease(descriptor: int, lease: syscalls.LeaseResult, change: Change) -> None:
    if lease == "held" and not syscalls.lease_intact(descriptor):
        raise _conflict(change, "another program opened it for writing in the moment of the commit")


def _difference(change: Change, now: Kind) -> str:
    if change.before.kind is Kind.ABSENT:
        return f"a {now} stands there now"
    if now is Kind.ABSENT:
        return "it is gone"
    return "it was changed after the edit was planned"


def _conflict(change: Change, reason: str) -> WorkroomError:
    return WorkroomError(
        ErrorCode.EDIT_CONFLICT,
        f"{change.path}: {reason}. Nothing was changed.",
        next_step="Read it again and make the edit against what is there.",
        details={"path": change.path, "expectedSha256": change.before.sha256 or None},
    )


def _refused(step: Step, error: OSError) -> WorkroomError:
    if error.errno == errno.EEXIST:
        return _conflict(step.change, "something else stands there now")
    if error.errno in {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}:
        return _conflict(step.change, "it is gone, or its folder is")
    return refusal(step.path, error)
