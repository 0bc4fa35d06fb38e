"""A word typed in the finder over many paths, letter by letter, against `fzf --filter` (Debian's) on the same paths.

Ours is the ranking as the server has it: paths in memory, one word typed from its beginning, so that a letter goes on
from the one before. fzf reads its paths anew for each query, as it always does. What a call and the file system add is
in `editor`: its keystrokes are tool calls in a folder of files.
"""

from __future__ import annotations

import gc
import random
import resource
import shutil
import statistics
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Figure, Row, tell

from workroom.core.search.fuzzy import Pool

__all__ = ["measure"]

_SIZES = (50_000, 500_000, 1_000_000)
_WORD = "handler_19"
_LIMIT = 51
"""As the page asks: 50 rows, and whether there are more."""
_REPEATS = 3
_RATIO = 0.05
_FRAME_MS = 16.0
_WORDS = (
    "account", "buffer", "cache", "driver", "editor", "filter", "gateway", "handler", "index", "journal", "kernel",
    "layout", "module", "network", "object", "parser", "query", "router", "socket", "thread",
)  # fmt: skip


def measure(scratch: Path) -> Iterator[Row | Figure]:
    """Each letter at each size; what a list of paths costs before the first, and in memory."""
    scratch.mkdir(parents=True, exist_ok=True)
    fzf = shutil.which("fzf")
    if fzf is None:
        tell("fzf isn't installed (apt-get install fzf): the finder has no peer")
    for size in _SIZES:
        yield from _typed(paths_of(size), scratch / f"{size}.txt", fzf)


def paths_of(count: int) -> tuple[str, ...]:
    """So many paths of a large project: three folders deep, words that come again and again, 48 letters on average."""
    chance = random.Random(count)
    ends = ("py", "ts", "c", "h", "md")

    def word() -> str:
        return chance.choice(_WORDS)

    return tuple(
        sorted(
            f"{word()}/{word()}-{number % 97}/{word()}_{word()}/{word()}_{number:07}.{chance.choice(ends)}"
            for number in range(count)
        )
    )


def _typed(paths: tuple[str, ...], file: Path, fzf: str | None) -> Iterator[Row | Figure]:
    file.write_text("\n".join(paths))
    ours: list[list[float]] = [[] for _ in _WORD]
    theirs: list[list[float]] = [[] for _ in _WORD]
    made: list[float] = []
    before = _resident()
    for turn in range(_REPEATS):
        gc.collect()
        began = time.perf_counter()
        pool = Pool(paths)  # none of the last turn's letters is kept in it
        gc.collect()
        made.append(time.perf_counter() - began)
        if not turn:
            held = _resident() - before
        for at in range(len(_WORD)):
            ours[at].append(_ours(pool, _WORD[: at + 1]))
            if fzf is not None:
                theirs[at].append(_fzf(fzf, file, _WORD[: at + 1]))
    size = f"{len(paths):,} paths"
    for at in range(len(_WORD)):
        name, mine = f"find {_WORD[: at + 1]!r} in {size}", statistics.median(ours[at]) * 1000
        peer = statistics.median(theirs[at]) * 1000 if fzf is not None else None
        yield Figure(name, mine, None, None, "ms") if peer is None else Row(name, mine, peer, _RATIO)
    slowest = max(statistics.median(each) for each in ours) * 1000
    yield Figure(f"the slowest letter in {size}", slowest, None, _FRAME_MS, "ms")
    yield Figure(f"{size} are put in order, once", statistics.median(made) * 1000, None, None, "ms")
    yield Figure(f"{size} in memory, beside their own text", held, None, None)


def _ours(pool: Pool, query: str) -> float:
    began = time.perf_counter()
    pool.best(query, _LIMIT)
    return time.perf_counter() - began


def _fzf(fzf: str, file: Path, query: str) -> float:
    with file.open("rb") as paths:
        began = time.perf_counter()
        subprocess.run([fzf, "--filter", query], stdin=paths, stdout=subprocess.DEVNULL, check=False)
        return time.perf_counter() - began


def _resident() -> int:
    """Bytes of this process that are in memory."""
    with Path("/proc/self/statm").open() as told:
        return int(told.read().split()[1]) * resource.getpagesize()
