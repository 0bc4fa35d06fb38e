"""workspace_inspect search and find: where something is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

from workroom.base.changes import Kind
from workroom.base.envelope import Envelope
from workroom.core.search import fuzzy
from workroom.core.search.listing import Options, Tally, shown_path, walk
from workroom.core.search.offer import find, offer
from workroom.core.search.text import FileCount, Match, Matches, Query, Skipped, search
from workroom.tools.inspect.common import (
    Within,
    as_cursor,
    fitting,
    left_out,
    left_out_words,
    of_cursor,
    resolved,
    room,
    wrong_cursor,
)
from workroom.tools.tool import Action, Call

__all__ = ["FIND", "SEARCH", "answered"]


_FIND_SECONDS = 20.0
"""How long finding may take to read names that aren't kept yet."""


class Searched(Within):
    query: Annotated[str, Field(min_length=1, max_length=2_000)]
    """The text that is looked for, or the regular expression."""
    regex: bool = False
    """Whether `query` is a regular expression, in ripgrep's dialect."""
    case_sensitive: Annotated[bool | None, Field(description="default smart")] = None
    """Not set: sensitive when the query has a capital."""
    whole_word: bool = False
    """Only where the match is a word of its own."""
    include: Annotated[tuple[str, ...], Field(max_length=50, description="globs")] = ()
    """Only files that fit one of these globs."""
    exclude: Annotated[tuple[str, ...], Field(max_length=50)] = ()
    """No file that fits one of these globs."""
    context_lines: Annotated[int, Field(ge=0, le=20)] = 0
    """Lines before and after each match."""
    output: Literal["lines", "files", "counts"] = "lines"
    """Matching lines, or files with a match, or the number of matches in each."""
    include_ignored: bool = False
    """What git would ignore, too."""
    include_hidden: bool = True
    """Names that begin with a dot."""
    limit: Annotated[int, Field(ge=1, le=2_000)] = 200
    """Matches in one answer."""
    cursor: str | None = None
    """The cursor that the answer before gave, to go on."""


class Found(Within):
    query: Annotated[str, Field(max_length=500)]
    """Letters of the path, in their order; blanks don't count, case little."""
    limit: Annotated[int, Field(ge=1, le=500)] = 50
    """Paths in one answer."""
    kind: Literal["file", "directory", "symlink"] | None = None
    """Only things of this kind."""


# search


def _search(call: Call, arguments: Searched) -> Envelope:
    path, target = resolved(call, arguments.path)
    query = Query(
        text=arguments.query,
        regex=arguments.regex,
        case_sensitive=arguments.case_sensitive,
        whole_word=arguments.whole_word,
        include=arguments.include,
        exclude=arguments.exclude,
        context=arguments.context_lines,
        ignored=arguments.include_ignored,
        hidden=arguments.include_hidden,
    )
    by_file = arguments.output != "lines"
    after = _after(arguments.cursor)
    found = search(
        call.workspace.root,
        target,
        query,
        arguments.limit,
        after=after,
        by_file=by_file,
        pulse=call.pulse,
        index=call.workspace.index,
    )
    return answered(arguments, path, found, room(call))


def answered(arguments: Searched, path: str, found: Matches, space: int) -> Envelope:
    """The answer that tells of what a search found, as much as fits into `space` characters."""
    by_file = arguments.output != "lines"
    rows = _file_rows(found, arguments.output == "counts") if by_file else _match_rows(found)
    count = fitting(rows, space)
    truncated = found.truncated or count < len(rows)
    data: dict[str, Any] = {
        "path": path,
        "files" if by_file else "matches": rows[:count],
        "total": None if truncated or arguments.cursor else len(rows),
        "filesMatched": len({row["path"] for row in rows[:count]}),
        "truncated": truncated,
        "skipped": _skipped(found.skipped),
    }
    if found.files_searched is not None:
        data["filesSearched"] = found.files_searched
    if found.apart:
        data["leftOut"] = list(found.apart)
    if found.timed_out:
        data["timedOut"] = True
    if truncated and count:
        data["cursor"] = _cursor(found.files[count - 1] if by_file else found.matches[count - 1])
    return Envelope(
        ok=True,
        operation="inspect.search",
        summary=_search_words(arguments, data, count, found),
        data=data,
        omit_when_summarizing=("files" if by_file else "matches",),
        text="\n".join(_row_text(row) for row in rows[:count]),
    )


def _cursor(last: Match | FileCount) -> str:
    return f"{last.line if isinstance(last, Match) else 0}:{as_cursor(last.path)}"


def _after(cursor: str | None) -> tuple[str, int] | None:
    if cursor is None:
        return None
    line, _, path = cursor.partition(":")
    if not (path and line.isascii() and line.isdecimal() and len(line) < 20):
        raise wrong_cursor(cursor)
    return of_cursor(path), int(line)


def _match_rows(found: Matches) -> list[dict[str, Any]]:
    rows = []
    for match in found.matches:
        row: dict[str, Any] = {
            "path": shown_path(match.path),
            "line": match.line,
            "column": match.column,
            "text": match.text,
        }
        if match.cut:
            row["cut"] = True
        if match.before:
            row["before"] = match.before
        if match.after:
            row["after"] = match.after
        rows.append(row)
    return rows


def _file_rows(found: Matches, counts: bool) -> list[dict[str, Any]]:
    return [{"path": shown_path(f.path)} | ({"lines": f.lines} if counts else {}) for f in found.files]


def _row_text(row: dict[str, Any]) -> str:
    if "line" not in row:
        return f"{row['path']}: {row['lines']}" if "lines" in row else str(row["path"])
    first = row["line"] - len(row.get("before", ()))
    before = [f"{row['path']}-{first + n}- {text}" for n, text in enumerate(row.get("before", ()))]
    after = [f"{row['path']}-{row['line'] + n}- {text}" for n, text in enumerate(row.get("after", ()), 1)]
    return "\n".join([*before, f"{row['path']}:{row['line']}: {row['text']}", *after])


def _skipped(skipped: Skipped) -> dict[str, Any]:
    row: dict[str, Any] = {
        "binary": skipped.binary,
        "tooLarge": skipped.too_large,
        "unreadable": skipped.unreadable,
    }
    if skipped.long_lines:
        row["longLines"] = skipped.long_lines
    if not skipped.exact:
        row["atLeast"] = True
    return row


def _search_words(arguments: Searched, data: dict[str, Any], count: int, found: Matches) -> str:
    what = "files" if arguments.output != "lines" else "matches"
    said = f"{count} {what}" + ("" if what == "files" else f" in {data['filesMatched']} files")
    if "filesSearched" in data:
        said += f"; {data['filesSearched']:,} files searched"
    said += "."
    if found.timed_out:
        said += " It took too long and was stopped."
    if "cursor" in data:
        said += f" There may be more: go on with cursor {data['cursor']!r}."
    passed = [f"{n} {kind}" for kind, n in data["skipped"].items() if n and kind != "atLeast"]
    if passed:
        said += f" Skipped: {', '.join(passed)}{' (at least)' if 'atLeast' in data['skipped'] else ''}."
    if found.apart:
        said += f" Left out: {', '.join(found.apart)}."
    return said


# find


def _find(call: Call, arguments: Found) -> Envelope:
    path, target = resolved(call, arguments.path)
    best, scanned, tally = _ranked(call, target, arguments)
    more = len(best) > arguments.limit
    rows = [
        {"path": shown_path(found.path), "score": found.score, "positions": list(found.positions)}
        for found in best[: arguments.limit]
    ]
    count = fitting(rows, room(call))
    truncated = more or tally.cut or count < len(rows)
    why = " (the best; there are more)" if more or count < len(rows) else " (not all could be looked at)"
    return Envelope(
        ok=True,
        operation="inspect.find",
        summary=f"{count} of {scanned:,} paths below {path} fit {arguments.query!r}"
        f"{why if truncated else ''}.{left_out_words(tally)}",
        data={
            "matches": rows[:count],
            "total": None if truncated else count,
            "scanned": scanned,
            "truncated": truncated,
            **left_out(tally),
        },
        omit_when_summarizing=("matches",),
        text="\n".join(str(row["path"]) for row in rows[:count]),
    )


def _ranked(call: Call, target: str, arguments: Found) -> tuple[Sequence[fuzzy.Ranked], int, Tally]:
    """The best, one more than are wanted; among how many, and what was passed over.

    The names are those of quick open. What isn't among them (`.git`, `.agentic`, what is ignored) is walked.
    """
    workspace, limit = call.workspace, arguments.limit + 1
    kind = None if arguments.kind is None else Kind(arguments.kind)
    listing = workspace.names.listing(call.pulse, _FIND_SECONDS)
    if target not in listing.folders:
        tally = Tally()
        walked = walk(workspace.root, target, Options(depth=None, kind=kind), tally, call.pulse)
        return fuzzy.rank(arguments.query, (entry.path for entry in walked), limit), tally.looked_at, tally

    def kind_of(path: str) -> Kind:
        seen = workspace.root.stat(path)
        return Kind.ABSENT if seen is None else seen.kind

    offered = offer(listing, workspace.names.tracked(), most=call.settings().editor_max_find_candidates)
    recent = workspace.buffers.lately(call.actor)
    best, scanned = find(
        listing, offered, arguments.query, limit, below=target, kind=kind, kind_of=kind_of, recent=recent
    )
    tally = listing.passed_over(target)
    return best, scanned, replace(tally, cut=tally.cut or offered.cut)


SEARCH = Action("search", Searched, "Lines that hold a text or match a regular expression, in pages.", _search)
FIND = Action("find", Found, "Paths whose names fit some letters, the best first.", _find)
