"""Which paths are ranked, and when those that were put in order before are taken again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workroom.core.search.listing import Tally
from workroom.core.search.names import Listing
from workroom.core.search.offer import offer


@pytest.fixture
def listing():
    return Listing(("a", "b", "c"), Tally())


def paths(offered):
    return [found.path for found in offered.pool.best("", 100)]


def test_what_is_listed_then_what_git_tracks(listing):
    assert paths(offer(listing, None)) == ["a", "b", "c"]
    assert paths(offer(listing, ["gone", "b", "gone"])) == ["a", "b", "c", "gone"]
    assert paths(offer(listing, ["b"], untracked=False)) == ["b"]
    assert paths(offer(listing, None, untracked=False)) == ["a", "b", "c"], "git knows nothing of it"


def test_a_bound_is_said(listing):
    assert (paths(offer(listing, None, most=2)), offer(listing, None, most=2).cut) == (["a", "b"], True)
    assert not offer(listing, None, most=3).cut
    cut = replace(listing, tally=Tally(cut=True), made={})
    assert offer(cut, None).cut
    assert not offer(cut, ["a"], untracked=False).cut


def test_it_is_the_same_as_long_as_what_it_was_made_of(listing):
    tracked = ["x"]
    first = offer(listing, tracked)
    assert offer(listing, tracked) is first
    assert offer(listing, tracked, untracked=False) is not first
    assert offer(listing, ["x"]) is not first
    again = replace(listing, paths=("a", "d"))
    assert paths(offer(again, None)) == ["a", "d"]
    assert [found.path for found in offer(again, None).pool.best("d", 9)] == ["d"]
