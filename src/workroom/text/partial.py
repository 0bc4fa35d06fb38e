"""A file's change in part: some of its hunks without the others, byte for byte.

    pieces_of(before, after)       the hunks that can be taken by themselves; none where the file changes whole
    take(before, after, chosen)    the bytes between the two: the chosen hunks are in, the others are not

Lines are cut as in the diff that is shown, at line feeds of the text; what stands between is bytes, so nothing is
decoded and written anew. In UTF-16 and UTF-32, where a line feed is two or four bytes, both sides must have the same
encoding and mark: then each line's bytes are its own.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Sequence

from workroom.text.diff import Piece, file_pieces
from workroom.text.encoding import TextFile, decode

__all__ = ["pieces_of", "take"]

_WIDE = ("utf-16", "utf-32")
_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""Those of UTF-32 hold NUL, or begin with one of these."""


def pieces_of(before: bytes, after: bytes, *, max_bytes: int = 2_000_000) -> tuple[Piece, ...]:
    """The hunks of a file, as `render_file` shows them. None for what isn't text, or changes its wide encoding."""
    pieces = file_pieces(before, after, max_bytes=max_bytes)
    if not pieces:
        return ()
    old, new = _wide(before), _wide(after)
    if old is None and new is None:
        return pieces
    same = old is not None and new is not None and (old.encoding, old.bom) == (new.encoding, new.bom)
    return pieces if same else ()


def take(before: bytes, after: bytes, chosen: Sequence[Piece]) -> bytes:
    """`before` with the chosen hunks of `pieces_of` applied. All of them give `after`, none gives `before`."""
    old, new = _byte_lines(before), _byte_lines(after)
    parts: list[bytes] = []
    done = 0
    for a, b, c, d in sorted(block for piece in chosen for block in piece.blocks):
        parts += old[done:a]
        parts += new[c:d]
        done = b
    mark = _mark(before)
    return mark + b"".join([*parts, *old[done:]])


def _wide(data: bytes) -> TextFile | None:
    """The text of a file whose characters have two or four bytes each."""
    if b"\0" not in data and not data.startswith(_MARKS):
        return None
    file = decode(data)
    return file if file is not None and file.encoding.startswith(_WIDE) else None


def _mark(data: bytes) -> bytes:
    """The byte order mark that is no part of the first line: of a wide encoding. UTF-8's stands in its line."""
    wide = _wide(data)
    return b"" if wide is None else wide.bom


def _byte_lines(data: bytes) -> list[bytes]:
    wide = _wide(data)
    if wide is None:
        return list(io.BytesIO(data))
    return [line.encode(wide.encoding) for line in io.StringIO(wide.text, newline="\n")]
