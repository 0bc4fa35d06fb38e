"""What is defined in a file, as the person is told it."""

from __future__ import annotations

import pytest

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.search.syntax.service import LARGEST, Unparsed
from workroom.person.credential import PersonCredential
from workroom.person.symbols import symbols

ANN = PersonCredential.grant("k", "k", 0, 0, name="ann")


def names(parsed):
    return [found.qualified for found in parsed.outline.definitions]


def test_of_a_file_and_of_what_was_typed(house):
    house.write("a.py", "class Room: pass\n")
    assert names(symbols(ANN, house.workspace, "a.py")) == ["Room"]
    assert names(symbols(ANN, house.workspace, "a.py", "x = 1\n")) == ["x"]
    assert names(symbols(ANN, house.workspace, str(house.folder / "a.py"), "")) == []
    assert names(symbols(ANN, house.workspace, "new.py", "y = 1\n")) == ["y"]


def test_what_isnt_parsed(house):
    house.write("a.txt", "x\n")
    assert symbols(ANN, house.workspace, "a.txt").unparsed is Unparsed.NO_GRAMMAR
    assert symbols(ANN, house.workspace, "a.py", "#" * (LARGEST + 1)).unparsed is Unparsed.TOO_LARGE
    with pytest.raises(WorkroomError) as raised:
        symbols(ANN, house.workspace, "../a.py")
    assert raised.value.code is ErrorCode.PATH_OUTSIDE_WORKSPACE
