"""What a call would do to the folder, as values: states of paths, changes, and the permit to make them.

The parts:
    State      what is (or shall be) at one path
    Change     one path: before -> after
    ChangeSet  all changes of one transaction; its fingerprint is what an approval is bound to, its effect a denial
    Danger     why something is destructive
    Permit     what the gate gave; a commit takes nothing without one
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

__all__ = ["ABSENT", "UNKNOWN", "Change", "ChangeSet", "Danger", "Kind", "Permit", "State", "digest"]


class Kind(StrEnum):
    """What kind of thing stands at a path. UNKNOWN is what nobody could see before another program changed it."""

    ABSENT = "absent"
    FILE = "file"
    DIRECTORY = "directory"
    SYMLINK = "symlink"
    OTHER = "other"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class State:
    """What is at one path.

    `sha256` is of a file's bytes or a link's target, and empty for a directory and for nothing. `mode` is the
    permission bits (`0o7777`), or None where they don't matter: nothing, a link, a new file that takes the default.
    """

    kind: Kind
    sha256: str = ""
    size: int = 0
    mode: int | None = None

    def same_content(self, other: State) -> bool:
        """Whether kind and bytes agree; permission bits apart."""
        return self.kind == other.kind and self.sha256 == other.sha256


ABSENT = State(Kind.ABSENT)
UNKNOWN = State(Kind.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Change:
    """One path's net change. `path` is canonical: relative to the root, `/`, no links on the way.

    `origin` is the path whose very file (inode, times, attributes) moves here; its own change ends in ABSENT.
    `like` is the path whose owner and attributes a new file takes: the source of a copy.
    `matched` is the loosest rung of the ladder that found the edit's text; `added` and `removed` count lines, and
    are None where the content isn't text, or they weren't counted. `merged`: somebody had changed the path meanwhile,
    and that is in `after`.
    """

    path: str
    before: State
    after: State
    origin: str | None = None
    like: str | None = None
    matched: str = "exact"
    added: int | None = 0
    removed: int | None = 0
    merged: bool = False


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """Net changes of one transaction, sorted by path, one a path."""

    changes: tuple[Change, ...]

    def fingerprint(self, *parts: str) -> str:
        """SHA-256 of the normalised changes with every before-hash, and of `parts` (action, force and the like)."""
        rows = [
            [c.path, str(c.before.kind), c.before.sha256, c.before.mode, str(c.after.kind), c.after.sha256,
             c.after.mode, c.origin, c.like]
            for c in self.changes
        ]  # fmt: skip
        return digest([list(parts), rows])

    def effect(self) -> str:
        """SHA-256 of what stands at each path before and after, however it comes about; empty where nothing changes.

        Of the mode after, only whether it can be executed counts: a copy keeps the others, a new file has the default.
        """
        rows = [
            [c.path, str(c.before.kind), c.before.sha256, c.before.mode, str(c.after.kind), c.after.sha256,
             bool((c.after.mode or 0) & 0o111)]
            for c in self.changes
        ]  # fmt: skip
        return digest(rows) if rows else ""

    def paths(self) -> Iterable[str]:
        return (c.path for c in self.changes)


@dataclass(frozen=True, slots=True)
class Danger:
    """Why something is destructive: the operation, its path, and what would do without (empty where nothing would)."""

    operation: str
    path: str
    alternative: str = ""


@dataclass(frozen=True, slots=True)
class Permit:
    """What the gate gave: the right to make exactly one change set, or one effect outside the folder.

    `fingerprint` is of what may be done; who commits compares it. `approval_id` is consumed with the commit.
    `reason` says why it may run: `auto`, `plan plan_…`, `approval approval_…`, `person`; `decided_by` names who
    accepted that approval.
    """

    fingerprint: str
    reason: str
    approval_id: str | None = None
    decided_by: str = ""


def digest(value: Any) -> str:
    """SHA-256, in hex, of a JSON value written canonically."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()
