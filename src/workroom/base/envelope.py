"""The envelope: what every `workspace_*` tool answers with (system A, protocol `agentic-workspace/v1`)."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Any, Literal

from workroom.base.errors import WorkroomError

__all__ = ["PROTOCOL", "Artifact", "Envelope", "Form", "Importance", "Picture", "failure"]

PROTOCOL = "agentic-workspace/v1"
Importance = Literal["low", "normal", "high", "critical"]
Form = Literal["envelope", "fields"]


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
class Picture:
    """A picture that an answer shows; `path` is relative to the root."""

    path: str
    mime: str
    data: bytes

    def base64(self) -> str:
        """Its bytes as JSON can carry them."""
        return base64.b64encode(self.data).decode("ascii")

    def to_json(self) -> dict[str, Any]:
        return {"path": self.path, "mimeType": self.mime, "base64": self.base64()}


@dataclass(frozen=True, slots=True)
class Envelope:
    """One answer.

    `text` is what a client that shows only text needs beside the summary; it is not part of the wire's envelope,
    which carries the same in `data`. Empty: the summary says it all. None: it is shown the data.
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
    text: str | None = None
    next_step: str = ""
    """Of a failure: the end of its summary that says what to do; on the wire by itself only among fields."""
    form: Form = "envelope"
    """How an interface shows it: whole, or as the fields of its data alone, as a flat tool's answer is shown."""
    pictures: tuple[Picture, ...] = ()
    """What is to be looked at beside it. No part of the wire's envelope: an interface carries them in its own way."""

    def shown(self) -> dict[str, Any]:
        """What an interface answers with: the envelope, or in form `fields` the data, or `error` by itself."""
        if self.form == "envelope":
            return self.to_json()
        if self.error is None:
            return {**self.data, "artifacts": [a.to_json() for a in self.artifacts]} if self.artifacts else self.data
        message = self.summary.removesuffix(self.next_step).rstrip()
        return {"error": {**self.error, "message": message, "next_step": self.next_step}}

    def carried(self) -> dict[str, Any]:
        """The same with its pictures in it, for an interface that has no other place for them."""
        pictures = [picture.to_json() for picture in self.pictures]
        return {**self.shown(), "pictures": pictures} if pictures else self.shown()

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
        facts=(f"{operation} failed: {error.code}",), error=body, next_step=error.next_step,
    )  # fmt: skip
