"""Rank paths by how well a query's letters fit: as a subsequence, the file's own name before its folders.

    Pool(paths).best(query, limit)   the best paths, with the byte offsets of the letters that fit
    rank(query, paths, limit)        the same, once

A query goes to all names at once, then, where too few fit, to all paths (a library's SIMD code, on several cores, which
compares by the same letters and bonuses); what it finds best is weighed here. Where all that fit are few they are
kept: a query that goes on from that one is compared with them alone.
"""

from __future__ import annotations

import os
import re
import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import compress, count
from operator import ne
from typing import Any

from workroom.core.search.listing import shown_path

__all__ = ["Pool", "Ranked", "rank"]

_LETTER = 1
_CASE = 1
"""For a letter that is typed as it stands."""
_RUN = 6
"""For a letter right after the one before."""
_START = 8
"""For a letter that starts a word: after a separator, or a capital after a small one."""
_FIRST = 12
"""For a name that starts with the query's first letter."""
_CLOSE = 20
"""When the letters are side by side; one less for each that stands between them."""
_IN_NAME = 24
"""For each letter, when all fit within the file's own name: any such name, with 25n at least (45, if n is 1), beats any
other path, which has at most 20 + n + n + 6(n - 1) + 8n."""
_WHOLE_NAME = 200
"""When the query is the file's name, with or without its ending."""
_PREFIX = 40
"""When the file's name starts with the query."""
_RECENT = 60
"""For what was worked at last; one less for each before that."""

_SEPARATORS = frozenset("/_-. ")
_WEIGHED = 200
"""How many of the best by the library's measure are weighed here, at least."""
_FEW = 2_000
"""So many paths that fit are kept for the queries that go on."""
_QUERIES = 16
"""Of so many queries."""
_ALONE = 20_000
"""Fewer paths are compared on one core: that takes less time than the start of a thread."""
_CORES = min(os.cpu_count() or 1, 4)
_NO_LETTERS = re.compile("[\ud800-\udfff]")
"""Bytes of a name that aren't UTF-8, as Python has them."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """One path. `positions` are byte offsets into its UTF-8; a higher `score` is better, within one answer only."""

    path: str
    score: int
    positions: tuple[int, ...]


def rank(query: str, paths: Iterable[str], limit: int) -> tuple[Ranked, ...]:
    """The `limit` best paths for a query, as a pool of them answers."""
    return Pool(list(paths)).best(query, limit)


class Pool:
    """Paths that queries are ranked in. Safe to use from many threads."""

    def __init__(
        self,
        paths: Sequence[str],
        most: _Ordered | None = None,
        gone: Set[str] = frozenset(),
        more: _Ordered | None = None,
    ) -> None:
        """The paths as they come are what an empty query answers. `most`, without those `gone` and with `more`, is
        what they are in order, where that is known."""
        self._first = paths
        self._most = _Ordered(paths) if most is None else most
        self._gone = gone
        self._more = more

    def of(self, paths: Sequence[str]) -> Pool:
        """A pool of these paths; what is in order here needn't be put in order again, where few are other ones."""
        lost, come = _differences(self._first, paths)
        more = frozenset() if self._more is None else frozenset(self._more.paths)
        gone, more = (self._gone - come) | (lost - more), (more - lost) | (come - self._gone)
        if len(gone) + len(more) > _FEW:
            return Pool(paths)
        return Pool(paths, self._most, gone, _Ordered(more) if more else None)

    def __len__(self) -> int:
        return len(self._first)

    def best(self, query: str, limit: int, recent: Sequence[str] = ()) -> tuple[Ranked, ...]:
        """The `limit` best paths for a query, the best first; the shorter path, then the alphabet decide a draw.

        Blanks in the query don't count, nor does case, but among paths that fit alike. `recent` are paths that were
        worked at lately, the last first: they come before others that fit as well. An empty query answers the first
        paths as they come, without a score.
        """
        typed = "".join(query.split())
        wanted = _comparable(_fold(typed))
        if not wanted:
            return tuple(Ranked(path, 0, ()) for path in self._first[:limit])
        most = max(limit, _WEIGHED)
        found = self._fitting(wanted, most, in_name=True)
        if len(found) < limit:
            found = [*found, *self._fitting(wanted, most, in_name=False)]
        lately = {path: _RECENT - at for at, path in enumerate(recent[:_RECENT]) if self._has(path)}
        weighed = _weigh(typed, wanted, {*found, *lately}, lately)
        weighed.sort(key=lambda one: (-one[0], len(one[1]), one[1]))
        return tuple(Ranked(path, score, _byte_offsets(path, places)) for score, path, places in weighed[:limit])

    def _fitting(self, wanted: str, most: int, *, in_name: bool) -> list[str]:
        """The best by the library's measure."""
        best = self._most.best(wanted, most + len(self._gone), in_name=in_name)
        if self._gone:
            best = [found for found in best if found[1] not in self._gone]
        if self._more is not None:
            best = [*best, *self._more.best(wanted, most, in_name=in_name)]
            best.sort(key=lambda found: (-found[0], _order(found[1])))
        return [path for _, path in best[:most]]

    def _has(self, path: str) -> bool:
        return (path not in self._gone and path in self._most) or (self._more is not None and path in self._more)


class _Ordered:
    """Paths by `_order`, and what queries are compared with."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths = _in_order(paths)
        self._names = _Texts(self.paths, _name_of)
        self._whole = _Texts(self.paths, _comparable)

    def __contains__(self, path: str) -> bool:
        at = bisect_left(self.paths, _order(path), key=_order)
        return at < len(self.paths) and self.paths[at] == path

    def best(self, wanted: str, most: int, *, in_name: bool) -> list[tuple[int, str]]:
        """The best by the library's measure; of those that are as good the first."""
        return (self._names if in_name else self._whole).best(wanted, most)


class _Texts:
    """A text for each path that queries are compared with, and what the last queries have left of them."""

    def __init__(self, paths: Sequence[str], text_of: Callable[[str], str]) -> None:
        self._paths = paths
        self._text_of = text_of
        self._all = _library().Haystacks([text_of(path) for path in paths])
        self._lock = threading.Lock()
        self._kept: dict[str, tuple[Sequence[str], Any]] = {}

    def best(self, wanted: str, most: int) -> list[tuple[int, str]]:
        """See `_Ordered`."""
        paths, texts = self._narrowest(wanted)
        asked = max(most, _FEW)
        found = _matcher(wanted, max_items=asked).match_list_parallel(texts, 1 if len(texts) < _ALONE else _CORES)
        if len(found) < asked and 2 * len(found) < len(texts):
            self._keep(wanted, [paths[match.index] for match in sorted(found, key=lambda match: match.index)])
        return [(match.score, paths[match.index]) for match in found[:most]]

    def _narrowest(self, wanted: str) -> tuple[Sequence[str], Any]:
        """What a query that this one goes on from has left; else all."""
        with self._lock:
            begun = [query for query in self._kept if wanted.startswith(query)]
            return self._kept[max(begun, key=len)] if begun else (self._paths, self._all)

    def _keep(self, wanted: str, paths: list[str]) -> None:
        texts = _library().Haystacks([self._text_of(path) for path in paths])
        with self._lock:
            self._kept[wanted] = paths, texts
            if len(self._kept) > _QUERIES:
                del self._kept[next(iter(self._kept))]


@cache
def _library() -> Any:
    import frizbee  # noqa: PLC0415 - few calls need it

    return frizbee


def _matcher(wanted: str, max_items: int | None = None) -> Any:
    """Finds what has all the letters in their order. Texts that aren't ASCII were folded by us, as the query was."""
    library = _library()
    scoring = library.Scoring(matching_case_bonus=0)
    if wanted.isascii():
        return library.Matcher(wanted, casing="ignore", unicode="ignore", max_items=max_items, scoring=scoring)
    return library.Matcher(wanted, casing="respect", unicode="always", max_items=max_items, scoring=scoring)


# Texts.


def _differences(then: Sequence[str], now: Sequence[str]) -> tuple[Set[str], Set[str]]:
    """Which paths the first has alone, and which the second. What both begin and end with is passed over."""
    shorter = min(len(then), len(now))
    start = next(compress(count(), map(ne, then, now)), shorter)
    end = min(next(compress(count(), map(ne, reversed(then), reversed(now))), shorter), shorter - start)
    one, other = set(then[start : len(then) - end]), set(now[start : len(now) - end])
    return one - other, other - one


def _in_order(paths: Iterable[str]) -> tuple[str, ...]:
    """By `_order`: of names that fit as well the shorter comes first."""
    ordered = sorted(paths)
    ordered.sort(key=len)
    ordered.sort(key=_name_length)
    return tuple(ordered)  # which the garbage collector doesn't go through, unlike a list


def _order(path: str) -> tuple[int, int, str]:
    return _name_length(path), len(path), path


def _name_length(path: str) -> int:
    return len(path) - path.rfind("/")


def _name(path: str) -> str:
    return path[path.rfind("/") + 1 :]


def _fold(text: str) -> str:
    """Small letters, one for each letter: one whose small form is longer stays."""
    lower = text.lower()
    if text.isascii() or (len(lower) == len(text) and "Σ" not in text):  # that one is small by what follows it
        return lower
    return "".join(small if len(small := char.lower()) == 1 else char for char in text)


def _comparable(text: str) -> str:
    """As the library is given it: what is ASCII as it stands, for its capitals start words; else small letters."""
    return text if text.isascii() else _NO_LETTERS.sub("\ufffd", _fold(text))


def _name_of(path: str) -> str:
    return _comparable(_name(path))


# Weighing.


def _weigh(
    typed: str, wanted: str, paths: Iterable[str], lately: Mapping[str, int]
) -> list[tuple[int, str, list[int]]]:
    """Score, path and places (in letters) of each path that fits, within its name where that is enough."""
    weighed, rest = [], list(paths)
    for in_name in (True, False):
        texts = [_name_of(path) if in_name else _comparable(path) for path in rest]
        found = _matcher(wanted).match_list_indices(_library().Haystacks(texts))
        for match in found:
            path, text = rest[match.index], texts[match.index]
            start = len(path) - len(text)
            places = [start + place for place in _places(text, wanted, match.indices)]
            score = _score(path, typed, places) + lately.get(path, 0)
            if in_name:
                score += _IN_NAME * len(wanted) + _bonus(text.lower(), wanted)
            weighed.append((score, path, places))
        fitting = {match.index for match in found}
        rest = [path for number, path in enumerate(rest) if number not in fitting]
    return weighed


def _places(text: str, wanted: str, offsets: Sequence[int]) -> list[int]:
    """Where the letters are, in letters; `offsets` are the library's, in bytes and from the last to the first.

    Where something isn't ASCII it tells of some only: then together if they can be, else each as late as it can be.
    """
    if len(offsets) == len(wanted) and text.isascii():
        return sorted(offsets)
    together = text.find(wanted)
    if together >= 0:
        return list(range(together, together + len(wanted)))
    late, end = [], len(text)
    for letter in reversed(wanted):
        end = text.rfind(letter, 0, end)
        late.append(end)
    return late[::-1]


def _score(path: str, typed: str, places: Sequence[int]) -> int:
    first, end = places[0], places[-1] + 1
    if end - first == len(places):
        return _CLOSE + _side_by_side(path[first - 1 : end] if first else f"/{path[:end]}", typed)
    return max(0, _CLOSE - (end - first - len(places))) + _sum(path, typed, places)


@lru_cache(1_000)
def _side_by_side(text: str, typed: str) -> int:
    """Of letters that stand together, with the one before them: in one answer most are the same."""
    return _sum(text, typed, range(1, len(text)))


def _sum(path: str, typed: str, places: Iterable[int]) -> int:
    score, before = 0, -2
    for at, letter in zip(places, typed, strict=False):
        char, last = path[at], path[at - 1] if at else "/"
        score += _LETTER + _CASE if char == letter else _LETTER
        if at == before + 1:
            score += _RUN
        if last in _SEPARATORS or (char.isupper() and last.islower()):
            score += _START
        before = at
    return score


def _bonus(name: str, wanted: str) -> int:
    """For where in the name the letters are."""
    if wanted in (name, name.rpartition(".")[0]):
        return _WHOLE_NAME
    if name.startswith(wanted):
        return _PREFIX
    return _FIRST if name[0] == wanted[0] else 0


def _byte_offsets(path: str, places: list[int]) -> tuple[int, ...]:
    """In the path as an answer shows it."""
    if path.isascii():
        return tuple(places)
    return tuple(len(shown_path(path[:at]).encode()) for at in places)
