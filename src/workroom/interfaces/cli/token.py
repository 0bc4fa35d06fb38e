"""`workroom token [list | create NAME | revoke NAME]`: which clients may come over HTTP."""

from __future__ import annotations

import os
import re
from typing import Annotated, Any

import typer

from workroom.interfaces.cli.client import person
from workroom.interfaces.cli.exits import Exit
from workroom.interfaces.cli.scene import Json, Scene, scene_of

__all__ = ["token"]

_UNITS = {"m": 60, "h": 3_600, "d": 86_400, "w": 604_800}

token = typer.Typer(
    help="Let clients in over HTTP, each by a token of its own, and take the tokens back.",
    invoke_without_command=True,
    rich_markup_mode=None,
)


@token.callback()
def every(context: typer.Context, as_json: Json = False) -> None:
    """List the clients, when no other command is named."""
    scene = scene_of(context, as_json)
    if context.invoked_subcommand is None:
        _list(scene)


@token.command("list")
def list_tokens(context: typer.Context, as_json: Json = False) -> None:
    """List the clients that have a token. The tokens themselves are kept nowhere."""
    _list(scene_of(context, as_json))


@token.command()
def create(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="What the client is called, in the history too.")],
    folders: Annotated[
        list[str] | None,
        typer.Option("--folder", metavar="FOLDER", help="A folder that it may work in; where you stand, without one."),
    ] = None,
    profile: Annotated[str, typer.Option(metavar="PROFILE", help="Which tools it sees.")] = "workspace",
    expires: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="How long it counts: 30m, 12h, 90d, 4w. For ever, without one."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a client and its token, which is shown this once. In a pipe the token alone."""
    scene = scene_of(context, as_json)
    paths = [os.path.abspath(folder) for folder in folders or ["."]]
    seconds = None if expires is None else _seconds(expires)
    with person() as asking:
        made = asking.ask("clients.create", name=name, folders=paths, profile=profile, seconds=seconds)
    if scene.json:
        scene.out.data({"ok": True, **made})
        return
    scene.out.line(made["token"])
    url = made["url"] or "the address that `workroom serve` shows"
    scene.out.note(f"{name} may use {', '.join(paths)} over HTTP, at {url}. The token is shown this once.")


@token.command()
def revoke(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="The client's name, its id, or the beginning of its token.")],
    as_json: Json = False,
) -> None:
    """Take a client's token back. It counts no more from now on."""
    scene = scene_of(context, as_json)
    with person() as asking:
        revoked = asking.ask("clients.revoke", name=name)
    if scene.json:
        scene.out.data({"ok": True, **revoked})
    else:
        scene.out.line(f"Revoked: {revoked['client']['name']}")


def _list(scene: Scene) -> None:
    with person() as asking:
        clients = asking.ask("clients.list")["clients"]
    if scene.json:
        scene.out.data({"ok": True, "clients": clients})
        return
    if not clients:
        scene.out.note("No client has a token.")
        raise typer.Exit(Exit.NOTHING)
    columns = ("client", "token", "profile", "expires", "folders")
    scene.out.table(columns, [_row(scene, client) for client in clients], whole=("token", "expires"))


def _row(scene: Scene, client: dict[str, Any]) -> tuple[str, ...]:
    folders = ", ".join(one["path"] or f"(gone: {one['id']})" for one in client["workspaces"])
    until = "expired" if client["expired"] else scene.out.when(client["expiresAt"]) if client["expiresAt"] else "never"
    return client["name"], f"{client['token']}…", client["profile"], until, folders


def _seconds(text: str) -> int:
    found = re.fullmatch(r"(\d{1,6})([mhdw])", text.strip())
    if found is None or int(found[1]) == 0:
        raise typer.BadParameter(f"{text!r} is no time like 12h or 90d.", param_hint="--expires")
    return int(found[1]) * _UNITS[found[2]]
