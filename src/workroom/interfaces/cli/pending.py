"""`workroom pending`: what waits for your yes or no."""

from __future__ import annotations

import os
from typing import Any

import typer

from workroom.interfaces.cli.client import person
from workroom.interfaces.cli.exits import Exit
from workroom.interfaces.cli.scene import Json, scene_of

__all__ = ["pending"]


def pending(context: typer.Context, as_json: Json = False) -> None:
    """List what waits for you. The newest stands first."""
    scene = scene_of(context, as_json)
    with person(os.getcwd()) as asking:
        waiting = asking.ask("pending")["pending"]
    if scene.json:
        scene.out.data({"ok": True, "pending": waiting})
    elif waiting:
        rows = [
            (one["id"], one["kind"], one["asker"], scene.out.when(one["expiresAt"]), _caution(one), one["title"])
            for one in waiting
        ]
        scene.out.table(("id", "kind", "asked by", "until", "caution", "title"), rows)
    else:
        scene.out.note("Nothing waits for a decision.")
    if not waiting:
        raise typer.Exit(Exit.NOTHING)


def _caution(waiting: dict[str, Any]) -> str:
    escaped = [f"shown escaped: {', '.join(waiting['flags'])}"] if waiting["flags"] else []
    return ", ".join([*(["destructive"] if waiting["destructive"] else []), *waiting["asks"], *escaped])
