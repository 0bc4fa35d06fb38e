"""What a machine has that Workroom leans on: room on disk, descriptors, file systems, the store's soundness."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import apsw

__all__ = ["check_database", "descriptors", "free_bytes", "system_name"]


def system_name() -> str:
    """The system and its version, such as `Linux 6.18.5`."""
    return f"{platform.system()} {platform.release()}"


def free_bytes(path: str) -> int:
    """How much a user may still write on the file system of `path`, in bytes."""
    found = os.statvfs(path)
    return found.f_bavail * found.f_frsize


def descriptors() -> int | None:
    """How many files a process may hold open at once; None where that can't be asked."""
    try:
        import resource  # noqa: PLC0415 - Windows has none
    except ImportError:  # pragma: no cover - needs Windows
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return soft


def check_database(file: Path) -> str:
    """What is wrong with a database, in SQLite's words; empty when it is sound, or isn't there.

    It is only read, also while a server has it open.
    """
    if not file.exists():
        return ""
    try:
        connection = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)
    except apsw.Error as error:
        return str(error)
    try:
        words = [str(row[0]) for row in connection.execute("PRAGMA quick_check(5)")]
    except apsw.Error as error:
        return str(error)
    finally:
        connection.close()
    return "" if words == ["ok"] else "; ".join(words)
