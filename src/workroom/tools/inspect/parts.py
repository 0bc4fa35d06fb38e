"""What read shows as text though it is something else: the cells of a notebook, the pages of a PDF.

Parts are counted from 1, and none of their lines has a number: those would be taken for lines of the file. A notebook
is text, too, and is edited by its own lines; its view has a hash of its own, by which no edit can be guarded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workroom.base.envelope import Artifact
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.search.excerpt import json_length
from workroom.core.search.pdf import read_pdf
from workroom.core.search.pieces import WHOLE
from workroom.system.agentic import Agentic
from workroom.text.encoding import decode
from workroom.text.notebook import cells
from workroom.tools.inspect.shown import Shown, unchanged
from workroom.tools.tool import Call

__all__ = ["Wanted", "kept", "notebook", "pdf"]

_PDF_SECONDS = 15.0
_LEAST_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which parts of a file, in how much room (characters as JSON); `count` files are read in this call."""

    first: int
    last: int | None
    room: int
    known: str | None
    count: int = 1


def notebook(call: Call, where: dict[str, Any], target: str, wanted: Wanted) -> Shown | None:
    """The cells of the notebook at a path; None where it is none, or too large to be looked at as one."""
    try:
        data = call.workspace.root.read(target, WHOLE)
    except WorkroomError:
        return None  # whatever it is, reading its lines tells
    file = decode(data)
    found = cells(file.text) if file is not None else None
    if found is None:
        return None
    sha = hashlib.sha256(data).hexdigest()
    view = hashlib.sha256(f"notebook {sha}".encode()).hexdigest()
    if wanted.known in (sha, view):
        return unchanged(where, {"viewSha256": view}, len(data))
    if wanted.first > len(found):
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            f"`start_part` {wanted.first:,} is behind the end: {where['path']!r} has {len(found):,} cells.",
            details={"field": "start_part", "totalParts": len(found)},
        )
    parts = found[wanted.first - 1 : wanted.last]
    facts = {**where, "bytes": len(data), "view": "notebook", "viewSha256": view}
    shown = _shown(call.workspace.agentic, facts, parts, len(found), wanted, "cell")
    how = " This is a view: to edit it, read the lines of the file that a cell names, by start_line and end_line."
    return Shown(shown.data, shown.said + how, shown.text, artifacts=shown.artifacts)


def pdf(call: Call, where: dict[str, Any], target: str, wanted: Wanted) -> Shown:
    """The pages of the PDF at a path; the errors of `read_pdf`."""
    seconds = max(_PDF_SECONDS / wanted.count, _LEAST_SECONDS)
    root = call.workspace.root
    found = read_pdf(root, target, wanted.first, wanted.last, wanted.room, wanted.known, seconds)
    if found.unchanged:
        return unchanged(where, {"sha256": found.sha256}, found.size)
    parts = [_page(number, found.pages, text) for number, text in enumerate(found.texts, wanted.first)]
    facts = {**where, "sha256": found.sha256, "bytes": found.size, "view": "pdf"}
    shown = _shown(call.workspace.agentic, facts, parts, found.pages, wanted, "page")
    said = f"{shown.said} sha256 {found.sha256 or 'not computed'}."
    return Shown(shown.data, said, shown.text, artifacts=shown.artifacts)


def _page(number: int, count: int, text: str | None) -> str:
    head = f"-- page {number} of {count}"
    if text is None:
        return f"{head}, which can't be read"
    return f"{head}\n{text}" if text else f"{head}, without text"


def _shown(
    agentic: Agentic, facts: dict[str, Any], parts: Sequence[str], total: int, wanted: Wanted, noun: str
) -> Shown:
    """As many parts as there is room for; the first one, where it is too long, as far as it goes."""
    count = _fitting(parts, wanted.room)
    last = wanted.first + max(count, 1) - 1
    text, artifacts = "\n".join(parts[:count]), tuple[Artifact, ...]()
    said = f"{noun}s {wanted.first}-{last} of {total:,}, as text."
    if parts and not count:
        text, said = _beginning(parts[0], wanted.room), f"{noun} {wanted.first} of {total:,}, as text, and cut."
        if wanted.count == 1:
            artifacts = kept(agentic, parts[0], f"{noun} {wanted.first} of {facts['path']}")
        said += "".join(f" The whole of it is in {each.path}." for each in artifacts) or " Read it by itself."
    more = last < min(total, wanted.last or total)
    data = {
        **facts,
        "text": text,
        "startPart": wanted.first,
        "endPart": min(last, total),
        "totalParts": total,
        "truncated": more or bool(parts and not count),
    }
    if parts and not count:
        data["cutParts"] = 1
    if more:
        data["nextStartPart"] = last + 1
        said += f" Truncated: go on with start_part {last + 1}."
    return Shown(data, said, text, artifacts=artifacts)


def _fitting(parts: Sequence[str], room: int) -> int:
    for count, part in enumerate(parts):
        room -= json_length(part)
        if room < 0:
            return count
    return len(parts)


def _beginning(part: str, room: int) -> str:
    """The beginning of a part, in whole lines where it has some."""
    kept = part[: max(room * len(part) // json_length(part), 1)]
    return kept[: kept.rfind("\n") + 1 or len(kept)].rstrip("\n")


def kept(agentic: Agentic, part: str, what: str) -> tuple[Artifact, ...]:
    """What an answer had no room for as a file, where one can be written."""
    raw = part.encode("utf-8", "replace")
    try:
        artifact = agentic.write(f"artifacts/read-{hashlib.sha256(raw).hexdigest()[:12]}.txt", raw, "part", what)
        agentic.trim("artifacts")
    except (WorkroomError, OSError):
        return ()
    return (artifact,)
