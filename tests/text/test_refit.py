import time

import pytest

from workroom.text.refit import file_ending, refit


def test_file_ending():
    assert file_ending("a\r\nb\r\nc\n", "c\n") == "\n"
    assert file_ending("a\r\nb\r\nc\n", "c") == "\r\n"
    assert file_ending("a\rb") == "\r"
    assert file_ending("a") is None


def test_new_lines_take_the_files_ending():
    assert refit("a\r\n", "a\n", "b\nc\n", "line_endings", "\r\n") == "b\r\nc\r\n"
    assert refit("a", "a", "b\r\nc", "exact", "\n") == "b\nc"
    assert refit("a\nb\n", "a\nb\n", "a\r\nc\r\n", "exact", "\n") == "a\nc\n"
    assert refit("a", "a", "b\r\nc", "exact", None) == "b\r\nc"
    assert refit("a", "a", "x\ry", "exact", "\n") == "x\ry"


def test_shared_lines_stay_the_files_own():
    assert refit("a\r\nb\nc\r\n", "a\r\nb\nc\r\n", "a\nB\nc\n", "exact", "\r\n") == "a\r\nB\r\nc\r\n"
    assert refit("a  \nb\nc\t", "a\nb\nc", "a\nB\nB2\nc", "trailing_blanks", "\n") == "a  \nB\nB2\nc\t"
    assert refit("a \nb \nc \nd ", "a\nb\nc\nd", "a\nx\nc\ny\nd", "trailing_blanks", "\n") == "a \nx\nc \ny\nd "
    assert refit("a \nb \n", "a\nb\n", "b\n", "trailing_blanks", "\n") == "b \n"


def test_a_missing_last_newline_stays_missing():
    assert refit("x\nb", "x\nb\n", "x\nc\n", "line_endings", "\n") == "x\nc"
    assert refit("b", "b\n", "", "line_endings", None) == ""
    assert refit("b\n\t", "b\n\n", "c\n\n", "trailing_blanks", "\n") == "c\n\t"


def test_a_search_may_end_in_blanks_that_the_file_does_not_have():
    assert refit("a \n", "a\n  ", "a\n  b", "trailing_blanks", "\n") == "a \n  b"
    assert refit("…\n", "...\n  ", "...\nb", "unicode", "\n") == "…\nb"


@pytest.mark.parametrize(
    ("region", "search", "replacement", "result"),
    [
        ("    a\n    b\n", "a\nb\n", "a\nif c:\n    d\n\nb\n", "    a\n    if c:\n        d\n\n    b\n"),
        ("a\n  b\n", "    a\n      b\n", "    x\n      y\n  z\n", "x\n  y\nz\n"),
        ("\tif x:\n\t\ty()\n", "    if x:\n        y()\n", "    if x:\n        z()\n", "\tif x:\n\t\tz()\n"),
        ("\tif x:\n\t\ty()\n", "if x:\n  y()\n", "if z:\n  if y:\n     w()\n", "\tif z:\n\t\tif y:\n\t\t\t w()\n"),
        ("    if x:\n        y()\n", "\tif x:\n\t\ty()\n", "\tif z:\n\t\t\ty()\n", "    if z:\n            y()\n"),
        ("\ta\n\t\tb\n", "      a\n          b\n", "    c\n  d\n", "  c\nd\n"),
        ("  a\n", "    a\n", "    a\n    \n    b\n", "  a\n\n  b\n"),
    ],
)
def test_new_lines_are_shifted_as_the_search_was(region: str, search: str, replacement: str, result: str):
    assert refit(region, search, replacement, "indent", "\n") == result


@pytest.mark.parametrize(
    ("region", "search", "replacement", "result"),
    [
        ("the dog\u2019s “tail”", 'the dog\'s "tail"', 'the dog\'s "ear"', "the dog\u2019s “ear”"),
        ("it\u2019s…\r\nb\r\n", "it's...\nb\n", "it's... so\nb\n", "it\u2019s… so\r\nb\r\n"),
        ("“a” \n", '"a"\n', '"b"\n', "“b”\n"),
        ("  “a”\n    b\n", '"a"\n  b\n', "\"a\" 'c'\n  b\n", "  “a” 'c'\n    b\n"),
        ("\t“a”\n\t\tb\n", '  "a"\n    b\n', '  "a"!\n    c\n', "\t“a”!\n\t\tc\n"),
        ("a…b", "a...b", "a..b", "a..b"),
        ("“a”", '"a"', '"a"\n"b"', '"a"\n"b"'),
        ("cafe\u0301", "café", "cafe", "cafe"),
        ("x\u0301y", "x\u0301y", "xy", "xy"),
        ("e\u0301a", "e\u0301a", "eb", "eb"),
    ],
)
def test_the_files_own_punctuation_stays(region: str, search: str, replacement: str, result: str):
    assert refit(region, search, replacement, "unicode", "\r\n" if "\r" in region else "\n") == result


def test_a_large_middle_is_taken_whole_and_quickly():
    old = "".join(f"{n}\n" for n in range(5_000))
    new = "0\n" + "".join(f"{n}\n" for n in range(9_000, 4_000, -1)) + "4999\n"
    region = old.replace("\n", " \n")
    start = time.perf_counter()
    result = refit(region, old, new, "trailing_blanks", "\n")
    assert result == "0 \n" + new.removeprefix("0\n").removesuffix("4999\n") + "4999 \n"
    assert time.perf_counter() - start < 60
