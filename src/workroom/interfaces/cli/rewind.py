"""`workroom rewind --to ENTRY|TIME`: go back to how the folder stood, after a look at what that touches."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.interfaces.cli.client import person
from workroom.interfaces.cli.exits import Exit, failed
from workroom.interfaces.cli.scene import Json, scene_of
from workroom.interfaces.cli.taking_back import confirm, look, show_plan

__all__ = ["moment", "rewind"]

_AGO = re.compile(r"(\d{1,6})([mhd])")
_CLOCK = re.compile(r"\d\d:\d\d(:\d\d)?")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_ACTOR = re.compile(r"(agent|person|program):")


def rewind(
    context: typer.Context,
    to: Annotated[
        str,
        typer.Option(
            metavar="ENTRY|TIME",
            help="After this entry (number or `tx_…`; 0: before the first), or at this time: 14:30, 2026-11-30T14:30, "
            "or so long ago: 30m, 2h, 1d.",
        ),
    ],
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH|ACTOR",
            help="Only this path with all below it, or what this actor did: agent:NAME, person:NAME, program:NAME, "
            "or agent: for all of them. May be given several times.",
        ),
    ] = None,
    preview: Annotated[bool, typer.Option("--preview", help="Show what would be done, and do nothing.")] = False,
    merge: Annotated[
        bool, typer.Option("--merge", help="Keep other work in the same files, where it doesn't overlap.")
    ] = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Overwrite other work too; the new entry keeps it. Leave what is forgotten."),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
    as_json: Json = False,
) -> None:
    """Go back to how the folder stood, as one change that can be undone. Shows the paths that it touches, and asks."""
    scene = scene_of(context, as_json)
    named = [each if _ACTOR.match(each) else os.path.abspath(each) for each in only or ()]
    wanted = {"to": moment(to, datetime.now(UTC).astimezone()), "only": named, "force": force}
    with person(os.getcwd()) as asking:
        try:
            planned = look(asking, "rewind", "Leave these paths out with --only", merge=merge, **wanted)
        except WorkroomError as error:
            if error.details.get("nothing"):
                raise failed(error, Exit.NOTHING) from error
            raise
        taken = planned["taken"]
        whole = f", {len(taken)} {'entry' if len(taken) == 1 else 'entries'} taken back whole" if taken else ""
        if preview or not scene.json:
            show_plan(scene, planned, f"{planned['title']}{whole}:", whole=preview)
        if preview:
            return
        if not yes:
            confirm(scene, "Go back to this?")
        done = asking.ask("rewind", merge=merge, fingerprint=planned["fingerprint"], **wanted)["entry"]
    if scene.json:
        scene.out.data({"ok": True, "entry": done})
        return
    scene.out.line(f"{planned['title']}: entry {done['number']} ({done['transactionId']}).")


def moment(text: str, now: datetime) -> str:
    """An entry's name as it is; a time as people write it, by the clock here, with its offset from UTC."""
    if text.isdecimal() or text.startswith("tx_"):
        return text
    ago = _AGO.fullmatch(text)
    if ago:
        return (now - timedelta(**{_UNITS[ago[2]]: int(ago[1])})).isoformat()
    try:
        at = datetime.fromisoformat(f"{now.date()}T{text}" if _CLOCK.fullmatch(text) else text)
    except ValueError:
        raise failed(
            WorkroomError(
                ErrorCode.INVALID_INPUT,
                f"--to: {text!r} is no entry and no time.",
                next_step="Name an entry of `workroom log`, a time (14:30, 2026-11-30T14:30), or 30m, 2h, 1d for so "
                "long ago.",
            ),
            Exit.USAGE,
        ) from None
    return (at if at.tzinfo else at.replace(tzinfo=now.tzinfo)).isoformat()
