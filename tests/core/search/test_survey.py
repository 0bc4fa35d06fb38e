"""What a tree is made of, by its names."""

from __future__ import annotations

from workroom.core.search.survey import Language, Part, survey

PARTS = [
    Part(".", ("Makefile", "a.py"), ("src", "tests")),
    Part("src", ("src/b.py", "src/c.c", "src/x.unheard"), ("src/deep", "src/test")),
    Part("src/deep", ("src/deep/d_test.go",), ("src/deep/er",)),
    Part("src/deep/er", ("src/deep/er/Foo.spec.ts", "src/deep/er/e.s"), ()),
    Part("src/test", ("src/test/f.py",), ()),
    Part("tests", ("tests/latest.py", "tests/fastest"), ("tests/test",)),
    Part("tests/test", ("tests/test/g.py",), ()),
]


def plain(_path):
    return ""


def test_counts():
    found = survey(PARTS, ".", 2)
    assert (found.files, found.directories, found.sampled) == (12, 6, False)
    assert found.test_folders == (("tests", 3), ("src/test", 1))
    assert found.test_files == 6
    assert found.below == {"src": 7, "src/deep": 3, "src/test": 1, "tests": 3, "tests/test": 1}


def test_languages_by_size():
    sizes = {"src/c.c": 1000, "a.py": 10, "src/b.py": 20}
    found = survey(PARTS, ".", 2).languages(lambda path: sizes.get(path, 1))
    assert found[:2] == (Language("c", 1, 1000), Language("python", 5, 33))
    assert "assembly" in [each.name for each in found]
    assert sum(each.files for each in found) == 10, "two are of no language that is known"


def test_the_tree():
    tree, cut = survey(PARTS, ".", 3).tree(2, 1_000, plain)
    assert tree.splitlines() == [
        "Makefile", "a.py", "src/  (7 files)", "  b.py", "  c.c", "  deep/  (3 files)", "  test/  (1 files)",
        "  x.unheard", "tests/  (3 files)", "  fastest", "  latest.py", "  test/  (1 files)",
    ]  # fmt: skip
    assert not cut
    tree, cut = survey(PARTS, ".", 3).tree(3, 1_000, lambda path: "@" if path == "a.py" else "")
    assert "    d_test.go" in tree.splitlines()
    assert "a.py@" in tree.splitlines()


def test_below_a_folder():
    found = survey(PARTS[1:5], "src", 2)
    assert (found.files, found.directories, found.below) == (7, 3, {"src/deep": 3, "src/deep/er": 2, "src/test": 1})
    assert found.tree(1, 1_000, plain)[0].splitlines() == [
        "b.py", "c.c", "deep/  (3 files)", "test/  (1 files)", "x.unheard",
    ]  # fmt: skip


def test_the_upper_level_comes_first_where_there_is_little_room():
    many = [f"d{number:02}" for number in range(50)]
    parts = [Part(".", ("z",), many), *(Part(path, (f"{path}/x", f"{path}/y"), ()) for path in many)]
    tree, cut = survey(parts, ".", 2).tree(2, 900, plain)
    assert tree.splitlines()[0] == "d00/  (2 files)"
    assert tree.splitlines()[-1] == "… 11 more"
    assert cut
    tree, cut = survey(parts, ".", 2).tree(2, 10, plain)
    assert (len(tree.splitlines()), cut) == (7, True)
    tree, cut = survey(parts, ".", 2).tree(2, 9_000, plain)
    assert tree.splitlines()[:3] == ["d00/  (2 files)", "  x", "  y"]


def test_of_many_files_some_are_looked_at():
    parts = [Part(".", (), [f"d{n}" for n in range(30)])]
    parts += [Part(f"d{n}", tuple(f"d{n}/{m}.{'py' if m % 4 else 'c'}" for m in range(10_001)), ()) for n in range(30)]
    found = survey(parts, ".", 1)
    assert (found.files, found.sampled) == (300_030, True)
    languages = found.languages(lambda _path: 100)
    assert [each.name for each in languages] == ["python", "c"]
    assert abs(languages[0].files - 225_000) < 5_000
    assert abs(languages[0].size - 22_500_000) < 500_000
