"""Taking back an intent that wasn't committed: after a failed step, and after a crash. It may be killed and run again.

Each step is looked at from the disk, last one first, and never assumed done or not. What stands there is ours (by its
inode and bytes), what was before, or somebody else's; the last is kept and told. Bytes that nobody knows are never
unlinked: they become a copy beside the path.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from workroom.base.changes import Kind
from workroom.base.errors import WorkroomError
from workroom.core.transactions.stage import stage_image
from workroom.core.transactions.steps import Folders, Seen, Step, holds_something, look
from workroom.system import syscalls
from workroom.system.root import Root

__all__ = ["Unwound", "copies_of", "keep_copy", "unwind"]

_LONGEST_STEM = 200
"""Bytes of a file's name that go into the name of its copy; names end at 255 nearly everywhere."""


@dataclass(slots=True)
class Unwound:
    """What was met on the way: paths that hold somebody else's work, and copies that were kept of unknown bytes.

    `restored` are paths that were gone, from the slot too: whether we removed them or somebody else can't be known,
    so they are put back, and told.
    """

    foreign: list[str] = field(default_factory=list)
    copies: list[str] = field(default_factory=list)
    restored: list[str] = field(default_factory=list)


def unwind(
    root: Root, folders: Folders, steps: Sequence[Step], image: Callable[[str], bytes | None], label: str
) -> Unwound:
    """Bring every path back to what it was before; `label` goes into the names of copies."""
    worker = _Unwinder(root, folders, image, label)
    for step in reversed(steps):
        worker.undo(step)
    return worker.report


class _Unwinder:
    def __init__(self, root: Root, folders: Folders, image: Callable[[str], bytes | None], label: str) -> None:
        self.root = root
        self.folders = folders
        self.image = image
        self.label = label
        self.report = Unwound()

    def undo(self, step: Step) -> None:
        try:
            parent, name, slot = self.folders.both(step)
        except WorkroomError:
            self._undo_unreachable(step)
            return
        undo = {"remove": self._undo_remove, "create": self._undo_create, "replace": self._undo_replace}
        undo[step.action](step, parent, name, slot)

    def _undo_replace(self, step: Step, parent: int, name: str, slot: int) -> None:
        here, out = look(parent, name), look(slot, step.slot)
        if here is None or here.inode != step.inode:
            if here is None or not here.is_before(step.change):
                self._foreign(step)
            self._drop(slot, step, out)
        elif not here.is_after(step.change):
            self._foreign(step)
            self._drop(slot, step, out)
        else:
            self._exchange_back(step, parent, name, slot, out)

    def _exchange_back(self, step: Step, parent: int, name: str, slot: int, out: Seen | None) -> None:
        if out is None:
            data = self.image(step.change.before.sha256)
            if data is None:
                self._foreign(step)
                return
            stage_image(self.root, self.folders, step, data)
            parent, name, slot = self.folders.both(step)
        elif not out.is_before(step.change):
            self._foreign(step)
        syscalls.rename_exchange(slot, step.slot, parent, name)
        self._drop(slot, step, look(slot, step.slot))

    def _undo_create(self, step: Step, parent: int, name: str, slot: int) -> None:
        here = look(parent, name)
        if here is None or here.inode != step.inode:
            if here is not None and not here.is_before(step.change):
                self._foreign(step)
            if step.change.origin is None:
                self._drop(slot, step, look(slot, step.slot))
        elif here.is_after(step.change):
            self._take_back(step, parent, name, slot)
        else:
            self._foreign(step)

    def _take_back(self, step: Step, parent: int, name: str, slot: int) -> None:
        """What we made goes to its slot again; a moved file waits there for its removal to be undone."""
        if step.change.after.kind is Kind.DIRECTORY and holds_something(parent, name):
            self._foreign(step)
            return
        out = look(slot, step.slot)
        if out is not None and out.inode == step.inode:  # linked and not yet unlinked: see `rename_noreplace`
            os.unlink(name, dir_fd=parent)
        else:
            syscalls.rename_noreplace(parent, name, slot, step.slot)
        if step.change.origin is None:
            self._drop(slot, step, look(slot, step.slot))

    def _undo_remove(self, step: Step, parent: int, name: str, slot: int) -> None:
        here, out = look(parent, name), look(slot, step.slot)
        if here is None and out is not None:
            syscalls.rename_noreplace(slot, step.slot, parent, name)
            if not out.is_before(step.change):
                self._foreign(step)
        elif here is None:
            self._restore(step)
        elif out is not None and out.inode == here.inode:  # linked and not yet unlinked: see `rename_noreplace`
            os.unlink(step.slot, dir_fd=slot)
        elif out is not None:
            self._foreign(step)
            self._drop(slot, step, out)
        elif not here.is_before(step.change):
            self._foreign(step)

    def _restore(self, step: Step) -> None:
        """The removed thing from its image, since its slot was emptied by somebody."""
        if step.inode:
            self._foreign(step)  # a moved file: its bytes stand at the target, which was told of
            return
        data = b"" if step.change.before.kind is Kind.DIRECTORY else self.image(step.change.before.sha256)
        if data is None:
            self._foreign(step)
            return
        stage_image(self.root, self.folders, step, data)
        parent, name, slot = self.folders.both(step)
        syscalls.rename_noreplace(slot, step.slot, parent, name)
        self.report.restored.append(step.path)

    def _undo_unreachable(self, step: Step) -> None:
        """The path's folder is gone or a link now: it is somebody else's; what is left in the slot is ours to drop."""
        if step.action != "create" or self.root.stat(step.path) is not None:
            self._foreign(step)
        with contextlib.suppress(WorkroomError):
            slot = self.folders.at(step.slot_folder)
            if step.change.origin is None:
                self._drop(slot, step, look(slot, step.slot))

    def _drop(self, slot: int, step: Step, out: Seen | None) -> None:
        """Empty the slot: bytes that we staged, or have in an image, go; all others are kept as a copy."""
        if out is None:
            return
        with contextlib.suppress(OSError):  # a folder that holds something by now
            if out.state.kind is Kind.DIRECTORY:
                os.rmdir(step.slot, dir_fd=slot)
                return
            if self._have(step, out):
                os.unlink(step.slot, dir_fd=slot)
                return
        self.report.copies.append(keep_copy(self.root, self.folders, step, self.label))

    def _have(self, step: Step, out: Seen) -> bool:
        """A file that moves was never read into an image: what is in its slot may be all there is of it."""
        if out.is_after(step.change):
            return True
        return out.is_before(step.change) and self.image(step.change.before.sha256) is not None

    def _foreign(self, step: Step) -> None:
        if step.path not in self.report.foreign:
            self.report.foreign.append(step.path)


def keep_copy(root: Root, folders: Folders, step: Step, label: str) -> str:
    """Move what is in the slot beside the path under a name that says what it is; answers that path.

    Where its place is on another mount by now, the copy stands in the slot's folder.
    """
    try:
        return _keep_in(folders, _standing(root, step.path), step, label)
    except OSError:
        return _keep_in(folders, step.slot_folder, step, label)


def copies_of(root: Root, steps: Sequence[Step], label: str) -> list[str]:
    """Copies that stand there, those of an earlier run that was killed before it told of them among them."""
    found = []
    places = {place for step in steps for place in (step.path, f"{step.slot_folder}/{step.slot}")}
    for parent in sorted({_standing(root, place) for place in places}):
        with root.folder(parent) as folder:
            names = [name for name in os.listdir(folder) if _mark(label) in name]
        found += names if parent == "." else [f"{parent}/{name}" for name in names]
    return found


def _mark(label: str) -> str:
    return f".workroom-kept-{label[-6:]}-"


def _standing(root: Root, path: str) -> str:
    """The nearest folder above that is one."""
    parent = root.split(path)[0]
    seen = root.stat(parent)
    return parent if seen is not None and seen.kind is Kind.DIRECTORY else _standing(root, parent)


def _keep_in(folders: Folders, parent: str, step: Step, label: str) -> str:
    stem = step.path.rpartition("/")[2]
    if len(os.fsencode(stem)) > _LONGEST_STEM:
        stem = stem[: _LONGEST_STEM // 4]
    for number in itertools.count(1):
        name = f"{stem}{_mark(label)}{number}"
        folders.at(parent)
        slot = folders.at(step.slot_folder)
        with contextlib.suppress(FileExistsError):
            syscalls.rename_noreplace(slot, step.slot, folders.at(parent), name)
            break
    return name if parent == "." else f"{parent}/{name}"
