"""What a project's files declare."""

from __future__ import annotations

import pytest

from workroom.text.manifest import MANIFESTS, Offer, offers

CASES = {
    "pyproject.toml": (
        '[project.scripts]\ntool = "x.cli:main"\n[tool.pytest.ini_options]\n[tool.poetry.scripts]\nold = "x:old"\n',
        Offer(("script old = x:old, tool = x.cli:main",), ("pytest",)),
    ),
    "package.json": (
        '{"main": "index.js", "bin": {"x": "cli.js"}, "scripts": {"start": "node .", "test": "jest"}}',
        Offer(("script start, test", "bin x = cli.js", "main index.js"), ("npm test",)),
    ),
    "Cargo.toml": (
        '[package]\nname = "x"\n[[bin]]\nname = "tool"\n[workspace]\nmembers = ["a", "b"]\n',
        Offer(("package x", "binary tool", "members a, b"), ("cargo test",)),
    ),
    "go.mod": ("module example.org/x\n\ngo 1.22\n", Offer(("module example.org/x",), ("go test ./...",))),
    "Makefile": (
        "C := gcc\nall: build test\n\tdo it: now\n.PHONY: all\nbuild install: x.c\ntest::\ncheck:\nX ::= 1\n%.o: x\n",
        Offer(("target all, build, test, check",), ("make test", "make check")),
    ),
    "justfile": ("set x := 1\ndefault: test\ntest arg='a':\n  x\n", Offer(("recipe default, test",), ("just test",))),
    "Dockerfile": ('FROM x\nCMD ["a"]\nENTRYPOINT ["/bin/tool", "serve"]\n', Offer(('starts ["/bin/tool", "serve"]',))),
    "tox.ini": ("[tox]", Offer((), ("tox",))),
    "setup.cfg": ("[metadata]", Offer()),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_declared(name):
    text, expected = CASES[name]
    assert offers(name, text) == expected


def test_a_bin_without_a_name_and_long_lists():
    assert offers("package.json", '{"bin": "cli.js"}').ways == ("bin cli.js",)
    many = "".join(f"t{number}:\n" for number in range(20))
    assert offers("Makefile", many).ways[0].endswith("t11 and 8 more")
    assert offers("package.json", "{}") == Offer()


@pytest.mark.parametrize("name", list(MANIFESTS))
@pytest.mark.parametrize(
    "text",
    ["", "\0", "[", "{", "[]", '{"scripts": 1}', '{"bin": 7}', "[" * 60_000, '[project]\nscripts = "x"\n', "bin = 3\n"],
)
def test_what_cant_be_parsed_declares_nothing_that_fails(name, text):
    assert isinstance(offers(name, text), Offer)


def test_a_key_of_very_many_parts_is_not_parsed():
    text = "[project.scripts]\ntool = 'a:b'\n"
    assert offers("pyproject.toml", text).ways == ("script tool = a:b",)
    assert offers("pyproject.toml", text + "a" + ".a" * 30_000 + " = 1\n") == Offer()
