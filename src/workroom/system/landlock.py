"""Reading only below some folders, held by the kernel: Linux's Landlock, for one thread and what it starts.

A program walks by names, and a folder that is swapped for a link under it would lead it out; here the kernel refuses
to open what lies elsewhere, whatever name leads there. A thread that is restricted stays so; each piece of work gets
one of its own, which ends with it.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

__all__ = ["confined", "has_landlock"]

_T = TypeVar("_T")

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446  # the same numbers on every architecture
_NO_NEW_PRIVS = 38
_VERSION = 1
_BENEATH = 1
_EXECUTE, _READ_FILE, _READ_FOLDER = 1 << 0, 1 << 2, 1 << 3
_EVERYTHING = (1 << 13) - 1
"""All that the first version knows of: reading, running, and every way to write."""

_libc = ctypes.CDLL(None, use_errno=True)


@cache
def has_landlock() -> bool:
    """Whether the kernel has Landlock and lets us use it (Linux 5.13; some sandboxes forbid it)."""
    if sys.platform != "linux":  # pragma: no cover - the numbers mean something else there
        return False
    try:
        return _call(_CREATE, None, 0, _VERSION) >= 1
    except OSError:  # pragma: no cover - needs an old kernel
        return False


def confined(work: Callable[[], _T], folders: Sequence[int], program: int | None = None) -> _T:
    """Do `work` in a thread that can open files and folders below the open `folders` only, for reading.

    Programs that it starts are held likewise; it can start the one whose descriptor is `program`, which must need no
    libraries. What is open already stays open. OSError where the kernel has no Landlock.
    """

    def restricted() -> _T:
        _restrict(folders, program)
        return work()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(restricted).result()


def _restrict(folders: Sequence[int], program: int | None) -> None:
    handled = struct.pack("=Q", _EVERYTHING)
    rules = _call(_CREATE, handled, len(handled), 0)
    try:
        for folder in folders:
            _call(_ADD_RULE, rules, _BENEATH, struct.pack("=Qi", _READ_FILE | _READ_FOLDER, folder), 0)
        if program is not None:
            _call(_ADD_RULE, rules, _BENEATH, struct.pack("=Qi", _READ_FILE | _EXECUTE, program), 0)
        if _libc.prctl(_NO_NEW_PRIVS, *map(ctypes.c_ulong, (1, 0, 0, 0))):  # pragma: no cover - it never fails
            raise OSError(ctypes.get_errno(), "prctl")
        _call(_RESTRICT, rules, 0)
    finally:
        os.close(rules)


def _call(number: int, *arguments: int | bytes | None) -> int:
    widened = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    result = int(_libc.syscall(ctypes.c_long(number), *widened))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result
