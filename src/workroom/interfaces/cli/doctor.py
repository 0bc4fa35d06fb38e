"""`workroom doctor`: what is there, what is weaker here and why, and what helps."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.interfaces.cli.client import person
from workroom.interfaces.cli.exits import Exit
from workroom.interfaces.cli.scene import Json, scene_of

__all__ = ["doctor"]

_MARKS = {"fine": ("ok", ""), "weaker": ("weaker", "yellow"), "broken": ("BROKEN", "bold red")}


def doctor(
    context: typer.Context,
    folder: Annotated[str, typer.Argument(help="The folder to look at; where you stand, without one.")] = ".",
    as_json: Json = False,
) -> None:
    """Look whether all is well: the machine, the state directory, the server and a folder.

    Says what is weaker here than elsewhere, why, and what helps. Ends with 1 where something is broken. Starts no
    server and opens no workspace.
    """
    scene = scene_of(context, as_json)
    findings = [*scene.examine(os.path.abspath(folder)), _server()]
    broken = any(finding["level"] == "broken" for finding in findings)
    if scene.json:
        scene.out.data({"ok": not broken, "findings": findings})
    else:
        for finding in findings:
            mark, style = _MARKS[finding["level"]]
            scene.out.line(f"{mark:7} {finding['name']}: {finding['found']}", style)
            if finding["mend"]:
                scene.out.line(f"{'':7} {finding['mend']}")
    if broken:
        raise typer.Exit(Exit.FAILED)


def _server() -> dict[str, str]:
    try:
        with person(start=False) as asking:
            told = asking.ask("status")["server"]
    except WorkroomError as error:
        missing = error.code is ErrorCode.NOT_FOUND
        found, mend = ("None runs; the next client starts one.", "") if missing else (error.message, error.next_step)
        return {"name": "server", "level": "fine" if missing else "broken", "found": found, "mend": mend}
    found = f"Workroom {told['version']}, process {told['pid']}; HTTP: {told['http'] or 'off'}"
    return {"name": "server", "level": "fine", "found": found, "mend": ""}
