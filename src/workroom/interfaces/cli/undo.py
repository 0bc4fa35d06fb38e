"""`workroom undo [ID]`: take an entry of the history back, after a look at what that touches."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.interfaces.cli.client import Asking, person
from workroom.interfaces.cli.completion import entries
from workroom.interfaces.cli.exits import Exit, failed
from workroom.interfaces.cli.scene import Json, Scene, scene_of
from workroom.interfaces.cli.taking_back import confirm, look, show_plan

__all__ = ["undo"]


def undo(
    context: typer.Context,
    entry: Annotated[
        str | None,
        typer.Argument(
            metavar="ID",
            help="`tx_…` or the entry's number; without one the newest that can be undone.",
            autocompletion=entries,
        ),
    ] = None,
    preview: Annotated[bool, typer.Option("--preview", help="Show what would be done, and do nothing.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite later work too; the new entry keeps it.")] = False,
    merge: Annotated[
        bool, typer.Option("--merge", help="Keep later work in the same files, where it doesn't overlap.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
    as_json: Json = False,
) -> None:
    """Undo a change, byte for byte. Shows the paths that it touches, and asks. The undo is an entry itself."""
    scene = scene_of(context, as_json)
    with person(os.getcwd()) as asking:
        planned = _preview(asking, entry, force=force, merge=merge)
        if preview:
            _show(scene, planned, whole=True)
            return
        if not scene.json:
            _show(scene, planned, whole=False)
        if not yes:
            confirm(scene, "Undo this?")
        number = str(planned["entry"]["number"])
        done = asking.ask("undo", id=number, force=force, merge=merge, fingerprint=planned["fingerprint"])["entry"]
    if scene.json:
        scene.out.data({"ok": True, "entry": done})
        return
    for warning in done["warnings"]:
        scene.out.line(warning, "yellow")
    scene.out.line(f"Undone: entry {number}, by entry {done['number']} ({done['transactionId']}).")


def _preview(asking: Asking, entry: str | None, *, force: bool, merge: bool) -> dict[str, Any]:
    try:
        return look(asking, "undo", "Undo the later change first", merge=merge, id=entry, force=force)
    except WorkroomError as error:
        if error.code is ErrorCode.NOT_FOUND and entry is None:
            raise failed(error, Exit.NOTHING) from error
        raise


def _show(scene: Scene, planned: dict[str, Any], *, whole: bool) -> None:
    entry = planned["entry"]
    by = f"{entry['actor']['kind']} {entry['actor']['name']}"
    head = f"Undo of entry {entry['number']} ({entry['transactionId']}), {entry['title']}, by {by}:"
    show_plan(scene, planned, head, whole=whole)
