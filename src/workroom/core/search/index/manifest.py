"""Which files are in the index, and what each was when it was read: one file of arrays beside the matrices.

It is replaced whole, after the matrices that it names are on disk. One that is torn, of another version, or whose
matrices aren't what it says, is none: the index is then built anew.
"""

from __future__ import annotations

import contextlib
import json
import os
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

__all__ = ["NAME", "Manifest", "Segment", "read", "write"]

NAME = "manifest.npz"
_VERSION = 3
_COLUMNS = ("identities", "flags", "segments", "places", "encodings")
_UNREADABLE = (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, zlib.error)


@dataclass(frozen=True, slots=True)
class Segment:
    """One matrix: its file, that one's checksum, and its blocks, each with its size class, start and files.

    A file is told there, once for each of its pieces, by its place among all that were written into the segment.
    """

    file: str
    checksum: int
    blocks: tuple[tuple[int, int, tuple[int, ...]], ...]

    @property
    def files(self) -> int:
        """How many files were written into it."""
        return 1 + max((max(places) for _, _, places in self.blocks), default=-1)


@dataclass(frozen=True, slots=True)
class Manifest:
    """The files of the index in the order of a walk. Arrays have one element, or row, for each of them."""

    paths: Sequence[str]
    identities: np.ndarray
    """Device, inode, size, times of last change in nanoseconds (of bytes, of anything); the last 0: unsure."""
    flags: np.ndarray
    segments: np.ndarray
    """In which of the segments its signature is; -1 for none."""
    places: np.ndarray
    """And at which place there."""
    encodings: np.ndarray
    """The number of the encoding that a FOREIGN one is in (`search.encodings`)."""
    matrices: tuple[Segment, ...]
    suffixes: frozenset[str] = frozenset()
    """How the names of those folders end that no file of the index is in, from their last dot on."""
    unreadable: int = 0
    """How many folders can't be looked into."""

    def same_as(self, other: Manifest) -> bool:
        """Whether both say the same."""
        ours, theirs = (
            (list(each.paths), each.matrices, each.suffixes, each.unreadable, *map(bytes, each.columns()))
            for each in (self, other)
        )
        return ours == theirs

    def columns(self) -> tuple[np.ndarray, ...]:
        """What is told of each file."""
        return tuple(getattr(self, name) for name in _COLUMNS)


def read(folder: str) -> Manifest | None:
    """The manifest in a folder; None for none, or one that can't be trusted. What its matrices hold isn't looked at."""
    import numpy as np  # noqa: PLC0415 - heavy

    try:
        with open(os.path.join(folder, NAME), "rb") as file, np.load(file, allow_pickle=False) as arrays:
            head = json.loads(arrays["head"].tobytes())
            if head["version"] != _VERSION:
                return None
            paths = os.fsdecode(arrays["paths"].tobytes()).split("\0")[:-1]
            columns = [arrays[name] for name in _COLUMNS]
            if any(len(column) != len(paths) for column in columns):
                return None
            matrices = tuple(
                Segment(each["file"], each["checksum"], tuple((c, s, tuple(f)) for c, s, f in each["blocks"]))
                for each in head["matrices"]
            )
            told = dict(zip(_COLUMNS, columns, strict=True))
            suffixes, unreadable = frozenset(head["suffixes"]), int(head["unreadable"])
            return Manifest(paths=paths, **told, matrices=matrices, suffixes=suffixes, unreadable=unreadable)
    except _UNREADABLE:
        return None


def write(folder: str, manifest: Manifest) -> None:
    """Replace the manifest; on disk when this returns."""
    import numpy as np  # noqa: PLC0415 - heavy

    head: dict[str, Any] = {
        "version": _VERSION,
        "matrices": [{"file": m.file, "checksum": m.checksum, "blocks": m.blocks} for m in manifest.matrices],
        "suffixes": sorted(manifest.suffixes),
        "unreadable": manifest.unreadable,
    }
    text = json.dumps(head).encode("ascii")
    paths = b"".join(os.fsencode(path) + b"\0" for path in manifest.paths)
    target = os.path.join(folder, NAME)
    aside = f"{target}.{os.getpid()}"
    try:
        with open(aside, "wb") as file:
            arrays = {name: np.frombuffer(data, dtype=np.uint8) for name, data in (("head", text), ("paths", paths))}
            np.savez(file, allow_pickle=False, **arrays, **dict(zip(_COLUMNS, manifest.columns(), strict=True)))
            file.flush()
            os.fsync(file.fileno())
        os.rename(aside, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(aside)
        raise
