"""A part of a file that is too long to be shown whole: any bytes of it, at once. Descriptors in, text out.

    From(start)   the part that begins there; to the end of a line, if one ends in it
    UpTo(end)     the part that ends there; from the beginning of a line, if one begins in it

Nothing but the part and the file's beginning, which tells the encoding, is read; to number its lines also what is
before it, up to `NUMBERED` bytes. Beyond that the numbers aren't known, and not guessed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.search.pieces import REACH, survey
from workroom.text.encoding import TextFile
from workroom.text.kept import as_shown
from workroom.text.piece import AROUND, Piece, aligned, decode_piece, first_line, whole_lines, width_of

__all__ = ["NUMBERED", "From", "Part", "UpTo", "line_at", "read_part"]

NUMBERED = 64_000_000
"""So far into a file its lines are counted for every part that is shown, in bytes."""

_CHUNK = 1 << 18
_LINE = 64 * 1024
"""So far back the beginning of a line is looked for, where characters can't be told apart otherwise."""

_WITHOUT_MARKS = ("gb18030", "big5", "cp932", "euc-jp", "cp949")
"""Encodings in which a byte doesn't tell whether a character begins with it. In none is a newline part of another."""


@dataclass(frozen=True, slots=True)
class From:
    """What begins at an offset, or with the character that it cuts."""

    start: int


@dataclass(frozen=True, slots=True)
class UpTo:
    """What ends at an offset."""

    end: int


@dataclass(frozen=True, slots=True)
class Part:
    """The text of the bytes from `start` to `end`, of `size`. `first_line` is the number of its first line, which may
    have begun before; None where it isn't known, as `total_lines` of the whole file."""

    text: str
    start: int
    end: int
    size: int
    encoding: str
    lossy: bool
    first_line: int | None
    total_lines: int | None


@dataclass(frozen=True, slots=True)
class _Source:
    descriptor: int
    size: int
    encoding: str
    mark: int
    """Bytes of the byte order mark."""
    ascii: bool
    """Whether the beginning is plain ASCII."""

    def decode(self, data: bytes, *, last: bool) -> Piece:
        return decode_piece(data, self.encoding, last=last, guess=self.ascii)

    def read(self, start: int, end: int) -> bytes:
        pieces = []
        while start < end and (piece := os.pread(self.descriptor, end - start, start)):
            pieces.append(piece)
            start += len(piece)
        return b"".join(pieces)

    def numbers(self) -> bool:
        """Whether a line of it ends in one byte, which can be counted."""
        return width_of(self.encoding) == 1


def read_part(
    descriptor: int, head: TextFile, where: From | UpTo, most: int, fits: Callable[[str], bool] = lambda _: True
) -> Part:
    """At most `most` bytes, and as many of them as `fits` takes of their text. `head` is the file's beginning."""
    source = _source(descriptor, head)
    if isinstance(where, From) and where.start < source.size:
        start = _begin(source, where.start, most)
        data = source.read(start, start + most)
        piece = _largest(len(data), lambda count: _opening(source, data[:count], start), fits)
    else:
        end = min(where.end, source.size) if isinstance(where, UpTo) else source.size
        piece = _largest(min(most, end), lambda count: _ending(source, end, count, most), fits)
        start = end - piece.size
    first, total = _numbers(source, start, piece)
    begins = 0 if start <= source.mark else start
    end = start + piece.size
    return Part(as_shown(piece.text), begins, end, source.size, piece.encoding, piece.lossy, first, total)


def line_at(path: str, descriptor: int, head: TextFile, line: int) -> int:
    """Where a line begins. INVALID_INPUT beyond the last, LIMIT_EXCEEDED where lines aren't counted so far."""
    source = _source(descriptor, head)
    if not source.numbers():
        raise _uncounted(f"The lines of {path} aren't counted: it is {source.encoding}.")
    found = survey(descriptor, source.size, line)
    if found.offset is not None:
        return found.offset
    if found.total is None:
        raise _uncounted(
            f"Line {line:,} of {path} lies beyond its first {REACH:,} bytes; lines are counted up to there."
        )
    raise WorkroomError(ErrorCode.INVALID_INPUT, f"{path} has no line {line:,}; it has {found.total:,}.")


def _uncounted(message: str) -> WorkroomError:
    return WorkroomError(ErrorCode.LIMIT_EXCEEDED, message, next_step="`start_byte` leads to any part of it.")


def _source(descriptor: int, head: TextFile) -> _Source:
    return _Source(descriptor, os.fstat(descriptor).st_size, head.encoding, len(head.bom), head.text.isascii())


def _begin(source: _Source, start: int, most: int) -> int:
    """Where the character begins that an offset cuts; where that can't be told, the line, if that isn't long."""
    if start <= source.mark:
        return source.mark
    if source.encoding in _WITHOUT_MARKS:
        before = source.read(max(source.mark, start - min(_LINE, most // 2)), start)
        newline = before.rfind(b"\n")
        return start if newline < 0 else start - (len(before) - newline - 1)
    low = max(0, start - AROUND)
    around = source.read(low, start + AROUND)
    return aligned(around[: start - low], start, around[start - low :], source.encoding)


def _opening(source: _Source, data: bytes, start: int) -> Piece:
    """What begins at `start`: all of `data` that are whole lines, or of a line that goes on, whole characters."""
    last = start + len(data) >= source.size
    size = len(data) if last else whole_lines(data, source.encoding) or len(data)
    return source.decode(data[:size], last=last)


def _ending(source: _Source, end: int, count: int, most: int) -> Piece:
    """The last `count` bytes before `end`, from the beginning of a line if one begins among them."""
    start = _begin(source, max(end - count, 0), most)
    if start <= source.mark:
        return source.decode(source.read(start, end), last=True)
    width = width_of(source.encoding)
    data = source.read(start - width, end)  # with what may be the end of the line before
    begun = first_line(data, source.encoding)
    return source.decode(data[begun if 0 < begun < len(data) else width :], last=True)


def _largest(top: int, make: Callable[[int], Piece], fits: Callable[[str], bool]) -> Piece:
    """Of the pieces of so many bytes the largest that fits; most often the first."""
    found = make(top)
    if fits(as_shown(found.text)):
        return found
    low, high = 0, top - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(as_shown(make(middle).text)) else (low, middle - 1)
    return make(low)


def _numbers(source: _Source, start: int, piece: Piece) -> tuple[int | None, int | None]:
    """The number of the line in which `start` lies, and how many lines there are, as far as they are counted."""
    begins = 1 if start <= source.mark else None
    if not source.numbers() or "\r" in piece.text.replace("\r\n", ""):
        return begins, None
    reach = source.size if source.size <= NUMBERED else start if start <= NUMBERED else 0
    at, breaks, first, last = 0, 0, begins, b"\n"
    while at < reach and (chunk := source.read(at, min(at + _CHUNK, start if at < start else reach))):
        breaks += chunk.count(b"\n")
        at += len(chunk)
        last = chunk[-1:]
        if at == start:
            first = breaks + 1
    return first, breaks + (last != b"\n") if reach == source.size else None
