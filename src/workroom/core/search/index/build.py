"""Brings an index to what stands in the folder: a program of its own, so that it holds up nobody and may be killed.

    python -P -m workroom.core.search.index.build ROOT IDENTITY FOLDER

What has the identity that it had keeps its signature; the rest is read. Signatures that were read go into a new
matrix; small and worn matrices are given up, and their files are read again, so that there are never many.
"""

from __future__ import annotations

import contextlib
import operator
import os
import stat
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.search.encodings import number_of
from workroom.core.search.index import manifest as manifests
from workroom.core.search.index.manifest import Manifest, Segment
from workroom.core.search.index.matrix import Writer, checksum
from workroom.core.search.index.signature import ALWAYS, FOREIGN, UNSURE, sign
from workroom.core.search.listing import APART
from workroom.core.search.query import LARGEST, Query, walk_flags
from workroom.system.process import base_env, ripgrep, stream
from workroom.system.root import Root, Stat

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Identity", "Reader", "bring", "by_folder", "folders_of", "identity_of", "main", "walked"]

_MOST_MATRICES = 4
_UNREAD = -2
"""For a file's segment: it has to be read."""
_NICE = 19
_TIMEOUT = 600.0
_TICK_NS, _COARSE_TICK_NS = 50_000_000, 2_500_000_000
"""Within how much of its last change a file may change unseen; the second where times are whole seconds."""

_COLUMNS = ("st_dev", "st_ino", "st_size", "st_mtime_ns", "st_ctime_ns")
_LOST = (0, 0, 0, 0, 0), ALWAYS | UNSURE, -1, 0, 0
"""The row of a file of which nothing is known."""

Identity = tuple[int, int, int, int, int]
_Row = tuple[Identity, int, int, int, int]
"""Of one file: its identity, flags, segment, place there, and encoding."""


def main(arguments: Sequence[str]) -> int:
    """Build the index of the folder ROOT in the folder FOLDER; 1 where another folder than IDENTITY stands there."""
    where, identity, folder = arguments
    os.nice(_NICE)
    with Root.open(where) as root:
        if root.identity != identity:
            return 1
        bring(root, folder)
    return 0


def bring(root: Root, folder: str) -> None:
    """The same, within this process. What an earlier one has left half done is removed."""
    paths, unreadable = walked(root, ".", Query(""))
    old = _trusted(folder)
    found = _known(root, paths, unreadable, old)
    unread = found.segments == _UNREAD
    if unread.any():
        name = f"{os.urandom(8).hex()}.bits"
        with open(os.path.join(folder, name), "wb") as file:
            found = Reader(root, file, name).read(found, unread.nonzero()[0].tolist())
    if old is None or not found.same_as(old):
        manifests.write(folder, found)
    _sweep(folder, {each.file for each in found.matrices})


def walked(root: Root, path: str, query: Query, stdin: bytes = b"") -> tuple[list[str], int]:
    """The files that ripgrep walks to, whatever is in them, in its order, and how many folders it can't look into.

    `stdin` is an ignore file that it obeys, too. IO_ERROR where it says anything else; TIMEOUT.
    """
    named = not set(APART).isdisjoint(path.split("/"))
    argv = [ripgrep(), "--files", "--null", *walk_flags(query, named=named, apart=() if named else APART)]
    argv += [*(("--ignore-file", "/dev/stdin") if stdin else ()), "--", path]
    with stream(
        argv, cwd=root.path, env=base_env(), timeout=_TIMEOUT, separator=b"\0", reads=root.fd, stdin=stdin
    ) as lines:
        found = sorted(line.replace(b"/", b"\0") for line in lines)  # folder by folder, without a key for each
        told = lines.stderr.splitlines()
    paths = [os.fsdecode(each.replace(b"\0", b"/").removeprefix(b"./")) for each in found]
    unreadable = sum(1 for line in told if b"(os error " in line)
    if len(told) > unreadable and lines.code == 2:
        raise WorkroomError(ErrorCode.IO_ERROR, told[0].decode("utf-8", "replace"))
    return paths, unreadable


def _trusted(folder: str) -> Manifest | None:
    """The manifest of the last time, where its matrices are what they were."""
    found = manifests.read(folder)
    if found is None:
        return None
    try:
        whole = all(checksum(os.path.join(folder, each.file)) == each.checksum for each in found.matrices)
    except OSError:
        return None
    return found if whole else None


def _known(root: Root, paths: list[str], unreadable: int, old: Manifest | None) -> Manifest:
    """The manifest of these files, as far as it is known without reading: the others' segment is `_UNREAD`."""
    import numpy as np  # noqa: PLC0415 - heavy

    identities, plain = _looked_at(root, paths)
    flags = np.where(plain, 0, ALWAYS | UNSURE).astype(np.uint8)
    segments = np.where(plain, _UNREAD, -1).astype(np.int16)
    places, encodings = np.zeros(len(paths), dtype=np.int32), np.zeros(len(paths), dtype=np.uint8)
    kept = () if old is None else _kept(old)
    if old is not None:
        numbers = {path: number for number, path in enumerate(old.paths)}
        was = np.fromiter((numbers.get(path, -1) for path in paths), dtype=np.int64, count=len(paths))
        anew = np.full(len(old.matrices) + 1, _UNREAD, dtype=np.int16)  # the last is that of -1, of no segment
        anew[[*kept, -1]] = [*range(len(kept)), -1]
        same = np.flatnonzero(plain & (was >= 0))
        same = same[(old.identities[was[same]] == identities[same]).all(axis=1)]
        flags[same], segments[same], places[same], encodings[same] = (
            old.flags[was[same]], anew[old.segments[was[same]]], old.places[was[same]], old.encodings[was[same]],
        )  # fmt: skip
    matrices = tuple(old.matrices[number] for number in kept) if old is not None else ()
    return Manifest(
        paths, identities, flags, segments, places, encodings, matrices, _suffixes(root, paths), unreadable
    )  # fmt: skip


def _looked_at(root: Root, paths: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Each file's identity, and whether it is one that can be read: plain, of one name, and not too large."""
    import numpy as np  # noqa: PLC0415 - heavy

    identity = operator.attrgetter(*_COLUMNS)
    rows: list[tuple[int, ...]] = []
    plain = np.zeros(len(paths), dtype=bool)
    for folder, names in by_folder(paths):
        for seen in root.lstats(folder, names):
            if seen is not None and stat.S_ISREG(seen.st_mode) and seen.st_nlink == 1 and seen.st_size <= LARGEST:
                plain[len(rows)] = True  # what is written through another name isn't heard of here
                rows.append(identity(seen))
            else:
                rows.append(_LOST[0])
    return np.array(rows, dtype=np.int64).reshape(-1, len(_COLUMNS)), plain


def _kept(old: Manifest) -> tuple[int, ...]:
    """Which matrices stay: those of which at least half is still used; of too many only the largest."""
    live = [int((old.segments == number).sum()) for number in range(len(old.matrices))]
    written = [each.files for each in old.matrices]
    good = [number for number, count in enumerate(live) if 2 * count >= written[number] > 0]
    return tuple(good) if len(good) < _MOST_MATRICES else (max(good, key=live.__getitem__),)


class Reader:
    """Reads files; their signatures go into one matrix, a file that the caller has open."""

    def __init__(self, root: Root, file: BinaryIO, name: str) -> None:
        self._root = root
        self._file = file
        self._name = name
        self._writer = Writer(file)
        self._written = 0

    def read(self, found: Manifest, unread: Sequence[int]) -> Manifest:
        """The manifest with those of its files, by their numbers, read; the matrix is on disk."""
        segment = len(found.matrices)
        for number in unread:
            row = self.row(found.paths[number], segment)
            for column, value in zip(found.columns(), row, strict=True):
                column[number] = value
        self._writer.finish()
        self._file.flush()
        os.fsync(self._file.fileno())
        blocks = tuple((one.size_class, one.start, one.files) for one in self._writer.blocks)
        return replace(found, matrices=(*found.matrices, Segment(self._name, self._writer.checksum, blocks)))

    def row(self, path: str, segment: int) -> _Row:
        """The row of a file that is read now; `segment` is the matrix's number."""
        try:
            at = time.time_ns()
            data, seen = self._root.read_with_stat(path, LARGEST)
        except WorkroomError:
            return _LOST
        signature = sign(data)
        encoding = number_of(data) if signature.flags & FOREIGN else 0
        if not signature.pieces:
            return identity_of(seen, at), signature.flags, -1, 0, encoding
        for size_class, bits in signature.pieces:
            self._writer.add(self._written, size_class, bits)
        self._written += 1
        return identity_of(seen, at), signature.flags, segment, self._written - 1, encoding


def identity_of(seen: Stat, at: int | None = None) -> Identity:
    """What a file has that any change of it changes; unsure where it was changed just before the time `at`."""
    tick = _TICK_NS if seen.mtime_ns % 1_000_000_000 else _COARSE_TICK_NS
    unsure = at is not None and max(seen.mtime_ns, seen.ctime_ns) + tick >= at
    return seen.device, seen.inode, seen.size, seen.mtime_ns, 0 if unsure else seen.ctime_ns


def by_folder(paths: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Folders with the names in them, in the order of the paths."""
    folder, names = ".", list[str]()
    for path in paths:
        parent, _, name = path.rpartition("/")
        if (parent or ".") != folder:
            if names:
                yield folder, names
            folder, names = parent or ".", []
        names.append(name)
    if names:
        yield folder, names


def folders_of(paths: Iterable[str]) -> frozenset[str]:
    """Every folder on the way to a file, and the top."""
    found = {"."}
    for path in paths:
        parent = path.rpartition("/")[0]
        while parent and parent not in found:
            found.add(parent)
            parent = parent.rpartition("/")[0]
    return frozenset(found)


def _suffixes(root: Root, paths: Sequence[str]) -> frozenset[str]:
    """How the names of folders end that hold none of the files, at any depth, and stand beside some that do."""
    folders, found = folders_of(paths), set()
    for folder in folders:
        with contextlib.suppress(WorkroomError), root.folder(folder) as descriptor, os.scandir(descriptor) as entries:
            prefix = "" if folder == "." else f"{folder}/"
            found |= {
                os.path.splitext(entry.name)[1]
                for entry in entries
                if entry.is_dir(follow_symlinks=False) and prefix + entry.name not in folders
            }
    return frozenset(found)


def _sweep(folder: str, used: set[str]) -> None:
    """Remove what no manifest names any more."""
    for name in os.listdir(folder):
        if name not in used and name != manifests.NAME:
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(folder, name))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
