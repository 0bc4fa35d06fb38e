"""`workroom open [FOLDER]`: make a folder a workspace, or open it again."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from workroom.interfaces.cli.client import person
from workroom.interfaces.cli.scene import Json, scene_of

__all__ = ["open_folder"]


def open_folder(
    context: typer.Context,
    folder: Annotated[str, typer.Argument(help="The folder; where you stand, if you name none.")] = ".",
    adopt: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Take over the history and settings of this folder, or of a store."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Open a folder as a workspace. A server is started if none runs."""
    scene = scene_of(context, as_json)
    path = os.path.abspath(folder)
    with person() as asking:
        opened = asking.ask("open", path=path, adopt=adopt and os.path.abspath(adopt))
    if scene.json:
        scene.out.data({"ok": True, **opened})
        return
    scene.out.line(f"Open: {opened['path']} (mode {opened['mode']})")
    scene.out.note(f"An agent connects with: workroom mcp {opened['path']}")
