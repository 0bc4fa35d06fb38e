"""The signatures of many files in one file on disk: a row for each bit, a column for each piece, in blocks of 2,048.

    block of size class 12      4096 rows of 256 bytes, or less; a row has one bit for each of up to 2,048 pieces
    a text of 10 letters        8 rows of trigrams and 7 of four letters, of each block, joined by AND

So a question reads a few bytes for each trigram, and nothing of what it doesn't ask about. The file is mapped, and
what is in it is checked against a checksum before that.
"""

from __future__ import annotations

import mmap
import os
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from workroom.core.search.index.literals import Needs
from workroom.core.search.index.signature import CLASSES, hashes

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Block", "Matrix", "Writer", "checksum"]

_PIECES = 2_048
_MOST_ROWS = 48
"""Of a longer text so many are asked about, evenly spread; the rest would say the same."""
_CHUNK = 1 << 22
_SWAPS = ((7, 0x00AA00AA00AA00AA), (14, 0x0000CCCC0000CCCC), (28, 0x00000000F0F0F0F0))
"""Hacker's Delight, 7-3: by these shifts and masks a square of eight by eight bits is mirrored."""


@dataclass(frozen=True, slots=True)
class Block:
    """Where the rows of up to 2,048 pieces begin, and of which files those are, by their number; -1 for one that is
    gone."""

    size_class: int
    start: int
    files: tuple[int, ...]

    @property
    def width(self) -> int:
        """The length of a row in bytes."""
        return (len(self.files) + 7) // 8

    @property
    def length(self) -> int:
        """All of its rows."""
        return self.width << self.size_class


class Writer:
    """Writes the blocks of one matrix, each when it is full."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._at = 0
        self._waiting: dict[int, list[tuple[int, bytes]]] = {one: [] for one in CLASSES}
        self.blocks: list[Block] = []
        self.checksum = 0

    def add(self, number: int, size_class: int, bits: bytes) -> None:
        """Take a piece of a file."""
        waiting = self._waiting[size_class]
        waiting.append((number, bits))
        if len(waiting) == _PIECES:
            self._flush(size_class)

    def finish(self) -> None:
        """Write the blocks that aren't full."""
        for size_class, waiting in self._waiting.items():
            if waiting:
                self._flush(size_class)

    def _flush(self, size_class: int) -> None:
        import numpy as np  # noqa: PLC0415 - heavy

        waiting, self._waiting[size_class] = self._waiting[size_class], []
        packed = np.frombuffer(b"".join(bits for _, bits in waiting), dtype=np.uint8).reshape(len(waiting), -1)
        rows = _mirrored(packed).tobytes()
        self._file.write(rows)
        self.checksum = zlib.crc32(rows, self.checksum)
        self.blocks.append(Block(size_class, self._at, tuple(number for number, _ in waiting)))
        self._at += len(rows)


class Matrix:
    """A matrix on disk, mapped; asked which of its files can hold what is needed."""

    def __init__(self, path: str, blocks: Sequence[Block]) -> None:
        """ValueError or OSError for a file that isn't as long as it has to be."""
        import numpy as np  # noqa: PLC0415 - heavy

        length = sum(one.length for one in blocks)
        if os.path.getsize(path) != length:
            raise ValueError(f"{path} isn't {length} bytes long")
        with open(path, "rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if length else b""
        everything = np.frombuffer(self._map, dtype=np.uint8)
        self._blocks = [
            (
                one.size_class,
                everything[one.start : one.start + one.length].reshape(-1, one.width),
                np.array(one.files),
            )
            for one in blocks
        ]

    def ask(self, needs: Needs, found: np.ndarray) -> None:
        """Set `found`, one truth for each file by its number, for those that can hold what is needed."""
        import numpy as np  # noqa: PLC0415 - heavy

        wanted = {size_class: _Wanted.of(needs, size_class) for size_class, _, _ in self._blocks}
        for size_class, rows, files in self._blocks:
            bits = np.unpackbits(wanted[size_class].answer(rows))[: files.size]
            numbers = files[bits.astype(bool)]
            found[numbers[numbers >= 0]] = True


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Which rows of a block are asked about: all of `rows`, and for each of `choices` one of its members."""

    rows: np.ndarray
    choices: list[list[_Wanted]]

    @classmethod
    def of(cls, needs: Needs, size_class: int) -> _Wanted:
        """What is needed, as rows of a size class."""
        import numpy as np  # noqa: PLC0415 - heavy

        rows = [np.zeros(0, dtype=np.uint16)]
        for text in needs.texts:
            found = np.unique(np.concatenate(hashes(text)) & np.uint16((1 << size_class) - 1))
            rows.append(found[:: found.size // _MOST_ROWS + 1])
        choices = [[cls.of(each, size_class) for each in choice] for choice in needs.choices]
        return cls(np.concatenate(rows), choices)

    def answer(self, rows: np.ndarray) -> np.ndarray:
        """A bit for each piece of a block, packed: whether all is there."""
        import numpy as np  # noqa: PLC0415 - heavy

        found: np.ndarray = np.bitwise_and.reduce(rows[self.rows], axis=0)
        for choice in self.choices:
            found &= np.bitwise_or.reduce([each.answer(rows) for each in choice])
        return found


def checksum(path: str) -> int:
    """The checksum of a file's bytes."""
    value = 0
    with open(path, "rb") as file:
        while chunk := file.read(_CHUNK):
            value = zlib.crc32(chunk, value)
    return value


def _mirrored(packed: np.ndarray) -> np.ndarray:
    """A matrix of bits, packed by rows, with its columns for rows; its rows are filled up to a multiple of eight."""
    import numpy as np  # noqa: PLC0415 - heavy

    height, width = -(-packed.shape[0] // 8), packed.shape[1]
    filled = np.zeros((8 * height, width), dtype=np.uint8)
    filled[: packed.shape[0]] = packed
    squares = np.ascontiguousarray(filled.reshape(height, 8, width).transpose(2, 0, 1)).view(">u8").astype(np.uint64)
    for shift, mask in _SWAPS:
        swapped = (squares ^ (squares >> np.uint64(shift))) & np.uint64(mask)
        squares ^= swapped ^ (swapped << np.uint64(shift))
    columns = squares.astype(">u8").view(np.uint8).reshape(width, height, 8)
    return np.ascontiguousarray(columns.transpose(0, 2, 1)).reshape(8 * width, height)
