"""Files in pieces: every line that isn't blank is in one, and a definition is in its own."""

from __future__ import annotations

import sysconfig
from pathlib import Path

from workroom.core.search.semantic.chunks import Chunk, divided, lines_of
from workroom.core.search.syntax.parse import definitions

SMALL = """import os

def one():
    return 1


class Small:
    def two(self):
        return 2
"""


def of(text, grammar="python"):
    return divided(lines_of(text), definitions(grammar, text.encode()).definitions)


def test_definitions_are_pieces_of_their_own():
    assert of(SMALL) == [Chunk(1, 2), Chunk(3, 4, "one"), Chunk(7, 9, "Small")]


def test_a_large_class_is_cut_open():
    methods = "".join(f"    def m{n}(self):\n" + "        x = 1\n" * 9 + "\n" for n in range(10))
    found = of(f"class Big:\n    size = 1\n\n{methods}")
    assert found[0] == Chunk(1, 3, "Big")
    assert [each.symbol for each in found if each.symbol != "Big"] == [f"Big.m{n}" for n in range(10)]
    assert found[1] == Chunk(4, 13, "Big.m0")


def test_a_long_function_is_divided_and_keeps_its_name():
    inner = "    def inner():\n        return 1\n"
    found = of("def long():\n" + inner + "    x = 1\n" * 197)
    assert found == [Chunk(1, 60, "long"), Chunk(61, 120, "long"), Chunk(121, 200, "long")]


def test_prose_is_cut_by_lines_that_overlap():
    assert divided(["text"] * 200) == [Chunk(1, 60), Chunk(51, 110), Chunk(101, 160), Chunk(151, 200)]
    assert divided(["text"] * 90) == [Chunk(1, 90)]
    assert divided(["", "  "]) == []


def test_lines():
    """As many as a read counts: none is behind the last line's end."""
    assert lines_of("a\r\nb\n") == ["a\r", "b"]
    assert lines_of("a\rb") == lines_of("a\rb\r") == ["a", "b"]
    assert lines_of("a\n\n") == ["a", ""]
    assert lines_of("") == []
    assert divided(lines_of("one\n")) == [Chunk(1, 1)]


def test_no_line_of_a_real_file_is_left_out():
    for source in sorted(Path(sysconfig.get_path("stdlib")).glob("[a-d]*.py")):
        text = source.read_text("utf-8", "replace")
        lines = lines_of(text)
        found = of(text)
        held = {line for each in found for line in range(each.start, each.end + 1)}
        assert all(line in held for line, what in enumerate(lines, 1) if what.strip()), source
        assert max(each.end - each.start for each in found) < 90, source
