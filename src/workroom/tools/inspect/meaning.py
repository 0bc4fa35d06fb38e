"""workspace_inspect semantic_search: places that are about what a question says, in other words, too."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from workroom.base.envelope import Envelope
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.search.listing import shown_path
from workroom.core.search.semantic.service import Answer, Result
from workroom.tools.inspect.common import Within, fitting, resolved, room
from workroom.tools.tool import Action, Call

__all__ = ["SEMANTIC_SEARCH", "told"]

_SHORTEST, _LONGEST = 160, 1_200
"""Characters of one place's text."""
_BESIDE = 200
"""Characters of a row beside its text."""


class SemanticSearched(Within):
    query: Annotated[str, Field(min_length=1, max_length=2_000)]
    """What is looked for, in words."""
    limit: Annotated[int, Field(ge=1, le=100)] = 10
    """Results in one answer."""


def _semantic_search(call: Call, arguments: SemanticSearched) -> Envelope:
    path, target = resolved(call, arguments.path)
    if call.workspace.root.stat(target) is None:
        raise WorkroomError(
            ErrorCode.NOT_FOUND, f"There is nothing at {path}.", next_step="Look around with action list."
        )
    return told(call.workspace.semantic.ask(arguments.query, target, arguments.limit, call.pulse), path, room(call))


def told(found: Answer, path: str, space: int) -> Envelope:
    """The answer that tells of what was found, as much as fits into `space` characters."""
    each = space // max(1, len(found.results)) - _BESIDE
    rows = [_row(result, min(_LONGEST, max(_SHORTEST, each))) for result in found.results]
    count = fitting(rows, space)
    data: dict[str, Any] = {
        "path": path,
        "results": rows[:count],
        "total": None if found.more or count < len(rows) else count,
        "truncated": found.more or count < len(rows),
        "indexed": {"files": found.indexed, "pending": None if found.unknown else found.pending},
    }
    data["indexed"] |= {name: n for name, n in (("left", found.left), ("tooLarge", found.large)) if n}
    if found.stale:
        data["stale"] = found.stale
    if found.notes:
        data["notes"] = list(found.notes)
    return Envelope(
        ok=True,
        operation="inspect.semantic_search",
        summary=_words(found, path, count),
        data=data,
        omit_when_summarizing=("results",),
        text="\n\n".join(_row_text(row) for row in rows[:count]),
    )


def _row(result: Result, space: int) -> dict[str, Any]:
    row: dict[str, Any] = {"path": shown_path(result.path), "startLine": result.start, "endLine": result.end}
    if result.symbol:
        row["symbol"] = result.symbol
    text = "\n".join(result.lines)
    row |= {
        "score": round(result.score, 2),
        "text": text[:space].encode("utf-8", "surrogateescape").decode("utf-8", "replace"),
    }
    if len(text) > space:
        row["cut"] = True
    row["why"] = {"by": result.by, "words": list(result.said)}
    return row


def _row_text(row: dict[str, Any]) -> str:
    symbol = f" {row['symbol']}" if "symbol" in row else ""
    cut = " …" if "cut" in row else ""
    return f"{row['path']}:{row['startLine']}-{row['endLine']}{symbol} ({_why(row['why'])})\n{row['text']}{cut}"


def _why(why: dict[str, Any]) -> str:
    by = {"words": "by words", "meaning": "by meaning", "both": "by words and meaning"}[why["by"]]
    return f"{by}: {', '.join(why['words'])}" if why["words"] else by


def _words(found: Answer, path: str, count: int) -> str:
    more = " (the best; there are more)" if found.more or count < len(found.results) else ""
    said = f"{count} places below {path}{more}; {found.indexed:,} files are indexed."
    if found.unknown:
        said += " The folder is still being looked through: ask again in a moment, or use action search."
    elif found.pending:
        said += f" {found.pending:,} are still to be read, and were not looked at: ask again in a moment."
    if found.left:
        said += f" {found.left:,} don't fit into the index (setting semantic_max_bytes): name their folder as path."
    if found.large:
        said += f" {found.large:,} are too large."
    if found.stale:
        said += f" {found.stale} places that were changed this moment are left out."
    return " ".join([said, *found.notes])


SEMANTIC_SEARCH = Action(
    "semantic_search", SemanticSearched, "Places that are about what a question says, in other words, too.",
    _semantic_search,
)  # fmt: skip
