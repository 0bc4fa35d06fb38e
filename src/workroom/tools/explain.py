"""What is wrong with a call's arguments, told so that a model can repair it: the field, and the nearest right name.

explain(tool, action, error)   pydantic's errors as one INVALID_INPUT
nearest(name, known)           the right name for a wrong one
full_schema(arguments)         the model's own JSON Schema, made once; `resolved` follows its references
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import ValidationError

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.tools.tool import Action, Arguments, Tool

__all__ = ["Json", "explain", "full_schema", "nearest", "quoted", "resolved"]

Json = dict[str, Any]
Row = Mapping[str, Any]
"""One of pydantic's errors: type, loc, msg, input, ctx."""

_USUAL: Mapping[str, tuple[str, ...]] = {
    "file_path": ("path",), "filename": ("path",), "file": ("path",), "directory": ("path", "cwd"),
    "old_string": ("search",), "old_text": ("search",), "old_str": ("search",),
    "new_string": ("replacement",), "new_text": ("replacement",), "new_str": ("replacement",),
    "offset": ("start_line",), "glob": ("include", "pattern"), "pattern": ("query",), "text": ("content",),
    "diff": ("patch",), "id": ("transaction_id", "plan_id"), "edits": ("operations",), "max_results": ("limit",),
}  # fmt: skip
"""What other programs' tools call our fields; where spelling doesn't lead to the right name, this does."""

_LONGEST_NAME = 80
"""Characters of a sent name that are compared and told."""

_SHOWN = 3
"""Problems told at once."""

_WORDS = (
    ("Value error, ", ""),
    ("valid tuple", "list"),
    ("Tuple", "List"),
    ("valid dictionary or instance of ", "valid "),
    (" after validation", ""),
)
"""Pydantic's words, and what somebody who sends JSON calls the same."""

_MEMBERS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
"""What pydantic calls a union's member of each JSON type in an error's location."""


@lru_cache(maxsize=256)
def full_schema(arguments: type[Arguments]) -> Json:
    """The JSON Schema of an action's arguments, references and all; not to be changed."""
    return arguments.model_json_schema()


def resolved(node: Json, defs: Json) -> Json:
    """The node itself, or what its `$ref` names."""
    return defs[node["$ref"].rsplit("/", 1)[-1]] if "$ref" in node else node


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The name among `known` that was probably meant."""
    name = name[:_LONGEST_NAME]
    names = list(known)
    for usual in _USUAL.get(name.lower(), ()):
        if usual in names:
            return usual
    near = difflib.get_close_matches(name.lower().replace("-", "_"), names, n=1, cutoff=0.6)
    return near[0] if near else None


def quoted(value: Any) -> str:
    """A value as a message shows it: short, and escaped."""
    text = ascii(value[:60] if isinstance(value, str) else value)
    return text if len(text) <= 60 else text[:57] + "…'"


def explain(tool: Tool, action: Action, error: ValidationError) -> WorkroomError:
    """INVALID_INPUT that names each wrong field, such as `operations[2].search`, and the fields there are."""
    rows = _telling(error.errors(include_url=False))
    places = [_place(action, row["loc"]) for row in rows[:_SHOWN]]
    told = [_problem(tool, action, row, place) for row, place in zip(rows[:_SHOWN], places, strict=True)]
    if len(rows) > _SHOWN:
        told.append(f"(and {len(rows) - _SHOWN} more)")
    first = places[0]
    names = ", ".join(first.names)
    kind = "Types" if first.tags else "Fields"
    return WorkroomError(
        ErrorCode.INVALID_INPUT,
        f"{tool.operation(action.name)}: {' '.join(told)}",
        next_step=f"{kind} of {first.inside}: {names}." if names else f"{first.inside} takes no fields.",
        details={"field": first.path, "fields": list(first.names)},
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an error lies: its path as a reader writes it, and the names that are known beside it."""

    path: str
    inside: str
    """What the names belong to: `read`, `replace`."""
    names: tuple[str, ...]
    tags: bool = False
    """Whether the names are values of `type`."""


def _telling(rows: Sequence[Row]) -> list[Row]:
    """The errors without those that only follow from another: an empty list after its items failed, the string
    member of a union that was given an object."""
    kept = [
        row
        for row in rows
        if not (row["type"] == "string_type" and isinstance(row["input"], dict) and len(rows) > 1)
        and not (row["type"] == "too_short" and row["input"])
    ]
    return kept or list(rows)


def _problem(tool: Tool, action: Action, row: Row, place: _Place) -> str:
    kind = row["type"]
    if kind == "extra_forbidden":
        return _unknown_field(tool, action, row["loc"], place)
    if kind == "missing":
        return f"`{place.path}` is missing."
    if kind in ("union_tag_not_found", "union_tag_invalid"):
        return _unknown_type(row, place)
    message = str(row["msg"])
    for theirs, ours in _WORDS:
        message = message.replace(theirs, ours)
    return f"`{place.path}`: {message}." if place.path else f"{message}."


def _unknown_field(tool: Tool, action: Action, loc: Sequence[int | str], place: _Place) -> str:
    name = str(loc[-1])
    wrong = f"`{place.path}` is not a field of {place.inside}"
    near = nearest(name, place.names)
    if near:
        return f"{wrong}; did you mean `{near}`?"
    owners = [a.name for a in tool.actions if name in full_schema(a.arguments).get("properties", {})]
    return f"{wrong}, but of {', '.join(owners)}." if owners and len(loc) == 1 else f"{wrong}."


def _unknown_type(row: Row, place: _Place) -> str:
    known = [tag.strip(" '") for tag in str(row["ctx"].get("expected_tags", "")).split(",")]
    tag = row["ctx"].get("tag")
    wrong = f"`{place.path}.type` is missing" if tag is None else f"`{place.path}.type` can't be {quoted(tag)}"
    near = nearest(str(tag), known)
    return f"{wrong}; did you mean `{near}`?" if near else f"{wrong}."


def _place(action: Action, loc: Sequence[int | str]) -> _Place:
    """Follow an error's location through the schema; the names of a union's members on the way aren't the reader's."""
    schema = full_schema(action.arguments)
    defs = schema.get("$defs", {})
    node, path, inside, names = schema, "", action.name, _names(schema)
    for step in loc:
        node = resolved(node, defs)
        member = _member(node, step, defs)
        if member is not None:
            if _names(member):
                inside, names = str(step) if "discriminator" in node else f"`{path}`", _names(member)
            node = member
        elif isinstance(step, int):
            path += f"[{step}]"
            node = node.get("items", {})
        else:
            path += f".{step[:_LONGEST_NAME]}" if path else step[:_LONGEST_NAME]
            node = node.get("properties", {}).get(step, {})
    tags = resolved(node, defs).get("discriminator", {}).get("mapping")
    return _Place(path, f"`{path}`", tuple(tags), tags=True) if tags else _Place(path, inside, names)


def _member(node: Json, step: int | str, defs: Json) -> Json | None:
    """The member of a union that `step` names, by its tag, title or type; None where it names no member."""
    for tag, reference in node.get("discriminator", {}).get("mapping", {}).items():
        if step == tag:
            return resolved({"$ref": reference}, defs)
    for option in node.get("anyOf", ()):
        member = resolved(option, defs)
        if step in (member.get("title"), _MEMBERS.get(str(member.get("type")))):
            return member
    return None


def _names(node: Json) -> tuple[str, ...]:
    return tuple(node.get("properties", ()))
