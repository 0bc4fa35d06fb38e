"""A piece from the middle of a file as text."""

from __future__ import annotations

import pytest

from workroom.text.piece import AROUND, Piece, aligned, decode_piece, first_line, whole_lines, width_of


def begin(data, at, encoding="utf-8"):
    return aligned(data[max(0, at - AROUND) : at], at, data[at : at + AROUND], encoding)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_a_character_that_is_cut_is_begun_anew(encoding):
    text = "aé€😀😀€éa\n"
    data = text.encode(encoding)
    begins = [len(text[:at].encode(encoding)) for at in range(len(text))]
    for at in range(len(data)):
        assert begin(data, at, encoding) == max(one for one in begins if one <= at)
    assert begin(data, len(data), encoding) == len(data)


@pytest.mark.parametrize(
    ("data", "at"),
    [
        (b"ab\x80c", 2),  # goes on with nothing
        (b"\xc3\xa9\x80", 2),  # the character before has its two bytes
        (b"\x80\x80\x80\x80\x80", 4), (b"\x80", 0), (b"\xe2", 1), (b"a\xff", 1),
    ],
)  # fmt: skip
def test_bytes_that_are_no_text_belong_to_no_character(data, at):
    assert begin(data, at) == at


def test_a_byte_of_other_encodings_begins_one():
    assert begin("Käse".encode("cp1252"), 2, "windows-1252") == 2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-bom", "utf-16-le", "utf-32-be", "gb18030", "windows-1252"])
def test_half_a_character_at_the_end_is_left_out_and_told(encoding):
    codec = encoding.removesuffix("-bom")
    text = "aé\n" if encoding == "windows-1252" else "a€😀€\n"
    data = text.encode(codec)
    for size in range(len(data) + 1):
        piece = decode_piece(data[:size], encoding, last=False)
        assert piece.text.encode(codec) == data[: piece.size]
        assert size - piece.size < 4
        assert not piece.lossy
    assert decode_piece(data, encoding, last=True) == Piece(text, len(data), encoding, lossy=False)


def test_bytes_that_are_no_text_are_kept_or_told():
    assert decode_piece("é€é€é€".encode() + b"\xff", "utf-8", last=True) == Piece(
        "é€é€é€\udcff", 16, "utf-8", lossy=True
    )
    assert (
        decode_piece(b"\0\1\2\xff\xfe", "utf-8", last=True, guess=True).text == "\0\1\2\udcff\udcfe"
    )  # binary, further on
    assert decode_piece(b"a\0\0\xd8b\0", "utf-16-le", last=True) == Piece("a\ufffdb", 6, "utf-16-le", lossy=True)


def test_what_begins_as_ascii_may_go_on_in_an_old_encoding():
    text = "Käse und Brötchen, Straße\n" * 3
    assert decode_piece(text.encode("cp1252"), "utf-8", last=True, guess=True) == Piece(
        text, len(text), "windows-1252", lossy=False
    )


@pytest.mark.parametrize(
    ("data", "encoding", "whole", "first"),
    [
        (b"one\ntwo\nth", "utf-8", 8, 4), (b"one", "utf-8", 0, 0), (b"", "utf-8", 0, 0), (b"\n", "utf-8", 1, 1),
        ("one\ntwo\nth".encode("utf-16-le"), "utf-16-le", 16, 8),
        ("one\ntwo\nth".encode("utf-32-be"), "utf-32-be", 32, 16),
        ("\u0a00\n\u0a00x".encode("utf-16-be"), "utf-16-be", 4, 4),
        ("a\u0a00\u000d".encode("utf-16-be"), "utf-16-be", 0, 0),  # 0A 00 0D, and no newline
        ("\u0100\u0a00\u010a".encode("utf-16-le"), "utf-16-le", 0, 0),
        ("\u0a41\u000a".encode("utf-16-le"), "utf-16-le", 4, 4),
        ("\u4100\u0a41".encode("utf-16-be"), "utf-16-be", 0, 0),  # 00 0A, and across two units
        ("\u0a41\u4100\n\n\u0a41\u4100".encode("utf-16-le"), "utf-16-le", 8, 6),
    ],
)  # fmt: skip
def test_lines_end_at_a_newline_that_is_a_unit(data, encoding, whole, first):
    assert (whole_lines(data, encoding), first_line(data, encoding)) == (whole, first)


def test_units_have_a_width():
    assert [width_of(one) for one in ("utf-8", "utf-8-bom", "windows-1252", "utf-16-le", "utf-32-be")] == [
        1,
        1,
        1,
        2,
        4,
    ]
