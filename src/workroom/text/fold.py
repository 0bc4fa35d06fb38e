"""Unicode punctuation and composition folded to what a keyboard types, with the way back.

Curly quotes, dashes, odd blanks and the ellipsis become ASCII, and the rest is composed (NFC), so that a text copied by
a model can be found again in the file that it was copied from.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Iterator

__all__ = ["FoldedLine", "fold"]

_PLAIN = {
    "'": "\u2018\u2019\u201a\u201b\u2032\u02bc",
    '"': "\u201c\u201d\u201e\u201f\u2033",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212",
    " ": "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000",
    "...": "\u2026",
}
_TABLE = {ord(fancy): plain for plain, all_fancy in _PLAIN.items() for fancy in all_fancy}


def fold(text: str) -> str:
    """`text` with plain punctuation, composed."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", text.translate(_TABLE))


class FoldedLine:
    """Where each part of a folded line came from."""

    def __init__(self, line: str) -> None:
        self._folded = [0]
        self._original = [0]
        for part in _clusters(line):
            self._folded.append(self._folded[-1] + len(fold(part)))
            self._original.append(self._original[-1] + len(part))

    def origin(self, offset: int) -> int | None:
        """The place in the line of a place in its folded form; None within a character that was folded to several."""
        at = bisect_left(self._folded, offset)
        return self._original[at] if self._folded[at] == offset else None


def _clusters(line: str) -> Iterator[str]:
    """The line in parts that can be composed each by itself."""
    start = 0
    for at, character in enumerate(line):
        if at > start and not _extends(character):
            yield line[start:at]
            start = at
    if line:
        yield line[start:]


def _extends(character: str) -> bool:
    """Whether the character may be composed with the one before it: a mark, or a vowel or final of Hangul."""
    if character < "\u0300":
        return False
    return unicodedata.category(character)[0] == "M" or "\u1160" <= character <= "\u11ff"
