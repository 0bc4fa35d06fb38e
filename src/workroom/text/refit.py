"""What takes the place of a text that was found: the replacement, made to fit the file.

Lines that search and replacement share stay the file's own, byte for byte. New lines take the file's line ending, and
the shift of indent under which the search was found. In a line that changed, the file's own punctuation stays where
search and replacement agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any

from workroom.text.fold import FoldedLine, fold
from workroom.text.ladder import TAB_WIDTHS, Rung, columns, indent_of
from workroom.text.lines import dominant_ending, split_lines, with_ending, without_ending

__all__ = ["file_ending", "refit"]

_MOST_PAIRS = 40_000
"""Lines of search times lines of replacement that are compared each with each; beyond, only top and bottom are."""


def file_ending(text: str, region: str = "") -> str | None:
    """The ending that new lines take: that of the region they come to, else of the file; None where it has none."""
    if "\n" in region:
        return dominant_ending(region)
    return dominant_ending(text) if "\n" in text or "\r" in text else None


def refit(region: str, search: str, replacement: str, rung: Rung, ending: str | None) -> str:
    """The text to put where `region` was found by `search` on `rung`."""
    if rung == "exact" and ("\n" not in region or with_ending(region, ending or "\n") == region):
        return _converted(replacement, ending)
    ours, old, new = split_lines(region), split_lines(search), split_lines(replacement)
    if _ends(search) and not _ends(region):  # the file's last newline is missing, and stays so
        old, new = _without_last_newline(old), _without_last_newline(new)
    ours += [""] * (len(old) - len(ours))  # the search ended in a line of blanks, which the file needn't have
    shift = _shift(ours, old) if rung in {"indent", "unicode"} else _as_is
    return "".join(_lines(ours, old, new, lambda line: _converted(_indented(line, shift), ending), rung))


def _lines(ours: list[str], old: list[str], new: list[str], fit: Callable[[str], str], rung: Rung) -> Iterator[str]:
    for tag, start, end, new_start, new_end in _steps(old, new):
        if tag == "equal":
            yield from ours[start:end]
        elif rung == "unicode" and end - start == new_end - new_start:
            for mine, before, after in zip(ours[start:end], old[start:end], new[new_start:new_end], strict=True):
                yield _merged(mine, fit(before), fit(after))
        else:
            yield from map(fit, new[new_start:new_end])


def _steps(old: list[str], new: list[str]) -> Iterator[tuple[str, int, int, int, int]]:
    """Difflib's opcodes, with common lines at top and bottom found first and too large a middle left uncompared."""
    before, after = [_key(line) for line in old], [_key(line) for line in new]
    top = _shared(before, after)
    bottom = _shared(before[top:][::-1], after[top:][::-1])
    old_end, new_end = len(old) - bottom, len(new) - bottom
    yield "equal", 0, top, 0, top
    if (old_end - top) * (new_end - top) <= _MOST_PAIRS:
        middle = SequenceMatcher(None, before[top:old_end], after[top:new_end], autojunk=False)
        for tag, a, b, c, d in middle.get_opcodes():
            yield tag, top + a, top + b, top + c, top + d
    else:
        yield "replace", top, old_end, top, new_end
    yield "equal", old_end, len(old), new_end, len(new)


def _shared(a: Sequence[Any], b: Sequence[Any]) -> int:
    """How many items both begin with."""
    return next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _key(line: str) -> tuple[str, bool]:
    return without_ending(line), _ends(line)


def _ends(text: str) -> bool:
    return text.endswith(("\n", "\r"))


def _without_last_newline(lines: list[str]) -> list[str]:
    return [*lines[:-1], *map(without_ending, lines[-1:])]


def _converted(text: str, ending: str | None) -> str:
    """`text` with the file's endings; a lone CR without any newline is a character, not an ending."""
    return text if ending is None or "\n" not in text else with_ending(text, ending)


def _as_is(indent: str) -> str:
    return indent


def _indented(line: str, shift: Callable[[str], str]) -> str:
    """The line with its indent shifted; a blank line gets none."""
    indent = indent_of(line)
    body = line[len(indent) :]
    return shift(indent) + body if without_ending(body) else body


def _shift(ours: list[str], old: list[str]) -> Callable[[str], str]:
    """How an indent of the search becomes the file's, learned from the lines that were found."""
    pairs = [
        (indent_of(fold(mine)), indent_of(fold(line)))
        for mine, line in zip(ours, old, strict=True)
        if mine.strip() and line.strip()
    ]
    first, theirs = pairs[0]
    deeper, shallower = first[: len(first) - len(theirs)], theirs[: len(theirs) - len(first)]
    if all(mine == deeper + line for mine, line in pairs):
        return lambda indent: deeper + indent
    if all(line == shallower + mine for mine, line in pairs):
        return lambda indent: indent[len(shallower) :] if indent.startswith(shallower) else ""
    return _by_columns(pairs)


def _by_columns(pairs: list[tuple[str, str]]) -> Callable[[str], str]:
    """The shift counted in columns, written with tabs where the file's lines have them."""

    def steps(width: int) -> set[int]:
        return {columns(mine, width) - columns(line, width) for mine, line in pairs}

    width = min(TAB_WIDTHS, key=lambda width: len(steps(width)))
    step = steps(width).pop()
    tabs = any("\t" in mine for mine, _ in pairs)

    def shift(indent: str) -> str:
        reach = max(0, columns(indent, width) + step)
        return "\t" * (reach // width) + " " * (reach % width) if tabs else " " * reach

    return shift


def _merged(mine: str, before: str, after: str) -> str:
    """`after`, with the file's own characters where it begins and ends like `before`, whose folded form is the file's.

    All three are single lines, `before` already in the file's indent.
    """
    own, old, new = (without_ending(line).rstrip() for line in (mine, before, after))
    folded = fold(old)
    head = old[: _shared(old, new)]
    ends_alike = _shared(old[len(head) :][::-1], new[len(head) :][::-1])
    tail = old[len(old) - ends_alike :]
    if fold(own) != folded or not folded.startswith(fold(head)) or not folded.endswith(fold(tail)):
        return after
    places = FoldedLine(own)
    start, end = places.origin(len(fold(head))), places.origin(len(folded) - len(fold(tail)))
    if start is None or end is None:
        return after
    return own[:start] + new[len(head) : len(new) - len(tail)] + own[end:] + after[len(new) :]
