"""The proof that the person themselves asks: nothing in this package runs without one."""

from __future__ import annotations

import hmac
from collections.abc import Collection
from dataclasses import dataclass

from workroom.base.actor import Actor
from workroom.base.errors import ErrorCode, WorkroomError

__all__ = ["PersonCredential"]

_SEAL = object()


@dataclass(frozen=True, slots=True, init=False)
class PersonCredential:
    """A person by name. Made by `grant`, which the server calls for a connection that says `role: person`; or, for a
    client that the person has allowed, by `through_dialog`."""

    name: str
    surface: str
    """Where the person speaks: terminal, page, chat, elicitation. The audit log tells it with each decision."""

    def __init__(self, name: str, seal: object = None, surface: str = "terminal") -> None:
        if seal is not _SEAL:
            raise _refused("A credential is granted, not made.")
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "surface", surface)

    @classmethod
    def grant(
        cls,
        key_shown: str,
        key_true: str,
        uid_peer: int,
        uid_owner: int,
        *,
        name: str = "person",
        surface: str = "terminal",
    ) -> PersonCredential:
        """The credential of who showed the key of the state directory and runs as its owner; else PROTECTED_PATH.

        `name` is what the history calls them; the caller takes it from the account.
        """
        same_key = hmac.compare_digest(key_shown.encode("utf-8", "replace"), key_true.encode("utf-8", "replace"))
        if not key_true or not same_key:
            raise _refused("The key shown is not the person's.")
        if uid_peer != uid_owner:
            raise _refused(f"User {uid_peer} is not the owner.")
        return cls(name, _SEAL, surface)

    @classmethod
    def through_dialog(cls, client: str, allowed: Collection[str]) -> PersonCredential:
        """The credential of who answers a client's own dialog; PROTECTED_PATH unless the person has `allowed` it.

        It has a name of its own: what such a dialog has shown, the person hasn't been shown elsewhere.
        """
        if client not in allowed:
            raise _refused(f"The dialogs of {client} can't decide: the setting elicitation_clients doesn't name it.")
        return cls(f"person through {client}", _SEAL, "elicitation")

    @property
    def actor(self) -> Actor:
        """The person as the history names them."""
        return Actor("person", self.name)


def _refused(message: str) -> WorkroomError:
    return WorkroomError(
        ErrorCode.PROTECTED_PATH,
        message,
        next_step="Only the person decides, with `workroom` in a terminal.",
    )
