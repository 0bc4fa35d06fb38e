"""The signature of a file: its trigrams, with ASCII letters made small, hashed into a set of bits.

A file can hold a text only if all trigrams of the text are in its signature. The number of bits is fitted to the file,
so that about a quarter of them is set: a file of few trigrams costs little, and a long one still tells something.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

__all__ = ["ALWAYS", "BINARY", "CLASSES", "ODD_CASE", "UNSURE", "Signature", "hashes", "kind", "sign"]

CLASSES = tuple(range(10, 17))
"""A signature has two to the power of one of these bits."""

ALWAYS, ODD_CASE, BINARY, UNSURE = 1, 2, 4, 8
"""Of a file: it is searched whatever is looked for; it has a letter that is a variant of an ASCII one in case; it has a
NUL, and only what stands before that counts; ripgrep alone can say what it is."""

_HASH_BITS = 16
_ROOM = 4
"""At least so many bits for each distinct hash."""
_FULL = 40_000
"""With more distinct hashes of 65,536 a signature tells too little to be kept."""
_PIECE = 1 << 20
_MULTIPLIERS = (0x9E37, 0x85EB, 0xC2B3)
_SMALL = bytes(range(65)) + bytes(range(97, 123)) + bytes(range(91, 256))
_KELVIN, _LONG_S = "\u212a".encode(), "\u017f".encode()
_UTF8_MARK, _UTF16_MARKS = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Signature:
    """What is kept of one file. `bits` are packed, those of a `size_class`; there are none for ALWAYS."""

    flags: int
    size_class: int = 0
    bits: bytes = b""


def sign(data: bytes) -> Signature:
    """The signature of a file's bytes; there is none for what ripgrep reads in a way of its own (`kind`)."""
    import numpy as np  # noqa: PLC0415 - heavy

    flags = kind(data)
    if flags & UNSURE:
        return Signature(flags | ALWAYS)
    if flags & BINARY:
        data = data[: data.index(0)]
    seen = np.zeros(1 << _HASH_BITS, dtype=bool)
    for start in range(0, len(data), _PIECE):
        seen[hashes(data[start : start + _PIECE + 2])] = True
    found = np.flatnonzero(seen)
    if found.size > _FULL:
        return Signature(flags | ALWAYS)
    fitting = next((one for one in CLASSES if 1 << one >= _ROOM * found.size), CLASSES[-1])
    bits = np.zeros(1 << fitting, dtype=bool)
    bits[found >> (_HASH_BITS - fitting)] = True
    return Signature(flags, fitting, np.packbits(bits).tobytes())


def kind(data: bytes) -> int:
    """The flags of a file's bytes: with a NUL it is binary, and read up to there; by its first bytes ripgrep takes it
    for UTF-16, or for UTF-8 that has to be mended."""
    if data[:2] in _UTF16_MARKS or (data[:3] == _UTF8_MARK and not _is_utf8(data)):
        return UNSURE
    odd = ODD_CASE if _KELVIN in data or _LONG_S in data else 0
    return odd | (BINARY if b"\0" in data else 0)


def hashes(data: bytes) -> np.ndarray:
    """The hash of each trigram, 16 bits; the upper ones are those of a smaller signature."""
    import numpy as np  # noqa: PLC0415 - heavy

    letters = np.frombuffer(data.translate(_SMALL), dtype=np.uint8).astype(np.uint16)
    first, second, third = (np.uint16(one) for one in _MULTIPLIERS)
    found: np.ndarray = letters[:-2] * first + letters[1:-1] * second + letters[2:] * third
    return found


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
