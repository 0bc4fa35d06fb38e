"""What every command is given beside its own arguments, and the options that stand on each of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Protocol

import typer

from workroom.interfaces.cli.output import Output

__all__ = ["Examine", "Json", "Scene", "Serve", "scene_of"]

Json = Annotated[bool, typer.Option("--json", help="Answer with one JSON object.")]


class Serve(Protocol):
    """Serves in this process until told to stop."""

    def __call__(self, folder: str | None, say: Callable[[str], None], *, http: bool, port: int | None) -> int:
        """`folder` is opened at once, `say` tells the person; see `daemon.run_in_foreground`."""


Examine = Callable[[str], list[dict[str, str]]]
"""Looks at the machine and the folder of this path, without a server: `server.doctor.examine`, as JSON."""


@dataclass
class Scene:
    """One run of the program: where it writes, what serves, and the options before the command."""

    out: Output
    serve: Serve
    examine: Examine
    json: bool = False
    profile: str = "workspace"


def scene_of(context: typer.Context, as_json: bool = False) -> Scene:
    """The scene of a command; `--json` may stand before the command or after it."""
    scene = context.find_object(Scene)
    if scene is None:
        raise RuntimeError("the program is started by run()")
    scene.json = scene.json or as_json
    return scene
