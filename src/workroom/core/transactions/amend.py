"""What the person makes of a plan before they accept it: other contents for its files, on the same paths.

    planned ── the person's contents ──> amended    its own id; planned, waits for no other word
       └── is superseded, or, where only a part of it was asked for, keeps the rest

Nothing is added that wasn't asked for: paths, folders, moves and modes stay those of the plan, and so do its dangers
and its guards. A file that ends as it is on the disk falls out.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from workroom.base.changes import Change, Kind, State
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions.images import held
from workroom.core.transactions.model import Derivation, ImageOf, Planned
from workroom.core.transactions.overlay import count_changed
from workroom.core.transactions.part import narrowed
from workroom.text.diff import FileSide, render_file

__all__ = ["Amended", "amend", "check_editable"]


@dataclass(frozen=True, slots=True)
class Amended:
    """What the person made of `source`. `rest` is what stays planned of a plan of which only a part was asked for."""

    planned: Planned
    source: Planned
    derived: Derivation
    rest: Planned | None


def amend(planned: Planned, contents: Mapping[str, bytes], image: ImageOf, *, id: str, person: str) -> Amended:  # noqa: A002 - the field's name
    """The plan with the person's contents, by path. INVALID_INPUT where there is nothing to edit, or nothing edited."""
    by_path = {change.path: change for change in planned.change_set.changes}
    edited: dict[str, bytes] = {}
    patches = []
    for path, data in contents.items():
        change = _editable(planned, by_path, path)
        proposed = image(change.after.sha256)
        if data != proposed:
            edited[path] = data
            patches.append(render_file(_side(change, proposed), _side(change, data)))
    if not edited:
        raise WorkroomError(
            ErrorCode.INVALID_INPUT, f"{planned.id}: nothing was edited.", next_step="Accept it as it was proposed."
        )
    changes = [_amended(change, edited, image) for change in planned.change_set.changes]
    left = [change for change in changes if change is not None]
    if not left:
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            f"{planned.id}: as you edited it, it changes nothing.",
            next_step="Deny it, if that is meant.",
        )
    source = planned.id if planned.part is None else planned.part.rest.id
    amended = replace(
        narrowed(planned, left),
        id=id,
        operations=({"type": "edited", "of": source, "by": person, "files": sorted(edited)},),
        idempotency_key=None,
        supersedes=None,
        kept=False,
        part=None,
    )
    new = {hashlib.sha256(data).hexdigest(): data for data in edited.values()}
    note = f"Edited by {person}, the person, before it was accepted; it was proposed as {source}."
    amended = replace(
        amended, contents={**held(amended.change_set, image), **new}, warnings=(note, *amended.warnings)
    )  # fmt: skip
    derived = Derivation("edited", source, person, "".join(patches))
    return Amended(amended, planned, derived, _rest(planned, edited))


def check_editable(planned: Planned, path: str) -> str:
    """Why the person can't edit what would stand at a path, as a sentence; empty where they can."""
    change = next(change for change in planned.change_set.changes if change.path == path)
    if change.after.kind is not Kind.FILE:
        return f"{path} is no file afterwards."
    if change.origin is not None:
        return f"{path} only moves; its content is not part of the plan."
    return ""


def _editable(planned: Planned, by_path: Mapping[str, Change], path: str) -> Change:
    if path not in by_path:
        near = difflib.get_close_matches(path, by_path, n=1, cutoff=0.4)
        hint = f" The nearest is {near[0]!a}." if near else ""
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            f"{planned.id} changes nothing at {path[:80]!a}.{hint}",
            details={"path": path, "nearest": near[0] if near else None},
        )
    obstacle = check_editable(planned, path)
    if obstacle:
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            obstacle,
            next_step="Accept it in part, or deny it.",
            details={"path": path},
        )
    return by_path[path]


def _amended(change: Change, edited: Mapping[str, bytes], image: ImageOf) -> Change | None:
    """The change with the person's content; None where nothing would change any more."""
    data = edited.get(change.path)
    if data is None:
        return change
    after = State(Kind.FILE, hashlib.sha256(data).hexdigest(), len(data), change.after.mode)
    if change.before.same_content(after) and change.before.mode == after.mode:
        return None
    before = image(change.before.sha256) if change.before.sha256 else b""
    added, removed = count_changed(before or b"", data)
    return replace(change, after=after, matched="exact", added=added, removed=removed)


def _rest(planned: Planned, edited: Mapping[str, bytes]) -> Planned | None:
    """What stays planned of the whole; of a file that the person edited, no further hunks."""
    if planned.part is None:
        return None
    rest = planned.part.rest
    left = [change for change in rest.change_set.changes if change.path not in edited]
    return narrowed(rest, left) if left else None


def _side(change: Change, data: bytes | None) -> FileSide:
    return FileSide(change.path, data, change.after.mode)
