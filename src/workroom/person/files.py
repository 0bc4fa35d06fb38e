"""A file's bytes for the person: what isn't text can be looked at, too."""

from __future__ import annotations

from dataclasses import dataclass

from workroom.person.credential import PersonCredential
from workroom.text.picture import picture_type
from workroom.tools.workspace import Workspace

__all__ = ["MOST", "Content", "read"]

MOST = 20 * 1024 * 1024
"""The largest file that is handed out, in bytes; it is held in memory whole, here and by who asked."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a file holds. `picture` is its type if it is one, told by these very bytes."""

    data: bytes
    picture: str | None


def read(_credential: PersonCredential, workspace: Workspace, given: str) -> Content:
    """The bytes at a path, from the root or absolute inside it. Each read of a tool takes the same way.

    PATH_OUTSIDE_WORKSPACE, NOT_FOUND; INVALID_INPUT for what is no file; LIMIT_EXCEEDED, with both figures.
    """
    root = workspace.root
    data = root.read(root.resolve(root.parse(given)), MOST)
    return Content(data, picture_type(data))
