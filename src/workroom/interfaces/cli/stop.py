"""`workroom stop`: end the running server."""

from __future__ import annotations

import typer

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.interfaces.cli.client import person, wait_until_stopped
from workroom.interfaces.cli.exits import Exit, FailureError
from workroom.interfaces.cli.scene import Json, scene_of

__all__ = ["stop"]


def stop(context: typer.Context, as_json: Json = False) -> None:
    """Stop the server. What runs is finished first; clients start another server when they need one."""
    scene = scene_of(context, as_json)
    try:
        with person(start=False) as asking:
            asking.ask("stop")
    except FailureError as error:
        if error.exit_code is not Exit.NO_SERVER:
            raise
        if scene.json:
            scene.out.data({"ok": True, "stopped": False})
        else:
            scene.out.note("No server is running.")
        raise typer.Exit(Exit.NOTHING) from error
    if not wait_until_stopped():
        raise WorkroomError(ErrorCode.TIMEOUT, "The server was told to stop, and still runs.")
    if scene.json:
        scene.out.data({"ok": True, "stopped": True})
    else:
        scene.out.line("Stopped.")
