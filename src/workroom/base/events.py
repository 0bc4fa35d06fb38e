"""What happened, as values: one frozen dataclass an event; its docstring is its manual.

Events are written in the database transaction of the change they tell of, get an increasing number there, and are
handed to listeners after that transaction is on disk.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

__all__ = [
    "ApprovalDecided",
    "ApprovalStaged",
    "BuffersChanged",
    "Committed",
    "Event",
    "ModeChanged",
    "PlanChanged",
    "PresenceChanged",
    "SettingsChanged",
]


@dataclass(frozen=True, slots=True)
class Event:
    """The base: `type` is the wire's name."""

    type: ClassVar[str] = "event"

    def to_json(self) -> dict[str, Any]:
        return {"type": self.type, **asdict(self)}


@dataclass(frozen=True, slots=True)
class Committed(Event):
    """An entry was added to the history: a commit, an undo, a change by another program."""

    type: ClassVar[str] = "committed"
    entry: int
    transaction_id: str
    paths: tuple[str, ...]
    """At most 20; `total` counts all."""
    total: int
    actor: str
    cause: str


@dataclass(frozen=True, slots=True)
class ApprovalStaged(Event):
    """A call waits for the person."""

    type: ClassVar[str] = "approval_staged"
    approval_id: str
    kind: str
    title: str


@dataclass(frozen=True, slots=True)
class ApprovalDecided(Event):
    """The person decided, or the result of an accepted call is there. `status` is the record's new status."""

    type: ClassVar[str] = "approval_decided"
    approval_id: str
    kind: str
    status: str


@dataclass(frozen=True, slots=True)
class PlanChanged(Event):
    """A plan was proposed, decided, superseded or completed."""

    type: ClassVar[str] = "plan_changed"
    plan_id: str
    status: str


@dataclass(frozen=True, slots=True)
class ModeChanged(Event):
    """The person set another permission mode; clients list their tools anew."""

    type: ClassVar[str] = "mode_changed"
    mode: str


@dataclass(frozen=True, slots=True)
class SettingsChanged(Event):
    """The person changed settings; `keys` names them."""

    type: ClassVar[str] = "settings_changed"
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BuffersChanged(Event):
    """What somebody has in view is another now.

    `action`: `opened`, `saved` and `closed` are about the actor's own buffers; `followed`: buffers of all were renamed
    or closed after a change of the folder by the actor; `behind`: what others than the actor have in view of these
    files isn't what they hold since the actor's change; `folders`: other folders are unfolded.
    """

    type: ClassVar[str] = "buffers_changed"
    action: str
    paths: tuple[str, ...]
    """At most 20."""
    actor_kind: str
    actor: str
    session: str


@dataclass(frozen=True, slots=True)
class PresenceChanged(Event):
    """Somebody came, went, or is at another file; who and where is asked for (`presence.list`), since it is of now."""

    type: ClassVar[str] = "presence_changed"
    actors: tuple[str, ...]
    """Names of who is there; at most 20."""
    total: int
