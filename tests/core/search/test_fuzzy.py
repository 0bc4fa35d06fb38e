"""The order in which paths are offered."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workroom.core.search.fuzzy import rank

PATHS = [
    "src/workroom/tools/dispatch.py", "src/workroom/tools/edit.py", "src/workroom/tools/inspect/read.py",
    "tests/tools/test_edit.py", "src/workroom/editor/page.py", "README.md", "docs/reading.md", "src/readModel.ts",
    "src/tools/inspect/__init__.py",
]  # fmt: skip


def best(query, paths=PATHS):
    return [found.path for found in rank(query, paths, 10)]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("edit", "src/workroom/tools/edit.py"),
        ("edit.py", "src/workroom/tools/edit.py"),
        ("tedit", "tests/tools/test_edit.py"),
        ("readme", "README.md"),
        ("read", "src/workroom/tools/inspect/read.py"),
        ("readmodel", "src/readModel.ts"),
        ("dispatch", "src/workroom/tools/dispatch.py"),
        ("inspect read", "src/workroom/tools/inspect/read.py"),
        ("editor page", "src/workroom/editor/page.py"),
    ],
)
def test_the_file_that_is_meant_comes_first(query, first):
    assert best(query)[0] == first


def test_what_doesnt_fit_is_left_out():
    assert best("zzz") == []
    assert len(rank("e", PATHS, 2)) == 2


def test_an_empty_query_answers_the_first_paths():
    assert best(" ") == PATHS
    assert rank("", PATHS, 1)[0].positions == ()


def test_positions_are_byte_offsets():
    found = rank("bc", ["é/abc"], 1)[0]
    assert found.positions == (4, 5)
    assert rank("ac", ["abc"], 1)[0].positions == (0, 2)


def test_a_letter_whose_small_form_is_longer():
    assert rank("x", ["İx"], 1)[0].positions == (2,)


def test_draws_go_to_the_shorter_path():
    assert best("a", ["b/a", "a/a", "c/d/a"]) == ["a/a", "b/a", "c/d/a"]


@given(st.text(alphabet="abAB/_é.", max_size=5), st.lists(st.text(alphabet="abAB/_é.", min_size=1), max_size=10))
def test_positions_spell_the_query(query, paths):
    for found in rank(query, paths, 100):
        raw = found.path.encode()
        letters = [raw[at:].decode()[0].lower() for at in found.positions]
        assert "".join(letters) == query.lower()
        assert list(found.positions) == sorted(set(found.positions))


@pytest.mark.parametrize("seed", range(20))
def test_the_best_are_the_same_as_when_all_are_looked_at(seed):
    """For a short query those that start with it are looked at alone, where they are enough."""
    chance = random.Random(seed)
    letters = "aAbB_./-ßİé"
    paths = sorted({"".join(chance.choice(letters) for _ in range(chance.randrange(1, 9))) for _ in range(3_000)})
    for query in ("a", "ab", "aab", "b_a", "abab", "baabb", "aaaaaa", "é"):
        everything = rank(query, paths, len(paths))
        for limit in (1, 3, 20, 200):
            assert rank(query, paths, limit) == everything[:limit]
