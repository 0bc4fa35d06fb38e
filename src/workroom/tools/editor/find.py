"""editor_find: files by some letters of their path, the best first."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Annotated

from pydantic import BaseModel, Field

from workroom.base.envelope import Envelope
from workroom.core.search import fuzzy
from workroom.core.search.listing import Tally, shown_path
from workroom.tools.inspect.common import left_out_words
from workroom.tools.tool import Arguments, Call, flat_tool

__all__ = ["FIND"]

_EVERY = 10_000_000
"""More paths than any folder has."""
_SECONDS = 60.0


class FindInput(Arguments):
    query: Annotated[str, Field(max_length=500)]
    """Letters of the path, in their order; case and blanks don't count. Empty: the first paths, unranked."""
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
    most = settings.editor_max_find_candidates or _EVERY
    tally, names = Tally(), call.workspace.names
    tracked = names.tracked()
    walked = names.files(tally, call.pulse, _SECONDS)
    files = iter(tracked) if tracked is not None and not arguments.include_untracked else _joined(walked, tracked or [])
    paths = list(itertools.islice(files, most))
    cut = tally.cut or next(files, None) is not None
    best = fuzzy.rank(arguments.query, paths, limit + 1)
    rows = [
        {"path": shown_path(found.path), "score": found.score, "positions": list(found.positions)}
        for found in best[:limit]
    ]
    data = {
        "matches": rows,
        "scanned": len(paths),
        "truncated": cut,
        "from_git": tracked is not None,
        "more": len(best) > limit,
    }
    more = " Not every path was ranked." if cut else ""
    said = f"{len(rows)} of {data['scanned']:,} paths fit.{more}{left_out_words(tally)}"
    return Envelope(True, "editor_find", said, data, text="\n".join(str(row["path"]) for row in rows))


def _joined(walked: Iterator[str], tracked: list[str]) -> Iterator[str]:
    """What was walked, then what git tracks all the same: files that it would ignore, and some that are gone."""
    seen: set[str] = set()
    for path in walked:
        seen.add(path)
        yield path
    yield from (path for path in tracked if path not in seen)


FIND = flat_tool(
    "editor_find",
    "Find files",
    "Files by letters of their path, the best first.",
    FindInput,
    FindOutput,
    answer=_find,
)
