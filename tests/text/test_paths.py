"""Path rules: canonical form, protection through disguises, names refused when new, globs."""

from __future__ import annotations

import posixpath
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.text.paths import (
    check_new_name,
    check_protected,
    fold_name,
    literal_folder,
    matches,
    name_pattern,
    parse_path,
    parse_write_path,
    protected_by,
)

ROOT = "/home/me/ws"


def code_of(call, *arguments, **named) -> ErrorCode:
    with pytest.raises(WorkroomError) as caught:
        call(*arguments, **named)
    return caught.value.code


@pytest.mark.parametrize(
    ("given_path", "canonical"),
    [
        ("a", "a"),
        (".", "."),
        ("./a//b/.", "a/b"),
        ("a/", "a"),
        ("a/../b", "b"),
        ("a/b/../..", "."),
        ("/home/me/ws", "."),
        ("//home/./me/ws/a/", "a"),
        ("...", "..."),
        ("..a/b..", "..a/b.."),
        ("a\\b", "a\\b"),
        ("näme 文", "näme 文"),
        ("a" * 255, "a" * 255),
    ],
)
def test_parse_makes_a_path_canonical(given_path, canonical):
    assert parse_path(given_path, ROOT) == canonical


def test_parse_below_the_file_systems_own_root():
    assert parse_path("/etc/hosts", "/") == "etc/hosts"


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "../ws/a",
        "a/../../ws",
        "/etc",
        "/home/me/ws-evil/x",
        "/home/me",
        "/home/me/x/../ws/a",
        "/home/me/ws/../ws/a",
    ],
)
def test_parse_refuses_what_leaves(path):
    assert code_of(parse_path, path, ROOT) is ErrorCode.PATH_OUTSIDE_WORKSPACE


@pytest.mark.parametrize(
    ("path", "word"),
    [
        ("", "empty"),
        ("a\0b", "NUL"),
        ("a\nb", "control"),
        ("a\x85b", "control"),
        ("a/" * 2048 + "b", "4,097"),
        ("é" * 2049, "4,098"),
        ("é" * 128, "255"),
        ("a\ud800", "surrogate"),
    ],
)
def test_parse_refuses_what_no_path_can_be(path, word):
    with pytest.raises(WorkroomError, match=word) as caught:
        parse_path(path, ROOT)
    assert caught.value.code is ErrorCode.INVALID_INPUT
    assert len(str(caught.value)) < 200


def test_a_path_of_the_greatest_length_is_taken_whole():
    path = "a/" * 2047 + "bb"
    assert len(path) == 4096
    assert parse_path(path, ROOT) == path


@given(st.text(alphabet="a./é", min_size=1, max_size=30))
def test_parse_agrees_with_the_textbook_and_is_stable(path):
    depth = 0
    for part in path.split("/"):
        depth += {"": 0, ".": 0, "..": -1}.get(part, 1)
        if depth < 0 or path.startswith("/"):
            assert code_of(parse_path, path, ROOT) is ErrorCode.PATH_OUTSIDE_WORKSPACE
            return
    parsed = parse_path(path, ROOT)
    assert parsed == posixpath.normpath(path)
    assert parse_path(parsed, ROOT) == parsed
    assert parse_path(f"{ROOT}/{path}", ROOT) == parsed


@pytest.mark.parametrize("path", ["f/", "f/.", "a/f//", "a/..", ".", "./", "b/a/..", "/home/me/ws", "/home/me/ws/"])
def test_a_path_to_write_is_no_folders(path):
    assert code_of(parse_write_path, path, ROOT) is ErrorCode.INVALID_INPUT


def test_a_path_to_write():
    assert parse_write_path("./a/../b/c", ROOT) == "b/c"
    assert code_of(parse_write_path, ".git/", ROOT) is ErrorCode.PROTECTED_PATH


@pytest.mark.parametrize(
    "name",
    [
        ".git", ".GIT", ".Git", ".g\u200cit", ".gi\ufe0ft", ".g\U000e0041it", "\ufeff.git", ".git.", ".git. .", ".git ",
        "git~1", "GIT~2", ".git::$INDEX_ALLOCATION", ".git:x", "\uff0egit", ".\uff47\uff49\uff54", ".git\u200b.",
        ".git\\config",
    ],
)  # fmt: skip
def test_git_is_protected_in_every_disguise_at_any_depth(name):
    for path in (name, f"{name}/x", f"a/b/{name}", f"a/{name}/hooks/pre-commit"):
        assert protected_by(path) == ".git"


@pytest.mark.parametrize(
    "name", [".agentic", ".Agentic", "AGENTI~1", ".agentic ", ".a\u200dgentic", ".agenti\u212a"[:-1] + "c"]
)
def test_agentic_is_protected_too(name):
    assert protected_by(f"sub/{name}/notes/x.md") == ".agentic"


@pytest.mark.parametrize(
    "path", ["git", ".gitignore", ".gitmodules", ".github/x", "a.git", "git~x", "agentic/x", "..", "x:.git"]
)
def test_what_only_looks_alike_is_not_protected(path):
    assert protected_by(path) is None


@given(st.sampled_from([".git", ".agentic"]), st.data())
def test_no_mix_of_disguises_gets_through(name, data):
    letters = []
    for letter in name:
        letters.append(data.draw(st.sampled_from([letter, letter.upper(), chr(ord(letter) + 0xFEE0)])))
        letters.append(data.draw(st.sampled_from(["", "\u200c", "\u2060", "\ufe0f", "\u034f"])))
    tail = data.draw(st.sampled_from(["", ".", " ", " . ", "::$DATA", ":stream"]))
    assert protected_by("x/" + "".join(letters) + tail) == name


def test_patterns_protect_through_case_and_what_is_below():
    patterns = ("secrets/**", "*.pem", "vault", "Straße.txt")
    assert protected_by("secrets/a/b", patterns) == "secrets/**"
    assert protected_by("SECRETS/a", patterns) == "secrets/**"
    assert protected_by("x/KEY.PEM", patterns) == "*.pem"
    assert protected_by("x/key.pem.", patterns) == "*.pem"
    assert protected_by("deep/vault/inner/file", patterns) == "vault"
    assert protected_by("STRASSE.TXT", patterns) == "Straße.txt"
    assert protected_by("src/a.py", patterns) is None
    assert protected_by("src/.git/x", patterns) == ".git"
    decomposed = unicodedata.normalize("NFD", "é.txt")
    assert protected_by(decomposed, ("é.txt",)) == "é.txt"
    assert protected_by("odd.", ("odd.",)) == "odd."


def test_the_refusal_names_the_rule():
    check_protected("src/a.py", ("*.pem",))
    with pytest.raises(WorkroomError, match=r"\*\.pem is a protected pattern") as caught:
        check_protected("k.pem", ("*.pem",))
    assert caught.value.details == {"path": "k.pem", "rule": "*.pem"}
    with pytest.raises(WorkroomError, match="always protected"):
        check_protected(".git/config")


@pytest.mark.parametrize(
    "path",
    [
        "CON",
        "con",
        "a/Nul.tar.gz",
        "COM1",
        "com¹.txt",
        "LPT9",
        "aux .x",
        "CONIN$",
        "a:b",
        "C:\\x",
        "a\\b",
        "x.",
        "x ",
        "d./f",
    ],
)
def test_new_names_that_windows_would_change_are_refused(path):
    assert code_of(check_new_name, path) is ErrorCode.INVALID_INPUT


@pytest.mark.parametrize(
    "path", ["a/b.c", "console", "com", "com10", ".env", "a b", "[id].tsx", "what?", "näme", "x.con"]
)
def test_other_new_names_are_fine(path):
    check_new_name(path)


@pytest.mark.parametrize(
    ("pattern", "path", "hit"),
    [
        ("*.py", "a.py", True),
        ("*.py", "x/y/a.py", True),
        ("*.py", "a.pyc", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/x/a.py", False),
        ("src/*.py", "x/src/a.py", False),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/x/y/a.py", True),
        ("**/test/*", "a/b/test/c", True),
        ("**/test/*", "test/c", True),
        ("docs/**", "docs/a/b", True),
        ("docs/**", "docs", False),
        ("docs/", "docs/a", True),
        ("docs/", "docs", False),
        ("/a.txt", "a.txt", True),
        ("/a.txt", "x/a.txt", False),
        (".vscode/settings.json", ".vscode/settings.json", True),
        (".vscode/settings.json", "packages/web/.vscode/settings.json", True),
        (".vscode/settings.json", "x.vscode/settings.json", False),
        ("/.vscode/x", "p/.vscode/x", False),
        (".yarnrc*", "a/.yarnrc.yml", True),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("[ab].c", "b.c", True),
        ("[!ab].c", "b.c", False),
        ("[^ab].c", "z.c", True),
        ("[!ab]x", "/x", False),
        ("x[!a]y", "x/y", False),
        ("x[.-0]y", "x/y", False),
        ("x[a-c-]y", "x-y", True),
        ("x[a-c]y", "xby", True),
        ("x[z-a]y", "xzy", False),
        ("x[]]y", "x]y", True),
        ("x[\\]y", "x\\y", True),
        ("x[a", "x[a", True),
        ("a+b(c)", "a+b(c)", True),
        ("a", "A", False),
        ("*", "line\nbreak", True),
    ],
)
def test_globs(pattern, path, hit):
    assert matches(path, (pattern,)) == (pattern if hit else None)


def test_no_glob_takes_long():
    begun = time.monotonic()
    assert matches("a" * 250, ("*a" * 100 + "b",)) is None
    assert matches("a/" * 1000 + "a", ("**/a/" * 500 + "b",)) is None
    assert time.monotonic() - begun < 60


def test_the_first_glob_that_matches_is_told():
    assert matches("a.py", ("*.c", "a.*", "*.py")) == "a.*"
    assert matches("a.py", ()) is None
    assert matches("A.PY", ("*.py",), folded=True) == "*.py"


@given(st.text(max_size=12), st.text(alphabet="ab/.[]*", max_size=12))
def test_no_glob_is_an_error(pattern, path):
    assert matches(path, (pattern,)) in (pattern, None)
    assert matches(path, (pattern,), folded=True) in (pattern, None)


@pytest.mark.parametrize("name", [".workroom-stage-1", ".WORKROOM-STAGE-x/y", "a/.workroom-stage-tx_1-2"])
def test_names_of_our_own_are_protected(name):
    assert protected_by(name) == ".workroom-stage-*"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("README.md", "readme.MD"),
        ("caf\u00e9", "cafe\u0301"),
        ("STRASSE", "stra\u00dfe"),
        ("\u1e9e", "\u00df"),
        ("\u212a", "k"),
        ("\u0391\u03a3", "\u03b1\u03c2"),
        ("D/\u00c9", "d/e\u0301"),
        ("\u1f88", "\u1f00\u03b9"),
    ],
)
def test_names_that_some_file_system_takes_for_one(one, other):
    assert fold_name(one) == fold_name(other)


@pytest.mark.parametrize(("one", "other"), [("a", "b"), ("a", "a "), ("e", "\u00e9"), ("a/b", "ab"), ("1", "\u00b9")])
def test_names_that_every_file_system_tells_apart(one, other):
    assert fold_name(one) != fold_name(other)


def test_what_a_name_has_to_be_for_a_glob():
    for glob, name, fits in (
        ("*.py", "a.py", True),
        ("*.py", "a.pyc", False),
        ("src/**/*.[ch]", "a.c", True),
        ("/a/b", "b", True),
        ("/a/b", "a", False),
    ):
        pattern = name_pattern(glob)
        assert pattern is not None
        assert bool(pattern.match(name)) is fits, (glob, name)
    assert [name_pattern(glob) for glob in ("a/**", "a/", "**")] == [None, None, None]


def test_the_folder_that_everything_is_in_which_a_glob_matches():
    for glob, folder in (
        ("kernel/**/*.c", "kernel"),
        ("/a/b/c", "a/b"),
        ("a/b/", "a/b"),
        ("a/b*/c/d", "a"),
        ("a/**", "a"),
        ("*/a/b", ""),
        ("**/a/b", ""),
        ("a[b]/c", ""),
        ("*.c", ""),
        ("/x", ""),
        (".vscode/x.json", ""),
    ):
        assert literal_folder(glob) == folder, glob


@given(path=st.lists(st.sampled_from("ab"), min_size=1, max_size=4), glob=st.text("ab/*?.", min_size=1, max_size=8))
def test_what_a_glob_matches_is_in_its_folder(path, glob):
    if matches("/".join(path), (glob,)) is not None:
        folder = literal_folder(glob)
        assert f"{'/'.join(path)}/".startswith(f"{folder}/" if folder else "")
