"""What a call gives back: the envelope, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Answer", "Approval", "Picture"]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that an answer shows."""

    path: str
    mime: str
    """`image/png` and so on, told by the bytes."""
    data: bytes


@dataclass(frozen=True, slots=True)
class Approval:
    """A call that waits for the person's yes."""

    id: str
    title: str
    tool: str
    """What collects the result after the yes: this tool,"""
    arguments: Mapping[str, Any]
    """with these arguments; `Room.resume` does it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a tool. The fields of `data` are the tool's, as the reference tells them."""

    operation: str
    summary: str
    data: Mapping[str, Any] = field(default_factory=dict)
    artifacts: tuple[Mapping[str, Any], ...] = ()
    """Files below the folder that hold what the answer left out: kind, path, sha256, bytes."""
    pictures: tuple[Picture, ...] = ()
    envelope: Mapping[str, Any] = field(default_factory=dict)
    """The whole of it, as it came."""

    @property
    def approval(self) -> Approval | None:
        """What it waits for; None where it was carried out."""
        row = self.data.get("approval") if self.data.get("status") == "pending_approval" else None
        if row is None:
            return None
        resume = row["resume"]
        return Approval(row["id"], row["title"], resume["tool"], resume["arguments"])

    def __getitem__(self, name: str) -> Any:
        """A field of `data`; KeyError where the answer has none of that name."""
        return self.data[name]
