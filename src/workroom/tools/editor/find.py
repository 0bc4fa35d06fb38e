"""editor_find: files by some letters of their path, the best first."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from workroom.base.envelope import Envelope
from workroom.core.search.listing import shown_path
from workroom.core.search.offer import offer
from workroom.tools.inspect.common import left_out_words
from workroom.tools.tool import Arguments, Call, flat_tool

__all__ = ["FIND"]

_SECONDS = 60.0


class FindInput(Arguments):
    query: Annotated[str, Field(max_length=500)]
    """Letters of the path, in their order; blanks don't count, case little. Empty: the first paths, unranked."""
    limit: Annotated[int | None, Field(ge=0, le=10_000)] = None
    """Rows at most. Not set: `editor_find_limit`."""
    include_untracked: bool = True
    """Files that git doesn't track yet, but for those that it ignores. Outside a repository it doesn't matter."""


class FindMatch(BaseModel):
    """One file."""

    path: str
    score: int
    """Higher is better, within one answer."""
    positions: list[int]
    """Byte offsets into the path of the letters that fit."""


class FindOutput(BaseModel):
    matches: list[FindMatch]
    scanned: int
    """Paths that were looked at."""
    truncated: bool
    """Not every path was ranked."""
    from_git: bool
    """Whether what git tracks was taken as git says it; else the folder is walked, by its ignore files alone."""
    more: bool = False
    """More paths fit than are shown."""


def _find(call: Call, arguments: FindInput) -> Envelope:
    settings = call.settings()
    limit = settings.editor_find_limit if arguments.limit is None else arguments.limit
    names = call.workspace.names
    listing, tracked = names.listing(call.pulse, _SECONDS), names.tracked()
    offered = offer(listing, tracked, untracked=arguments.include_untracked, most=settings.editor_max_find_candidates)
    best = offered.pool.best(arguments.query, limit + 1, call.workspace.buffers.lately(call.actor))
    rows = [
        {"path": shown_path(found.path), "score": found.score, "positions": list(found.positions)}
        for found in best[:limit]
    ]
    data = {
        "matches": rows,
        "scanned": len(offered.pool),
        "truncated": offered.cut,
        "from_git": tracked is not None,
        "more": len(best) > limit,
    }
    more = " Not every path was ranked." if offered.cut else ""
    said = f"{len(rows)} of {data['scanned']:,} paths fit.{more}{left_out_words(listing.tally)}"
    return Envelope(True, "editor_find", said, data, text="\n".join(str(row["path"]) for row in rows))


FIND = flat_tool(
    "editor_find",
    "Find files",
    "Files by letters of their path, the best first.",
    FindInput,
    FindOutput,
    answer=_find,
)
