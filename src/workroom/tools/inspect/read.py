"""workspace_inspect read: what is in a file."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from workroom.base.envelope import Artifact, Envelope
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.search.excerpt import Excerpt, Span, excerpt, json_length
from workroom.core.search.listing import shown_path
from workroom.core.search.pieces import REACH
from workroom.core.search.syntax.symbols import Place
from workroom.text.lines import without_ending
from workroom.tools.inspect.common import Paths, places, resolved, room, with_help
from workroom.tools.inspect.parts import Wanted, kept, notebook, pdf
from workroom.tools.inspect.picture import Gallery, picture_said
from workroom.tools.inspect.shown import Shown, unchanged
from workroom.tools.inspect.symbols import place_line, place_row, the_only
from workroom.tools.tool import Action, Call

__all__ = ["READ"]

_LINE_ROOM = 2_000
"""Characters of one line that are shown unless `max_chars` asks for more."""

_ROW = 450
"""Characters of one file's facts beside its text."""

_LEAST = 900
"""Characters of a file and its facts below which it isn't worth while to begin with it."""

_FOLD = 1_000
"""Characters of a line in a file that holds a long one."""

_TRIES = 20
"""How often a definition is looked for in a file that keeps changing."""

_PDF = "PDF document"
_PICTURES = frozenset({"PNG image", "JPEG image", "GIF image", "RIFF media"})
"""What binary may be where it is a picture that a model can look at."""


class Read(Paths):
    start_line: Annotated[int | None, Field(ge=1)] = None
    """The first line that is wanted, from 1."""
    end_line: Annotated[int | None, Field(ge=1)] = None
    """The last line that is wanted, included."""
    tail_lines: Annotated[int | None, Field(ge=1)] = None
    """The last so many lines instead."""
    start_part: Annotated[int | None, Field(ge=1, description="notebook cell, PDF page")] = None
    """The first cell of a notebook, or page of a PDF, from 1."""
    end_part: Annotated[int | None, Field(ge=1)] = None
    """The last one, included."""
    symbol: str | None = None
    """The lines of this definition instead: `path` is its file, or a folder that it is somewhere in."""
    numbered: bool = True
    """Lines as `12 | text`."""
    known_sha256: Annotated[str | None, Field(description="skips an unchanged file")] = None
    """The hash of what the caller has: the same bytes are answered with `unchanged`."""
    max_chars: Annotated[int | None, Field(ge=100, le=1_000_000)] = None
    """The longest text of one file in this answer."""

    @property
    def by_lines(self) -> bool:
        """Whether lines of the file are asked for, and not what it shows as a whole."""
        return bool(self.start_line or self.end_line or self.tail_lines)


def _read(call: Call, arguments: Read) -> Envelope:
    _check(arguments)
    if arguments.symbol is not None:
        return _read_symbol(call, arguments, arguments.symbol)
    given = places(arguments)
    if len(given) == 1:
        return _read_one(call, arguments, given[0])
    return _read_many(call, arguments, given)


def _check(arguments: Read) -> None:
    problem = ""
    if arguments.symbol is not None and (arguments.by_lines or arguments.start_part or arguments.end_part):
        problem = "`symbol` says which lines: send it without others."
    elif arguments.symbol is not None and arguments.paths is not None:
        problem = "`symbol` is in one file or folder: send `path`, not `paths`."
    elif arguments.tail_lines is not None and (arguments.start_line or arguments.end_line):
        problem = "`tail_lines` can't be combined with `start_line` or `end_line`."
    elif arguments.end_line is not None and arguments.end_line < (arguments.start_line or 1):
        problem = f"`end_line` {arguments.end_line} is before `start_line` {arguments.start_line}."
    elif arguments.by_lines and (arguments.start_part or arguments.end_part):
        problem = "`start_part` and `end_part` can't be combined with lines."
    elif arguments.end_part is not None and arguments.end_part < (arguments.start_part or 1):
        problem = f"`end_part` {arguments.end_part} is before `start_part` {arguments.start_part}."
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
    return _answer(_shown(call, arguments, given, _span(arguments, room(call)), Gallery()))


def _answer(shown: Shown) -> Envelope:
    """The answer that tells of one file."""
    same = shown.data.get("unchanged", False)
    return Envelope(
        ok=True,
        operation="inspect.read",
        summary=f"{shown.data['path']}{'' if same else ':'} {shown.said}",
        data=shown.data,
        facts=() if same else (f"read {shown.data['path']}: {shown.said.partition(', sha256 ')[0]}",),
        omit_when_summarizing=("text",) if "text" in shown.data else (),
        text=shown.text,
        artifacts=shown.artifacts,
        pictures=() if shown.picture is None else (shown.picture,),
    )


def _read_symbol(call: Call, arguments: Read, symbol: str) -> Envelope:
    """The lines of a definition, of the very bytes that it was found in."""
    path, target = resolved(call, "." if arguments.path is None else arguments.path)
    for _ in range(_TRIES):
        call.pulse.check()
        place, others, cut = the_only(call, target, symbol)
        each, leads = place.definition, shown_path(place.path)
        shown_as = path if place.path == target else leads
        where = {"path": shown_as} if shown_as == leads else {"path": shown_as, "resolvedPath": leads}
        lines = arguments.model_copy(update={"start_line": each.first, "end_line": each.last})
        with suppress(WorkroomError):  # it has become another file: the next look tells what it is
            shown = _as_lines(call, lines, where, place.path, _span(lines, room(call)))
            if shown.data["sha256"] == place.sha256:
                return _answer(_with_symbol(shown, place, others, may_be_others=cut))
    raise WorkroomError(  # pragma: no cover - needs a file that changes between any two looks
        ErrorCode.IO_ERROR, f"{path} changes faster than it can be read.", next_step="Read it by its lines."
    )


def _with_symbol(shown: Shown, place: Place, others: list[Place], *, may_be_others: bool) -> Shown:
    also: dict[str, Any] = {"alsoAt": [place_row(other) for other in others]} if others else {}
    said = (
        shown.said
        if "text" not in shown.data
        else f"{place.definition.kind} {place.definition.qualified}, {shown.said}"
    )
    if others:
        said += f" Also: {'; '.join(map(place_line, others))}."
    if may_be_others:
        also["mayBeOthers"] = True
        said += " There may be others: not everything was looked into."
    return replace(shown, data={**shown.data, "symbol": place_row(place), **also}, said=said)


def _read_many(call: Call, arguments: Read, given: tuple[str, ...]) -> Envelope:
    space, gallery = room(call), Gallery()
    paths = given[: max(space // _LEAST, 1)]
    rows: list[Shown | WorkroomError] = [Shown({}, "") for _ in paths]
    # Small files first: what they leave of their share is the large ones'.
    for left, place in enumerate(sorted(range(len(paths)), key=lambda at: _size(call, paths[at]))):
        share = max(space // (len(paths) - left) - _ROW, 100)
        try:
            shown = _shown(call, arguments, paths[place], _span(arguments, share, len(given)), gallery)
            rows[place], length = shown, json_length(shown.text)
        except WorkroomError as error:
            rows[place], length = error, json_length(str(error))
        space -= length + _ROW
    failed = [row for row in rows if isinstance(row, WorkroomError)]
    if len(failed) == len(given):
        raise failed[0]
    return _of_many(given, rows)


def _of_many(given: tuple[str, ...], rows: list[Shown | WorkroomError]) -> Envelope:
    files = [_file(path, row) for path, row in zip(given, rows, strict=False)]
    unread, read = list(given[len(rows) :]), sum("error" not in row for row in files)
    data = {"files": files, "total": len(given), "truncated": bool(unread) or any(map(_is_cut, files))}
    summary = f"Read {read} files." if read == len(given) else f"Read {read} of {len(given)} files."
    if unread:
        data["unread"] = unread
        summary += f" There was no room for the last {len(unread)}: read them in another call."
    return Envelope(
        ok=True,
        operation="inspect.read",
        summary=summary,
        data=data,
        facts=tuple(f"read {row['path']}" for row in files if "error" not in row),
        omit_when_summarizing=("files",),
        text="\n".join(_paragraph(path, row) for path, row in zip(given, rows, strict=False)),
        artifacts=tuple(each for row in rows if isinstance(row, Shown) for each in row.artifacts),
        pictures=tuple(row.picture for row in rows if isinstance(row, Shown) and row.picture is not None),
    )


def _is_cut(row: dict[str, Any]) -> bool:
    return bool(row.get("truncated"))


def _file(given: str, row: Shown | WorkroomError) -> dict[str, Any]:
    if isinstance(row, WorkroomError):
        return {"path": given, "error": {"code": str(row.code), "message": str(row)}}
    return row.data


def _paragraph(given: str, row: Shown | WorkroomError) -> str:
    if isinstance(row, WorkroomError):
        return f"== {given}: {row}"
    return f"== {row.data['path']}: {row.said}" + (f"\n{row.text}" if "text" in row.data else "")


def _size(call: Call, given: str) -> int:
    try:
        seen = call.workspace.root.stat(resolved(call, given)[1])
    except WorkroomError:
        return 0
    return seen.size if seen is not None else 0


def _shown(call: Call, arguments: Read, given: str, span: Span, gallery: Gallery) -> Shown:
    """One file, as what it is: INVALID_INPUT for binary that is no picture and no PDF."""
    path, target = resolved(call, given)
    where = {"path": path} if target == path else {"path": path, "resolvedPath": shown_path(target)}
    try:
        return _as_parts(call, arguments, where, target, span) or _as_lines(call, arguments, where, target, span)
    except WorkroomError as error:
        kind = error.details.get("kind", "")
        shown = _as_other(call, arguments, where, target, span, gallery, kind)
        if shown is None:
            raise with_help(call, target, error) from None
        return shown


def _as_parts(call: Call, arguments: Read, where: dict[str, Any], target: str, span: Span) -> Shown | None:
    """A notebook by its cells, where no lines of its own are asked for."""
    if arguments.by_lines or not target.endswith(".ipynb"):
        return None
    return notebook(call, where, target, _wanted(arguments, span))


def _as_lines(call: Call, arguments: Read, where: dict[str, Any], target: str, span: Span) -> Shown:
    found = excerpt(call.workspace.root, target, span)
    if found.unchanged:
        return unchanged(where, {"sha256": found.sha256}, found.size)
    if not arguments.by_lines and found.pdf:
        return pdf(call, where, target, _wanted(arguments, span))
    if arguments.start_part or arguments.end_part:
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            f"{where['path']!r} is read by its lines: `start_part` and `end_part` are of notebooks and PDFs.",
            next_step="Send `start_line` and `end_line`.",
        )
    data = _data(where, found, tail=span.tail is not None)
    artifacts = _folded(call, where["path"], found) if arguments.max_chars and span.reach == REACH else ()
    whole = "".join(f" The whole of it, folded after {_FOLD:,} characters, is in {each.path}." for each in artifacts)
    return Shown(data, _said(data, found) + whole, found.text, artifacts=artifacts)


def _folded(call: Call, path: str, found: Excerpt) -> tuple[Artifact, ...]:
    """A line that is too long for an answer, where more of it was asked for, as a file that can be read by lines."""
    body = without_ending(found.line)
    folded = [body[at : at + _FOLD] for at in range(0, len(body), _FOLD)]
    return kept(call.workspace.agentic, "\n".join(folded), f"line {found.first} of {path}, folded") if body else ()


def _as_other(
    call: Call, arguments: Read, where: dict[str, Any], target: str, span: Span, gallery: Gallery, kind: str
) -> Shown | None:
    """What is binary, where there is a way to show it."""
    if kind == _PDF:
        if arguments.by_lines:
            raise WorkroomError(
                ErrorCode.INVALID_INPUT,
                f"{where['path']!r} is a PDF, which has pages and no lines.",
                next_step="`start_part` and `end_part` choose pages.",
            )
        return pdf(call, where, target, _wanted(arguments, span))
    found = gallery.add(call.workspace.root, where["path"], target) if kind in _PICTURES else None
    if found is None:
        return None
    if arguments.by_lines or arguments.start_part or arguments.end_part:
        raise WorkroomError(ErrorCode.INVALID_INPUT, f"{where['path']!r} is a picture and has no lines or parts.")
    facts, picture = found
    if call.limits is not None and not call.limits.pictures:
        return Shown({**where, **facts}, f"{picture_said(facts)} This client shows a model no pictures.")
    return Shown({**where, **facts}, picture_said(facts), picture=picture)


def _wanted(arguments: Read, span: Span) -> Wanted:
    return Wanted(arguments.start_part or 1, arguments.end_part, span.room, span.known, REACH // span.reach)


def _data(where: dict[str, Any], found: Excerpt, *, tail: bool) -> dict[str, Any]:
    data: dict[str, Any] = {
        **where,
        "sha256": found.sha256,
        "bytes": found.size,
        "text": found.text,
        "startLine": found.first,
        "endLine": found.last,
        "totalLines": found.total,
        "encoding": found.encoding,
        "lineEnding": found.line_ending,
        "truncated": not found.complete or found.cut_lines > 0,
    }
    if not found.complete and found.last is not None:
        data |= _further(found, tail=tail)
    if found.cut_lines:
        data["cutLines"] = found.cut_lines
    if found.lossy:
        data["lossy"] = True
    if found.sha256 is None:
        data["sha256Omitted"] = "too large to be hashed for a read"
    return data


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


READ = Action(
    "read",
    Read,
    "The lines of a file, or of up to 20, numbered, with the hash of the whole file. A picture; the pages of a PDF; "
    "the cells of a notebook, whose own lines are answered where lines are asked for.",
    _read,
)
