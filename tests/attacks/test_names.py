"""Two names that are one to some file systems: refused on one that folds them, two files with a warning elsewhere."""

from __future__ import annotations

import pytest
from tests.conftest import House
from tests.folding import folding_disk

from workroom.base.actor import Actor
from workroom.tools.dispatch import call
from workroom.tools.tool import Call

AGENT = Actor("agent", "tester", "session_1")
TWINS = [("A", "a"), ("d/A", "d/a"), ("D/f", "d/f"), ("caf\u00e9", "cafe\u0301"), ("stra\u00dfe", "STRASSE")]


def create(path, content="new\n"):
    return {"type": "create", "path": path, "content": content}


def apply(house, *operations):
    fields = {"action": "apply", "operations": list(operations)}
    return call(Call(house.workspace, AGENT), "workspace_edit", fields).to_json()


@pytest.mark.parametrize(("one", "other"), TWINS)
def test_p15_two_names_that_some_file_systems_take_for_one(house, one, other):
    answer = apply(house, create(one, "1"), create(other, "2"))
    assert answer["ok"]
    assert (house.read(one), house.read(other)) == (b"1", b"2")
    assert any("differ only in case or in how a letter is written" in warning for warning in answer["data"]["warnings"])


@pytest.fixture
def folding(tmp_path):
    """A folder on a file system that takes `A` and `a` for one name."""
    with folding_disk(tmp_path / "ntfs", tmp_path / "disk") as target:
        (target / "ws").mkdir()
        house = House(target / "ws", tmp_path / "state")
        house.open()
        try:
            yield house
        finally:
            house.close()


@pytest.mark.parametrize(("one", "other"), TWINS[:-1])
def test_p15_a_file_system_that_folds_names(folding, one, other):
    answer = apply(folding, create(one, "1"), create(other, "2"))
    assert answer["error"]["code"] == "EDIT_CONFLICT"
    assert "are one name on this file system" in answer["error"]["message"]
    assert folding.tree() == {}


@pytest.mark.parametrize(
    "operations",
    [
        [{"type": "move", "from": "a", "to": "A", "overwrite": True}],
        [{"type": "move", "from": "a", "to": "t"}, {"type": "move", "from": "t", "to": "A"}],
        [{"type": "delete", "path": "a"}, create("A")],
        [{"type": "copy", "from": "a", "to": "A", "overwrite": True}, {"type": "delete", "path": "a"}],
        [create("A")],
    ],
)
def test_p15_a_file_that_is_there_under_its_other_name_stays(folding, operations):
    folding.write("a", "mine\n")
    assert apply(folding, *operations)["error"]["code"] == "EDIT_CONFLICT"
    assert {path: node[0] for path, node in folding.tree().items()} == {"a": b"mine\n"}


def test_p15_the_rest_goes_on_there(folding):
    """Two edits change a name's case, by way of a third; a file is edited by its other name."""
    folding.write("a", "mine\n")
    assert apply(folding, {"type": "move", "from": "a", "to": "t"})["ok"]
    assert apply(folding, {"type": "move", "from": "t", "to": "A"})["ok"]
    assert apply(folding, {"type": "replace", "path": "a", "search": "mine", "replacement": "ours"})["ok"]
    assert folding.read("A") == b"ours\n"
    for entry in folding.tx.history():
        folding.undo(entry.transaction_id)
    assert folding.read("a") == b"mine\n"
