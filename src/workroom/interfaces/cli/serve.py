"""`workroom serve [FOLDER]`: the server in the foreground."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from workroom.interfaces.cli.scene import scene_of

__all__ = ["serve"]


def serve(
    context: typer.Context, folder: Annotated[str | None, typer.Argument(help="A folder to open at once.")] = None
) -> None:
    """Serve folders until Ctrl-C. With a server running already, open FOLDER there."""
    scene = scene_of(context)
    raise typer.Exit(scene.serve(folder and os.path.abspath(folder), scene.out.line))
