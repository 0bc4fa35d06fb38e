"""The nouns of a transaction, as values.

Planned      what a transaction would do: change set, contents, warnings; in memory until it is kept
Transaction  a row of the table: a planned, applied or rolled back transaction
Entry        a line of the history: what was done, by whom, and whether it is undone
Part         how a plan was taken from another, which keeps the rest
Derivation   how a stored transaction came from another: a part of it, or edited by the person
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Literal, Protocol

from workroom.base.actor import Actor
from workroom.base.changes import Change, ChangeSet, Danger, Kind, State
from workroom.system.store import Database

__all__ = [
    "Derivation",
    "Directory",
    "Entry",
    "ImageOf",
    "Kept",
    "Part",
    "Planned",
    "Status",
    "Transaction",
    "Withdraw",
    "change_from_json",
    "change_to_json",
    "file_row",
]

Status = Literal["planned", "applied", "rolled_back", "superseded", "failed"]
ImageOf = Callable[[str], bytes | None]
"""Finds a content by its SHA-256; None when it isn't kept."""


class Kept(Protocol):
    """Contents that are kept, by SHA-256."""

    def has(self, sha: str) -> bool:
        """Whether there is one; it isn't read."""

    def get(self, sha: str) -> bytes | None:
        """All of it, None where it isn't kept."""

    def pieces(self, sha: str) -> Iterable[bytes] | None:
        """The same, a piece at a time."""


Withdraw = Callable[[Database, str, str, str, Callable[[Mapping[str, Any], str], bool]], int]
"""Within the unit of work: a transaction was committed (`commit`) or taken back (`rollback`), whole or in part, by
another. What still waits for a word on doing that is over, unless its arguments and fingerprint pass; answers how many
do."""
Cause = Literal["edit", "rollback", "rewind", "late_write", "recovery", "outside", "git"]
"""`outside` and `git` tell of what another program, or git run by us, has done (observe.py)."""


@dataclass(frozen=True, slots=True)
class Directory:
    """A folder that the operations name (mkdir), and whether it was there before."""

    path: str
    existed_before: bool


@dataclass(frozen=True, slots=True)
class Planned:
    """What a transaction would do.

    `contents` holds the bytes of before- and after-images by SHA-256, as far as they aren't in the store yet.
    `undoes` is the number of the entry that this one takes back, `supersedes` the planned transaction in whose place it
    comes.
    """

    id: str
    cause: Cause
    title: str
    operations: tuple[dict[str, Any], ...]
    change_set: ChangeSet
    fingerprint: str
    contents: Mapping[str, bytes] = field(default_factory=dict)
    directories: tuple[Directory, ...] = ()
    dangers: tuple[Danger, ...] = ()
    asks: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    undoes: int | None = None
    supersedes: str | None = None
    takes_back: tuple[int, ...] = ()
    """Numbers of the entries that a rewind takes back whole."""
    idempotency_key: str | None = None
    kept: bool = False
    part: Part | None = None
    """Of what it is a part, while it isn't stored."""


@dataclass(frozen=True, slots=True)
class Part:
    """How a plan was taken from another.

    `fingerprint` is of the whole as it was then. `rest` has the whole's id: what the commit of the part leaves of it.
    """

    fingerprint: str
    rest: Planned


@dataclass(frozen=True, slots=True)
class Derivation:
    """How a stored transaction came from the one named `source`.

    `part`: it did a part of it, and the rest stayed planned there. `edited`: `person` changed what it would do before
    they accepted it; `patch` is the difference, from what was proposed to what they made of it. `merged`: it was
    committed in the place of the other, which was stale.
    """

    kind: Literal["part", "edited", "merged"]
    source: str
    person: str = ""
    patch: str = ""


@dataclass(frozen=True, slots=True)
class Transaction:
    """A stored transaction. `entry` is its line in the history, None until it is applied."""

    planned: Planned
    status: Status
    actor: Actor
    created_at: float
    entry: int | None = None
    applied_at: float | None = None
    approval_id: str | None = None
    note: str = ""
    """Why an attempt to apply it was taken back."""
    derived: Derivation | None = None
    superseded_by: str | None = None

    @property
    def id(self) -> str:
        return self.planned.id


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the history."""

    number: int
    transaction_id: str
    at: float
    actor: Actor
    cause: str
    title: str
    changes: tuple[Change, ...]
    directories: tuple[Directory, ...] = ()
    undoes: int | None = None
    undone_by: int | None = None
    approval_id: str | None = None
    decided_by: str | None = None
    forgotten: bool = False
    """Whether its before-images were dropped to keep the quota."""
    warnings: tuple[str, ...] = ()
    """What was met on the way: others' work that was left, copies that were kept."""

    @property
    def added(self) -> int:
        return sum(change.added or 0 for change in self.changes)

    @property
    def removed(self) -> int:
        return sum(change.removed or 0 for change in self.changes)


def change_to_json(change: Change) -> dict[str, Any]:
    """A change as it is stored: what is as in most changes isn't written."""
    body = {"path": change.path, "before": _state_row(change.before), "after": _state_row(change.after)}
    more = {name: getattr(change, name) for name in _OPTIONAL}
    return body | {name: value for name, value in more.items() if value != _OPTIONAL[name]}


def change_from_json(body: dict[str, Any]) -> Change:
    """The change that `change_to_json` wrote."""
    before, after = (_state_of(body[side]) for side in ("before", "after"))
    return Change(**{**body, "before": before, "after": after})


_OPTIONAL = {field.name: field.default for field in fields(Change) if field.default is not MISSING}


def _state_row(state: State) -> list[Any]:
    return [str(state.kind), state.sha256, state.size, state.mode]


def _state_of(row: list[Any]) -> State:
    return State(Kind(row[0]), row[1], row[2], row[3])


def file_row(change: Change) -> dict[str, Any]:
    """A change as answers show it: path, change, hashes, counts, the rung that matched."""
    row: dict[str, Any] = {
        "path": change.path,
        "change": _verb(change),
        "beforeSha256": change.before.sha256 or None,
        "afterSha256": change.after.sha256 or None,
        "added": change.added,
        "removed": change.removed,
        "matched": change.matched,
    }
    if change.origin is not None:
        row["from"] = change.origin
    if change.merged:
        row["merged"] = True
    if change.before.kind is Kind.UNKNOWN:
        row["before"] = "unknown"
    return row


def _verb(change: Change) -> str:
    if change.origin is not None:
        return "move"
    if change.after.kind is Kind.DIRECTORY:
        return "mkdir"
    if change.before.kind is Kind.ABSENT:
        return "create"
    if change.after.kind is Kind.ABSENT:
        return "delete"
    return "modify"
