r"""Line endings, splitting and numbering.

A line ends at `\n` or `\r\n`. A lone `\r` ends one only in a text that has no `\n` at all (old Mac); elsewhere it
is a character like any other, as are `\x0b`, `\x0c`, `\x85` and U+2028, at which `str.splitlines` would cut.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Literal

__all__ = [
    "LineEnding",
    "dominant_ending",
    "line_ending",
    "numbered",
    "split_lines",
    "with_ending",
    "without_ending",
]

LineEnding = Literal["lf", "crlf", "cr", "mixed", "none"]
r"""`mixed` has both `\n` and `\r\n`; `none` has no line ending."""


def line_ending(text: str) -> LineEnding:
    """How the lines of `text` end."""
    crlf, lf = _counts(text)
    if crlf and lf:
        return "mixed"
    if crlf:
        return "crlf"
    if lf:
        return "lf"
    return "cr" if "\r" in text else "none"


def dominant_ending(text: str) -> str:
    r"""The ending that most lines have, as characters; `\n` when there is none, or as many of each."""
    crlf, lf = _counts(text)
    if crlf or lf:
        return "\r\n" if crlf > lf else "\n"
    return "\r" if "\r" in text else "\n"


def split_lines(text: str) -> list[str]:
    """The lines with their endings; joined, they are `text` again."""
    old_mac = "\n" not in text and "\r" in text
    return list(io.StringIO(text, newline="\r" if old_mac else "\n"))


def without_ending(line: str) -> str:
    """One line of `split_lines` without its ending."""
    if line.endswith("\r\n"):
        return line[:-2]
    return line[:-1] if line.endswith(("\n", "\r")) else line


def with_ending(text: str, ending: str) -> str:
    """`text` with every line ending replaced by `ending`."""
    if "\n" not in text:
        return text.replace("\r", ending)
    unified = text.replace("\r\n", "\n")
    return unified if ending == "\n" else unified.replace("\n", ending)


def numbered(lines: Sequence[str], first: int) -> str:
    r"""The lines behind a gutter that starts at `first` (`12 | text`), joined by `\n`, with none at the end."""
    return "\n".join(f"{number} | {without_ending(line)}" for number, line in enumerate(lines, first))


def _counts(text: str) -> tuple[int, int]:
    crlf = text.count("\r\n")
    return crlf, text.count("\n") - crlf
