"""The server's half of the handshake as values: what a client's first line says, and how it is answered."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.settings import Profile
from workroom.interfaces.link import PROTOCOL, VERSION

__all__ = ["Greeting", "Resumed", "read_greeting", "refusal", "wire_error"]

Role = Literal["agent", "person"]


class Resumed(BaseModel):
    """What another server has heard from a client and hands on, through the shim. Texts are bytes as Latin-1.

    `first` are the lines that introduced the client, `held` what it said that was not heard yet. `root` is where it
    worked, if that wasn't the folder that it came for.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    first: tuple[str, ...] = ()
    held: str = ""
    root: str = ""


class Greeting(BaseModel):
    """What a client says first. Fields that are not known here are left to servers that know them."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    workroom: int
    role: Role
    workspace: str | None = None
    open: bool = True
    """For a person: whether the folder becomes a workspace if it is none; else the one it stands in is meant."""
    profile: Profile = "workspace"
    key: str = ""
    build: str = ""
    version: str = ""
    env: dict[str, str] = Field(default_factory=dict)
    pipes: bool = False
    """Whether the client's standard input and output come along as descriptors."""
    resumed: Resumed | None = None


def read_greeting(line: bytes) -> Greeting:
    """The greeting in a line; INVALID_INPUT when it is none, UNSUPPORTED when it is of another protocol."""
    try:
        greeting = Greeting.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the first line"
        raise WorkroomError(
            ErrorCode.INVALID_INPUT, f"The handshake is not understood: {where}: {first['msg']}."
        ) from None
    if greeting.workroom != PROTOCOL:
        raise WorkroomError(
            ErrorCode.UNSUPPORTED,
            f"The client's handshake is version {greeting.workroom}, this server's (Workroom {VERSION}) is {PROTOCOL}.",
            next_step="Use the same Workroom for both; `workroom stop` ends this server.",
        )
    if greeting.workspace is not None and not greeting.workspace.startswith("/"):
        raise WorkroomError(ErrorCode.INVALID_INPUT, f"workspace is an absolute path, not {greeting.workspace!r}.")
    return greeting


def refusal(error: WorkroomError, *, retry: bool = False) -> bytes:
    """The line that turns a client away; with `retry`, to another server that it may start."""
    return json.dumps({"ok": False, "retry": retry, "error": wire_error(error)}).encode("ascii") + b"\n"


def wire_error(error: WorkroomError) -> dict[str, Any]:
    """An error as it travels between our own programs."""
    return {
        "code": str(error.code),
        "message": error.message,
        "next_step": error.next_step,
        "details": error.details,
    }
