"""The order in which paths are offered, and that nothing but it depends on what was asked before."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workroom.core.search.fuzzy import Pool, rank

TREE = (Path(__file__).parent / "tree.txt").read_text().splitlines()
"""This project's own files, as they once were."""
PATHS = [
    "src/workroom/tools/dispatch.py", "src/workroom/tools/edit.py", "src/workroom/tools/inspect/read.py",
    "tests/tools/test_edit.py", "src/workroom/editor/page.py", "README.md", "docs/reading.md", "src/readModel.ts",
    "src/tools/inspect/__init__.py",
]  # fmt: skip

LETTERS = "abAB/_é.ßİſKΣ日\udce9"  # noqa: RUF001 - letters that look alike, and fold alike
WORDS = st.text(alphabet=LETTERS, max_size=6)
TREES = st.lists(st.text(alphabet=LETTERS, min_size=1, max_size=20), max_size=12)


def best(query, paths=PATHS):
    return [found.path for found in rank(query, paths, 10)]


def small(text):
    """Each letter's small form, where that is one letter."""
    folded = (letter.lower() if len(letter.lower()) == 1 else letter for letter in text)
    return re.sub("[\ud800-\udfff]", "\ufffd", "".join(folded))


def fits(query, path):
    letters = iter(small(path))
    return all(letter in letters for letter in small(query))


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


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("dispatch", "src/workroom/tools/dispatch.py"),
        ("build.py", "src/workroom/server/build.py"),
        ("search/names", "src/workroom/core/search/names.py"),
        ("quickopen", "web/src/quick/QuickOpen.tsx"),
        ("QO", "web/src/quick/QuickOpen.tsx"),
        ("readme", "README.md"),
        ("test_fuzzy", "tests/core/search/test_fuzzy.py"),
        ("fuzzy", "src/workroom/core/search/fuzzy.py"),
        ("edit find", "src/workroom/tools/editor/find.py"),
        ("inspect find", "src/workroom/tools/inspect/find.py"),
        ("arch", "ARCHITECTURE.md"),
        ("mkf", "Makefile"),
        ("pyproj", "pyproject.toml"),
        ("watch service", "src/workroom/core/watch/service.py"),
        ("0059", "docs/decisions/0059-names-are-kept-and-each-folder-is-looked-at.md"),
        ("gitread", "src/workroom/tools/editor/git_read.py"),
        ("conftest", "tests/conftest.py"),
        ("syscalls", "src/workroom/system/syscalls.py"),
        ("base/errors", "src/workroom/base/errors.py"),
        ("chlog", "CHANGELOG.md"),
        ("places.ts", "web/src/quick/places.ts"),
        ("ignore.py", "src/workroom/core/search/ignore.py"),
        ("bench edit", "benchmarks/editor.py"),
        ("landl", "src/workroom/system/landlock.py"),
        ("search tnames", "tests/core/search/test_names.py"),
        ("SearchView", "web/src/search/SearchView.tsx"),
        ("usett", "web/src/parts/useSettled.ts"),
        ("tpal", "tests/page/test_palette.py"),
    ],
)
def test_in_a_tree_the_file_that_is_meant_comes_first(query, first):
    assert first in TREE
    assert rank(query, TREE, 50)[0].path == first


def test_a_letter_as_it_was_typed_decides_among_what_fits_alike():
    assert best("Read", ["src/read.c", "src/Read.c"]) == ["src/Read.c", "src/read.c"]
    assert best("read", ["src/Read.c", "src/read.c"]) == ["src/read.c", "src/Read.c"]


def test_what_was_worked_at_lately_comes_first_where_others_fit_as_well():
    pool = Pool(TREE)
    usual = [found.path for found in pool.best("test_", 60)]
    lately = [usual[40], usual[20], "gone/git.py"]
    assert [found.path for found in pool.best("test_", 60, lately)][:2] == lately[:2]
    far = "src/workroom/tools/editor/git_write.py"
    assert pool.best("fuzzy.py", 5, [far, "tests/core/search/test_fuzzy.py"])[0].path.endswith("search/fuzzy.py")
    assert far not in [found.path for found in pool.best("zzz", 5, [far])]


def test_what_was_worked_at_lately_is_found_however_many_fit_better():
    pool = Pool([f"a{number:04}" for number in range(1_000)] + ["long/name/z_a_.txt"])
    assert pool.best("a", 3, ["long/name/z_a_.txt"])[0].path == "long/name/z_a_.txt"


def test_what_doesnt_fit_is_left_out():
    assert best("zzz") == []
    assert len(rank("e", PATHS, 2)) == 2
    assert best("a", []) == []


def test_an_empty_query_answers_the_first_paths():
    assert best(" ") == PATHS
    assert rank("", PATHS, 1)[0].positions == ()


def test_positions_are_byte_offsets():
    found = rank("bc", ["é/abc"], 1)[0]
    assert found.positions == (4, 5)
    assert rank("ac", ["abc"], 1)[0].positions == (0, 2)
    assert rank("éc", ["é/Éabc"], 1)[0].positions == (3, 7)


def test_a_letter_whose_small_form_is_longer():
    assert rank("x", ["İx"], 1)[0].positions == (2,)
    assert rank("İx", ["İx"], 1)[0].positions == (0, 2)
    assert best("σ", ["ΑΣ", "ας"]) == ["ΑΣ"]  # noqa: RUF001


def test_a_name_that_is_no_text():
    """A byte that isn't UTF-8 is shown as one letter."""
    assert rank("x", ["a\udce9x"], 1)[0].positions == (4,)
    assert rank("\ufffdx", ["a\udce9x"], 1)[0].positions == (1, 4)
    assert rank("\ud800x", ["a\udce9x"], 1)[0].positions == (1, 4)


def test_draws_go_to_the_shorter_path():
    assert best("a", ["b/a", "a/a", "c/d/a"]) == ["a/a", "b/a", "c/d/a"]


@given(WORDS, TREES)
def test_what_fits_is_found_and_nothing_else(query, paths):
    wanted = "".join(query.split())
    found = rank(query, paths, 100)
    assert {each.path for each in found} == {path for path in paths if fits(wanted, path)}


@given(WORDS, TREES)
def test_positions_spell_the_query(query, paths):
    for found in rank(query, paths, 100):
        raw = found.path.encode("utf-8", "surrogateescape").decode("utf-8", "replace").encode()
        letters = [small(raw[at:].decode()[0]) for at in found.positions]
        if "\udce9\udce9" not in found.path:
            assert "".join(letters) == small("".join(query.split())) or found.positions == ()
        assert list(found.positions) == sorted(set(found.positions))


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_a_query_that_goes_on_answers_what_it_answers_alone(data):
    chance = random.Random(data.draw(st.integers(0, 1_000)))
    paths = sorted({"".join(chance.choice("abcAB_./é") for _ in range(chance.randrange(1, 15))) for _ in range(400)})
    word = data.draw(st.text(alphabet="abcAB_./é", min_size=1, max_size=8))
    limit = data.draw(st.integers(1, 200))
    pool = Pool(paths)
    for end in [*range(1, len(word) + 1), *range(len(word), 0, -2)]:
        assert pool.best(word[:end], limit) == Pool(paths).best(word[:end], limit)


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_paths_that_came_and_went_are_ranked_as_if_they_had_always(data):
    chance = random.Random(data.draw(st.integers(0, 1_000)))
    made = sorted({"".join(chance.choice("abAB_./") for _ in range(chance.randrange(1, 12))) for _ in range(400)})
    paths = [path for path in made if chance.random() < 0.8]
    pool = Pool(paths)
    for _ in range(3):
        paths = [path for path in made if (path in paths) == (chance.random() < 0.9)]
        pool = pool.of(paths)
        for query in ("", "a", "ab", "b/a", "aab"):
            lately = chance.sample(made, 3)
            assert pool.best(query, 40, lately) == Pool(paths).best(query, 40, lately)
        assert len(pool) == len(paths)


def test_only_all_that_fit_are_gone_on_from():
    pool = Pool([f"fa{number}b" for number in range(5_000)] + ["fab_with_a_long_name"])
    pool.best("f", 1)
    assert pool.best("fab", 1)[0].path == "fab_with_a_long_name"


def test_the_best_that_came_and_went_are_ranked_as_if_they_had_always():
    """More than are weighed."""
    long, short = ([f"{'x' * length}a{number:03}" for number in range(300)] for length in (5, 1))
    for before, now in ((long, short + long), (short + long, long)):
        assert Pool(before).of(now).best("a", 40) == Pool(now).best("a", 40)


def test_where_all_are_other_ones_nothing_is_kept_of_those_before():
    pool = Pool([f"a{number}" for number in range(3_000)]).of([f"b{number}" for number in range(3_000)])
    assert pool.best("a", 5) == ()
    assert len(pool.best("b", 5)) == 5


def test_a_long_list_is_compared_on_several_cores_and_short_ones_are_kept():
    paths = [f"d{number % 97}/file_{number}.txt" for number in range(30_000)]
    pool = Pool(paths)
    for query in ("f", "file_29999", "fi29", "fi299", "fi2999", *(f"{number}" for number in range(100, 120))):
        assert pool.best(query, 20) == Pool(paths).best(query, 20)


@pytest.mark.parametrize("seed", range(5))
def test_a_smaller_limit_answers_the_first_of_a_larger(seed):
    chance = random.Random(seed)
    letters = "aAbB_./-ßİé"
    paths = sorted({"".join(chance.choice(letters) for _ in range(chance.randrange(1, 9))) for _ in range(3_000)})
    pool = Pool(paths)
    for query in ("a", "ab", "aab", "b_a", "abab", "baabb", "aaaaaa", "é"):
        whole = pool.best(query, 200)
        for limit in (1, 3, 20, 100):
            assert pool.best(query, limit) == whole[:limit]
