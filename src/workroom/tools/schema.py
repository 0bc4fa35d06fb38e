"""A tool's arguments: the schema a client is shown, and the strict parse of what it sends.

    input_schema(tool)           flat: one `action` enum, and the properties of all actions together
    output_schema(tool)          the envelope; of a flat tool its fields, or `error`
    answer_schema(output)        those fields alone
    parse_arguments(tool, raw)   the action and its arguments, or an INVALID_INPUT that a model can repair itself by

What is shown is small and loose, so that any client can use it; what is sent is checked by the action's own model.
A field sent as null counts as not sent (some clients fill every field they are shown), and an object or array sent
as a JSON string is taken where the field is one. Defaults are left out of the schema: some clients send them all,
and then a read would carry what belongs to a search.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.tools.explain import Json, explain, full_schema, nearest, quoted, resolved
from workroom.tools.tool import Action, Arguments, Tool

__all__ = ["UNSHOWN", "answer_schema", "input_schema", "output_schema", "parse_arguments"]

UNSHOWN: Json = {"unshown": True}
"""A field's `json_schema_extra`: taken when it is sent, and not shown, as long as it would only be refused."""

_MOST = 1_000
"""Fields of an object, and items of a list, that are looked at at all; no list may be as long."""

_HALF = re.compile("[\ud800-\udfff]")

_BY_FILE = "operations"
"""The field whose texts are judged by their file: in one with undecodable bytes, halves of pairs stand for them."""

_Shape = Literal["object", "array", "objects"]
"""What a structured field holds; `objects` is an array of objects only."""


def parse_arguments(tool: Tool, raw: Json) -> tuple[Action, Arguments]:
    """The action that `raw` names and its arguments; INVALID_INPUT names the field and the nearest right name."""
    action = tool.actions[0] if tool.flat else _action(tool, raw.get("action"))
    _check_raw(raw)
    shapes = _shapes(action.arguments)
    fields = {
        name: _restored(name, value, shapes[name]) if name in shapes else value
        for name, value in raw.items()
        if value is not None and (tool.flat or name != "action")
    }
    try:
        return action, action.arguments.model_validate(fields)
    except ValidationError as error:
        raise explain(tool, action, error) from None


def input_schema(tool: Tool) -> Json:
    """The tool's JSON Schema: flat, no reference, no alternative at the top, nothing beside the listed properties."""
    if tool.flat:
        return _flat_schema(tool.actions[0].arguments)
    properties: Json = {"action": {"type": "string", "enum": [action.name for action in tool.actions]}}
    for action in tool.actions:
        for name, shown in _properties(action.arguments).items():
            if not _pointless(shown):
                properties[name] = _merged(properties[name], shown) if name in properties else shown
    return {"type": "object", "properties": properties, "required": ["action"], "additionalProperties": False}


def _flat_schema(arguments: type[Arguments]) -> Json:
    shown = {name: node for name, node in _properties(arguments).items() if not node.get("unshown")}
    required = list(full_schema(arguments).get("required", ()))
    return {"type": "object", "properties": shown, "required": required, "additionalProperties": False}


def output_schema(tool: Tool) -> Json:
    """The answer's JSON Schema, as short as it can be: every client reads it with every tool.

    Some clients check a failure by it as well, so a flat tool's says that `error` comes in the place of its fields.
    """
    if tool.output is not None:
        fields = answer_schema(tool.output)
        one_of = [{"required": fields.pop("required", [])}, {"required": ["error"]}]
        properties = {**fields["properties"], "error": {"type": "object"}}
        return {"type": "object", "properties": properties, "anyOf": one_of}
    return {
        "type": "object",
        "properties": {"ok": {"type": "boolean"}, "summary": {"type": "string"}, "data": {"type": "object"}},
        "required": ["protocol", "ok", "operation", "summary", "retention"],
    }


def answer_schema(output: type[BaseModel]) -> Json:
    """A flat answer's JSON Schema, references written out; for what is answered when nothing fails."""
    whole = output.model_json_schema()
    return _answered(whole, whole.get("$defs", {}))


def _action(tool: Tool, name: Any) -> Action:
    for action in tool.actions:
        if isinstance(name, str) and action.name == name:
            return action
    names = [action.name for action in tool.actions]
    if name is None:
        message, near = f"{tool.name} needs `action`.", None
    elif not isinstance(name, str):
        message, near = "`action` must be a string.", None
    else:
        message, near = f"{tool.name} has no action {quoted(name)}.", nearest(name, names)
    raise WorkroomError(
        ErrorCode.INVALID_INPUT,
        message + (f" Did you mean `{near}`?" if near else ""),
        next_step=f"`action` is one of: {', '.join(names)}.",
        details={"field": "action", "actions": names},
    )


def _check_raw(raw: Json) -> None:
    """Refuse what would cost much to judge or can't be stored: too many fields, halves of surrogate pairs."""
    if len(raw) > _MOST:
        raise _wrong("", f"{len(raw):,} fields were sent; no action has so many.")
    for name, value in raw.items():
        left = [name] if name == _BY_FILE else [name, value]
        while left:  # not recursive: what is sent may be nested as deep as it likes
            part = left.pop()
            if isinstance(part, str):
                if not part.isascii() and _HALF.search(part):
                    shown = ascii(name[:80])[1:-1]
                    raise _wrong(shown, f"`{shown}` holds half of a surrogate pair, which is no text.")
            elif isinstance(part, dict):
                left += [*part.keys(), *part.values()]
            elif isinstance(part, list):
                left += part


def _wrong(field: str, message: str) -> WorkroomError:
    return WorkroomError(ErrorCode.INVALID_INPUT, message, details={"field": field})


@lru_cache(maxsize=256)
def _shapes(arguments: type[Arguments]) -> Mapping[str, _Shape]:
    """The fields that hold an object or an array, and never a plain string."""
    found: dict[str, _Shape] = {}
    for name, shown in _properties(arguments).items():
        kind = shown.get("type")
        if kind == "array":
            found[name] = "objects" if shown.get("items", {}).get("type") == "object" else "array"
        elif kind == "object":
            found[name] = "object"
    return found


def _restored(name: str, value: Any, shape: _Shape) -> Any:
    """A value as its field means it: parsed where it came as a JSON string, without nulls in a list's objects."""
    if isinstance(value, str):
        value = _parsed(name, value, "an object in braces" if shape == "object" else "a list in brackets")
    if isinstance(value, list):
        if len(value) > _MOST:
            raise _wrong(name, f"`{name}` holds {len(value):,} items; at most {_MOST:,} are taken.")
        return [_item(f"{name}[{index}]", item, shape) for index, item in enumerate(value)]
    return value


def _item(name: str, item: Any, shape: _Shape) -> Any:
    if isinstance(item, str) and shape == "objects":
        item = _parsed(name, item, "an object in braces")
    if isinstance(item, dict):
        if len(item) > _MOST:
            raise _wrong(name, f"`{name}` has {len(item):,} fields; at most {_MOST:,} are taken.")
        return {key: value for key, value in item.items() if value is not None}
    return item


def _parsed(name: str, text: str, meant: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        where = f"line {error.lineno}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else "too deep"
        raise WorkroomError(
            ErrorCode.INVALID_INPUT,
            f"`{name}` came as a string that isn't valid JSON ({where}).",
            next_step=f"Send `{name}` as JSON itself ({meant}), not inside a string.",
            details={"field": name},
        ) from None


def _pointless(shown: Json) -> bool:
    """Whether a caller has nothing to choose: one value only, or a refusal."""
    return len(shown.get("enum", "  ")) == 1 or bool(shown.get("unshown"))


def _properties(arguments: type[Arguments]) -> Json:
    schema = full_schema(arguments)
    return {name: _shown(node, schema.get("$defs", {})) for name, node in schema.get("properties", {}).items()}


def _shown(node: Json, defs: Json) -> Json:
    """What a client needs of a node: type, enum, items, properties, description; references written out.

    A model's docstring is for its programmer; only a field's description is for the caller.
    """
    target = resolved(node, defs)
    shown = _alternatives(target, defs)
    if "enum" in target or "const" in target:
        shown["enum"] = list(target.get("enum", (target.get("const"),)))
    if "items" in target:
        shown["items"] = _shown(target["items"], defs)
    if "properties" in target:
        shown["properties"] = {name: _shown(child, defs) for name, child in target["properties"].items()}
        shown["required"] = list(target.get("required", ()))
    return shown | {key: node[key] for key in ("description", "unshown") if key in node}


def _answered(node: Json, defs: Json) -> Json:
    """What a client needs of a node of an answer; there null is a value like any other."""
    target = resolved(node, defs)
    if "anyOf" in target:
        kinds = [_answered(option, defs) for option in target["anyOf"]]
        if all(kind.keys() == {"type"} for kind in kinds):
            return {"type": [kind["type"] for kind in kinds]}
        return {"anyOf": kinds}
    shown: Json = {key: target[key] for key in ("type", "enum", "const", "required") if key in target}
    if "items" in target:
        shown["items"] = _answered(target["items"], defs)
    if "properties" in target:
        shown["properties"] = {name: _answered(child, defs) for name, child in target["properties"].items()}
    return shown


def _alternatives(node: Json, defs: Json) -> Json:
    """The type; a union of objects is one object with all their fields, and null is no type to offer."""
    options = [_shown(o, defs) for o in (*node.get("anyOf", ()), *node.get("oneOf", ())) if o.get("type") != "null"]
    if not options:
        return {"type": node["type"]} if "type" in node else {}
    if len(options) > 1 and any(option.get("type") != "object" for option in options):
        return {"anyOf": options}
    whole = options[0]
    for option in options[1:]:
        whole = _merged(whole, option)
    return whole


def _merged(one: Json, two: Json) -> Json:
    """Two actions' (or two union members') views of one property, as one; the first's description stands."""
    if one == two:
        return one
    if one.get("type") != two.get("type"):
        return {"anyOf": [*one.get("anyOf", [one]), *two.get("anyOf", [two])]}
    both = {**two, **one}
    if "enum" in both:
        both["enum"] = list(dict.fromkeys([*one.get("enum", ()), *two.get("enum", ())]))
    if ("enum" in one) != ("enum" in two):
        del both["enum"]  # one of them takes more than is listed
    if "items" in one and "items" in two:
        both["items"] = _merged(one["items"], two["items"])
    if "properties" in both:
        mine, others = one.get("properties", {}), two.get("properties", {})
        both["properties"] = {**mine, **others} | {n: _merged(mine[n], others[n]) for n in mine if n in others}
        both["required"] = [name for name in one.get("required", ()) if name in two.get("required", ())]
    return both
