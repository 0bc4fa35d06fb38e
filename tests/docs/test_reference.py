"""The reference is what the code says, and leaves nothing out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer.main
from pydantic import BaseModel

from tools import make_reference, schema_words
from workroom.base.errors import ErrorCode
from workroom.base.settings import ALIASES, Settings
from workroom.core.transactions import operations
from workroom.interfaces.cli.app import app
from workroom.interfaces.cli.exits import MEANINGS, Exit
from workroom.tools.catalog import PROFILES

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def page(name: str) -> str:
    return (REFERENCE / name).read_text(encoding="utf-8")


def part(text: str, heading: str) -> str:
    """What stands under a heading, up to the next one."""
    assert f"\n{heading}\n" in text, f"{heading!r} is missing"
    return text.split(f"\n{heading}\n", 1)[1].split("\n#", 1)[0]


def commands(command, name="workroom"):
    for below, each in getattr(command, "commands", {}).items():
        yield f"{name} {below}", each
        yield from commands(each, f"{name} {below}")


def test_the_pages_are_what_the_code_says(capsys):
    assert make_reference.main(["--check"]) == 0, capsys.readouterr().out


@pytest.mark.parametrize("tool", [tool for tools in PROFILES.values() for tool in tools], ids=lambda tool: tool.name)
def test_every_tool_action_and_field_has_its_line(tool):
    text = page("editor.md" if tool.flat else "tools.md")
    assert tool.help in part(text, f"## {tool.name}")
    for action in tool.actions:
        told = part(text, f"## {tool.name}" if tool.flat else f"### {tool.name} {action.name}")
        assert action.help in told
        assert ("**Gated**" in told) == (action.propose is not None)
        for field in action.arguments.model_json_schema().get("properties", {}):
            assert f"| `{field}` |" in told


def test_every_operation_of_an_edit_has_its_part():
    kinds = [name for name in operations.__all__ if isinstance(getattr(operations, name), type)]
    assert len(kinds) == 9
    for name in kinds:
        model: type[BaseModel] = getattr(operations, name)
        told = part(page("tools.md"), f"### workspace_edit: operation {name.lower()}")
        for field, info in model.model_fields.items():
            assert f"| `{info.alias or field}` |" in told


def test_every_gated_action_is_listed():
    text = page("gate.md")
    for tool in (tool for tools in PROFILES.values() for tool in tools):
        for action in tool.actions:
            assert text.count(f"| `{tool.name}` | `{action.name}` |") == (action.propose is not None)


def test_every_setting_has_its_part_with_its_default_and_other_names():
    text = page("settings.md")
    for name, field in Settings.model_fields.items():
        told = part(text, f"## `{name}`")
        assert field.description
        assert " ".join(field.description.split()) in told
        assert "Default: " in told
        assert all(f"`{theirs}`" in told for theirs, ours in ALIASES.items() if ours == name)


@pytest.mark.parametrize("code", ErrorCode)
def test_every_error_code_has_its_line(code):
    assert f"| `{code}` | " in page("errors.md")


@pytest.mark.parametrize("code", Exit)
def test_every_exit_code_has_its_line(code):
    assert f"| `{code.value}` | {MEANINGS[code]} |" in page("commands.md")


def test_every_command_and_option_has_its_line():
    found = dict(commands(typer.main.get_command(app)))
    assert {"workroom serve", "workroom accept", "workroom settings set"} <= found.keys()
    for name, command in found.items():
        told = part(page("commands.md"), f"## {name}")
        for parameter in command.params:
            assert parameter.help, f"{name} {parameter.name} says nothing about itself"
            assert " ".join(parameter.help.split()) in told
            assert all(option in told for option in parameter.opts if option.startswith("-"))


def test_a_stale_page_is_named_and_replaced(tmp_path, capsys):
    (tmp_path / "of-old.md").write_text("gone\n")
    assert make_reference.main(["--check"], tmp_path) == 1
    assert "docs/reference/of-old.md" in capsys.readouterr().out
    assert make_reference.main([], tmp_path) == 0
    assert make_reference.main(["--check"], tmp_path) == 0
    assert not (tmp_path / "of-old.md").exists()


def test_a_text_under_a_field_is_its_meaning():
    assert schema_words.texts_under_fields(operations.Copy)["expected_sha256"].startswith("The SHA-256")


@pytest.mark.parametrize("tool", PROFILES["workspace"], ids=lambda tool: tool.name)
def test_every_field_has_a_meaning(tool):
    for line in part_of_tool(tool.name).split("\n"):
        assert not re.fullmatch(r"\| `\w+` \|.*\|  \|", line), f"write what it means under the field: {line}"


def part_of_tool(name: str) -> str:
    return page("tools.md").split(f"\n## {name}\n", 1)[1].split("\n## ", 1)[0]
