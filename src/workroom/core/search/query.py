"""What a search in files looks for, and the flags by which ripgrep walks to the files that count."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from workroom.base.errors import ErrorCode, WorkroomError

__all__ = ["LARGEST", "Query", "order", "walk_flags"]

LARGEST = 64 * 1024**2
"""Larger files aren't searched where they aren't named; in bytes."""

_OURS = (
    "--no-config",
    "--no-follow",
    "--no-ignore-global",
    "--no-ignore-parent",
    "--no-ignore-dot",
    "--no-require-git",
)


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for. `case_sensitive` None: sensitive when the text has a capital."""

    text: str
    regex: bool = False
    case_sensitive: bool | None = None
    whole_word: bool = False
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    context: int = 0
    ignored: bool = False
    hidden: bool = True


def walk_flags(query: Query, *, named: bool, apart: tuple[str, ...]) -> Iterator[str]:
    """How files are chosen. `named`: the path names what is apart; else `apart` is left out.

    INVALID_INPUT for what is no glob.
    """
    yield from _OURS
    if query.hidden or named:
        yield "--hidden"
    if query.ignored or named:
        yield "--no-ignore"
    for glob in query.include:
        yield from ("--glob", _glob("include", glob))
    for glob in (*query.exclude, *apart):
        yield from ("--glob", "!" + _glob("exclude", glob))


def order(path: str) -> list[bytes]:
    """Ripgrep's order of paths: folder by folder, by bytes."""
    return os.fsencode(path).split(b"/")


def _glob(field_name: str, glob: str) -> str:
    if glob.startswith("!") or not glob:
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            f"`{field_name}` holds {glob!r}, which is no glob.",
            next_step="Put what shall be left out into `exclude`, without `!`.",
        )
    return glob
