r"""The ladder that finds an edit's text: normalisations only, and the first rung with any match decides.

    exact             str.find
    line_endings      `\r\n`, `\n` and `\r` are one; a missing last newline counts as there
    trailing_blanks   blanks at the ends of lines don't count
    indent            whole lines, all shifted by the same columns, or with tabs for spaces
    unicode           curly quotes, dashes, odd blanks and the ellipsis are their plain forms; composed (NFC)

Each rung includes those before it. `unicode` looks first for text that keeps its indent, which may lie within a line,
then for whole lines that are shifted. Nothing here is similarity. The work is linear in text and search together; as
it goes line by line from `trailing_blanks` on, only the first two rungs are tried where either is large.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Literal, TypeAlias, get_args

from workroom.text.fold import FoldedLine, fold
from workroom.text.lines import split_lines, with_ending, without_ending

__all__ = [
    "MOST_SPANS",
    "RUNGS",
    "TAB_WIDTHS",
    "Found",
    "Rung",
    "columns",
    "find",
    "indent_of",
    "is_large",
    "loosest",
]

Rung = Literal["exact", "line_endings", "trailing_blanks", "indent", "unicode"]
RUNGS: tuple[Rung, ...] = get_args(Rung)

MOST_SPANS = 1_000
"""Matches that are listed when the caller doesn't want more."""
TAB_WIDTHS = (4, 8, 2)
"""What a tab may stand for, in columns, the likeliest first."""
_MOST_MISSES = 1_000
"""Places that looked right and weren't, after which a rung gives up: only hostile text has as many."""
_LARGEST_TEXT = 4_000_000
_LARGEST_LINES = 250_000
"""Characters and lines up to which a text is matched loosely; so much takes about a second."""
_STEP = 4_096
_BLANKS = " \t"

Span: TypeAlias = tuple[int, int]
Squash: TypeAlias = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Found:
    """Where a text was found: the rung that decided, and the places as offsets, in order, none overlapping.

    `more` says that there are further matches beyond the limit.
    """

    rung: Rung
    spans: tuple[Span, ...]
    more: bool = False


def find(text: str, search: str, limit: int = MOST_SPANS) -> Found | None:
    """All places of `search` in `text` on the first rung that has any; None when no rung has, or `search` is empty.

    Only `exact` and `line_endings` are tried when either text `is_large`.
    """
    if not search:
        return None
    found = _take("exact", _exact(text, search), limit) or _take("line_endings", _endings(text, search), limit)
    if found is not None or not search.strip() or is_large(text) or is_large(search):
        return found
    rungs = _LADDER[:2] if text.isascii() and search.isascii() else _LADDER
    cut, wanted = _Cut(text), _Cut(search)
    for rung, seek in rungs:
        found = _take(rung, seek(cut, wanted), limit)
        if found is not None:
            return found
    return None


def is_large(text: str) -> bool:
    """Whether a text has too many characters or lines to be matched loosely."""
    return len(text) > _LARGEST_TEXT or max(text.count("\n"), text.count("\r")) > _LARGEST_LINES


def loosest(*rungs: Rung) -> Rung:
    """The rung that forgives the most; `exact` of none."""
    return max(rungs, key=RUNGS.index, default="exact")


def indent_of(line: str) -> str:
    """The blanks that a line begins with."""
    return line[: len(line) - len(line.lstrip(_BLANKS))]


def columns(indent: str, width: int) -> int:
    """How far an indent reaches where a tab stops at each multiple of `width`."""
    return len(indent.expandtabs(width)) if "\t" in indent else len(indent)


class _Cut:
    """A text in lines: the content of each, and where it starts (and, last, where the text ends)."""

    def __init__(self, text: str) -> None:
        lines = split_lines(text)
        self.text = text
        self.contents = [without_ending(line) for line in lines]
        self.starts = list(accumulate(map(len, lines), initial=0))
        self.complete = bool(lines) and lines[-1] != self.contents[-1]
        self._folded: dict[int, FoldedLine] = {}

    def place(self, line: int, column: int, squash: Squash) -> int | None:
        """The offset of a column of a squashed line; None within a character that was folded to several."""
        start = self.starts[line]
        if not column or squash is not _folded or self.contents[line].isascii():
            return start + column
        if line not in self._folded:
            self._folded[line] = FoldedLine(self.contents[line])
        origin = self._folded[line].origin(column)
        return None if origin is None else start + origin


def _take(rung: Rung, spans: Iterator[Span | None], limit: int) -> Found | None:
    """The spans up to the limit. A None is a place that looked right and wasn't."""
    taken: list[Span] = []
    misses = 0
    for span in spans:
        if span is None:
            misses += 1
            if misses > _MOST_MISSES:
                return None
        elif len(taken) == limit:
            return Found(rung, tuple(taken), more=True)
        else:
            taken.append(span)
    return Found(rung, tuple(taken)) if taken else None


def _exact(text: str, search: str) -> Iterator[Span]:
    if (search[0] == "\n" or search[-1] == "\r") and "\r\n" in text:
        return  # it could begin or end inside a CRLF; the next rung can't
    at = text.find(search)
    while at >= 0:
        yield at, at + len(search)
        at = text.find(search, at + len(search))


def _endings(text: str, search: str) -> Iterator[Span | None]:
    """The search anywhere in the text, all lines of both ending alike, and the last one of the text too."""
    hay, needle, origin = _unified(text), _unified(search), _origin(text)
    hay += "" if hay.endswith("\n") else "\n"
    at = hay.find(needle)
    while at >= 0:
        span = _span(origin(at), origin(at + len(needle)))
        yield span
        at = hay.find(needle, at + (len(needle) if span else 1))


def _unified(text: str) -> str:
    r"""The text with `\n` for each ending of `lines.split_lines` and `without_ending`."""
    unified = with_ending(text, "\n")
    return unified[:-1] + "\n" if unified.endswith("\r") else unified


def _origin(text: str) -> Callable[[int], int]:
    """From a place in the unified text to that in the text itself; what is beyond its end becomes its end."""
    if "\r\n" not in text:
        return lambda place: min(place, len(text))
    steps = (text.count("\r\n", max(0, at - 1), at + _STEP) for at in range(0, len(text), _STEP))
    pairs = list(accumulate(steps, initial=0))

    def place_of(at: int) -> int:
        step = at // _STEP
        return at - pairs[step] - text.count("\r\n", max(0, step * _STEP - 1), at)

    return lambda place: bisect_right(range(len(text) + 1), place, key=place_of) - 1


def _flow(squash: Squash, cut: _Cut, wanted: _Cut) -> Iterator[Span | None]:
    """The search anywhere in the text, both with squashed lines."""
    hay_lines = [squash(content) for content in cut.contents]
    hay = "".join(line + "\n" for line in hay_lines)
    starts = list(accumulate((len(line) + 1 for line in hay_lines), initial=0))
    last = wanted.contents[-1]
    # The search's last line ended in blanks that were squashed: only the end of a line can stand there.
    to_line_end = not wanted.complete and squash(last) != squash(last + "|")[:-1]
    needle = "\n".join(map(squash, wanted.contents)) + ("\n" if wanted.complete or to_line_end else "")

    def origin(offset: int) -> int | None:
        line = bisect_right(starts, offset) - 1
        return cut.place(line, offset - starts[line], squash)

    at = hay.find(needle)
    while at >= 0:
        span = _span(origin(at), origin(at + len(needle) - to_line_end))
        yield span
        at = hay.find(needle, at + (len(needle) if span else 1))


def _block(squash: Squash, cut: _Cut, wanted: _Cut) -> Iterator[Span | None]:
    """The search as whole lines with another indent, under the first width of a tab that finds any."""
    if "\0" in cut.text or "\0" in wanted.text:
        return  # NUL is what separates indent and body below
    hay, needle = [squash(content) for content in cut.contents], [squash(content) for content in wanted.contents]
    for width in TAB_WIDTHS if "\t" in cut.text or "\t" in wanted.text else TAB_WIDTHS[:1]:
        found = False
        for lines in _blocks(hay, needle, width):
            if lines is None:
                yield None
                continue
            found = True
            first, last = lines
            yield _span(
                cut.starts[first],
                cut.starts[last + 1] if wanted.complete else cut.place(last, len(hay[last]), squash),
            )
        if found:
            return


def _blocks(hay_lines: list[str], needle_lines: list[str], width: int) -> Iterator[tuple[int, int] | None]:
    """First and last line of each run of lines that has the needle's bodies and the needle's steps of indent."""
    blank_before = next(n for n, line in enumerate(needle_lines) if line)
    units = _outline(hay_lines, width)
    starts = list(accumulate(map(len, units), initial=0))
    hay, needle = "".join(units), "".join(_outline(needle_lines[blank_before:], width))
    needle = needle[needle.index("\0") :]  # the step to the first line is what may differ
    free = 0
    at = hay.find(needle)
    while at >= 0:
        line = bisect_right(starts, at) - 1
        first, last = line - blank_before, line + len(needle_lines) - blank_before - 1
        good = first >= free and not any(hay_lines[first:line])
        if good:
            free = last + 1
        yield (first, last) if good else None
        at = hay.find(needle, at + (len(needle) if good else 1))


def _span(start: int | None, end: int | None) -> Span | None:
    """None where an end lies within a folded character, and for the newline that the last line lacks by itself."""
    return (start, end) if start is not None and end is not None and start < end else None


def _outline(lines: list[str], width: int) -> list[str]:
    """Each line as `step NUL body newline`, the step being its indent less that of the last line with a body."""
    units: list[str] = []
    previous = 0
    for line in lines:
        body = line.lstrip(_BLANKS)
        if body:
            indent = columns(line[: len(line) - len(body)], width)
            units.append(f"{indent - previous}\0{body}\n")
            previous = indent
        else:
            units.append("\0\n")
    return units


def _trimmed(content: str) -> str:
    return content.rstrip(_BLANKS)


def _folded(content: str) -> str:
    return fold(content).rstrip(_BLANKS)


_LADDER: tuple[tuple[Rung, Callable[[_Cut, _Cut], Iterator[Span | None]]], ...] = (
    ("trailing_blanks", partial(_flow, _trimmed)),
    ("indent", partial(_block, _trimmed)),
    ("unicode", partial(_flow, _folded)),
    ("unicode", partial(_block, _folded)),
)
