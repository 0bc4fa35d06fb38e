"""Ignore rules, compared with git itself."""

from __future__ import annotations

import itertools
import random
import re
import subprocess

import pytest

from workroom.core.search.ignore import Ignore, parse_rules
from workroom.system.root import Root

RULES = {
    ".gitignore": (
        "# comment\n\n*.log\n!keep.log\n/build/\nout\\ put\ntrailing  \n\\#hash\n\\!bang\ndocs/*.txt\n**/deep/x\n"
        "a/**/z\nlib/**\n[ab]c.q\n[!ab]d.q\n?.one\n*.[oa]\nfolder/\n/\n[z-a].bad\nx[]]y\nq\\*r\nfo**o\n"
    ),
    "sub/.gitignore": "!*.log\n/anchored\nnested/only\n*\r\n!*.md\n!*/\n",
    "plain/.gitignore": "\n# nothing\n",
    ".git/info/exclude": "excluded\n",
}

FILES = [
    "a.log", "keep.log", "build/x", "src/build", "src/build/y", "out put", "trailing", "#hash", "!bang", "docs/a.txt",
    "docs/sub/a.txt", "deep/x", "p/q/deep/x", "a/z", "a/b/c/z", "lib/x/y", "ac.q", "cc.q", "cd.q", "ad.q", "1.one",
    "12.one", "x.o", "x.a", "x.c", "folder/in", "p/folder/in", "p/folder2", "sub/b.log", "sub/anchored", "sub/x.md",
    "sub/d/anchored", "sub/nested/only", "plain/f", "excluded", "p/excluded", "x]y", "q*r", "qqr", "foo", "fo1o",
]  # fmt: skip


@pytest.fixture
def root(tmp_path):
    (tmp_path / "ws").mkdir()
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path / "ws", check=True)
    for path, text in RULES.items():
        (tmp_path / "ws" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "ws" / path).write_text(text, newline="")
    with Root.open(tmp_path / "ws") as opened:
        yield opened


def test_it_agrees_with_git(root, tmp_path):
    asked = subprocess.run(
        ["git", "-c", "core.excludesFile=/dev/null", "check-ignore", "--no-index", "--stdin", "-z"],
        cwd=tmp_path / "ws", input="\0".join(FILES).encode(), capture_output=True, check=True,
    )  # fmt: skip
    git = {name for name in asked.stdout.decode().split("\0") if name}
    ignore = Ignore(root)
    assert {path for path in FILES if ignore.hides(path, ".")} == git
    assert len(git) > 15


def test_it_agrees_with_git_on_any_glob(tmp_path):
    """A thousand rules, each the only one of its folder, against paths made of the same few letters."""
    chance, ws = random.Random(7), tmp_path / "ws"
    subprocess.run(["git", "init", "-q", str(ws)], check=True)
    pieces = ["a", "b", "ab", "*", "*", "?", "**", "/", "/", "/**/", "[ab]", "[!a]", "\\*", "[b-a]", "[]a]"]
    paths = []
    for number in range(1_000):
        rule = "".join(chance.choices(pieces, k=chance.randint(1, 7)))
        (ws / f"{number}").mkdir()
        (ws / f"{number}/.gitignore").write_text(f"{rule}\n")
        paths += [f"{number}/{path}" for path in _any_paths(chance)]
    asked = subprocess.run(
        ["git", "-c", "core.excludesFile=/dev/null", "check-ignore", "--no-index", "--stdin", "-z"],
        cwd=ws, input="\0".join(paths).encode(), capture_output=True, check=True,
    )  # fmt: skip
    git = {name for name in asked.stdout.decode().split("\0") if name}
    with Root.open(ws) as root:
        ignore = Ignore(root)
        ours = {path for path in paths if ignore.hides(path, ".")}
    wrong = [(path, (ws / path.partition("/")[0] / ".gitignore").read_text()) for path in sorted(ours ^ git)]
    # Git cuts a rule's plain beginning off before it looks whether `**` stands for a whole name, and errs in `a**/b`.
    assert [pair for pair in wrong if not re.match(r"/?[ab]+\*\*+/", pair[1])] == []
    assert len(git) > 1_000


def _any_paths(chance):
    for _ in range(8):
        names = ("".join(chance.choices("ab*]", (5, 5, 1, 1), k=chance.randint(1, 3))) for _ in range(3))
        yield "/".join(itertools.islice(names, chance.randint(1, 3)))


def test_what_is_named_is_not_hidden_by_its_own_folder(root):
    ignore = Ignore(root)
    assert ignore.hides("build/x", ".")
    assert not ignore.hides("build/x", "build")
    assert ignore.hides("build/x.log", "build")
    assert ignore.ignored("build", True)
    assert not ignore.ignored("build", False)


def test_an_ignore_file_that_cant_be_read_is_none(root, tmp_path):
    (tmp_path / "ws/odd/.gitignore").mkdir(parents=True)
    (tmp_path / "ws/big").mkdir()
    (tmp_path / "ws/big/.gitignore").write_text("*\n" + "#" * 100_001)
    (tmp_path / "outside").write_text("*\n")
    (tmp_path / "ws/linked").mkdir()
    (tmp_path / "ws/linked/.gitignore").symlink_to(tmp_path / "outside")
    ignore = Ignore(root)
    assert not any(ignore.ignored(f"{folder}/f", False) for folder in ("odd", "big", "linked"))


def test_no_rules():
    assert parse_rules("# only a comment\n\n") is None
    assert parse_rules("a//b\n" + "x" * 8_193) is None


def test_what_is_remembered_of_folders_is_bounded(tmp_path):
    for number in range(9):
        (tmp_path / f"d{number}/in").mkdir(parents=True)
        (tmp_path / f"d{number}/.gitignore").write_text("x\n")
    with Root.open(tmp_path) as root:
        few, many = Ignore(root, kept=3), Ignore(root)
        for turn in (1, 2):
            for number in range(9):
                for path in (f"d{number}/in/x", f"d{number}/x", f"d{number}/y", f"d{number}"):
                    assert few.ignored(path, False) is many.ignored(path, False) is path.endswith("x"), turn
        assert (few.speaks_in("d1"), few.speaks_in("d1/in"), few.speaks_in(".")) == (True, True, False)
