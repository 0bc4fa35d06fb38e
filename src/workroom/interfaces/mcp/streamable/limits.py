"""What a client may have at once, and how long what takes its time may take."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """The numbers are for each token."""

    sessions: int = 128
    """Sessions at once; above that the longest unused one goes."""
    requests: int = 256
    """Requests that are served at once, streams among them."""
    other_bytes: int = 256 * 1024
    """A message that is no call of a tool: sessions and streams keep what they began with."""
    small_bytes: int = 64 * 1024
    """A message up to this long is decoded at once; a longer one on a thread of its own."""
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
