"""Clients that come over HTTP: the person makes them, each with a token, and takes them away.

A token is an agent's: it reaches the tools of its workspaces, and nothing that only the person may do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.settings import Profile
from workroom.core.clients import Client, Clients
from workroom.person.credential import PersonCredential
from workroom.system.clock import Clock
from workroom.tools.catalog import PROFILES
from workroom.tools.workspace import Workspace

__all__ = ["create", "list_clients", "revoke"]


def create(
    _credential: PersonCredential,
    clients: Clients,
    name: str,
    workspaces: Sequence[Workspace],
    profile: str,
    *,
    seconds: float | None,
    clock: Clock,
) -> tuple[Client, str]:
    """A new client and its token, which is told this once; `seconds` from now it expires, with None never.

    INVALID_INPUT for a wrong or used name, an unknown or empty profile, or no workspace.
    """
    known = [one for one in get_args(Profile) if PROFILES[one]]
    if profile not in known:
        raise WorkroomError(
            ErrorCode.INVALID_INPUT, f"There is no profile {profile!r}.", next_step=f"Profiles: {', '.join(known)}."
        )
    stores = [workspace.store.folder.name for workspace in workspaces]
    kept: Profile = next(one for one in known if one == profile)
    return clients.add(name, stores, kept, None if seconds is None else clock() + seconds)


def list_clients(_credential: PersonCredential, clients: Clients) -> tuple[Client, ...]:
    """Every client, oldest first; expired ones too, until they are revoked."""
    return clients.list()


def revoke(_credential: PersonCredential, clients: Clients, named: str) -> Client:
    """Take a client away by its name, id, or its token's beginning; NOT_FOUND. Its streams end soon after."""
    return clients.remove(named)
