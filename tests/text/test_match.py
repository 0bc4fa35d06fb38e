import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.text.lines import split_lines
from workroom.text.match import Edited, find, replace, splice


def test_replace_names_the_rung():
    assert replace("f", "a\nb\n", "b", "c") == Edited("a\nc\n", "exact")
    assert replace("f", "a\r\nb\r\nx", "a\nb\n", "c\nd\n") == Edited("c\r\nd\r\nx", "line_endings")
    assert replace("f", "a \nb\n", "a\nb", "a\nc") == Edited("a \nc\n", "trailing_blanks")
    assert replace("f", "\tif x:\n\t\ty\n", "  if x:\n    y\n", "  if x:\n    z\n") == Edited(
        "\tif x:\n\t\tz\n", "indent"
    )
    assert replace("f", "it\u2019s\n", "it's", "it's so") == Edited("it\u2019s so\n", "unicode")


def test_replace_all_that_are_expected():
    assert replace("f", "a b a b", "a", "c", 2).text == "c b c b"
    assert replace("f", "a\r\na\r\n", "a\n", "", 2).text == ""


def test_a_match_does_not_split_a_crlf():
    assert replace("f", "a\r\nb\r\n", "\nb", "\nc").text == "a\r\nc\r\n"


def test_a_wrong_count_is_a_conflict():
    with pytest.raises(WorkroomError, match="matches 2 times") as caught:
        replace("f", "a\nb\na\n", "a", "c")
    assert caught.value.code is ErrorCode.EDIT_CONFLICT
    with pytest.raises(WorkroomError, match="matches 1 time "):
        replace("f", "a\n", "a", "c", 2)
    with pytest.raises(WorkroomError, match="matches more than 1000 times"):
        replace("f", "a" * 1_001, "a", "c")
    assert replace("f", "a" * 1_001, "a", "c", 1_001).text == "c" * 1_001


def test_a_looser_rung_never_makes_up_the_count():
    with pytest.raises(WorkroomError, match="matches 1 time "):
        replace("f", "a \nb\na\nb\n", "a\nb\n", "c\n", 2)


def test_no_match_is_a_conflict():
    with pytest.raises(WorkroomError, match="matches nothing in src/f") as caught:
        replace("src/f.py", "a\n", "b", "c")
    assert caught.value.code is ErrorCode.EDIT_CONFLICT


def test_wrong_arguments():
    with pytest.raises(WorkroomError, match="search is empty") as caught:
        replace("f", "a", "", "b")
    assert caught.value.code is ErrorCode.INVALID_INPUT
    with pytest.raises(WorkroomError, match="expected_matches is 0") as caught:
        replace("f", "a", "a", "b", 0)
    assert caught.value.code is ErrorCode.INVALID_INPUT


PIECES = st.lists(
    st.sampled_from(["a", "b", "  ", "\t", "\n", "\n", "\r\n", "“", "…", "\u00a0", "e\u0301"]), max_size=14
)


@settings(deadline=None, max_examples=300)
@given(PIECES.map("".join), st.data())
def test_replacing_a_search_by_itself_changes_nothing(text: str, data: st.DataObject):
    lines = split_lines(text)
    first = data.draw(st.integers(0, len(lines)))
    wanted = "".join(lines[first : data.draw(st.integers(first, len(lines)))])
    for fancy, plain in (("\r\n", "\n"), ("“", '"'), ("…", "..."), ("e\u0301", "é"), ("\t", "    "), ("  \n", "\n")):
        wanted = wanted.replace(fancy, plain) if data.draw(st.booleans()) else wanted
    found = find(text, wanted)
    if found:
        assert replace("f", text, wanted, wanted, len(found.spans)).text == text


def test_splice():
    text = "a\nb\nc\n"
    assert splice("f", text, 2, 1, "x\ny\n") == "a\nx\ny\nc\n"
    assert splice("f", text, 1, 0, "x\n") == "x\na\nb\nc\n"
    assert splice("f", text, 1, 3, "") == ""
    assert splice("f", text, 4, 0, "d\n") == "a\nb\nc\nd\n"
    assert splice("f", "", 1, 0, "x") == "x"


def test_splice_adds_the_newline_that_is_missing():
    assert splice("f", "a\nb\nc\n", 2, 1, "x") == "a\nx\nc\n"
    assert splice("f", "a\nb\n", 2, 1, "x") == "a\nx\n"
    assert splice("f", "a\nb", 2, 1, "x") == "a\nx"
    assert splice("f", "a\nb", 3, 0, "x") == "a\nb\nx"
    assert splice("f", "a\nb", 3, 0, "") == "a\nb"
    assert splice("f", "a", 2, 0, "x\n") == "a\nx\n"


def test_splice_takes_the_files_ending():
    assert splice("f", "a\r\nb\r\n", 2, 1, "x\ny") == "a\r\nx\r\ny\r\n"
    assert splice("f", "a\rb\r", 2, 1, "x\ny") == "a\rx\ry\r"
    assert splice("f", "a\nb\n", 2, 0, "x\r\n") == "a\nx\nb\n"


@pytest.mark.parametrize(
    ("start", "count", "message"),
    [
        (0, 0, "start_line: 0 is not within 1 to 3; f has 2 lines"),
        (4, 0, "start_line: 4 is not within 1 to 3"),
        (1, 3, "delete_count: 3 lines from line 1 on go beyond the end; f has 2 lines"),
        (3, 1, "delete_count: 1 lines from line 3 on"),
        (1, -1, "delete_count: -1 is less than 0"),
    ],
)
def test_splice_outside_the_file(start: int, count: int, message: str):
    with pytest.raises(WorkroomError, match=message) as caught:
        splice("f", "a\nb\n", start, count, "x")
    assert caught.value.code is ErrorCode.INVALID_INPUT
    assert caught.value.details["totalLines"] == 2


def test_splice_names_a_single_line():
    with pytest.raises(WorkroomError, match="f has 1 line\\."):
        splice("f", "a", 9, 0, "x")


@given(st.text("ab\n", max_size=20), st.text("xy\n", max_size=10), st.data())
def test_splice_leaves_the_other_lines_alone(text: str, content: str, data: st.DataObject):
    lines = split_lines(text)
    start = data.draw(st.integers(1, len(lines) + 1))
    count = data.draw(st.integers(0, len(lines) + 1 - start))
    result = splice("f", text, start, count, content)
    assert result.startswith("".join(lines[: start - 1]))
    assert result.endswith("".join(lines[start - 1 + count :]))
    assert content in result
