"""The envelope: what every `workspace_*` tool answers with (system A, protocol `agentic-workspace/v1`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from workroom.base.errors import WorkroomError

__all__ = ["PROTOCOL", "Artifact", "Envelope", "Importance", "failure"]

PROTOCOL = "agentic-workspace/v1"
Importance = Literal["low", "normal", "high", "critical"]


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file that holds what an answer left out; `path` is relative to the root."""

    kind: str
    path: str
    sha256: str
    bytes: int
    description: str = ""

    def to_json(self) -> dict[str, Any]:
        row: dict[str, Any] = {"kind": self.kind, "path": self.path, "sha256": self.sha256, "bytes": self.bytes}
        if self.description:
            row["description"] = self.description
        return row


@dataclass(frozen=True, slots=True)
class Envelope:
    """One answer.

    `text` is what a client that shows only text needs beside the summary; it is not part of the wire's envelope,
    which carries the same in `data`.
    """

    ok: bool
    operation: str
    summary: str
    data: dict[str, Any] = field(default_factory=dict)
    importance: Importance = "normal"
    facts: tuple[str, ...] = ()
    omit_when_summarizing: tuple[str, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    error: dict[str, Any] | None = None
    text: str = ""

    def to_json(self) -> dict[str, Any]:
        """The wire's form, absent fields left out."""
        retention: dict[str, Any] = {"importance": self.importance}
        if self.facts:
            retention["facts"] = list(self.facts)
        if self.omit_when_summarizing:
            retention["omit_when_summarizing"] = list(self.omit_when_summarizing)
        body: dict[str, Any] = {
            "protocol": PROTOCOL,
            "ok": self.ok,
            "operation": self.operation,
            "summary": self.summary,
            "retention": retention,
        }
        if self.artifacts:
            body["artifacts"] = [a.to_json() for a in self.artifacts]
        if self.data:
            body["data"] = self.data
        if self.error is not None:
            body["error"] = self.error
        return body


def failure(operation: str, error: WorkroomError, data: dict[str, Any] | None = None) -> Envelope:
    """The envelope of a refusal or failure: the message with its next step, and the code."""
    body: dict[str, Any] = {"code": str(error.code), "message": str(error)}
    if error.details:
        body["details"] = error.details
    return Envelope(
        ok=False, operation=operation, summary=str(error), data=data or {}, importance="high",
        facts=(f"{operation} failed: {error.code}",), error=body,
    )  # fmt: skip
