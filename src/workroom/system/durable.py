"""Bring a folder's entries to the disk. The standard library only: the shim loads what needs it."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["fsync_folder"]


def fsync_folder(folder: Path) -> None:
    """Wait until what was made, renamed and removed in a folder is on disk. OSError when that isn't confirmed."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
