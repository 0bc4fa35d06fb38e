"""The command line: the visible list of commands, one file each.

The options before the command are `-C`, `--profile`, `--json` and `--version`; `--json` may stand behind it too.
exits.py has the exit codes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Annotated

import typer

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.interfaces import link
from workroom.interfaces.cli.accept import accept
from workroom.interfaces.cli.audit import audit
from workroom.interfaces.cli.call import call
from workroom.interfaces.cli.close import close
from workroom.interfaces.cli.completion import VARIABLE, completion
from workroom.interfaces.cli.deny import deny
from workroom.interfaces.cli.doctor import doctor
from workroom.interfaces.cli.exits import Exit, FailureError
from workroom.interfaces.cli.log import log
from workroom.interfaces.cli.mcp import mcp
from workroom.interfaces.cli.mode import mode
from workroom.interfaces.cli.open import open_folder
from workroom.interfaces.cli.output import standard
from workroom.interfaces.cli.page import page
from workroom.interfaces.cli.pending import pending
from workroom.interfaces.cli.rewind import rewind
from workroom.interfaces.cli.scene import Examine, Json, Scene, Serve, scene_of
from workroom.interfaces.cli.serve import serve
from workroom.interfaces.cli.settings import settings
from workroom.interfaces.cli.show import show
from workroom.interfaces.cli.status import status
from workroom.interfaces.cli.stop import stop
from workroom.interfaces.cli.token import token
from workroom.interfaces.cli.undo import undo

__all__ = ["COMMANDS", "app", "run"]

app = typer.Typer(
    name="workroom",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: rich is slow to load
    context_settings={"help_option_names": ["-h", "--help"]},
)

COMMANDS: Mapping[str, Callable[..., None]] = {
    "serve": serve,
    "open": open_folder,
    "close": close,
    "status": status,
    "stop": stop,
    "pending": pending,
    "show": show,
    "accept": accept,
    "deny": deny,
    "mode": mode,
    "log": log,
    "undo": undo,
    "rewind": rewind,
    "call": call,
    "doctor": doctor,
    "mcp": mcp,
    "completion": completion,
}
"""Every command but `audit`, `page`, `settings` and `token`, which have commands of their own."""

for _name, _command in COMMANDS.items():
    app.command(_name)(_command)
app.add_typer(audit, name="audit")
app.add_typer(page, name="page")
app.add_typer(settings, name="settings")
app.add_typer(token, name="token")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"workroom {link.VERSION}")
        raise typer.Exit


@app.callback()
def workroom(
    context: typer.Context,
    folders: Annotated[
        list[str] | None, typer.Option("-C", metavar="FOLDER", help="Run as if started in FOLDER.")
    ] = None,
    profile: Annotated[
        str, typer.Option(metavar="PROFILE", help="Which tools `call` and `mcp` see: workspace, files or editor.")
    ] = "workspace",
    as_json: Json = False,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """One room where agents and people work on the same files.

    Commands are about the workspace in which you stand. Exit codes: 0 done, 1 refused or failed, 2 wrong command line,
    3 nothing to do, 4 no server, 5 a tool answered no, 6 a call waits for your yes.
    """
    del version
    scene_of(context, as_json).profile = profile
    for folder in folders or ():
        try:
            os.chdir(folder)
        except OSError as error:
            raise typer.BadParameter(f"{folder}: {error.strerror}.", param_hint="-C") from error


def run(serve_here: Serve, examine: Examine) -> int:
    """Run one command; answers its exit code. A refusal goes to standard error, with `--json` to standard output too.

    `serve_here` serves in this process, `examine` looks at the machine; they are handed in because they load the whole
    server, which nothing else needs.
    """
    scene = Scene(standard(), serve_here, examine)
    if VARIABLE in os.environ:
        _learn_shells()
    try:
        app(obj=scene)
    except WorkroomError as error:
        return _fail(scene, error)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _fail(scene, WorkroomError(ErrorCode.IO_ERROR, f"{where}{error.strerror}."))
    return Exit.DONE


def _learn_shells() -> None:
    """Let typer know what each shell asks by; it does so itself only where it adds options for that."""
    from typer.completion import completion_init  # type: ignore[attr-defined]  # noqa: PLC0415 - at a Tab alone

    completion_init()


def _fail(scene: Scene, error: WorkroomError) -> int:
    scene.out.error(error)
    if scene.json:
        scene.out.failure(error)
    return error.exit_code if isinstance(error, FailureError) else Exit.FAILED
