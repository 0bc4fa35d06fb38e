"""Contents of a plan by their hash: what an edit made is held, what stands on the disk is left there when it is large.

A deleted or copied file may be larger than memory. Its bytes go from the file into the image, and into the copy, piece
by piece; each time they are hashed on the way, and have to be what the plan saw.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, MutableMapping

from workroom.base.changes import Kind, State
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions.model import Kept
from workroom.system.root import Root

__all__ = ["HELD_BYTES", "HELD_EACH", "Contents", "changed_meanwhile", "pieces_of", "size_of"]

HELD_EACH = 64 * 1024
"""What stands on the disk and is larger than this is left there."""
HELD_BYTES = 32 << 20
"""So is everything once this much is held in all."""
_PIECE = 1 << 20


class Contents(MutableMapping[str, bytes]):
    """Bytes by SHA-256. Asking for one that was left reads it whole; KeyError when it isn't there any more."""

    def __init__(self, root: Root, kept: Kept | None = None) -> None:
        """`kept`: what needn't stand on the disk any more."""
        self._root = root
        self._kept = kept
        self._stored: dict[str, State] = {}
        self._held: dict[str, bytes] = {}
        self._left: dict[str, tuple[str, State]] = {}
        self._bytes = 0

    def add(self, path: str, state: State) -> None:
        """What is kept, or stands on the disk at a path, belongs to the plan.

        EDIT_CONFLICT when neither has what was seen there.
        """
        if state.sha256 in self:
            return
        if self._kept is not None and self._kept.has(state.sha256):
            self._stored[state.sha256] = state
        elif state.kind is Kind.FILE and (state.size > HELD_EACH or self._bytes + state.size > HELD_BYTES):
            self._left[state.sha256] = path, state
        else:
            self[state.sha256] = b"".join(self._read(path, state))

    def size(self, sha: str) -> int:
        """How many bytes a content has."""
        if sha in self._stored:
            return self._stored[sha].size
        return self._left[sha][1].size if sha in self._left else len(self._held[sha])

    def pieces(self, sha: str) -> Iterator[bytes]:
        """A content, a piece at a time; EDIT_CONFLICT at the end when the file was changed.

        NOT_FOUND when what was kept is forgotten by now.
        """
        if sha in self._held:
            return iter((self._held[sha],))
        if sha in self._stored:
            return iter(self._pieces_kept(sha))
        return self._read(*self._left[sha])

    def __getitem__(self, sha: str) -> bytes:
        if sha in self._held:
            return self._held[sha]
        try:
            return b"".join(self.pieces(sha))
        except WorkroomError:
            raise KeyError(sha) from None

    def __contains__(self, sha: object) -> bool:
        return sha in self._held or sha in self._left or sha in self._stored

    def __setitem__(self, sha: str, data: bytes) -> None:
        del self[sha]
        self._held[sha] = data
        self._bytes += len(data)

    def __delitem__(self, sha: str) -> None:
        self._bytes -= len(self._held.pop(sha, b""))
        self._left.pop(sha, None)
        self._stored.pop(sha, None)

    def __iter__(self) -> Iterator[str]:
        return iter((*self._held, *self._left, *self._stored))

    def __len__(self) -> int:
        return len(self._held) + len(self._left) + len(self._stored)

    def _pieces_kept(self, sha: str) -> Iterable[bytes]:
        found = None if self._kept is None else self._kept.pieces(sha)
        if found is None:
            raise WorkroomError(
                ErrorCode.NOT_FOUND,
                "An earlier content was forgotten while the change was planned: the history's quota was met.",
                details={"sha256": sha},
            )
        return found

    def _read(self, path: str, state: State) -> Iterator[bytes]:
        sha = hashlib.sha256()
        for piece in self._pieces_at(path, state):
            sha.update(piece)
            yield piece
        if sha.hexdigest() != state.sha256:
            raise changed_meanwhile(path)

    def _pieces_at(self, path: str, state: State) -> Iterator[bytes]:
        if state.kind is Kind.SYMLINK:
            yield os.fsencode(self._root.readlink(path))
            return
        with open(self._root.open_file(path), "rb", buffering=0) as file:
            while piece := file.read(_PIECE):
                yield piece


def changed_meanwhile(path: str) -> WorkroomError:
    """What stands on the disk isn't what was seen there a moment ago."""
    return WorkroomError(
        ErrorCode.EDIT_CONFLICT,
        f"{path} was changed by another program while the edit was planned.",
        next_step="Read it again and make the edit anew.",
        details={"path": path},
    )


def pieces_of(contents: Mapping[str, bytes], sha: str) -> Iterable[bytes] | None:
    """A content of a plan, a piece at a time; None when the plan doesn't hold it."""
    if isinstance(contents, Contents):
        return contents.pieces(sha) if sha in contents else None
    return (contents[sha],) if sha in contents else None


def size_of(contents: Mapping[str, bytes], sha: str) -> int:
    """How many bytes a content of a plan has."""
    return contents.size(sha) if isinstance(contents, Contents) else len(contents[sha])
