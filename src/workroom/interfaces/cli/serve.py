"""`workroom serve [FOLDER]`: the server in the foreground."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from workroom.interfaces import daemon, link

__all__ = ["serve"]


def serve(folder: Annotated[str | None, typer.Argument(help="A folder to open at once.")] = None) -> None:
    """Serve folders to agents and to you until Ctrl-C; with a server running already, open FOLDER there."""
    place = link.Place(os.environ)
    raise typer.Exit(daemon.run_in_foreground(place, folder and os.path.abspath(folder), typer.echo))
