"""Shape an answer: into the form that its caller knows, and within its length.

    formed(envelope, profile, tool)     a flat tool's answer is shown as its fields, every other whole
    bounded(envelope, limit, agentic)   what doesn't fit goes to a file that the answer names

The length is of the envelope as JSON, in characters, and of its text. Cutting is told: `data.truncated`, and
`data.omitted` with a count for each list (items) or text (characters) that was cut.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from workroom.base.envelope import Artifact, Envelope
from workroom.base.errors import WorkroomError
from workroom.base.settings import Profile
from workroom.system.agentic import Agentic
from workroom.tools.tool import Tool

__all__ = ["bounded", "formed"]

_FLAT_PROFILES: frozenset[Profile] = frozenset({"editor"})
"""Whose clients know no envelope, also not where they name no tool that is there."""

_RESERVE = 1_000
"""Characters kept for what isn't measured."""

_STEPS = 8
"""How often an answer is cut anew, where what tells of the cuts has made it too long again."""

_LEAST = 50
"""Characters by which there is less room then."""

_PLACES = 20
"""How many places that were cut are told."""

_RARE = tuple(chr(code) for code in range(32) if chr(code) not in "\b\t\n\f\r")

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def formed(envelope: Envelope, profile: Profile, tool: Tool | None = None) -> Envelope:
    """The answer in the form in which it is shown; without a tool (there is none of that name) by the profile."""
    flat = profile in _FLAT_PROFILES if tool is None else tool.flat
    return replace(envelope, form="fields") if flat else envelope


def bounded(envelope: Envelope, limit: int, agentic: Agentic) -> Envelope:
    """The envelope itself when it fits into `limit` characters, else a cut one with the whole in an artifact."""
    if _surely_fits(envelope, limit):
        return envelope
    if _size(envelope) <= limit and _text_length(envelope) <= limit:
        return envelope
    artifacts, note = _keep(envelope, agentic)
    told = replace(
        envelope,
        summary=_shortened(envelope.summary, limit // 8),
        facts=(*_few(envelope.facts, limit // 4 - len(note)), note),
        artifacts=(*envelope.artifacts, *artifacts),
    )
    if told.text is not None:
        beside = _text_length(replace(told, text=None)) + len(note) + 60
        told = replace(told, text=_shortened(told.text, limit - beside, note))
    room = limit - _size(replace(told, data={}, error=None))
    for _ in range(_STEPS):
        answer = _with_less(told, room)
        over = _size(answer) - limit
        if over <= 0:
            break
        room -= max(over, _LEAST)
    return answer


def _with_less(told: Envelope, room: int) -> Envelope:
    """The answer with its data and error in about `room` characters, and what is missing of them told."""
    cut, room = _Cut(), max(room, 0)
    error = cut.value(told.error, room // 2, "error") if told.error is not None else None
    data = cut.value(told.data, room - _length(error), "")
    if cut.omitted:
        data = {**data, "truncated": True, "omitted": cut.omitted}
    return replace(told, data=data, error=error)


def _few(facts: Sequence[str], room: int) -> list[str]:
    """The first facts, as many as there is room for."""
    kept: list[str] = []
    for fact in (_shortened(fact, 400) for fact in facts):
        room -= _length(fact) + 1
        if room < 0:
            break
        kept.append(fact)
    return kept


def _size(envelope: Envelope) -> int:
    return len(_encode(envelope.to_json()))


def _text_length(envelope: Envelope) -> int:
    """How long it is for a client that shows text."""
    rows = sum(len(row.kind) + len(row.path) + 4 for row in envelope.artifacts)
    return len(envelope.summary) + len(envelope.text or "") + rows + 30  # an error's code stands before it


def _surely_fits(envelope: Envelope, limit: int) -> bool:
    """Whether a plain answer fits even if every character were written as two; costs less than to measure it."""
    told = envelope.data.values()
    if (
        envelope.error is not None
        or _text_length(envelope) > limit
        or any(isinstance(value, dict | list) for value in told)
    ):
        return False
    texts = (envelope.summary, *envelope.facts, *(value for value in told if isinstance(value, str)))
    room = limit - _RESERVE - 60 * len(told) - 400 * len(envelope.artifacts)
    return 2 * sum(map(len, texts)) <= room and all(map(_plain, texts))


def _plain(text: str) -> bool:
    """No control character that JSON writes as six."""
    return not any(map(text.__contains__, _RARE))


def _keep(envelope: Envelope, agentic: Agentic) -> tuple[tuple[Artifact, ...], str]:
    """The whole answer as a file, and the sentence that tells of it. Where it can't be written, that is told."""
    lone = envelope.data.get("text", envelope.text or "")
    if isinstance(lone, str) and len(lone) > _length(envelope.data) // 2:
        body, suffix = lone, "txt"
    else:
        whole = {"data": envelope.data, "error": envelope.error} if envelope.error else envelope.data
        body, suffix = json.dumps(whole, ensure_ascii=False, indent=1), "json"
    raw = body.encode("utf-8", "backslashreplace")
    path = f"artifacts/{envelope.operation}-{hashlib.sha256(raw).hexdigest()[:12]}.{suffix}"
    try:
        artifact = agentic.write(path, raw, "answer", "the whole answer")
        agentic.trim("artifacts")
    except (WorkroomError, OSError) as error:
        return (), f"the answer was cut, and the whole couldn't be stored: {error}"
    return (artifact,), f"the answer was cut; the whole is in {artifact.path}"


def _length(value: Any) -> int:
    return len(_encode(value)) if value else 0


def _shortened(text: str, room: int, note: str = "") -> str:
    """The beginning of a text, in whole lines where it has some, and a line that says how much is missing."""
    if len(text) <= room:
        return text
    kept = text[: max(room, 0)]
    kept = kept[: kept.rfind("\n") + 1 or len(kept)]
    return f"{kept.rstrip(chr(10))}\n… {len(text) - len(kept)} characters more{'; ' + note if note else ''}"


@dataclass(slots=True)
class _Cut:
    """Cuts a JSON value to a length; `omitted` counts what went, by dotted path, for the first places."""

    omitted: dict[str, int] = field(default_factory=dict)

    def _tell(self, path: str, count: int) -> None:
        if len(self.omitted) < _PLACES or path in self.omitted:
            self.omitted[path] = self.omitted.get(path, 0) + count

    def value(self, value: Any, room: int, path: str) -> Any:
        """The value within about `room` characters of JSON."""
        if _length(value) <= room:
            return value
        if isinstance(value, str):
            return self._text(value, room, path)
        if isinstance(value, list):
            return self._list(value, room, path)
        if isinstance(value, dict):
            return self._dict(value, room, path)
        return value

    def _text(self, text: str, room: int, path: str) -> str:
        escaped = _length(text) / max(len(text), 1)
        kept = text[: int(max(room, 0) / escaped)] if text else text
        kept = kept[: kept.rfind("\n") + 1 or len(kept)]
        if kept != text:
            self._tell(path, len(text) - len(kept))
        return kept

    def _list(self, items: list[Any], room: int, path: str) -> list[Any]:
        kept: list[Any] = []
        for item in items:
            size = _length(item) + 1
            if size > room:
                break
            kept.append(item)
            room -= size
        if not kept and items and room > 0 and isinstance(items[0], dict | list | str):
            kept.append(self.value(items[0], room, f"{path}[0]"))
        if len(kept) < len(items):
            self._tell(path, len(items) - len(kept))
        return kept

    def _dict(self, fields: dict[str, Any], room: int, path: str) -> dict[str, Any]:
        """Short fields whole; long ones share what is left. Without room a field goes, but for the answer's own."""
        sizes = {name: _length(value) for name, value in fields.items()}
        kept: dict[str, Any] = {}
        for place, name in enumerate(sorted(fields, key=sizes.__getitem__)):
            overhead = len(name) + 4
            share = room // (len(fields) - place) - overhead
            if path and share <= 0:
                self._tell(path, 1)
                continue
            kept[name] = self.value(fields[name], share, f"{path}.{name}" if path else name)
            room -= _length(kept[name]) + overhead
        return {name: kept[name] for name in fields if name in kept}
