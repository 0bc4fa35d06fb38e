"""Pictures in an answer of read: which are shown, and what is said of each."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from workroom.base.envelope import Picture
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.system.root import Root
from workroom.text.measure import is_whole, pixels
from workroom.text.picture import picture_type

__all__ = ["PICTURE_BYTES", "PICTURE_PIXELS", "Gallery", "picture_said"]

PICTURE_BYTES = 3_750_000
"""The most bytes of all pictures in one answer: five million characters as base64, which models' makers take."""

PICTURE_PIXELS = 8_000
"""The longest side that they take. What they refuse would stay in the conversation, and end it."""

_SHOWN = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_SMALLER = "Make a smaller copy of it and read that."


@dataclass(slots=True)
class Gallery:
    """The pictures of one answer, in the order in which they are added."""

    room: int = PICTURE_BYTES

    def add(self, root: Root, path: str, target: str) -> tuple[dict[str, Any], Picture] | None:
        """A picture's facts, and itself; None for what is no picture that a model can look at.

        LIMIT_EXCEEDED for one that is too large, INVALID_INPUT for one that is damaged.
        """
        data = _read(root, target)
        kind = picture_type(data) or ""
        if kind not in _SHOWN:
            return None
        facts = {"path": path, "sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data), "mimeType": kind}
        size = pixels(data, kind)
        if size is None or not is_whole(data, kind):
            raise WorkroomError(
                ErrorCode.INVALID_INPUT, f"{path!r} begins as {kind} and is damaged or cut off.", details=facts
            )
        facts |= {"width": size[0], "height": size[1]}
        _check_side(facts)
        if len(data) > self.room:
            raise _too_many(facts, self.room)
        self.room -= len(data)
        return {**facts, "truncated": False}, Picture(path, kind, data)


def picture_said(data: dict[str, Any]) -> str:
    """The facts of a picture in a sentence."""
    size = f"{data['width']} x {data['height']} pixels, {data['bytes']:,} bytes"
    return f"{data['mimeType']}, {size}, sha256 {data['sha256']}."


def _read(root: Root, target: str) -> bytes:
    seen = root.stat(target)
    if seen is not None and seen.size > PICTURE_BYTES:
        raise WorkroomError(
            ErrorCode.LIMIT_EXCEEDED,
            f"{target!r} holds {seen.size:,} bytes; of pictures at most {PICTURE_BYTES:,} bytes are shown.",
            next_step=_SMALLER,
            details={"path": target, "bytes": seen.size, "limit": PICTURE_BYTES},
        )
    return root.read(target, PICTURE_BYTES)


def _check_side(facts: dict[str, Any]) -> None:
    if max(facts["width"], facts["height"]) > PICTURE_PIXELS:
        raise WorkroomError(
            ErrorCode.LIMIT_EXCEEDED,
            f"{facts['path']!r} has {facts['width']:,} x {facts['height']:,} pixels, and a side may have at most "
            f"{PICTURE_PIXELS:,}.",
            next_step=_SMALLER,
            details=facts,
        )


def _too_many(facts: dict[str, Any], room: int) -> WorkroomError:
    return WorkroomError(
        ErrorCode.LIMIT_EXCEEDED,
        f"{facts['path']!r} holds {facts['bytes']:,} bytes, and of the {PICTURE_BYTES:,} for all pictures of one "
        f"answer {room:,} are left.",
        next_step="Read it by itself.",
        details=facts,
    )
