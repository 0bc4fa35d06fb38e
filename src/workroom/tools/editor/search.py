"""editor_search: lines that fit an expression, grouped by file; by the search that workspace_inspect has."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field

from workroom.base.envelope import Envelope
from workroom.core.search.listing import shown_path
from workroom.core.search.text import Matches, Query, search
from workroom.tools.tool import Arguments, Call, flat_tool

__all__ = ["SEARCH"]


class SearchInput(Arguments):
    pattern: Annotated[str, Field(min_length=1, max_length=2_000, description="regular expression")]
    """The regular expression that a line is to fit, in ripgrep's dialect."""
    ignore_case: bool = False
    """Whether capitals count as small letters."""
    include_glob: Annotated[tuple[str, ...], Field(max_length=50, description="globs")] = ()
    """Only files that fit one of these globs."""
    max_matches: Annotated[int | None, Field(ge=0, le=100_000)] = None
    """Matching lines at most. Not set: `editor_search_max_matches`."""


class SearchHit(BaseModel):
    """One matching line."""

    line: int
    """From 1."""
    text: str
    column: int = 1
    """Where the first match begins, in characters of the line from 1."""
    length: int = 0
    """How long that match is, in characters of the line; an expression may match nothing at a place."""
    cut: bool = False
    """Whether a long line is shown around its match only."""


class SearchFile(BaseModel):
    """The matching lines of one file."""

    path: str
    hits: list[SearchHit]


class SearchOutput(BaseModel):
    files: list[SearchFile]
    total: int
    """Matching lines in `files`."""
    truncated: bool
    """There were more, or it took too long."""
    skipped: dict[str, int] = {}
    """Files that weren't searched, by the reason."""


def _search(call: Call, arguments: SearchInput) -> Envelope:
    most = arguments.max_matches
    query = Query(
        text=arguments.pattern,
        regex=True,
        case_sensitive=not arguments.ignore_case,
        include=arguments.include_glob,
    )
    limit = call.settings().editor_search_max_matches if most is None else most
    found = search(call.workspace.root, ".", query, limit, pulse=call.pulse, index=call.workspace.index)
    files = _files(found)
    skipped = found.skipped
    passed = {"binary": skipped.binary, "too_large": skipped.too_large, "unreadable": skipped.unreadable}
    data = {
        "files": files,
        "total": len(found.matches),
        "truncated": found.truncated,
        "skipped": {name: count for name, count in passed.items() if count},
    }
    more = " There are more." if found.truncated else ""
    left_out = f" Left out: {', '.join(found.apart)}." if found.apart else ""
    said = f"{len(found.matches)} lines in {len(files)} files.{more}{left_out}"
    text = "\n".join(f"{shown_path(match.path)}:{match.line}: {match.text}" for match in found.matches)
    return Envelope(True, "editor_search", said, data, omit_when_summarizing=("files",), text=text)


def _files(found: Matches) -> list[dict[str, Any]]:
    by_file: dict[str, list[dict[str, Any]]] = {}
    for match in found.matches:
        hit = {
            "line": match.line,
            "text": match.text,
            "column": match.column,
            "length": match.length,
            "cut": match.cut,
        }
        by_file.setdefault(match.path, []).append(hit)
    return [{"path": shown_path(path), "hits": hits} for path, hits in by_file.items()]


SEARCH = flat_tool(
    "editor_search",
    "Search in files",
    "Lines that fit a regular expression, by file.",
    SearchInput,
    SearchOutput,
    answer=_search,
)
