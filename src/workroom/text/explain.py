"""Why an edit's text wasn't found, or not as often as expected. Nothing here edits: similarity only explains."""

from __future__ import annotations

import re
from collections import Counter
from itertools import accumulate
from typing import Any

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.text.gutter import strip_gutter
from workroom.text.ladder import Found, find, is_large
from workroom.text.lines import numbered, split_lines, without_ending

__all__ = ["Region", "closest_region", "lines_of", "not_found", "wrong_count"]

_MOST_LINES = 20
"""Lines of the file that are shown, and line numbers that are listed."""
_LONGEST_LINE = 200
_MOST_TEXT = 4_000_000
_MOST_SEARCHED = 100_000
"""Characters and lines of a file in which a closest region is looked for."""
_WORD = re.compile(r"\w+")

Region = tuple[int, int]
"""First and last line, from 1."""


def not_found(path: str, text: str, search: str, replacement: str) -> WorkroomError:
    """EDIT_CONFLICT for a search without any match: whether the change is there already, and what is closest."""
    notes: list[str] = []
    details: dict[str, Any] = {"path": path, "matches": 0}
    if is_large(text) or is_large(search):
        notes.append(_too_large("file" if is_large(text) else "search", text if is_large(text) else search))
    _note_already_there(text, replacement, notes, details)
    _note_gutter(text, search, notes, details)
    _note_closest(text, search, notes, details)
    return WorkroomError(
        ErrorCode.EDIT_CONFLICT,
        "\n".join([f"search matches nothing in {path}; nothing was changed.", *notes]),
        next_step="Read the file again and copy search from its current text.",
        details=details,
    )


def wrong_count(path: str, text: str, found: Found, expected: int) -> WorkroomError:
    """EDIT_CONFLICT for a search with more or fewer matches than expected: how many, on which lines."""
    count = _times(len(found.spans), found.more)
    first = [line for line, _ in lines_of(text, found)[:_MOST_LINES]]
    listed = ", ".join(map(str, first)) + (", …" if len(found.spans) > len(first) else "")
    how = "" if found.rung == "exact" else f" (matched by {found.rung})"
    few = len(found.spans) < expected
    return WorkroomError(
        ErrorCode.EDIT_CONFLICT,
        f"search matches {count} in {path}{how}, on lines {listed}; expected_matches is {expected}. "
        "Nothing was changed.",
        next_step=f"Set expected_matches to {len(found.spans)} if all of these are meant."
        if few
        else "Add lines around it to search until it is the only one, or set expected_matches if all are meant.",
        details={
            "path": path,
            "matches": len(found.spans),
            "more": found.more,
            "expectedMatches": expected,
            "lines": first,
            "matched": found.rung,
        },
    )


def lines_of(text: str, found: Found) -> list[Region]:
    """First and last line of each match."""
    ending = "\n" if "\n" in text else "\r"
    regions: list[Region] = []
    line, done = 1, 0
    for start, end in found.spans:
        line, done = line + text.count(ending, done, start), start
        regions.append((line, line + text.count(ending, start, end - 1)))
    return regions


def closest_region(text: str, search: str) -> Region | None:
    """The lines that share the most telling words with `search`, as many as it has; None when they share none.

    A word tells the more the rarer it is in the file. Linear in both texts.
    """
    wanted = set(_WORD.findall(search))
    words = [wanted.intersection(_WORD.findall(line)) for line in split_lines(text)]
    rarity = Counter(word for line in words for word in line)
    if not rarity:
        return None
    weights = [sum(1 / rarity[word] for word in line) for line in words]
    sums = list(accumulate(weights, initial=0.0))
    height = min(max(1, len(split_lines(search.strip("\r\n")))), len(words))
    _, _, start = max(
        (sums[first + height] - sums[first], weights[first], -first) for first in range(len(words) - height + 1)
    )
    return 1 - start, height - start


def _note_already_there(text: str, replacement: str, notes: list[str], details: dict[str, Any]) -> None:
    there = find(text, replacement) if replacement.strip() else None
    if there is None:
        return
    first, last = lines_of(text, there)[0]
    details["alreadyThere"] = {"startLine": first, "endLine": last}
    notes.append(f"This change may already be there: the replacement stands on {_name((first, last))}.")


def _note_gutter(text: str, search: str, notes: list[str], details: dict[str, Any]) -> None:
    bare = search if is_large(search) else strip_gutter(search)
    if bare == search:
        return
    found = find(text, bare)
    matches = len(found.spans) if found else 0
    count = _times(matches, more=found is not None and found.more)
    details["gutter"] = {"matchesWithout": matches}
    notes.append(
        "If this text was copied from a read result, its line numbers (`12 | `) are not part of the file: "
        f"without them search would match {count}."
    )


def _note_closest(text: str, search: str, notes: list[str], details: dict[str, Any]) -> None:
    begun = split_lines(text[:_MOST_TEXT])[:_MOST_SEARCHED]
    part = "".join(begun)
    region = closest_region(part, search[:_MOST_TEXT])
    if region is None:
        where = "the file" if len(part) == len(text) else f"the file's first {len(part):,} characters"
        notes.append(f"No line of {where} resembles it.")
        return
    first, last = region[0], min(region[1], region[0] + _MOST_LINES - 1)
    lines = [_clipped(without_ending(line)) for line in begun[first - 1 : last]]
    shown = numbered(lines, first)
    details["closest"] = {"startLine": first, "endLine": last, "text": shown}
    notes.append(f"The closest text is on {_name((first, last))}:\n{shown}")


def _too_large(what: str, text: str) -> str:
    lines = max(text.count("\n"), text.count("\r"))
    return (
        f"The {what} is too large for loose matching: {len(text) / 1_000_000:.1f} MB, {lines:,} lines; only exact and "
        "line-ending matches were tried."
    )


def _times(count: int, more: bool) -> str:
    return f"{'more than ' if more else ''}{count} time{'' if count == 1 else 's'}"


def _clipped(line: str) -> str:
    """The line cut to a bearable length, its undecodable bytes escaped, for an answer is JSON."""
    cut = line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + "…"
    return cut.encode(errors="backslashreplace").decode()


def _name(region: Region) -> str:
    first, last = region
    return f"line {first}" if first == last else f"lines {first} to {last}"
