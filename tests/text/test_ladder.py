import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workroom.text.fold import fold
from workroom.text.ladder import MOST_SPANS, RUNGS, Found, columns, find, indent_of, is_large, loosest


def where(text: str, search: str) -> tuple[str, list[str]] | None:
    found = find(text, search)
    return found and (found.rung, [text[start:end] for start, end in found.spans])


def test_exact():
    assert find("abcabc", "bc") == Found("exact", ((1, 3), (4, 6)))
    assert find("aaaa", "aa") == Found("exact", ((0, 2), (2, 4)))
    assert find("abc", "x") is None
    assert find("abc", "") is None
    assert find("", "x") is None


def test_the_first_rung_with_any_match_decides():
    assert where("a \nb\na\nb\n", "a\nb\n") == ("exact", ["a\nb\n"])


@pytest.mark.parametrize(
    ("text", "search", "region"),
    [
        ("x\r\na\r\nb\r\n", "a\nb\n", "a\r\nb\r\n"),
        ("x\na\nb\n", "a\r\nb\r\n", "a\nb\n"),
        ("x\ra\rb\r", "a\nb", "a\rb"),
        ("x\na\r\nb\n", "a\nb\n", "a\r\nb\n"),
        ("xa\r\nby\r\n", "a\nb", "a\r\nb"),
        ("a\r\nb\r\n", "\nb", "\r\nb"),
        ("a\r\nb\r\n", "a\r", "a\r\n"),
        ("\r\n\r\n\r\n", "\n\n", "\r\n\r\n"),
        ("x\na", "a\n", "a"),
    ],
)
def test_line_endings(text: str, search: str, region: str):
    assert where(text, search) == ("line_endings", [region])


def test_a_newline_that_is_not_there_is_not_found_by_itself():
    assert find("a", "\n") is None


@pytest.mark.parametrize(
    ("text", "search", "region"),
    [
        ("a  \nb\n", "a\nb\n", "a  \nb\n"),
        ("a\nb\n", "a \t\nb\n", "a\nb\n"),
        ("a  \r\nb \r\n", "a\nb", "a  \r\nb"),
        ("  f(a,\t\n    b)\n", "f(a,\n    b)", "f(a,\t\n    b)"),
        ("foo\nx\n", "foo  ", "foo"),
        ("foobar\nfoo\t", "foo  ", "foo"),
    ],
)
def test_trailing_blanks(text: str, search: str, region: str):
    assert where(text, search) == ("trailing_blanks", [region])


def test_trailing_blanks_of_the_search_end_a_line():
    assert find("foobar\n", "foo ") is None


def test_blanks_alone_are_found_only_as_they_are():
    assert find("a\n\tb\n", "   ") is None
    assert find("a\n", "\u00a0") is None


@pytest.mark.parametrize(
    ("text", "search", "region"),
    [
        ("if x:\n    a\n    b\n", "a\nb\n", "    a\n    b\n"),
        ("  a\n    b\n", "a\n  b", "  a\n    b"),
        ("a\n  b  \n", "    a\n      b", "a\n  b"),
        ("\tif x:\n\t\ty()\n", "    if x:\n        y()\n", "\tif x:\n\t\ty()\n"),
        ("\tif x:\n\t\ty()\n", "  if x:\n    y()\n", "\tif x:\n\t\ty()\n"),
        ("\tif x:\n\t\ty()\n", "        if x:\n                y()\n", "\tif x:\n\t\ty()\n"),
        ("    if x:\n        y()\n", "\tif x:\n\t\ty()\n", "    if x:\n        y()\n"),
        ("\tif x:\r\n\r\n\t\ty()\r\n", "if x:\n\n    y()\n", "\tif x:\r\n\r\n\t\ty()\r\n"),
        ("z\n\n    a\n      b\n", "\na\n  b\n", "\n    a\n      b\n"),
        ("    a\n      b\n\nz\n", "a\n  b\n\n", "    a\n      b\n\n"),
        ("  x = 1", "    x = 1\n", "  x = 1"),
    ],
)
def test_indent(text: str, search: str, region: str):
    assert where(text, search) == ("indent", [region])


@pytest.mark.parametrize(
    ("text", "search"),
    [
        ("  a\n    b\n", "a\n   b\n"),
        ("  a c\n", "a  c\n"),
        ("  ab\n", "    b\n"),
        ("x\n  a\n", "\n    a\n"),
        ("    a\n", "\n  a\n"),
        ("  a\0\n", "    a\0\n"),
    ],
)
def test_indent_must_be_uniform_and_lines_whole(text: str, search: str):
    assert find(text, search) is None


def test_blank_lines_before_a_block_belong_to_one_match_only():
    text = "\n    a\n\n    a\n"
    assert where(text, "\n  a\n") == ("indent", ["\n    a\n", "\n    a\n"])
    assert where(text, "\n  a\n\n") == ("indent", ["\n    a\n\n"])


@pytest.mark.parametrize(
    ("text", "search", "region"),
    [
        ("say “hi” — it\u2019s…\n", 'say "hi" - it\'s...', "say “hi” — it\u2019s…"),
        ("the dog\u2019s tail\n", "dog's", "dog\u2019s"),
        ("a\u00a0b\n", "a b", "a\u00a0b"),
        ("cafe\u0301 x\n", "café", "cafe\u0301"),
        ("café x\n", "cafe\u0301", "café"),
        ("it's\n", "it\u2019s", "it's"),
        ("x…\r\n“a” \r\nb\r\n", '..\n"a"\nb', None),
        ("…\r\n“a” \r\nb\r\n", '"a"\nb', "“a” \r\nb"),
        ("\tsay(“a”)\n\t\tend\u00a0\n", '    say("a")\n        end', "\tsay(“a”)\n\t\tend"),
        ("  say(“a”)\n", '      say("a")\n', "  say(“a”)\n"),
    ],
)
def test_unicode(text: str, search: str, region: str | None):
    assert where(text, search) == (region and ("unicode", [region]))


def test_half_an_ellipsis_is_no_match():
    assert find("a…b", "a..") is None
    assert where("a….b", "..b") is None
    assert where("…...", "....") == ("unicode", ["…."])
    assert where("x… “y”", '.. "y"') is None


def test_more_matches_than_the_limit():
    assert find("a" * 10, "a", limit=3) == Found("exact", ((0, 1), (1, 2), (2, 3)), more=True)
    assert find("aaa", "a", limit=3) == Found("exact", ((0, 1), (1, 2), (2, 3)))


def test_loosest():
    assert loosest() == "exact"
    assert loosest("indent", "exact", "line_endings") == "indent"
    assert RUNGS == ("exact", "line_endings", "trailing_blanks", "indent", "unicode")


def test_columns_and_indent():
    assert indent_of(" \t x \n") == " \t "
    assert columns("  \t ", 4) == 5
    assert columns("   ", 4) == 3


PIECES = st.lists(
    st.sampled_from(["a", "b", " ", "\t", "\n", "\r\n", "\r", "“", '"', "…", ".", "\u00a0", "e", "\u0301", "\0"]),
    max_size=14,
).map("".join)


def essence(text: str) -> str:
    return "".join(fold(text.replace("\r", "\n")).split())


@settings(deadline=None, max_examples=300)
@given(PIECES, PIECES)
def test_what_is_found_is_the_search_normalised(text: str, search: str):
    found = find(text, search)
    if found is None:
        assert search not in text or not search or "\r\n" in text
        return
    ends = [0, *(end for _, end in found.spans)]
    for (start, end), before in zip(found.spans, ends, strict=False):
        assert before <= start < end <= len(text)
        assert essence(text[start:end]) == essence(search)
        assert (found.rung == "exact") <= (text[start:end] == search)


@pytest.mark.parametrize(
    ("text", "search"),
    [
        (" " * 1_000_000 + "x", " " * 5_000 + "y"),
        ("x\n" * 100_000, "  x\n" * 5_000 + "y\n"),
        ("\tx\n" * 60_000, "\n" + "  x\n" * 1_000),
        ("…" * 100_000, "." * 1_000),
        ("a" * 1_000_000, "a" * 1_000 + "b" + "a" * 1_000),
        ("“" * 100_000, '"' * 10),
        ("e" + "\u0301" * 300_000, "é\u0301"),
        ("\r" * 300_000, "\r\n\r"),
    ],
)
def test_hostile_texts_take_linear_time(text: str, search: str):
    start = time.perf_counter()
    found = find(text, search)
    assert found is None or len(found.spans) <= MOST_SPANS
    assert time.perf_counter() - start < 60


def test_a_large_file_is_quick():
    text = "".join(f"line {n} of the file\n" for n in range(50_000))
    start = time.perf_counter()
    assert where(text, "line 49998 of the file\nline 49999 of the file\n") is not None
    assert time.perf_counter() - start < 60


LARGE = ("x" * 79 + "\n") * 51_000, "x\n" * 250_001


@pytest.mark.parametrize("large", LARGE)
def test_a_large_text_is_matched_exactly_or_by_its_line_endings(large: str):
    text = large + "  one \n  two\n"
    assert is_large(text)
    assert where(text, "one \n  two") == ("exact", ["one \n  two"])
    assert where(text.replace("\n", "\r\n"), "one \n  two\n") == ("line_endings", ["one \r\n  two\r\n"])
    assert where(text.replace("\n", "\r"), "one \n  two\n") == ("line_endings", ["one \r  two\r"])
    assert where(text, "  one\n  two\n") is None
    assert where("  one \n", text.replace(" \n", "\n")) is None


def test_the_largest_text_that_is_matched_loosely():
    text = "x\n" * 249_999 + "y \n"
    assert not is_large(text)
    assert where(text, "y\n") == ("trailing_blanks", ["y \n"])


@pytest.mark.parametrize("before", range(4_090, 4_100))
def test_places_are_exact_wherever_a_line_ends(before: str):
    text = "x" * before + "\r\na\nb\r\n" + "\r\n" * 5_000 + "a\r\nb\r\nc"
    assert where(text, "a\r\nb\nc") == ("line_endings", ["a\r\nb\r\nc"])
    assert where(text, "a\nb\r\n") == ("exact", ["a\nb\r\n"])
    assert where(text, "x\na\nb\n") == ("line_endings", ["x\r\na\nb\r\n"])
