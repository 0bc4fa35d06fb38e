"""Bringing the folder, some paths or one actor's changes back to how they stood after an entry, as one transaction.

    entries after it, newest first ──> each taken back on one overlay ──> net changes ──> a plan like any other

What stands between two of them cancels itself out: nothing is replayed, and of each path only what it held at the end
is brought back. Where something else stands than an entry left there (a program's doing that is in no entry, or work of
others that isn't taken back), it refuses, merges or is forced as one undo does. What stands there already as it was
needs nothing. Images that are forgotten are told before anything is done.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from workroom.base.actor import Actor
from workroom.base.changes import Change, Danger, Kind
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.settings import Settings
from workroom.core.transactions.difference import difference
from workroom.core.transactions.merge import Overlap, Strategy, overlap_row
from workroom.core.transactions.model import Directory, Entry, Kept, Planned
from workroom.core.transactions.overlay import MAX_PATHS, Overlay
from workroom.core.transactions.policy import Policy
from workroom.core.transactions.rollback import SHOWN, TakingBack, makes_way
from workroom.system.root import Root

__all__ = ["Only", "plan_rewind"]

_KEPT = ("late_write", "recovery")
"""Causes of entries that tell of others' bytes that were kept; a rewind leaves those where they are."""


@dataclass(frozen=True, slots=True)
class Only:
    """What a rewind is limited to; an empty part limits nothing. A path stands for all below it.

    `actors` are (kind, name); an empty name stands for all of that kind.
    """

    paths: tuple[str, ...] = ()
    actors: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.paths or self.actors)

    def by(self, actor: Actor) -> bool:
        """Whether it is about what this actor did."""
        return not self.actors or (actor.kind, actor.name) in self.actors or (actor.kind, "") in self.actors

    def to_json(self) -> list[str]:
        """As it is stored."""
        return [*self.paths, *(f"{kind}:{name}" for kind, name in self.actors)]


def plan_rewind(
    root: Root,
    settings: Settings,
    entries: Sequence[Entry],
    kept: Kept,
    *,
    id: str,  # noqa: A002 - the field's name
    to: int,
    only: Only,
    force: bool,
    strategy: Strategy,
) -> Planned:
    """What bringing it back to after entry `to` would do; `entries` are all beyond that one, newest first.

    EDIT_CONFLICT where something else is in the way, NOT_FOUND where there is nothing to do, or images are forgotten.
    """
    worker = _Rewind(root, settings, kept, force=force, strategy=strategy, entries=entries)
    reach = _reach(entries, only.paths)
    for entry in _chosen(entries, only):
        changes = [change for change in entry.changes if _within(change.path, reach)]
        if changes or not (entry.changes or reach):
            worker.take_back(entry, changes)
    return worker.finish(id, to, only)


def _chosen(entries: Sequence[Entry], only: Only) -> list[Entry]:
    """The entries to be taken back. What is undone already by one that isn't is as if it had never been."""
    mine = {entry.number for entry in entries if _can_go(entry) and only.by(entry.actor)}
    return [entry for entry in entries if entry.number in mine and (entry.undone_by is None or entry.undone_by in mine)]


def _can_go(entry: Entry) -> bool:
    """Whether there is something to take back; what git did to its own files alone is not."""
    return entry.cause not in _KEPT and (entry.cause != "git" or bool(entry.changes))


def _reach(entries: Sequence[Entry], paths: Collection[str]) -> frozenset[str]:
    """The paths, and where what is there came from or went to by a move: a move is taken back whole."""
    reach = set(paths)
    moves = [(change.origin, change.path) for entry in entries for change in entry.changes if change.origin is not None]
    grown = bool(paths)
    while grown:
        ends = {end for move in moves if any(_within(each, reach) for each in move) for end in move}
        grown = any(not _within(end, reach) for end in ends)
        reach |= {end for end in ends if not _within(end, reach)}
    return frozenset(reach)


def _within(path: str, reach: Collection[str]) -> bool:
    """Whether the path is one of them or below one; all are, where there are none."""
    if not reach or path in reach or "." in reach:
        return True
    parts = path.split("/")
    return any("/".join(parts[:n]) in reach for n in range(1, len(parts)))


class _Rewind:
    def __init__(
        self, root: Root, settings: Settings, kept: Kept, *, force: bool, strategy: Strategy, entries: Sequence[Entry]
    ) -> None:
        self.root = root
        self.settings = settings
        self.kept = kept
        self.force = force
        self.strategy: Strategy = strategy
        self.overlay = Overlay(root, kept, most=max(MAX_PATHS, 2 * sum(len(entry.changes) for entry in entries)))
        self.policy = Policy(root, settings)
        self.conflicts: dict[str, tuple[Entry, Change, Overlap | None]] = {}
        self.taken: list[int] = []
        self.warnings: list[str] = []

    def take_back(self, entry: Entry, changes: Sequence[Change]) -> None:
        """Take these changes of an entry back; the next one is an older one."""
        if len(changes) == len(entry.changes):
            self.taken.append(entry.number)
        step = _Step(self, replace(entry, changes=tuple(changes)))
        step.check(force=self.force, strategy=self.strategy)
        step.turn_round()
        self.warnings += [warning for warning in step.warnings if warning not in self.warnings]

    def finish(self, id: str, to: int, only: Only) -> Planned:  # noqa: A002 - the field's name
        if self.conflicts:
            raise self._in_the_way()
        self._check_images()
        change_set = self.overlay.change_set(self.settings.history_quota_bytes)
        if not change_set.changes:
            raise _nothing(to, only)
        self.policy.check_changes(change_set)
        operation = {"type": "rewind", "to": to, "only": only.to_json(), "force": self.force, "strategy": self.strategy}
        made = [change.path for change in change_set.changes if change.after.kind is Kind.DIRECTORY]
        return Planned(
            id=id,
            cause="rewind",
            title=_title(to, only),
            operations=(operation,),
            change_set=change_set,
            fingerprint=change_set.fingerprint("rewind", json.dumps(operation, sort_keys=True), json.dumps(self.taken)),
            contents=self.overlay.contents,
            directories=tuple(Directory(path, existed_before=False) for path in made),
            dangers=(Danger("forced rewind", _title(to, only), "rewind without force"),) if self.force else (),
            asks=self.policy.asks(change_set),
            warnings=tuple(self.warnings),
            takes_back=tuple(self.taken),
        )

    def _check_images(self) -> None:
        """What can't be brought back is told, or left as it is when that is forced."""
        lost = [path for path in self.overlay.ends() if not self._can_be_had(path)]
        if lost and not self.force:
            raise _forgotten(lost)
        for path in lost:
            self.overlay.leave(path)
            self.warnings.append(f"{path} stays as it is: its earlier content is no longer kept.")

    def _can_be_had(self, path: str) -> bool:
        node = self.overlay.node(path)
        if node.state.kind is Kind.UNKNOWN:
            return False
        if node.data is not None or not node.state.sha256 or node.state.sha256 in self.overlay.contents:
            return True
        place = node.origin or node.like or path
        return self.overlay.before(place).sha256 == node.state.sha256 or self.kept.has(node.state.sha256)

    def _in_the_way(self) -> WorkroomError:
        shown = list(self.conflicts.items())[:SHOWN]
        rows: list[dict[str, Any]] = [
            difference(self.root, path, change.after, self.kept.get)
            | {"entry": entry.number}
            | (overlap_row(overlap) if overlap is not None else {})
            for path, (entry, change, overlap) in shown
        ]
        what = "; ".join(_told(path, entry, overlap) for path, (entry, _, overlap) in shown)
        both = "keep both with a merge, " if self.strategy == "refuse" else ""
        return WorkroomError(
            ErrorCode.EDIT_CONFLICT,
            f"The rewind is stopped by what isn't taken back ({what}). Nothing was changed.",
            next_step=f"Leave these paths out, {both}or force it, which keeps what it overwrites in its entry.",
            details={"conflicts": rows, "total": len(self.conflicts)},
        )


class _Step(TakingBack):
    """One entry on the way. What is as it was before it already is passed over; contents are found at the end only."""

    def __init__(self, rewind: _Rewind, entry: Entry) -> None:
        super().__init__(rewind.root, rewind.policy, rewind.overlay, entry, rewind.kept)
        self.rewind = rewind
        entry = replace(entry, changes=tuple(change for change in entry.changes if not self._is_before(change)))
        self.entry = entry
        self.movers = {change.origin: change for change in entry.changes if change.origin is not None}
        self.made = {change.path for change in entry.changes if change.after.kind is Kind.DIRECTORY}

    def refuse(self, differing: list[Change], overlaps: Mapping[str, Overlap]) -> None:
        """Remember what is in the way, the newest of each path, and go on to find the rest."""
        for change in differing:
            self.rewind.conflicts.setdefault(change.path, (self.entry, change, overlaps.get(change.path)))
        gone = {change.path for change in differing}
        gone |= {change.origin for change in differing if change.origin is not None}
        self.entry = replace(self.entry, changes=tuple(c for c in self.entry.changes if c.path not in gone))
        self.movers = {change.origin: change for change in self.entry.changes if change.origin is not None}

    def put_back(self, change: Change) -> None:
        """What the path held; its bytes are looked for when it is known that they are needed."""
        self.put_state(change)

    def stands(self, change: Change) -> bool:
        """What a later entry found there isn't known, so that this one's may have stood there."""
        return self.now(change.path).kind is Kind.UNKNOWN or super().stands(change)

    def moved_on(self, mover: Change, change: Change) -> None:
        """Its bytes may stand in an image; that is looked for at the end."""
        self.put_back(change)

    def _is_before(self, change: Change) -> bool:
        now = self.now(change.path)
        if not now.same_content(change.before) or makes_way(change):
            return False
        same_mode = change.before.mode == change.after.mode or None in {change.before.mode, change.after.mode}
        return change.before.kind is not Kind.FILE or same_mode or now.mode == change.before.mode


def _told(path: str, entry: Entry, overlap: Overlap | None) -> str:
    why = "something else stands there" if overlap is None else overlap.why
    return f"{path}: {why} since entry {entry.number}"


def _title(to: int, only: Only) -> str:
    what = f" of {', '.join(only.to_json())}" if only else ""
    return f"Rewind{what} to " + (f"after entry {to}" if to else "before the first entry")


def _nothing(to: int, only: Only) -> WorkroomError:
    return WorkroomError(
        ErrorCode.NOT_FOUND,
        f"{_title(to, only)}: nothing to do, all that the history knows of stands so already.",
        details={"nothing": True},
    )


def _forgotten(paths: Sequence[str]) -> WorkroomError:
    more = f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else ""
    return WorkroomError(
        ErrorCode.NOT_FOUND,
        f"Earlier contents are no longer kept (history_quota_bytes), or were changed by another program before anybody "
        f"had seen them: {', '.join(paths[:SHOWN])}{more}. Nothing was changed.",
        next_step="Rewind less far, leave these paths out, or force it, which leaves them as they are.",
        details={"paths": list(paths[:100]), "total": len(paths)},
    )
