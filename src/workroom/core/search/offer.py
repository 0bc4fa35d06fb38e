"""Which paths a finder ranks: what was listed, and what git tracks all the same; kept as long as both are."""

from __future__ import annotations

from dataclasses import dataclass

from workroom.core.search.fuzzy import Pool
from workroom.core.search.names import Listing

__all__ = ["Offer", "offer"]


@dataclass(frozen=True, slots=True)
class Offer:
    """What is ranked; `cut` where that isn't every path."""

    pool: Pool
    cut: bool


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
    made = Offer(Pool(paths[:most]) if known is None else known.offer.pool.of(paths[:most]), cut)
    listing.made[alone, most] = _Made(listing, tracked, made)
    return made


def _joined(listed: tuple[str, ...], tracked: list[str]) -> tuple[str, ...]:
    seen = set(listed) if tracked else set()
    more = [path for path in dict.fromkeys(tracked) if path not in seen]
    return (*listed, *more) if more else listed
