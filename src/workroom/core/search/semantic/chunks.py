"""A file in pieces that are each about one thing: by its definitions, else by so many lines.

class Big      (large: cut open)        lines 1-9    what stands before
  def one                               lines 10-30  Big.one
  def two      (larger than a piece)    lines 31-90  Big.two, lines 91-120  Big.two
the rest                                lines 121-130
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workroom.core.search.syntax.model import Definition, Kind

__all__ = ["Chunk", "divided", "lines_of"]

_LINES = 60
"""A piece is this long; a definition up to half as much more isn't divided."""
_LONGEST = 90
_OVERLAP = 10
"""Lines that two pieces share where nothing says where one ends."""
_WHOLE = frozenset(
    {Kind.CLASS, Kind.STRUCT, Kind.UNION, Kind.ENUM, Kind.INTERFACE, Kind.TRAIT, Kind.IMPL, Kind.MODULE, Kind.TYPE}
    | {Kind.FUNCTION, Kind.METHOD, Kind.MACRO, Kind.HEADING, Kind.TARGET, Kind.TABLE, Kind.ELEMENT}
)
"""What makes a piece of its own. Fields, keys and variables are of one with what is around them."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Lines from `start` to `end`, both included, counted from 1; in which definition they stand, or none."""

    start: int
    end: int
    symbol: str = ""


def lines_of(text: str) -> list[str]:
    """Its lines, as grammars count them; lone carriage returns end lines where no others do."""
    lines = (text if "\n" in text else text.replace("\r", "\n")).split("\n")
    return lines if lines[-1] else lines[:-1]


def divided(lines: Sequence[str], definitions: Sequence[Definition] = ()) -> list[Chunk]:
    """The pieces of a file in its order; those with nothing but blanks are left out."""
    if definitions:
        found = [piece for each in _by_definitions(len(lines), definitions) for piece in _cut(each, 0)]
    else:
        found = list(_cut(Chunk(1, len(lines)), _OVERLAP))
    return [each for each in found if any(line.strip() for line in lines[each.start - 1 : each.end])]


def _by_definitions(count: int, definitions: Sequence[Definition]) -> Iterator[Chunk]:
    """Each definition that is small enough, larger ones from within, and what lies between."""
    owner = [""] * (count + 1)
    number = [0] * (count + 1)
    for place, each in enumerate(definitions, 1):
        if each.kind in _WHOLE and not _stands_in_small(definitions, each):
            span = range(max(1, each.first), min(count, each.last) + 1)
            owner[span.start : span.stop] = [each.qualified] * len(span)
            number[span.start : span.stop] = [place] * len(span)
    start = 1
    for line in range(2, count + 2):
        if line > count or number[line] != number[start]:
            yield Chunk(start, line - 1, owner[start])
            start = line


def _stands_in_small(definitions: Sequence[Definition], each: Definition) -> bool:
    """Whether what it stands in is a piece as it is, or a function."""
    while each.parent is not None:
        each = definitions[each.parent]
        if each.last - each.first < _LINES or each.kind in {Kind.FUNCTION, Kind.METHOD}:
            return True
    return False


def _cut(chunk: Chunk, overlap: int) -> Iterator[Chunk]:
    start = chunk.start
    while chunk.end - start >= _LONGEST:
        yield Chunk(start, start + _LINES - 1, chunk.symbol)
        start += _LINES - overlap
    yield Chunk(start, chunk.end, chunk.symbol)
