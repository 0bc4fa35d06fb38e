"""The checker itself: it takes what can have happened, and finds what can't."""

from __future__ import annotations

import pytest
from tests.race.checker import Commit, Write, problems

START = {"f": "0", "g": "0"}


def one(number, start, end, **changes):
    return Commit(number, start, end, changes)


EDIT = one(1, 10, 20, f=("0", "1"), g=("0", "1"))


@pytest.mark.parametrize(
    ("commits", "writes", "after"),
    [
        ([], [], START),
        ([EDIT], [], {"f": "1", "g": "1"}),
        ([EDIT, one(2, 30, 40, f=("1", "2"))], [], {"f": "2", "g": "1"}),
        ([EDIT, one(2, 30, 40, f=("1", "0"), g=("1", "0"))], [], START),
        ([EDIT], [Write("f", "a", 25, 26)], {"f": "a", "g": "1"}),
        ([EDIT], [Write("f", "a", 12, 13)], {"f": "a", "g": "1"}),
        ([one(1, 10, 20, f=("a", "1"))], [Write("f", "a", 12, 13)], {"f": "1", "g": "0"}),
        ([one(1, 10, 20, f=("a", "1"))], [Write("f", "b", 5, 8), Write("f", "a", 6, 7)], {"f": "1", "g": "0"}),
        ([], [Write("f", None, 1, 2)], {"g": "0"}),
        ([one(1, 10, 20, n=(None, "1"))], [], {**START, "n": "1"}),
        ([one(2, 10, 40, f=("1", "2")), one(1, 11, 30, f=("0", "1"))], [], {"f": "2", "g": "0"}),
    ],
)
def test_what_can_have_happened(commits, writes, after):
    assert problems(START, commits, writes, after) == []


@pytest.mark.parametrize(
    ("commits", "writes", "after", "found"),
    [
        # A lost update: both commits replaced the same value.
        ([EDIT, one(2, 15, 40, f=("0", "2"))], [], {"f": "2", "g": "1"}, "f: nobody wrote '0'"),
        # An acknowledged commit that isn't there.
        ([EDIT], [], START, "f: nobody wrote '0', which stood there at the end instead of '1'"),
        # Half of one.
        ([EDIT], [], {"f": "1", "g": "0"}, "g: nobody wrote '0'"),
        # Another program's save, gone without a trace.
        ([one(1, 10, 20, f=("0", "1"))], [Write("f", "a", 12, 13)], {"f": "1", "g": "0"}, "f: 'a' was overwritten"),
        # … which came too late to be what a commit saw.
        ([one(1, 10, 20, f=("a", "1"))], [Write("f", "a", 25, 26)], {"f": "1", "g": "0"}, "f: nobody wrote 'a'"),
        # … and one that came after what the commit saw.
        (
            [one(1, 10, 20, f=("a", "1"))],
            [Write("f", "a", 2, 3), Write("f", "b", 5, 6)],
            {"f": "1", "g": "0"},
            "f: 'b' was overwritten unseen",
        ),
        # A file that was deleted stands there again.
        ([one(1, 10, 20, f=("0", "1"))], [Write("f", None, 15, 16)], {"f": "1", "g": "0"}, "f: None was overwritten"),
        # Entries in the wrong order.
        ([one(2, 10, 20, f=("0", "1")), one(1, 30, 40, g=("0", "1"))], [], {"f": "1", "g": "1"}, "entry 2 was"),
    ],
)
def test_what_can_not_have_happened(commits, writes, after, found):
    assert any(problem.startswith(found) for problem in problems(START, commits, writes, after))


def test_a_file_that_moves_takes_a_write_along():
    moves = one(1, 10, 20, f=("0", None), n=(None, "0"))
    assert problems(START, [moves], [Write("f", "a", 22, 23, ("n",))], {"g": "0", "n": "a"}) == []
    assert problems(START, [moves], [Write("f", "a", 22, 23)], {"g": "0", "n": "a"}) != []


def test_what_was_kept_in_a_copy_is_not_lost():
    commits, writes = [one(1, 10, 20, f=("0", "1"))], [Write("f", "a", 12, 13)]
    assert problems(START, commits, writes, {"f": "1", "g": "0"}, kept={"a"}) == []
