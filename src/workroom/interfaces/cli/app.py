"""The command line: the visible list of commands, one file each."""

from __future__ import annotations

import sys

import typer

from workroom.base.errors import WorkroomError
from workroom.interfaces.cli.serve import serve

__all__ = ["app", "run"]

app = typer.Typer(name="workroom", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)

for command in (serve,):
    app.command()(command)


def run() -> int:
    """Run one command; answers its exit code. A refusal goes to standard error with its next step."""
    try:
        app()
    except WorkroomError as error:
        sys.stderr.write(f"workroom: {error}\n")
        return 1
    return 0
