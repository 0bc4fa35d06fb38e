"""How a command ends: its exit code, and the failure that carries one."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

from workroom.base.errors import WorkroomError

__all__ = ["MEANINGS", "Exit", "FailureError", "failed"]


class Exit(IntEnum):
    """The closed list of exit codes."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    NOTHING = 3
    NO_SERVER = 4
    ANSWERED_NO = 5
    WAITS = 6
    INTERRUPTED = 130


MEANINGS: Mapping[Exit, str] = {
    Exit.DONE: "Done.",
    Exit.FAILED: "Refused or failed; the line on standard error has the code, so has `--json`.",
    Exit.USAGE: "The command line is wrong, or a question could not be asked because nobody sits at a terminal.",
    Exit.NOTHING: "There was nothing to do: nothing waits, nothing to undo, no server to stop, or you answered no.",
    Exit.NO_SERVER: "No server is running, and none was to be started or none could be.",
    Exit.ANSWERED_NO: "The tool answered `ok: false`: `call`'s own call, or the one that `accept` let through.",
    Exit.WAITS: "`call`: the call waits for your yes; nothing was changed.",
    Exit.INTERRUPTED: "Ended by Ctrl-C.",
}


class FailureError(WorkroomError):
    """A refusal or failure that ends the command with an exit code of its own."""

    exit_code = Exit.FAILED


def failed(error: WorkroomError, exit_code: Exit, *, next_step: str | None = None) -> FailureError:
    """The same error, ending with `exit_code`, and with another next step if one is given."""
    step = error.next_step if next_step is None else next_step
    failure = FailureError(error.code, error.message, next_step=step, details=error.details)
    failure.exit_code = exit_code
    return failure
