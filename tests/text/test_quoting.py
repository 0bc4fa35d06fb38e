"""Names in patches, against git's own quoting."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workroom.text.quoting import quote_name, unquote_name


@pytest.mark.parametrize(
    ("name", "quoted"),
    [
        ("plain.txt", "plain.txt"),
        ("with space", "with space"),
        ("ärger/日本", "ärger/日本"),
        ("tab\t", '"tab\\t"'),
        ('q"uote', '"q\\"uote"'),
        ("back\\slash", '"back\\\\slash"'),
        ("bell\a\b\n\v\f\r", '"bell\\a\\b\\n\\v\\f\\r"'),
        ("\x01\x7f", '"\\001\\177"'),
        ("bidi\u202etxt", '"bidi\\342\\200\\256txt"'),
        ("latin\udce9", '"latin\\351"'),
        ("odd\ud800", '"odd\\355\\240\\200"'),
    ],
)
def test_names_are_quoted_where_they_could_deceive_or_break_a_line(name, quoted):
    assert quote_name(name) == quoted
    if name != "odd\ud800":
        assert unquote_name(quoted if quoted.startswith('"') else f'"{name}"') == (name, "")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_reading_a_quoted_name_gives_the_name_back(name):
    escaped = quote_name(name)
    text = escaped if escaped.startswith('"') else f'"{escaped}"'
    assert unquote_name(text + " rest") == (name, " rest")


@pytest.mark.parametrize("text", ["plain", '"open', ""])
def test_what_is_not_quoted_is_not_read(text):
    assert unquote_name(text) is None


def test_an_unknown_escape_stands_for_its_character():
    assert unquote_name('"\\q\\é"') == ("qé", "")


def test_git_writes_the_names_that_we_read(tmp_path):
    def git(*argv):
        return subprocess.run(["git", *argv], cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    git("init", "-q")
    for name in ["tab\tx", 'q"x', "é x", "\x02x"]:
        (tmp_path / name).write_text("x")
    git("add", "-A")
    shown = git("ls-files").splitlines()
    read = sorted((unquote_name(line) or (line, ""))[0] for line in shown)
    assert read == sorted(["tab\tx", 'q"x', "é x", "\x02x"])
