"""`workroom page [list | revoke ID]`: the link that signs a page in, and the pages that are."""

from __future__ import annotations

from typing import Annotated

import typer

from workroom.interfaces.cli.client import person
from workroom.interfaces.cli.completion import signed_in
from workroom.interfaces.cli.exits import Exit
from workroom.interfaces.cli.scene import Json, Scene, scene_of

__all__ = ["page"]

page = typer.Typer(
    help="Print the link that opens the page in a browser, signed in; list the pages that are, and sign one out.",
    invoke_without_command=True,
    rich_markup_mode=None,
)


@page.callback()
def every(context: typer.Context, as_json: Json = False) -> None:
    """Print a link, when no other command is named. It counts once, and for two minutes."""
    scene = scene_of(context, as_json)
    if context.invoked_subcommand is None:
        _print_link(scene)


@page.command("list")
def list_pages(context: typer.Context, as_json: Json = False) -> None:
    """List the pages that are signed in, oldest first."""
    scene = scene_of(context, as_json)
    with person() as asking:
        pages = asking.ask("pages.list")["pages"]
    if scene.json:
        scene.out.data({"ok": True, "pages": pages})
        return
    if not pages:
        scene.out.note("No page is signed in.")
        raise typer.Exit(Exit.NOTHING)
    rows = [(one["id"], scene.out.when(one["createdAt"]), one["browser"]) for one in pages]
    scene.out.table(("page", "since", "browser"), rows, whole=("since",))


@page.command()
def revoke(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="ID", help="The page's id.", autocompletion=signed_in)],
    as_json: Json = False,
) -> None:
    """Sign a page out. Its key counts no more from now on."""
    scene = scene_of(context, as_json)
    with person() as asking:
        revoked = asking.ask("pages.revoke", name=name)
    if scene.json:
        scene.out.data({"ok": True, **revoked})
    else:
        scene.out.line(f"Signed out: {revoked['page']['id']}")


def _print_link(scene: Scene) -> None:
    """The link; a server that doesn't listen for HTTP begins to."""
    with person() as asking:
        opened = asking.ask("http")
        made = asking.ask("page.code")
    if scene.json:
        scene.out.data({"ok": True, **made})
        return
    scene.out.line(made["link"])
    scene.out.note("Open it in a browser. It counts once, and for two minutes.")
    if opened["warning"]:
        scene.out.note(opened["warning"])
