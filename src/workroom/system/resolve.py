"""Where a path leads when links are followed by hand, inside the root only."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from workroom.base.errors import ErrorCode, WorkroomError

__all__ = ["MAX_LINKS", "follow"]

MAX_LINKS = 40
"""As the kernel counts."""


def follow(path: str, root: str, target_of: Callable[[str], str | None], *, last: bool) -> str:
    """The path without links, of a canonical `path` in the folder whose real absolute path is `root`.

    `target_of` tells a link's target, and None for what is no link or absent. `last` says whether a link at the end
    is followed too. PATH_OUTSIDE_WORKSPACE when a link leaves the root, even one that would come back;
    INVALID_INPUT when links go round.
    """
    done: list[str] = []
    ahead = deque(_parts(path))
    links = 0
    while ahead:
        part = ahead.popleft()
        if part == "..":
            if not done:
                raise _leaves(path)
            done.pop()
            continue
        done.append(part)
        target = target_of("/".join(done)) if ahead or last else None
        if target is None:
            continue
        links += 1
        if links > MAX_LINKS:
            raise WorkroomError(ErrorCode.INVALID_INPUT, f"Path {path!r}: its links go round in a circle.")
        done.pop()
        if target.startswith("/"):
            done.clear()
            ahead.extendleft(reversed(_below(target, root, path)))
        else:
            ahead.extendleft(reversed(_parts(target)))
    return "/".join(done) or "."


def _below(target: str, root: str, path: str) -> list[str]:
    """An absolute target as parts relative to the root."""
    parts, top = _parts(target), _parts(root)
    if parts[: len(top)] != top:
        raise _leaves(path)
    return parts[len(top) :]


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in {"", "."}]


def _leaves(path: str) -> WorkroomError:
    return WorkroomError(
        ErrorCode.PATH_OUTSIDE_WORKSPACE,
        f"Path {path!r} goes through a link that leads out of the workspace.",
        next_step="Name a path inside the workspace.",
    )
