"""Which kind of picture bytes are: told by what they begin with, never by a name."""

from __future__ import annotations

import re

__all__ = ["picture_type"]

_TELLING = 4096
"""How far from the start a picture in XML may begin."""

_BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
_BITMAP_HEADERS = frozenset({12, 40, 52, 56, 64, 108, 124})
"""The lengths that the second header of a bitmap has, by its version."""

_SVG = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:<\?xml\b[^>]*+>\s*+)?"
    rb"(?:<!--(?:[^-]|-(?!->))*+-->\s*+|<!DOCTYPE\s++svg\b[^>\[]*+(?:\[[^\]]*+\]\s*+)?>\s*+)*+<svg[\s>/]",
)


def picture_type(data: bytes) -> str | None:
    """`image/png` and so on for what a browser shows as a picture; None for everything else."""
    for beginning, kind in _BEGINNINGS:
        if data.startswith(beginning):
            return kind
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if _is_avif(data):
        return "image/avif"
    if _is_bitmap(data):
        return "image/bmp"
    if _is_icon(data):
        return "image/x-icon"
    return "image/svg+xml" if _SVG.match(data[:_TELLING]) else None


def _is_avif(data: bytes) -> bool:
    """A file of ISO's container that says it is AVIF, as its brand or among those that it is compatible with."""
    if data[4:8] != b"ftyp":
        return False
    box = data[: min(int.from_bytes(data[:4], "big"), 256)]
    brands = {box[at : at + 4] for at in (8, *range(16, len(box), 4))}
    return not brands.isdisjoint({b"avif", b"avis"})


def _is_bitmap(data: bytes) -> bool:
    return data[:2] == b"BM" and data[6:10] == bytes(4) and int.from_bytes(data[14:18], "little") in _BITMAP_HEADERS


def _is_icon(data: bytes) -> bool:
    """An icon with at least one picture, whose place in the file lies behind the list of them."""
    count = int.from_bytes(data[4:6], "little")
    place = int.from_bytes(data[18:22], "little")
    return data[:4] == b"\0\0\1\0" and count > 0 and data[9:10] == b"\0" and place >= 6 + 16 * count
