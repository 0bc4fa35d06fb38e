"""Workroom: a folder that agents and people share, where nothing is lost, half done, or done behind anyone's back.

    import workroom

    with workroom.open_workspace("path/to/folder") as room:
        room.edit.apply([{"type": "create", "path": "hello.txt", "content": "Hello."}])

The names load what they need when they are first used: the commands import this package too, and are to start at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workroom.base.errors import ErrorCode, WorkroomError
    from workroom.interfaces.python.answer import Answer, Approval
    from workroom.interfaces.python.room import EditorRoom, Room, open_workspace

__all__ = ["Answer", "Approval", "EditorRoom", "ErrorCode", "Room", "WorkroomError", "open_workspace"]

_HOMES = {
    "Answer": "workroom.interfaces.python.answer",
    "Approval": "workroom.interfaces.python.answer",
    "EditorRoom": "workroom.interfaces.python.room",
    "ErrorCode": "workroom.base.errors",
    "Room": "workroom.interfaces.python.room",
    "WorkroomError": "workroom.base.errors",
    "open_workspace": "workroom.interfaces.python.room",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
