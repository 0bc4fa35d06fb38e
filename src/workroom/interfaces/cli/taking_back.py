"""What `undo` and `rewind` share: the look at what would be done, and the question."""

from __future__ import annotations

import os
from typing import Any

import typer

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.interfaces.cli.client import Asking
from workroom.interfaces.cli.exits import Exit, failed
from workroom.interfaces.cli.scene import Scene

__all__ = ["confirm", "look", "show_plan"]

_SHOWN = 20
"""Lines of a preview before a question; `--preview` shows all, with the differences."""


def look(asking: Asking, method: str, step: str, *, merge: bool, **params: Any) -> dict[str, Any]:
    """The preview that a method gives. A conflict's next step is told in the command line's words."""
    try:
        return asking.ask(method, preview=True, merge=merge, **params)
    except WorkroomError as error:
        if error.code is ErrorCode.EDIT_CONFLICT and "conflicts" in error.details:
            both = "" if merge else " --merge to keep both, or"
            told = f"{step}, or add{both} --force, which keeps what it overwrites."
            raise failed(error, Exit.FAILED, next_step=told) from error
        raise


def show_plan(scene: Scene, planned: dict[str, Any], head: str, *, whole: bool) -> None:
    """What would be done: the paths, with `whole` the differences too."""
    if scene.json:
        scene.out.data({"ok": True, **planned})
        return
    scene.out.line(head, "bold")
    if planned["flags"]:
        scene.out.line(f"CAUTION, shown escaped: {', '.join(planned['flags'])}", "bold yellow")
    for warning in planned["warnings"]:
        scene.out.line(warning, "yellow")
    if whole:
        scene.out.diff(planned["text"])
        return
    lines = planned["text"].partition("\n\n")[0].split("\n")
    for line in lines[:_SHOWN]:
        scene.out.line(f"  {line}")
    if len(lines) > _SHOWN:
        scene.out.line(f"  and {len(lines) - _SHOWN} more; --preview shows them all")


def confirm(scene: Scene, question: str) -> None:
    """Ask at a terminal, where no answer means no; anywhere else nobody could answer."""
    if scene.json or not (scene.out.terminal and os.isatty(0)):
        raise failed(
            WorkroomError(
                ErrorCode.INVALID_INPUT,
                "Nobody sits at a terminal to be asked; nothing was changed.",
                next_step="Add --yes to do it, or --preview to see all of it.",
            ),
            Exit.USAGE,
        )
    try:
        agreed = typer.confirm(question, default=False)
    except typer.Abort:  # Ctrl-C, or the end of the input
        agreed = False
    if not agreed:
        scene.out.note("Nothing was changed.")
        raise typer.Exit(Exit.NOTHING)
