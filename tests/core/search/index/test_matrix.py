"""Matrices on disk: what was put in is found, by the real files."""

from __future__ import annotations

import numpy as np
import pytest

from workroom.core.search.index.literals import needs
from workroom.core.search.index.matrix import Block, Matrix, Writer, checksum
from workroom.core.search.index.signature import sign


def written(path, texts):
    with path.open("wb") as file:
        writer = Writer(file)
        for number, text in enumerate(texts):
            signature = sign(text.encode())
            for size_class, bits in signature.pieces:
                writer.add(number, size_class, bits)
        writer.finish()
    return writer


def asked(matrix, count, text, *, regex=False):
    found = np.zeros(count, dtype=bool)
    matrix.ask(needs(text, regex=regex, exact_case=False), found)
    return np.flatnonzero(found).tolist()


def test_more_files_than_a_block_holds(tmp_path):
    texts = [f"this is the file number_{number:05}\n" for number in range(4_400)] + ["word " * 10 + "x" * 50] * 2
    texts += ["".join(f"{n * 7919 % 104729:x} " for n in range(20_000))]
    path = tmp_path / "m"
    writer = written(path, texts)
    assert [len(block.files) for block in writer.blocks] == [2048, 2048, 306, 1]
    assert checksum(str(path)) == writer.checksum
    matrix = Matrix(str(path), writer.blocks)
    for number in (0, 2_047, 2_048, 4_399):
        assert number in asked(matrix, len(texts), f"NUMBER_{number:05}")
    assert 4_402 in asked(matrix, len(texts), "1f3 ")
    assert 3 in asked(matrix, len(texts), "(number_00003|nothing like it)", regex=True)
    assert len(asked(matrix, len(texts), "no such thing anywhere")) < 20
    assert asked(matrix, len(texts), "file number_00003 " * 100) == []


def test_files_that_are_gone_are_left_out(tmp_path):
    writer = written(tmp_path / "m", ["needle"] * 3)
    blocks = [Block(one.size_class, one.start, (0, -1, 1)) for one in writer.blocks]
    assert asked(Matrix(str(tmp_path / "m"), blocks), 2, "needle") == [0, 1]


def test_one_without_files(tmp_path):
    writer = written(tmp_path / "m", [])
    assert asked(Matrix(str(tmp_path / "m"), writer.blocks), 0, "needle") == []


def test_a_file_of_another_length_is_none(tmp_path):
    writer = written(tmp_path / "m", ["needle"])
    (tmp_path / "m").write_bytes((tmp_path / "m").read_bytes()[:-1])
    with pytest.raises(ValueError, match="bytes long"):
        Matrix(str(tmp_path / "m"), writer.blocks)
