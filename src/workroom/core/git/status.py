"""What `git status --porcelain=v2 -z --branch` says, as values."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass

from workroom.core.git.place import Place

__all__ = ["Row", "Status", "parse_status"]

_WORDS = {
    "M": "modified", "T": "modified", "A": "added", "D": "deleted", "R": "renamed", "C": "copied", "U": "conflicted",
    ".": "unchanged",
}  # fmt: skip
_FIELDS = {"1": 8, "2": 9, "u": 10}
"""Fields before the path, by the kind of a line."""


@dataclass(frozen=True, slots=True)
class Row:
    """One changed path of the workspace.

    `index` and `worktree`: modified, added, deleted, renamed, copied, untracked, conflicted or unchanged. `came_from`
    is the path before a rename or copy; None, too, where that lies outside of the workspace. An untracked repository of
    its own is one row, whose path ends in `/`.
    """

    path: str
    index: str
    worktree: str
    came_from: str | None = None

    @property
    def staged(self) -> bool:
        return self.index not in {"unchanged", "untracked", "conflicted"}


@dataclass(frozen=True, slots=True)
class Status:
    """Branch (None: detached), its commit (None: none yet), upstream, how far apart they are, and the rows."""

    branch: str | None
    commit: str | None
    upstream: str | None
    ahead: int
    behind: int
    rows: tuple[Row, ...]
    version: str = ""
    """What tells this from another: of the commit that it is at, and of each path with its state."""
    staged_version: str = ""
    """The same of what is staged alone, with its contents."""


def parse_status(place: Place, written: bytes) -> Status:
    """The status with paths of the workspace; what lies outside of it is left out."""
    parts = iter(os.fsdecode(written).split("\0"))
    header: dict[str, str] = {}
    rows: list[Row] = []
    told: list[str] = []
    for part in parts:
        if part.startswith("# "):
            name, _, value = part[2:].partition(" ")
            header[name] = value
        elif part:
            origin = next(parts) if part[0] == "2" else None
            rows += _row(place, part, origin)
            told.append(f"{part}\0{origin or ''}")
    head, commit = header.get("branch.head", ""), header.get("branch.oid", "")
    ahead, _, behind = header.get("branch.ab", "+0 -0").partition(" ")
    at = [head, commit]
    return Status(
        branch=None if head == "(detached)" else head,
        commit=None if commit == "(initial)" else commit,
        upstream=header.get("branch.upstream"),
        ahead=int(ahead),
        behind=-int(behind),
        rows=tuple(rows),
        version=_version(at + told),
        staged_version=_version(at + [_staged(part) for part in told if part[0] in "12" and part[2] != "."]),
    )


def _staged(told: str) -> str:
    """Without what it is beside the index: the second letter, and the mode there."""
    kind, letters, where, in_head, in_index, _, rest = told.split(" ", 6)
    return " ".join((kind, letters[0], where, in_head, in_index, rest))


def _version(told: list[str]) -> str:
    return hashlib.sha256(os.fsencode("\0".join(told))).hexdigest()[:20]


def _row(place: Place, part: str, origin: str | None) -> Iterator[Row]:
    kind = part[0]
    if kind == "?":
        path, index, worktree = part[2:], "untracked", "untracked"
    else:
        *fields, path = part.split(" ", _FIELDS[kind])
        index, worktree = (_WORDS[letter] for letter in fields[1])
        if kind == "u":
            index = worktree = "conflicted"
    ours = place.to_root(path)
    if ours is not None:
        yield Row(ours, index, worktree, None if origin is None else place.to_root(origin))
