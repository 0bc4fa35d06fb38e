"""`workroom mcp [FOLDER]`: speak MCP on standard input and output, as an agent's program starts it.

The entry point takes the word `mcp` before anything else is loaded; this is the way for what stands before it (`-C`).
"""

from __future__ import annotations

from typing import Annotated

import typer

from workroom.interfaces.cli.scene import scene_of
from workroom.interfaces.mcp import shim

__all__ = ["mcp"]


def mcp(
    context: typer.Context,
    folder: Annotated[str, typer.Argument(help="The folder; where you stand, if you name none.")] = ".",
    profile: Annotated[str | None, typer.Option(help="Which tools the client sees.")] = None,
) -> None:
    """Connect an agent: speak MCP on a pipe."""
    scene = scene_of(context)
    raise typer.Exit(shim.run(["--profile", profile or scene.profile, folder]))
