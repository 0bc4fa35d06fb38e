"""A piece from the middle of a file as text: no half of a character, whole lines where there are any.

The encoding is known, by its label, from the file's beginning.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable
from dataclasses import dataclass

from workroom.text.encoding import decode

__all__ = ["AROUND", "Piece", "aligned", "decode_piece", "first_line", "whole_lines", "width_of"]

AROUND = 4
"""So many bytes before a place tell where the character begins that it cuts."""

_LEAD = 0xC0
"""From here on a byte begins a character of UTF-8; below it, to 0x80, one goes on."""


@dataclass(frozen=True, slots=True)
class Piece:
    """`text` stands for the first `size` bytes that were given; what is no text is a lone surrogate or U+FFFD."""

    text: str
    size: int
    encoding: str
    lossy: bool


def width_of(encoding: str) -> int:
    """Bytes of the smallest unit."""
    return {"utf-16": 2, "utf-32": 4}.get(encoding[:6], 1)


def aligned(before: bytes, at: int, after: bytes, encoding: str) -> int:
    """The offset `at`, or where the character begins that it cuts: `before` and `after` are the bytes on both sides."""
    width = width_of(encoding)
    if width == 1:
        return at - _cut_before(before, after) if encoding.startswith("utf-8") else at
    odd = at % width
    cut = before[len(before) - odd :] + after
    unit = int.from_bytes(cut[:width], "big" if encoding.endswith("be") else "little")
    return at - odd - (2 if width == 2 and 0xDC00 <= unit < 0xE000 else 0)


def _cut_before(before: bytes, after: bytes) -> int:
    """How many bytes of a character of UTF-8 stand at the end of `before`, whose rest begins `after`."""
    if not after or not 0x80 <= after[0] < _LEAD:
        return 0
    for back in range(1, min(AROUND, len(before) + 1)):
        byte = before[-back]
        if byte >= _LEAD:
            return back if _length(byte) > back else 0
        if byte < 0x80:
            break
    return 0


def _length(lead: int) -> int:
    return 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


def decode_piece(data: bytes, encoding: str, *, last: bool, guess: bool = False) -> Piece:
    """The text in `data`; without the half of a character at its end, unless it is the `last` of the file.

    `guess`: the beginning was plain ASCII, so that an older encoding may come only here.
    """
    codec = encoding.removesuffix("-bom")
    try:
        return _decoded(data, codec, "strict", encoding, last=last)
    except UnicodeDecodeError:
        pass
    if codec != "utf-8":
        return _decoded(data, codec, "replace", encoding, last=last)
    found = decode(data) if guess else None
    if found is None or found.encoding.startswith("utf-"):
        return _decoded(data, codec, "surrogateescape", encoding, last=last)
    return Piece(found.text, len(data), found.encoding, lossy=False)


def _decoded(data: bytes, codec: str, errors: str, encoding: str, *, last: bool) -> Piece:
    decoder = codecs.getincrementaldecoder(codec)(errors)
    text = decoder.decode(data, last)
    kept = decoder.getstate()[0]
    return Piece(text, len(data) - len(kept), encoding, lossy=errors != "strict")


def whole_lines(data: bytes, encoding: str) -> int:
    """How many bytes of `data` are whole lines; 0 where not one is."""
    return _behind(data, encoding, bytes.rfind)


def first_line(data: bytes, encoding: str) -> int:
    """How many bytes the first line of `data` has; 0 where it isn't whole."""
    return _behind(data, encoding, bytes.find)


def _behind(data: bytes, encoding: str, find: Callable[[bytes, bytes, int, int], int]) -> int:
    """The offset behind the newline that `find` finds first; one that lies across two units is none."""
    width = width_of(encoding)
    newline = b"\n" if width == 1 else "\n".encode(encoding)
    low, high = 0, len(data)
    while (at := find(data, newline, low, high)) >= 0:
        if at % width == 0:
            return at + width
        low, high = (low, at + width - 1) if find is bytes.rfind else (at + 1, high)
    return 0
