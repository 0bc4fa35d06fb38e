"""How many pixels a picture has, and whether all of it is there; read off its bytes, nothing is unpacked."""

from __future__ import annotations

__all__ = ["is_whole", "pixels"]

_TAIL = 4096
"""How far before the end of a picture its end may stand: some programs append words of their own."""
_ENDS = {"image/png": b"IEND\xaeB`\x82", "image/jpeg": b"\xff\xd9", "image/gif": b";"}
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""The markers of JPEG that carry a size."""
_SEGMENTS = 1_000


def pixels(data: bytes, kind: str) -> tuple[int, int] | None:
    """Width and height of a PNG, JPEG, GIF or WebP; None for any other, and where they can't be found."""
    size = _READERS[kind](data) if kind in _READERS else None
    return size if size is not None and min(size) > 0 else None


def is_whole(data: bytes, kind: str) -> bool:
    """Whether a picture ends as its kind does, so that one that is still being written isn't taken for whole."""
    if kind == "image/webp":
        return len(data) >= int.from_bytes(data[4:8], "little") + 8
    end = _ENDS.get(kind)
    return end is not None and end in data[-_TAIL:]


def _png(data: bytes) -> tuple[int, int] | None:
    if data[12:16] != b"IHDR" or len(data) < 24:
        return None
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


def _gif(data: bytes) -> tuple[int, int] | None:
    return _little(data, 6, 8, 2) if len(data) >= 10 else None


def _jpeg(data: bytes) -> tuple[int, int] | None:
    at = 2
    for _ in range(_SEGMENTS):
        while data[at : at + 2] == b"\xff\xff":  # fill bytes
            at += 1
        if data[at : at + 1] != b"\xff" or at + 9 > len(data):
            return None
        marker = data[at + 1]
        if marker in _FRAMES:
            return int.from_bytes(data[at + 7 : at + 9], "big"), int.from_bytes(data[at + 5 : at + 7], "big")
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return None


def _webp(data: bytes) -> tuple[int, int] | None:
    form = data[12:16]
    if len(data) < 30:
        return None
    if form == b"VP8X":
        width, height = _little(data, 24, 27, 3)
        return width + 1, height + 1
    if form == b"VP8 ":
        width, height = _little(data, 26, 28, 2)
        return width & 0x3FFF, height & 0x3FFF
    if form == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return None


def _little(data: bytes, width: int, height: int, count: int) -> tuple[int, int]:
    return int.from_bytes(data[width : width + count], "little"), int.from_bytes(
        data[height : height + count], "little"
    )


_READERS = {"image/png": _png, "image/gif": _gif, "image/jpeg": _jpeg, "image/webp": _webp}
