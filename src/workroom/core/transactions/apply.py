"""The visible part of a commit: each step is a rename that replaces nothing, or an exchange; then it is checked.

A step that finds something else than the plan raises EDIT_CONFLICT and leaves it to `unwind` to take back what was
done, its own half included: there is one way back, and recovery after a crash uses the same.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace

from workroom.base.changes import Change, ChangeSet, Kind, State
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions.steps import LOOK, Folders, Step, holds_something, look
from workroom.system import syscalls
from workroom.system.root import Root, refusal

__all__ = ["check_folders", "check_guards", "holds_before", "perform", "prove_folders", "sync_folders", "worked_in"]


def check_guards(root: Root, change_set: ChangeSet) -> None:
    """EDIT_CONFLICT unless every path still is what the plan saw: type, bytes, mode, absence."""
    for change in change_set.changes:
        now = root.state(change.path)
        if not holds_before(change, now):
            raise _conflict(change, _difference(change, now.kind))


def holds_before(change: Change, now: State) -> bool:
    """Whether a path still is what the plan saw."""
    same_mode = change.before.kind is not Kind.FILE or now.mode == change.before.mode
    return now.same_content(change.before) and same_mode


def perform(folders: Folders, steps: Iterable[Step], done: list[Step]) -> None:
    """Do the steps in order. `done` gets each whose rename was made, also where the look at it then fails."""
    for step in steps:
        try:
            _ACTIONS[step.action](folders, step, done)
        except OSError as error:
            raise _refused(step, error) from error


def check_folders(root: Root, folders: Folders, steps: Sequence[Step]) -> None:
    """EDIT_CONFLICT when a folder that was worked in isn't at its path any more: moved away, or a link by now."""
    parents = {root.split(step.path)[0]: step for step in steps}
    gone = {step.path for step in steps if step.action == "remove" and step.change.before.kind is Kind.DIRECTORY}
    for parent in parents.keys() - gone:
        seen, ours = root.stat(parent), os.fstat(folders.at(parent))
        if seen is None or (seen.device, seen.inode) != (ours.st_dev, ours.st_ino):
            raise _conflict(parents[parent].change, "its folder was moved or replaced in the moment of the commit")


def sync_folders(root: Root, folders: Folders, steps: Sequence[Step]) -> None:
    """Bring the folders to the disk that the steps work in; one that isn't a folder any more has nothing to bring.

    The slots' own need not be: what is in them has an image.
    """
    for parent in worked_in(steps):
        seen = root.stat(parent)
        if seen is not None and seen.kind is Kind.DIRECTORY:
            with contextlib.suppress(WorkroomError):  # it became a link since
                syscalls.fsync(folders.at(parent))


def prove_folders(root: Root, paths: Iterable[str]) -> None:
    """OSError unless the disk takes a new file in each of the folders that still are there, and gives it back."""
    for path in paths:
        with contextlib.suppress(WorkroomError), root.folder(path) as folder:
            syscalls.prove_disk(folder)


def worked_in(steps: Sequence[Step]) -> list[str]:
    """The folders that the steps' targets are in, and those that files move out of."""
    targets = {step.path.rpartition("/")[0] or "." for step in steps}
    return sorted(targets | {step.slot_folder for step in steps if step.action == "move"})


def _remove(folders: Folders, step: Step, done: list[Step]) -> None:
    parent, name, slot = folders.both(step)
    change = step.change
    if change.before.kind is not Kind.FILE:
        syscalls.rename_noreplace(parent, name, slot, step.slot)
        done.append(step)
        _check_out(slot, step)
        return
    descriptor, lease = _lease(parent, name, change)
    try:
        syscalls.rename_noreplace(parent, name, slot, step.slot)
        done.append(step)
        _check_out(slot, step)
        _check_lease(descriptor, lease, change)
    finally:
        syscalls.close(descriptor)


def _create(folders: Folders, step: Step, done: list[Step]) -> None:
    parent, name, slot = folders.both(step)
    syscalls.rename_noreplace(slot, step.slot, parent, name)
    done.append(step)


def _move(folders: Folders, step: Step, done: list[Step]) -> None:
    """No lease: the file stays the same, and so does what a program writes to it. Its bytes are checked all the same.

    What was moved is told as it is: where another program had saved a new file meanwhile, that one goes back.
    """
    parent, name, origin = folders.both(step)
    try:
        syscalls.rename_noreplace(origin, step.slot, parent, name)
    except FileNotFoundError:
        raise _conflict(step.departure, "it is gone, or its folder is") from None
    out = look(parent, name)
    done.append(step if out is None else replace(step, inode=out.inode))
    if out is None or not out.is_after(step.change):
        raise _conflict(step.departure, "another program changed it in the moment of the commit")


def _replace(folders: Folders, step: Step, done: list[Step]) -> None:
    parent, name, slot = folders.both(step)
    descriptor, lease = _lease(parent, name, step.change)
    try:
        syscalls.rename_exchange(slot, step.slot, parent, name)
        done.append(step)
        _check_out(slot, step)
        _check_lease(descriptor, lease, step.change)
    finally:
        syscalls.close(descriptor)


_ACTIONS = {"remove": _remove, "create": _create, "move": _move, "replace": _replace}


def _lease(parent: int, name: str, change: Change) -> tuple[int, syscalls.LeaseResult]:
    """Open the target and ask to be told of writers. Refused: some program has it open for writing now."""
    descriptor = os.open(name, LOOK, dir_fd=parent)
    lease = syscalls.take_read_lease(descriptor)
    if lease == "refused":
        syscalls.close(descriptor)
        raise _conflict(change, "another program has it open for writing")
    return descriptor, lease


def _check_out(slot: int, step: Step) -> None:
    """What came out must be what the plan saw, its mode too, and a folder must be empty."""
    out, before = look(slot, step.slot), step.change.before
    same_mode = out is not None and (before.kind is not Kind.FILE or out.state.mode == before.mode)
    if out is None or not out.is_before(step.change) or not same_mode:
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
