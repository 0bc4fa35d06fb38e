"""What stands on disk against what was expected there: what a refused write brings back."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from workroom.base.changes import Kind, State
from workroom.base.errors import WorkroomError
from workroom.system.root import Root
from workroom.text.diff import FileSide, render_file

__all__ = ["difference"]

_SHOWN = 4_000
_COMPARED = 2_000_000


def difference(root: Root, path: str, expected: State, image: Callable[[str], bytes | None]) -> dict[str, Any]:
    """Path, both hashes, and a patch from what was expected to what is there now, at most 4,000 characters.

    The patch is left out where either side is too large to compare or is gone.
    """
    try:
        now = root.state(path)
    except WorkroomError:
        return {"path": path, "expectedSha256": expected.sha256 or None}
    row: dict[str, Any] = {
        "path": path,
        "expectedSha256": expected.sha256 or None,
        "actualSha256": now.sha256 or None,
    }
    if max(now.size, expected.size) <= _COMPARED:
        then = image(expected.sha256) if expected.sha256 else None
        patch = render_file(_side(path, then, expected), _side(path, _read(root, path, now.kind), now))
        row |= {"patch": patch[:_SHOWN], "patchTruncated": len(patch) > _SHOWN}
    return row


def _side(path: str, data: bytes | None, state: State) -> FileSide:
    return FileSide(path, data, state.mode, state.kind is Kind.SYMLINK)


def _read(root: Root, path: str, kind: Kind) -> bytes | None:
    try:
        return os.fsencode(root.readlink(path)) if kind is Kind.SYMLINK else root.read(path)
    except WorkroomError:  # no file, or gone by now
        return None
