import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.text.gutter import carries_gutter, check_gutter, strip_gutter
from workroom.text.lines import numbered, split_lines, with_ending


def test_read_output_is_flagged():
    assert carries_gutter("12 | def f():\n13 |     return 1\n")
    assert carries_gutter("9 | a\r\n10 | b\r\n")


def test_an_empty_line_may_have_lost_its_blank():
    assert carries_gutter("1 | a\n2 |\n3 | b")
    assert carries_gutter("1 | a\r\n2 |\r\n")


def test_a_majority_of_the_non_empty_lines_must_carry_it():
    assert carries_gutter("1 | a\n2 | b\nplain\n")
    assert not carries_gutter("1 | a\n2 | b\nplain\nplain\n")
    assert carries_gutter("1 | a\n2 | b\n\n  \n\n\nplain\n")


def test_at_least_two_lines_must_carry_it():
    assert not carries_gutter("")
    assert not carries_gutter("1 | a")
    assert not carries_gutter("1 | a\n\n\n")


def test_a_single_numbered_line_is_never_flagged():
    assert not carries_gutter("2 | beta\n")
    assert not carries_gutter("1 | 2 => Foo,\n")


def test_two_adjacent_lines_must_ascend_by_exactly_one():
    assert not carries_gutter("1 | a\n3 | b\n5 | c\n")
    assert carries_gutter("1 | a\n3 | b\n4 | c\n")
    assert not carries_gutter("1 | a\n\n2 | b\n")
    assert not carries_gutter("1 | a\n1 | b\n")


def test_markdown_tables_are_left_alone():
    assert not carries_gutter("| 1 | a |\n| 2 | b |\n| 3 | c |\n")
    assert not carries_gutter("| n | name |\n|---|---|\n| 1 | a |\n")


def test_descending_sparse_and_stepped_columns_are_left_alone():
    assert not carries_gutter("3 | a\n2 | b\n1 | c\n")
    assert not carries_gutter("7 | a\n19 | b\n400 | c\n")
    assert not carries_gutter("10 | a\n20 | b\n30 | c\n")


def test_a_consecutive_numeric_column_is_flagged():
    assert carries_gutter("1 | a\n2 | b\n3 | c\n")
    assert carries_gutter("2024 | x\n2025 | y\n")


def test_other_bars_are_no_gutter():
    assert not carries_gutter("1|a\n2|b\n")
    assert not carries_gutter("1 || a\n2 || b\n")
    assert not carries_gutter("a = 1 | 2\nb = 2 | 3\n")
    assert not carries_gutter("01 | a\n02 | b\n")


@pytest.mark.parametrize("field", ["content", "replacement", "search"])
def test_the_refusal_names_the_field_and_the_way_out(field: str):
    with pytest.raises(WorkroomError, match="allow_line_numbers: true") as caught:
        check_gutter(field, "1 | a\n2 | b\n", allowed=False)
    assert caught.value.code is ErrorCode.INVALID_INPUT
    assert caught.value.message.startswith(field)
    assert caught.value.details == {"field": field}


def test_allow_line_numbers_lets_it_through():
    check_gutter("content", "1 | a\n2 | b\n", allowed=True)
    check_gutter("content", "a\nb\n", allowed=False)


def test_strip():
    assert strip_gutter("1 | a\n2 |     b\n3 |\nplain 4 | d\n") == "a\n    b\n\nplain 4 | d\n"
    assert strip_gutter("2 | beta") == "beta"
    assert strip_gutter("1 | 2 | x") == "2 | x"


@settings(deadline=None)
@given(st.text(st.sampled_from("ab |1\t\n\r"), max_size=40), st.integers(1, 5000))
def test_strip_undoes_numbering(text: str, first: int):
    text = with_ending(text.replace("\r", ""), "\n")
    assert strip_gutter(numbered(split_lines(text), first)) == text.removesuffix("\n")
    assert carries_gutter(numbered(split_lines(text), first)) == (len(split_lines(text)) > 1)


def test_hostile_text_is_quick():
    start = time.perf_counter()
    assert not carries_gutter(("9" * 5_000 + " | x\n") * 200 + "|" * 1_000_000)
    assert time.perf_counter() - start < 60
