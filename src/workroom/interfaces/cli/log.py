"""`workroom log`: the history, by anyone."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from workroom.interfaces.cli.client import person
from workroom.interfaces.cli.output import Output
from workroom.interfaces.cli.scene import Json, scene_of

__all__ = ["log"]

_PATHS = 3
"""Paths that a line names."""


def log(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many entries.")] = 20,
    before: Annotated[int | None, typer.Option(metavar="NUMBER", help="Go on before this entry.")] = None,
    as_json: Json = False,
) -> None:
    """List what changed, by anyone. Newest first: who, why, which paths, and what is undone."""
    scene = scene_of(context, as_json)
    with person(os.getcwd()) as asking:
        entries = asking.ask("log", limit=limit, before=before)["entries"]
    if scene.json:
        scene.out.data({"ok": True, "entries": entries})
    elif entries:
        columns = ("", "when", "who", "what", "lines", "paths", "title", "id")
        rows = [_row(scene.out, entry) for entry in entries]
        scene.out.table(columns, rows, whole=("when", "lines", "id"), spare="id")  # `undo` takes the number too
    else:
        scene.out.note("The history is empty.")


def _row(out: Output, entry: dict[str, Any]) -> tuple[str, ...]:
    return (
        str(entry["number"]),
        out.when(entry["at"]),
        f"{entry['actor']['kind']} {entry['actor']['name']}",
        _cause(entry),
        f"+{entry['added']} -{entry['removed']}",
        _paths(entry),
        _title(entry),
        entry["transactionId"],
    )


def _title(entry: dict[str, Any]) -> str:
    return (
        f"{entry['title']} (CAUTION, shown escaped: {', '.join(entry['flags'])})" if entry["flags"] else entry["title"]
    )


def _paths(entry: dict[str, Any]) -> str:
    """The first paths of an entry, and how many more there are."""
    named = ", ".join(entry["paths"][:_PATHS])
    more = entry["total"] - min(_PATHS, len(entry["paths"]))
    return f"{named} and {more} more" if more else named


def _cause(entry: dict[str, Any]) -> str:
    cause = entry["cause"] if entry["undoes"] is None else f"undoes {entry['undoes']}"
    return cause if entry["undoneBy"] is None else f"{cause}, undone by {entry['undoneBy']}"
