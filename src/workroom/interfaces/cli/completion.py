"""`workroom completion SHELL`: the lines by which a shell completes commands, options, ids and settings.

The shell runs `workroom` again at each Tab, with the words so far in its environment. What it is told comes from the
server, if one runs; none is started for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any

import typer

from workroom.base.errors import WorkroomError
from workroom.base.settings import ALIASES, Mode, Settings
from workroom.interfaces.cli.client import person
from workroom.interfaces.cli.scene import scene_of
from workroom.text.display import show as escaped

__all__ = ["VARIABLE", "Shell", "completion", "entries", "modes", "setting_names", "signed_in", "waiting"]

VARIABLE = "_WORKROOM_COMPLETE"
"""The shell's lines set it; then the program completes, and runs no command."""

_ENTRIES = 20
_TITLE = 60

Suggestion = tuple[str, str]
"""A word, and what the shell may show beside it."""


class Shell(StrEnum):
    """The shells whose lines can be printed."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"
    POWERSHELL = "powershell"


def completion(
    context: typer.Context, shell: Annotated[Shell, typer.Argument(help="The shell that is to complete.")]
) -> None:
    """Print what makes a shell complete commands, ids and settings.

    bash, in ~/.bashrc: source <(workroom completion bash). zsh, in ~/.zshrc after compinit: the same with zsh. fish:
    workroom completion fish > ~/.config/fish/completions/workroom.fish. PowerShell, in its profile:
    workroom completion powershell | Out-String | Invoke-Expression.
    """
    from typer.completion import get_completion_script  # type: ignore[attr-defined]  # noqa: PLC0415 - only here

    script = get_completion_script(prog_name="workroom", complete_var=VARIABLE, shell=shell.value)
    for line in script.splitlines():
        scene_of(context).out.line(line)


def waiting(incomplete: str) -> Iterator[Suggestion]:
    """The ids of what waits for a decision here, newest first."""
    for row in _told("pending", "pending"):
        if row["id"].startswith(incomplete):
            yield row["id"], _beside(row["title"])


def entries(incomplete: str) -> Iterator[Suggestion]:
    """The newest entries of the history here that are in force, by transaction."""
    for row in _told("log", "entries", limit=_ENTRIES):
        if row["undoneBy"] is None and row["transactionId"].startswith(incomplete):
            yield row["transactionId"], _beside(row["title"] or ", ".join(row["paths"]))


def signed_in(incomplete: str) -> Iterator[Suggestion]:
    """The pages that are signed in, by id."""
    for row in _told("pages.list", "pages", here=False):
        if row["id"].startswith(incomplete):
            yield row["id"], _beside(row["browser"])


def setting_names(incomplete: str) -> list[str]:
    """Every setting, by its own name and by other systems'."""
    return [name for name in (*Settings.model_fields, *ALIASES) if name.startswith(incomplete)]


def modes(incomplete: str) -> list[str]:
    """The permission modes."""
    return [mode.value for mode in Mode if mode.startswith(incomplete)]


def _told(method: str, name: str, *, here: bool = True, **params: int) -> list[dict[str, Any]]:
    """Rows of an answer to the person, about where they stand if it is `here`.

    None where nobody answers: a Tab has nowhere to complain.
    """
    try:
        with person(os.getcwd() if here else None, start=False) as asking:
            rows: list[dict[str, Any]] = asking.ask(method, **params)[name]
            return rows
    except (WorkroomError, OSError):
        return []


def _beside(title: str) -> str:
    return escaped(title, multiline=False).text[:_TITLE]
