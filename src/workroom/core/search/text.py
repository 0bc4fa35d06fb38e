"""Search in the contents of files, by ripgrep, ended at the limit.

The query and the globs are always arguments of their own, never flags. Links aren't followed; FIFOs, sockets and
devices aren't opened. What was passed over is counted from ripgrep's own log, so that an answer can tell it.

Ripgrep walks by names, and a folder may be swapped for a link at any moment; so the kernel keeps it below the root
where it can. Besides, a file counts only if it is one when it is looked at without following links.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, replace
from typing import Protocol

from workroom.base.changes import Kind
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.pulse import STILL, Pulse
from workroom.core.search.ignore import Ignore
from workroom.core.search.listing import APART
from workroom.core.search.matches import FileCount, Match, MatchingFiles, MatchingLines
from workroom.core.search.query import Query, walk_flags
from workroom.core.search.ripgrep import FOREVER, Narrowed, Run, Scope, Sink, Skipped, flags
from workroom.system.process import confines, ripgrep
from workroom.system.root import Root

__all__ = ["FileCount", "Match", "Matches", "Narrows", "Query", "Skipped", "search", "search_confinement"]

_TIMEOUT = 20.0
"""Seconds after which a search answers what it has."""

_ONE_CORE = 0.03
"""Seconds after which a search that has found little is left to all cores."""


class Narrows(Protocol):
    """An index."""

    def narrow(self, path: str, query: Query) -> Narrowed | None:
        """The files in which a query can find something; None where that can be any."""


@dataclass(frozen=True, slots=True)
class Matches:
    """An answer. `files_searched` is None when the search was ended early, and then nobody knows."""

    matches: tuple[Match, ...]
    files: tuple[FileCount, ...]
    files_searched: int | None
    skipped: Skipped
    apart: tuple[str, ...]
    truncated: bool
    timed_out: bool


def search(
    root: Root,
    path: str,
    query: Query,
    limit: int,
    *,
    after: tuple[str, int] | None = None,
    by_file: bool = False,
    timeout: float = _TIMEOUT,
    pulse: Pulse = STILL,
    index: Narrows | None = None,
    patience: float = _ONE_CORE,
) -> Matches:
    """Matching lines in the file or folder at `path` (canonical, resolved), ordered by path and line.

    `limit` counts lines, or files with `by_file`. `after` is the path and line of the last one that the caller has.
    Files in which `index` knows that nothing is found aren't read; the answer is the same. `patience`: after so many
    seconds with little found all cores search.
    NOT_FOUND; INVALID_INPUT for a FIFO, socket or device, a wrong regular expression or glob; UNSUPPORTED without
    ripgrep.
    """
    if not query.regex and re.search(r"[\n\r]", query.text):
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            "`query` has a line break, and a search looks at one line at a time.",
            next_step="Send one of its lines, and have the others shown by `context_lines`.",
            details={"field": "query"},
        )
    folder = _is_folder(root, path)
    named = not set(APART).isdisjoint(path.split("/"))
    apart = APART if folder and not named else ()
    ignore = Ignore(root) if folder and path != "." and not (query.ignored or named) else None
    scope = Scope(root, path, after and after[0], by_file, ignore)
    run = Run(scope, query, time.monotonic() + timeout, pulse)

    def sink() -> Sink:
        return MatchingFiles(limit) if by_file else MatchingLines(limit, query.context, after)

    narrowed = index.narrow(path, query) if index is not None and folder and not named else None
    if not query.text.isascii():
        run.foreign(list(walk_flags(query, named=named, apart=apart)), None if narrowed is None else narrowed.foreign)
    done = run.narrowed(narrowed, sink()) if narrowed is not None else None
    if done is None:
        done = run.whole([*flags(query, named, folder, apart), "--", path], sink, patience if folder else FOREVER)
    return Matches(
        matches=tuple(done.sink.matches),
        files=tuple(done.sink.files),
        files_searched=None if done.searched is None else max(done.searched - done.skipped.binary, 0),
        skipped=replace(done.skipped, long_lines=done.skipped.long_lines + run.long_lines),
        apart=apart,
        truncated=done.sink.full or done.timed_out or run.cut,
        timed_out=done.timed_out or run.cut,
    )


def search_confinement() -> str:
    """What keeps a search below the root: `landlock` (the kernel), or in words why it is weaker."""
    try:
        if confines(ripgrep()):
            return "landlock"
    except WorkroomError as error:  # pragma: no cover - needs an installation without ripgrep
        return f"Nothing can be searched: {error}"
    return (  # pragma: no cover - needs an old kernel, or another ripgrep
        "The system can't keep ripgrep below the folder: while another program swaps folders for links, a search can "
        "tell of lines outside."
    )


def _is_folder(root: Root, path: str) -> bool:
    seen = root.stat(path)
    if seen is None:
        raise WorkroomError(ErrorCode.NOT_FOUND, f"Path {path!r} does not exist.")
    if seen.kind not in (Kind.FILE, Kind.DIRECTORY):
        raise WorkroomError(ErrorCode.INVALID_INPUT, f"Path {path!r} is neither a file nor a folder.")
    return seen.kind is Kind.DIRECTORY
