"""Line numbers of a shown diff, against the files that it was made from."""

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workroom.interfaces.cli.numbered import number_lines
from workroom.text.diff import FileSide, render_file
from workroom.text.display import show

LINES = st.lists(
    st.sampled_from(["", "x", "y", "@@ -1 +1 @@", "--- a", "+++ b", "diff --git a/x b/x", "\\"]), max_size=30
)


def numbers(diff):
    return [(line.kind, line.old, line.new, line.text) for line in number_lines(diff)]


def test_counts_both_sides():
    diff = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -3,3 +3,3 @@ def x\n a\n-b\n+c\n d\n"
    assert numbers(diff) == [
        ("file", None, None, "diff --git a/f b/f"),
        ("file", None, None, "--- a/f"),
        ("file", None, None, "+++ b/f"),
        ("hunk", None, None, "@@ -3,3 +3,3 @@ def x"),
        ("kept", 3, 3, " a"),
        ("removed", 4, None, "-b"),
        ("added", None, 4, "+c"),
        ("kept", 5, 5, " d"),
    ]


def test_a_count_of_one_may_be_left_out():
    assert numbers("@@ -2 +2 @@\n-a\n+b\n")[1:] == [("removed", 2, None, "-a"), ("added", None, 2, "+b")]


def test_what_stands_around_diffs_is_plain():
    diff = "modify f (+1 -1)\n\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"
    assert [line.kind for line in number_lines(diff)] == [
        "plain",
        "plain",
        "hunk",
        "removed",
        "plain",
        "added",
        "plain",
    ]


def test_content_that_looks_like_a_header_is_content():
    before, after = b"--- a/f\n@@ -9 +9 @@\nx\n", b"+++ b/f\n@@ -9 +9 @@\ny\n"
    diff = render_file(FileSide("f", before, 0o644), FileSide("f", after, 0o644))
    assert [line.text for line in number_lines(diff) if line.kind == "removed"] == ["---- a/f", "-x"]
    assert [line.text for line in number_lines(diff) if line.kind == "hunk"] == ["@@ -1,3 +1,3 @@"]


def test_after_swallowed_lines_nothing_has_a_number_or_is_a_header():
    kept = "\n".join([" " * 40] * 6) + "\n@@ -1 +1 @@\n"
    diff = f"@@ -1,9 +1,9 @@\n a\n {kept}-b\n+c\n"
    shown = show(diff)
    assert "long run of blanks" in shown.flags
    lines = list(number_lines(shown.text))
    marked = next(number for number, line in enumerate(lines) if line.text.endswith(" line ends⟩"))
    assert [line.text for line in lines[marked + 1 :]] == ["@@ -1 +1 @@", "-b", "+c"]
    assert {(line.kind, line.old, line.new) for line in lines[marked + 1 :]} == {("plain", None, None)}


@pytest.mark.parametrize("text", ["", "\n", "@@ -x +y @@\n", "@@ -1,2 +1,2 @@"])
def test_broken_diffs_are_shown_as_they_are(text):
    assert "\n".join(line.text for line in number_lines(text)) == text.removesuffix("\n")


@given(LINES, LINES)
def test_every_number_is_the_line_of_the_file(before, after):
    diff = "".join(f"{line}\n" for line in difflib.unified_diff(before, after, "a/f", "b/f", lineterm=""))
    lines = list(number_lines(diff))
    assert not any(line.text for line in lines if line.kind == "plain")
    for line in lines:
        if line.old is not None:
            assert before[line.old - 1] == line.text[1:]
        if line.new is not None:
            assert after[line.new - 1] == line.text[1:]
