"""The `.agentic/` folder: files written for a reader, never believed.

What stands there is a view of the store, or notes and logs; losing it loses no history. A cloned folder may bring a
hostile one (`.agentic` as a link to elsewhere, links inside): nothing is written or read through a link. Files are
replaced by an atomic rename, and not brought to the disk by force. The folder ignores itself (`.gitignore`).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets

from workroom.base.changes import Kind
from workroom.base.envelope import Artifact
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.system.root import Root, Stat, refusal
from workroom.text.paths import STAGE_PREFIX, parse_write_path

__all__ = ["FOLDER", "STAGE", "Agentic"]

FOLDER = ".agentic"
STAGE = f"{FOLDER}/stage"

_KEPT_SECONDS = 7 * 24 * 3600
_KEPT_BYTES = 64 << 20
_FRESH_SECONDS = 15 * 60
_FRESH_BYTES = 512 << 20


class Agentic:
    """Views below `.agentic/` of one root. Paths given are relative to that folder (`plans/plan_x/plan.md`)."""

    def __init__(self, root: Root) -> None:
        self._root = root

    def write(self, path: str, data: bytes, kind: str, description: str = "") -> Artifact:
        """Write a file whole, making its folders; answers what an envelope says of it, its path from the root.

        PATH_OUTSIDE_WORKSPACE when a link stands on the way, EDIT_CONFLICT when a folder stands at the path.
        """
        full = self._full(path)
        try:
            self._replace(full, data)
        except WorkroomError:
            self._write_anew(full, data)  # mostly a folder that isn't there yet; what else it is, this tells
        return Artifact(kind, full, hashlib.sha256(data).hexdigest(), len(data), description)

    def read(self, path: str) -> bytes | None:
        """A file's bytes, or None when there is none."""
        full = self._full(path)
        return None if self._root.stat(full) is None else self._root.read(full)

    def delete(self, path: str) -> bool:
        """Remove a file; whether there was one."""
        full = self._full(path)
        parent, name = self._root.split(full)
        if self._root.stat(full) is None:
            return False
        try:
            with self._root.folder(parent) as folder:
                os.unlink(name, dir_fd=folder)
        except OSError as error:
            raise refusal(full, error) from error
        return True

    def delete_folder(self, path: str) -> None:
        """Remove a folder and the files in it; one that is gone is no error."""
        full = self._full(path)
        for seen in [] if self._root.stat(full) is None else self._root.scan(full):
            self.delete(seen.path.removeprefix(f"{FOLDER}/"))
        parent, name = self._root.split(full)
        with contextlib.suppress(OSError, WorkroomError), self._root.folder(parent) as folder:
            os.rmdir(name, dir_fd=folder)

    def trim(self, folder: str) -> None:
        """Keep a folder of files small that nobody else empties: call it when one was written there.

        Seen from the newest file, what is older than a week goes, and the oldest while all hold more than 64 MiB. Those
        of the last quarter of an hour stay up to 512 MiB: an answer names them that may not have been read yet.
        """
        files = [seen for seen in self.list(folder) if seen.kind is Kind.FILE]
        files.sort(key=lambda seen: -seen.mtime_ns)
        held = 0
        for seen in files:
            age = (files[0].mtime_ns - seen.mtime_ns) / 1e9
            held += seen.size
            room = _FRESH_BYTES if age <= _FRESH_SECONDS else _KEPT_BYTES
            if seen is not files[0] and (age > _KEPT_SECONDS or held > room):
                with contextlib.suppress(WorkroomError):  # somebody else was quicker
                    self.delete(seen.path.removeprefix(f"{FOLDER}/"))

    def list(self, folder: str) -> list[Stat]:
        """A folder's entries by name, with paths from the root; empty when there is none."""
        full = self._full(folder)
        return [] if self._root.stat(full) is None else self._root.scan(full)

    def stage(self) -> str:
        """The folder for files on their way (`.agentic/stage`), made if missing; its path from the root."""
        self._prepare(STAGE)
        return STAGE

    def _full(self, path: str) -> str:
        return f"{FOLDER}/{parse_write_path(path, self._root.path)}"

    def _write_anew(self, full: str, data: bytes) -> None:
        """Write into a folder that may have to be made, and be cleaned away by somebody meanwhile."""
        try:
            self._write(full, data)
        except WorkroomError as error:
            if error.code is not ErrorCode.NOT_FOUND:
                raise
            self._write(full, data)

    def _write(self, full: str, data: bytes) -> None:
        self._prepare(self._root.split(full)[0])
        self._replace(full, data)

    def _prepare(self, folder: str) -> None:
        """Make a folder and see that git ignores everything here; a cloned folder may lack that."""
        self._make(STAGE)
        self._make(folder)
        ignore = f"{FOLDER}/.gitignore"
        if self._root.stat(ignore) is None:
            self._replace(ignore, b"*\n")

    def _make(self, folder: str) -> None:
        """Make a folder below the root, and those above it."""
        if not self._is_folder(folder):
            if folder != FOLDER:
                self._make(self._root.split(folder)[0])
            self._make_one(folder)

    def _make_one(self, folder: str) -> None:
        try:
            self._root.make_folder(folder)
        except WorkroomError as error:
            if error.code is not ErrorCode.EDIT_CONFLICT or not self._is_folder(folder):
                raise

    def _is_folder(self, folder: str) -> bool:
        seen = self._root.stat(folder)
        if seen is None or seen.kind is Kind.DIRECTORY:
            return seen is not None
        if seen.kind is Kind.SYMLINK:
            raise WorkroomError(
                ErrorCode.PATH_OUTSIDE_WORKSPACE,
                f"{folder!r} is a link to {seen.target!r}; Workroom writes through no link there.",
                next_step=f"Remove the link {folder!r}.",
            )
        raise WorkroomError(
            ErrorCode.EDIT_CONFLICT,
            f"{folder!r} is a file where Workroom keeps a folder.",
            next_step=f"Move {folder!r} away.",
        )

    def _replace(self, full: str, data: bytes) -> None:
        parent, name = self._root.split(full)
        passing = f"{STAGE_PREFIX}{secrets.token_hex(8)}"
        with self._root.folder(STAGE) as stage, self._root.folder(parent) as folder:
            try:
                descriptor = os.open(passing, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666, dir_fd=stage)
                with open(descriptor, "wb") as stream:
                    stream.write(data)
                os.rename(passing, name, src_dir_fd=stage, dst_dir_fd=folder)
            except OSError as error:
                with contextlib.suppress(OSError):
                    os.unlink(passing, dir_fd=stage)
                raise refusal(full, error) from error
