"""`workroom accept [ID] [note…]`: say yes, to all of it, to a part, or to what you make of it."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.interfaces.cli.client import Asking, person
from workroom.interfaces.cli.completion import waiting
from workroom.interfaces.cli.decide import nothing_waits, split_words, tell_decision
from workroom.interfaces.cli.editor import edit_files
from workroom.interfaces.cli.exits import Exit, failed
from workroom.interfaces.cli.scene import Json, Scene, scene_of

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
    files: Annotated[
        list[str] | None,
        typer.Option("--files", metavar="PATH", help="Only this path, or all below it; may be given again."),
    ] = None,
    hunks: Annotated[
        list[str] | None,
        typer.Option("--hunks", metavar="ID", help="Only these hunks, by the id behind @@; commas between several."),
    ] = None,
    edit: Annotated[
        bool, typer.Option("--edit", help="Edit what it would leave, in $VISUAL or $EDITOR, and accept that.")
    ] = False,
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="A note for its asker.")] = "",
    as_json: Json = False,
) -> None:
    """Say yes to a request. What was shown is done at once, or the part you name, or what you make of it."""
    scene = scene_of(context, as_json)
    chosen = {"files": files or [], "hunks": [each for one in hunks or [] for each in one.split(",") if each]}
    said = _said(words or [], note, alone=any(chosen.values()))
    if edit and any(chosen.values()):
        raise typer.BadParameter("A part is accepted as it is; edit all of it, or none.", param_hint="--edit")
    with person(os.getcwd()) as asking, nothing_waits(said):
        if edit:
            decided = _edit(scene, asking, said, hold=hold)
        else:
            decided = asking.ask("accept", words=said, hold=hold, **chosen)
    record = decided["approval"]
    held = " It runs when its asker asks again." if hold and record["kind"] != "plan" else ""
    tell_decision(scene, decided, f"Accepted {record['id']}{_how(record)}: {record['title']}.{held}")


def _said(words: list[str], note: str, *, alone: bool) -> str:
    """The words of the request. Beside `--files` and `--hunks` a further word is more likely a path than a note."""
    record, rest = split_words(" ".join(words))
    if alone and rest:
        raise failed(
            WorkroomError(
                ErrorCode.INVALID_INPUT,
                f"{rest!r} stands alone; nothing was decided.",
                next_step="Give each path its own --files, and a note with --note.",
            ),
            Exit.USAGE,
        )
    return f"{record} {note or rest}".strip()


def _edit(scene: Scene, asking: Asking, said: str, *, hold: bool) -> dict[str, Any]:
    proposal = asking.ask("proposal", words=said)
    contents = edit_files(scene.out, proposal)
    words = f"{proposal['id']} {split_words(said)[1]}"
    return asking.ask("edit", words=words, contents=contents, hold=hold, fingerprint=proposal["fingerprint"])


def _how(record: dict[str, Any]) -> str:
    amended = record["amended"]
    if amended is None:
        return ""
    return " as you edited it" if amended["how"] == "edited" else " in part"
