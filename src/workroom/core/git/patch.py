"""What `git diff` writes of one file: its hunks by their ranges, and a patch of some of them."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from workroom.text import diff

__all__ = ["Hunk", "parse_hunks", "some_hunks"]

_HEADER = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True, slots=True)
class Hunk(diff.Hunk):
    """One `@@` block, and where it stands in the patch."""

    start: int
    """Where it begins in the patch, in bytes."""
    end: int


def parse_hunks(patch: bytes) -> tuple[Hunk, ...]:
    """The hunks of one file's patch, in order. Lengths are counted: no line of the file passes for a header."""
    hunks: list[Hunk] = []
    at = 0 if patch.startswith(b"@@ ") else patch.find(b"\n@@ ") + 1
    while match := _HEADER.match(patch, at):
        old_lines, new_lines = (1 if count is None else int(count) for count in (match[2], match[4]))
        end, added, removed = _body(patch, patch.index(b"\n", at) + 1, old_lines, new_lines)
        hunks.append(Hunk(int(match[1]), old_lines, int(match[3]), new_lines, added, removed, at, end))
        at = end
    return tuple(hunks)


def some_hunks(patch: bytes, chosen: Collection[int], *, back: bool = False) -> bytes:
    """The same patch with the hunks of these numbers (from 0) alone; with `back`, to be applied in reverse.

    A line that only comes goes where its header says, so the headers tell of places without the hunks left out.
    """
    hunks = parse_hunks(patch)
    parts = [patch[: hunks[0].start] if hunks else patch]
    shift = 0
    for number, hunk in enumerate(hunks):
        if number not in chosen:
            shift += hunk.new_lines - hunk.old_lines
            continue
        old, new = (hunk.old_start + shift, hunk.new_start) if back else (hunk.old_start, hunk.new_start - shift)
        body = patch.index(b"\n", hunk.start)
        parts += [b"@@ -%d,%d +%d,%d @@" % (old, hunk.old_lines, new, hunk.new_lines), patch[body : hunk.end]]
    return b"".join(parts)


def _body(patch: bytes, at: int, old: int, new: int) -> tuple[int, int, int]:
    """Where a hunk of so many lines ends, and how many it adds and removes."""
    added = removed = 0
    while at < len(patch) and (old or new or patch.startswith(b"\\", at)):
        sign = patch[at : at + 1]
        added, removed = added + (sign == b"+"), removed + (sign == b"-")
        old -= sign in {b" ", b"-"}
        new -= sign in {b" ", b"+"}
        line_end = patch.find(b"\n", at)
        at = len(patch) if line_end < 0 else line_end + 1
    return at, added, removed
