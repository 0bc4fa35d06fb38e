"""Which paths a finder ranks: what was listed, and what git tracks all the same; kept as long as both are.

offer(listing, tracked)                   files, as quick open ranks them
find(listing, offered, query, limit, …)   files, folders or links, of all or below one folder
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workroom.base.changes import Kind
from workroom.core.search.fuzzy import Pool, Ranked
from workroom.core.search.names import Listing

__all__ = ["Offer", "find", "offer"]


@dataclass(frozen=True, slots=True)
class Offer:
    """What is ranked; `cut` where that isn't every path."""

    pool: Pool
    paths: Sequence[str]
    cut: bool


@dataclass(frozen=True, slots=True)
class _Pooled:
    """A pool of a part of a listing, and which part."""

    listing: Listing
    below: str
    pool: Pool


@dataclass(frozen=True, slots=True)
class _Made:
    """An offer, and of what it was made."""

    listing: Listing
    tracked: list[str] | None
    offer: Offer


def offer(listing: Listing, tracked: list[str] | None, *, untracked: bool = True, most: int | None = None) -> Offer:
    """What was listed, then what git tracks and ignore files leave out, and some that are gone; the first `most`.

    Without `untracked` what git tracks alone, in a repository.
    """
    alone = tracked is not None and not untracked
    known: _Made | None = listing.made.get((alone, most))
    if known is not None and known.listing is listing and known.tracked is tracked:
        return known.offer
    paths = tuple(tracked or ()) if alone else _joined(listing.paths, tracked or [])
    cut = (listing.tally.cut and not alone) or (most is not None and len(paths) > most)
    paths = paths[:most]
    made = Offer(Pool(paths) if known is None else known.offer.pool.of(paths), paths, cut)
    listing.made[alone, most] = _Made(listing, tracked, made)
    return made


def find(
    listing: Listing,
    offered: Offer,
    query: str,
    limit: int,
    *,
    below: str = ".",
    kind: Kind | None = None,
    kind_of: Callable[[str], Kind],
    recent: Sequence[str] = (),
) -> tuple[list[Ranked], int]:
    """The `limit` best paths of a kind below a folder, of all kinds without one, and how many were compared.

    `kind_of` tells what stands at a path: what git tracks may be gone.
    """
    pools: list[Pool] = []
    if kind in (None, Kind.FILE):
        pools.append(offered.pool if below == "." else _part(listing, "files", below, lambda: offered.paths))
    if kind in (None, Kind.DIRECTORY):
        pools.append(_part(listing, "folders", below, lambda: tuple(listing.folders)))
    if kind is Kind.SYMLINK:
        pools.append(_part(listing, "links", below, lambda: listing.links))

    def fits(path: str) -> bool:
        found = kind_of(path)
        return found is not Kind.ABSENT if kind is None else found is kind

    best = [found for pool in pools for found in _best(pool, query, limit, recent, fits)]
    if query.split():
        best.sort(key=lambda found: (-found.score, len(found.path), found.path))
    return best[:limit], sum(map(len, pools))


def _best(pool: Pool, query: str, limit: int, recent: Sequence[str], fits: Callable[[str], bool]) -> list[Ranked]:
    """The best that fit; more are looked at where some of the best don't."""
    asked = limit
    while True:
        found = pool.best(query, asked, recent)
        fitting = [each for each in found if fits(each.path)]
        if len(fitting) >= limit or len(found) < asked:
            return fitting[:limit]
        asked *= 4


def _part(listing: Listing, what: str, below: str, paths: Callable[[], Sequence[str]]) -> Pool:
    """A pool of those paths that are below a folder; the last one is kept, as long as the listing is the same."""
    known: _Pooled | None = listing.made.get(what)
    if known is not None and known.listing is listing and known.below == below:
        return known.pool
    prefix = "" if below == "." else below + "/"
    part = tuple(path for path in paths() if path.startswith(prefix) and path != ".")
    pool = Pool(part) if known is None or known.below != below else known.pool.of(part)
    listing.made[what] = _Pooled(listing, below, pool)
    return pool


def _joined(listed: tuple[str, ...], tracked: list[str]) -> tuple[str, ...]:
    seen = set(listed) if tracked else set()
    more = [path for path in dict.fromkeys(tracked) if path not in seen]
    return (*listed, *more) if more else listed
