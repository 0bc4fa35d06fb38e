"""What a query needs: nothing that a match could do without, by the real ripgrep."""

from __future__ import annotations

import os
import re
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workroom.core.search.index.literals import Needs, needs
from workroom.system.process import ripgrep


def of(text, *, regex=True, exact_case=False):
    return needs(text, regex=regex, exact_case=exact_case)


def has(data, needed):
    """Whether bytes, made small, have what is needed."""
    return all(text.lower() in data for text in needed.texts) and all(
        any(has(data, each) for each in choice) for choice in needed.choices
    )


@pytest.mark.parametrize(
    ("expression", "texts"),
    [
        ("needle", ["needle"]),
        ("(?i)foo(bar|baz+)?[0-9]qux", ["foo", "qux"]),
        (r"foo\.bar", ["foo.bar"]),
        (r"\bwhole\b", ["whole"]),
        ("abc[^]x[a]]def", ["abc", "def"]),
        (r"abc[\]d]efg", ["abc", "efg"]),
        ("abcd?efg", ["abc", "efg"]),
        ("abcd*efg", ["abc", "efg"]),
        ("abcd+?efgh", ["abc", "efgh"]),
        ("abcd{0,3}efg", ["abc", "efg"]),
        ("abc{2,}xyz", ["xyz"]),
        ("^import .*numpy$", ["import ", "numpy"]),
        ("käsekuchen", ["sekuchen"]),
        ("ab", []),
    ],
)  # fmt: skip
def test_what_a_match_must_hold(expression, texts):
    assert of(expression) == Needs([text.encode() for text in texts])


def test_groups_and_choices():
    needed = of("one(two|three)four")
    assert needed.texts == [b"one", b"four"]
    assert has(b"onetwofour", needed)
    assert not has(b"onefivefour", needed)
    assert not of("(?:two|th)x")
    assert of("(?P<name>needle)").choices
    assert of("(?s-i)needle") == Needs([b"needle"])


@pytest.mark.parametrize(
    "expression",
    ["(?x)a b c", "foo{,3}bar", "abc{x", r"\x41\x42\x43", r"\p{Greek}abc", r"\b{start}abc", "abc)", "(abc", "abc[",
     "abc\\", "*abc", "(?<=abc)d", "a\nb", "a\0b", "\ud800abc", "(" * 60 + "abc" + ")" * 60],
)  # fmt: skip
def test_what_is_not_understood_is_given_up(expression):
    assert not of(expression)


def test_a_text_as_it_stands():
    assert of("a.b*c", regex=False) == Needs([b"a.b*c"])
    assert of("käse", regex=False, exact_case=True) == Needs(["käse".encode()])
    assert not of("a\r\nbc", regex=False)


PIECES = (
    "a", "b", "K", "s", "ß", ".", r"\d", r"\.", "[ab]", "[^a]", "abc", "x1", "{2}", "?", "*", "+", "(ab|c)", "(?:abc)",
    "(?i)", "(a|bcd)?", "|", "^", "$", r"\b", "(", ")", "-", "\\",
)  # fmt: skip
PIECE = st.sampled_from(PIECES)
LINES = st.lists(st.text("abcK1sxß.-\u212a", max_size=12), min_size=1, max_size=30)


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECE, min_size=1, max_size=8).map("".join), LINES)
def test_no_line_that_ripgrep_finds_lacks_what_is_needed(expression, lines):
    found = subprocess.run(
        [ripgrep(), "--no-config", "--ignore-case", "-e", expression],
        input=os.linesep.join(lines).encode(), capture_output=True, check=False, timeout=30,
    )  # fmt: skip
    needed = of(expression)
    for line in found.stdout.splitlines():
        if not re.search("[\u212a\u017f]".encode(), line) and "\u212a" not in line.decode():
            assert has(line.decode().lower().encode(), needed), (expression, line)
