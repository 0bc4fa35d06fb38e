"""Which kind of picture bytes are."""

from __future__ import annotations

import struct

import pytest

from workroom.text.picture import picture_type

ICON = struct.pack("<HHHBBBBHHII", 0, 1, 1, 16, 16, 0, 0, 1, 32, 40, 22)
BITMAP = b"BM" + struct.pack("<IHHIIii", 58, 0, 0, 54, 40, 1, 1)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg"),
        (b"GIF87a\1\0\1\0", "image/gif"),
        (b"GIF89a\1\0\1\0", "image/gif"),
        (b"RIFF\x24\0\0\0WEBPVP8 ", "image/webp"),
        (b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf", "image/avif"),
        (b"\0\0\0\x1cftypmif1\0\0\0\0miafmif1avis", "image/avif"),
        (BITMAP, "image/bmp"),
        (ICON, "image/x-icon"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml"),
        (b"<svg/>", "image/svg+xml"),
        (b"\xef\xbb\xbf\n<?xml v='1'?>\n<!-- a -- b ->\n-->\n<!DOCTYPE svg SYSTEM ''>\n<svg>", "image/svg+xml"),
        (b"<!DOCTYPE svg [ <!ENTITY a 'b'> ]><svg\n>", "image/svg+xml"),
    ],
)  # fmt: skip
def test_a_picture_is_told_by_what_it_begins_with(data, kind):
    assert picture_type(data) == kind


@pytest.mark.parametrize(
    "data",
    [
        b"", b"text", b"\x89PNG", b"GIF88a", b"RIFF\x24\0\0\0WAVE", b"WEBP", b"\0\0\0\x1cftypisom\0\0\0\0mp41isom",
        b"\0\0\0\x10ftypmif1\0\0\0\0avif",  # its box ends before that
        b"BM and so on, in a text of more than a line", b"\0\0\1\0\0\0", ICON[:18] + b"\1\0\0\0", ICON[:10],
        b"\0\0\2\0" + ICON[4:], b"<html><svg></svg></html>", b"<!DOCTYPE html><svg>", b"<svgx>", b"x <svg>",
        b"<!-- <svg>", b"<!--" + b" " * 5000 + b"--><svg>",
    ],
)  # fmt: skip
def test_what_is_no_picture_is_none(data):
    assert picture_type(data) is None


def test_a_long_beginning_of_nothing_is_looked_at_once():
    """No text makes the expression try one place many times over."""
    for unit in (b"<!---", b"<!---->", b"<?xml ", b"<!DOCTYPE svg [", b" "):
        assert picture_type(unit * 200_000) is None
