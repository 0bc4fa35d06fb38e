"""`workroom mode [manual|plan|auto]`: the permission mode of the workspace."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from workroom.interfaces.cli.client import person
from workroom.interfaces.cli.completion import modes
from workroom.interfaces.cli.scene import Json, scene_of

__all__ = ["mode"]


def mode(
    context: typer.Context,
    word: Annotated[
        str | None,
        typer.Argument(
            metavar="[manual|plan|auto]",
            autocompletion=modes,
            help="manual: every change waits for your yes. plan: changes run while a plan you approved is open. "
            "auto: changes run. Also 0, 1, 2.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show the permission mode, or set it."""
    scene = scene_of(context, as_json)
    with person(os.getcwd()) as asking:
        found = asking.ask("mode", mode=word)
    if scene.json:
        scene.out.data({"ok": True, **found})
    else:
        scene.out.line(found["mode"])
