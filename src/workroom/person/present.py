"""What a person is shown before they decide: rendered from the real bytes, escaped, the agent's words apart.

Nothing here is read from `.agentic/`, where an agent may write: the diff comes from the images in the store. A text
that is too long to be read can't be accepted.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from workroom.base.changes import Change, Kind
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.approvals import Approval, Status
from workroom.core.plans import markdown
from workroom.core.transactions import UNNAMED, Named, Planned, file_row, render_diff
from workroom.person.request import is_editable, planned_of
from workroom.system.clock import iso
from workroom.text.diff import FileSide, render_file, shown_lines
from workroom.text.display import show
from workroom.tools.workspace import Workspace

__all__ = ["LONGEST_CHARACTERS", "LONGEST_LINES", "Presented", "present", "render_changes"]

LONGEST_CHARACTERS = 1_000_000
LONGEST_LINES = 20_000
"""What is longer than either can't be accepted."""

_COMPARED_BYTES = 2_000_000
_LARGEST_BYTES = 50_000_000
"""Files up to the first are compared as everywhere; up to the second here too, where somebody decides on them."""


@dataclass(frozen=True, slots=True)
class Presented:
    """One record as a person is shown it. Every text is escaped already; `sha256` is of `text`."""

    record: Approval
    title: str
    """The record's title, which the agent has a part in."""
    facts: tuple[str, ...]
    """Lines of Workroom's own: who asks, what it is, what is dangerous about it."""
    body: str
    """What would be done, from the real bytes."""
    words: str
    """What the agent says about it."""
    flags: tuple[str, ...]
    """What was found that could deceive; it is shown escaped."""
    obstacle: str
    """Why it can't be accepted, as a sentence, or empty."""
    text: str
    sha256: str
    changed: bool = False
    """Whether it would do something else by now than what was asked for; that is the obstacle, then."""
    hunks: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """The hunks that can be accepted by themselves: path and ids."""
    editable: bool = False
    """Whether it can be accepted in part, and edited first."""
    changes: tuple[Change, ...] = ()
    """What `body` tells of, path by path."""

    def to_json(self) -> dict[str, Any]:
        """The wire's form."""
        return {
            "id": self.record.id,
            "kind": self.record.kind,
            "status": str(self.record.status),
            "destructive": self.record.destructive,
            "title": self.title,
            "facts": list(self.facts),
            "body": self.body,
            "words": self.words,
            "flags": list(self.flags),
            "obstacle": self.obstacle,
            "sha256": self.sha256,
            "editable": self.editable,
            "hunks": [{"path": path, "ids": list(ids)} for path, ids in self.hunks],
            "changes": [_change_row(change) for change in self.changes],
        }


@dataclass(frozen=True, slots=True)
class _Draft:
    """What is to be shown, before escaping. `reasons` are ours, `body` real, `words` the agent's.

    `names` are the paths in `body`, where they stand escaped already.
    """

    reasons: tuple[str, ...]
    body: str
    words: str
    obstacle: str = ""
    names: tuple[str, ...] = ()
    changed: bool = False
    named: Named = field(default_factory=dict)
    changes: tuple[Change, ...] = ()


def present(workspace: Workspace, record: Approval) -> Presented:
    """A record as the person is shown it; the same record over the same folder is shown the same."""
    draft = _draft(workspace, record)
    title = show(record.title, multiline=False)
    facts = [show(fact, multiline=False) for fact in (*_facts(record), *draft.reasons)]
    body, words = show(draft.body), show(draft.words)
    names = [show(name, multiline=False) for name in draft.names]
    flags = tuple(sorted({flag for shown in (title, *facts, body, words, *names) for flag in shown.flags}))
    text = _text([fact.text for fact in facts], body.text, words.text, flags)
    return Presented(
        record=record,
        title=title.text,
        facts=tuple(fact.text for fact in facts),
        body=body.text,
        words=words.text,
        flags=flags,
        obstacle=draft.obstacle or _too_long(text),
        text=text,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        changed=draft.changed,
        changes=draft.changes,
        editable=is_editable(record),
        hunks=tuple(
            (show(path, multiline=False).text, tuple(hunk.id for hunk in each)) for path, each in draft.named.items()
        ),
    )


def render_changes(workspace: Workspace, planned: Planned) -> str:
    """What a transaction does, from the images: one line a change, then the diff, or how long that would be.

    NOT_FOUND when an image is gone, LIMIT_EXCEEDED when a text is too large to be compared.
    """
    text, left_out = _rendered(workspace, planned)
    return f"{text}\n{left_out:,} lines are removed or added, too many to be shown here.\n" if left_out else text


def _rendered(workspace: Workspace, planned: Planned, named: Named = UNNAMED) -> tuple[str, int]:
    """The text of `render_changes`; and how many lines it leaves out, since nobody could read them all."""

    def image(sha: str) -> bytes:
        held = planned.contents.get(sha)
        data = workspace.transactions.image(sha) if held is None else held
        if data is None:
            raise WorkroomError(ErrorCode.NOT_FOUND, "a content is no longer kept (history_quota_bytes).")
        return data

    changes = planned.change_set.changes
    moved = {change.origin for change in changes}
    large = [change for change in changes if change.path not in moved and _is_large(change)]
    for change in large:
        if _is_text(change) and _size(change) > _LARGEST_BYTES:
            raise WorkroomError(ErrorCode.LIMIT_EXCEEDED, f"{change.path} is too large to be compared.")
    lines = "\n".join(map(_change_line, changes)) + "\n"
    counted = sum((change.added or 0) + (change.removed or 0) for change in changes)
    if counted > LONGEST_LINES:
        return lines, counted
    # Lines that only moved weren't counted where there was too much to compare, but they would be shown.
    marked = sum(_marked_lines(*_sides(change, image)) for change in large if _is_text(change))
    if marked > LONGEST_LINES:
        return lines, marked
    diff = render_diff(tuple(change for change in changes if change not in large), image, named, most=math.inf)
    return f"{lines}\n{diff}" + "".join(_large_diff(change, image) for change in large), 0


def _is_large(change: Change) -> bool:
    """Whether `render_diff` would leave its content out."""
    return change.origin is None and _size(change) > _COMPARED_BYTES


def _is_text(change: Change) -> bool:
    return change.added is not None


def _size(change: Change) -> int:
    return max(change.before.size, change.after.size)


def _sides(change: Change, image: Callable[[str], bytes]) -> tuple[FileSide, FileSide]:
    before, after = (
        FileSide(change.path, None if state.kind is Kind.ABSENT else image(state.sha256), state.mode)
        for state in (change.before, change.after)
    )
    return before, after


def _marked_lines(before: FileSide, after: FileSide) -> int:
    return shown_lines(before.data or b"", after.data or b"")


def _large_diff(change: Change, image: Callable[[str], bytes]) -> str:
    if _size(change) > _LARGEST_BYTES:
        return ""  # not text: its line says so, with both sizes
    return render_file(*_sides(change, image), max_bytes=_LARGEST_BYTES)


def _draft(workspace: Workspace, record: Approval) -> _Draft:
    try:
        if record.kind == "plan":
            return _plan(workspace, record)
        if record.kind == "transaction":
            return _transaction(workspace, record)
    except WorkroomError as error:
        return _Draft((), "", record.title, f"It can't be shown: {error.message}")
    call = json.dumps({"tool": record.tool, **record.arguments}, indent=2, ensure_ascii=False)
    return _Draft((), "\n\n".join(filter(None, (call, record.preview.get("shown", "")))), record.title)


def _plan(workspace: Workspace, record: Approval) -> _Draft:
    reason = (
        "A plan changes nothing by itself. While it is approved, in Plan mode, what the agent changes runs unasked, "
        "except what is asked about in every mode."
    )
    return _Draft((reason,), "", markdown(workspace.plans.get(record.id), record.status))


def _transaction(workspace: Workspace, record: Approval) -> _Draft:
    planned = planned_of(workspace, record)
    reasons = [f"destructive: {danger.operation} {danger.path}" for danger in planned.dangers]
    reasons += [f"note: {warning}" for warning in planned.warnings]
    names = tuple(planned.change_set.paths())
    named = workspace.transactions.hunks(planned) if record.status is Status.PENDING else UNNAMED
    body, left_out = _rendered(workspace, planned, named)
    obstacle = _unreadable(f"{left_out:,} lines") if left_out else ""
    changed = record.status is Status.PENDING and planned.fingerprint != record.fingerprint
    if changed:
        obstacle = "What it would do has changed since it was asked for, and a yes would be to what it was then."
    return _Draft(tuple(reasons), body, planned.title, obstacle, names, changed, named, planned.change_set.changes)


def _facts(record: Approval) -> list[str]:
    facts = [
        f"{record.id}: {record.kind}, {record.status}",
        f"asked by {record.actor.kind} {record.actor.name} at {iso(record.created_at)}; until {iso(record.expires_at)}",
        f"runs: {record.tool} {record.arguments.get('action', '')}",
    ]
    facts += ["DESTRUCTIVE: it deletes, moves or overwrites what is there"] if record.destructive else []
    facts += [f"ASKED IN EVERY MODE: {reason}" for reason in record.asks]
    if record.status is Status.CONSUMED and record.result is None and record.kind != "transaction":
        facts.append("used; what came of it isn't known: it is being done, or Workroom ended meanwhile")
    facts += _amended_facts(record)
    said = f": {record.note}" if record.note else ""
    facts += [f"decided by {record.decided_by}{said}"] if record.decided_by else []
    return facts


def _amended_facts(record: Approval) -> list[str]:
    if record.amended is None:
        return []
    if record.amended["how"] == "edited":
        return [f"accepted as the person edited it: {record.amended['transaction']}"]
    return [f"accepted in part: {', '.join([*record.amended['files'], *record.amended['hunks']])}"]


def _change_line(change: Change) -> str:
    row = file_row(change)
    name = change.path if change.origin is None else f"{change.origin} -> {change.path}"
    name = show(name, multiline=False).text
    if Kind.DIRECTORY in {change.before.kind, change.after.kind}:
        return f"{row['change']} folder {name}"
    counts = "not text" if change.added is None else f"+{change.added} -{change.removed}"
    return f"{row['change']} {name} ({counts}; {change.before.size} -> {change.after.size} bytes)"


def _change_row(change: Change) -> dict[str, Any]:
    """`path` is the real one, by which a part of it is named; `shown` and `origin` may be shown."""
    return {
        "path": change.path,
        "shown": show(change.path, multiline=False).text,
        "origin": None if change.origin is None else show(change.origin, multiline=False).text,
        "change": file_row(change)["change"],
        "folder": Kind.DIRECTORY in {change.before.kind, change.after.kind},
        "added": change.added,
        "removed": change.removed,
        "before": change.before.size,
        "after": change.after.size,
    }


def _text(facts: list[str], body: str, words: str, flags: tuple[str, ...]) -> str:
    parts = ["\n".join(facts)]
    if flags:
        parts.append(f"CAUTION, shown escaped: {', '.join(flags)}")
    if body:
        parts.append(f"What would be done:\n{body.rstrip()}")
    parts.append("In the agent's own words, which nobody checked:\n" + "\n".join(f"> {w}" for w in words.split("\n")))
    return "\n\n".join(parts) + "\n"


def _too_long(text: str) -> str:
    lines = text.count("\n")
    if len(text) <= LONGEST_CHARACTERS and lines <= LONGEST_LINES:
        return ""
    return _unreadable(f"{len(text):,} characters, {lines:,} lines")


def _unreadable(length: str) -> str:
    return (
        f"It is too long to be read ({length}; at most {LONGEST_CHARACTERS:,} characters and {LONGEST_LINES:,} lines "
        "can be accepted)."
    )
