"""What the actions of workspace_inspect share: places, room, rows, and the step that helps after a refusal."""

from __future__ import annotations

import difflib
import itertools
import json
import os
from collections.abc import Sequence
from typing import Annotated, Any
from urllib.parse import quote_from_bytes, unquote_to_bytes

from pydantic import Field

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.search.listing import Options, Tally, shown_path, walk
from workroom.tools.tool import Arguments, Call

__all__ = [
    "MAX_PATHS",
    "Paths",
    "Within",
    "as_cursor",
    "fitting",
    "left_out",
    "left_out_words",
    "of_cursor",
    "places",
    "resolved",
    "room",
    "with_help",
    "wrong_cursor",
]

MAX_PATHS = 20

_ENVELOPE = 1_200
"""Characters of an answer beside its rows or text."""

_NAMES = 5_000
"""How many names beside a missing path are looked at for the one that was meant."""

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Within(Arguments):
    """Arguments of an action on one folder."""

    path: str = "."
    """The folder or file to look in."""


class Paths(Arguments):
    """Arguments of an action on one path, or several."""

    path: str | None = None
    """One path; either this or `paths`."""
    paths: Annotated[
        tuple[str, ...] | None, Field(min_length=1, max_length=MAX_PATHS, description="read, stat: up to 20")
    ] = None
    """Several paths."""


def places(arguments: Paths) -> tuple[str, ...]:
    """The paths that are meant; INVALID_INPUT unless exactly one of `path` and `paths` is there."""
    if (arguments.path is None) == (arguments.paths is None):
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            "Send either `path` or `paths`.",
            next_step="`path` for one, `paths` for up to 20.",
            details={"field": "path"},
        )
    return arguments.paths if arguments.paths is not None else (str(arguments.path),)


def resolved(call: Call, given: str) -> tuple[str, str]:
    """A given path as answers name it, and where it leads."""
    root = call.workspace.root
    path = root.parse(given)
    return path, root.resolve(path)


def room(call: Call) -> int:
    """How many characters of an answer its rows or text may take."""
    limit = call.settings().max_tool_result_chars
    return max(limit - _ENVELOPE, limit // 3)


def as_cursor(path: str) -> str:
    """A path as a cursor carries it: any bytes, in characters that every client hands back unchanged."""
    return quote_from_bytes(os.fsencode(path), safe="/")


def of_cursor(cursor: str) -> str:
    """The path that `as_cursor` wrote. INVALID_INPUT for what it can't have written."""
    if not cursor.isascii():
        raise wrong_cursor(cursor)
    return os.fsdecode(unquote_to_bytes(cursor))


def wrong_cursor(cursor: str) -> WorkroomError:
    """The refusal of a cursor that isn't one of ours."""
    return WorkroomError(
        ErrorCode.INVALID_INPUT,
        f"`cursor` {cursor[:80]!r} is not one that this action answered.",
        next_step="Send the cursor of the last answer, or none to begin anew.",
        details={"field": "cursor"},
    )


def fitting(rows: Sequence[Any], space: int) -> int:
    """How many of the rows, as JSON, fit into `space` characters; at least one."""
    for count, row in enumerate(rows):
        space -= len(_encode(row)) + 1
        if space < 0 and count:
            return count
    return len(rows)


def left_out(tally: Tally) -> dict[str, Any]:
    """What a walk passed over, where there was any."""
    found = {
        "leftOut": sorted(tally.apart),
        "ignored": tally.ignored,
        "hidden": tally.hidden,
        "unreadable": tally.unreadable,
    }
    return {name: value for name, value in found.items() if value}


def left_out_words(tally: Tally) -> str:
    """The same as a sentence, empty where there was nothing."""
    words = [*sorted(tally.apart)]
    words += [f"{tally.ignored} ignored"] if tally.ignored else []
    words += [f"{tally.hidden} hidden"] if tally.hidden else []
    words += [f"{tally.unreadable} unreadable folders"] if tally.unreadable else []
    return f" Left out: {', '.join(words)}." if words else ""


def with_help(call: Call, path: str, error: WorkroomError) -> WorkroomError:
    """The same error with the step that usually helps."""
    step = error.next_step
    if error.code is ErrorCode.NOT_FOUND:
        near = _nearby(call, path)
        step = f"Did you mean {near}?" if near else "Action find looks for a file by its name."
    elif "is a folder" in error.message:
        step = "Action list shows what is in it."
    elif error.details.get("kind"):
        step = "Action stat tells what it is; it can be copied, moved and deleted."
    return WorkroomError(error.code, error.message, next_step=step, details=error.details)


def _nearby(call: Call, path: str) -> str | None:
    """The path beside a missing one that was probably meant."""
    parent, _, name = path.rpartition("/")
    try:
        found = walk(call.workspace.root, parent or ".", Options(ignored=True), Tally())
        names = [entry.path.rpartition("/")[2] for entry in itertools.islice(found, _NAMES)]
    except WorkroomError:
        return None
    near = difflib.get_close_matches(name, names, n=1)
    return shown_path(f"{parent}/{near[0]}" if parent else near[0]) if near else None
