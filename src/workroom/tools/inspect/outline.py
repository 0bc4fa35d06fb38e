"""workspace_inspect outline: what is defined in a file or folder, and where a symbol is."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import Field

from workroom.base.changes import Kind as PathKind
from workroom.base.envelope import Envelope
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.search.excerpt import json_length
from workroom.core.search.listing import Options, Tally, shown_path, walk
from workroom.core.search.syntax.language import may_have_grammar
from workroom.core.search.syntax.model import Definition, Kind
from workroom.core.search.syntax.service import Parsed, Unparsed
from workroom.tools.inspect.common import (
    Within,
    as_cursor,
    fitting,
    left_out,
    left_out_words,
    of_cursor,
    resolved,
    room,
    with_help,
    wrong_cursor,
)
from workroom.tools.inspect.symbols import found_at, place_line, place_row, unparsed_words
from workroom.tools.tool import Action, Call

__all__ = ["OUTLINE"]

_FILES = 500
"""How many files one answer looks into."""
_ENTRIES = 20_000
"""How many entries of the folder."""
_SECONDS = 4.0
_MEMBERS = frozenset({Kind.FIELD})
"""What the outline of a file leaves out."""
_DETAILS = frozenset({Kind.FIELD, Kind.VARIABLE, Kind.KEY, Kind.RULE, Kind.ELEMENT})
"""What the outline of a folder leaves out."""
_FILE_ROOM = 120
"""Characters of one file's facts beside its outline."""


class Outlined(Within):
    symbol: str | None = None
    """Only where this is defined: a name, or one that says what it stands in (`Room.open`, `a::b`)."""
    kind: Annotated[str | None, Field(description="find: file, directory, symlink; outline: class, method …")] = None
    """Only definitions of this kind."""
    depth: Annotated[int | None, Field(ge=1)] = None
    """Levels of definitions in each other: all for a file and with `kind`, else 1 for a folder."""
    limit: Annotated[int, Field(ge=1, le=5_000)] = 500
    """Definitions in one answer."""
    cursor: str | None = None
    """The cursor that the answer before gave, to go on."""


def _outline(call: Call, arguments: Outlined) -> Envelope:
    path, target = resolved(call, arguments.path)
    kind = _kind(arguments.kind)
    if arguments.symbol is not None:
        return _where(call, arguments.symbol, path, target, kind)
    seen = call.workspace.root.stat(target)
    folder = seen is not None and seen.kind is PathKind.DIRECTORY
    depth = arguments.depth or (1 if folder and kind is None else None)
    hidden = frozenset[Kind]() if kind is not None else _DETAILS if folder else _MEMBERS
    after = _after(arguments.cursor)
    pages = _Pages(_Choice(kind, depth, hidden), arguments.limit, room(call), after)
    if folder:
        return _of_folder(call, path, target, pages, after)
    return _of_file(call, path, target, pages)


def _kind(given: str | None) -> Kind | None:
    try:
        return None if given is None else Kind(given)
    except ValueError:
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            f"`kind` {given!r} is none of a definition.",
            next_step=f"It is one of: {', '.join(Kind)}.",
            details={"field": "kind"},
        ) from None


def _where(call: Call, symbol: str, path: str, target: str, kind: Kind | None) -> Envelope:
    places = found_at(call, target, symbol)
    found = [place for place in places.found if kind is None or place.definition.kind is kind]
    rows = [place_row(place) for place in found]
    count = fitting(rows, room(call))
    data: dict[str, Any] = {
        "path": path,
        "symbol": symbol,
        "definitions": rows[:count],
        "total": None if places.cut else len(rows),
        "truncated": places.cut or count < len(rows),
    }
    if places.named is not None:
        data |= {"filesNamed": places.named, "filesParsed": places.parsed}
    if places.unparsed:
        data["unparsed"] = dict(places.unparsed)
    if places.near and not rows:
        data["near"] = places.near
    said = f"{path}: {_many(len(rows), 'definition')} of {symbol}."
    if places.named:
        said += f" {places.parsed} of {places.named} files that name it were parsed."
    if places.cut:
        said += " Not everything was looked into: a narrower path is."
    if data.get("near"):
        said += f" Near: {', '.join(places.near)}."
    return Envelope(
        ok=True,
        operation="inspect.outline",
        summary=said + unparsed_words(places.unparsed),
        data=data,
        omit_when_summarizing=("definitions",),
        text="\n".join(place_line(place) for place in found[:count]),
    )


@dataclass(frozen=True, slots=True)
class _Choice:
    """Which definitions are told."""

    kind: Kind | None
    depth: int | None
    hidden: frozenset[Kind]

    def of(self, definitions: Sequence[Definition]) -> Iterator[tuple[int, int, str]]:
        """Their places in the file's order, how many of those told they stand in, and what is said of each."""
        levels: list[int] = []
        shown: list[int] = []
        are_told: list[bool] = []
        for number, each in enumerate(definitions):
            above = each.parent
            levels.append(1 if above is None else levels[above] + 1)
            indent = 0 if above is None else shown[above]
            told = each.kind not in self.hidden and (self.kind is None or each.kind is self.kind)
            told = told and (self.depth is None or levels[-1] <= self.depth)
            shown.append(indent + told)
            are_told.append(told)
            if told:
                yield number, indent, _said(each, alone=above is not None and not are_told[above])


@dataclass(slots=True)
class _Pages:
    """Takes one file after the other until there is no more room."""

    choice: _Choice
    limit: int
    space: int
    after: tuple[str, int | None] | None
    files: list[dict[str, Any]] = field(default_factory=list)
    count: int = 0
    cursor: str | None = None
    unparsed: Counter[Unparsed] = field(default_factory=Counter)
    cut: bool = False
    looked_into: int = 0
    hidden: Counter[Kind] = field(default_factory=Counter)

    def take(self, shown: str, path: str, parsed: Parsed) -> bool:
        """Tell of a file, as far as there is room; whether there may be room for another."""
        self.looked_into += 1
        if parsed.unparsed is not None:
            self.unparsed[parsed.unparsed] += 1
            return True
        begin = (self.after[1] or 0) if self.after is not None and self.after[0] == path else 0
        self.hidden.update(each.kind for each in parsed.outline.definitions if each.kind in self.choice.hidden)
        lines: list[str] = []
        left = self.space - json_length(path) - _FILE_ROOM
        last = begin
        for number, indent, said in self.choice.of(parsed.outline.definitions):
            if number < begin:
                continue
            line = f"{'  ' * indent}{said}"
            left -= json_length(line)
            if self.count == self.limit or (left < 0 and self.count):
                self.cursor = f"{number}:{as_cursor(path)}"
                break
            lines.append(line)
            self.count += 1
            last = number
        if lines:
            self._add(shown, parsed, lines, last)
            self.space = left
        return self.cursor is None

    def _add(self, path: str, parsed: Parsed, lines: list[str], last: int) -> None:
        row: dict[str, Any] = {"path": path, "outline": "\n".join(lines)}
        if parsed.outline.faulty:
            row["faulty"] = True
        if parsed.outline.cut and last == len(parsed.outline.definitions) - 1:
            row["cut"] = self.cut = True
        self.files.append(row)


def _said(each: Definition, *, alone: bool) -> str:
    """Its lines and how it begins; `alone`: also what it stands in, which isn't told above it."""
    lines = f"{each.first}" if each.first == each.last else f"{each.first}-{each.last}"
    begin = each.signature or each.name
    if not alone:
        return f"{lines} {begin}"
    return f"{lines} {each.qualified}" if begin == each.name else f"{lines} {each.qualified}: {begin}"


def _of_file(call: Call, path: str, target: str, pages: _Pages) -> Envelope:
    try:
        parsed = call.workspace.syntax.of(target)
    except WorkroomError as error:
        raise with_help(call, target, error) from None
    if parsed.unparsed is not None:
        raise WorkroomError(
            ErrorCode.UNSUPPORTED,
            f"{path} can't be outlined: {parsed.unparsed}.",
            next_step="Action search finds lines in it, action read shows them.",
            details={"unparsed": str(parsed.unparsed)},
        )
    pages.take(path, target, parsed)
    return _told(path, pages, Tally())


def _of_folder(call: Call, path: str, target: str, pages: _Pages, after: tuple[str, int | None] | None) -> Envelope:
    tally = Tally()
    until = time.monotonic() + _SECONDS
    options = Options(depth=None, kind=PathKind.FILE, budget=_ENTRIES, after=None if after is None else after[0])
    rest = [] if after is None or after[1] is None else [after[0]]
    last = ""
    entries = (entry.path for entry in walk(call.workspace.root, target, options, tally, call.pulse))
    for file in itertools.chain(rest, entries):
        if not may_have_grammar(file):
            pages.unparsed[Unparsed.NO_GRAMMAR] += 1
            continue
        if pages.looked_into and (pages.looked_into >= _FILES or time.monotonic() > until):
            pages.cursor = f":{as_cursor(last)}"
            break
        call.pulse.beat(pages.looked_into)
        try:
            room_left = pages.take(shown_path(file), file, call.workspace.syntax.of(file))
        except WorkroomError as error:
            if error.code is ErrorCode.CANCELLED:
                raise
            continue  # it has gone meanwhile
        if not room_left:
            break
        last = file
    return _told(path, pages, tally)


def _told(path: str, pages: _Pages, tally: Tally) -> Envelope:
    """The answer."""
    if pages.cursor is None and tally.cut and tally.last is not None:
        pages.cursor = f":{as_cursor(tally.last)}"
    truncated = pages.cursor is not None or pages.cut
    resumed = pages.after is not None
    data: dict[str, Any] = {
        "path": path,
        "files": pages.files,
        "total": None if truncated or resumed else pages.count,
        "truncated": truncated,
        **left_out(tally),
    }
    if pages.cursor is not None:
        data["cursor"] = pages.cursor
    if pages.unparsed:
        data["unparsed"] = dict(pages.unparsed)
    if pages.hidden:
        data["kindsLeftOut"] = dict(pages.hidden)
    said = f"{path}: {_many(pages.count, 'definition')} in {_many(len(pages.files), 'file')}"
    said += f"; go on with cursor {pages.cursor!r}." if pages.cursor is not None else "."
    if pages.hidden:
        said += f" Kinds left out: {', '.join(f'{kind} ({count})' for kind, count in pages.hidden.items())}."
    faulty = [row["path"] for row in pages.files if "faulty" in row]
    if faulty:
        said += f" Not all could be parsed of: {', '.join(faulty[:5])}{' and others' if len(faulty) > 5 else ''}."
    texts = [row["outline"] if row["path"] == path else f"{row['path']}\n{row['outline']}" for row in pages.files]
    return Envelope(
        ok=True,
        operation="inspect.outline",
        summary=said + unparsed_words(pages.unparsed) + left_out_words(tally),
        data=data,
        omit_when_summarizing=("files",),
        text="\n".join(texts),
    )


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _after(cursor: str | None) -> tuple[str, int | None] | None:
    if cursor is None:
        return None
    number, found, path = cursor.partition(":")
    if not (found and path and (not number or (number.isascii() and number.isdecimal() and len(number) < 9))):
        raise wrong_cursor(cursor)
    return of_cursor(path), int(number) if number else None


OUTLINE = Action("outline", Outlined, "What a file or folder defines, with lines; where a symbol is defined.", _outline)
