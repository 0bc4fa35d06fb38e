"""How the C library hands out memory in a process of many threads, and how much a process may take."""

from __future__ import annotations

import ctypes
import resource
from contextlib import suppress

__all__ = ["give_back_large_blocks", "share_arenas", "take_at_most"]

_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8  # malloc.h
_ARENAS = 2
_LARGE_BYTES = 128 * 1024


def share_arenas(library: object | None = None) -> bool:
    """Let all threads take memory from the same few places; whether the C library has such a setting.

    By default glibc gives each thread an arena of its own, up to eight for each processor. What one thread has freed
    there stays with the process and serves no other, so a server of many threads holds several times what it uses,
    and goes on growing for hours. Threads that hold Python's lock don't contend for an arena.
    """
    mallopt = getattr(library or ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and bool(mallopt(_M_ARENA_MAX, _ARENAS))


def give_back_large_blocks(library: object | None = None) -> bool:
    """Let each large block be memory of its own, which the system has back when it is freed; whether that can be set.

    By default glibc raises the bound each time such a block is freed, up to 32 MiB, and takes the next ones from the
    heap. asyncio reads into 256 KiB and cuts what it got to its size, a few hundred bytes: what is left behind each of
    these is soon too small for the next one, and the heap grows for as long as the server runs.
    """
    mallopt = getattr(library or ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and bool(mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES))


def take_at_most(most: int) -> None:
    """Let this process have no more memory than so many bytes, where the system can see to that (macOS can't), and
    leave nothing of it on disk when it crashes."""
    for what, limit in ((resource.RLIMIT_AS, most), (resource.RLIMIT_CORE, 0)):
        with suppress(OSError, ValueError):
            resource.setrlimit(what, (limit, limit))
