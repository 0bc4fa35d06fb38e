"""Who is there: in each open folder the sessions that work in it, and what each did last. In memory alone.

    arrive ──> opened src/a.py ──> edit src/a.py ──> leave       a session, as the folder's events tell of it
        └────────────┴──── gathered ────┴──────────────┴──> PresenceChanged, at most twice a second

Nothing is asked of whoever works: what a session did is read off the events that its work makes anyway.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from workroom.base.actor import Actor
from workroom.base.errors import WorkroomError
from workroom.base.events import BuffersChanged, Committed, Event, PresenceChanged
from workroom.system.clock import Clock
from workroom.system.store import Store
from workroom.tools.workspace import Workspace

__all__ = ["Presence", "Present"]

_log = logging.getLogger(__name__)

_GATHERED_SECONDS = 0.5
"""How long what happens is gathered before it is told."""
_TOLD = 20
"""Names that an event has."""
_OWN = frozenset({"opened", "saved", "closed"})
"""What `BuffersChanged` tells of the actor's own doing in one file."""


@dataclass(frozen=True, slots=True)
class Present:
    """One session in one folder. Times are in seconds since 1970."""

    actor: Actor
    since: float
    at: float
    """When it did something last; `since` before it has."""
    path: str = ""
    """What it opened or changed last; empty before."""
    did: str = ""
    """What it did last: opened, saved, closed, or the kind of its entry (`edit`, `rollback` …)."""


@dataclass(slots=True)
class _Folder:
    """What is known of one open folder."""

    workspace: Workspace
    leave: Callable[[], None]
    there: dict[str, Present] = field(default_factory=dict)
    owners: dict[str, set[int]] = field(default_factory=dict)
    """By session: which of its rooms (`server/rooms`) are in the folder."""
    told: tuple[tuple[str, str], ...] = ()
    timer: threading.Timer | None = None


class Presence:
    """Of all open folders of a server. Safe to use from many threads."""

    def __init__(self, clock: Clock, seconds: float = _GATHERED_SECONDS) -> None:
        self._clock = clock
        self._seconds = seconds
        self._lock = threading.Lock()
        self._folders: dict[Store, _Folder] = {}

    def arrive(self, workspace: Workspace, who: Actor, owner: object) -> None:
        """A session works in the folder from now on, until `owner` leaves."""
        with self._lock:
            folder = self._folders.get(workspace.store)
            if folder is None:
                folder = self._folders[workspace.store] = self._followed(workspace)
            now = self._clock()
            folder.there.setdefault(who.session, Present(who, now, now))
            folder.owners.setdefault(who.session, set()).add(id(owner))
            self._arm(folder)

    def leave(self, workspace: Workspace, session: str, owner: object) -> None:
        """It works there no more."""
        with self._lock:
            folder = self._folders.get(workspace.store)
            if folder is None or session not in folder.there:
                return
            folder.owners[session].discard(id(owner))
            if not folder.owners[session]:
                del folder.owners[session], folder.there[session]
                self._arm(folder)

    def list(self, workspace: Workspace) -> tuple[Present, ...]:
        """Who works in the folder, in the order in which they came."""
        with self._lock:
            folder = self._folders.get(workspace.store)
            return () if folder is None else tuple(folder.there.values())

    def forget(self, workspace: Workspace) -> None:
        """The folder is being closed."""
        with self._lock:
            folder = self._folders.pop(workspace.store, None)
        if folder is not None:
            folder.leave()
            if folder.timer is not None:
                folder.timer.cancel()

    def _followed(self, workspace: Workspace) -> _Folder:
        def hear(_number: int, event: Event) -> None:
            self._hear(workspace, event)

        return _Folder(workspace, workspace.store.subscribe(hear))

    def _hear(self, workspace: Workspace, event: Event) -> None:
        """Hear of an event, on the thread that committed it."""
        if isinstance(event, BuffersChanged) and event.action in _OWN:
            self._did(workspace, event.session, event.paths[0], event.action)
        elif isinstance(event, Committed) and any(each.actor.name == event.actor for each in self.list(workspace)):
            session = workspace.transactions.entry(event.entry).actor.session
            self._did(workspace, session, event.paths[0] if event.paths else "", event.cause)

    def _did(self, workspace: Workspace, session: str, path: str, did: str) -> None:
        with self._lock:
            folder = self._folders.get(workspace.store)
            if folder is not None and session in folder.there:
                before = folder.there[session]
                folder.there[session] = replace(before, at=self._clock(), path=path or before.path, did=did)
                self._arm(folder)

    # Telling.

    def _arm(self, folder: _Folder) -> None:
        """Under the lock: tell soon, with what else happens until then."""
        if folder.timer is None:
            folder.timer = threading.Timer(self._seconds, self._tell, (folder,))
            folder.timer.daemon = True
            folder.timer.start()

    def _tell(self, folder: _Folder) -> None:
        """Tell that others are there, or elsewhere; nothing where that comes to what was told last."""
        with self._lock:
            folder.timer = None
            now = tuple(sorted((session, each.path) for session, each in folder.there.items()))
            if now == folder.told:
                return
            folder.told = now
            names = tuple(each.actor.name for each in folder.there.values())
        store = folder.workspace.store
        try:
            with store.write() as db:
                store.emit(db, PresenceChanged(names[:_TOLD], len(names)), self._clock())
        except WorkroomError as error:  # it is closed by now, or its disk fails
            _log.info("who is in %s can't be told: %s", folder.workspace.root.path, error)
