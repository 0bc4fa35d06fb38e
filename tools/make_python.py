"""Make the typed calls of the Python interface from the tools' own arguments.

`python tools/make_python.py` writes calls.py and editor_calls.py in src/workroom/interfaces/python; with `--check` it
writes nothing, and ends with 1 where a file is out of date.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Iterator
from keyword import iskeyword
from pathlib import Path
from typing import Any

from workroom.tools.catalog import PROFILES
from workroom.tools.explain import full_schema
from workroom.tools.schema import UNSHOWN
from workroom.tools.tool import Action, Tool

HOME = Path(__file__).resolve().parent.parent / "src/workroom/interfaces/python"

Json = dict[str, Any]

_HEAD = '''"""Every tool's actions as typed calls. Made by `python tools/make_python.py`; change the tools, not this.

A parameter that is None is not sent, and has the default that the reference tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NotRequired, Protocol, TypedDict

from workroom.interfaces.python.answer import Answer
'''

_ASKS = '''
class Asks(Protocol):
    """Whoever carries a call to the server."""

    def call(self, tool: str, action: str, /, **arguments: Any) -> Answer: ...
'''

_EDITOR_HEAD = '''"""Profile `editor` as typed calls. Made by `python tools/make_python.py`; change the tools, not this.

A parameter that is None is not sent, and has the default that the reference tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

from workroom.interfaces.python.answer import Answer

__all__ = ["AsksFlat", "Editor"]


class AsksFlat(Protocol):
    """Whoever carries a call to the server."""

    def call_flat(self, tool: str, arguments: dict[str, Any], /) -> Answer: ...


class Editor:
    """The tools of profile `editor`, each without the `editor_` of its name."""

    def __init__(self, asks: AsksFlat) -> None:
        self._asks = asks

'''

_TYPES = {"string": "str", "integer": "int", "boolean": "bool", "number": "float", "object": "dict[str, Any]"}
_WIDTH = 112


def source() -> str:
    """The whole module."""
    tools = PROFILES["workspace"]
    objects = dict(found for tool in tools for action in tool.actions for found in _objects(action))
    names = sorted({_class(tool) for tool in tools} | set(objects) | {"Asks", "Operation"})
    operations = " | ".join(name for name, schema in objects.items() if "type" in schema["properties"])
    parts = [_HEAD, f"__all__ = {names!r}\n", *(_typed_dict(name, schema) for name, schema in objects.items())]
    parts += [f"Operation = {operations}\n", _ASKS, *map(_tool, tools)]
    return _formatted("\n".join(parts))


def editor_source() -> str:
    """The module of the flat tools."""
    return _formatted(_EDITOR_HEAD + "\n".join(_flat_method(tool) for tool in PROFILES["editor"] if tool.flat))


def _objects(action: Action) -> Iterator[tuple[str, Json]]:
    """The kinds of object that an action's fields hold, by name."""
    for name, schema in full_schema(action.arguments).get("$defs", {}).items():
        if schema["type"] == "object":
            yield name, schema


def _typed_dict(name: str, schema: Json) -> str:
    fields = {}
    for field, node in schema["properties"].items():
        kind = _kind(node)
        fields[field] = kind if field in schema["required"] else f"NotRequired[{kind}]"
    if any(map(iskeyword, fields)):  # `from`
        rows = ", ".join(f"{field!r}: {kind}" for field, kind in fields.items())
        return f"{name} = TypedDict({name!r}, {{{rows}}})\n{_doc(schema['description'], '')}"
    rows = "".join(f"    {field}: {kind}\n" for field, kind in fields.items())
    return f"class {name}(TypedDict):\n{_doc(schema['description'], '    ')}\n{rows}"


def _tool(tool: Tool) -> str:
    head = f"class {_class(tool)}:\n" + _doc(f"{tool.title}: `{tool.name}`.", "    ")
    start = "    def __init__(self, asks: Asks) -> None:\n        self._asks = asks\n"
    return "\n".join([head, start, *(_method(tool, action) for action in tool.actions)])


def _method(tool: Tool, action: Action) -> str:
    signature, names = _signature(action)
    given = "".join(f", {name}={name}" for name in names)
    return (
        f"    def {action.name}({signature}) -> Answer:\n"
        + _doc(action.help or f"See the reference: {tool.operation(action.name)}.", " " * 8)
        + f"        return self._asks.call({tool.name!r}, {action.name!r}{given})\n"
    )


def _flat_method(tool: Tool) -> str:
    (action,) = tool.actions
    signature, names = _signature(action)
    given = ", ".join(f"{name!r}: {own}" for name, own in names.items())
    return (
        f"    def {tool.name.removeprefix('editor_')}({signature}) -> Answer:\n"
        + _doc(tool.help, " " * 8)
        + f"        return self._asks.call_flat({tool.name!r}, {{{given}}})\n"
    )


def _signature(action: Action) -> tuple[str, dict[str, str]]:
    """The parameters of a method, and by the name of each field the one that it has in Python (`from`: `source`)."""
    schema = full_schema(action.arguments)
    required = set(schema.get("required", ()))
    shown = {name: node for name, node in schema["properties"].items() if not UNSHOWN.items() <= node.items()}
    own = {each.alias or name: name for name, each in action.arguments.model_fields.items()}
    ordered = sorted(shown, key=lambda name: name not in required)
    signature = ["self"]
    for place, name in enumerate(ordered):
        kind = _kind(shown[name])
        signature.append(f"{own[name]}: {kind}" if name in required else f"{own[name]}: {kind} | None = None")
        if not place and len(ordered) > 1:
            signature.append("*")  # the first may be given by its place
    return ", ".join(signature), {name: own[name] for name in ordered}


def _kind(node: Json) -> str:
    """A schema's type in Python's words."""
    if "$ref" in node:
        return str(node["$ref"]).rsplit("/", 1)[-1]
    if "const" in node:
        return f"Literal[{node['const']!r}]"
    if "enum" in node:
        return f"Literal[{', '.join(map(repr, node['enum']))}]"
    if "anyOf" in node:
        return " | ".join(_kind(choice) for choice in node["anyOf"] if choice.get("type") != "null")
    if node.get("type") == "array":
        items = node["items"]
        return f"Sequence[{'Operation' if 'oneOf' in items else _kind(items)}]"
    return _TYPES[node["type"]]


def _doc(text: str, indent: str) -> str:
    """A docstring of as many lines as it takes, the first a summary by itself."""
    text = text.replace("\\", "\\\\").replace('"""', "'''")
    first, *rest = textwrap.wrap(" ".join(text.split()), _WIDTH - len(indent))
    if not rest:
        return f'{indent}"""{first}"""\n'
    return "\n".join([f'{indent}"""{first}', *(indent + line for line in rest), f'{indent}"""']) + "\n"


def _class(tool: Tool) -> str:
    return tool.name.removeprefix("workspace_").capitalize()


def _formatted(text: str) -> str:
    ruff = [sys.executable, "-m", "ruff"]
    for arguments in (["check", "--quiet", "--fix", "--select", "I,RUF022"], ["format", "--quiet"]):
        options = ["--stdin-filename", str(HOME / "calls.py"), "-"]
        done = subprocess.run([*ruff, *arguments, *options], input=text, capture_output=True, text=True, check=True)
        text = done.stdout
    return text


def main(arguments: list[str]) -> int:
    """Write the modules, or with `--check` compare them."""
    made = {HOME / "calls.py": source(), HOME / "editor_calls.py": editor_source()}
    if arguments != ["--check"]:
        for file, text in made.items():
            file.write_text(text)
        return 0
    stale = [file for file, text in made.items() if not file.exists() or file.read_text() != text]
    for file in stale:
        print(f"{file.name} is out of date: python tools/make_python.py")
    return int(bool(stale))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
