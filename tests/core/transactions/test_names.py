"""Names that are one to some file systems: refused where they are one here, warned of elsewhere."""

from __future__ import annotations

import pytest
from tests.folding import folding_disk

from workroom.base.errors import ErrorCode, WorkroomError

E_ACUTE, E_AND_ACUTE = "caf\u00e9", "cafe\u0301"


def create(path):
    return {"type": "create", "path": path, "content": "x"}


def warnings(house, *operations):
    return [text for text in house.plan(*operations).warnings if "differ only" in text]


@pytest.mark.parametrize(
    ("one", "other", "twins"),
    [
        ("a", "A", "A and a"),
        ("d/A", "d/a", "d/A and d/a"),
        (E_ACUTE, E_AND_ACUTE, f"{E_AND_ACUTE} and {E_ACUTE}"),
        ("d/f", "D/f", "D and d"),
    ],
)
def test_two_new_names(house, one, other, twins):
    (warning,) = warnings(house, create(one), create(other))
    assert warning.startswith(f"{twins} differ only in case")
    house.edit(create(one), create(other))
    assert house.read(one) == house.read(other) == b"x"


def test_two_new_names_where_they_are_one(house, tmp_path):
    """It is asked of the folder that they would be in: a disk of another kind may be mounted there."""
    with folding_disk(house.folder / "disk", tmp_path / "image"):
        house.write("disk/here", "x")
        for one, other in (("A", "a"), ("Disk/f", "disk/f")):
            assert len(warnings(house, create(one), create(other))) == 1
        with pytest.raises(WorkroomError) as caught:
            house.plan(create("disk/a"), create("disk/A"))
    assert caught.value.code is ErrorCode.EDIT_CONFLICT
    assert caught.value.message == "disk/A and disk/a are one name on this file system."
    assert caught.value.details == {"paths": ["disk/A", "disk/a"]}


def test_a_new_name_beside_one_that_stands(house):
    house.write("src/Readme", "x")
    assert len(warnings(house, create("src/README"))) == 1
    assert len(warnings(house, {"type": "mkdir", "path": "SRC"})) == 1
    house.write("other", "x")
    assert len(warnings(house, {"type": "copy", "from": "other", "to": "src/readme"})) == 1
    house.write("a/b/c", "x")
    assert [text.split(" differ")[0] for text in warnings(house, create("a/b/C"))] == ["a/b/C and a/b/c"]


def test_a_new_name_beside_one_that_is_changed(house):
    house.write("A", "x")
    assert len(warnings(house, {"type": "rewrite", "path": "A", "content": "y"}, create("a"))) == 1


def test_names_that_do_not_end_together(house):
    house.write("A", "x")
    assert warnings(house, {"type": "move", "from": "A", "to": "a"}) == []
    assert warnings(house, {"type": "delete", "path": "A"}, create("a")) == []
    assert warnings(house, create("b"), {"type": "rewrite", "path": "A", "content": "y"}) == []


def test_what_stands_already_is_no_news(house):
    house.write("A", "x")
    house.write("a", "x")
    assert warnings(house, {"type": "rewrite", "path": "a", "content": "y"}, create("b")) == []
