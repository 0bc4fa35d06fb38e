"""`workroom deny [ID] [reason…]`: say no."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from workroom.interfaces.cli.client import person
from workroom.interfaces.cli.completion import waiting
from workroom.interfaces.cli.decide import nothing_waits, tell_decision
from workroom.interfaces.cli.scene import Json, scene_of

__all__ = ["deny"]


def deny(
    context: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ID] [REASON]...",
            autocompletion=waiting,
            help="The request's id or its beginning, and a reason that its asker is told. Without an id: the only "
            "one that waits, or the newest if it is the one you were shown last.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say no to a request. The same operation is refused for a day from when it was asked for."""
    scene = scene_of(context, as_json)
    said = " ".join(words or [])
    with person(os.getcwd()) as asking, nothing_waits(said):
        decided = asking.ask("deny", words=said)
    record = decided["approval"]
    tell_decision(scene, decided, f"Denied {record['id']}: {record['title']}.")
