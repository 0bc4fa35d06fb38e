"""workspace_inspect semantic_search, as a client calls it."""

from __future__ import annotations

import json

import pytest
from tests.core.search.semantic.test_service import COPY, MUSIC

from workroom.base.actor import Actor
from workroom.base.settings import Settings
from workroom.core.search.semantic.service import Answer, Result
from workroom.tools.dispatch import call
from workroom.tools.inspect.meaning import told
from workroom.tools.tool import Call


@pytest.fixture
def inspect(house):
    house.write("src/copying.py", COPY)
    house.write("src/music.py", MUSIC)
    caller = Call(house.workspace, Actor("agent", "tester", "s"))

    def ask(query, **arguments):
        return call(caller, "workspace_inspect", {"action": "semantic_search", "query": query, **arguments})

    return ask


def test_places_with_symbol_and_why(inspect):
    answer = inspect("clone directories")
    assert answer.ok
    first = answer.data["results"][0]
    assert {**first, "score": 0} == {
        "path": "src/copying.py",
        "startLine": 1,
        "endLine": 3,
        "symbol": "duplicate",
        "score": 0,
        "text": COPY.rstrip("\n"),
        "why": {"by": "meaning", "words": []},
    }
    assert (answer.data["total"], answer.data["truncated"]) == (2, False)
    assert answer.data["indexed"] == {"files": 2, "pending": 0}
    assert answer.summary == "2 places below .; 2 files are indexed."
    assert answer.text.startswith(f"src/copying.py:1-3 duplicate (by meaning)\n{COPY.rstrip()}")


def test_words_are_named(inspect):
    answer = inspect("play a song", limit=1)
    assert answer.data["results"][0]["why"] == {"by": "both", "words": ["play", "song"]}
    assert (answer.data["total"], answer.data["truncated"]) == (None, True)
    assert answer.summary == "1 places below . (the best; there are more); 2 files are indexed."
    assert "(by words and meaning: play, song)" in answer.text


def test_a_path_that_is_not_there(inspect):
    assert inspect("anything", path="nowhere").error["code"] == "NOT_FOUND"


def test_it_stays_within_its_budget(inspect, house):
    house.settings = Settings(max_tool_result_chars=4_000)
    for number in range(30):
        house.write(f"long/{number}.py", f"def copy_{number}(folder):\n" + "    folder.copy('folder')\n" * 80)
    answer = inspect("copy a folder", limit=20)
    assert len(json.dumps(answer.data)) < 4_000
    assert len(answer.data["results"]) > 3
    assert all(row["cut"] for row in answer.data["results"] if row["path"].startswith("long/"))
    assert answer.data["truncated"]


def test_what_was_not_looked_at_is_said():
    rest = {"results": (), "more": False, "indexed": 0, "pending": 0, "left": 0, "large": 0, "stale": 0}
    answer = told(Answer(**rest | {"indexed": 5, "pending": 7}, unknown=False, notes=("So.",)), "src", 1_000)
    assert answer.summary == (
        "0 places below src; 5 files are indexed. 7 are still to be read, and were not looked at: ask again in a "
        "moment. So."
    )
    assert answer.data["notes"] == ["So."]
    answer = told(Answer(**rest, unknown=True, notes=()), ".", 1_000)
    assert "still being looked through" in answer.summary
    assert answer.data["indexed"] == {"files": 0, "pending": None}
    answer = told(Answer(**rest | {"left": 3, "large": 2, "stale": 1}, unknown=False, notes=()), ".", 1_000)
    assert "3 don't fit into the index (setting semantic_max_bytes): name their folder as path." in answer.summary
    assert "2 are too large. 1 places that were changed this moment are left out." in answer.summary
    assert answer.data["indexed"] == {"files": 0, "pending": 0, "left": 3, "tooLarge": 2}
    assert answer.data["stale"] == 1


def test_names_that_are_no_text_are_shown():
    result = Result("a\udcff.py", 1, 1, "", 1.0, ("x\udcff",), "words", ("x",))
    answer = told(Answer((result,), False, 1, 0, 0, 0, 0, False, ()), ".", 1_000)
    json.dumps(answer.data).encode()
    assert answer.data["results"][0]["path"] == "a\ufffd.py"
    assert answer.text.startswith("a\ufffd.py:1-1 (by words: x)\n")
