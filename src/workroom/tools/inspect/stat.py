"""workspace_inspect stat: what stands at a path."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from workroom.base.changes import Kind
from workroom.base.envelope import Envelope
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.search.excerpt import Excerpt, describe
from workroom.core.search.listing import shown_path
from workroom.core.search.tracked import git_states
from workroom.system.clock import iso
from workroom.system.root import Stat
from workroom.text.paths import STAGE_PREFIX
from workroom.tools.inspect.common import Paths, places, with_help
from workroom.tools.tool import Action, Call

__all__ = ["STAT"]

_READ = 64_000_000
"""Bytes of files that one call reads, for their lines and hashes."""
_ENTRIES = 100_000
"""How many entries of a folder are counted."""
_NOT_READ = "lines and sha256: the files before it were enough to be read by one call"
_TOO_LARGE = "lines and sha256: it is too large to be read for a stat"


class StatOf(Paths):
    pass


def _stat(call: Call, arguments: StatOf) -> Envelope:
    given, room = places(arguments), _Room()
    if len(given) == 1:
        row = _stat_row(call, given[0], room)
        _tell_git(call, [row])
        return Envelope(
            ok=True, operation="inspect.stat", summary=_stat_line(row), data=row, text=_stat_text(row),
        )  # fmt: skip
    rows: list[dict[str, Any]] = []
    for path in given:
        try:
            rows.append(_stat_row(call, path, room))
        except WorkroomError as error:
            rows.append({"path": path, "error": {"code": str(error.code), "message": str(error)}})
    _tell_git(call, rows)
    return Envelope(
        ok=True,
        operation="inspect.stat",
        summary=f"Looked at {len(rows)} paths.",
        data={"entries": rows, "total": len(rows), "truncated": False},
        text="\n".join(_stat_line(row) for row in rows),
    )


@dataclass(slots=True)
class _Room:
    """How many bytes of files are still read to tell of them."""

    left: int = _READ

    def holds(self, size: int) -> bool:
        """Whether a file may be looked into; of one that is larger than all the room nothing is read."""
        if size > _READ:
            return True
        enough = size <= self.left
        self.left -= size if enough else 0
        return enough


def _stat_row(call: Call, given: str, room: _Room) -> dict[str, Any]:
    root = call.workspace.root
    path = root.resolve(root.parse(given), last=False)
    seen = _look(call, path)
    row: dict[str, Any] = {
        "path": path,
        "kind": str(seen.kind),
        "bytes": seen.size,
        "mode": f"{seen.mode:04o}",
        "mtime": iso(seen.mtime_ns / 1e9),
    }
    if seen.kind is Kind.SYMLINK:
        row |= {"target": shown_path(seen.target or ""), "leadsTo": _leads_to(call, path)}
    elif seen.kind is Kind.FILE:
        row |= _content(describe(root, path)) if room.holds(seen.size) else {"sha256": None, "omitted": _NOT_READ}
    elif seen.kind is Kind.DIRECTORY:
        row |= _entries(call, path)
    return row


def _tell_git(call: Call, rows: Iterable[dict[str, Any]]) -> None:
    files = [row for row in rows if row.get("kind") in (Kind.FILE, Kind.SYMLINK)]
    states = git_states(call.workspace.root, [row["path"] for row in files]) if files else {}
    for row in files:
        if row["path"] in states:
            row["git"] = states[row["path"]]


def _look(call: Call, path: str) -> Stat:
    seen = call.workspace.root.stat(path)
    if seen is None:
        missing = WorkroomError(ErrorCode.NOT_FOUND, f"Path {path!r} does not exist.")
        raise with_help(call, path, missing)
    return seen


def _leads_to(call: Call, path: str) -> str:
    root = call.workspace.root
    try:
        target = root.resolve(path)
    except WorkroomError as error:
        return "outside the workspace" if error.code is ErrorCode.PATH_OUTSIDE_WORKSPACE else "nowhere"
    seen = root.stat(target)
    return f"{shown_path(target)} ({seen.kind if seen is not None else 'absent'})"


def _entries(call: Call, path: str) -> dict[str, Any]:
    """How many entries a folder has, as far as they are counted; nothing where it can't be looked into."""
    try:
        with call.workspace.root.folder(path) as folder, os.scandir(folder) as entries:
            count = sum(not entry.name.startswith(STAGE_PREFIX) for entry in itertools.islice(entries, _ENTRIES))
            more = next(entries, None) is not None
    except (WorkroomError, OSError):
        return {"unreadable": True}
    return {"entries": count} | ({"entriesAtLeast": True} if more else {})


def _content(found: Excerpt) -> dict[str, Any]:
    row: dict[str, Any] = {"sha256": found.sha256, "text": bool(found.encoding)}
    if found.sha256 is None:
        row["omitted"] = _TOO_LARGE
    if found.encoding:
        row |= {"lines": found.total, "encoding": found.encoding, "lineEnding": found.line_ending}
    return row


def _stat_line(row: dict[str, Any]) -> str:
    if "error" in row:
        return f"{row['path']}: {row['error']['message']}"
    lines = f", {row['lines']:,} lines" if row.get("lines") is not None else ""
    if "entries" in row:
        lines = f", {'at least ' if 'entriesAtLeast' in row else ''}{row['entries']:,} entries"
    if "omitted" in row:
        lines += f" ({row['omitted']})"
    target = f" -> {row['target']}" if "target" in row else ""
    git = f", git: {row['git']}" if "git" in row else ""
    return f"{row['path']}{target}: {row['kind']}, {row['bytes']:,} bytes{lines}, mode {row['mode']}{git}."


def _stat_text(row: dict[str, Any]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in row.items() if name != "path")


STAT = Action("stat", StatOf, "What stands at a path: kind, size, lines, hash, mode, git's view of it.", _stat)
