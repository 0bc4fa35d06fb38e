"""The folder as it would be: operations are played on it in order, and net changes are read off at the end.

    disk ── first look at a path ──> before (kept)      node (what later operations see and change)
                                        └──── differ? ────┘──> one Change

Contents are bytes read whole, at most `limit` bytes a file where an edit takes them apart; what is only moved is
hashed and never held, and what is only deleted or copied is left on the disk when it is large.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

from workroom.base.changes import ABSENT, Change, ChangeSet, Kind, State
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions.contents import Contents, changed_meanwhile
from workroom.core.transactions.model import Kept
from workroom.system.root import Root
from workroom.text.diff import count_lines

__all__ = ["MAX_PATHS", "Node", "Overlay", "count_changed"]

MAX_PATHS = 20_000
"""Paths that one transaction may touch; copying a larger folder is another program's job."""


@dataclass(frozen=True, slots=True)
class Node:
    """What a path would hold. `data` is None for what isn't a file or link, and for a file that is only passed on."""

    state: State
    data: bytes | None = None
    origin: str | None = None
    like: str | None = None
    matched: str = "exact"
    merged: bool = False


_SAMPLE = 8192
_COMPARED = 32 << 20
"""Bytes a side up to which lines that go and come are told apart."""
_NOTHING = Node(ABSENT)


class Overlay:
    """The folder with a transaction's operations on it. Nothing here writes."""

    def __init__(self, root: Root, kept: Kept | None = None, most: int = MAX_PATHS) -> None:
        """`kept` has bytes that neither an operation gave nor the disk holds; `most` is how many paths it may touch."""
        self.root = root
        self._most = most
        self.contents = Contents(root, kept)
        self._before: dict[str, State] = {}
        self._nodes: dict[str, Node] = {}
        self._inside: dict[str, list[str]] = {}  # touched paths by their folder

    # Looking.

    def resolve(self, path: str, *, last: bool = True) -> str:
        """Where a path leads. What operations have touched is not on the disk that way: it leads nowhere else."""
        parts = path.split("/")
        touched = any("/".join(parts[:n]) in self._nodes for n in range(1, len(parts) + 1))
        return path if touched else self.root.resolve(path, last=last)

    def before(self, path: str) -> State:
        """What the disk holds at a canonical path, looked at once a transaction."""
        if path not in self._before:
            if len(self._before) >= self._most:
                raise WorkroomError(ErrorCode.LIMIT_EXCEEDED, f"A transaction touches at most {self._most:,} paths.")
            self._before[path] = self.root.state(path)
        return self._before[path]

    def paths(self) -> list[str]:
        """Every path that operations have touched."""
        return list(self._nodes)

    def touched(self, path: str) -> bool:
        """Whether an operation changed the path: it is not what the disk holds there."""
        return path in self._nodes

    def node(self, path: str) -> Node:
        """What the path would hold now."""
        touched = self._nodes.get(path)
        if touched is not None:
            return touched
        state = self.before(path)
        return Node(state, like=path) if state.kind is not Kind.ABSENT else _NOTHING

    def kind(self, path: str) -> Kind:
        """What kind of thing the path would hold; cheaper than `node`, since nothing is hashed."""
        if path in self._nodes:
            return self._nodes[path].state.kind
        seen = self.root.stat(path)
        return Kind.ABSENT if seen is None else seen.kind

    def read(self, path: str, limit: int) -> bytes:
        """The bytes that a file would hold. LIMIT_EXCEEDED over `limit`."""
        node = self.node(path)
        if node.state.size > limit:
            raise WorkroomError(
                ErrorCode.LIMIT_EXCEEDED,
                f"{path} holds {node.state.size:,} bytes; files are edited up to {limit:,} (max_edit_bytes).",
            )
        if node.data is not None:
            return node.data
        return self._load(node.origin or node.like or path, node.state)

    def load(self, path: str) -> bytes:
        """The bytes, or the link's target, that the disk holds; EDIT_CONFLICT when that changed since."""
        return self._load(path, self.before(path))

    def content(self, path: str) -> bytes:
        """The bytes, or the link's target, that the path would hold."""
        node = self.node(path)
        if node.data is not None or not node.state.sha256:
            return node.data or b""
        return self._load(node.origin or node.like or path, node.state)

    def children(self, folder: str) -> list[str]:
        """Paths that would stand in a folder, sorted."""
        touched = self._inside.get("" if folder == "." else folder, [])
        found = {path for path in touched if self._nodes[path].state.kind is not Kind.ABSENT}
        seen = self.root.stat(folder)
        if seen is not None and seen.kind is Kind.DIRECTORY:
            found |= {s.path for s in self.root.scan(folder) if s.path not in self._nodes}
        return sorted(found)

    def tree(self, path: str) -> Iterator[str]:
        """The path and all it would hold, folders before what is in them."""
        ahead = [path]
        while ahead:
            each = ahead.pop()
            yield each
            if self.kind(each) is Kind.DIRECTORY:
                ahead += reversed(self.children(each))

    # Changing.

    def put(
        self,
        path: str,
        data: bytes,
        *,
        mode: int | None = None,
        like: str | None = None,
        matched: str = "exact",
        merged: bool = False,
    ) -> None:
        """A file's new bytes; the mode is the old file's unless given."""
        old = self.node(path)
        kept = old.state.mode if old.state.kind is Kind.FILE else None
        state = State(Kind.FILE, self._keep(data), len(data), kept if mode is None else mode)
        self._set(path, Node(state, data, like=like or old.like, matched=matched, merged=merged))

    def set_mode(self, path: str, mode: int) -> None:
        """Another mode for a file whose bytes stay."""
        node = self.node(path)
        self._set(path, replace(node, state=replace(node.state, mode=mode), origin=None))

    def put_node(self, path: str, node: Node) -> None:
        """What another path held, as it is."""
        self._set(path, node)

    def remove(self, path: str) -> None:
        """Nothing at the path any more."""
        self._set(path, _NOTHING)

    def make_folder(self, path: str, mode: int | None = None) -> None:
        """A folder at the path; one that stands there already keeps its mode."""
        self._set(path, Node(State(Kind.DIRECTORY, mode=mode)))

    def make_parents(self, path: str) -> None:
        """Every missing folder above the path. EDIT_CONFLICT where something that is no folder is in the way."""
        missing: list[str] = []
        parent = path.rpartition("/")[0]
        while parent and (kind := self.kind(parent)) is Kind.ABSENT:
            missing.append(parent)
            parent = parent.rpartition("/")[0]
        if parent and kind is not Kind.DIRECTORY:
            raise WorkroomError(
                ErrorCode.EDIT_CONFLICT,
                f"{parent} is a {kind}, so {path} can't be made below it.",
                next_step="Choose another path, or move that file first.",
                details={"path": parent},
            )
        for each in reversed(missing):
            self.make_folder(each)

    def passed_on(self, path: str) -> Node:
        """The node of a file, link or folder as a copy of it has it."""
        node = self.node(path)
        if node.state.kind is Kind.FILE and node.data is None:
            return replace(node, like=node.like or path, origin=None)
        if node.state.kind is Kind.SYMLINK and node.data is None:
            return replace(node, data=self._load(path, node.state), origin=None)
        return replace(node, origin=None)

    def leave(self, path: str) -> None:
        """Whatever was done to the path is not done."""
        self._set(path, Node(self.before(path), like=path))

    # Reading off.

    def ends(self) -> list[str]:
        """Paths that end otherwise than the disk has them, sorted."""
        return sorted(path for path, node in self._nodes.items() if not self._unchanged(path, node))

    def change_set(self, quota: int) -> ChangeSet:
        """Net changes, sorted by path; what ends as it began is left out. `contents` then holds every image.

        LIMIT_EXCEEDED, before anything large is read, when the images would hold more than `quota` bytes.
        """
        ends = {path: node for path, node in self._nodes.items() if not self._unchanged(path, node)}
        gone = {path for path, node in ends.items() if node.state.kind is Kind.ABSENT}
        moved = {path: node.origin for path, node in ends.items() if self._moves(path, node, gone)}
        self._check_quota(ends, moved, quota)
        origins = set(moved.values())
        return ChangeSet(tuple(self._change(path, ends[path], moved.get(path), origins) for path in sorted(ends)))

    def _moves(self, path: str, node: Node, gone: set[str]) -> bool:
        """Whether the very file moves here: nothing was here, its old path ends empty, its bytes and mount stay."""
        if node.origin not in gone or node.data is not None or self.before(path).kind is not Kind.ABSENT:
            return False
        return self._device(node.origin) == self._device(path)

    def _device(self, path: str) -> int:
        """The file system that a path is on, or would be on."""
        parent = path.rpartition("/")[0]
        while (seen := self.root.stat(parent or ".")) is None:
            parent = parent.rpartition("/")[0]
        return seen.device

    def _check_quota(self, ends: dict[str, Node], moved: dict[str, str | None], quota: int) -> None:
        origins = set(moved.values())
        held = sum(self.before(path).size for path in ends if path not in origins)
        held += sum(node.state.size for path, node in ends.items() if path not in moved)
        if held > quota:
            raise WorkroomError(
                ErrorCode.LIMIT_EXCEEDED,
                f"The transaction's images hold {held:,} bytes; the quota (history_quota_bytes) is {quota:,}.",
                next_step="Split it, or ask the person to raise the quota.",
                details={"bytes": held, "limit": quota},
            )

    def _change(self, path: str, node: Node, origin: str | None, origins: set[str | None]) -> Change:
        before = self.before(path)
        if origin is not None:
            return Change(path, before, node.state, origin=origin, merged=node.merged)
        if path in origins:
            return Change(path, before, node.state)
        source = node.origin or node.like or path
        self._add(path, before)
        if node.data is None:
            self._add(source, node.state)
        like = node.like if node.like != path else None
        added, removed = self._count(before, node.state)
        return Change(path, before, node.state, None, like, node.matched, added, removed, node.merged)

    def _add(self, path: str, state: State) -> None:
        """What stands at a path belongs to the plan: its bytes as they are kept, else as the disk has them."""
        if state.sha256:
            self.contents.add(path, state)

    def _count(self, before: State, after: State) -> tuple[int | None, int | None]:
        """Lines that go and come. What is too large to be held is counted where it goes or comes whole."""
        if Kind.FILE not in {before.kind, after.kind}:
            return 0, 0
        if max(before.size, after.size) <= _COMPARED:
            return count_changed(self._glimpse(before), self._glimpse(after))
        if before.sha256 and after.sha256:
            return None, None
        lines = self._lines(before.sha256 or after.sha256)
        if lines is None:
            return None, None
        return (lines, 0) if after.sha256 else (0, lines)

    def _glimpse(self, state: State) -> bytes:
        """Bytes, for the moment."""
        return b"".join(self.contents.pieces(state.sha256)) if state.sha256 else b""

    def _lines(self, sha: str) -> int | None:
        """How many lines a content has; None for what isn't text."""
        count, last = 0, b"\n"
        for number, piece in enumerate(self.contents.pieces(sha)):
            if number == 0 and b"\0" in piece[:_SAMPLE]:
                return None
            count, last = count + piece.count(b"\n"), piece[-1:]
        return count + (last != b"\n")

    def _unchanged(self, path: str, node: Node) -> bool:
        before = self.before(path)
        if not before.same_content(node.state):
            return False
        return node.state.kind is not Kind.FILE or before.mode == node.state.mode

    def _set(self, path: str, node: Node) -> None:
        """A new file that takes an old one's place has the old one's mode, whatever led to that."""
        before = self.before(path)
        if node.state.kind is before.kind is Kind.FILE and node.state.mode is None:
            node = replace(node, state=replace(node.state, mode=before.mode))
        if path not in self._nodes:
            self._inside.setdefault(path.rpartition("/")[0], []).append(path)
        self._nodes[path] = node

    def _keep(self, data: bytes) -> str:
        sha = hashlib.sha256(data).hexdigest()
        self.contents[sha] = data
        return sha

    def _load(self, path: str, state: State) -> bytes:
        """Bytes of what stands on disk, which must still be what was seen."""
        if not state.sha256:  # it was a file when it was asked for
            raise changed_meanwhile(path)
        self._add(path, state)
        return b"".join(self.contents.pieces(state.sha256))


def count_changed(old: bytes, new: bytes) -> tuple[int | None, int | None]:
    """Lines added and removed; None for what isn't text."""
    binary = b"\0" in old[:_SAMPLE] or b"\0" in new[:_SAMPLE]
    return (None, None) if binary else count_lines(old, new)
