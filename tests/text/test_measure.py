"""The size of pictures by their bytes, and whether they are whole."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from tests.pictures import gif, jpeg, png, webp

from workroom.text.measure import is_whole, pixels

PICTURES = [
    (png(640, 480), "image/png"), (gif(640, 480), "image/gif"), (jpeg(640, 480), "image/jpeg"),
    (webp(640, 480, "VP8X"), "image/webp"), (webp(640, 480, "VP8 "), "image/webp"),
    (webp(640, 480, "VP8L"), "image/webp"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "kind"), PICTURES)
def test_size_and_end(data, kind):
    assert pixels(data, kind) == (640, 480)
    assert is_whole(data, kind)
    assert not is_whole(data[:-20], kind)


@pytest.mark.parametrize(("data", "kind"), PICTURES)
def test_a_beginning_of_any_length_does_no_harm(data, kind):
    for length in range(len(data)):
        assert pixels(data[:length], kind) in {None, (640, 480)}


def test_a_picture_of_this_project():
    data = (Path(__file__).parents[2] / "docs/page/file-light.png").read_bytes()
    assert pixels(data, "image/png") is not None
    assert is_whole(data, "image/png")


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (png(0, 9), "image/png"),
        (b"\xff\xd8" + b"\xff\xe0\0\2" * 5_000, "image/jpeg"),  # segments without end
        (b"\xff\xd8\xff\xe0\0\2nothing more", "image/jpeg"),
        (b"RIFF" + struct.pack("<I", 100) + b"WEBPWHAT" + bytes(100), "image/webp"),
        (b"<svg/>", "image/svg+xml"),
    ],
)
def test_no_size(data, kind):
    assert pixels(data, kind) is None


def test_fill_bytes_and_what_is_appended():
    data = jpeg(3, 4)
    assert pixels(b"\xff\xd8\xff\xff" + data[2:], "image/jpeg") == (3, 4)
    assert is_whole(png(1, 1) + b"a program's words", "image/png")
    assert not is_whole(b"", "image/avif")
