"""`workroom doctor`: what is there, what is weaker here and why, and what helps."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.interfaces import link
from workroom.interfaces.cli.client import person
from workroom.interfaces.cli.exits import Exit
from workroom.interfaces.cli.scene import Json, scene_of
from workroom.system.state import StateDirectory

if TYPE_CHECKING:
    from workroom.server.doctor import Finding

__all__ = ["doctor"]

_MARKS = {"fine": ("ok", "green"), "weaker": ("weaker", "yellow"), "broken": ("BROKEN", "bold red")}


def doctor(
    context: typer.Context,
    folder: Annotated[str, typer.Argument(help="The folder to look at; where you stand, without one.")] = ".",
    as_json: Json = False,
) -> None:
    """Look whether all is well: the machine, the state directory, the server and a folder.

    Says what is weaker here than elsewhere, why, and what helps. Ends with 1 where something is broken. Starts no
    server and opens no workspace.
    """
    from workroom.server.doctor import examine  # noqa: PLC0415 - half of the server, which no other command loads

    scene = scene_of(context, as_json)
    place = link.Place(os.environ)
    state = StateDirectory(Path(place.state), runtime=Path(place.runtime) if place.runtime else None)
    findings = (*examine(state, os.path.abspath(folder)), _server())
    broken = any(finding.level == "broken" for finding in findings)
    if scene.json:
        scene.out.data({"ok": not broken, "findings": [finding.to_json() for finding in findings]})
    else:
        for finding in findings:
            mark, style = _MARKS[finding.level]
            scene.out.line(f"{mark:7} {finding.name}: {finding.found}", style if finding.level != "fine" else "")
            if finding.mend:
                scene.out.line(f"{'':7} {finding.mend}")
    if broken:
        raise typer.Exit(Exit.FAILED)


def _server() -> Finding:
    from workroom.server.doctor import Finding  # noqa: PLC0415 - as above

    try:
        with person(start=False) as asking:
            told = asking.ask("status")["server"]
    except WorkroomError as error:
        if error.code is ErrorCode.NOT_FOUND:
            return Finding("server", "fine", "None runs; the next client starts one.")
        return Finding("server", "broken", error.message, error.next_step)
    http = told["http"] or "off"
    return Finding("server", "fine", f"Workroom {told['version']}, process {told['pid']}; HTTP: {http}")
