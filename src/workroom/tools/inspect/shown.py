"""What an answer of read says of one file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workroom.base.envelope import Artifact, Picture

__all__ = ["Shown", "unchanged"]


@dataclass(frozen=True, slots=True)
class Shown:
    """The facts, the same in a sentence, and what is in the file: a text, a picture, or neither."""

    data: dict[str, Any]
    said: str
    text: str = ""
    picture: Picture | None = None
    artifacts: tuple[Artifact, ...] = ()


def unchanged(where: dict[str, Any], hashes: dict[str, str | None], size: int) -> Shown:
    """That a file has the bytes that the caller knows, and nothing else of it."""
    facts = {**where, **hashes, "bytes": size, "unchanged": True, "truncated": False}
    return Shown(facts, f"is unchanged ({size:,} bytes).")
