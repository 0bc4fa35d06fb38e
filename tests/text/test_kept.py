"""A whole new text in the form of its file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workroom.base.errors import WorkroomError
from workroom.text.kept import as_shown, kept
from workroom.text.lines import split_lines


@pytest.mark.parametrize(
    ("original", "edited", "after"),
    [
        ("a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n"),
        ("a\nb\n", "a\r\nc\r\n", "a\nc\n"),
        ("a\rb\r", "a\nc\n", "a\rc\r"),
        ("a\r\nb\nc\r\n", "a\nb\nx\nc\n", "a\r\nb\nx\r\nc\r\n"),
        ("a\r\nb\nc\r\n", "a\r\nb\nx\nc\r\n", "a\r\nb\nx\nc\r\n"),
        ("a\r\nb\n", "a\r\nb", "a\r\nb"),
        ("a\r\nb\n", "a\nb", "a\r\nb"),
        ("one", "one\r\ntwo", "one\r\ntwo"),
        ("", "a\n", "a\n"),
        ("a\r\nb\n", "", ""),
        ("1%\r2%\nend\n", "1%\n2%\nEND\n", "1%\r2%\nEND\n"),
        ("1%\r2%\nend\n", "1%\n3%\nmore\nend\n", "1%\r3%\nmore\nend\n"),
        ("1%\r2%\nend\n", "9%\n2%\nend\n", "9%\r2%\nend\n"),
        ("1%\r2%\r\nend\r\n", "1%\n2%\nEND\n", "1%\r2%\r\nEND\r\n"),
        ("1%\r2%\nend\n", "1%\r2%\nEND\n", "1%\r2%\nEND\n"),
        ("a\r\r\nb\n", "a\n\nB\n", "a\r\r\nB\n"),
        ("a\r\nb\r\nc\nd", "a\nb\nc\nD\n", "a\r\nb\r\nc\nD\r\n"),
        ("a\r\nb\nc\n", "A\nb\nc\n", "A\r\nb\nc\n"),
        ("ok\nbad \udcff\n", "ok!\nbad \ufffd\n", "ok!\nbad \udcff\n"),
        ("bad \udcff\r\nb\n", "bad \ufffd\nB\nc\n", "bad \udcff\r\nB\nc\n"),
        ("a \ufffd\nbad \udcff", "a \ufffd!\nbad \ufffd", "a \ufffd!\nbad \udcff"),
    ],
)
def test_what_was_not_edited_stays(original, edited, after):
    assert kept(original, edited) == after


def test_bytes_that_would_be_lost_are_not():
    with pytest.raises(WorkroomError, match="Line 2 of the new text holds U"):
        kept("ok\nbad \udcff\n", "ok\nbad! \ufffd\n")


LINES = st.lists(st.sampled_from(["", "a", "b", "c", "\udcff"]), max_size=8)
ENDINGS = st.sampled_from(["\n", "\r\n"])
ODD_ENDINGS = st.sampled_from(["\n", "\r\n", "\r", "\r\r\n"])


@given(LINES, st.data())
def test_handed_back_as_shown_nothing_changes(lines, data):
    original = "".join(line + data.draw(ENDINGS) for line in lines)
    shown = as_shown(original).replace("\r\n", "\n")
    assert kept(original, shown) == original


@given(LINES, st.data())
def test_handed_back_by_an_editor_with_one_kind_of_line_end_nothing_changes(lines, data):
    original = "".join(line + data.draw(ODD_ENDINGS) for line in lines)
    shown = as_shown(original).replace("\r\n", "\n").replace("\r", "\n")
    assert kept(original, shown) == original


@given(st.lists(st.sampled_from("abc"), max_size=8), st.lists(st.sampled_from("abcd"), max_size=8), st.data())
def test_the_words_are_the_edited_ones(old, new, data):
    original = "".join(line + data.draw(ENDINGS) for line in old)
    after = kept(original, "".join(f"{line}\n" for line in new))
    assert [line.rstrip("\r\n") for line in split_lines(after)] == new
