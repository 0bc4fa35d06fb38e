"""`workroom settings [list | get KEY | set KEY VALUE | unset KEY]`: what you decide in advance."""

from __future__ import annotations

import json
import os
from typing import Annotated, Any

import typer

from workroom.interfaces.cli.client import person
from workroom.interfaces.cli.completion import setting_names
from workroom.interfaces.cli.scene import Json, Scene, scene_of

__all__ = ["settings"]

Key = Annotated[
    str,
    typer.Argument(help="The setting's name, or the name that other systems give it.", autocompletion=setting_names),
]
User = Annotated[bool, typer.Option("--user", help="For all your workspaces, instead of this one.")]

settings = typer.Typer(
    help="Show and change settings. Those of the workspace win over your own for all.",
    invoke_without_command=True,
    rich_markup_mode=None,
)


@settings.callback()
def every(context: typer.Context, as_json: Json = False) -> None:
    """List the settings, when no other command is named."""
    scene = scene_of(context, as_json)
    if context.invoked_subcommand is None:
        _list(scene)


@settings.command("list")
def list_settings(context: typer.Context, as_json: Json = False) -> None:
    """List every setting with its value and where it comes from."""
    _list(scene_of(context, as_json))


@settings.command()
def get(context: typer.Context, key: Key, as_json: Json = False) -> None:
    """Show a setting. In a pipe its value alone."""
    scene = scene_of(context, as_json)
    with person(os.getcwd()) as asking:
        found = asking.ask("settings.get", key=key)
    if scene.json:
        scene.out.data({"ok": True, **found})
        return
    scene.out.line(_value(found["value"]))
    if scene.out.terminal:
        other = f" Also called {', '.join(found['aliases'])}." if found["aliases"] else ""
        scene.out.line(f"From: {found['source']}. Default: {_value(found['default'])}.{other}")
        scene.out.line(found["documentation"])


@settings.command("set")
def set_setting(
    context: typer.Context,
    key: Key,
    value: Annotated[str, typer.Argument(help='A word, a number, or a JSON value such as ["*.lock"].')],
    user: User = False,
    as_json: Json = False,
) -> None:
    """Set a setting. It counts from the next call on."""
    scene = scene_of(context, as_json)
    with person(os.getcwd()) as asking:
        _tell(scene, asking.ask("settings.set", key=key, value=value, user=user))


@settings.command()
def unset(context: typer.Context, key: Key, user: User = False, as_json: Json = False) -> None:
    """Take a setting back. What is below it counts again: your own for all workspaces, or the default."""
    scene = scene_of(context, as_json)
    with person(os.getcwd()) as asking:
        _tell(scene, asking.ask("settings.unset", key=key, user=user))


def _list(scene: Scene) -> None:
    with person(os.getcwd()) as asking:
        found = asking.ask("settings.list")["settings"]
    if scene.json:
        scene.out.data({"ok": True, "settings": found})
    else:
        scene.out.table(
            ("setting", "value", "from"), [(one["name"], _value(one["value"]), one["source"]) for one in found]
        )


def _tell(scene: Scene, found: dict[str, Any]) -> None:
    if scene.json:
        scene.out.data({"ok": True, **found})
    else:
        scene.out.line(f"{found['name']} = {_value(found['value'])} (from: {found['source']})")


def _value(value: Any) -> str:
    """As it can be given to `set`: a word as it is, everything else as JSON; an empty text where it isn't set."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
