"""Brings an index to what stands in the folder: a program of its own, so that it holds up nobody and may be killed.

    python -P -m workroom.core.search.index.build ROOT FOLDER

What has the identity that it had keeps its signature; the rest is read. Signatures that were read go into a new
matrix; small and worn matrices are given up, and their files are read again, so that there are never many.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from workroom.base.changes import Kind
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.search.index import manifest as manifests
from workroom.core.search.index.manifest import Manifest, Segment
from workroom.core.search.index.matrix import Writer, checksum
from workroom.core.search.index.signature import ALWAYS, UNSURE, Signature, sign
from workroom.core.search.listing import APART
from workroom.core.search.query import Query, walk_flags
from workroom.system.process import base_env, ripgrep, stream
from workroom.system.root import Root, Stat

__all__ = ["LARGEST", "Builder", "bring", "by_folder", "identity_of", "main", "order", "walked"]

_MOST_MATRICES = 4
_NICE = 10
_TIMEOUT = 600.0
LARGEST = 64 * 1024**2
"""Larger files aren't searched where they aren't named."""
_TICK_NS, _COARSE_TICK_NS = 50_000_000, 2_500_000_000
"""Within how much of its last change a file may change unseen; the second where times are whole seconds."""

Identity = tuple[int, int, int, int, int]
_Row = tuple[Identity, int, int, int]
_NONE: Identity = (0, 0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class _Old:
    """What an index had of one file."""

    identity: Identity
    flags: int
    segment: int
    place: int


def main(arguments: Sequence[str]) -> int:
    """Build the index of the folder ROOT in the folder FOLDER."""
    where, folder = arguments
    os.nice(_NICE)
    with Root.open(where) as root:
        bring(root, folder)
    return 0


def bring(root: Root, folder: str) -> None:
    """The same, within this process. What an earlier one has left half done is removed."""
    paths, unreadable = walked(root, ".", Query(""))
    paths.sort(key=order)
    old = _trusted(folder)
    kept = {} if old is None else {number: old.matrices[number] for number in _kept(old)}
    name = f"{os.urandom(8).hex()}.bits"
    with open(os.path.join(folder, name), "wb") as file:
        found = Builder(root, file, name, {} if old is None else _known(old), kept).take(paths, unreadable)
    manifests.write(folder, found)
    _sweep(folder, {each.file for each in found.matrices})


def order(path: str) -> list[bytes]:
    """Ripgrep's order of paths: folder by folder, by bytes."""
    return os.fsencode(path).split(b"/")


def walked(root: Root, path: str, query: Query, stdin: bytes = b"") -> tuple[list[str], int]:
    """The files that ripgrep walks to, whatever is in them, in no order, and how many folders it can't look into.

    `stdin` is an ignore file that it obeys, too. IO_ERROR where it says anything else; TIMEOUT.
    """
    named = not set(APART).isdisjoint(path.split("/"))
    argv = [ripgrep(), "--files", "--null", *walk_flags(query, named=named, apart=() if named else APART)]
    argv += [*(("--ignore-file", "/dev/stdin") if stdin else ()), "--", path]
    with stream(
        argv, cwd=root.path, env=base_env(), timeout=_TIMEOUT, separator=b"\0", reads=root.fd, stdin=stdin
    ) as lines:
        paths = [os.fsdecode(line).removeprefix("./") for line in lines]
        told = lines.stderr.splitlines()
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


def _known(old: Manifest) -> dict[str, _Old]:
    rows = zip(
        old.paths, old.identities.tolist(), old.flags.tolist(), old.segments.tolist(), old.places.tolist(), strict=True
    )
    return {path: _Old(tuple(identity), *rest) for path, identity, *rest in rows}


def _kept(old: Manifest) -> tuple[int, ...]:
    """Which matrices stay: those of which at least half is still used; of too many only the largest."""
    live = [int((old.segments == number).sum()) for number in range(len(old.matrices))]
    written = [sum(len(files) for _, _, files in each.blocks) for each in old.matrices]
    good = [number for number, count in enumerate(live) if 2 * count >= written[number] > 0]
    return tuple(good) if len(good) < _MOST_MATRICES else (max(good, key=live.__getitem__),)


class Builder:
    """Takes what stands there, path by path; what is read goes into one matrix, a file that the caller has open."""

    def __init__(self, root: Root, file: BinaryIO, name: str, known: dict[str, _Old], kept: dict[int, Segment]) -> None:
        self._root = root
        self._file = file
        self._name = name
        self._known = known
        self._kept = {number: new for new, number in enumerate(kept)}
        self._matrices = tuple(kept.values())
        self._writer = Writer(file)
        self._written = 0

    def take(self, paths: Sequence[str], unreadable: int) -> Manifest:
        """The manifest of these files, with their signatures on disk."""
        import numpy as np  # noqa: PLC0415 - heavy

        taken: list[_Row] = []
        for folder, names in by_folder(paths):
            prefix = "" if folder == "." else f"{folder}/"
            seen = zip(names, self._root.stats(folder, names), strict=True)
            taken += [self.row(prefix + name, each) for name, each in seen]
        rows = np.array([row[1:] for row in taken], dtype=np.int64).reshape(-1, 3)
        return Manifest(
            paths,
            np.array([row[0] for row in taken], dtype=np.int64).reshape(-1, 5),
            rows[:, 0].astype(np.uint8),
            rows[:, 1].astype(np.int16),
            rows[:, 2].astype(np.int32),
            self._finished(),
            _suffixes(self._root, paths),
            unreadable,
        )

    def row(self, path: str, seen: Stat | None) -> _Row:
        """A file's identity, flags, segment and place there."""
        if seen is None or seen.kind is not Kind.FILE or seen.links != 1 or seen.size > LARGEST:
            return _NONE, ALWAYS | UNSURE, -1, 0  # what is written through another name isn't heard of here
        old = self._known.get(path)
        if old is not None and old.identity == identity_of(seen) and (old.segment == -1 or old.segment in self._kept):
            return old.identity, old.flags, self._kept.get(old.segment, -1), old.place
        try:
            at = time.time_ns()
            data, same = self._root.read_with_stat(path, LARGEST)
        except WorkroomError:
            return _NONE, ALWAYS | UNSURE, -1, 0
        identity = identity_of(same, at)
        signature = sign(data)
        return identity, signature.flags, *self._keep(signature)

    def _keep(self, signature: Signature) -> tuple[int, int]:
        """The segment and place of a signature."""
        if not signature.bits:
            return -1, 0
        self._writer.add(self._written, signature.size_class, signature.bits)
        self._written += 1
        return len(self._kept), self._written - 1

    def _finished(self) -> tuple[Segment, ...]:
        self._writer.finish()
        self._file.flush()
        os.fsync(self._file.fileno())
        blocks = tuple((one.size_class, one.start, one.files) for one in self._writer.blocks)
        return (*self._matrices, Segment(self._name, self._writer.checksum, blocks))


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


def _suffixes(root: Root, paths: Sequence[str]) -> frozenset[str]:
    """How the names of folders end that hold none of the files, at any depth, and stand beside some that do."""
    folders = {"."}
    for path in paths:
        parent = path.rpartition("/")[0]
        while parent and parent not in folders:
            folders.add(parent)
            parent = parent.rpartition("/")[0]
    found = set()
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
