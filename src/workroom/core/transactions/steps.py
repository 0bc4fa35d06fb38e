"""A change set as the few renames that make it real, in an order that works for any mix of changes.

    remove    target ──rename──> slot          a file, link or empty folder goes aside, then it is checked
    create    slot ──rename, nothing replaced──> target
    move      origin ──rename, nothing replaced──> target       what came is checked
    replace   slot <──exchange──> target       what came out is checked

Files go first; then folders are made from the top down, files move into them, and folders go, after what was in them;
then files are made, and others replaced. A path that changes its kind is removed and created; so is every replaced
file where the file system can't exchange. A slot is a name in `.agentic/stage/`, or beside the target where that is
another mount. A file that moves is never in one: it has no image, and whoever cleans up there would take all of it.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from workroom.base.changes import ABSENT, Change, ChangeSet, Kind, State
from workroom.core.transactions.model import change_from_json, change_to_json
from workroom.system import syscalls
from workroom.system.root import Root
from workroom.text.paths import STAGE_PREFIX

__all__ = [
    "LOOK",
    "Folders",
    "Seen",
    "Step",
    "build_steps",
    "drop_known",
    "grew_from",
    "holds_something",
    "is_held",
    "look",
    "step_from_json",
    "step_to_json",
]

LOOK = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
"""Flags that open what stands at a name, whatever it is, without a link being followed or a FIFO waited for."""
_CHUNK = 1 << 20
_OPEN_FOLDERS = 64


@dataclass(frozen=True, slots=True)
class Step:
    """One rename.

    `inode` is the staged thing's, so that recovery knows it from another's with the same bytes; for a file that moves
    it is that file's own. `slot_folder` holds the slot. Of a move, both tell the place that the file comes from.
    """

    action: Literal["remove", "create", "move", "replace"]
    change: Change
    slot: str
    slot_folder: str
    inode: int = 0

    @property
    def path(self) -> str:
        return self.change.path

    @property
    def displaces(self) -> bool:
        """Whether its slot holds, once it is done, what stood at the path before."""
        return self.action in {"remove", "replace"}

    @property
    def departure(self) -> Change:
        """A move as it looks at the place that the file comes from; its bytes and mode stay."""
        return Change(self.change.origin or self.path, self.change.after, ABSENT)


def step_to_json(step: Step) -> dict[str, Any]:
    """A step as the intent stores it."""
    return {
        "action": step.action,
        "change": change_to_json(step.change),
        "slot": step.slot,
        "slot_folder": step.slot_folder,
        "inode": step.inode,
    }


def step_from_json(body: dict[str, Any]) -> Step:
    """The step that `step_to_json` wrote."""
    return Step(body["action"], change_from_json(body["change"]), body["slot"], body["slot_folder"], body["inode"])


def build_steps(
    root: Root, change_set: ChangeSet, transaction_id: str, stage: str, *, exchange: bool | None = None
) -> tuple[Step, ...]:
    """The steps in order.

    `exchange`: whether two files can change places in one step; by default, whether the root's file system can.
    """
    if exchange is None:
        exchange = root.capabilities(stage)["atomic_replace"] == "exchange"
    return _Builder(root, change_set, transaction_id, stage, exchange=exchange).build()


class _Builder:
    def __init__(self, root: Root, change_set: ChangeSet, transaction_id: str, stage: str, *, exchange: bool) -> None:
        self.root = root
        self.change_set = change_set
        self.changed = set(change_set.paths())
        self.id = transaction_id
        self.stage = stage
        self.exchange = exchange
        self.slots = 0
        seen = root.stat(stage)
        self.stage_device = seen.device if seen is not None else -1
        self.devices: dict[str, int] = {}
        self.exchanging = {self.stage_device: True}

    def build(self) -> tuple[Step, ...]:
        changes = self.change_set.changes
        origins = {change.origin for change in changes if change.origin is not None}
        replaced = [change for change in changes if self._exchanges(change)]
        others = [change for change in changes if not self._exchanges(change) and change.path not in origins]
        removed = [self._step("remove", c) for c in others if c.before.kind is not Kind.ABSENT]
        removed.sort(key=lambda step: -step.path.count("/"))
        made = [self._creation(c) for c in others if c.after.kind is not Kind.ABSENT]
        made.sort(key=lambda step: step.path.count("/"))
        return (
            *(step for step in removed if step.change.before.kind is not Kind.DIRECTORY),
            *(step for step in made if step.change.after.kind is Kind.DIRECTORY),
            *(step for step in made if step.action == "move"),
            *(step for step in removed if step.change.before.kind is Kind.DIRECTORY),
            *(step for step in made if step.action == "create" and step.change.after.kind is not Kind.DIRECTORY),
            *(self._step("replace", c) for c in replaced),
        )

    def _exchanges(self, change: Change) -> bool:
        both_files = change.before.kind is Kind.FILE and change.after.kind is Kind.FILE
        return both_files and self.exchange and self._mount_exchanges(change.path)

    def _mount_exchanges(self, path: str) -> bool:
        """Whether another mount below the root can exchange files as well."""
        device = self._device(path)
        if device not in self.exchanging:
            with self.root.folder(self._standing(path)) as folder:
                self.exchanging[device] = syscalls.supports_exchange(folder)
        return self.exchanging[device]

    def _creation(self, change: Change) -> Step:
        """A move goes straight to its target: the plan saw nothing there, and at the end nothing at the origin."""
        if change.origin is None:
            return self._step("create", change)
        parent, name = self.root.split(change.origin)
        return Step("move", change, name, parent, self._inode(change.origin))

    def _step(self, action: Literal["remove", "create", "replace"], change: Change) -> Step:
        self.slots += 1
        if self._device(change.path) == self.stage_device:
            return Step(action, change, f"{self.id}-{self.slots}", self.stage)
        parent = self._standing(change.path)
        return Step(action, change, f"{STAGE_PREFIX}{self.id}-{self.slots}", parent)

    def _standing(self, path: str) -> str:
        """The nearest folder above that is there and stays: a slot in one that goes would keep it from going."""
        parent = self.root.split(path)[0]
        while parent != "." and (parent in self.changed or self.root.stat(parent) is None):
            parent = self.root.split(parent)[0]
        return parent

    def _device(self, path: str) -> int:
        parent = self.root.split(path)[0]
        if parent not in self.devices:
            seen = self.root.stat(self._standing(path))
            self.devices[parent] = self.root.device if seen is None else seen.device
        return self.devices[parent]

    def _inode(self, path: str) -> int:
        seen = self.root.stat(path)
        return 0 if seen is None else seen.inode


class Folders:
    """Open folders by path, as many as descriptors allow; for the length of one commit."""

    def __init__(self, root: Root) -> None:
        self._root = root
        self._stack = contextlib.ExitStack()
        self._open: dict[str, int] = {}

    def __enter__(self) -> Folders:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def at(self, path: str) -> int:
        """A folder's descriptor; good until the next call."""
        if path not in self._open:
            if len(self._open) >= _OPEN_FOLDERS:
                self._stack.close()
                self._open.clear()
            self._open[path] = self._stack.enter_context(self._root.folder(path))
        return self._open[path]

    def both(self, step: Step) -> tuple[int, str, int]:
        """Descriptors of the target's folder and of the slot's, and the target's name."""
        parent, name = self._root.split(step.path)
        self.at(parent)
        slot = self.at(step.slot_folder)
        return self.at(parent), name, slot


@dataclass(frozen=True, slots=True)
class Seen:
    """What stands at one name."""

    state: State
    inode: int

    def is_before(self, change: Change) -> bool:
        return self.state.same_content(change.before)

    def is_after(self, change: Change) -> bool:
        return self.state.same_content(change.after)


def look(folder: int, name: str) -> Seen | None:
    """What stands at a name in an open folder, files hashed, no link followed; None for nothing."""
    try:
        info = os.lstat(name, dir_fd=folder)
    except FileNotFoundError:
        return None
    mode = stat.S_IMODE(info.st_mode)
    if stat.S_ISLNK(info.st_mode):
        target = os.fsencode(os.readlink(name, dir_fd=folder))
        return Seen(State(Kind.SYMLINK, hashlib.sha256(target).hexdigest(), len(target)), info.st_ino)
    if stat.S_ISDIR(info.st_mode):
        return Seen(State(Kind.DIRECTORY, mode=mode), info.st_ino)
    if not stat.S_ISREG(info.st_mode):
        return Seen(State(Kind.OTHER, mode=mode), info.st_ino)
    return _look_into(folder, name)


def _look_into(folder: int, name: str) -> Seen | None:
    try:
        descriptor = os.open(name, LOOK, dir_fd=folder)
    except FileNotFoundError:
        return None
    except PermissionError:  # neither what was before nor ours: both could be read
        return Seen(State(Kind.OTHER), os.lstat(name, dir_fd=folder).st_ino)
    try:
        info, sha, size = os.fstat(descriptor), hashlib.sha256(), 0
        while chunk := os.read(descriptor, _CHUNK):
            sha.update(chunk)
            size += len(chunk)
    finally:
        syscalls.close(descriptor)
    return Seen(State(Kind.FILE, sha.hexdigest(), size, stat.S_IMODE(info.st_mode)), info.st_ino)


def grew_from(folder: int, name: str, state: State) -> bool:
    """Whether the file at a name begins with all the bytes of `state`: somebody has added to it."""
    try:
        descriptor = os.open(name, LOOK, dir_fd=folder)
    except OSError:
        return False
    with open(descriptor, "rb") as file:
        sha, left = hashlib.sha256(), state.size
        while left and (chunk := file.read(min(left, _CHUNK))):
            sha.update(chunk)
            left -= len(chunk)
    return state.kind is Kind.FILE and sha.hexdigest() == state.sha256


def drop_known(folder: int, name: str, is_known: Callable[[Seen], bool]) -> bool:
    """Remove what stands at a name if its bytes are known and no program can still write to them; whether it went.

    A program that has the file open for writing writes on when the name is gone, and nobody would ever see that. A
    read lease tells of it, where there are leases. OSError when the system doesn't remove it.
    """
    try:
        descriptor = os.open(name, LOOK, dir_fd=folder)
    except OSError:  # a link, or what may not be read
        descriptor = -1
    try:
        lease = syscalls.take_read_lease(descriptor) if descriptor >= 0 else "unsupported"
        seen = look(folder, name)
        if seen is None or lease == "refused" or not is_known(seen):
            return seen is None
        if lease == "held" and not syscalls.lease_intact(descriptor):
            return False
        os.rmdir(name, dir_fd=folder) if seen.state.kind is Kind.DIRECTORY else os.unlink(name, dir_fd=folder)
    except OSError as error:
        if error.errno in {errno.ENOTEMPTY, errno.EEXIST}:  # a folder that holds something by now
            return False
        raise
    finally:
        if descriptor >= 0:
            syscalls.close(descriptor)
    return True


def is_held(folder: int, name: str) -> bool:
    """Whether a program has the file at a name open for writing; False as well where the system can't tell."""
    try:
        descriptor = os.open(name, LOOK, dir_fd=folder)
    except OSError:
        return False
    try:
        return syscalls.take_read_lease(descriptor) == "refused"
    finally:
        syscalls.close(descriptor)


def holds_something(folder: int, name: str) -> bool:
    """Whether a folder at a name in an open folder has anything in it."""
    descriptor = os.open(name, os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
    try:
        return bool(os.listdir(descriptor))
    finally:
        syscalls.close(descriptor)
