"""The signature of a file: its trigrams and runs of four letters, ASCII letters made small, hashed into sets of bits.

A line can hold a text only if all of those of the text are in one piece of the file that holds it. A long file has
several pieces, cut between lines: what is spread over it isn't taken for what stands in one place. The number of bits
is fitted to the piece, so that about a quarter of them is set: a short one costs little, and a long one still tells
something.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

__all__ = ["ALWAYS", "BINARY", "CLASSES", "FOREIGN", "ODD_CASE", "UNSURE", "Signature", "hashes", "kind", "sign"]

CLASSES = tuple(range(10, 17))
"""A piece has two to the power of one of these bits."""

ALWAYS, ODD_CASE, BINARY, UNSURE, FOREIGN = 1, 2, 4, 8, 16
"""Of a file: it is searched whatever is looked for; it has a letter that is a variant of an ASCII one in case; it has a
NUL, and only what stands before that counts; ripgrep alone can say what it is; it isn't UTF-8."""

_HASH_BITS = 16
_ROOM = 2
"""At least so many bits for each distinct hash."""
_FULL = 40_000
"""With more distinct hashes of 65,536 a piece tells too little to be kept."""
_LONGEST = 1 << 16
"""Where a line ends beyond that, a piece does."""
_CHUNK = 1 << 18
_FIRST, _SECOND, _THIRD, _FOURTH, _THREE = 0x9E37, 0x85EB, 0xC2B3, 0xA6A9, 0x4F1D
_SMALL = bytes(range(65)) + bytes(range(97, 123)) + bytes(range(91, 256))
_KELVIN, _LONG_S = "\u212a".encode(), "\u017f".encode()
_UTF8_MARK, _UTF16_MARKS = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Signature:
    """What is kept of one file: of each piece its size class and its bits, packed; there are none for ALWAYS."""

    flags: int
    pieces: tuple[tuple[int, bytes], ...] = ()


def sign(data: bytes) -> Signature:
    """The signature of a file's bytes; there is none for what ripgrep reads in a way of its own (`kind`)."""
    flags = kind(data)
    if flags & UNSURE:
        return Signature(flags | ALWAYS)
    if flags & BINARY:
        data = data[: data.index(0)]
    pieces = []
    for piece in _pieces(data):
        bits = _bits(piece)
        if bits is None:
            return Signature(flags | ALWAYS)
        pieces.append(bits)
    return Signature(flags, tuple(pieces))


def _pieces(data: bytes) -> Iterator[bytes]:
    """The whole lines of a file, so many in each that it is a little longer than `_LONGEST`; at least one piece."""
    at, end = 0, data.find(b"\n", _LONGEST) + 1
    while 0 < end < len(data):
        yield data[at:end]
        at, end = end, data.find(b"\n", end + _LONGEST) + 1
    yield data[at:]


def _bits(piece: bytes) -> tuple[int, bytes] | None:
    """The size class and bits of a piece; None for one that has nearly all of them."""
    import numpy as np  # noqa: PLC0415 - heavy

    seen = np.zeros(1 << _HASH_BITS, dtype=bool)
    for start in range(0, len(piece), _CHUNK):
        for found in hashes(piece[start : start + _CHUNK + 3]):
            seen[found.astype(np.intp)] = True  # three times as fast as by the hashes themselves
    count = np.count_nonzero(seen)
    if count > _FULL:
        return None
    fitting = next((one for one in CLASSES if 1 << one >= _ROOM * count), CLASSES[-1])
    while seen.size > 1 << fitting:
        seen = seen[: seen.size // 2] | seen[seen.size // 2 :]
    return fitting, np.packbits(seen).tobytes()


def kind(data: bytes) -> int:
    """The flags of a file's bytes: with a NUL it is binary, and read up to there; by its first bytes ripgrep takes it
    for UTF-16, or for UTF-8 that has to be mended."""
    if data[:2] in _UTF16_MARKS or (data[:3] == _UTF8_MARK and not _is_utf8(data)):
        return UNSURE
    binary = BINARY if b"\0" in data else 0
    if data.isascii():
        return binary
    odd = ODD_CASE if _KELVIN in data or _LONG_S in data else 0
    return binary | odd | (0 if binary or _is_utf8(data) else FOREIGN)


def hashes(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    """The hashes of each trigram, and of each run of four, 16 bits; the lower ones are those of a smaller signature."""
    import numpy as np  # noqa: PLC0415 - heavy

    letters = np.frombuffer(data.translate(_SMALL), dtype=np.uint8).astype(np.uint16)
    first, second, third = (np.uint16(one) for one in (_FIRST, _SECOND, _THIRD))
    threes: np.ndarray = letters[:-2] * first + letters[1:-1] * second + letters[2:] * third
    fours: np.ndarray = threes[:-1] * np.uint16(_THREE) + letters[3:] * np.uint16(_FOURTH)
    return threes, fours


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
