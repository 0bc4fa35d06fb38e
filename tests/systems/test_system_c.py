"""Profile `editor` beside system C: each of its functions, field by field.

`system_c.json` holds the names, types, requirements and defaults of C's requests and answers, and nothing else of it.
Fields of ours beyond C's are additions, and never required.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workroom.base.settings import Mode, Settings, parse_settings
from workroom.tools.catalog import tools_for
from workroom.tools.schema import input_schema, output_schema

SYSTEM_C: dict[str, Any] = json.loads(Path(__file__).with_name("system_c.json").read_text())
TOOLS = {tool.name: tool for tool in tools_for("editor", Mode.AUTO)}
SET_DEFAULTS = {
    "max_diff_bytes": 2_000_000,
    "diff_context_lines": 3,
    "find_limit": 50,
    "max_find_candidates": None,  # every path, where C stops at 50,000
    "max_file_bytes": 2_000_000,
    "search_max_matches": 2_000,
    "git_timeout_ms": 15_000,
}


def resolved(node, defs):
    return {**defs[node["$ref"].rsplit("/", 1)[-1]], **node} if "$ref" in node else node


def plain(node: dict[str, Any], defs: dict[str, Any]) -> dict[str, Any]:
    """A field of ours in the form in which C's are kept."""
    node = resolved(node, defs)
    options = [plain(option, defs) for option in node.get("anyOf", (node,)) if option is not node]
    found: dict[str, Any] = {}
    kinds = {kind for option in options for kind in option["type"]} if options else {node.get("type")} - {None}
    if kinds:
        found["type"] = sorted(kinds)
    for one in [*options, {}]:
        found |= {key: one[key] for key in ("items", "fields", "enum") if key in one}
    if "enum" in node or "const" in node:
        found["enum"] = sorted(node.get("enum", [node.get("const")]))
    if "default" in node:
        found["default"] = node["default"]
    if "items" in node:
        found["items"] = plain(node["items"], defs)
    if "properties" in node:
        found["fields"] = fields(node, defs)
    return found


def fields(schema: dict[str, Any], defs: dict[str, Any]) -> dict[str, Any]:
    required = schema.get("required", ())
    return {name: plain(node, defs) | {"required": name in required} for name, node in schema["properties"].items()}


def compare(theirs: dict[str, Any], ours: dict[str, Any], at: str) -> None:
    """Every field of C's is there, of its type, with its default, required where C requires it; no other is."""
    for name, field in theirs.items():
        place = f"{at}.{name}"
        assert name in ours, place
        own = ours[name]
        for key in ("type", "enum", "required"):
            assert field.get(key) == own.get(key), (place, key)
        assert field.get("default") == own.get("default"), (place, "default")
        if "fields" in field:
            compare(field["fields"], own["fields"], place)
        if "items" in field:
            assert field["items"].get("type") == own["items"].get("type"), (place, "items")
            compare(field["items"].get("fields", {}), own["items"].get("fields", {}), f"{place}[]")
    for name in ours.keys() - theirs.keys():
        assert not ours[name]["required"], f"{at}.{name} is no field of C's"


def model_fields(model: Any) -> dict[str, Any]:
    schema = model.model_json_schema()
    return fields({"properties": {}, **schema}, schema.get("$defs", {}))


def test_every_function_is_there():
    assert SYSTEM_C.keys() <= TOOLS.keys()


@pytest.mark.parametrize("name", sorted(SYSTEM_C))
def test_every_field_is_systems_c(name):
    tool = TOOLS[name]
    compare(SYSTEM_C[name]["request"], model_fields(tool.actions[0].arguments), f"{name} request")
    compare(SYSTEM_C[name]["response"], model_fields(tool.output), f"{name} response")


@pytest.mark.parametrize("name", sorted(SYSTEM_C))
def test_what_clients_are_shown_has_systems_c_names(name):
    shown = input_schema(TOOLS[name])
    request = SYSTEM_C[name]["request"]
    assert request.keys() <= shown["properties"].keys()
    assert sorted(shown["required"]) == sorted(field for field in request if request[field]["required"])
    answered = output_schema(TOOLS[name])
    response = SYSTEM_C[name]["response"]
    assert response.keys() <= answered["properties"].keys()
    required, failed = (set(one["required"]) for one in answered["anyOf"])
    assert required == {field for field in response if response[field]["required"]}
    assert failed == {"error"}


def test_the_seven_limits_by_systems_c_names():
    for name, default in SET_DEFAULTS.items():
        assert getattr(Settings(), f"editor_{name}") == default
        assert getattr(parse_settings({name: 123}), f"editor_{name}") == 123
