"""The table: rows of one file come and go by themselves, and a torn one is thrown away."""

from __future__ import annotations

import apsw
import pytest

from workroom.core.search.semantic.table import NAME, Piece, Table, digest, discard


def piece(start, words, symbol=""):
    return Piece(start, start + 1, symbol, symbol.lower(), words, digest([words]), bytes(8))


def found(table, *stems, kind="chunk_words"):
    weights = (1.0, 1.0, 1.0) if kind == "chunk_words" else (1.0, 1.0)
    return {number for number, score in table.matching(kind, weights, stems) if score}


def test_a_file_is_put_and_replaced_and_dropped(tmp_path):
    table = Table(str(tmp_path), write=True)
    with table.db:
        table.put("a.py", "a", "1", 10, [piece(1, "copi tree"), piece(3, "walk", "Walk")])
        table.put("b\udcff.py", "b", "2", 20, [piece(1, "copi")])
    assert table.known() == {"a.py": (1, "1", 10), "b\udcff.py": (2, "2", 20)}
    assert found(table, "copi") == {1, 3}
    assert found(table, "walk") == {2}
    assert found(table, "copi", kind="file_words") == {1, 2}
    assert table.piece(2) == ("a.py", 3, 4, "Walk", digest(["walk"]))
    with table.db:
        table.put("a.py", "a", "3", 10, [piece(1, "move")])
    assert found(table, "copi") == {3}
    assert found(table, "move") == {4}
    with table.db:
        table.drop([2])
    assert set(table.known()) == {"a.py"}
    assert found(table, "copi") == set()
    assert table.piece(3) == ("", 0, 0, "", b"")
    assert list(table.matching("chunk_words", (1.0, 1.0, 1.0), [])) == []
    table.close()


def test_who_reads_sees_what_is_written_meanwhile(tmp_path):
    writer = Table(str(tmp_path), write=True)
    reader = Table(str(tmp_path))
    before = reader.version()
    with writer.db:
        writer.put("a", "a", "1", 1, [piece(1, "word")])
        writer.say(files=1, whole=True)
    assert reader.version() != before
    assert reader.said() == {"files": "1", "whole": "True"}
    reader.close()
    writer.close()


def test_there_is_nothing_to_read_before_it_is_built(tmp_path):
    with pytest.raises(apsw.CantOpenError):
        Table(str(tmp_path))
    assert not (tmp_path / NAME).exists()


def test_nothing_is_read_of_another_version(tmp_path):
    (tmp_path / NAME).write_bytes(b"")
    with pytest.raises(apsw.CantOpenError, match="isn't built yet"):
        Table(str(tmp_path))


@pytest.mark.parametrize("what", ["torn", "other version"])
def test_one_that_cannot_be_trusted_is_made_anew(tmp_path, what):
    table = Table(str(tmp_path), write=True)
    with table.db:
        table.put("a", "a", "1", 1, [])
    if what == "other version":
        table.db.execute("PRAGMA user_version = 99")
    table.close()
    if what == "torn":
        (tmp_path / NAME).write_bytes(b"no database at all" * 1000)
    again = Table(str(tmp_path), write=True)
    assert again.known() == {}
    again.close()


def test_discarding_twice_is_no_fault(tmp_path):
    Table(str(tmp_path), write=True).close()
    discard(str(tmp_path))
    discard(str(tmp_path))
    assert list(tmp_path.iterdir()) == []
