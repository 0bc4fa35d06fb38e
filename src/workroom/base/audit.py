"""What the audit log tells, as values: one frozen dataclass a kind of line; its docstring is its manual.

A line is written in the database transaction of what it tells of. It carries hashes, names and the person's notes, no
contents, so that it can be kept for ever; what is long is cut, and says so (system/audit.py).
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar

__all__ = [
    "KINDS",
    "Answered",
    "Begun",
    "Decided",
    "Dropped",
    "EffectBegun",
    "EntryWritten",
    "Expired",
    "Line",
    "Opened",
    "PlanEnded",
    "Refused",
    "RefusedMore",
    "SessionBegun",
    "SessionEnded",
    "SettingChanged",
    "SettingsFound",
    "Shown",
    "Staged",
    "TakenBack",
    "Token",
    "TurnedAway",
    "Withdrawn",
]


@dataclass(frozen=True, slots=True)
class Line:
    """The base: `kind` is the wire's name. Who did it stands beside it, as an actor."""

    kind: ClassVar[str] = "line"

    def to_json(self) -> dict[str, Any]:
        """The fields by name; None is left out."""
        fields = ((field.name, getattr(self, field.name)) for field in dataclasses.fields(self))
        return {name: value for name, value in fields if value is not None}


@dataclass(frozen=True, slots=True)
class Begun(Line):
    """The log's first line. What stood before it was written without lines: entries up to that number, approvals used
    up to that many."""

    kind: ClassVar[str] = "begun"
    store: str
    entries: int
    used: int


@dataclass(frozen=True, slots=True)
class Opened(Line):
    """The folder was opened. `head` is what was found of the keyed head: whole, behind (a crash came between a commit
    and its head), or what shows that somebody was at the log: ahead, other, invalid, missing."""

    kind: ClassVar[str] = "opened"
    path: str
    adopted: str | None
    """The folder whose store was taken over."""
    head: str
    head_lines: int
    """How many lines the head told of."""
    head_hash: str


@dataclass(frozen=True, slots=True)
class EntryWritten(Line):
    """An entry of the history: a commit, an undo, others' bytes that were kept. `sha256` is of the entry's stored body,
    `fingerprint` of the operation that was permitted, `reason` why it could run (`auto`, `plan plan_…`,
    `approval approval_…`, `person`). `source` is the transaction of which it is a part (`derived` is `part`), which the
    person edited (`edited`), or in whose place it was merged (`merged`). `takes_back` are the entries that a rewind
    takes back whole."""

    kind: ClassVar[str] = "entry"
    entry: int
    transaction: str
    cause: str
    title: str
    fingerprint: str
    sha256: str
    changes: int
    paths: tuple[str, ...]
    reason: str
    approval: str | None
    decided_by: str | None
    undoes: int | None
    takes_back: tuple[int, ...] | None = None
    derived: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class EffectBegun(Line):
    """Something that can't be taken back was about to be done: a commit of git's, a push. Its approval is used up from
    here on, whatever comes of it; an entry of the history tells what did. `reason` as for an entry."""

    kind: ClassVar[str] = "effect"
    effect: str
    what: str
    title: str
    fingerprint: str
    reason: str
    approval: str | None
    decided_by: str | None


@dataclass(frozen=True, slots=True)
class TakenBack(Line):
    """A commit was taken back: after a crash (`interrupted`), or since a step failed. Paths that were kept as copies,
    put back, or found changed by somebody else and left."""

    kind: ClassVar[str] = "taken_back"
    transaction: str
    interrupted: bool
    note: str
    copies: tuple[str, ...]
    restored: tuple[str, ...]
    foreign: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Staged(Line):
    """A call waits for the person: what was asked, bound to its fingerprint and effect. `arguments` is the SHA-256 of
    the stored call that an accept runs."""

    kind: ClassVar[str] = "staged"
    approval: str
    what: str
    title: str
    tool: str
    profile: str
    destructive: bool
    asks: tuple[str, ...]
    fingerprint: str
    effect: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Shown(Line):
    """A person was shown a record; `sha256` is of the text that they were shown."""

    kind: ClassVar[str] = "shown"
    approval: str
    sha256: str
    surface: str


@dataclass(frozen=True, slots=True)
class Decided(Line):
    """The person said yes or no. `shown` is the SHA-256 of what this person was shown last of it, absent when they
    were shown nothing; `surface` is where they said it: terminal, page, chat, elicitation. Where the yes was to a part,
    or to what they made of it, `how` says so (`in part`, `edited`), `fingerprint` is of that, and `asked` of what was
    asked for."""

    kind: ClassVar[str] = "decided"
    approval: str
    decision: str
    note: str
    surface: str
    fingerprint: str
    shown: str | None
    how: str | None = None
    asked: str | None = None


@dataclass(frozen=True, slots=True)
class Answered(Line):
    """What an accepted call ended with: `ok`, and the SHA-256 of the whole answer that its asker collects."""

    kind: ClassVar[str] = "answered"
    approval: str
    ok: bool
    status: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Expired(Line):
    """A record's time was over; `was` is where it stood. Told when it is next looked at for a change."""

    kind: ClassVar[str] = "expired"
    approval: str
    was: str


@dataclass(frozen=True, slots=True)
class Dropped(Line):
    """A record that still stood was dropped to make room for another."""

    kind: ClassVar[str] = "dropped"
    approval: str
    was: str


@dataclass(frozen=True, slots=True)
class Withdrawn(Line):
    """A record that waited is over: what it asked about was done, changed or replaced meanwhile, by transaction
    `by`."""

    kind: ClassVar[str] = "withdrawn"
    approval: str
    by: str


@dataclass(frozen=True, slots=True)
class PlanEnded(Line):
    """A plan was superseded by another, or completed by its agent."""

    kind: ClassVar[str] = "plan_ended"
    approval: str
    status: str


@dataclass(frozen=True, slots=True)
class SettingChanged(Line):
    """The person changed a setting; values are JSON texts, absent where the layer had none. `layer` is user or
    workspace."""

    kind: ClassVar[str] = "setting_changed"
    name: str
    layer: str
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class SettingsFound(Line):
    """The settings' files were found to say something else than the log knew: somebody edited them by hand. Each
    setting's value as JSON text, before and now, by its layer and name; where a layer has none it is left out."""

    kind: ClassVar[str] = "settings_found"
    old: dict[str, str]
    new: dict[str, str]


@dataclass(frozen=True, slots=True)
class Refused(Line):
    """A call was refused by the gate, by protection or by the folder's bounds. `arguments` is the SHA-256 of the call's
    arguments."""

    kind: ClassVar[str] = "refused"
    operation: str
    code: str
    message: str
    arguments: str


@dataclass(frozen=True, slots=True)
class RefusedMore(Line):
    """What came beyond that which gets lines of its own since a time: counted by client, and by the code it was refused
    with or as its sessions."""

    kind: ClassVar[str] = "refused_more"
    since: str
    count: int
    by: dict[str, int]


@dataclass(frozen=True, slots=True)
class SessionBegun(Line):
    """A client's connection made its first call. What the client calls itself is the actor's name."""

    kind: ClassVar[str] = "session_begun"
    profile: str


@dataclass(frozen=True, slots=True)
class SessionEnded(Line):
    """A connection that had made a call ended. One that ended with its server, by a crash, has no such line."""

    kind: ClassVar[str] = "session_ended"


@dataclass(frozen=True, slots=True)
class TurnedAway(Line):
    """Somebody was refused at the door: with a wrong key, or a token that doesn't count. `tried` says what for."""

    kind: ClassVar[str] = "turned_away"
    interface: str
    tried: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Token(Line):
    """A client's token was made or revoked (`action`); `client` is the client's id, and the token itself is never
    told. `stores` are those of its workspaces."""

    kind: ClassVar[str] = "token"
    client: str
    action: str
    name: str
    profile: str
    stores: tuple[str, ...]


KINDS: tuple[type[Line], ...] = (
    Begun, Opened, EntryWritten, EffectBegun, TakenBack, Staged, Shown, Decided, Answered, Expired, Dropped, Withdrawn,
    PlanEnded, SettingChanged, SettingsFound, Refused, RefusedMore, SessionBegun, SessionEnded, TurnedAway, Token,
)  # fmt: skip
"""Every kind, in the order of the reference."""
