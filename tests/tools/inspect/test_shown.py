"""What is said of a file that the caller knows already."""

from __future__ import annotations

from workroom.tools.inspect.shown import Shown, unchanged


def test_of_an_unchanged_file_nothing_else_is_said():
    assert unchanged({"path": "f"}, {"sha256": "abc"}, 1_234) == Shown(
        {"path": "f", "sha256": "abc", "bytes": 1_234, "unchanged": True, "truncated": False},
        "is unchanged (1,234 bytes).",
    )
