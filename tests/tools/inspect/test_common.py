"""What the actions share."""

from __future__ import annotations

import os

import pytest

from workroom.base.errors import WorkroomError
from workroom.tools.inspect.common import Paths, as_cursor, fitting, of_cursor, places


def test_places():
    assert places(Paths(path="a")) == ("a",)
    assert places(Paths(paths=("a", "b"))) == ("a", "b")
    for wrong in (Paths(), Paths(path="a", paths=("b",))):
        with pytest.raises(WorkroomError, match="either `path` or `paths`"):
            places(wrong)


def test_cursors_carry_any_bytes():
    for raw in (b"src/a.py", b"a b%/\xff\n:"):
        path = os.fsdecode(raw)
        assert as_cursor(path).isascii()
        assert of_cursor(as_cursor(path)) == path
    assert as_cursor("src/a.py") == "src/a.py"
    with pytest.raises(WorkroomError, match="cursor"):
        of_cursor("é")


def test_fitting():
    assert fitting(["12345678"] * 5, 33) == 3
    assert fitting(["x" * 100], 10) == 1
    assert fitting([], 0) == 0
