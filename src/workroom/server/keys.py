"""The keys that settings name: read when they are needed, and kept nowhere."""

from __future__ import annotations

import os
import stat

from workroom.base.errors import ErrorCode, WorkroomError

__all__ = ["read_key"]

_LONGEST = 10_000


def read_key(place: str) -> str:
    """The key at `file:/PATH` or `env:NAME`. IO_ERROR says why there is none; never what is there."""
    kind, _, name = place.partition(":")
    try:
        key = os.environ.get(name, "") if kind == "env" else _of_file(name)
    except OSError as error:
        raise _missing(place, str(error.strerror)) from None
    if not key.isascii() or not key.isprintable() or not key:
        raise _missing(place, "there is nothing that can be a key")
    return key


def _of_file(path: str) -> str:
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise _missing(path, "others can read it, too (chmod 600)")
        return file.read(_LONGEST).decode("utf-8", "replace").strip()


def _missing(place: str, why: str) -> WorkroomError:
    return WorkroomError(ErrorCode.IO_ERROR, f"The key that setting embeddings_key names ({place}) is missing: {why}.")
