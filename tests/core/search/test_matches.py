"""What is kept of ripgrep's messages: lines with what stands around them, files with counts, within a limit."""

from __future__ import annotations

import base64

import pytest

from workroom.core.search.matches import FileCount, MatchingFiles, MatchingLines, as_bytes


def tell(sink, file, *lines):
    """Tell of a file: lines that match have what matches in brackets."""
    sink.begin(file)
    for number, line in enumerate(lines, 1):
        text = line.replace("[", "").replace("]", "") + "\n"
        found = [{"start": line.index("["), "end": line.index("]") - 1}] if "[" in line else []
        sink.line(number, {"lines": {"text": text}, "submatches": found}, bool(found))
    sink.end()


def test_lines_with_what_stands_around_them():
    sink = MatchingLines(10, 1, None)
    tell(sink, "a", "one", "a [two]", "three", "four", "[five]")
    first, second = sink.matches
    assert (first.line, first.column, first.length, first.text) == (2, 3, 3, "a two")
    assert (first.before, first.after) == (["one"], ["three"])
    assert (second.before, second.after) == (["four"], [])


def test_at_the_limit_it_waits_for_the_lines_behind_the_last_match():
    sink = MatchingLines(1, 1, None)
    sink.begin("a")
    for number, found in ((1, True), (2, True)):
        sink.line(number, {"lines": {"text": "x\n"}, "submatches": [{"start": 0, "end": 1}]}, found)
    assert (len(sink.matches), sink.full, sink.done, sink.share) == (1, True, True, 1.0)
    assert sink.matches[0].after == ["x"]


def test_what_the_caller_has_is_left_out():
    sink = MatchingLines(10, 0, ("a", 1))
    tell(sink, "a", "[x]", "[y]")
    tell(sink, "b", "[z]")
    assert [match.text for match in sink.matches] == ["y", "z"]


@pytest.mark.parametrize(("limit", "full"), [(1, True), (2, False)])
def test_files_and_how_many_of_their_lines_match(limit, full):
    sink = MatchingFiles(limit)
    tell(sink, "a", "[x]", "no", "[y]")
    tell(sink, "b", "[z]")
    assert sink.files == [FileCount("a", 2), FileCount("b", 1)][:limit]
    assert (sink.full, sink.done) == (full, full)
    assert sink.share == 1.0


def test_bytes_that_are_no_utf8_come_in_base64():
    assert as_bytes({"bytes": base64.b64encode(b"caf\xe9").decode()}) == b"caf\xe9"
    assert as_bytes({"text": "caf\u00e9"}) == "caf\u00e9".encode()
