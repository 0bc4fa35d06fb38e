"""Who speaks over one connection: made by the server when the handshake is through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workroom.base.settings import Profile
from workroom.tools.workspace import Workspace

__all__ = ["Session"]


@dataclass(frozen=True, slots=True)
class Session:
    """One connection's identity (`session_…`), what it sees, and the environment that it brought along.

    `workspace` is None for a person who has named no folder. `env` is the client's allow-listed environment: what is
    run for this session sees these values and no other client's.
    """

    id: str
    profile: Profile = "workspace"
    workspace: Workspace | None = None
    env: Mapping[str, str] = field(default_factory=dict)
