"""What git has of a workspace's files, and what it did to them: for whoever watches what other programs change."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workroom.base.errors import WorkroomError
from workroom.core.git.place import Place, find_place
from workroom.core.git.run import Runner
from workroom.system.root import Root

__all__ = ["Moves", "Objects", "find_objects"]

_SECONDS = 120.0
_FILES = ("100644", "100755")
_REFLOG_BYTES = 1 << 20
_REPLAYED = ("commit", "initial pull")
"""What a line of the reflog begins with that changes no file."""
_AT_ONCE = 500
_BYTES_AT_ONCE = 32 << 20


@dataclass(frozen=True, slots=True)
class Moves:
    """What moved HEAD meanwhile, in git's own words; the paths in which its commits differ; what stands as git has it
    by now; and where to go on reading."""

    said: tuple[str, ...]
    paths: frozenset[str]
    clean: frozenset[str]
    position: int


class Objects:
    """The repository of the folder that is open. NOT_FOUND without one."""

    def __init__(self, root: Root) -> None:
        self._root = root
        self.place: Place = find_place(root, ".")
        self._runner = Runner(self.place, _SECONDS)

    @property
    def folder(self) -> str:
        """Where its own files are."""
        return self.place.git_dir

    def busy(self) -> bool:
        """Whether git is at work: it holds its index."""
        return os.path.lexists(os.path.join(self.place.git_dir, "index.lock"))

    def clean(self) -> dict[str, str]:
        """The object of each tracked file that stands in the folder as the index has it.

        None of them where a filter makes what stands there from what is stored.
        """
        if self._runner.config().filters("smudge", "process"):
            return {}
        differing = self._runner.run("diff-files", "-z", "--name-only", "--ignore-submodules", "--", self.place.spec)
        dirty = set(os.fsdecode(differing.stdout).split("\0"))
        listed = self._runner.run("ls-files", "-z", "-s", "-v", "--", self.place.spec)
        found = {}
        for row in os.fsdecode(listed.stdout).split("\0"):
            about, _, name = row.partition("\t")
            tag, *fields = about.split(" ")
            path = self.place.to_root(name) if tag == "H" and fields[0] in _FILES and fields[2] == "0" else None
            if path is not None and name not in dirty:
                found[path] = fields[1]
        return found

    def contents(self, wanted: Sequence[tuple[str, int]]) -> Iterator[tuple[str, bytes]]:
        """Objects by their ids, with how large each is expected to be; those that are there and as large."""
        for batch in _batches(wanted):
            sizes = dict(batch)
            asked = "".join(f"{name}\n" for name in sizes)
            written = self._runner.run("cat-file", "--batch", stdin=asked.encode()).stdout
            at = 0
            while at < len(written):
                end = written.index(b"\n", at)
                name, *fields = written[at:end].decode().split(" ")
                at = end + 1
                if len(fields) == 2:
                    size = int(fields[1])
                    if fields[0] == "blob" and size == sizes[name]:
                        yield name, written[at : at + size]
                    at += size + 1

    def position(self) -> int:
        """Where the log of what moved HEAD ends."""
        try:
            return os.stat(self._log).st_size
        except OSError:
            return 0

    def moves(self, position: int) -> Moves:
        """What moved HEAD since that position, by anything but a commit."""
        end = self.position()
        lines = list(self._lines(position))
        paths: set[str] = set()
        for before, after, _ in lines:
            if before != after and before.strip("0"):
                done = self._runner.run("diff-tree", "-r", "-z", "--name-only", "--no-renames", before, after)
                names = (self.place.to_root(name) for name in os.fsdecode(done.stdout).split("\0") if name)
                paths.update(path for path in names if path is not None)
        clean = frozenset(self.clean()) if lines else frozenset[str]()
        return Moves(tuple(said for _, _, said in lines), frozenset(paths), clean, end)

    @property
    def _log(self) -> str:
        return os.path.join(self.place.git_dir, "logs", "HEAD")

    def _lines(self, position: int) -> Iterator[tuple[str, str, str]]:
        """Before, after and git's words."""
        try:
            with open(self._log, "rb") as log:
                size = os.fstat(log.fileno()).st_size
                log.seek(max(0, size - _REFLOG_BYTES, min(position, size)))
                written = log.read(_REFLOG_BYTES)
        except OSError:
            return
        for line in written.decode("utf-8", "replace").splitlines():
            about, _, said = line.partition("\t")
            ids = about.split(" ")[:2]
            if len(ids) == 2 and said and not said.startswith(_REPLAYED):
                yield ids[0], ids[1], said


def find_objects(root: Root) -> Objects | None:
    """The repository of the folder that is open, None without one that is its own."""
    try:
        return Objects(root)
    except (WorkroomError, OSError):  # or it goes away in this moment
        return None


def _batches(wanted: Sequence[tuple[str, int]]) -> Iterator[list[tuple[str, int]]]:
    batch: list[tuple[str, int]] = []
    held = 0
    for name, size in wanted:
        if batch and (len(batch) == _AT_ONCE or held + size > _BYTES_AT_ONCE):
            yield batch
            batch, held = [], 0
        batch.append((name, size))
        held += size
    if batch:
        yield batch
