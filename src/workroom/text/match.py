"""Edits by search and replacement, and by line numbers.

The ladder that finds a text is `ladder`; what takes its place is made to fit in `refit`; what a refused edit tells is
written in `explain`.
"""

from __future__ import annotations

from dataclasses import dataclass

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.text import explain
from workroom.text.ladder import MOST_SPANS, RUNGS, Found, Rung, find, loosest
from workroom.text.lines import split_lines, with_ending, without_ending
from workroom.text.refit import file_ending, refit

__all__ = ["RUNGS", "Edited", "Found", "Rung", "find", "loosest", "replace", "splice"]


@dataclass(frozen=True, slots=True)
class Edited:
    """A file's text after an edit, and the rung on which the edit's text was found."""

    text: str
    rung: Rung


def replace(path: str, text: str, search: str, replacement: str, expected_matches: int = 1) -> Edited:
    """`text` with each place of `search` replaced.

    EDIT_CONFLICT, explained, when it isn't found, or not as often as expected on the first rung that finds any.
    INVALID_INPUT for an empty search and for expecting less than one match. `path` is for messages only.
    """
    _check_replace(path, search, expected_matches)
    found = find(text, search, max(expected_matches, MOST_SPANS))
    if found is None:
        raise explain.not_found(path, text, search, replacement)
    if found.more or len(found.spans) != expected_matches:
        raise explain.wrong_count(path, text, found, expected_matches)
    parts: list[str] = []
    done = 0
    for start, end in found.spans:
        region = text[start:end]
        parts += text[done:start], refit(region, search, replacement, found.rung, file_ending(text, region))
        done = end
    return Edited("".join(parts) + text[done:], found.rung)


def splice(path: str, text: str, start_line: int, delete_count: int, content: str) -> str:
    """`text` with `delete_count` lines from `start_line` (from 1; lines + 1 appends) replaced by `content`.

    `content` takes the file's line endings, and gets the newline that it lacks where lines follow or where the file
    ended with one. INVALID_INPUT for lines that the file doesn't have.
    """
    lines = split_lines(text)
    _check_splice(path, len(lines), start_line, delete_count)
    ending = file_ending(text)
    if ending is not None:
        content = with_ending(content, ending)
    above, below = lines[: start_line - 1], lines[start_line - 1 + delete_count :]
    newline = ending or "\n"
    if content and above and not _complete(above[-1]):
        above[-1] += newline
    if content and not _complete(content) and (below or (lines and _complete(lines[-1]))):
        content += newline
    return "".join([*above, content, *below])


def _complete(line: str) -> bool:
    return line != without_ending(line)


def _check_replace(path: str, search: str, expected_matches: int) -> None:
    if not search:
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            f"search is empty, for {path}.",
            next_step="Give the text to replace, or use splice to insert lines.",
            details={"field": "search"},
        )
    if expected_matches < 1:
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            f"expected_matches is {expected_matches}, for {path}; it is at least 1.",
            details={"field": "expected_matches"},
        )


def _check_splice(path: str, total: int, start_line: int, delete_count: int) -> None:
    field, wrong = "", ""
    if not 1 <= start_line <= total + 1:
        field, wrong = "start_line", f"{start_line} is not within 1 to {total + 1}"
    elif delete_count < 0:
        field, wrong = "delete_count", f"{delete_count} is less than 0"
    elif start_line - 1 + delete_count > total:
        field, wrong = "delete_count", f"{delete_count} lines from line {start_line} on go beyond the end"
    if wrong:
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            f"{field}: {wrong}; {path} has {total} line{'' if total == 1 else 's'}.",
            next_step="Read the file again for its current lines.",
            details={"field": field, "totalLines": total},
        )
