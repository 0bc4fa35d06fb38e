"""workspace_inspect list: what is in a folder."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from workroom.base.changes import Kind
from workroom.base.envelope import Envelope
from workroom.core.search.listing import Options, Page, page, shown_path
from workroom.system.clock import iso
from workroom.system.root import Stat
from workroom.tools.inspect.common import (
    Within,
    as_cursor,
    fitting,
    left_out,
    left_out_words,
    of_cursor,
    resolved,
    room,
)
from workroom.tools.tool import Action, Call

__all__ = ["LIST", "listed"]

_LIST_BUDGET = 10_000_000
_LIST_SECONDS = 5.0
"""How many entries one list looks at, and for how long; the cursor goes on from there."""


class Listed(Within):
    recursive: bool = False
    """Folders below it, too."""
    depth: Annotated[int | None, Field(ge=1)] = None
    """Levels of folders, with `recursive`; all without it."""
    pattern: Annotated[str | None, Field(min_length=1, description="list: glob")] = None
    """Only paths that fit this glob."""
    include_hidden: bool = True
    """Names that begin with a dot."""
    include_ignored: bool = False
    """What git would ignore."""
    limit: Annotated[int, Field(ge=1, le=5_000)] = 500
    """Entries in one answer."""
    cursor: str | None = None
    """The cursor that the answer before gave, to go on."""


def _list(call: Call, arguments: Listed) -> Envelope:
    path, target = resolved(call, arguments.path)
    below = arguments.recursive or (arguments.pattern is not None and "/" in arguments.pattern)
    options = Options(
        depth=arguments.depth if arguments.depth is not None or below else 1,
        pattern=arguments.pattern,
        hidden=arguments.include_hidden,
        ignored=arguments.include_ignored,
        after=None if arguments.cursor is None else of_cursor(arguments.cursor),
        budget=_LIST_BUDGET,
        seconds=_LIST_SECONDS,
    )
    space, large = room(call), call.workspace.names.large
    found = page(call.workspace.root, target, options, arguments.limit, room=space, pulse=call.pulse, folders=large)
    return listed(path, found, space, resumed=arguments.cursor is not None)


def listed(path: str, found: Page, space: int, *, resumed: bool) -> Envelope:
    """The answer that tells of a page, as much as fits into `space` characters."""
    rows = [_entry(seen) for seen in found.entries]
    count = fitting(rows, space)
    last = found.entries[count - 1].path if count < len(rows) else found.cursor
    cursor = None if last is None else as_cursor(last)
    data: dict[str, Any] = {
        "path": path,
        "entries": rows[:count],
        "total": None if resumed else found.total,
        "truncated": cursor is not None or found.tally.cut,
        **left_out(found.tally),
    }
    if cursor is not None:
        data["cursor"] = cursor
    if resumed:
        data["remaining"] = found.total
    if not found.total_is_exact:
        data["totalIsMinimum"] = True
    least = "" if found.total_is_exact else "at least "
    entries = "entry" if found.total == 1 else "entries"
    more = f"{' remaining' if resumed else ''}"
    more += f", {count} shown; go on with cursor {cursor!r}" if cursor is not None else ""
    return Envelope(
        ok=True,
        operation="inspect.list",
        summary=f"{path}: {least}{found.total:,} {entries}{more}.{left_out_words(found.tally)}",
        data=data,
        omit_when_summarizing=("entries",),
        text="\n".join(_entry_line(seen) for seen in found.entries[:count]),
    )


def _entry(seen: Stat) -> dict[str, Any]:
    row: dict[str, Any] = {"path": shown_path(seen.path), "kind": str(seen.kind)}
    if seen.kind is not Kind.DIRECTORY:
        row["size"] = seen.size
    row["mtime"] = iso(seen.mtime_ns // 1_000_000_000)
    if seen.target is not None:
        row["target"] = shown_path(seen.target)
    return row


def _entry_line(seen: Stat) -> str:
    path = shown_path(seen.path)
    if seen.kind is Kind.DIRECTORY:
        return f"{path}/"
    if seen.target is not None:
        return f"{path} -> {shown_path(seen.target)}"
    return f"{path} ({seen.size:,} bytes)" if seen.kind is Kind.FILE else f"{path} ({seen.kind})"


LIST = Action("list", Listed, "Entries of a folder, in pages.", _list)
