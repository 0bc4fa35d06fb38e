r"""Three-way merge: two changes of the same file made into one, line by line, as git does it.

    base ──> ours      what stands now                  changed on one side only   that side's lines
      └────> theirs    what somebody wants to write     changed alike on both      those lines, once
                                                        anything else              a conflict, shown and not guessed

Changes that touch, without an unchanged line between them, conflict, as in git. `git merge-file` gives the same verdict
and the same bytes wherever both compare the sides alike. They don't where git slides a change through a long run of
equal lines, for `text/diff` looks at what lies between the first and the last difference; and where there is too much
to compare, which is one change here. Then there are more conflicts, or a line stands at the other end of its run.

Bytes are kept: endings, byte order mark, encoding and final newline come from the side that changed them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from workroom.text.diff import Block, line_blocks
from workroom.text.encoding import decode

__all__ = ["LARGEST_BYTES", "Merge", "Obstacle", "Region", "merge_files", "merge_texts"]

LARGEST_BYTES = 20_000_000
"""Bytes a side that are merged line by line."""

Obstacle: TypeAlias = Literal["", "binary", "encoding", "too_large", "overlap"]
"""Why there is no merged content; empty where there is one."""

_BOM = b"\xef\xbb\xbf"
_WIDE = ("utf-16", "utf-32")


@dataclass(frozen=True, slots=True)
class Region:
    """Lines that both sides changed, and not alike.

    Lines count from 1; a side of no lines starts at the line before it, so at 0 in an empty file. What both sides have
    in common at the beginning and the end of their lines is left out of theirs and ours, not of the base's.
    """

    base_start: int
    base_lines: int
    ours_start: int
    ours_lines: int
    theirs_start: int
    theirs_lines: int
    base: str
    ours: str
    theirs: str


@dataclass(frozen=True, slots=True)
class Merge:
    """The merged bytes; or None, why not (`obstacle`), and for `overlap` the regions."""

    data: bytes | None
    conflicts: tuple[Region, ...] = ()
    obstacle: Obstacle = ""


def merge_files(base: bytes, ours: bytes, theirs: bytes) -> Merge:
    """A file changed from `base` to `ours` and to `theirs`, with both changes.

    What is no text, or in several encodings, is merged only where one side changed nothing, or both did the same.
    """
    if ours in (base, theirs):
        return Merge(theirs)
    if theirs == base:
        return Merge(ours)
    if max(map(len, (base, ours, theirs))) > LARGEST_BYTES:
        return Merge(None, obstacle="too_large")
    coding, obstacle = _common_coding((base, ours, theirs))
    if obstacle:
        return Merge(None, obstacle=obstacle)
    marks = [_mark(side, coding) for side in (base, ours, theirs)]
    texts = [side.removeprefix(mark).decode(coding) for side, mark in zip((base, ours, theirs), marks, strict=True)]
    text, conflicts = merge_texts(*texts)
    if text is None:
        return Merge(None, tuple(_readable(region, coding) for region in conflicts), "overlap")
    # An encoding has one mark: whoever differs from the base has put it in, or taken it away.
    mark = marks[2] if marks[1] == marks[0] else marks[1]
    return Merge(mark + text.encode(coding))


def merge_texts(base: str, ours: str, theirs: str) -> tuple[str | None, tuple[Region, ...]]:
    r"""The merged text, or None and the regions that conflict. Lines end at `\n` only, as in git."""
    if ours in (base, theirs):
        return theirs, ()
    if theirs == base:
        return ours, ()
    sides = _Sides(_lines(base), _lines(ours), _lines(theirs))
    parts: list[str] = []
    conflicts: list[Region] = []
    at = 0
    for chunk in _chunks(line_blocks(base, ours), line_blocks(base, theirs)):
        mine, yours = sides.ours[chunk.ours[0] : chunk.ours[1]], sides.theirs[chunk.theirs[0] : chunk.theirs[1]]
        parts += sides.base[at : chunk.base[0]]
        at = chunk.base[1]
        if chunk.changed == "theirs":
            parts += yours
        elif chunk.changed == "ours" or mine == yours:
            parts += mine
        else:
            conflicts.append(sides.region(chunk))
    if conflicts:
        return None, tuple(conflicts)
    return "".join([*parts, *sides.base[at:]]), ()


Span: TypeAlias = tuple[int, int]
"""Lines from one to another: from 0, the end not included."""


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Changes that touch each other, as far as they reach on each side."""

    base: Span
    ours: Span
    theirs: Span
    changed: Literal["ours", "theirs", "both"]


@dataclass(frozen=True, slots=True)
class _Sides:
    base: list[str]
    ours: list[str]
    theirs: list[str]

    def region(self, chunk: _Chunk) -> Region:
        (a, b), (c, d), (e, f) = chunk.base, chunk.ours, chunk.theirs
        while c < d and e < f and self.ours[c] == self.theirs[e]:
            c, e = c + 1, e + 1
        while c < d and e < f and self.ours[d - 1] == self.theirs[f - 1]:
            d, f = d - 1, f - 1
        return Region(
            base_start=a + (b > a),
            base_lines=b - a,
            ours_start=c + (d > c),
            ours_lines=d - c,
            theirs_start=e + (f > e),
            theirs_lines=f - e,
            base="".join(self.base[a:b]),
            ours="".join(self.ours[c:d]),
            theirs="".join(self.theirs[e:f]),
        )


def _chunks(ours: Sequence[Block], theirs: Sequence[Block]) -> Iterator[_Chunk]:
    """The changes of both sides in the order of the base, those that touch in one."""
    waiting = (list(reversed(ours)), list(reversed(theirs)))
    shifts = [0, 0]  # how many lines each side is ahead of the base
    while any(waiting):
        start = min(side[-1][0] for side in waiting if side)
        end, counts, grown = start, [0, 0], [0, 0]
        taken = True
        while taken:
            taken = False
            for n, side in enumerate(waiting):
                if side and side[-1][0] <= end:
                    a, b, c, d = side.pop()
                    end, counts[n], grown[n] = max(end, b), counts[n] + 1, grown[n] + (d - c) - (b - a)
                    taken = True
        spans = [(start + shift, end + shift + more) for shift, more in zip(shifts, grown, strict=True)]
        shifts = [shift + more for shift, more in zip(shifts, grown, strict=True)]
        changed: Literal["ours", "theirs", "both"] = "both" if all(counts) else "ours" if counts[0] else "theirs"
        yield _Chunk((start, end), spans[0], spans[1], changed)


def _common_coding(sides: Sequence[bytes]) -> tuple[str, Obstacle]:
    """How the bytes of all sides become text: UTF-16 or UTF-32 as they are; all others byte by byte, for in each of
    them a line ends with the byte 10, and what isn't touched then stays whatever it means.

    `encoding`: they don't agree, so that lines of one would be gibberish in the other. `binary`: one is no text.
    """
    found = {_coding(side) for side in sides if side}
    if "binary" in found:
        return "", "binary"
    wide = next((coding for coding in found if coding.startswith(_WIDE)), None)
    if len(found if wide else found - {"ascii"}) > 1:
        return "", "encoding"
    return wide or "latin-1", ""


def _coding(side: bytes) -> str:
    """The kind of a side's encoding: ascii, which goes with every other, utf-8, utf-16-le …, other, or binary."""
    if side.isascii() and b"\0" not in side:
        return "ascii"
    if b"\0" not in side:
        try:
            side.decode()
        except UnicodeDecodeError:
            pass
        else:
            return "utf-8"
    file = decode(side)
    if file is None:
        return "binary"
    return file.encoding if file.encoding.startswith(_WIDE) else "other"


def _mark(side: bytes, coding: str) -> bytes:
    """The byte order mark that a side begins with."""
    if coding == "latin-1":
        return _BOM if side.startswith(_BOM) else b""
    file = decode(side)
    return b"" if file is None else file.bom


def _readable(region: Region, coding: str) -> Region:
    if coding != "latin-1":
        return region
    base, ours, theirs = (
        text.encode(coding).decode("utf-8", "backslashreplace") for text in (region.base, region.ours, region.theirs)
    )
    return replace(region, base=base, ours=ours, theirs=theirs)


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
