"""`workroom close [FOLDER]`: let the server give a folder up."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from workroom.interfaces.cli.client import person
from workroom.interfaces.cli.exits import Exit
from workroom.interfaces.cli.scene import Json, scene_of

__all__ = ["close"]


def close(
    context: typer.Context,
    folder: Annotated[str, typer.Argument(help="The folder; where you stand, if you name none.")] = ".",
    as_json: Json = False,
) -> None:
    """Close a folder in the server. Its history stays; opening it again goes on from there."""
    scene = scene_of(context, as_json)
    path = os.path.realpath(folder)
    with person(start=False) as asking:
        closed = asking.ask("close", path=path)["closed"]
    if scene.json:
        scene.out.data({"ok": True, "path": path, "closed": closed})
    elif closed:
        scene.out.line(f"Closed: {path}")
    else:
        scene.out.note(f"{path} is not open.")
    if not closed:
        raise typer.Exit(Exit.NOTHING)
