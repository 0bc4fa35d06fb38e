"""Hunks of a patch, by their ranges."""

from __future__ import annotations

from workroom.core.git.patch import parse_hunks, some_hunks

PATCH = b"""diff --git a/f b/f
--- a/f
+++ b/f
@@ -2 +2,2 @@ x
-@@ -1 +1 @@
+a
+@@ -9 +9 @@
@@ -9,0 +11 @@
+last
\\ No newline at end of file
"""


def test_lines_that_look_like_headers_are_none():
    first, last = parse_hunks(PATCH)
    assert (first.old_start, first.old_lines, first.new_start, first.new_lines, first.added, first.removed) == (
        2, 1, 2, 2, 2, 1,
    )  # fmt: skip
    assert (last.old_start, last.old_lines, last.new_start, last.new_lines, last.added) == (9, 0, 11, 1, 1)
    assert last.end == len(PATCH)


def test_a_patch_of_some_hunks():
    first, last = parse_hunks(PATCH)
    head, tail = PATCH[: first.start], b"\n+last\n\\ No newline at end of file\n"
    assert some_hunks(PATCH, {1}) == head + b"@@ -9,0 +10,1 @@" + tail
    assert some_hunks(PATCH, {1}, back=True) == head + b"@@ -10,0 +11,1 @@" + tail
    assert parse_hunks(some_hunks(PATCH, {0, 1}))[1].new_start == last.new_start


def test_a_patch_without_hunks_and_one_that_is_cut():
    assert parse_hunks(b"Binary files differ\n") == ()
    assert some_hunks(b"Binary files differ\n", {0}) == b"Binary files differ\n"
    assert parse_hunks(b"@@ -1 +1,2 @@\n+a")[0].added == 1
