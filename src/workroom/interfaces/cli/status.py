"""`workroom status`: the server, and the folders that it has open."""

from __future__ import annotations

import typer

from workroom.interfaces.cli.client import person
from workroom.interfaces.cli.scene import Json, scene_of

__all__ = ["status"]


def status(context: typer.Context, as_json: Json = False) -> None:
    """Show the server and its open folders. Starts none."""
    scene = scene_of(context, as_json)
    with person(start=False) as asking:
        found = asking.ask("status")
    if scene.json:
        scene.out.data({"ok": True, **found})
        return
    server = found["server"]
    scene.out.line(f"Workroom {server['version']}, process {server['pid']}, state in {server['state']}")
    scene.out.line(f"HTTP: {server['http']}" if server["http"] else "HTTP: off; `workroom serve` switches it on.")
    if server["http_warning"]:
        scene.out.line(server["http_warning"], "yellow")
    if found["warning"]:
        scene.out.line(found["warning"], "yellow")
    if not found["workspaces"]:
        scene.out.line("No folder is open.")
        return
    rows = [(one["path"], one["mode"], str(one["pending"])) for one in found["workspaces"]]
    scene.out.table(("folder", "mode", "waiting"), rows)
