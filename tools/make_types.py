"""Make web/src/api/types.ts from the code: what the person's methods take and answer, events, flat tools, error codes.

`python tools/make_types.py` writes it; with `--check` it writes nothing, says whether it is out of date, and ends with
1 then. A name is hoisted where Python has one; what has the same name must have the same shape.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_type_hints

from pydantic import TypeAdapter

from workroom.base import events
from workroom.base.errors import ErrorCode
from workroom.interfaces.methods import METHODS
from workroom.tools.catalog import PROFILES
from workroom.tools.schema import answer_schema, input_schema

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "web" / "src" / "api" / "types.ts"

_PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}

Json = dict[str, Any]


class Types:
    """The declarations so far, by name."""

    def __init__(self) -> None:
        self._declared: dict[str, str] = {}

    def declare(self, name: str, schema: Json) -> None:
        """`name` stands for the schema from now on; its own definitions are declared too."""
        for inner, definition in schema.get("$defs", {}).items():
            self.declare(inner, definition)
        text = self.of(schema)
        if self._declared.setdefault(name, text) != text:
            sys.exit(f"types: two shapes are called {name}")

    def of(self, schema: Json) -> str:
        """The schema as a type's text."""
        if "$ref" in schema:
            return str(schema["$ref"]).rpartition("/")[2].lstrip("_")
        if "const" in schema or "enum" in schema:
            return " | ".join(map(json.dumps, schema.get("enum", [schema.get("const")])))
        if "anyOf" in schema:
            return " | ".join(dict.fromkeys(self.of(one) for one in schema["anyOf"]))
        if schema.get("type") == "array":
            return self._array(schema)
        if schema.get("type") == "object":
            return self._object(schema)
        kinds = schema.get("type", ())
        kinds = [kinds] if isinstance(kinds, str) else kinds
        return " | ".join(_PLAIN[kind] for kind in kinds) or "unknown"

    def _array(self, schema: Json) -> str:
        if "prefixItems" in schema:
            return f"[{', '.join(map(self.of, schema['prefixItems']))}]"
        item = self.of(schema.get("items", {}))
        return f"({item})[]" if " | " in item else f"{item}[]"

    def _object(self, schema: Json) -> str:
        properties = schema.get("properties")
        if not properties:
            more = schema.get("additionalProperties")
            return f"Record<string, {self.of(more) if isinstance(more, dict) else 'unknown'}>" if more else "object"
        required = schema.get("required", ())
        fields = (f"{name}{'' if name in required else '?'}: {self.of(value)}" for name, value in properties.items())
        return "{ " + "; ".join(fields) + " }"

    def lines(self) -> Iterator[str]:
        for name, text in sorted(self._declared.items()):
            yield f"export type {name.lstrip('_')} = {text};"


def page() -> str:
    """The whole file."""
    types = Types()
    maps = [*_methods(types), *_events(types), *_tools(types)]
    codes = " | ".join(json.dumps(str(code)) for code in ErrorCode)
    parts = [
        "// Made from the code by `python tools/make_types.py`. Change the code, then run that again.",
        f"export type ErrorCode = {codes};",
        "\n\n".join(types.lines()),
        *maps,
    ]
    return "\n\n".join(parts) + "\n"


def _methods(types: Types) -> Iterator[str]:
    rows: dict[str, str] = {}
    for name, method in METHODS.items():
        title = "".join(part.capitalize() for part in name.replace(".", "_").split("_"))
        types.declare(f"{title}Params", TypeAdapter(method.params).json_schema(mode="validation"))
        types.declare(f"{title}Answer", TypeAdapter(_answer_of(method.run)).json_schema(mode="serialization"))
        rows[name] = f"{{ params: {title}Params; answer: {title}Answer }}"
    yield _map("Methods", "The person's methods, by name.", rows)


def _answer_of(run: Any) -> Any:
    return get_type_hints(run)["return"]


def _events(types: Types) -> Iterator[str]:
    rows = {}
    for name in events.__all__:
        kind = getattr(events, name)
        if kind is events.Event:
            continue
        types.declare(name, TypeAdapter(kind).json_schema(mode="serialization"))
        rows[kind.type] = name
    yield _map("Events", "What happened, by its type on the wire.", rows)


def _tools(types: Types) -> Iterator[str]:
    rows = {}
    for tool in PROFILES["editor"]:
        if tool.output is None:
            continue
        takes, answers = types.of(input_schema(tool)), types.of(answer_schema(tool.output))
        rows[tool.name] = f"{{ takes: {takes}; answers: {answers} }}"
    yield _map("Tools", "The flat tools, which the method `tool` calls.", rows)


def _map(name: str, says: str, rows: Mapping[str, str]) -> str:
    lines = [f"  {json.dumps(key)}: {value};" for key, value in rows.items()]
    return "\n".join([f"/** {says} */", f"export interface {name} {{", *lines, "}"])


def main(arguments: list[str]) -> int:
    made = page()
    if "--check" not in arguments:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(made, encoding="utf-8")
        return 0
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != made:
        print(f"{PAGE.relative_to(ROOT)} is out of date: run `python tools/make_types.py`")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
