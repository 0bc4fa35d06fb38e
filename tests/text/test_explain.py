import json
import time

import pytest

from workroom.base.errors import ErrorCode
from workroom.text.explain import closest_region, lines_of, not_found, wrong_count
from workroom.text.ladder import Found, find

FILE = "import os\n\n\ndef load(path):\n    data = read(path)\n    return parse(data)\n\n\ndef save(path):\n    pass\n"


def test_the_closest_text_is_shown_with_its_numbers():
    error = not_found("src/f.py", FILE, "def load(p):\n    data = read(p)\n    return parse(data)\n", "x")
    assert error.code is ErrorCode.EDIT_CONFLICT
    assert "4 | def load(path):\n5 |     data = read(path)\n6 |     return parse(data)" in error.message
    assert "lines 4 to 6" in error.message
    assert error.details["closest"] == {
        "startLine": 4,
        "endLine": 6,
        "text": "4 | def load(path):\n5 |     data = read(path)\n6 |     return parse(data)",
    }
    assert "src/f.py" in error.message
    assert "nothing was changed" in error.message
    assert error.next_step.startswith("Read the file again")


def test_one_line_is_named_as_one():
    assert "The closest text is on line 9:\n9 | def save(path):" in not_found("f", FILE, "def save(p):", "x").message


def test_what_is_shown_is_bounded_and_can_be_sent():
    text = "\n".join(f"word{n} " + "x" * 500 + "\udcff" for n in range(100))
    error = not_found("f", text, "\n".join(f"word{n} y" for n in range(100)), "z")
    assert error.details["closest"]["endLine"] == 20
    assert len(error.message) < 6_000
    json.dumps(error.details).encode()
    not_found("f", "word \udcff", "word x", "z").message.encode()


def test_nothing_resembles():
    assert "No line of the file resembles it" in not_found("f", FILE, "zzz qqq", "x").message
    assert "No line of the file resembles it" in not_found("f", "", "zzz", "x").message
    assert "first 4,000,000 characters" in not_found("f", "x" * 4_000_001, "zzz", "x").message


def test_a_change_that_is_already_there_is_said():
    error = not_found("f", FILE, "def lod(path):\n    data = 1\n", "def load(path):\n    data = read(path)\n")
    assert "may already be there: the replacement stands on lines 4 to 5" in error.message
    assert error.details["alreadyThere"] == {"startLine": 4, "endLine": 5}
    assert "alreadyThere" not in not_found("f", FILE, "nope", "").details
    assert "alreadyThere" not in not_found("f", FILE, "nope", "\n").details


def test_the_gutter_probe_is_a_condition_and_counts():
    error = not_found("f", FILE, "5 |     data = read(path)", "x")
    assert "If this text was copied from a read result" in error.message
    assert "would match 1 time." in error.message
    assert error.details["gutter"] == {"matchesWithout": 1}
    twice = not_found("f", "beta\nx\nbeta\n", "2 | beta", "x")
    assert "would match 2 times." in twice.message
    assert "would match 0 times." in not_found("f", FILE, "1 | 2 => Foo,", "x").message
    assert "more than 1000 times" in not_found("f", "b\n" * 1_001, "1 | b", "x").message
    assert "gutter" not in not_found("f", FILE, "no bars", "x").details


def test_too_many_matches():
    text = "a\nb\na\nc\na\n"
    found = find(text, "a")
    assert found is not None
    error = wrong_count("f", text, found, 1)
    assert "matches 3 times in f, on lines 1, 3, 5; expected_matches is 1" in error.message
    assert error.next_step.startswith("Add lines around it")
    assert error.details == {
        "path": "f",
        "matches": 3,
        "more": False,
        "expectedMatches": 1,
        "lines": [1, 3, 5],
        "matched": "exact",
    }


def test_too_few_matches_and_how_they_matched():
    text = "a \nb\n"
    found = find(text, "a\nb")
    assert found is not None
    error = wrong_count("f", text, found, 3)
    assert "matches 1 time in f (matched by trailing_blanks), on lines 1;" in error.message
    assert error.next_step == "Set expected_matches to 1 if all of these are meant."


def test_only_some_places_are_listed():
    text = "a\n" * 2_000
    found = find(text, "a")
    assert found is not None
    error = wrong_count("f", text, found, 1)
    assert "more than 1000 times" in error.message
    assert "19, 20, …;" in error.message
    assert len(error.details["lines"]) == 20


def test_lines_of():
    assert lines_of("a\nb\nc\n", Found("exact", ((0, 1), (2, 6), (4, 5)))) == [(1, 1), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("search", "region"),
    [("def load(q):", (4, 4)), ("\n\ndef save(q):\n    return\n\n", (9, 10)), ("zzz", None), ("", None)],
)
def test_closest_region(search: str, region: tuple[int, int] | None):
    assert closest_region(FILE, search) == region


def test_hostile_texts_are_explained_in_linear_time():
    start = time.perf_counter()
    not_found("f", "a b c d e f g h\n" * 20_000, "  a b x\n" * 5_000, "y")
    assert time.perf_counter() - start < 60


def test_a_large_file_is_said_to_be_matched_by_less():
    text = ("words of a line " * 5 + " \n") * 50_000 + "the end \n"
    error = not_found("f", text, "1 | the end\n2 | of it\n", "the end\n")
    assert (
        "The file is too large for loose matching: 4.1 MB, 50,001 lines; only exact and line-ending matches were tried."
        in error.message
    )
    assert "alreadyThere" not in error.details
    assert error.details["gutter"] == {"matchesWithout": 0}
    assert "too large" not in not_found("f", FILE, "zzz", "x").message


def test_a_large_search_is_said_too():
    error = not_found("f", FILE, "1 | x\n2 | x\n" * 130_000, "x")
    assert "The search is too large for loose matching: 1.6 MB, 260,000 lines" in error.message
    assert "gutter" not in error.details


def test_a_closest_region_is_looked_for_in_the_first_lines():
    assert "the file's first 200,000 characters" in not_found("f", "x\n" * 100_001 + "zzz\n", "zzz q", "y").message


def test_twenty_megabytes_are_explained_in_bounded_time():
    start = time.perf_counter()
    not_found("f", "ab\n" * 6_600_000, "  ab\n  b c\n", "zzz\n")
    assert time.perf_counter() - start < 10
