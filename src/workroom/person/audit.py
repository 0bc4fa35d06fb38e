"""An audit log, a workspace's or the server's own, for the person: looked over, and handed out."""

from __future__ import annotations

from typing import Any

from workroom.core.audit import Audit, Verdict
from workroom.person.credential import PersonCredential

__all__ = ["export", "verify"]


def verify(_credential: PersonCredential, log: Audit, since: int = 1, expect: tuple[int, str] | None = None) -> Verdict:
    """Look over the log from line `since` on; `expect` is a line's number and hash, as noted earlier."""
    return log.verify(since, expect=expect)


def export(_credential: PersonCredential, log: Audit, since: int, limit: int) -> list[dict[str, Any]]:
    """Lines from `since` on, oldest first, each with its hash and seal. What agents wrote in them is not escaped."""
    return log.lines(since, limit)
