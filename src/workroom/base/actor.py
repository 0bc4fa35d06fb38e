"""Who does something."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Actor", "ActorKind"]

ActorKind = Literal["person", "agent", "program"]


@dataclass(frozen=True, slots=True)
class Actor:
    """A person, an agent or another program, and the session it acts in.

    `name` is what the client calls itself (`claude-code`) or the account's name; it is shown, never trusted.
    `session` is made by the server for each connection, and is empty outside one.
    """

    kind: ActorKind
    name: str
    session: str = ""
