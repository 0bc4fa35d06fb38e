"""How the C library hands out memory in a process of many threads."""

from __future__ import annotations

import ctypes

__all__ = ["share_arenas"]

_M_ARENA_MAX = -8  # malloc.h
_ARENAS = 2


def share_arenas(library: object | None = None) -> bool:
    """Let all threads take memory from the same few places; whether the C library has such a setting.

    By default glibc gives each thread an arena of its own, up to eight for each processor. What one thread has freed
    there stays with the process and serves no other, so a server of many threads holds several times what it uses,
    and goes on growing for hours. Threads that hold Python's lock don't contend for an arena.
    """
    mallopt = getattr(library or ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and bool(mallopt(_M_ARENA_MAX, _ARENAS))
