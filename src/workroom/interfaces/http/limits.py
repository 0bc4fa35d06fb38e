"""How much a request may be, and how long it may take: one value, so that a test can have it smaller."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes, seconds and counts; a setting of nobody's."""

    target_bytes: int = 4_096
    """A request's path and query."""
    head_bytes: int = 32 * 1024
    """A request's head."""
    head_seconds: float = 10.0
    """How long a head may take to come in."""
    body_bytes: int = 32 * 1024 * 1024
    """A request's body."""
    body_seconds: float = 30.0
    """How long a body may take to come in."""
    bodies_bytes: int = 128 * 1024 * 1024
    """All bodies together, while they are read and worked on."""
    own_bodies_bytes: int = 64 * 1024 * 1024
    """The same of one token."""
    requests: int = 256
    """Requests of one token at once, streams among them."""
    ranges: int = 10
    """Ranges that a request asks for."""
    connections: int = 1_000
    """Open at once; fewer where the process may open few files."""
    idle_seconds: float = 30.0
    """How long a connection may rest between two requests."""
    stall_seconds: float = 60.0
    """How long a client may read nothing of what it is sent."""
    session_seconds: float = 1_800.0
    """How long what a token has open stays its own, after its last request that is of no MCP session."""
    tab_seconds: float = 30.0
    """The same of a page's tab."""
    linger_seconds: float = 2.0
    """How long the rest of a refused body is read and dropped, so that the refusal arrives."""
    lingering: int = 50
    """Connections that this is done for at once."""
