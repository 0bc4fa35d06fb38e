r"""A whole new text for a file, in the form in which the file had it: line endings, and bytes that are no text.

Who edits a text hands it back whole, with line endings of its own (`\n`, most often), and with U+FFFD where the file
has bytes that are no text. What wasn't edited must stay as it was, byte for byte.
"""

from __future__ import annotations

import re

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.text.diff import line_blocks
from workroom.text.lines import dominant_ending, line_ending, split_lines, with_ending, without_ending

__all__ = ["as_shown", "kept"]

_LONE_RETURN = re.compile(r"\r(?!\n)")
_PIECE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
r"""A line, where an editor that knows one kind of line ending has made one of each `\r`, too."""
_SURROGATE = re.compile("[\ud800-\udfff]")


def as_shown(text: str) -> str:
    """A text as an answer can carry it: bytes that are no text become U+FFFD."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def kept(original: str, edited: str) -> str:
    """`edited` as the file that holds `original` would have it.

    A file with one kind of line ending keeps it throughout; one that has several keeps each in the lines that weren't
    edited, unless the edited text has several itself. So does a carriage return within a line, at which an editor
    has cut it. Bytes that are no text stay in such lines too. INVALID_INPUT where an edited line has lost them.
    """
    lossy = not original.isascii() and _SURROGATE.search(original) is not None
    ending = line_ending(original)
    cut = ending != "cr" and "\r" not in edited and _LONE_RETURN.search(original) is not None
    if ending in {"lf", "crlf", "cr"}:
        edited = with_ending(edited, dominant_ending(original))
    mixed = ending == "mixed" and line_ending(edited) == "lf"
    if cut:
        return _line_by_line(original, _PIECE.findall(original), _PIECE.findall(edited))
    return _line_by_line(original, split_lines(original), split_lines(edited)) if lossy or mixed else edited


def _line_by_line(original: str, old: list[str], new: list[str]) -> str:
    shown = "".join(_plain(line) for line in old)
    ending = dominant_ending(original)
    found: list[str] = []
    at = 0
    for start, end, first, last in [*line_blocks(shown, "".join(map(_plain, new))), (len(old), len(old), 0, 0)]:
        found += old[at:start]
        for number in range(first, last):
            line = new[number]
            if "\ufffd" in line and any(map(_SURROGATE.search, old[start:end])):
                raise _lost(number + 1)
            own = _ending(old[start + number - first]) if end - start == last - first else ""
            found.append(without_ending(line) + ((own or ending) if _ending(line) else ""))
        at = end
    return "".join(found)


def _ending(line: str) -> str:
    return line[len(without_ending(line)) :]


def _plain(line: str) -> str:
    r"""A line as it is compared: ended by `\n`, if at all, with U+FFFD for what is no text."""
    body = without_ending(line)
    return as_shown(body) + ("\n" if body != line else "")


def _lost(line: int) -> WorkroomError:
    return WorkroomError(
        ErrorCode.INVALID_INPUT,
        f"Line {line} of the new text holds U+FFFD where the file has bytes that are no text; they would be lost.",
        next_step="Leave that line as it was, or write the character that is meant.",
    )
