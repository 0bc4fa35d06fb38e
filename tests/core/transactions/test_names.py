"""Names that are one to some file systems: refused where they are one here, warned of elsewhere."""

from __future__ import annotations

import pytest

E_ACUTE, E_AND_ACUTE = "caf\u00e9", "cafe\u0301"


def create(path):
    return {"type": "create", "path": path, "content": "x"}


def warnings(house, *operations):
    return [text for text in house.plan(*operations).warnings if "differ only" in text]


@pytest.mark.parametrize(("one", "other"), [("A", "a"), ("d/A", "d/a"), (E_ACUTE, E_AND_ACUTE), ("D/f", "d/f")])
def test_two_new_names(house, one, other):
    (warning,) = warnings(house, create(one), create(other))[-1:]
    first, second = sorted((one, other))
    assert warning.startswith(f"{first} and {second} differ only in case") or "/f" in one
    house.edit(create(one), create(other))
    assert house.read(one) == house.read(other) == b"x"


def test_a_new_name_beside_one_that_stands(house):
    house.write("src/Readme", "x")
    assert len(warnings(house, create("src/README"))) == 1
    assert len(warnings(house, {"type": "mkdir", "path": "SRC"})) == 1
    house.write("other", "x")
    assert len(warnings(house, {"type": "copy", "from": "other", "to": "src/readme"})) == 1


def test_names_that_do_not_end_together(house):
    house.write("A", "x")
    assert warnings(house, {"type": "move", "from": "A", "to": "a"}) == []
    assert warnings(house, {"type": "delete", "path": "A"}, create("a")) == []
    assert warnings(house, create("b"), {"type": "rewrite", "path": "A", "content": "y"}) == []


def test_what_stands_already_is_no_news(house):
    house.write("A", "x")
    house.write("a", "x")
    assert warnings(house, {"type": "rewrite", "path": "a", "content": "y"}, create("b")) == []
