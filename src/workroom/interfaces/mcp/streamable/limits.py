"""What a client may have at once, and how long what takes its time may take."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """The numbers are for each token."""

    sessions: int = 128
    """Sessions at once; above that the longest unused one goes."""
    requests: int = 512
    """Requests that are served at once, streams among them."""
    batch: int = 100
    """Messages in one batch."""
    idle_seconds: float = 1_800
    """How long a session lasts with no request and no stream of its own."""
    patience_seconds: float = 5.0
    """How long an answer may take before the response becomes a stream, whose connection can be kept and resumed."""
    keepalive_seconds: float = 15.0
    """How often a stream that has nothing to say says so."""
    stall_seconds: float = 30.0
    """How long a client may take nothing of what is sent to it."""
    retry_seconds: float = 1.0
    """How soon a client that has lost a stream shall come again."""
