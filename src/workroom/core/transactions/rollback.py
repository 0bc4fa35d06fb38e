"""Taking an entry back: its changes turned round, planned like any other transaction.

An undo never overwrites later work unheard. Where the disk doesn't hold what the entry left there, it

    refuse   shows the difference
    merge    takes only this entry's change out (base: what the entry left; ours: the disk; theirs: what was before it)
    force    goes on, and what it overwrites is the new entry's own before-image

What the entry moved comes back with what was changed in it since. What it made and somebody changed, or deleted and
somebody made anew, is an overlap. With `merge` and `force` both, a path that overlaps is taken back whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from workroom.base.changes import Change, ChangeSet, Danger, Kind, State
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.settings import Settings
from workroom.core.transactions.difference import difference
from workroom.core.transactions.merge import Merged, Overlap, Strategy, merge_path, overlap_row
from workroom.core.transactions.model import Directory, Entry, Kept, Planned
from workroom.core.transactions.overlay import MAX_PATHS, Node, Overlay
from workroom.core.transactions.policy import Policy
from workroom.system.root import Root

__all__ = ["SHOWN", "TakingBack", "makes_way", "plan_rollback"]

SHOWN = 10
"""Paths that a refusal shows."""


def plan_rollback(
    root: Root,
    settings: Settings,
    entry: Entry,
    kept: Kept,
    *,
    id: str,  # noqa: A002 - the field's name
    force: bool,
    strategy: Strategy,
) -> Planned:
    """What taking back `entry` would do. EDIT_CONFLICT with the differences when later work is in the way."""
    entry, left = _known(entry, force=force)
    overlay = Overlay(root, kept, most=max(MAX_PATHS, 2 * len(entry.changes)))
    worker = TakingBack(root, Policy(root, settings), overlay, entry, kept)
    worker.policy.check_changes(ChangeSet(entry.changes))
    worker.check(force=force, strategy=strategy)
    worker.turn_round()
    change_set = worker.overlay.change_set(settings.history_quota_bytes)
    return Planned(
        id=id,
        cause="rollback",
        title=f"Undo of {entry.transaction_id}: {entry.title}",
        operations=(
            {"type": "rollback", "transaction_id": entry.transaction_id, "force": force, "strategy": strategy},
        ),
        change_set=change_set,
        fingerprint=change_set.fingerprint("edit.rollback", entry.transaction_id, str(force), strategy),
        contents=worker.overlay.contents,
        directories=worker.directories(change_set),
        dangers=(Danger("forced rollback", entry.transaction_id, "rollback without force"),) if force else (),
        asks=worker.policy.asks(change_set),
        warnings=(*left, *worker.warnings),
        undoes=entry.number,
    )


class TakingBack:
    """One entry turned round on an overlay, which may hold what the taking back of later ones left."""

    def __init__(self, root: Root, policy: Policy, overlay: Overlay, entry: Entry, kept: Kept) -> None:
        self.root = root
        self.policy = policy
        self.overlay = overlay
        self.entry = entry
        self.kept = kept
        self.warnings: list[str] = []
        self.merged: dict[str, Merged] = {}
        self.movers = {c.origin: c for c in entry.changes if c.origin is not None}
        self.made = {d.path for d in entry.directories if not d.existed_before}

    def check(self, *, force: bool, strategy: Strategy) -> None:
        """Refuse over later work and forgotten images, before anything is planned; with `merge`, merge what can be."""
        differing = [change for change in self.entry.changes if not self.stands(change)]
        overlaps: dict[str, Overlap] = {}
        if strategy == "merge":
            overlaps = self._merge(differing)
            differing = [change for change in differing if change.path in overlaps]
        if differing and not force:
            self.refuse(differing, overlaps)
        for change in differing:
            self.warnings.append(f"{change.path} was changed later; that is overwritten and kept in this entry.")

    def turn_round(self) -> None:
        """Folders come back first and go last; what moved is taken from where it went before that is emptied."""
        changes = self.entry.changes
        for change in changes:
            if change.before.kind is Kind.DIRECTORY and self.overlay.kind(change.path) is not Kind.DIRECTORY:
                self.overlay.make_parents(change.path)
                self.overlay.make_folder(change.path, change.before.mode)
        for change in changes:
            if change.before.kind in {Kind.FILE, Kind.SYMLINK, Kind.UNKNOWN}:
                self._bring_back(change)
        for change in changes:
            made = change.before.kind is Kind.ABSENT and change.after.kind is not Kind.DIRECTORY
            if made and self.overlay.kind(change.path) is not Kind.ABSENT:
                self.overlay.remove(change.path)
        for change in sorted(changes, key=lambda c: -c.path.count("/")):
            if change.after.kind is Kind.DIRECTORY and change.before.kind is Kind.ABSENT:
                self._remove_folder(change.path)
        blocked = next((c.path for c in changes if makes_way(c) and self.overlay.children(c.path)), None)
        if blocked is not None:
            raise _in_the_way(blocked)

    def directories(self, change_set: ChangeSet) -> tuple[Directory, ...]:
        """Folders that this undo makes: undoing it takes them away again."""
        made = [c.path for c in change_set.changes if c.after.kind is Kind.DIRECTORY]
        return tuple(Directory(path, existed_before=False) for path in made)

    def _merge(self, differing: Sequence[Change]) -> dict[str, Overlap]:
        """Merge what can be merged; answers what can't."""
        overlaps: dict[str, Overlap] = {}
        for change in differing:
            found = self._merge_move(change) if change.origin is not None else self._merge_path(change)
            if isinstance(found, Overlap):
                overlaps[change.path] = found
            else:
                self.merged[change.path] = found
                self.warnings.append(_told(change, found))
        return overlaps

    def _merge_move(self, change: Change) -> Merged | Overlap:
        """What moved goes back as it is now, if it is still there."""
        now = self.now(change.path)
        if now.kind is change.after.kind:
            return Merged("ours", now.mode)
        return Overlap("it is gone" if now.kind is Kind.ABSENT else f"a {now.kind} stands there now")

    def _merge_path(self, change: Change) -> Merged | Overlap:
        now = self.now(change.path)

        def image(sha: str) -> bytes:
            data = self.overlay.content(change.path) if sha == now.sha256 else self.kept.get(sha)
            if data is None:
                raise _forgotten(change.path)
            return data

        return merge_path(change.after, now, change.before, image)

    def _put_merged(self, path: str, merged: Merged) -> None:
        """What a merge led to; what stands there already may only get another mode."""
        if merged.take == "both":
            self.overlay.put(path, merged.data, mode=merged.mode, merged=True)
        elif merged.mode is not None and merged.mode != self.now(path).mode:
            self.overlay.set_mode(path, merged.mode)

    def _bring_back(self, change: Change) -> None:
        mover = self.movers.get(change.path)
        merged = self.merged.get(change.path)
        if mover is not None:
            self._move_back(mover, change)
        elif merged is not None and merged.take != "theirs":
            self._put_merged(change.path, merged)
        else:
            self.put_back(change)

    def _move_back(self, mover: Change, change: Change) -> None:
        moved, node = self.overlay.node(mover.path), self.overlay.passed_on(mover.path)
        if node.state.kind is not change.before.kind:
            self.moved_on(mover, change)
            return
        origin = moved.origin if self.overlay.touched(mover.path) else mover.path
        self.overlay.make_parents(change.path)
        self.overlay.put_node(change.path, replace(node, origin=origin, merged=mover.path in self.merged))

    def moved_on(self, mover: Change, change: Change) -> None:
        """What moved is no longer where it went."""
        raise _gone(mover.path, change.path)

    def put_back(self, change: Change) -> None:
        """What the path held before the entry. NOT_FOUND when that is forgotten."""
        if not self.kept.has(change.before.sha256):
            raise _forgotten(change.path)
        self.put_state(change)

    def put_state(self, change: Change) -> None:
        """The state before the entry; its bytes stay where they are until they are written."""
        self.overlay.make_parents(change.path)
        state = replace(change.before, mode=self.mode_of(change))
        self.overlay.put_node(change.path, Node(state, like=self.overlay.node(change.path).like))

    def mode_of(self, change: Change) -> int | None:
        """The mode that comes back; where the entry left it alone, the file's mode of now stays, set by whomever."""
        kept = change.after.kind is Kind.FILE and not _changes_mode(change)
        now = self.now(change.path)
        return now.mode if kept and now.kind is Kind.FILE else change.before.mode

    def now(self, path: str) -> State:
        """What the path holds, once what is taken back already is."""
        return self.overlay.node(path).state

    def _remove_folder(self, path: str) -> None:
        """A folder goes only while it is one and empty, and when the entry names it or a file comes back above it."""
        cleared = any(makes_way(c) and path.startswith(c.path + "/") for c in self.entry.changes)
        if path not in self.made and not cleared:
            if self.overlay.kind(path) is Kind.DIRECTORY:
                self.warnings.append(f"{path} stays: folders that a new file needed are left in place.")
            return
        if self.overlay.kind(path) is not Kind.DIRECTORY:
            self.warnings.append(f"{path} is no folder any more; it was left as it is.")
        elif self.overlay.children(path):
            self.warnings.append(f"{path} holds other things by now; it was left as it is.")
        else:
            self.overlay.remove(path)

    def stands(self, change: Change) -> bool:
        """Whether the path holds what the entry left there; folders are judged when they are removed."""
        now = self.now(change.path)
        if change.after.kind is Kind.DIRECTORY:
            return True
        if change.before.kind is Kind.DIRECTORY and now.kind is Kind.DIRECTORY:
            return True
        return now.same_content(change.after) and (not _changes_mode(change) or now.mode == change.after.mode)

    def refuse(self, differing: list[Change], overlaps: Mapping[str, Overlap]) -> None:
        """EDIT_CONFLICT, with what was changed; after a merge was tried, with why it overlaps and where."""
        shown = differing[:SHOWN]
        rows = [
            difference(self.root, change.path, change.after, self.kept.get)
            | (overlap_row(overlaps[change.path]) if change.path in overlaps else {})
            for change in shown
        ]
        named = ", ".join(change.path for change in shown)
        what, step = f"{named} changed after it", "Undo the later change first, keep both with strategy: merge,"
        if overlaps:
            what = "; ".join(f"{change.path}: {overlaps[change.path].why}" for change in shown)
            what, step = f"it can't be merged with what was changed after it ({what})", "Undo the later change first,"
        raise WorkroomError(
            ErrorCode.EDIT_CONFLICT,
            f"{self.entry.transaction_id} can't be undone: {what}. Nothing was changed.",
            next_step=f"{step} or roll back with force: true, which keeps what it overwrites.",
            details={"conflicts": rows, "total": len(differing)},
        )


def _known(entry: Entry, *, force: bool) -> tuple[Entry, list[str]]:
    """The entry without the paths of which nobody knows what they held before, and words on those that are left.

    NOT_FOUND unless that is forced, or where there are no others.
    """
    known = tuple(change for change in entry.changes if change.before.kind is not Kind.UNKNOWN)
    unknown = [change.path for change in entry.changes if change.before.kind is Kind.UNKNOWN]
    if unknown and not (force and known):
        raise _unknown(entry, unknown, alone=not known)
    return replace(entry, changes=known), [
        f"{path} stays as it is: what it held before isn't known." for path in unknown
    ]


def _told(change: Change, merged: Merged) -> str:
    if change.origin is not None:
        return f"{change.path} was changed later, and goes back to {change.origin} with that."
    if merged.take == "both":
        return f"{change.path} was changed later: that stays, and only what the entry did to it is taken back."
    return f"{change.path} was changed later, and holds already what it held before the entry."


def _changes_mode(change: Change) -> bool:
    return change.before.kind is change.after.kind is Kind.FILE and change.before.mode != change.after.mode


def makes_way(change: Change) -> bool:
    """Whether a folder stands where a file or link comes back."""
    return change.after.kind is Kind.DIRECTORY and change.before.kind in {Kind.FILE, Kind.SYMLINK}


def _forgotten(path: str) -> WorkroomError:
    return WorkroomError(
        ErrorCode.NOT_FOUND,
        f"The earlier content of {path} is no longer kept: the history's quota (history_quota_bytes) was met, or it is "
        "larger than watch_max_file_bytes.",
        details={"path": path},
    )


def _unknown(entry: Entry, paths: Sequence[str], *, alone: bool) -> WorkroomError:
    more = f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else ""
    others = "" if alone else " The other paths are taken back by force: true, which leaves these as they are."
    return WorkroomError(
        ErrorCode.NOT_FOUND,
        f"{entry.transaction_id} can't be undone: what {', '.join(paths[:SHOWN])}{more} held before isn't known, "
        "another program changed it before it was first seen. Nothing was changed.",
        next_step=f"Bring it back from git, if that has it, or from a backup.{others}",
        details={"unknown": list(paths[:100]), "total": len(paths)},
    )


def _gone(there: str, path: str) -> WorkroomError:
    return WorkroomError(
        ErrorCode.NOT_FOUND,
        f"{path} was moved to {there}, where it no longer is, so it can't be brought back.",
        details={"path": there},
    )


def _in_the_way(path: str) -> WorkroomError:
    return WorkroomError(
        ErrorCode.EDIT_CONFLICT,
        f"{path} is a folder that holds other things by now, so what was there before it can't come back.",
        next_step="Move them away, then roll back again.",
        details={"path": path},
    )
