"""A JSON Schema and a model's fields in words, for the pages that make_reference.py makes."""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import Any, get_args

from pydantic import BaseModel

__all__ = [
    "alternatives",
    "default_of",
    "kind_of",
    "label",
    "meaning_of",
    "nested_models",
    "texts_in",
    "texts_under_fields",
]

Json = dict[str, Any]


def meaning_of(node: Json) -> str:
    return "Not in this version." if node.get("unshown") else str(node.get("description", ""))


def kind_of(node: Json) -> str:
    """A JSON Schema node in words: `integer, 1 to 200`."""
    if "$ref" in node:
        return str(node["$ref"].rsplit("/", 1)[-1]).lower()
    if "discriminator" in node:
        return "operation"
    options = [each for each in node.get("anyOf", ()) if each.get("type") != "null"]
    if options:
        return alternatives(kind_of(each) for each in options)
    if "enum" in node or "const" in node:
        return alternatives(f"`{value}`" for value in node.get("enum", [node.get("const")]))
    if node.get("type") == "array":
        return f"list of {plain_kind(node['items'])}{bounds(node)}"
    return f"{node.get('type', 'anything')}{bounds(node)}{pattern(node)}"


def plain_kind(node: Json) -> str:
    """The same without bounds, for what a list holds."""
    options = node.get("anyOf")
    return alternatives(map(plain_kind, options)) if options else kind_of(node).partition(",")[0]


def bounds(node: Json) -> str:
    """`, 1 to 200`, `, at least 1`, `, at most 80 characters`; nothing for what isn't bounded."""
    words = (
        span(node.get("minimum"), node.get("maximum")),
        span(node.get("minLength") or None, node.get("maxLength"), " characters"),
        span(node.get("minItems") or None, node.get("maxItems")),
    )
    return "".join(f", {each}" for each in words if each)


def span(low: int | None, high: int | None, unit: str = "") -> str:
    if high is None and low is None:
        return ""
    if high is None:
        return "not empty" if unit else f"at least {low:,}"
    return f"at most {high:,}{unit}" if low is None else f"{low:,} to {high:,}{unit}"


def pattern(node: Json) -> str:
    given = node.get("pattern")
    if given is None:
        return ""
    return ", not blank" if given == r"\S" else f", matching `{given}`"


def default_of(node: Json, required: bool) -> str:
    if required:
        return "required"
    value = node.get("default")
    return "" if value is None else f"`{value if isinstance(value, str) and value else json.dumps(value)}`"


def nested_models(model: type[BaseModel]) -> dict[str, type[BaseModel]]:
    """The models that its fields hold, by name."""
    return {each.__name__: each for info in model.model_fields.values() for each in models_in(info.annotation)}


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from models_in(part)


def label(model: type[BaseModel]) -> str:
    """`operation copy` for what is told apart by its `type`, else the model's name."""
    kind = model.model_json_schema()["properties"].get("type", {}).get("const")
    return f"operation {kind}" if kind else model.__name__.lower()


def texts_under_fields(model: type[BaseModel]) -> dict[str, str]:
    """The string literals that stand under a class's fields, its bases' too."""
    found: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if issubclass(base, BaseModel) and base is not BaseModel:
            found |= texts_in(base)
    return found


@cache
def texts_in(model: type) -> Mapping[str, str]:
    """The same of one class; its source is read once."""
    body = ast.parse(textwrap.dedent(inspect.getsource(model))).body[0]
    return {
        field.target.id: " ".join(str(ast.literal_eval(text.value)).split())
        for field, text in pairwise(body.body if isinstance(body, ast.ClassDef) else [])
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr)
    }


def alternatives(words: Iterable[str]) -> str:
    listed = list(words)
    return listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} or {listed[-1]}"
