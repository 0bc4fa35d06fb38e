r"""A unified diff with its line numbers, as lines that say what each is. Pure.

       old   new
        12    12   kept
        13        -taken away
              13  +put in

A line's number is counted from its hunk's header. A long run of blanks has been replaced by a marker before the text
came here, lines of it included: from such a marker on nothing in the text can be trusted to be a header or to have a
number, so none is given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

__all__ = ["Line", "number_lines"]

Kind = Literal["plain", "file", "hunk", "kept", "added", "removed"]

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_SWALLOWED = re.compile(r"⟨\d+ blanks, \d+ line ends⟩$")
_FILE = ("diff --git ", "--- ", "+++ ", "old mode ", "new mode ", "new file mode ", "deleted file mode ",
         "similarity index ", "rename from ", "rename to ", "Binary files ")  # fmt: skip
_KINDS: dict[str, Kind] = {" ": "kept", "+": "added", "-": "removed"}


@dataclass(frozen=True, slots=True)
class Line:
    """One line: what it is, its number before and after (None where it has none), and its text."""

    kind: Kind
    old: int | None
    new: int | None
    text: str


class _Hunk:
    """Where a hunk stands: the next numbers, and how many lines of each side are still to come."""

    def __init__(self, header: re.Match[str]) -> None:
        old, olds, new, news = header.groups()
        self.old, self.new = int(old), int(new)
        self.olds = 1 if olds is None else int(olds)
        self.news = 1 if news is None else int(news)

    def take(self, text: str) -> Line | None:
        """The next line of the hunk, or None when this is none of its lines."""
        kind = _KINDS.get(text[:1])
        in_old, in_new = kind in {"kept", "removed"}, kind in {"kept", "added"}
        if kind is None or (in_old and not self.olds) or (in_new and not self.news):
            return None
        line = Line(kind, self.old if in_old else None, self.new if in_new else None, text)
        self.old, self.olds = self.old + in_old, self.olds - in_old
        self.new, self.news = self.new + in_new, self.news - in_new
        return line


def number_lines(diff: str) -> Iterator[Line]:
    """The lines of a text that holds unified diffs; what stands around them is plain."""
    hunk: _Hunk | None = None
    lost = False
    for text in diff.removesuffix("\n").split("\n"):
        header = None if lost else _HUNK.match(text)
        counted = hunk.take(text) if hunk and not lost else None
        if counted is not None:
            yield counted
        elif header is not None:
            hunk = _Hunk(header)
            yield Line("hunk", None, None, text)
        else:
            yield Line("file" if not lost and text.startswith(_FILE) else "plain", None, None, text)
        lost = lost or _SWALLOWED.search(text) is not None
