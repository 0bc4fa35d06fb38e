"""Which pieces come first, and by what."""

from __future__ import annotations

from collections import Counter

import pytest

from workroom.core.search.semantic.build import path_words
from workroom.core.search.semantic.rank import Held, load, rank
from workroom.core.search.semantic.table import Piece, Table, digest
from workroom.core.search.semantic.vectors import Meanings, packed
from workroom.core.search.semantic.words import stems, words

TEXTS = {
    "copy.py": "def copytree(source): duplicate a directory with all that is in it",
    "music.py": "def play(song): make sound with the speakers",
    "tests/test_copy.py": "def test_copytree(source): duplicate a directory with all that is in it",
    "net/http.py": "def fetch(url): ask the server for a page",
    "net/mail.py": "def send(message): hand it to the relay",
}


@pytest.fixture
def ask(tmp_path):
    meanings = Meanings()
    table = Table(str(tmp_path), write=True)
    with table.db:
        for path, text in TEXTS.items():
            own, named = words(text), path_words(path)
            vector = packed(meanings.of(Counter([*own, *named])))
            piece = Piece(1, 1, "", "", " ".join(stems(own)), digest([text]), vector)
            table.put(path, " ".join(stems(named)), "1", len(text), [piece])

    def once(question, within=".", remote=False, most=3):
        loaded = load(table, remote=remote)
        vector = meanings.of(Counter(words(question)))
        return [
            (table.piece(found.chunk)[0], found.by) for found in rank(table, loaded, question, vector, within, most)
        ]

    once.table = table
    yield once
    table.close()


def test_by_words_and_by_meaning(ask):
    assert ask("duplicate a directory")[0] == ("copy.py", "both")
    assert ask("remove folders")[0] == ("copy.py", "meaning")
    assert ask("play songs", most=1) == [("music.py", "both")]


def test_a_test_comes_later_unless_it_is_asked_for(ask):
    assert [path for path, _ in ask("duplicate a directory", most=2)] == ["copy.py", "tests/test_copy.py"]
    assert ask("test of duplicating a directory")[0][0] == "tests/test_copy.py"


def test_within_a_folder_or_a_file(ask):
    assert {path for path, _ in ask("duplicate", "net")} == {"net/http.py", "net/mail.py"}
    assert ask("duplicate", "net/mail.py") == [("net/mail.py", "meaning")]
    assert ask("duplicate", "ne") == []


def test_the_endpoints_vectors_count_only_when_all_are_there(ask):
    assert load(ask.table, remote=True).remote is False
    with ask.table.db:
        ask.table.db.execute("UPDATE chunks SET remote = zeroblob(16)")
    loaded = load(ask.table, remote=True)
    assert (loaded.remote, loaded.vectors.shape) == (True, (5, 16))
    with ask.table.db:
        ask.table.db.execute("UPDATE chunks SET remote = zeroblob(8) WHERE id = 2")
    assert load(ask.table, remote=True).remote is False


def test_what_came_after_it_was_loaded_is_left_out(ask):
    loaded = load(ask.table, remote=False)
    with ask.table.db:
        ask.table.put("late.py", "late", "1", 1, [Piece(1, 1, "", "", "duplic", b"", bytes(256))])
    vector = Meanings().of({"duplicate": 1})
    assert 6 not in [found.chunk for found in rank(ask.table, loaded, "duplicate", vector, ".", 10)]


def test_an_empty_table(tmp_path):
    table = Table(str(tmp_path / "."), write=True)
    with table.db:
        table.say(files=0)
    loaded = load(table, remote=False)
    assert rank(table, loaded, "anything", Meanings().of({"anything": 1}), ".", 5) == []
    table.close()


def test_what_was_loaded_is_held_until_the_table_is_another(ask, tmp_path):
    """Also where the endpoint's vectors are wanted and aren't there, and where they are asked for in turns."""
    held, reader = Held(), Table(str(tmp_path))
    try:
        wanted, local = held.of(reader, remote=True), held.of(reader, remote=False)
        assert (wanted.remote, local.remote) == (False, False)
        assert held.of(reader, remote=True) is wanted
        assert held.of(reader, remote=False) is local
        with ask.table.db:
            ask.table.put("new.md", "new", "1", 0, [])
        assert held.of(reader, remote=True).paths == [*TEXTS, "new.md"]
        assert held.of(reader, remote=False).paths == [*TEXTS, "new.md"]
    finally:
        reader.close()
