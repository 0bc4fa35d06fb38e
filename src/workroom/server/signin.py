"""One-time codes, and the keys that pages got for them.

A code has 128 bits, and lives in memory; a key has 256, and only its hash is kept. Neither can be guessed: what is
bounded is the noise, not the odds.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.ids import NewId
from workroom.system.clock import Clock
from workroom.system.state import StateDirectory

__all__ = ["CODE_SECONDS", "Key", "SignIn", "link_of"]

CODE_SECONDS = 120.0
_CODES = 20
"""Codes that count at once; the oldest goes for a new one."""
_KEYS = 50
_MISSES = 30
"""Wrong codes within a minute, after which every code is refused until the minute is over."""
_MINUTE = 60.0


@dataclass(frozen=True, slots=True)
class Key:
    """One page that was signed in. `id` is `page_…` and no secret; times are seconds since 1970."""

    id: str
    created_at: float
    browser: str
    """What its browser called itself, cut."""


class SignIn:
    """Codes and keys of one server. Safe to use from many threads."""

    def __init__(self, state: StateDirectory, clock: Clock, new_id: NewId) -> None:
        self._state = state
        self._clock = clock
        self._new_id = new_id
        self._lock = threading.Lock()
        self._codes: dict[str, float] = {}
        """When each ends, by its hash; oldest first."""
        self._misses: list[float] = []

    def new_code(self) -> str:
        """A code for one page."""
        code = "code_" + secrets.token_hex(16)
        with self._lock:
            while len(self._codes) >= _CODES:
                del self._codes[next(iter(self._codes))]
            self._codes[_hash(code)] = self._clock() + CODE_SECONDS
        return code

    def exchange(self, code: str, browser: str) -> tuple[Key, str]:
        """The key for a code, which counts no more. PROTECTED_PATH for a wrong, used or old one; LIMIT_EXCEEDED."""
        self._take(code)
        shown = "page_" + secrets.token_hex(32)
        key = Key(self._new_id("page"), self._clock(), browser[:200])
        with self._state.changed_pages() as rows:
            del rows[: max(0, len(rows) - _KEYS + 1)]
            rows.append({**asdict(key), "sha256": _hash(shown)})
        return key, shown

    def find(self, shown: str) -> Key | None:
        """Whose key it is. How long this takes tells nothing about the keys there are."""
        digest = _hash(shown)
        found = [row for row in self._state.read_pages() if hmac.compare_digest(str(row["sha256"]), digest)]
        return _key(found[0]) if found else None

    def is_current(self, key: Key) -> bool:
        """Whether it still counts: asked again by whatever goes on for long."""
        return any(row["id"] == key.id for row in self._state.read_pages())

    def list(self) -> tuple[Key, ...]:
        """Every page that is signed in, oldest first."""
        return tuple(_key(row) for row in self._state.read_pages())

    def revoke(self, named: str) -> Key:
        """Sign a page out, by its id; NOT_FOUND. Its streams end soon after."""
        with self._state.changed_pages() as rows:
            found = [row for row in rows if row["id"] == named]
            if not found:
                raise WorkroomError(
                    ErrorCode.NOT_FOUND,
                    f"There is no page {named!r}.",
                    next_step="`workroom page list` shows them.",
                )
            rows.remove(found[0])
        return _key(found[0])

    def _take(self, code: str) -> None:
        now = self._clock()
        with self._lock:
            self._misses = [at for at in self._misses if at > now - _MINUTE]
            if len(self._misses) >= _MISSES:
                raise WorkroomError(
                    ErrorCode.LIMIT_EXCEEDED,
                    "Too many wrong codes were shown; none counts for a minute.",
                    next_step="Wait a minute, then open a new link: `workroom page`.",
                )
            until = self._codes.pop(_hash(code), 0.0)
            if until > now:
                return
            self._misses.append(now)
        raise WorkroomError(
            ErrorCode.PROTECTED_PATH,
            "The link was used already, or is too old: it counts once, and for two minutes.",
            next_step="`workroom page` prints a new one.",
        )


def link_of(url: str, code: str) -> str:
    """The address that a person opens: a browser sends what is behind the `#` to nobody."""
    return f"{url}/#{code}"


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _key(row: Mapping[str, Any]) -> Key:
    return Key(row["id"], row["created_at"], row["browser"])
