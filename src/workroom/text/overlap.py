"""A conflict as a reader sees it, from the wire's form: the regions that overlap as git marks them, else the patch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["render_conflict", "render_conflicts"]


def render_conflicts(rows: Iterable[Mapping[str, Any]], limit: int) -> str:
    """Conflicts one after the other, cut at `limit` characters, which is told."""
    text = "".join(map(render_conflict, rows))
    return text if len(text) <= limit else f"{text[:limit]}\n… {len(text) - limit} characters more\n"


def render_conflict(row: Mapping[str, Any]) -> str:
    """One conflict: each region of the `regions` of a row, or its `patch`."""
    if "regions" not in row:
        return str(row.get("patch", ""))
    parts = [f"{row['path']}: {row['why']}\n"]
    for region in row["regions"]:
        now, base, wanted = (region[name] for name in ("now", "base", "wanted"))
        parts += [
            f"<<<<<<< now, {_lines(now)}\n{_text(now)}||||||| before both changes, {_lines(base)}\n{_text(base)}",
            f"=======\n{_text(wanted)}>>>>>>> wanted, {_lines(wanted)}\n",
        ]
    if row["regionsTruncated"]:
        parts.append(f"and {row['regionsTotal'] - len(row['regions'])} more regions\n")
    return "".join(parts)


def _lines(side: Mapping[str, Any]) -> str:
    start, count = side["startLine"], side["lines"]
    if not count:
        return f"after line {start}"
    return f"line {start}" if count == 1 else f"lines {start} to {start + count - 1}"


def _text(side: Mapping[str, Any]) -> str:
    text = str(side["text"])
    ended = text if not text or text.endswith("\n") else f"{text}\n"
    return f"{ended}…\n" if side.get("truncated") else ended
