"""Signatures: what a file holds is always in them."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workroom.core.search.index.signature import ALWAYS, BINARY, CLASSES, FOREIGN, ODD_CASE, hashes, sign


def holds(signature, text):
    """Whether all trigrams and runs of four of a text are in one piece of a signature."""
    wanted = np.concatenate(hashes(text))
    return any(
        all(bits[int(at) // 8] & (128 >> int(at) % 8) for at in wanted & np.uint16((1 << size_class) - 1))
        for size_class, bits in signature.pieces
    )


@given(st.binary(max_size=400).map(lambda data: data.replace(b"\0", b"x")), st.data())
def test_what_a_file_holds_is_in_its_signature_in_either_case(data, draws):
    start = draws.draw(st.integers(0, len(data)))
    piece = data[start : start + draws.draw(st.integers(3, 40))].partition(b"\n")[0]
    signature = sign(data)
    if signature.flags & ALWAYS or len(piece) < 3:
        return
    assert all(holds(signature, each) for each in (piece, piece.upper(), piece.lower()))


def test_what_it_does_not_hold_is_mostly_not_in_it():
    signature = sign(b"def search(root, path, query):\n    return None\n" * 3)
    assert signature.pieces[0][0] == CLASSES[0]
    assert not holds(signature, b"transaction")


def test_the_bits_are_fitted_to_the_file():
    sizes = [sign(os.urandom(length).replace(b"\0", b"x")).pieces[0][0] for length in (100, 1_000, 15_000)]
    assert sizes == [10, 12, 16]


def test_a_long_line_is_in_one_piece():
    data = b"a" * ((1 << 18) - 2) + b"needle" + b"a" * 100_000 + b"other\n"
    assert len(sign(data).pieces) == 1
    assert holds(sign(data), b"needleaaa")
    assert holds(sign(data), b"aother")


def test_a_long_file_has_pieces_of_whole_lines():
    lines = [f"this is line_{number:06} of many\n".encode() for number in range(10_000)]
    signature = sign(b"".join(lines))
    assert len(signature.pieces) == len(b"".join(lines)) // (1 << 16) + 1
    assert all(holds(signature, line.strip()) for line in lines[::7])
    assert not holds(signature, b"this is line_00000009999 of many")  # each of its letters is in some piece


@pytest.mark.parametrize("data", [b"", b"one\n", b"x" * 65_535 + b"\n", b"x" * 65_536 + b"\n", b"x\n" * 33_000])
def test_every_file_has_a_piece_and_none_is_empty_behind_it(data):
    pieces = sign(data).pieces
    assert len(pieces) == (2 if data.startswith(b"x\n") else 1)


@pytest.mark.parametrize(
    "data",
    [
        "n\xfcchtern".encode("utf-16"),
        b"\xfe\xff\0a",
        b"\xef\xbb\xbfbad \xff",
        os.urandom(300_000).replace(b"\0", b"x"),
    ],
    ids=["utf-16", "utf-16-be", "utf-8 to be mended", "too much to tell"],
)
def test_what_is_always_searched(data):
    assert sign(data).flags & ALWAYS
    assert sign(data).pieces == ()


@pytest.mark.parametrize("data", [b"", b"ab", "\ufeffmarked".encode(), "caf\u00e9".encode()])
def test_what_is_not(data):
    assert sign(data).flags == 0


def test_what_is_no_utf8_is_told():
    assert sign(b"caf\xe9 in Latin-1").flags == FOREIGN
    assert sign(b"caf\xe9 before\0").flags == BINARY


def test_of_a_binary_file_what_stands_before_its_nul_counts():
    signature = sign(b"before\0behind")
    assert signature.flags == BINARY
    assert holds(signature, b"before")
    assert not holds(signature, b"behind")


@pytest.mark.parametrize("letter", ["\u212a", "\u017f"])
def test_letters_that_are_variants_of_ascii_ones_are_told(letter):
    assert sign(f"plain {letter}".encode()).flags == ODD_CASE
