"""What `accept`, `deny` and `show` share: whose request is meant, and how a decision is told."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import typer

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.interfaces.cli.exits import Exit, failed
from workroom.interfaces.cli.scene import Scene

__all__ = ["nothing_waits", "split_words", "tell_decision"]

_PREFIXES = ("approval_", "plan_")


@contextlib.contextmanager
def nothing_waits(words: str) -> Iterator[None]:
    """When no id is named, NOT_FOUND can only mean that nothing waits: the command ends with NOTHING."""
    try:
        yield
    except WorkroomError as error:
        if error.code is ErrorCode.NOT_FOUND and not words.lstrip().startswith(_PREFIXES):
            raise failed(error, Exit.NOTHING) from error
        raise


def split_words(words: str) -> tuple[str, str]:
    """The id that the words begin with, or nothing, and the rest of them."""
    first, _, rest = words.strip().partition(" ")
    return (first, rest.strip()) if first.startswith(_PREFIXES) else ("", words.strip())


def tell_decision(scene: Scene, decided: dict[str, Any], sentence: str) -> None:
    """Print a decision, and what the accepted call answered, if it ran. Ends with ANSWERED_NO when that failed."""
    envelope = decided.get("envelope")
    ran = envelope is None or envelope["ok"]
    if scene.json:
        scene.out.data({"ok": ran, **decided})
    else:
        scene.out.line(sentence)
        if envelope is not None:
            scene.out.text(decided["summary"])
            scene.out.diff(envelope.get("data", {}).get("edited", {}).get("patch", ""))
    if not ran:
        raise typer.Exit(Exit.ANSWERED_NO)
