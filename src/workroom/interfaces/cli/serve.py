"""`workroom serve [FOLDER]`: the server in the foreground."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from workroom.interfaces.cli.scene import scene_of

__all__ = ["serve"]


def serve(
    context: typer.Context,
    folder: Annotated[str | None, typer.Argument(help="A folder to open at once.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65_535, help="The port for HTTP; 0 is any that is free.", metavar="N")
    ] = None,
    no_http: Annotated[bool, typer.Option("--no-http", help="Don't listen for HTTP.")] = False,
) -> None:
    """Serve folders until Ctrl-C, on a socket and for HTTP on this machine. With a server running already, open FOLDER
    there, and have that server listen."""
    scene = scene_of(context)
    if no_http and port is not None:
        raise typer.BadParameter("--no-http and --port exclude each other.", param_hint="--port")
    raise typer.Exit(scene.serve(folder and os.path.abspath(folder), scene.out.line, http=not no_http, port=port))
