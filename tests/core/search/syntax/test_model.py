"""The values."""

from __future__ import annotations

from workroom.core.search.syntax.model import Kind, Outline


def test_kinds_are_written_as_words():
    assert f"{Kind.CLASS}" == "class"
    assert Outline() == Outline((), faulty=False, cut=False)
