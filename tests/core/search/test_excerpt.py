"""Lines of files, small and enormous."""

from __future__ import annotations

import hashlib
import time

import pytest

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.search.excerpt import Excerpt, Span, describe, excerpt, json_length
from workroom.system.root import Root

LINE = b"0123456789 abcdefghijklmnopqrstuvwxyz\n"
BIG = 17_000_000 // len(LINE) + 1
"""Lines of a file that is read in pieces."""


@pytest.fixture
def ws(tmp_path):
    (tmp_path / "ws").mkdir()
    return tmp_path / "ws"


@pytest.fixture
def root(ws):
    with Root.open(ws) as opened:
        yield opened


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    """A root with one file of 17 MB in it, `log`, each line of which says its number."""
    folder = tmp_path_factory.mktemp("big")
    with (folder / "log").open("wb") as stream:
        stream.writelines(b"%08d %s" % (number, LINE) for number in range(1, BIG + 1))
    with Root.open(folder) as opened:
        yield opened


def sparse(path, head, size):
    with path.open("wb") as stream:
        stream.write(head)
        stream.truncate(size)


def refused(code, do, *arguments):
    with pytest.raises(WorkroomError) as caught:
        do(*arguments)
    assert caught.value.code is code
    return caught.value


def test_a_whole_file(root, ws):
    data = "één\r\ntwee\r\n".encode()
    (ws / "f").write_bytes(data)
    assert excerpt(root, "f", Span()) == Excerpt(
        size=13,
        sha256=hashlib.sha256(data).hexdigest(),
        text="1 | één\n2 | twee",
        first=1,
        last=2,
        total=2,
        encoding="utf-8",
        line_ending="crlf",
    )
    assert excerpt(root, "f", Span(numbers=False)).text == "één\r\ntwee\r\n"


@pytest.mark.parametrize(
    ("span", "text", "lines"),
    [
        (Span(), "1 | a\n2 | b\n3 | \n4 | d", (1, 4)),
        (Span(first=2, last=3), "2 | b\n3 | ", (2, 3)),
        (Span(first=4), "4 | d", (4, 4)),
        (Span(first=3, last=99), "3 | \n4 | d", (3, 4)),
        (Span(tail=2), "3 | \n4 | d", (3, 4)),
        (Span(tail=99), "1 | a\n2 | b\n3 | \n4 | d", (1, 4)),
        (Span(first=2, last=3, numbers=False), "b\n\n", (2, 3)),
    ],
)
def test_ranges(root, ws, span, text, lines):
    (ws / "f").write_text("a\nb\n\nd")
    found = excerpt(root, "f", span)
    assert (found.text, (found.first, found.last), found.complete) == (text, lines, True)


def test_an_empty_file(root, ws):
    (ws / "f").write_text("")
    for span in (Span(), Span(tail=3), Span(numbers=False)):
        found = excerpt(root, "f", span)
        assert (found.text, found.first, found.last, found.total, found.complete) == ("", 1, 0, 0, True)


def test_behind_the_end(root, ws):
    (ws / "f").write_text("a\n")
    error = refused(ErrorCode.INVALID_INPUT, excerpt, root, "f", Span(first=2))
    assert error.message == "`start_line` 2 is behind the end: 'f' has 1 lines."
    assert error.details["totalLines"] == 1


def test_without_room_it_tells_where_to_go_on(root, ws):
    (ws / "f").write_text("".join(f"line {n}\n" for n in range(1, 101)))
    seen, first = "", 1
    while True:
        found = excerpt(root, "f", Span(first=first, room=300, numbers=False))
        seen += found.text
        assert len(found.text) <= 300
        if found.complete:
            break
        first = found.last + 1
    assert seen == (ws / "f").read_text()
    assert found.last == 100


def test_long_lines_are_cut_and_counted(root, ws):
    (ws / "f").write_text("short\n" + "x" * 5000 + "\nend\n")
    found = excerpt(root, "f", Span())
    assert found.text == f"1 | short\n2 | {'x' * 2000}… (3,000 characters more)\n3 | end"
    assert (found.cut_lines, found.complete, found.last) == (1, True, 3)
    found = excerpt(root, "f", Span(first=2, room=500, line_room=10_000, numbers=False))
    assert found.text.startswith("x" * 200)
    assert len(found.text) <= 500
    assert (found.cut_lines, found.complete, found.last) == (1, False, 2)
    (ws / "g").write_text("y" * 2000 + "\n")
    assert excerpt(root, "g", Span()).cut_lines == 0


def test_what_the_caller_has_already(root, ws):
    (ws / "f").write_text("a\n")
    sha = hashlib.sha256(b"a\n").hexdigest()
    assert excerpt(root, "f", Span(known=sha)) == Excerpt(2, sha, unchanged=True)
    assert excerpt(root, "f", Span(known="0" * 64)).text == "1 | a"


def test_encodings(root, ws):
    (ws / "wide").write_text("ü\nx\n", encoding="utf-16")
    found = excerpt(root, "wide", Span())
    assert (found.encoding, found.text, found.lossy) == ("utf-16-le", "1 | ü\n2 | x", False)
    (ws / "broken").write_bytes("ключ: значение ".encode() + b"\xff\n")
    found = excerpt(root, "broken", Span())
    assert (found.encoding, found.lossy, found.text) == ("utf-8", True, "1 | ключ: значение \ufffd")


def test_binary_is_refused(root, ws):
    (ws / "p.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    error = refused(ErrorCode.INVALID_INPUT, excerpt, root, "p.png", Span())
    assert error.message == "'p.png' is binary (PNG image, 10 bytes), and only text can be read."
    assert error.details["sha256"] == hashlib.sha256(b"\x89PNG\r\n\x1a\n\0\0").hexdigest()
    (ws / "b").write_bytes(b"\0\1\2")
    assert refused(ErrorCode.INVALID_INPUT, excerpt, root, "b", Span()).details["kind"] == "binary"


def test_what_is_no_file(root, ws):
    (ws / "d").mkdir()
    refused(ErrorCode.INVALID_INPUT, excerpt, root, "d", Span())
    refused(ErrorCode.INVALID_INPUT, describe, root, "d")
    refused(ErrorCode.NOT_FOUND, excerpt, root, "nothing", Span())


def test_facts_without_text(root, ws):
    (ws / "f").write_bytes(b"a\r\nb")
    found = describe(root, "f")
    assert (found.size, found.total, found.encoding, found.line_ending, found.text) == (4, 2, "utf-8", "crlf", "")
    (ws / "b").write_bytes(b"\0\1\2")
    assert describe(root, "b") == Excerpt(3, hashlib.sha256(b"\0\1\2").hexdigest())


def test_how_long_a_text_is_inside_an_answer():
    assert json_length('a"\\\n\t\r') == 13


def test_of_a_tail_the_last_lines_are_kept(root, ws):
    (ws / "f").write_text("".join(f"line {n}\n" for n in range(1, 101)))
    found = excerpt(root, "f", Span(tail=60, room=100))
    assert (found.last, found.complete) == (100, False)
    assert found.first > 41
    assert found.text.startswith(f"{found.first} | line {found.first}\n")
    assert found.text.endswith("\n100 | line 100")


# Large files.


def test_the_beginning_of_a_large_file(big):
    found = excerpt(big, "log", Span(room=200))
    assert found.text.startswith("1 | 00000001 0123")
    assert (found.first, found.total, found.complete) == (1, BIG, False)
    assert found.sha256 == hashlib.sha256(big.read("log")).hexdigest()
    assert (found.encoding, found.line_ending) == ("utf-8", "lf")
    assert excerpt(big, "log", Span(known=found.sha256)) == Excerpt(found.size, found.sha256, unchanged=True)


@pytest.mark.parametrize(
    ("span", "first", "last"),
    [
        (Span(first=300_000, last=300_002), 300_000, 300_002),
        (Span(first=BIG - 1), BIG - 1, BIG),
        (Span(first=BIG, last=BIG + 5), BIG, BIG),
        (Span(tail=3), BIG - 2, BIG),
    ],
)
def test_lines_within_a_large_file(big, span, first, last):
    found = excerpt(big, "log", span)
    assert (found.first, found.last, found.complete) == (first, last, True)
    rows = found.text.split("\n")
    assert rows[0] == f"{first} | {first:08} {LINE.decode().rstrip()}"
    assert len(rows) == last - first + 1


def test_more_of_a_tail_than_there_is_room_for(big):
    found = excerpt(big, "log", Span(tail=100_000, room=1000))
    assert not found.complete
    assert found.last == found.total == BIG
    assert found.first == BIG - found.text.count("\n")
    assert found.text.endswith(f"{BIG} | {BIG:08} {LINE.decode().rstrip()}")


def test_behind_the_end_of_a_large_file(big):
    error = refused(ErrorCode.INVALID_INPUT, excerpt, big, "log", Span(first=BIG + 1))
    assert error.details["totalLines"] == BIG


def test_facts_of_a_large_file(big):
    found = describe(big, "log")
    assert (found.total, found.encoding, found.line_ending) == (BIG, "utf-8", "lf")
    assert found.sha256 is not None


def test_an_enormous_file_is_read_only_as_far_as_it_must(root, ws):
    sparse(ws / "f", b"one\ntwo\nthree\n" * 8000, 10_000_000_000)
    started = time.monotonic()
    found = excerpt(root, "f", Span(first=2, last=3))
    assert (found.text, found.sha256, found.total) == ("2 | two\n3 | three", None, None)
    assert found.complete
    found = excerpt(root, "f", Span(room=2000))
    assert not found.complete
    assert found.text.startswith("1 | one")
    tail = excerpt(root, "f", Span(tail=2, room=2000))
    assert (tail.first, tail.last, tail.complete) == (None, None, False)
    assert describe(root, "f").sha256 is None
    assert time.monotonic() - started < 60


def test_lines_too_far_into_an_enormous_file(root, ws):
    sparse(ws / "f", b"one\n" * 20_000, 10_000_000_000)
    error = refused(ErrorCode.LIMIT_EXCEEDED, excerpt, root, "f", Span(first=30_000))
    assert "tail_lines" in error.next_step


def test_binary_that_is_large(root, ws):
    sparse(ws / "f", b"\x7fELF", 10_000_000_000)
    error = refused(ErrorCode.INVALID_INPUT, excerpt, root, "f", Span())
    assert "ELF program, 10,000,000,000 bytes" in error.message
    assert describe(root, "f") == Excerpt(10_000_000_000, None)


def test_a_large_file_with_a_mark(root, ws):
    (ws / "f").write_bytes(b"\xef\xbb\xbffirst\n" + LINE * BIG)
    found = excerpt(root, "f", Span(last=1))
    assert (found.text, found.encoding) == ("1 | first", "utf-8-bom")


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-be", "utf-32"])
def test_a_large_file_whose_newlines_are_several_bytes(root, ws, codec):
    body = "".join(f"line {n} of größe ਊ\n" for n in range(600_000))
    data = body.encode(codec)
    (ws / "f").write_bytes(data)
    sha = hashlib.sha256(data).hexdigest() if len(data) <= 64_000_000 else None
    found = excerpt(root, "f", Span(room=2_000))
    assert (found.sha256, found.total, found.first, found.complete) == (sha, None, 1, False)
    assert found.text.startswith("1 | line 0 of größe ਊ\n2 | line 1 of")
    found = excerpt(root, "f", Span(last=2))
    assert (found.text.split("\n")[1], found.complete) == ("2 | line 1 of größe ਊ", True)
    found = excerpt(root, "f", Span(tail=2))
    assert (found.text, found.first, found.complete) == (
        "line 599998 of größe ਊ\nline 599999 of größe ਊ\n", None, True,
    )  # fmt: skip
    found = excerpt(root, "f", Span(tail=10_000, room=2_000))
    assert not found.complete
    assert found.text.endswith("line 599999 of größe ਊ\n")
    if sha:
        assert excerpt(root, "f", Span(known=sha)).unchanged
    found = excerpt(root, "f", Span(first=400_000, last=400_001))
    assert found.text == "400000 | line 399999 of größe ਊ\n400001 | line 400000 of größe ਊ"
    assert found.complete
    assert excerpt(root, "f", Span(first=600_000)).complete
    for first in (600_001, 700_000):
        refused(ErrorCode.LIMIT_EXCEEDED, excerpt, root, "f", Span(first=first))
    assert describe(root, "f").total is None


def test_a_large_line_of_wide_characters(root, ws):
    (ws / "f").write_bytes(("x" * 9_000_000 + "end").encode("utf-16"))
    found = excerpt(root, "f", Span())
    assert (found.text[:6], found.cut_lines, found.complete) == ("1 | xx", 1, False)
    found = excerpt(root, "f", Span(tail=1))
    assert (found.text[-4:], found.cut_lines, found.complete) == ("xend", 1, True)


def test_a_large_file_of_one_line(root, ws):
    (ws / "f").write_bytes(b"x" * 17_000_000)
    found = excerpt(root, "f", Span())
    assert (found.total, found.first, found.last, found.cut_lines, found.complete) == (1, 1, 1, 1, True)
    found = excerpt(root, "f", Span(tail=1))
    assert (found.total, found.cut_lines) == (1, 1)


def test_the_end_of_a_large_file_of_one_line(root, ws):
    (ws / "f").write_bytes(b"x" * 17_000_000 + b"end")
    found = excerpt(root, "f", Span(tail=1))
    assert found.text == "1 | " + "x" * 1997 + "end"
    assert (found.cut_lines, found.complete) == (1, True)


def test_a_large_file_that_begins_with_a_hole(root, ws):
    sparse(ws / "text", b"", 20_000_000)
    with (ws / "text").open("ab") as stream:
        stream.write("größer\n".encode("cp1252") * 3)
    found = excerpt(root, "text", Span(tail=1))
    assert (found.encoding, found.text, found.last) == ("windows-1252", "3 | größer", 3)
    assert excerpt(root, "text", Span(last=1)).lossy is False
    sparse(ws / "binary", b"", 20_000_000)
    with (ws / "binary").open("ab") as stream:
        stream.write(b"\1\0\2" * 3)
    refused(ErrorCode.INVALID_INPUT, excerpt, root, "binary", Span())
    (ws / "zeros").write_bytes(bytes(17_000_000))
    refused(ErrorCode.INVALID_INPUT, excerpt, root, "zeros", Span())


def test_a_few_nul_bytes_in_a_large_text_are_shown_as_what_cant_be_decoded(root, ws):
    (ws / "f").write_bytes(LINE * BIG + b"a\0b\n")
    found = excerpt(root, "f", Span(tail=1))
    assert (found.text, found.lossy) == (f"{BIG + 1} | a\ufffdb", True)
