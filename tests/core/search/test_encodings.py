"""The names by which ripgrep knows the encodings that `read` shows."""

from __future__ import annotations

import re
import subprocess

import pytest

from workroom.core.search.encodings import NOT_UTF8, by_label, number_of
from workroom.system.process import ripgrep

FRENCH = "déjà vu, a café in été\n"


def test_utf8_and_binary_have_none():
    for data in (b"", b"plain", FRENCH.encode(), FRENCH.encode("utf-16"), b"\x89PNG\r\n\x1a\n\0\0"):
        assert number_of(data) == 0


def test_files_are_told_apart_by_it():
    number = number_of(FRENCH.encode("cp1252"))
    assert by_label([("a", number), ("b", 0), ("c", number), ("d", 9)]) == {
        "windows-1252": ["a", "c"],
        "gb18030": ["d"],
    }


def test_ripgrep_knows_them_all(tmp_path):
    (tmp_path / "a").write_text("a\n")
    labels = list(by_label([(str(number), number) for number in range(1, 14)]))
    assert len(labels) == 13
    for label in labels:
        subprocess.run([ripgrep(), "--encoding", label, "a", str(tmp_path / "a")], check=True, capture_output=True)


@pytest.mark.parametrize("text", [FRENCH, "中文\n", "\U0001f600\n", "Пр\n", "é\né"])
def test_utf8_has_nothing_that_is_not(tmp_path, text):
    (tmp_path / "good").write_bytes(text.encode())
    (tmp_path / "bad").write_bytes(text.encode("gb18030"))
    (tmp_path / "latin").write_bytes(b"\r\n caf\xe9")
    argv = [ripgrep(), "-l", "-e", NOT_UTF8, str(tmp_path)]
    found = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    assert set(re.findall("[a-z]+$", found, re.MULTILINE)) == {"bad", "latin"}
