"""A record as a value: where it stands, what it is bound to, and what the person said."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from workroom.base.actor import Actor
from workroom.base.settings import Profile

__all__ = ["LIFETIME_SECONDS", "Amendment", "Approval", "Denial", "Status", "approval_of"]

LIFETIME_SECONDS = 24 * 3600
"""How long a record stands while pending, approved or denied."""


class Status(StrEnum):
    """Where a record stands."""

    PENDING = "pending"
    APPROVED = "approved"
    DENIED = "denied"
    CONSUMED = "consumed"
    COMPLETED = "completed"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class Approval:
    """One record. Times are seconds since 1970; `asks` are the reasons to ask in every mode, for the person."""

    id: str
    kind: str
    title: str
    status: Status
    destructive: bool
    asks: tuple[str, ...]
    fingerprint: str
    effect: str
    """What a denial of it is bound to; empty for the fingerprint."""
    tool: str
    arguments: dict[str, Any]
    """The stored call: what an accept runs."""
    preview: dict[str, Any]
    """What the pending answer carries."""
    actor: Actor
    profile: Profile
    created_at: float
    expires_at: float
    decided_at: float | None
    decided_by: str | None
    note: str
    """The person's note on an approval, their reason on a denial."""
    result: dict[str, Any] | None
    collected: bool
    amended: dict[str, Any] | None = None
    """What the person made of it: `how` (in part, edited), what was `asked`, and which parts. Then fingerprint, effect
    and arguments are of what they accepted."""


@dataclass(frozen=True, slots=True)
class Amendment:
    """A yes to something else than was asked for: to a part of it, or to what the person made of it."""

    fingerprint: str
    effect: str
    arguments: dict[str, Any]
    """The call that does it, instead of the stored one."""
    destructive: bool
    asks: tuple[str, ...]
    how: dict[str, Any]
    """`how`: `in part` or `edited`; and the files and hunks, or the transaction."""


@dataclass(frozen=True, slots=True)
class Denial:
    """The person's no to an effect: the record that it was said to, and the reason."""

    approval_id: str
    note: str


def approval_of(row: tuple[Any, ...]) -> Approval:
    """The record of a row of `tables.SELECT`."""
    (record_id, kind, title, status, destructive, asks, fingerprint, effect, tool, arguments, preview, actor_kind,
     actor_name, session, profile, created_at, expires_at, decided_at, decided_by, note, result,
     collected, amended) = row  # fmt: skip
    return Approval(
        id=record_id,
        kind=kind,
        title=title,
        status=Status(status),
        destructive=bool(destructive),
        asks=tuple(json.loads(asks)),
        fingerprint=fingerprint,
        effect=effect,
        tool=tool,
        arguments=json.loads(arguments),
        preview=json.loads(preview),
        actor=Actor(actor_kind, actor_name, session),
        profile=profile,
        created_at=created_at,
        expires_at=expires_at,
        decided_at=decided_at,
        decided_by=decided_by,
        note=note,
        result=None if result is None else json.loads(result),
        collected=bool(collected),
        amended=None if amended is None else json.loads(amended),
    )
