"""What a newcomer looks for, found by name and read as data."""

from __future__ import annotations

import os

import pytest

from workroom.core.search.landmarks import Entry, Instruction, landmarks
from workroom.system.root import Root


@pytest.fixture
def root(tmp_path):
    with Root.open(tmp_path) as opened:
        yield opened


@pytest.fixture
def write(tmp_path):
    def put(path, text=""):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)

    return put


def test_the_uppermost_first_and_agents_before_people(root, write):
    files = ("docs/README.rst", "README", "CONTRIBUTING.md", "src/AGENTS.md", ".cursorrules", "CLAUDE.md", "x.md")
    for path in files:
        write(path, f"\n {path} says\nmore")
    found = landmarks(root, ".", files)
    assert [each.path for each in found.instructions] == [
        "CLAUDE.md", ".cursorrules", "README", "CONTRIBUTING.md", "src/AGENTS.md", "docs/README.rst",
    ]  # fmt: skip
    assert found.instructions[2] == Instruction("README", 18, "README says")
    assert not found.more


def test_what_lies_deep_is_left_out_unless_it_is_for_agents(root, write):
    files = ("a/b/README.md", "a/b/AGENTS.md", "a/b/Makefile", "a/main.py", "src/b/main.py", "src/b/Makefile")
    for path in files:
        write(path, "x:\n")
    found = landmarks(root, ".", files)
    assert [each.path for each in found.instructions] == ["a/b/AGENTS.md"]
    assert found.entries == (Entry("src/b/Makefile", "target x"), Entry("src/b/main.py", "main file"))
    below = landmarks(root, "a", ("a/main.py", "a/b/README.md"))
    assert (below.entries, len(below.instructions)) == ((Entry("a/main.py", "main file"),), 1)


def test_what_cant_be_read_says_nothing(root, write, tmp_path):
    (tmp_path / "README").mkdir()
    (tmp_path / "AGENTS.md").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "Makefile")
    found = landmarks(root, ".", ("README", "AGENTS.md", "Makefile", "gone/README", "pyproject.toml"))
    assert [(each.size, each.first) for each in found.instructions] == [(0, "")] * 3
    assert (found.entries, found.tests) == ((), ())


def test_only_the_beginning_of_some_is_read(root, write):
    write("Makefile", "a:\n" + "#" * 100_000 + "\nbeyond:\n")
    for number in range(20):
        write(f"p{number}/tox.ini")
        write(f"p{number}/package.json", '{"main": "' + "x" * 500 + '"}')
    found = landmarks(root, ".", ["Makefile", *(f"p{n}/{f}" for n in range(20) for f in ("tox.ini", "package.json"))])
    assert found.entries[0] == Entry("Makefile", "target a")
    assert len(found.entries) == 12
    assert len(found.entries[1].what) == 161
    assert found.more
