"""Small pictures, byte by byte."""

from __future__ import annotations

import struct
import zlib

__all__ = ["gif", "jpeg", "png", "webp"]


def png(width: int, height: int, filling: int = 0) -> bytes:
    """A grey picture; of a small one every row is there. `filling` adds so many bytes that nobody shows."""
    rows = b"".join(b"\0" + b"\x80" * width for _ in range(height)) if width * height < 10**6 else b""
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)),
        (b"tEXt", b"Comment\0" + b"x" * filling),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    ]
    parts = [struct.pack(">I", len(d)) + n + d + struct.pack(">I", zlib.crc32(n + d)) for n, d in chunks]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def gif(width: int, height: int) -> bytes:
    """The head of a picture of one colour, its end, and nothing in between."""
    return b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + b"\xff" * 6 + b"\0" * 20 + b";"


def jpeg(width: int, height: int) -> bytes:
    """The segments that tell of a picture, and its end."""
    start = b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0"
    frame = b"\xff\xc0" + struct.pack(">HBHH", 11, 8, height, width) + b"\1\1\x11\0"
    return start + frame + b"\0" * 20 + b"\xff\xd9"


def webp(width: int, height: int, form: str) -> bytes:
    """The head of a picture in one of the three forms."""
    body = {
        "VP8X": bytes(4) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little"),
        "VP8 ": b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", width, height),
        "VP8L": b"\x2f" + ((width - 1) | (height - 1) << 14).to_bytes(4, "little") + bytes(5),
    }[form]
    chunk = form.encode() + struct.pack("<I", len(body) + 20) + body + bytes(20)
    return b"RIFF" + struct.pack("<I", len(chunk) + 4) + b"WEBP" + chunk
