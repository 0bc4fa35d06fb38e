"""One path, three ways: whole states, modes, and what a refusal shows."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest
from pydantic import TypeAdapter, ValidationError

from workroom.base.changes import ABSENT, Kind, State, digest
from workroom.core.transactions.merge import Merged, Overlap, Strategy, merge_path, overlap_row
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
    assert overlap_row(Overlap("it is gone")) == {"why": "it is gone"}


@pytest.mark.parametrize(("total", "shown", "cut"), [(10, 10, False), (11, 10, True)])
def test_a_refusal_shows_up_to_ten_regions_with_where_each_side_has_it(total, shown, cut):
    regions = [Region(n, 1, n + 1, 2, n + 2, 3, f"b{n}\n", f"o{n}\n", f"t{n}\n") for n in range(total)]
    row = overlap_row(Overlap("overlap", tuple(regions)))
    assert row["regions"][3] == {
        "base": {"startLine": 3, "lines": 1, "text": "b3\n"},
        "now": {"startLine": 4, "lines": 2, "text": "o3\n"},
        "wanted": {"startLine": 5, "lines": 3, "text": "t3\n"},
    }
    assert {name: value for name, value in row.items() if name != "regions"} == {
        "why": "overlap", "regionsTotal": total, "regionsTruncated": cut,
    }  # fmt: skip
    assert [each["base"]["text"] for each in row["regions"]] == [f"b{n}\n" for n in range(shown)]


def test_a_side_of_a_region_is_cut_after_a_thousand_characters_and_says_so():
    (region,) = overlap_row(Overlap("overlap", (Region(1, 1, 1, 1, 1, 1, "", "o" * 1000, "t" * 1001),)))["regions"]
    assert region["now"] == {"startLine": 1, "lines": 1, "text": "o" * 1000}
    assert region["wanted"] == {"startLine": 1, "lines": 1, "text": "t" * 1000, "truncated": True}


@pytest.mark.parametrize(
    ("sides", "why"),
    [
        ((b"\0\0\xff\1", b"\0\0\xff\2", b"\0\0\xff\3"), "both changed it, and it is no text"),
        ((b"1\n", "1\n2\n".encode("utf-16"), b"2\n"), "both changed it, and not in the same encoding"),
    ],
)
def test_bytes_that_can_not_be_told_apart_by_lines_are_an_overlap(sides, why):
    states = [State(Kind.FILE, digest(str(side)), len(side), 0o644) for side in sides]
    images = {state.sha256: side for state, side in zip(states, sides, strict=True)}
    assert merge_path(*states, images.__getitem__) == Overlap(why)


@pytest.mark.parametrize("large", range(3))
def test_a_side_that_is_too_large_is_not_read(large):
    def sized(size: int) -> list[State]:
        sides = [file("1\n2\n3\n"), file("one\n2\n3\n"), file("1\n2\nthree\n")]
        sides[large] = replace(sides[large], size=size)
        return sides

    assert merge(*sized(20_000_000)) == Merged("both", 0o644, b"one\n2\nthree\n")
    assert merge_path(*sized(20_000_001), {}.__getitem__) == Overlap(
        "both changed it, and it is too large to be compared"
    )


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
    assert merge(file("1\n", base), file("1\n", ours), file("2\n", theirs)) == Merged("theirs", mode)
    merged = merge(file("1\n2\n3\n", base), file("one\n2\n3\n", ours), file("1\n2\nthree\n", theirs))
    assert merged == Merged("both", mode, b"one\n2\nthree\n")


def test_modes_that_differ_three_ways_overlap():
    found = merge(file("1\n", 0o644), file("1\n", 0o600), file("1\n", 0o755))
    assert found == Overlap("both changed its mode (644: 600 now, 755 wanted)")


def test_a_caller_chooses_between_two_words():
    strategy = TypeAdapter[Strategy](Strategy)
    assert [strategy.validate_python(word) for word in ("refuse", "merge")] == ["refuse", "merge"]
    with pytest.raises(ValidationError):
        strategy.validate_python("force")
