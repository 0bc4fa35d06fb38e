"""Clients that come over HTTP: who they are, and the hash of the token that each shows.

    wrt_4f1c…        a token: `wrt_` and 256 random bits in hex; shown once, when it is made
    `wrt_4f1c2a9b`   its beginning, by which a person or a secret scanner recognises it

Only the token's SHA-256 is kept: with 256 random bits nobody guesses what a hash belongs to, and a slow hash would only
slow the calls. A client has its workspaces by the names of their stores, so that a folder that moves keeps its clients.
Making and revoking is the person's, by `person/clients`; whoever answers a client only asks `find`.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from workroom.base.actor import Actor
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.ids import NewId
from workroom.base.settings import Profile
from workroom.system.clock import Clock
from workroom.system.state import StateDirectory

__all__ = ["TOKEN", "Client", "Clients", "local_name"]

TOKEN = re.compile(r"wrt_[0-9a-f]{64}")
"""What a token looks like, for whoever wants to find or hide one in a text."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_SHOWN = 12
"""Characters of a token that stay known; what is left has 224 bits."""
_MOST = 1_000
_OVER_HTTP = "@http"
"""How the name of a token's client ends, and no other's."""


@dataclass(frozen=True, slots=True)
class Client:
    """One client by its token. `workspaces` are names of stores; times are seconds since 1970."""

    id: str
    """`client_…`; also the session of its calls."""
    name: str
    """What the person called it; unique."""
    workspaces: tuple[str, ...]
    profile: Profile
    created_at: float
    expires_at: float | None
    beginning: str
    """The first characters of its token."""

    @property
    def actor(self) -> Actor:
        """Who acts, as the history and approvals name it: never what a local client calls itself by its own name."""
        return Actor("agent", self.name + _OVER_HTTP, self.id)


def local_name(name: str) -> str:
    """What a local client that calls itself `name` is called: anything but what stands for a token."""
    return f"{name} (local)" if name.endswith(_OVER_HTTP) else name


class Clients:
    """Every client that the person made, in one file of the state directory. Safe to use from many threads."""

    def __init__(self, state: StateDirectory, clock: Clock, new_id: NewId) -> None:
        self._state = state
        self._clock = clock
        self._new_id = new_id

    def find(self, token: str) -> Client | None:
        """Whose token it is, unless it has expired. How long this takes tells nothing about the tokens there are."""
        shown = _hash(token)
        found = [row for row in self._state.read_clients() if hmac.compare_digest(str(row["sha256"]), shown)]
        client = _client(found[0]) if found else None
        return client if client is not None and self.is_current(client) else None

    def is_current(self, client: Client) -> bool:
        """Whether the client is still there and hasn't expired: asked again by whatever goes on for long."""
        if client.expires_at is not None and client.expires_at <= self._clock():
            return False
        return any(row["id"] == client.id for row in self._state.read_clients())

    def list(self) -> tuple[Client, ...]:
        """All clients, oldest first; expired ones too."""
        return tuple(_client(row) for row in self._state.read_clients())

    def add(
        self, name: str, workspaces: Sequence[str], profile: Profile, expires_at: float | None
    ) -> tuple[Client, str]:
        """A new client and its token. INVALID_INPUT for a wrong or used name, no workspace, or a time that is over."""
        now = self._clock()
        if not _NAME.fullmatch(name):
            raise _wrong(
                "A client's name is 1 to 64 letters, digits, `.`, `_` and `-`, and begins with a letter or digit."
            )
        if not workspaces:
            raise _wrong("A client needs at least one folder.")
        if expires_at is not None and expires_at <= now:
            raise _wrong("The time at which the token expires is over already.")
        token = "wrt_" + secrets.token_hex(32)
        client = Client(
            self._new_id("client"), name, tuple(dict.fromkeys(workspaces)), profile, now, expires_at, token[:_SHOWN]
        )
        with self._state.changed_clients() as rows:
            if any(row["name"] == name for row in rows):
                raise _wrong(f"There is a client {name} already.", next_step=f"`workroom token revoke {name}` first.")
            if len(rows) >= _MOST:
                raise WorkroomError(
                    ErrorCode.LIMIT_EXCEEDED,
                    f"There are {_MOST:,} clients already.",
                    next_step="`workroom token revoke NAME` takes one away.",
                )
            rows.append({**asdict(client), "sha256": _hash(token)})
        return client, token

    def remove(self, named: str) -> Client:
        """Take a client away, by its name, id or its token's beginning; its token is worth nothing from now on."""
        with self._state.changed_clients() as rows:
            found = [row for row in rows if named in (row["name"], row["id"], row["beginning"])]
            if len(found) != 1:
                raise WorkroomError(
                    ErrorCode.NOT_FOUND,
                    f"There is no client {named!r}.",
                    next_step="`workroom token list` shows them.",
                )
            rows.remove(found[0])
        return _client(found[0])


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def _client(row: Mapping[str, Any]) -> Client:
    fields = {name: row[name] for name in Client.__dataclass_fields__}
    return Client(**{**fields, "workspaces": tuple(row["workspaces"])})


def _wrong(message: str, next_step: str = "") -> WorkroomError:
    return WorkroomError(ErrorCode.INVALID_INPUT, message, next_step=next_step)
