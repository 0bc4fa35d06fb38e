"""Looks at a machine, a state directory and a folder, and says what is weaker than it could be, why, and what helps.

Nothing is changed, no folder is opened as a workspace and no server is started: two small files are made and removed in
the folder, to try what its file system can do.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from workroom.base.errors import WorkroomError
from workroom.base.settings import parse_settings
from workroom.core.search import text
from workroom.system.machine import check_database, descriptors, free_bytes, system_name
from workroom.system.process import find_program
from workroom.system.root import Root
from workroom.system.state import StateDirectory

__all__ = ["Finding", "Level", "examine"]

Level = Literal["fine", "weaker", "broken"]

_LITTLE, _NONE = 500_000_000, 20_000_000
_DESCRIPTORS = 1_024


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    name: str
    level: Level
    found: str
    """What is there; where it is weaker or broken, what follows from that."""
    mend: str = ""
    """What to do about it; empty where nothing needs doing, or nothing can be done."""

    def to_json(self) -> dict[str, str]:
        """The wire's form."""
        return {"name": self.name, "level": self.level, "found": self.found, "mend": self.mend}


def examine(state: StateDirectory, folder: str | None) -> tuple[Finding, ...]:
    """Everything that can be said without a server; `folder` is the one whose file system is tried, if any."""
    return (*_machine(), *_state(state), *(_folder(state, folder) if folder is not None else ()))


def _machine() -> Iterator[Finding]:
    yield Finding("system", "fine", f"{system_name()}, Python {platform.python_version()}")
    limit = descriptors()
    if limit is not None and 0 <= limit < _DESCRIPTORS:
        words = f"A process may hold {limit} files open: many clients at once are made to wait."
        yield Finding("open files", "weaker", words, f"`ulimit -n {_DESCRIPTORS}` before the server is started.")
    confinement = text.search_confinement()
    if confinement == "landlock":
        yield Finding("searching", "fine", "ripgrep, kept below the folder by the kernel (Landlock)")
    else:
        yield Finding("searching", "weaker", confinement, "Linux 5.13 or newer, with Landlock switched on.")
    git = find_program("git")
    if git is None:
        words = "There is no git: stat tells nothing of it, and lists walk the folder, which takes longer."
        yield Finding("git", "weaker", words, "Install git.")
    else:
        yield Finding("git", "fine", git)


def _state(state: StateDirectory) -> Iterator[Finding]:
    try:
        state.make()
        state.socket_path()
        state.person_key()
    except WorkroomError as error:
        yield Finding("state directory", "broken", error.message, error.next_step)
        return
    if state.warning:
        words = "Set WORKROOM_STATE to a folder on a disk."
        yield Finding("state directory", "weaker", state.warning, words)
    else:
        yield Finding("state directory", "fine", str(state.path))
    yield _room("room for the history", str(state.path))
    yield from _settings(state, None, "settings")
    for binding in state.workspaces():
        words = check_database(state.store_folder(binding.store) / "workspace.db")
        if words:
            mend = "Mend it from a backup, or move it away: the folder then gets a new one, without its history."
            yield Finding(f"store of {binding.path}", "broken", f"{binding.store}: {words}", mend)


def _folder(state: StateDirectory, folder: str) -> Iterator[Finding]:
    try:
        root = Root.open(folder)
    except WorkroomError as error:
        yield Finding("folder", "broken", error.message, error.next_step or "Name another folder.")
        return
    try:
        yield Finding("folder", "fine", root.path)
        yield _room("room in the folder", root.path)
        if not os.access(root.path, os.W_OK):
            yield Finding("writing", "broken", f"{root.path} can't be written.", "Give yourself the right to.")
            return
        yield from _promises(root)
        store = next((one.store for one in state.workspaces() if one.path == root.path and one.inode), None)
        if store is not None:
            yield from _settings(state, state.store_folder(store), "settings of the folder")
    finally:
        root.close()


def _promises(root: Root) -> Iterator[Finding]:
    """What the platform and the folder's file system give, as `capabilities` tells it to agents."""
    found = root.capabilities()
    if found["confinement"] == "openat2":
        yield Finding("paths", "fine", "The kernel keeps every path below the folder (openat2).")
    else:
        yield Finding("paths", "weaker", found["confinement_reason"], "Linux 5.6 or newer.")
    if found["atomic_replace"] == "exchange":
        yield Finding("replacing", "fine", "A file and its successor are exchanged in one step.")
    else:
        mend = "Keep the folder on ext4, XFS, btrfs, APFS or tmpfs."
        yield Finding("replacing", "weaker", found["atomic_replace_reason"], mend)
    if found["lease"] is True:
        yield Finding("other writers", "fine", "A file that another program is writing is not replaced (leases).")
    else:
        mend = "Keep the folder on a local Linux file system; leases need files of your own."
        yield Finding("other writers", "weaker", found["lease"], mend)


def _room(name: str, path: str) -> Finding:
    free = free_bytes(path)
    words = f"{free / 1e9:,.1f} GB free on the file system of {path}"
    if free >= _LITTLE:
        return Finding(name, "fine", words)
    level: Level = "weaker" if free >= _NONE else "broken"
    return Finding(name, level, f"{words}: changes are refused when it is full; none is left half done.", "Make room.")


def _settings(state: StateDirectory, folder: Path | None, name: str) -> Iterator[Finding]:
    try:
        parse_settings(*state.read_settings(folder))
    except WorkroomError as error:
        yield Finding(name, "broken", error.message, error.next_step)
    else:
        yield Finding(name, "fine", str(state.settings_file if folder is None else folder / "settings.toml"))
