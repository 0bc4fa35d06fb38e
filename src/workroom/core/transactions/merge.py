"""One path, three ways: what it was (base), what it is (ours), and what somebody wants it to be (theirs).

    one side as the base      the other side          bytes and links as a whole, the mode by itself
    both alike                that
    three texts               line by line            text/merge
    anything else             an overlap, with why

Taking an entry back over later work, rewinding, and a stale edit all come down to this.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from workroom.base.changes import Kind, State
from workroom.text.merge import LARGEST_BYTES, Obstacle, Region, merge_files

__all__ = ["Merged", "Overlap", "Strategy", "merge_path", "overlap_row"]

Strategy = Literal["refuse", "merge"]
"""What is done about changes that were made meanwhile."""

_REGIONS = 10
_REGION_CHARS = 1_000

_WHY: dict[Obstacle, str] = {
    "": "both changed it, and it is no file on all sides",
    "binary": "both changed it, and it is no text",
    "encoding": "both changed it, and not in the same encoding",
    "too_large": "both changed it, and it is too large to be compared",
    "overlap": "both changed the same lines",
}


@dataclass(frozen=True, slots=True)
class Merged:
    """The one state that both changes lead to. `data`: bytes of `both`, which no side has; else the side's own."""

    take: Literal["ours", "theirs", "both"]
    mode: int | None
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class Overlap:
    """Why there is no such state, and where text overlaps."""

    why: str
    regions: tuple[Region, ...] = ()


def merge_path(base: State, ours: State, theirs: State, image: Callable[[str], bytes]) -> Merged | Overlap:
    """Both changes of one path in one. `image` finds the bytes of all three, by their SHA-256."""
    mode = _merge_mode(base, ours, theirs)
    if isinstance(mode, Overlap):
        return mode
    if ours.same_content(theirs) or theirs.same_content(base):
        return Merged("ours", mode)
    if ours.same_content(base):
        return Merged("theirs", mode)
    if not base.kind is ours.kind is theirs.kind is Kind.FILE:
        return Overlap(_no_file(base, ours, theirs))
    return _merge_bytes((base, ours, theirs), mode, image)


def _merge_bytes(states: Sequence[State], mode: int | None, image: Callable[[str], bytes]) -> Merged | Overlap:
    if max(state.size for state in states) > LARGEST_BYTES:
        return Overlap(_WHY["too_large"])
    found = merge_files(*(image(state.sha256) for state in states))
    if found.data is None:
        return Overlap(_WHY[found.obstacle], found.conflicts)
    return Merged("both", mode, found.data)


def overlap_row(overlap: Overlap) -> dict[str, Any]:
    """An overlap as a refusal shows it: why, and up to ten regions with where they are and 1,000 characters a side.

    Lines count from 1; a side of no lines starts at the line before it.
    """
    row: dict[str, Any] = {"why": overlap.why}
    if overlap.regions:
        shown = overlap.regions[:_REGIONS]
        row |= {
            "regions": [_region_row(region) for region in shown],
            "regionsTotal": len(overlap.regions),
            "regionsTruncated": len(overlap.regions) > len(shown),
        }
    return row


def _region_row(region: Region) -> dict[str, Any]:
    return {
        "base": _side_row(region.base_start, region.base_lines, region.base),
        "now": _side_row(region.ours_start, region.ours_lines, region.ours),
        "wanted": _side_row(region.theirs_start, region.theirs_lines, region.theirs),
    }


def _side_row(start: int, lines: int, text: str) -> dict[str, Any]:
    row: dict[str, Any] = {"startLine": start, "lines": lines, "text": text[:_REGION_CHARS]}
    if len(text) > _REGION_CHARS:
        row["truncated"] = True
    return row


def _merge_mode(base: State, ours: State, theirs: State) -> int | Overlap | None:
    """The permission bits by themselves; those that a side leaves open count as unchanged."""
    if theirs.mode in (None, base.mode, ours.mode):
        return ours.mode
    if ours.mode in (None, base.mode):
        return theirs.mode
    if base.mode is None:
        return ours.mode
    return Overlap(f"both changed its mode ({base.mode:o}: {ours.mode:o} now, {theirs.mode:o} wanted)")


def _no_file(base: State, ours: State, theirs: State) -> str:
    if ours.kind is Kind.ABSENT:
        return "it is gone"
    if theirs.kind is Kind.ABSENT:
        return "it was changed, and would be deleted"
    if base.kind is Kind.ABSENT:
        return f"a {ours.kind} stands there now"
    return _WHY[""]
