"""`workroom show [ID]`: one request, as you decide on it."""

from __future__ import annotations

import os
import re
from typing import Annotated, Any

import typer

from workroom.interfaces.cli.client import person
from workroom.interfaces.cli.completion import waiting
from workroom.interfaces.cli.decide import nothing_waits
from workroom.interfaces.cli.output import Output
from workroom.interfaces.cli.scene import Json, scene_of

__all__ = ["show"]

_TIMES = re.compile(r" at (\d{4}-[0-9T:.-]+Z); until (\d{4}-[0-9T:.-]+Z)$")
"""How the line about the asker ends."""


def show(
    context: typer.Context,
    record: Annotated[
        str | None,
        typer.Argument(
            metavar="ID", help="Its id or the id's beginning; without one the newest.", autocompletion=waiting
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show one request. What it would do is rendered from the real bytes, apart from what its asker says."""
    scene = scene_of(context, as_json)
    with person(os.getcwd()) as asking, nothing_waits(record or ""):
        found = asking.ask("show", id=record)
    if scene.json:
        scene.out.data({"ok": True, **found})
    else:
        _render(scene.out, found)


def _render(out: Output, found: dict[str, Any]) -> None:
    """The parts in the order that a person reads them; the title is its asker's, and stands among their words."""
    for fact in found["facts"]:
        out.line(
            _TIMES.sub(lambda times: f" at {out.when(times[1])}; until {out.when(times[2])}", fact),
            "bold red" if fact.startswith(("DESTRUCTIVE", "ASKED IN EVERY MODE")) else "",
        )
    if found["flags"]:
        out.line(f"CAUTION, shown escaped: {', '.join(found['flags'])}", "bold yellow")
    if found["body"]:
        out.line()
        out.line("What would be done:", "bold")
        out.diff(found["body"])
    out.line()
    out.line("In the agent's own words, which nobody checked:", "bold")
    out.text(found["words"], prefix="> ")
    out.line()
    _render_choice(out, found)


def _render_choice(out: Output, found: dict[str, Any]) -> None:
    if found["status"] != "pending":
        out.line(f"It is {found['status']}: there is nothing to decide.")
    elif found["obstacle"]:
        out.line(f"It can't be accepted. {found['obstacle']}", "bold red")
        out.line(f"No: workroom deny {found['id']} REASON")
    else:
        out.line(f"Yes: workroom accept {found['id']}    No: workroom deny {found['id']} REASON")
        if found["editable"]:
            out.line("A part of it: add --files PATH or --hunks ID to the yes.    Edited first: add --edit.")
