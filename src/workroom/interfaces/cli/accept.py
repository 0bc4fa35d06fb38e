"""`workroom accept [ID] [note…]`: say yes."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from workroom.interfaces.cli.client import person
from workroom.interfaces.cli.completion import waiting
from workroom.interfaces.cli.decide import nothing_waits, tell_decision
from workroom.interfaces.cli.scene import Json, scene_of

__all__ = ["accept"]


def accept(
    context: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ID] [NOTE]...",
            autocompletion=waiting,
            help="The request's id or its beginning, and a note for its asker. Without an id: the only one that "
            "waits, or the newest if it is the one you were shown last.",
        ),
    ] = None,
    hold: Annotated[bool, typer.Option("--hold", help="Only approve; it runs when its asker asks again.")] = False,
    as_json: Json = False,
) -> None:
    """Say yes to a request. What was shown is done at once."""
    scene = scene_of(context, as_json)
    said = " ".join(words or [])
    with person(os.getcwd()) as asking, nothing_waits(said):
        decided = asking.ask("accept", words=said, hold=hold)
    record = decided["approval"]
    held = " It runs when its asker asks again." if hold and record["kind"] != "plan" else ""
    tell_decision(scene, decided, f"Accepted {record['id']}: {record['title']}.{held}")
