"""Limits that the system sets this process for a moment: what it refuses then, it refuses for real."""

from __future__ import annotations

import contextlib
import gc
import os
import resource
from collections.abc import Iterator

__all__ = ["few_descriptors", "open_descriptors"]


def open_descriptors() -> list[str]:
    """This process's open files, apart from what nobody holds any more."""
    gc.collect()
    return sorted(os.listdir("/dev/fd"))


@contextlib.contextmanager
def few_descriptors(more: int = 0) -> Iterator[None]:
    """Only so many more files can be open at once; the next one is refused (EMFILE)."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = os.open(os.devnull, os.O_RDONLY)
    os.close(free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free + more, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
