"""Identifiers: a prefix that tells the kind, and random characters."""

from __future__ import annotations

import secrets
from collections.abc import Callable

__all__ = ["NewId", "new_id"]

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32: no letter that a person could misread when typing an id."""

NewId = Callable[[str], str]
"""Makes an id from a prefix; a value, so that tests can make ids that repeat."""


def new_id(prefix: str) -> str:
    """An id such as `tx_7k3m9q2x4b1c` (60 random bits)."""
    return prefix + "_" + "".join(secrets.choice(_ALPHABET) for _ in range(12))
