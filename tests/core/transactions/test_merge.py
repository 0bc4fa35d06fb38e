"""One path, three ways: whole states, modes, and what a refusal shows."""

from __future__ import annotations

import hashlib

import pytest

from workroom.base.changes import ABSENT, Kind, State
from workroom.core.transactions.merge import Merged, Overlap, merge_path, overlap_row
from workroom.text.merge import Region

KEPT: dict[str, bytes] = {}


def file(text: str, mode: int | None = 0o644) -> State:
    data = text.encode()
    sha = hashlib.sha256(data).hexdigest()
    KEPT[sha] = data
    return State(Kind.FILE, sha, len(data), mode)


def link(target: str) -> State:
    return State(Kind.SYMLINK, hashlib.sha256(target.encode()).hexdigest(), len(target))


FOLDER = State(Kind.DIRECTORY)


def merge(base: State, ours: State, theirs: State):
    return merge_path(base, ours, theirs, KEPT.__getitem__)


@pytest.mark.parametrize("other", [ABSENT, FOLDER, link("a"), file("x\n")])
def test_whoever_changed_something_alone_has_it(other):
    base = file("one\n")
    assert merge(base, base, other) == Merged("theirs", 0o644)
    assert merge(base, other, base) == Merged("ours", other.mode)
    assert merge(base, other, other) == Merged("ours", other.mode)


def test_three_texts_are_merged_by_lines():
    merged = merge(file("1\n2\n3\n"), file("one\n2\n3\n"), file("1\n2\nthree\n"))
    assert merged == Merged("both", 0o644, b"one\n2\nthree\n")


def test_text_that_overlaps_is_told_with_its_region():
    found = merge(file("1\n"), file("one\n"), file("uno\n"))
    assert found == Overlap("both changed the same lines", (Region(1, 1, 1, 1, 1, 1, "1\n", "one\n", "uno\n"),))
    row = overlap_row(found)
    assert row["regions"][0]["wanted"] == {"startLine": 1, "lines": 1, "text": "uno\n"}
    assert overlap_row(Overlap("it is gone")) == {"why": "it is gone"}


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "why"),
    [
        (file("1\n"), ABSENT, file("2\n"), "it is gone"),
        (file("1\n"), file("2\n"), ABSENT, "it was changed, and would be deleted"),
        (ABSENT, file("1\n"), file("2\n"), "a file stands there now"),
        (ABSENT, FOLDER, link("a"), "a directory stands there now"),
        (link("a"), link("b"), link("c"), "both changed it, and it is no file on all sides"),
        (file("1\n"), link("b"), file("2\n"), "both changed it, and it is no file on all sides"),
    ],
)
def test_what_is_no_text_on_all_sides_is_not_put_together(base, ours, theirs, why):
    assert merge(base, ours, theirs) == Overlap(why)


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "mode"),
    [
        (0o644, 0o755, 0o644, 0o755),
        (0o644, 0o644, 0o755, 0o755),
        (0o644, 0o755, 0o755, 0o755),
        (None, 0o600, None, 0o600),
        (0o644, None, 0o755, 0o755),
        (None, 0o600, 0o755, 0o600),
    ],
)
def test_modes_are_merged_by_themselves(base, ours, theirs, mode):
    assert merge(file("1\n", base), file("2\n", ours), file("1\n", theirs)) == Merged("ours", mode)


def test_modes_that_differ_three_ways_overlap():
    found = merge(file("1\n", 0o644), file("1\n", 0o600), file("1\n", 0o755))
    assert found == Overlap("both changed its mode (644: 600 now, 755 wanted)")
