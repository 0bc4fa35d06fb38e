from hypothesis import given, settings
from hypothesis import strategies as st

from workroom.text.lines import (
    dominant_ending,
    line_ending,
    numbered,
    split_lines,
    with_ending,
    without_ending,
)

ANY_LINES = st.text(st.sampled_from("ab \t\r\n\x0b\x0c\x85\u2028é\udc80"), max_size=40)


def test_ending_of_each_kind():
    assert line_ending("") == "none"
    assert line_ending("one line") == "none"
    assert line_ending("a\nb\n") == "lf"
    assert line_ending("a\r\nb\r\n") == "crlf"
    assert line_ending("a\rb\r") == "cr"
    assert line_ending("a\nb\r\n") == "mixed"


def test_a_lone_cr_among_newlines_is_no_ending():
    assert line_ending("progress\rdone\n") == "lf"
    assert line_ending("progress\rdone\r\n") == "crlf"
    assert split_lines("progress\rdone\nb") == ["progress\rdone\n", "b"]


def test_dominant_ending():
    assert dominant_ending("") == "\n"
    assert dominant_ending("a\r\nb\r\nc\n") == "\r\n"
    assert dominant_ending("a\r\nb\n") == "\n"
    assert dominant_ending("a\rb") == "\r"


def test_split_cuts_only_at_line_endings():
    assert split_lines("") == []
    assert split_lines("a\x0bb\x0cc\x85d\u2028e\x1cf\n") == ["a\x0bb\x0cc\x85d\u2028e\x1cf\n"]
    assert split_lines("a\r\n\nb") == ["a\r\n", "\n", "b"]
    assert split_lines("a\rb\r") == ["a\r", "b\r"]


@settings(deadline=None)
@given(ANY_LINES)
def test_split_lines_join_to_the_text(text: str):
    lines = split_lines(text)
    assert "".join(lines) == text
    assert all(lines)


def test_without_ending():
    assert [without_ending(line) for line in ("a\r\n", "a\n", "a\r", "a", "")] == ["a", "a", "a", "a", ""]
    assert without_ending("a\r\r\n") == "a\r"


def test_with_ending():
    assert with_ending("a\nb\r\nc", "\r\n") == "a\r\nb\r\nc"
    assert with_ending("a\nb\r\nc", "\n") == "a\nb\nc"
    assert with_ending("a\nb\n", "\r") == "a\rb\r"
    assert with_ending("a\rb\r", "\n") == "a\nb\n"
    assert with_ending("progress\rdone\n", "\r\n") == "progress\rdone\r\n"


@settings(deadline=None)
@given(ANY_LINES, st.sampled_from(["\n", "\r\n"]))
def test_with_ending_is_stable(text: str, ending: str):
    text = text.replace("\r", "")
    once = with_ending(text, ending)
    assert with_ending(once, ending) == once
    assert with_ending(once, "\n") == text


def test_numbered():
    assert numbered(["a\r\n", "\n", "b"], 9) == "9 | a\n10 | \n11 | b"
    assert numbered([], 1) == ""
