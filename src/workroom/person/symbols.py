"""What is defined in a file, for the person who goes to it: of what stands on disk, or of what they have typed."""

from __future__ import annotations

from workroom.core.search.syntax.service import Parsed
from workroom.person.credential import PersonCredential
from workroom.tools.workspace import Workspace

__all__ = ["symbols"]


def symbols(_credential: PersonCredential, workspace: Workspace, given: str, text: str | None = None) -> Parsed:
    """The definitions of the file at a path, or of a `text` that stands in its place and isn't saved.

    PATH_OUTSIDE_WORKSPACE, NOT_FOUND; INVALID_INPUT for what is no file.
    """
    root = workspace.root
    path = root.resolve(root.parse(given))
    return workspace.syntax.of(path) if text is None else workspace.syntax.of_text(path, text)
