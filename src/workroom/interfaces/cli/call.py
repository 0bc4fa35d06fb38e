"""`workroom call TOOL JSON`: call a tool as an agent would."""

from __future__ import annotations

import json
import os
import sys
from typing import Annotated, Any

import typer

from workroom.interfaces.cli.client import call_tool
from workroom.interfaces.cli.exits import Exit
from workroom.interfaces.cli.scene import scene_of

__all__ = ["call"]


def call(
    context: typer.Context,
    tool: Annotated[str, typer.Argument(help="The tool's name, such as workspace_inspect.")],
    arguments: Annotated[
        str, typer.Argument(metavar="JSON", help="Its arguments as a JSON object, or - to read them from a pipe.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="The answer is JSON anyway.", hidden=True)] = True,
) -> None:
    """Call a tool as an agent would. Works on the folder where you stand; prints the answer as JSON."""
    scene = scene_of(context, as_json)
    given = _object(sys.stdin.buffer.read() if arguments == "-" else os.fsencode(arguments))
    envelope = call_tool(os.getcwd(), scene.profile, tool, given)
    scene.out.data(envelope)
    if "error" in envelope:
        raise typer.Exit(Exit.ANSWERED_NO)
    if envelope.get("data", envelope).get("status") == "pending_approval":  # a flat tool has its fields at the top
        raise typer.Exit(Exit.WAITS)


def _object(data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise typer.BadParameter(f"JSON can't be read: {error}.") from error
    if not isinstance(value, dict):
        raise typer.BadParameter("JSON is to be an object with the tool's arguments.")
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
