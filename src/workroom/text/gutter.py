"""The `12 | ` that a numbered read puts before each line, and that models paste back.

Written into a file it corrupts it, and a search that carries it never matches. It is told from data that uses pipes by
the run: read output is n, n+1, n+2. A genuinely consecutive numeric first column looks the same; for it there is
`allow_line_numbers`. A single numbered line is never called a gutter.
"""

from __future__ import annotations

import re
from itertools import pairwise

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.text.lines import split_lines, without_ending

__all__ = ["carries_gutter", "check_gutter", "strip_gutter"]

_GUTTER = re.compile(r"([1-9][0-9]{0,8}) \|(?: |(?=[\r\n]|\Z))")
"""As `lines.numbered` writes it; the blank after the bar is often lost before an empty line."""


def carries_gutter(text: str) -> bool:
    """Whether most of the non-empty lines carry a number and a bar, at least two, and two in a row count up by one."""
    if "|" not in text:
        return False
    lines = [without_ending(line) for line in split_lines(text)]
    numbers = [int(found[1]) if (found := _GUTTER.match(line)) else None for line in lines]
    carrying = sum(number is not None for number in numbers)
    filled = sum(bool(line.strip()) for line in lines)
    if carrying < 2 or carrying * 2 <= filled:
        return False
    return any(a is not None and b == a + 1 for a, b in pairwise(numbers))


def strip_gutter(text: str) -> str:
    """`text` without the gutter of the lines that carry one."""
    return "".join(_GUTTER.sub("", line, count=1) if _GUTTER.match(line) else line for line in split_lines(text))


def check_gutter(field: str, text: str, allowed: bool) -> None:
    """INVALID_INPUT, naming `field`, when `text` still carries the gutter and the caller didn't allow it."""
    if allowed or not carries_gutter(text):
        return
    raise WorkroomError(
        ErrorCode.INVALID_INPUT,
        f"{field} still carries the line-number gutter (`12 | `) of a numbered read, which isn't part of the file.",
        next_step="Leave it out, or set `allow_line_numbers: true` on the operation if the numbers are meant.",
        details={"field": field},
    )
