"""`workroom audit verify | export`: who asked, who decided, what was shown and done, and whether somebody was at it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any

import typer

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.interfaces.cli.client import Asking, person
from workroom.interfaces.cli.output import Output
from workroom.interfaces.cli.scene import Json, scene_of

__all__ = ["audit"]

_AT_ONCE = 200
_HASH = re.compile(r"[0-9a-fA-F]{64}")

Server = Annotated[
    bool, typer.Option("--server", help="The server's own log (tokens, who was turned away), not the workspace's.")
]

audit = typer.Typer(
    help="Look over the audit log of this workspace, or hand it out.", no_args_is_help=True, rich_markup_mode=None
)


class Format(StrEnum):
    """How lines are handed out."""

    JSONL = "jsonl"
    TEXT = "text"


@audit.command()
def verify(
    context: typer.Context,
    since: Annotated[int, typer.Option(min=1, metavar="N", help="Look from this line on.")] = 1,
    expect: Annotated[
        str | None, typer.Option(metavar="N:HASH", help="A line's number and hash, as you noted them elsewhere.")
    ] = None,
    server: Server = False,
    as_json: Json = False,
) -> None:
    """Look whether the log is whole. Ends with 1 at a fault, and names the first ones."""
    scene = scene_of(context, as_json)
    with person(None if server else os.getcwd()) as asking:
        found = asking.ask("audit.verify", server=server, since=since, expect=_noted(expect))
    if not scene.json:
        _tell(scene.out, found)
    if not found["good"]:
        raise _at_fault(found, told=not scene.json)
    if scene.json:
        scene.out.data({"ok": True, **found})


@audit.command()
def export(
    context: typer.Context,
    since: Annotated[int, typer.Option(min=1, metavar="N", help="Begin with this line.")] = 1,
    form: Annotated[
        Format, typer.Option("--format", help="jsonl: each line whole, to be checked offline; text: to be read.")
    ] = Format.JSONL,
    server: Server = False,
    as_json: Json = False,
) -> None:
    """Hand the log out, oldest line first."""
    scene = scene_of(context, as_json)
    with person(None if server else os.getcwd()) as asking:
        lines = _lines(asking, since, server)
        if scene.json:
            scene.out.data({"ok": True, "lines": list(lines)})
        elif form is Format.JSONL:
            for line in lines:
                scene.out.ascii(json.dumps(line, sort_keys=True, separators=(",", ":")))
        else:
            for line in lines:
                scene.out.line(_readable(scene.out, line))


def _lines(asking: Asking, since: int, server: bool) -> Iterator[dict[str, Any]]:
    while batch := asking.ask("audit.export", server=server, since=since, limit=_AT_ONCE)["lines"]:
        yield from batch
        since = batch[-1].get("number", since + len(batch) - 1) + 1


def _readable(out: Output, line: dict[str, Any]) -> str:
    who, what = line.get("who", {}), line.get("what", {})
    told = " ".join(f"{name}={_word(value)}" for name, value in what.items())
    return f"{line.get('number')} {out.when(line['at'])} {who.get('kind')} {who.get('name')}: {line.get('kind')} {told}"


def _word(value: Any) -> str:
    return value if isinstance(value, str) and value and " " not in value else json.dumps(value, ensure_ascii=False)


def _noted(expect: str | None) -> tuple[int, str] | None:
    if expect is None:
        return None
    number, _, line_hash = expect.partition(":")
    if not number.isdecimal() or not _HASH.fullmatch(line_hash.strip()):
        raise typer.BadParameter("It is a line's number and whole hash, as verify prints them.", param_hint="--expect")
    return int(number), line_hash.strip().lower()


def _tell(out: Output, found: dict[str, Any]) -> None:
    out.line(
        f"{found['lines']} lines, {found['checked']} of them looked at, {found['entries']} of these tell of changes."
    )
    out.line(f"The last: {found['lines']}:{found['hash']}")
    behind = found["lines"] - found["head"]["lines"]
    if found["head"]["state"] == "behind":
        out.line(f"The head is behind by {behind}: a crash came before it was written. That is no fault.")
    if found["good"]:
        out.line("Nobody was at the log, unless they hold its key. Note the last line elsewhere to be surer.")
    for fault in found["faults"]:
        out.line(_fault(fault), "bold red")
    if found["total"] > len(found["faults"]):
        out.line(f"and {found['total'] - len(found['faults'])} more.", "bold red")


def _fault(fault: dict[str, Any]) -> str:
    return f"line {fault['line']}: {fault['what']}" if fault["line"] else fault["what"]


def _at_fault(found: dict[str, Any], *, told: bool) -> WorkroomError:
    """`told`: the faults stand in the output already, each on its line."""
    number = found["total"]
    first = "" if told else f" {_fault(found['faults'][0])}."
    return WorkroomError(
        ErrorCode.IO_ERROR,
        f"The audit log has {number} fault{'' if number == 1 else 's'}.{first}",
        next_step="Whose work it is the log can't say. What you know of (a backup that was put back) is left out by "
        "`--since`.",
        details=found,
    )
