"""The status as git writes it for programs."""

from __future__ import annotations

from workroom.core.git.place import Place
from workroom.core.git.status import Row, parse_status

HERE = Place("/r", "/r/.git", "/r/.git", "", "")
WITHIN = Place("/r", "/r/.git", "/r/.git", "in", "")
ZEROS = b"N... 100644 100644 100644 " + b"0" * 40 + b" " + b"0" * 40


def test_headers_and_rows():
    written = b"\0".join(
        (
            b"# branch.oid abc", b"# branch.head main", b"# branch.upstream o/main", b"# branch.ab +2 -3",
            b"1 .M " + ZEROS + b" a b", b"2 R. " + ZEROS + b" R100 new", b"old",
            b"u UU N... 1 2 3 4 h1 h2 h3 both", b"? \xff\n", b"",
        )
    )  # fmt: skip
    found = parse_status(HERE, written)
    assert (found.branch, found.commit, found.upstream, found.ahead, found.behind) == ("main", "abc", "o/main", 2, 3)
    assert found.rows == (
        Row("a b", "unchanged", "modified"),
        Row("new", "renamed", "unchanged", "old"),
        Row("both", "conflicted", "conflicted"),
        Row("\udcff\n", "untracked", "untracked"),
    )
    assert [row.staged for row in found.rows] == [False, True, False, False]


def test_detached_unborn_and_what_lies_outside():
    written = b"# branch.oid (initial)\0# branch.head (detached)\x001 A. " + ZEROS + b" out\0? in/x\0"
    found = parse_status(WITHIN, written)
    assert (found.branch, found.commit, found.rows) == (None, None, (Row("x", "untracked", "untracked"),))
