"""What the person's patterns say of a change: protected, or asked about in every mode. Links don't hide a path.

A path is judged by the name it was asked for and by where it leads; a link at a pattern's place (`.vscode -> cfg`)
makes what it leads to (`cfg/settings.json`) count like what it stands for.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from workroom.base.changes import ChangeSet, Kind, State
from workroom.base.errors import WorkroomError
from workroom.base.settings import Settings
from workroom.system.root import Root
from workroom.text import paths

__all__ = ["Policy", "reason_of"]

_GLOB = re.compile(r"[*?\[]")
_ALWAYS = (".git/**", ".agentic/**")
"""`paths.check_protected` knows these by name; here they matter where the name is a link."""


class Policy:
    """The patterns of some settings over one folder, links followed as they stand now."""

    def __init__(self, root: Root, settings: Settings) -> None:
        self._root = root
        self._settings = settings

    def check_protected(self, path: str, kind: Kind = Kind.FILE) -> None:
        """PROTECTED_PATH when the path may not be written; a link there would stand for a whole folder."""
        for name in _places(path, kind):
            paths.check_protected(name, self._protected)

    def check_changes(self, change_set: ChangeSet) -> None:
        """PROTECTED_PATH when a change set writes where it may not."""
        for change in change_set.changes:
            self.check_protected(change.path, _link_or_file(change.before, change.after))

    def asks(self, change_set: ChangeSet, named: Iterable[str] = ()) -> tuple[str, ...]:
        """Reasons to ask: what can run code later, by canonical path or by the name it was asked for."""
        changed = set(change_set.paths())
        found = {name for name in named if name not in changed and self._asked(name)}
        for change in change_set.changes:
            kind = _link_or_file(change.before, change.after)
            if any(self._asked(name) for name in _places(change.path, kind)):
                found.add(change.path)
        return tuple(map(reason_of, sorted(found)))

    def _asked(self, path: str) -> bool:
        return paths.matches(path, self._ask, folded=True) is not None

    @cached_property
    def _protected(self) -> tuple[str, ...]:
        own = self._settings.protected_patterns
        return (*own, *self._behind_links((*_ALWAYS, *own)))

    @cached_property
    def _ask(self) -> tuple[str, ...]:
        return (*self._settings.ask_patterns, *self._behind_links(self._settings.ask_patterns))

    def _behind_links(self, patterns: Sequence[str]) -> list[str]:
        """The patterns whose first name is a link at the top of the folder, written for where it leads."""
        parts = [pattern.lstrip("/").partition("/") for pattern in patterns]
        links = self._root.top_links({head for head, _, _ in parts if not _GLOB.search(head)})
        found = []
        for head, slash, rest in parts:
            if head in links:
                # A link that leads out of the folder stands for nothing here: nothing is written there anyway.
                with contextlib.suppress(WorkroomError):
                    found.append(f"/{self._root.resolve(head)}{slash}{rest}")
        return found


def reason_of(path: str) -> str:
    """Why a change of this path is asked about."""
    return f"{path} can run code"


def _places(path: str, kind: Kind) -> tuple[str, ...]:
    return (path, f"{path}/x") if kind is Kind.SYMLINK else (path,)


def _link_or_file(before: State, after: State) -> Kind:
    return Kind.SYMLINK if Kind.SYMLINK in {before.kind, after.kind} else Kind.FILE
