"""Rank paths by how well a query's letters fit: as a subsequence, the file's own name before its folders.

rank(query, paths, limit)   the best paths, with the byte offsets of the letters that fit
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Ranked", "rank"]

_LETTER = 1
_RUN = 6
"""For a letter right after the one before."""
_START = 8
"""For a letter that starts a word: after a separator, or a capital after a small one."""
_IN_NAME = 12
"""For each letter, when all fit within the file's own name."""
_WHOLE_NAME = 200
"""When the query is the file's name, with or without its ending."""
_PREFIX = 40
"""When the file's name starts with the query."""

_SHORT = 5
"""Up to so many letters a name that starts with the query beats every one that doesn't: at n letters it has at least
12n + 40 + n + 6(n - 1) + 8 = 19n + 42, and any other at most 12n + n + 6(n - 1) + 8n = 27n - 6."""

_SEPARATORS = frozenset("/_-. ")


@dataclass(frozen=True, slots=True)
class Ranked:
    """One path. `positions` are byte offsets into its UTF-8; a higher `score` is better, within one answer only."""

    path: str
    score: int
    positions: tuple[int, ...]


def rank(query: str, paths: Iterable[str], limit: int) -> tuple[Ranked, ...]:
    """The `limit` best paths for a query, the best first; the shorter path, then the alphabet decide a draw.

    Case and blanks in the query don't count. An empty query answers the first paths as they come, without a score.
    """
    wanted = "".join(query.split()).lower()
    if not wanted:
        return tuple(Ranked(path, 0, ()) for path, _ in zip(paths, range(limit), strict=False))
    letters, all_paths = _in_order(wanted), list(paths)
    chosen = _starting(wanted, all_paths, limit) or all_paths
    scored = (_score(path, wanted) for path in chosen if letters.match(path.lower()))
    best = heapq.nsmallest(limit, scored, key=lambda found: (-found[0], len(found[1]), found[1]))
    return tuple(Ranked(path, score, _byte_offsets(path, places)) for score, path, places in best)


def _starting(wanted: str, paths: list[str], limit: int) -> list[str]:
    """Paths among which the best are: those whose name starts with a short query, if there are enough; else none.

    What isn't ASCII is always among them: its small letters may be longer.
    """
    if len(wanted) > _SHORT or not wanted.isascii():
        return []
    found = [path for path in paths if path.lower().startswith(wanted, path.rfind("/") + 1) or not path.isascii()]
    return found if sum(map(str.isascii, found)) >= limit else []


def _in_order(wanted: str) -> re.Pattern[str]:
    """Matches a text that holds the letters in this order. Possessive: it takes each as early as it can, for good."""
    return re.compile("".join(f"[^{re.escape(letter)}]*+{re.escape(letter)}" for letter in wanted))


def _score(path: str, wanted: str) -> tuple[int, str, list[int]]:
    lower = path.lower()
    if len(lower) != len(path):  # a letter whose small form is longer: positions would shift
        lower = "".join(small if len(small := char.lower()) == 1 else char for char in path)
    name_at = path.rfind("/") + 1
    places = _places(lower, wanted, name_at)
    score = 0
    if places is not None:
        score = _IN_NAME * len(wanted) + _bonus(lower[name_at:], wanted)
    else:
        places = _places(lower, wanted, 0) or []
    for at, before in zip(places, [-2, *places], strict=False):
        score += _LETTER
        score += _RUN if at == before + 1 else 0
        score += _START if _starts_word(path, at) else 0
    return score, path, places


def _bonus(name: str, wanted: str) -> int:
    if wanted in (name, name.rpartition(".")[0]):
        return _WHOLE_NAME
    return _PREFIX if name.startswith(wanted) else 0


def _places(text: str, wanted: str, start: int) -> list[int] | None:
    """Where the letters fit: together if they can, else each as late as it can be, which is nearest to the name."""
    together = text.find(wanted, start)
    if together >= 0:
        return list(range(together, together + len(wanted)))
    places, end = [], len(text)
    for letter in reversed(wanted):
        end = text.rfind(letter, start, end)
        if end < 0:
            return None
        places.append(end)
    return places[::-1]


def _starts_word(path: str, at: int) -> bool:
    if at == 0 or path[at - 1] in _SEPARATORS:
        return True
    return path[at].isupper() and path[at - 1].islower()


def _byte_offsets(path: str, places: list[int]) -> tuple[int, ...]:
    if path.isascii():
        return tuple(places)
    return tuple(len(path[:at].encode("utf-8", "surrogatepass")) for at in places)
