"""A stale edit, merged with what was changed meanwhile instead of refused (`on_conflict: merge`).

    Stale          while an edit is planned: it names an older version (`expected_sha256`) that the history still has
    merge_plan     after it was planned: the disk isn't what the plan saw any more

Both are three-way: the base is what the edit was made against, ours the disk, theirs what the edit would leave there.
A merged plan is a plan of its own, with its own fingerprint: what was approved is never run in another form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from workroom.base.changes import Change, Kind, State
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.settings import Settings
from workroom.core.transactions.apply import holds_before
from workroom.core.transactions.difference import difference
from workroom.core.transactions.merge import Merged, Overlap, merge_path, overlap_row
from workroom.core.transactions.model import ImageOf, Planned
from workroom.core.transactions.overlay import Node, Overlay
from workroom.core.transactions.policy import Policy
from workroom.system.root import Root

__all__ = ["Older", "Stale", "merge_plan"]

Older = Callable[[str, str], bytes | None]
"""The content that a path had with this SHA-256, if the history or a kept plan still has it."""

_SHOWN = 10


class Stale:
    """Paths of a plan whose operations are made against an older version; at the end they are merged with the disk."""

    def __init__(self, root: Root, overlay: Overlay, older: Older) -> None:
        self._root = root
        self._overlay = overlay
        self._older = older
        self._base: dict[str, State] = {}

    def takes(self, path: str, sha: str) -> bool:
        """Let what follows see the older version that the caller expects, if there is one to be had."""
        if path in self._base:
            return self._base[path].sha256 == sha
        now = self._overlay.before(path)
        data = None if self._overlay.touched(path) or now.kind is not Kind.FILE else self._older(path, sha)
        if data is None:
            return False
        self._base[path] = State(Kind.FILE, sha, len(data), now.mode)
        self._overlay.contents[sha] = data
        self._overlay.put_node(path, Node(self._base[path], data, like=path))
        return True

    def merge(self) -> tuple[str, ...]:
        """Put the disk's changes in; answers what is to be said. EDIT_CONFLICT where both touch the same lines."""
        overlaps: dict[str, Overlap] = {}
        warnings = []
        for path, base in self._base.items():
            node, now = self._overlay.node(path), self._overlay.before(path)
            found = merge_path(base, now, node.state, self._image)
            if isinstance(found, Overlap):
                overlaps[path] = found
                continue
            warnings.append(_told(path, found))
            if found.take == "both":
                self._overlay.put(path, found.data, mode=found.mode, matched=node.matched, merged=True)
            else:
                self._overlay.put_node(path, Node(replace(now, mode=found.mode)))
        if overlaps:
            raise _overlapping(
                self._root, {path: (self._base[path], why) for path, why in overlaps.items()}, self._image
            )
        return tuple(warnings)

    def _image(self, sha: str) -> bytes:
        held = self._overlay.contents.get(sha)
        if held is not None:
            return held
        return self._overlay.load(next(path for path in self._base if self._overlay.before(path).sha256 == sha))


def merge_plan(root: Root, settings: Settings, planned: Planned, image: ImageOf, *, id: str) -> Planned:  # noqa: A002
    """The plan over the folder as it is now, superseding `planned`. EDIT_CONFLICT where that can't be.

    A file that moves goes along with what was changed in it.
    """
    worker = _Merger(root, settings, planned, image)
    for change in _in_order(planned.change_set.changes):
        worker.play(change)
    return worker.finish(id)


class _Merger:
    def __init__(self, root: Root, settings: Settings, planned: Planned, image: ImageOf) -> None:
        self.root = root
        self.settings = settings
        self.planned = planned
        self.image = image
        self.overlay = Overlay(root)
        self.policy = Policy(root, settings)
        self.moved: dict[str, str] = {}  # where to, by the path where it was
        self.overlaps: dict[str, tuple[State, Overlap]] = {}
        self.warnings: list[str] = []

    def play(self, change: Change) -> None:
        now = self.overlay.before(change.path)
        if holds_before(change, now):
            self._put(change)
            return
        if change.path in self.moved:
            self.warnings.append(
                f"{change.path} had changed meanwhile, and goes to {self.moved[change.path]} with that."
            )
            self.overlay.remove(change.path)
            return
        found = merge_path(change.before, now, change.after, self._bytes)
        if isinstance(found, Overlap):
            self.overlaps[change.path] = (change.before, found)
        else:
            self.warnings.append(_told(change.path, found, gone=change.after.kind is Kind.ABSENT))
            self._put_merged(change, found)

    def finish(self, id: str) -> Planned:  # noqa: A002
        if self.overlaps:
            raise _overlapping(self.root, self.overlaps, self._held)
        change_set = self.overlay.change_set(self.settings.history_quota_bytes)
        if not change_set.changes:
            raise WorkroomError(
                ErrorCode.INVALID_INPUT,
                f"{self.planned.id} would change nothing any more: each file holds already what it would leave there.",
            )
        self.policy.check_changes(change_set)
        return replace(
            self.planned,
            id=id,
            change_set=change_set,
            fingerprint=change_set.fingerprint("edit.commit"),
            contents=self.overlay.contents,
            asks=tuple(dict.fromkeys((*self.planned.asks, *self.policy.asks(change_set)))),
            warnings=(*self.planned.warnings, *self.warnings),
            supersedes=self.planned.id,
            kept=False,
        )

    def _put(self, change: Change) -> None:
        """What the plan leaves at the path."""
        if change.after.kind is Kind.ABSENT:
            if change.before.kind is Kind.DIRECTORY and self.overlay.children(change.path):
                self.overlaps[change.path] = (change.before, Overlap("it holds something that the plan didn't see"))
            self.overlay.remove(change.path)
        elif change.after.kind is Kind.DIRECTORY:
            self.overlay.make_folder(change.path, change.after.mode)
        elif change.origin is not None:
            self._put_moved(change, change.origin)
        else:
            self._put_bytes(change, self._bytes(change.after.sha256), change.after.mode, merged=False)

    def _put_moved(self, change: Change, origin: str) -> None:
        now = self.overlay.before(origin)
        if now.kind is not change.after.kind:
            self.overlaps[origin] = (change.after, Overlap("what would move is gone"))
            return
        self.overlay.make_parents(change.path)
        node = replace(self.overlay.passed_on(origin), origin=origin, merged=not now.same_content(change.after))
        self.overlay.put_node(change.path, node)
        self.moved[origin] = change.path

    def _put_merged(self, change: Change, found: Merged) -> None:
        if found.take == "theirs":
            self._put(replace(change, after=replace(change.after, mode=found.mode)))
        elif found.take == "both":
            self._put_bytes(change, found.data, found.mode, merged=True)
        elif found.mode is not None:
            self.overlay.set_mode(change.path, found.mode)

    def _put_bytes(self, change: Change, data: bytes, mode: int | None, *, merged: bool) -> None:
        self.overlay.make_parents(change.path)
        if change.after.kind is Kind.SYMLINK:
            self.overlay.contents[change.after.sha256] = data
            self.overlay.put_node(change.path, Node(change.after, data, like=change.like))
        else:
            self.overlay.put(change.path, data, mode=mode, like=change.like, matched=change.matched, merged=merged)

    def _bytes(self, sha: str) -> bytes:
        held = self._held(sha)
        if held is None:
            raise WorkroomError(
                ErrorCode.NOT_FOUND,
                f"A content of {self.planned.id} is no longer kept (history_quota_bytes).",
                next_step="Make the edit anew.",
            )
        return held

    def _held(self, sha: str) -> bytes | None:
        """A content of the plan, or of the disk."""
        held = self.image(sha)
        here = [path for path in self.planned.change_set.paths() if self.overlay.before(path).sha256 == sha]
        return self.overlay.load(here[0]) if held is None and here else held


def _in_order(changes: Sequence[Change]) -> list[Change]:
    """What is made before what goes, and what goes from the last path on: a folder after all that was in it."""
    made = [change for change in changes if change.after.kind is not Kind.ABSENT]
    return [*made, *(change for change in reversed(changes) if change.after.kind is Kind.ABSENT)]


def _told(path: str, found: Merged, *, gone: bool = False) -> str:
    if found.take == "both":
        return f"{path} had changed since the edit was made: both changes are in it. Read it before the next edit."
    if found.take == "theirs":
        what = "it is deleted all the same" if gone else "it stays"
        return f"The mode of {path} had changed since the edit was made; {what}."
    return f"{path} had changed since the edit was made, and holds already what it would leave there."


def _overlapping(root: Root, overlaps: dict[str, tuple[State, Overlap]], image: ImageOf) -> WorkroomError:
    shown = list(overlaps.items())[:_SHOWN]
    what = "; ".join(f"{path}: {overlap.why}" for path, (_, overlap) in shown)
    return WorkroomError(
        ErrorCode.EDIT_CONFLICT,
        f"The edit can't be merged with what was changed meanwhile ({what}). Nothing was changed.",
        next_step="Read it again and make the edit against what is there.",
        details={
            "conflicts": [difference(root, path, base, image) | overlap_row(why) for path, (base, why) in shown],
            "total": len(overlaps),
        },
    )
