"""What a request's token and address come to: whose it is, which room it means, and who would speak there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

from starlette.types import Scope

from workroom.interfaces.mcp.steps import Send

__all__ = ["Converser", "Door", "Place"]


class Converser(Protocol):
    """The server's half of a conversation, as `Conversation` is one; its docstring says what each of these does."""

    @property
    def busy(self) -> bool: ...

    def take(self, message: Any, origin: object = None) -> bool: ...

    @property
    def root(self) -> str: ...

    def recall(self, lines: tuple[bytes, ...]) -> None: ...

    async def return_to(self, root: str) -> None: ...

    def stop(self) -> tuple[bytes, ...]: ...

    def cancel(self, origin: object) -> None: ...

    def end(self) -> None: ...


def _always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Place:
    """Where a request leads."""

    owner: str
    """Whose token it was. What was begun with one is there for no other."""
    room: str
    """The workspace."""
    converse: Callable[[Callable[[Send], None], bool], Converser]
    """Begins a conversation there; it is given where to send, and whether it is for a session or one request alone."""
    counts: Callable[[], bool] = _always
    """Whether the token still counts; asked again by what goes on for long."""


Door = Callable[[Scope], Awaitable[Place]]
"""Leads an ASGI scope to its place; raises `RefusedError`."""
