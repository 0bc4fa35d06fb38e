"""Words and stems."""

from __future__ import annotations

import pytest

from workroom.core.search.semantic.words import stems, words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("parseHTTPHeader_v2", ["parse", "http", "header", "v", "2", "parsehttpheaderv2"]),
        ("snake_case CamelCase", ["snake", "case", "snakecase", "camel", "case", "camelcase"]),
        ("plain words, here.", ["plain", "words", "here"]),
        ("MAX __init__", ["max", "init"]),
        ("Größe naïve", ["größe", "naïve"]),
        ("复制文件 v2", ["复", "制", "文", "件", "v", "2", "v2"]),
        ("x = 12345", ["x", "12345"]),
        ("a" * 41 + " b", ["b"]),
        ("aB" * 30, []),
        ("", []),
    ],
)
def test_words(text, found):
    assert words(text) == found


def test_stems():
    assert stems(["connections", "connecting", "connect", "files"]) == ["connect", "connect", "connect", "file"]
