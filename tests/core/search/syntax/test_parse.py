"""Definitions, of a sample of each language: above the line its text, below it what is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from workroom.core.search.syntax.model import Definition, Kind, Outline
from workroom.core.search.syntax.parse import definitions
from workroom.core.search.syntax.table import GRAMMARS

SAMPLES = Path(__file__).parent / "samples"


def sample(grammar: str) -> tuple[bytes, list[str]]:
    text, _, rows = (SAMPLES / f"{grammar}.txt").read_text().partition("========\n")
    return text.encode(), rows.splitlines()


def row(found: Definition, all_of_them: tuple[Definition, ...]) -> str:
    depth, parent = 0, found.parent
    while parent is not None:
        depth, parent = depth + 1, all_of_them[parent].parent
    lines = f"{found.first}-{found.last} {found.line}"
    return f"{lines} {'  ' * depth}{found.kind} {found.qualified} | {found.signature}"


def told(outline: Outline) -> list[str]:
    return [row(found, outline.definitions) for found in outline.definitions]


def names(outline: Outline) -> list[str]:
    return [found.qualified for found in outline.definitions]


@pytest.mark.parametrize("grammar", sorted(set(GRAMMARS) - {"typescript"}))
def test_a_sample(grammar):
    data, expected = sample(grammar)
    found = definitions(grammar, data)
    assert told(found) == expected
    assert (found.faulty, found.cut) == (False, False)


def test_typescript_is_read_as_tsx_is():
    data = b"const a = <T>(x: T) => x;\nlet b = <any>a;\n"
    assert names(definitions("typescript", data)) == ["a", "b"]


@pytest.mark.parametrize("grammar", sorted(GRAMMARS))
def test_ranges_hold_the_name_and_lie_in_what_is_around(grammar):
    data, _ = sample("tsx" if grammar == "typescript" else grammar)
    all_of_them = definitions(grammar, data).definitions
    for found in all_of_them:
        lines = data[found.start : found.end].count(b"\n")
        assert found.first <= found.line <= found.last
        assert (found.first, found.last) == (data.count(b"\n", 0, found.start) + 1, found.first + lines)
        if found.parent is not None:
            around = all_of_them[found.parent]
            assert around.start <= found.start
            assert found.end <= around.end


def test_bytes_of_a_definition_are_its_text():
    data = b"x = 1\n\n\n# Why.\n@cached\ndef f():\n    return 1\n\n\ny = 2\n"
    found = definitions("python", data).definitions[1]
    assert data[found.start : found.end] == b"# Why.\n@cached\ndef f():\n    return 1"


def test_a_comment_apart_or_behind_code_isnt_the_definitions():
    data = b"# License.\n\ndef f(): pass\nx()  # done\ndef g(): pass\n"
    assert [found.first for found in definitions("python", data).definitions] == [3, 5]


def test_what_can_be_parsed_of_a_faulty_file_is_told():
    data = b"def f(:\n    pass\n\n\ndef g():\n    return 1\n\n\nclass C:\n    def m(self): return (\n"
    found = definitions("python", data)
    assert found.faulty
    assert "g" in names(found)


def test_lines_are_those_that_read_counts():
    assert [d.line for d in definitions("python", b"x = 1\r\ndef f():\r\n    pass\r\n").definitions] == [1, 2]
    assert [d.line for d in definitions("python", b"x = 1\rdef f():\r    pass\r").definitions] == [1, 2]


def test_bytes_that_are_no_text_harm_nobody():
    assert names(definitions("python", b"def caf\xff(): pass\ndef g(): pass\n"))[-1] == "g"
    assert definitions("json", b"\xff\xfe\x00").definitions == ()
    assert definitions("c", b"").definitions == ()


def test_too_many_definitions_are_cut():
    found = definitions("python", b"x = 1\n" * 20_001)
    assert (len(found.definitions), found.cut) == (20_000, True)
    assert definitions("markdown", b"# A\n\n" * 20_001).cut


def test_a_long_signature_is_cut():
    data = f"def f({', '.join(f'argument_{n}' for n in range(99))}): pass\n".encode()
    (found,) = definitions("python", data).definitions
    assert len(found.signature) == 200
    assert found.signature.endswith("…")


def test_comments_before_the_body_arent_the_signatures():
    data = b"def f(a):\n    # Why.\n    # And why not.\n    # At last.\n    return a\n"
    assert [found.signature for found in definitions("python", data).definitions] == ["def f(a)"]


def test_keys_in_lists_and_deep_ones_arent_told():
    data = b'{"a": [{"b": {"c": 1}}], "d": {"e": {"f": {"g": {"h": 1}}}}}'
    assert names(definitions("json", data)) == ["a", "d", "d.e", "d.e.f"]


def test_a_function_without_a_name_keeps_what_is_local():
    assert names(definitions("javascript", b"export default function () { const x = 1; }\n")) == []
    assert [d.kind for d in definitions("go", b"package a\nfunc (T) M() { const x = 1 }\n").definitions] == [
        Kind.METHOD
    ]


def test_a_declaration_of_many_belongs_to_none_of_them():
    many = definitions(
        "javascript", b"/* Some. */\nconst a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9;\n"
    )
    assert [(found.name, found.first) for found in many.definitions] == [(name, 2) for name in "abcdefghi"]


def test_deep_nesting_is_no_harm():
    data = b"[" * 50_000 + b"]" * 50_000
    assert definitions("json", data).definitions == ()
    assert len(definitions("javascript", b"function f() {" * 200 + b"}" * 200).definitions) == 200


def test_long_names_are_cut():
    source = f"class {'A' * 5_000}:\n    def {'b' * 5_000}(self): pass\n".encode()
    outer, inner = definitions("python", source).definitions
    assert (len(outer.name), len(inner.name), len(inner.qualified)) == (200, 200, 400)
    (heading,) = definitions("markdown", b"# " + b"x" * 5_000 + b"\n").definitions
    assert (len(heading.name), len(heading.qualified)) == (200, 400)
