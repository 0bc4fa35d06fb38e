"""workspace_inspect read: what is in a file."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from workroom.base.envelope import Envelope
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.search.excerpt import Excerpt, Span, excerpt, json_length
from workroom.core.search.listing import shown_path
from workroom.core.search.pieces import REACH
from workroom.tools.inspect.common import Paths, places, resolved, room, with_help
from workroom.tools.schema import UNSHOWN
from workroom.tools.tool import Action, Call

__all__ = ["READ"]

_LINE_ROOM = 2_000
"""Characters of one line that are shown unless `max_chars` asks for more."""

_ROW = 450
"""Characters of one file's facts beside its text."""


class Read(Paths):
    start_line: Annotated[int | None, Field(ge=1)] = None
    """The first line that is wanted, from 1."""
    end_line: Annotated[int | None, Field(ge=1)] = None
    """The last line that is wanted, included."""
    tail_lines: Annotated[int | None, Field(ge=1)] = None
    """The last so many lines instead."""
    symbol: Annotated[str | None, Field(json_schema_extra=UNSHOWN)] = None
    numbered: bool = True
    """Lines as `12 | text`."""
    known_sha256: Annotated[str | None, Field(description="skips an unchanged file")] = None
    """The hash of what the caller has: the same bytes are answered with `unchanged`."""
    max_chars: Annotated[int | None, Field(ge=100, le=1_000_000)] = None
    """The longest text of one file in this answer."""


def _read(call: Call, arguments: Read) -> Envelope:
    given = places(arguments)
    _check(arguments)
    if len(given) == 1:
        return _read_one(call, arguments, given[0])
    return _read_many(call, arguments, given)


def _check(arguments: Read) -> None:
    problem = ""
    if arguments.symbol is not None:
        raise WorkroomError(
            ErrorCode.UNSUPPORTED,
            "`symbol` is not in this version of Workroom.",
            next_step="Find its line with action search, then read from `start_line`.",
        )
    if arguments.tail_lines is not None and (arguments.start_line or arguments.end_line):
        problem = "`tail_lines` can't be combined with `start_line` or `end_line`."
    elif arguments.end_line is not None and arguments.end_line < (arguments.start_line or 1):
        problem = f"`end_line` {arguments.end_line} is before `start_line` {arguments.start_line}."
    elif arguments.known_sha256 is not None and arguments.path is None:
        problem = "`known_sha256` is of one file: send `path`, not `paths`."
    if problem:
        raise WorkroomError(ErrorCode.INVALID_INPUT, problem)


def _span(arguments: Read, space: int, count: int = 1) -> Span:
    """What is wanted of one of so many files; all together are looked through as far as one would be."""
    return Span(
        first=arguments.start_line or 1,
        last=arguments.end_line,
        tail=arguments.tail_lines,
        numbers=arguments.numbered,
        room=min(space, arguments.max_chars or space),
        line_room=max(_LINE_ROOM, arguments.max_chars or 0),
        known=arguments.known_sha256,
        reach=REACH // count,
    )


def _read_one(call: Call, arguments: Read, given: str) -> Envelope:
    data, found = _row(call, given, _span(arguments, room(call)))
    if found.unchanged:
        return Envelope(
            ok=True,
            operation="inspect.read",
            summary=f"{data['path']} is unchanged ({found.size:,} bytes).",
            data=data,
        )
    said = _said(data, found)
    return Envelope(
        ok=True,
        operation="inspect.read",
        summary=f"{data['path']}: {said}",
        data=data,
        facts=(f"read {data['path']}: {said}",),
        omit_when_summarizing=("text",),
        text=found.text,
    )


def _read_many(call: Call, arguments: Read, given: tuple[str, ...]) -> Envelope:
    space = room(call)
    rows: list[dict[str, Any]] = [{} for _ in given]
    texts = [""] * len(given)
    failed: list[WorkroomError] = []
    # Small files first: what they leave of their share is the large ones'.
    for left, place in enumerate(sorted(range(len(given)), key=lambda at: _size(call, given[at]))):
        share = max(space // (len(given) - left) - _ROW, 100)
        try:
            data, found = _row(call, given[place], _span(arguments, share, len(given)))
        except WorkroomError as error:
            failed.append(error)
            rows[place] = {"path": given[place], "error": {"code": str(error.code), "message": str(error)}}
            texts[place] = f"== {given[place]}: {error}"
            space -= json_length(str(error)) + _ROW
            continue
        rows[place] = data
        texts[place] = f"== {data['path']}: {_said(data, found)}\n{found.text}"
        space -= json_length(found.text) + _ROW
    if len(failed) == len(given):
        raise failed[0]
    read = len(rows) - len(failed)
    return Envelope(
        ok=True,
        operation="inspect.read",
        summary=f"Read {read} of {len(given)} files." if failed else f"Read {read} files.",
        data={"files": rows, "total": len(rows), "truncated": any(row.get("truncated") for row in rows)},
        facts=tuple(f"read {row['path']}" for row in rows if "error" not in row),
        omit_when_summarizing=("files",),
        text="\n".join(texts),
    )


def _size(call: Call, given: str) -> int:
    try:
        seen = call.workspace.root.stat(resolved(call, given)[1])
    except WorkroomError:
        return 0
    return seen.size if seen is not None else 0


def _row(call: Call, given: str, span: Span) -> tuple[dict[str, Any], Excerpt]:
    path, target = resolved(call, given)
    try:
        found = excerpt(call.workspace.root, target, span)
    except WorkroomError as error:
        raise with_help(call, target, error) from None
    data: dict[str, Any] = {"path": path, "sha256": found.sha256, "bytes": found.size}
    if target != path:
        data["resolvedPath"] = shown_path(target)
    if found.unchanged:
        return {**data, "unchanged": True, "truncated": False}, found
    data |= {
        "text": found.text,
        "startLine": found.first,
        "endLine": found.last,
        "totalLines": found.total,
        "encoding": found.encoding,
        "lineEnding": found.line_ending,
        "truncated": not found.complete or found.cut_lines > 0,
    }
    if not found.complete and found.last is not None:
        data |= _further(found, tail=span.tail is not None)
    if found.cut_lines:
        data["cutLines"] = found.cut_lines
    if found.lossy:
        data["lossy"] = True
    if found.sha256 is None:
        data["sha256Omitted"] = "too large to be hashed for a read"
    return data, found


def _further(found: Excerpt, *, tail: bool) -> dict[str, int]:
    """Where to go on: behind what is shown, or before it, where it is the end of a file."""
    if tail:
        return {"previousEndLine": (found.first or 1) - 1}
    return {"nextStartLine": (found.last or 0) + 1}


def _said(data: dict[str, Any], found: Excerpt) -> str:
    """The facts of one excerpt in a sentence; what was cut is said, and how to go on."""
    if found.first is None or found.last is None:
        lines = "the last lines"
    elif found.last < found.first:
        lines = "no lines"
    else:
        lines = f"lines {found.first}-{found.last}"
    total = f" of {found.total:,}" if found.total is not None else f" ({found.size:,} bytes; lines not counted)"
    said = f"{lines}{total}, sha256 {found.sha256 or 'not computed'}."
    if "nextStartLine" in data:
        said += f" Truncated: go on with start_line {data['nextStartLine']}."
    elif "previousEndLine" in data:
        said += f" Truncated: the lines before end with end_line {data['previousEndLine']}."
    elif not found.complete:
        said += " Truncated."
    if found.cut_lines:
        said += f" {found.cut_lines} long lines are cut: max_chars shows more of them, or search shows a match in one."
    if found.lossy:
        said += " Bytes that can't be decoded are shown as U+FFFD."
    return said


READ = Action("read", Read, "The lines of a file, or of up to 20, numbered, with the hash of the whole file.", _read)
