"""What an edit is made of: nine operations, as a model sends them.

They are pydantic models since they are stored, compared and shown as JSON, and so that a wrong field is refused with
its name. `normalised` is the form that two equal requests share.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = [
    "Copy",
    "Create",
    "Delete",
    "Mkdir",
    "Move",
    "Operation",
    "Patch",
    "Replace",
    "Rewrite",
    "Splice",
    "normalised",
]


class _Operation(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    allow_line_numbers: bool = False
    """Take text that looks like numbered lines (`12 | …`) as it is."""
    expected_sha256: str | None = None
    """The SHA-256 the file must have before the transaction."""


class Create(_Operation):
    """A new file; parents are made. Over an existing file only with `overwrite`."""

    type: Literal["create"]
    """Which operation this is."""
    path: str
    """From the root, with `/`; or absolute inside it."""
    content: str
    """The whole text."""
    overwrite: bool = False
    """Over an existing file, too: destructive."""


class Rewrite(_Operation):
    """The whole content of an existing file."""

    type: Literal["rewrite"]
    """Which operation this is."""
    path: str
    """From the root, with `/`; or absolute inside it."""
    content: str
    """The whole new text."""
    create_if_missing: bool = False
    """Make the file where there is none."""


class Replace(_Operation):
    """Exact text, which occurs `expected_matches` times."""

    type: Literal["replace"]
    """Which operation this is."""
    path: str
    """From the root, with `/`; or absolute inside it."""
    search: str = Field(min_length=1)
    """The text as it stands in the file."""
    replacement: str
    """What takes its place."""
    expected_matches: int = Field(default=1, ge=1, le=100_000)
    """How often the text must occur; another number changes nothing."""


class Splice(_Operation):
    """Lines from `start_line` (1-based), guarded by the hash of what was read."""

    type: Literal["splice"]
    """Which operation this is."""
    path: str
    """From the root, with `/`; or absolute inside it."""
    start_line: int = Field(ge=1)
    """The line before which `content` goes, and from which on lines are deleted; from 1."""
    delete_count: int = Field(ge=0)
    """How many lines go."""
    content: str = ""
    """The lines that come."""
    expected_hash: str | None = None
    """The SHA-256 of the whole file as it was read; anything else changes nothing."""


class _Transfer(_Operation):
    source: str = Field(alias="from")
    """The path as it stands."""
    target: str = Field(alias="to")
    """The new path; parents are made."""
    overwrite: bool = False
    """Over an existing file, too: destructive."""


class Copy(_Transfer):
    """A file or a folder with all it holds."""

    type: Literal["copy"]
    """Which operation this is."""


class Move(_Transfer):
    """A file, link or folder."""

    type: Literal["move"]
    """Which operation this is."""


class Delete(_Operation):
    """A file or link, or a folder with `recursive`."""

    type: Literal["delete"]
    """Which operation this is."""
    path: str
    """From the root, with `/`; or absolute inside it."""
    ignore_missing: bool = False
    """Where nothing stands there, do nothing."""
    recursive: bool = False
    """A folder with all it holds."""


class Mkdir(_Operation):
    """An empty folder; parents are made."""

    type: Literal["mkdir"]
    """Which operation this is."""
    path: str
    """From the root, with `/`; or absolute inside it."""


class Patch(_Operation):
    """A unified diff over up to 50 files, plain or as git writes it."""

    type: Literal["patch"]
    """Which operation this is."""
    patch: str
    """The diff's text."""


Operation = Annotated[
    Create | Rewrite | Replace | Splice | Copy | Move | Delete | Mkdir | Patch, Field(discriminator="type")
]


def normalised(operations: tuple[Operation, ...]) -> list[dict[str, Any]]:
    """The operations as JSON values with defaults left out: equal requests give equal values."""
    return [{"type": op.type, **op.model_dump(by_alias=True, exclude_defaults=True)} for op in operations]
