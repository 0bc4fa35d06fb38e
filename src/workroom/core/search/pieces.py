"""Large files in pieces: a survey of the whole, the lines at an offset, the last lines. Descriptors in, bytes out.

WHOLE    up to here a file is read whole, and none of this is needed
HASHED   up to here it is read to its end, for its hash and its number of lines
"""

from __future__ import annotations

import errno
import hashlib
import os
from dataclasses import dataclass

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.text.encoding import TextFile, decode

__all__ = [
    "HASHED",
    "LONGEST",
    "REACH",
    "WHOLE",
    "Survey",
    "binary",
    "content_kind",
    "head_of",
    "is_pdf",
    "last_lines",
    "lines_at",
    "sample",
    "survey",
    "wide_offset",
]

WHOLE = 16_000_000
"""Bytes up to which a file is read whole."""

HASHED = 64_000_000
"""Bytes up to which a file is read to its end."""

REACH = 256_000_000
"""How far into a file its lines are counted to find one, in bytes."""

LONGEST = 1 << 20
"""The most bytes that are looked at for lines at one place."""

_CHUNK = 1 << 20
_SAMPLE = 64 * 1024

_KINDS = (
    (b"\x89PNG", "PNG image"), (b"\xff\xd8\xff", "JPEG image"), (b"GIF8", "GIF image"), (b"RIFF", "RIFF media"),
    (b"%PDF", "PDF document"), (b"PK\x03\x04", "ZIP archive"), (b"\x1f\x8b", "gzip data"), (b"\x7fELF", "ELF program"),
    (b"SQLite format 3", "SQLite database"), (b"\xca\xfe\xba\xbe", "Java class or Mach-O program"),
    (b"wOF", "web font"), (b"\0asm", "WebAssembly"), (b"BZh", "bzip2 data"), (b"\xfd7zXZ", "xz data"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Survey:
    """What one pass over a large file found: `offset` is where the wanted line begins, None if it isn't reached."""

    sha256: str | None
    total: int | None
    offset: int | None


def content_kind(head: bytes) -> str:
    """What binary content is, by its first bytes; empty when they tell nothing."""
    return next((kind for magic, kind in _KINDS if head.startswith(magic)), "")


def is_pdf(head: bytes) -> bool:
    """Whether a file begins as a PDF does; those can look like text in some encoding, and are none."""
    return head.startswith(b"%PDF-")


def binary(path: str, head: bytes, size: int, sha: str | None) -> WorkroomError:
    """The refusal of a file that isn't text: its size, and what it is."""
    kind = content_kind(head)
    return WorkroomError(
        ErrorCode.INVALID_INPUT,
        f"{path!r} is binary ({kind + ', ' if kind else ''}{size:,} bytes), and only text can be read.",
        details={"path": path, "bytes": size, "sha256": sha, "kind": kind or "binary"},
    )


def head_of(descriptor: int) -> tuple[bytes, TextFile | None]:
    """The beginning, and as text, which tells the encoding; None for binary."""
    head = os.pread(descriptor, _SAMPLE, 0)
    # Whole lines, or, in an encoding whose newline is more than one byte, whole characters.
    return head, decode(head[: head.rfind(b"\n") + 1] or head) or decode(head[: len(head) & ~3])


def sample(path: str, descriptor: int, size: int) -> TextFile:
    """The beginning, which tells the encoding."""
    head, file = head_of(descriptor)
    if file is None and not head.strip(b"\0"):
        file = _behind_hole(descriptor, len(head))
    if file is None:
        raise binary(path, head[:16], size, None)
    return file


def _behind_hole(descriptor: int, at: int) -> TextFile | None:
    """What follows the hole that a file begins with, as a log does that was cut under its writer; None for binary.

    A file that is nothing but a hole is taken for text, of which there is none yet.
    """
    try:
        data = os.pread(descriptor, _SAMPLE, os.lseek(descriptor, at, os.SEEK_DATA))
    except OSError as error:
        if error.errno != errno.ENXIO:  # pragma: no cover - needs a disk that fails, or a system without holes
            return None
        return TextFile("", "utf-8")
    text = data.strip(b"\0")
    return decode(text[: text.rfind(b"\n") + 1] or text) if text else None


def survey(descriptor: int, size: int, first: int, reach: int = REACH) -> Survey:
    """Hash and count to the end, or, in a very large file, count only as far as the line `first`.

    What is written to the file meanwhile, behind `size`, isn't looked at. `reach` bounds the counting, in bytes.
    """
    whole = size <= HASHED
    reach = size if whole else min(size, reach)
    sha = hashlib.sha256()
    at, breaks, offset = 0, 0, 0 if first == 1 else None
    open_line = False
    while at < reach and (whole or offset is None) and (chunk := os.pread(descriptor, min(_CHUNK, reach - at), at)):
        if whole:
            sha.update(chunk)
        found = chunk.count(b"\n")
        if offset is None and breaks + found >= first - 1:
            offset = at + _nth_newline(chunk, first - 1 - breaks) + 1
        breaks += found
        at += len(chunk)
        open_line = not chunk.endswith(b"\n")
    total = breaks + open_line if at >= size else None
    if total is not None and first > max(total, 1):
        offset = None
    return Survey(sha.hexdigest() if whole else None, total, offset)


def _nth_newline(chunk: bytes, count: int) -> int:
    at = -1
    for _ in range(count):
        at = chunk.index(b"\n", at + 1)
    return at


def wide_offset(descriptor: int, reach: int, first: int, encoding: str) -> int | None:
    """Where the line `first` begins, in an encoding whose newline is several bytes; None where it isn't reached."""
    newline = "\n".encode(encoding)
    at, left = 0, first - 1
    while left and at < reach and (chunk := os.pread(descriptor, min(_CHUNK, reach - at), at)):
        place = chunk.find(newline)
        while place >= 0:
            if place % len(newline) == 0:  # else it lies across two characters
                left -= 1
                if not left:
                    return at + place + len(newline)
            place = chunk.find(newline, place + 1)
        at += len(chunk)
    return None if left else 0


def lines_at(descriptor: int, offset: int, room: int, wanted: int | None) -> list[bytes]:
    """Lines from an offset, at most `wanted`; the last one not whole if nothing else would be there."""
    room = min(room, LONGEST)
    piece = os.pread(descriptor, room, offset)
    lines = _split(piece)
    if len(piece) == room and len(lines) > 1 and not piece.endswith(b"\n"):
        lines.pop()
    return lines if wanted is None else lines[:wanted]


def _split(piece: bytes) -> list[bytes]:
    lines = piece.split(b"\n")
    last = lines.pop()
    return [line + b"\n" for line in lines] + ([last] if last else [])


def last_lines(descriptor: int, size: int, room: int, wanted: int) -> list[bytes]:
    """The last lines of a file that is larger than `room`, at most `wanted`, as many as are whole in so many bytes."""
    room = min(room, LONGEST)
    lines = _split(os.pread(descriptor, room, size - room))
    return (lines[1:] or lines)[-wanted:]
