"""The hunks of a plan by name, so that some of them can be committed without the others.

A hunk's id is made from its path and from the lines that it takes away and puts in, not from where it stands: it stays
the same when another hunk of its file is committed, and never comes to mean other lines. Of several alike in a plan,
each carries the line on which it ends up: that stays, too, while the others are committed, so that a call that is made
again doesn't take the next one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from workroom.base.changes import Change, Kind, digest
from workroom.core.transactions.model import ImageOf
from workroom.text.diff import Heading, Piece
from workroom.text.partial import pieces_of

__all__ = ["Named", "NamedHunk", "heading_of", "name_hunks", "partners"]

_ID_LENGTH = 12


@dataclass(frozen=True, slots=True)
class NamedHunk:
    """One hunk of a file and the id by which it is chosen."""

    id: str
    piece: Piece


Named: TypeAlias = Mapping[str, tuple[NamedHunk, ...]]
"""The hunks of each path that can be taken apart, in the order of the diff."""


def name_hunks(changes: Sequence[Change], image: ImageOf) -> Named:
    """The hunks of every file whose text changes. What is made, deleted, moved or no text is taken whole."""
    bound = partners(changes)
    named: dict[str, tuple[NamedHunk, ...]] = {}
    for change in changes:
        if change.path not in bound:
            pieces = _pieces(change, image)
            if pieces:
                named[change.path] = _named(change.path, pieces)
    return named


def partners(changes: Iterable[Change]) -> Mapping[str, set[str]]:
    """Paths that are one change: where a file moves from and to, also where it is edited or copied on the way."""
    by_path = {change.path: change for change in changes}
    bound: dict[str, set[str]] = {}
    for change in by_path.values():
        source = change.origin or change.like
        old = by_path.get(source or "")
        if old is not None and old.after.kind is Kind.ABSENT:
            bound.setdefault(change.path, set()).add(old.path)
            bound.setdefault(old.path, set()).add(change.path)
    return bound


def heading_of(hunks: Sequence[NamedHunk]) -> Heading | None:
    """Names the hunks of one file in the diff, in their order."""
    ids = iter(hunks)
    return (lambda _removed, _added: next(ids).id) if hunks else None


def _pieces(change: Change, image: ImageOf) -> tuple[Piece, ...]:
    files = change.before.kind is change.after.kind is Kind.FILE
    if not files or change.before.sha256 == change.after.sha256:
        return ()
    before, after = image(change.before.sha256), image(change.after.sha256)
    return () if before is None or after is None else pieces_of(before, after)


def _named(path: str, pieces: Sequence[Piece]) -> tuple[NamedHunk, ...]:
    names = ["h" + digest([path, piece.removed, piece.added])[:_ID_LENGTH] for piece in pieces]
    alike = Counter(names)
    return tuple(
        NamedHunk(name if alike[name] == 1 else f"{name}.{_line(piece)}", piece)
        for name, piece in zip(names, pieces, strict=True)
    )


def _line(piece: Piece) -> int:
    """The line of the file as it will be, from 1, at which the piece stands: no other piece's commit moves that."""
    return min(block[2] for block in piece.blocks) + 1
