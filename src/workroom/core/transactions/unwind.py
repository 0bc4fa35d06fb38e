"""Taking back an intent that wasn't committed: after a failed step, and after a crash. It may be killed and run again.

Each step is looked at from the disk, last one first, and never assumed done or not. What stands there is ours (by its
inode and bytes), what was before, or somebody else's; the last is kept and told. Bytes that nobody knows are never
unlinked: they become a copy beside the path.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from workroom.base.changes import Kind
from workroom.base.errors import WorkroomError
from workroom.core.transactions.stage import stage_image
from workroom.core.transactions.steps import Folders, Seen, Step, drop_known, grew_from, holds_something, look
from workroom.system import syscalls
from workroom.system.root import Root

__all__ = ["Unwound", "copies_of", "keep_copy", "unwind"]

_LOOKS = 50
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
    root: Root,
    folders: Folders,
    steps: Sequence[Step],
    image: Callable[[str], bytes | None],
    label: str,
    done: Sequence[Step] | None = None,
) -> Unwound:
    """Bring every path back to what it was before; `label` goes into the names of copies.

    `done` are the steps that were carried out, as `perform` lists them; None where nobody can know, after a crash.
    """
    worker = _Unwinder(root, folders, image, label, _Knowledge(root, steps, done))
    for step in reversed(steps):
        worker.undo(step)
    return worker.report


class _Knowledge:
    """Which steps were carried out, as far as that can be told before anything is taken back."""

    def __init__(self, root: Root, steps: Sequence[Step], done: Sequence[Step] | None) -> None:
        self._done = None if done is None else {(step.action, step.path): step for step in done}
        self._kept = set() if done is not None else {step.slot_folder for step in steps if _fills_slot(root, step)}

    def exactly(self, step: Step) -> Step | None:
        """The step as it was carried out; None where it wasn't, or nobody can know."""
        return None if self._done is None else self._done.get((step.action, step.path))

    def may_have_removed(self, step: Step) -> bool:
        """Whether a path and its slot that are both empty may be our doing.

        After a crash: not where another slot in the same folder is filled. Who cleans the folder up takes all of them.
        """
        if self._done is not None:
            return self.exactly(step) is not None
        return step.slot_folder not in self._kept


def _fills_slot(root: Root, step: Step) -> bool:
    return step.action != "move" and root.stat(f"{step.slot_folder}/{step.slot}") is not None


class _Unwinder:
    def __init__(
        self,
        root: Root,
        folders: Folders,
        image: Callable[[str], bytes | None],
        label: str,
        knowledge: _Knowledge,
    ) -> None:
        self.root = root
        self.folders = folders
        self.image = image
        self.label = label
        self.knowledge = knowledge
        self.report = Unwound()

    def undo(self, step: Step) -> None:
        """Take one step back. Where another program acts between a look and the rename after it, look again."""
        for left in reversed(range(_LOOKS)):
            try:
                self._undo(step)
            except (FileExistsError, FileNotFoundError):
                if not left:
                    raise
            else:
                return

    def _undo(self, step: Step) -> None:
        if step.action == "move":
            self._undo_move(step)
            return
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
                self._foreign(step.path)
            self._drop(slot, step)
        elif not self._is_ours(step, here, parent, name):
            self._foreign(step.path)
            self._drop(slot, step)
        else:
            self._exchange_back(step, parent, name, slot, out)

    def _is_ours(self, step: Step, here: Seen, parent: int, name: str) -> bool:
        """Whether our own file, which stands there, goes.

        One that was written anew by another program stays: its bytes are theirs. One that was only added to, in the
        moment of a commit that failed, goes, and is kept as a copy: else the path would hold half of what was refused.
        """
        if here.is_after(step.change):
            return True
        return self.knowledge.exactly(step) is not None and grew_from(parent, name, step.change.after)

    def _exchange_back(self, step: Step, parent: int, name: str, slot: int, out: Seen | None) -> None:
        if out is None:
            data = self.image(step.change.before.sha256)
            if data is None:
                self._foreign(step.path)
                return
            stage_image(self.root, self.folders, step, data)
            parent, name, slot = self.folders.both(step)
        elif not out.is_before(step.change):
            self._foreign(step.path)
        syscalls.rename_exchange(slot, step.slot, parent, name)
        self._drop(slot, step)

    def _undo_create(self, step: Step, parent: int, name: str, slot: int) -> None:
        here = look(parent, name)
        if here is None or here.inode != step.inode:
            if here is not None and not here.is_before(step.change):
                self._foreign(step.path)
            self._drop(slot, step)
        elif self._is_ours(step, here, parent, name):
            self._take_back(step, parent, name, slot)
        else:
            self._foreign(step.path)

    def _take_back(self, step: Step, parent: int, name: str, slot: int) -> None:
        """What we made goes to its slot again, and is dropped there."""
        if step.change.after.kind is Kind.DIRECTORY and holds_something(parent, name):
            self._foreign(step.path)
            return
        out = look(slot, step.slot)
        if out is not None and out.inode == step.inode:  # linked and not yet unlinked: see `rename_noreplace`
            os.unlink(name, dir_fd=parent)
        else:
            syscalls.rename_noreplace(parent, name, slot, step.slot)
        self._drop(slot, step)

    def _undo_move(self, step: Step) -> None:
        """Back goes the very file that was moved, with whatever was written into it while nobody but us knew."""
        exact = self.knowledge.exactly(step)
        inode = step.inode if exact is None else exact.inode
        source = step.departure
        here, there = self._seen(step.path), self._seen(source.path)
        if here is None or here.inode != inode:
            if here is not None:
                self._foreign(step.path)
            if there is None or not there.is_before(source):
                self._foreign(source.path)
        elif there is not None and there.inode == here.inode:  # linked and not yet unlinked: see `rename_noreplace`
            parent, name, _ = self.folders.both(step)
            os.unlink(name, dir_fd=parent)
        elif exact is None and not here.is_after(step.change):
            self._foreign(step.path)
            self._foreign(source.path)
        else:
            self._move_back(step, here, free=there is None)

    def _move_back(self, step: Step, here: Seen, *, free: bool) -> None:
        folder = self.root.stat(step.slot_folder)
        if not free or folder is None or folder.kind is not Kind.DIRECTORY:
            self._foreign(step.departure.path)
            self._keep_moved(step)
            return
        parent, name, origin = self.folders.both(step)
        syscalls.rename_noreplace(parent, name, origin, step.slot)
        if not here.is_after(step.change):
            self._foreign(step.departure.path)

    def _seen(self, path: str) -> Seen | None:
        """What stands at a path; None as well where its folder is gone or a link by now."""
        parent, name = self.root.split(path)
        try:
            return look(self.folders.at(parent), name)
        except WorkroomError:
            return None

    def _keep_moved(self, step: Step) -> None:
        """The moved file can't go back to its place: it becomes a copy beside that. It may be all there is of it."""
        parent, name = self.root.split(step.path)
        self._keep(Step("remove", step.departure, name, parent))

    def _undo_remove(self, step: Step, parent: int, name: str, slot: int) -> None:
        here, out = look(parent, name), look(slot, step.slot)
        if here is None and out is not None:
            syscalls.rename_noreplace(slot, step.slot, parent, name)
            if not out.is_before(step.change):
                self._foreign(step.path)
        elif here is None:
            self._restore(step)
        elif out is not None and out.inode == here.inode:  # linked and not yet unlinked: see `rename_noreplace`
            os.unlink(step.slot, dir_fd=slot)
        elif out is not None:
            self._foreign(step.path)
            self._drop(slot, step)
        elif not here.is_before(step.change):
            self._foreign(step.path)

    def _restore(self, step: Step) -> None:
        """The removed thing from its image, since its slot was emptied by somebody; what others removed stays away."""
        data = b"" if step.change.before.kind is Kind.DIRECTORY else self.image(step.change.before.sha256)
        if data is None or not self.knowledge.may_have_removed(step):
            self._foreign(step.path)
            return
        stage_image(self.root, self.folders, step, data)
        parent, name, slot = self.folders.both(step)
        syscalls.rename_noreplace(slot, step.slot, parent, name)
        self.report.restored.append(step.path)

    def _undo_unreachable(self, step: Step) -> None:
        """The path's folder is gone or a link now: it is somebody else's; what is left in the slot is ours to drop."""
        if step.action != "create" or self.root.stat(step.path) is not None:
            self._foreign(step.path)
        with contextlib.suppress(WorkroomError):
            slot = self.folders.at(step.slot_folder)
            self._drop(slot, step)

    def _drop(self, slot: int, step: Step) -> None:
        """Empty the slot: bytes that we staged, or have in an image, go; all others are kept as a copy."""
        try:
            dropped = drop_known(slot, step.slot, lambda seen: self._have(step, seen))
        except OSError:
            dropped = False  # nobody comes back to this slot
        if not dropped:
            self._keep(step)

    def _keep(self, step: Step) -> None:
        self.report.copies.append(keep_copy(self.root, self.folders, step, self.label))

    def _have(self, step: Step, out: Seen) -> bool:
        if out.is_after(step.change) or out.state.kind is Kind.DIRECTORY:
            return True
        return out.is_before(step.change) and self.image(step.change.before.sha256) is not None

    def _foreign(self, path: str) -> None:
        if path not in self.report.foreign:
            self.report.foreign.append(path)


def keep_copy(root: Root, folders: Folders, step: Step, label: str) -> str:
    """Move what is in the slot beside the path under a name that says what it is; answers that path.

    Where its place is on another mount by now, the copy stands in the slot's folder.
    """
    try:
        return _keep_in(folders, _standing(root, step.path), step, label)
    except (OSError, WorkroomError):
        return _keep_in(folders, step.slot_folder, step, label)


def copies_of(root: Root, steps: Sequence[Step], label: str, made: Iterable[str] = ()) -> list[str]:
    """Copies that stand there, those of an earlier run that was killed before it told of them among them.

    `made` are those that are known, where their folder can't be looked into at the moment.
    """
    found = set(made)
    places = {place for step in steps for place in (step.path, f"{step.slot_folder}/{step.slot}")}
    of_each = {root.split(place)[0]: place for place in places}  # a thousand files are in a few folders
    for parent in {_standing(root, place) for place in of_each.values()}:
        with contextlib.suppress(WorkroomError), root.folder(parent) as folder:  # gone, or a link by now
            names = [name for name in os.listdir(folder) if _mark(label) in name]
            found |= set(names if parent == "." else (f"{parent}/{name}" for name in names))
    return sorted(found)


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
