"""Where each client works: its own active root, among the folders that it may enter.

    Doors    which folders a client may enter, and what it calls them
      OpenDoors    a local agent: those that are open now, by their paths
      BoundDoors   a client with a token: those that it is bound to, by their ids
      KnownDoors   the person: those that they have opened, now or earlier, by their paths
    Rooms    one session: where it is, where it has been, and that it is there
    Here     one call that names its folder itself

A session is there in each folder that it has been in: its buffers are its own until it leaves (`core/buffers`). Where
its folder is closed it is nowhere, and is told so, until it enters another: nothing goes to a root that it didn't mean.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from workroom.base.actor import Actor
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.clients import Client
from workroom.server.hub import Hub
from workroom.tools.workspace import Workspace

__all__ = ["BoundDoors", "Doors", "Here", "KnownDoors", "OpenDoors", "Rooms", "store_named"]

_LISTED = 10
"""Folders that a refusal names."""


class Doors(Protocol):
    """Which folders a client may enter, and what it calls them. May wait for a folder to be opened."""

    def find(self, root: str) -> Workspace:
        """The folder that the client calls so. PATH_OUTSIDE_WORKSPACE for all others, be they there or not."""

    def name_of(self, workspace: Workspace) -> str:
        """What the client calls it."""


class OpenDoors:
    """A local agent's: the folders that are open now. None is opened by being named."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def find(self, root: str) -> Workspace:
        path = _real(root)
        there = {one.root.path: one for one in self._hub.workspaces()}
        if path not in there:
            raise _outside(root, path, there)
        return there[path]

    def name_of(self, workspace: Workspace) -> str:
        return workspace.root.path


class BoundDoors:
    """A token's: the workspaces that it is bound to. Where they stand is nobody's business."""

    def __init__(self, hub: Hub, client: Client) -> None:
        self._hub = hub
        self._client = client

    def find(self, root: str) -> Workspace:
        store = store_named(self._hub, self._client, root)
        if store not in self._client.workspaces:
            raise WorkroomError(
                ErrorCode.PATH_OUTSIDE_WORKSPACE,
                f"{_shown(root)} is none of the workspaces that the token is bound to.",
                next_step=f"Name one by its id: {', '.join(self._client.workspaces)}.",
            )
        workspace = self._hub.entering(store).result()
        if workspace.store.folder.name != store:
            raise WorkroomError(ErrorCode.NOT_FOUND, "Another folder stands where this workspace's was.")
        return workspace

    def name_of(self, workspace: Workspace) -> str:
        return workspace.store.folder.name


class KnownDoors:
    """The person's: every folder that they have opened, now or earlier; it is opened again where need be."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def find(self, root: str) -> Workspace:
        path = _real(root)
        if not path or self._hub.locate(path) != path:
            raise _outside(root, path, [one.root.path for one in self._hub.workspaces()])
        return self._hub.open(path)

    def name_of(self, workspace: Workspace) -> str:
        return workspace.root.path


class Rooms:
    """One session's. Safe to use from many threads; `enter` may wait for a folder to be opened."""

    def __init__(
        self, hub: Hub, session: str, doors: Doors, home: Workspace | None = None, *, alone: bool = False
    ) -> None:
        """`home` is the folder that the client came for, if it named one. `alone`: what the session asks the person
        for is for it alone while it is there (decision 19)."""
        self.session = session
        self._hub = hub
        self._doors = doors
        self._home: Workspace | None = None
        self._active: Workspace | None = None
        self._alone = alone
        self._closed = ""
        """What the client calls the folder where it worked, which was closed since."""
        self._lock = threading.Lock()
        self._visited: list[Workspace] = []
        self._who: Actor | None = None
        self._listeners: list[Callable[[], None]] = []
        self._left = False
        hub.closing.append(self._closing)
        if home is not None:
            self.come(home)

    # What tools use.

    def active(self) -> Workspace:
        """Where the client works. TRANSACTION_STATE when that was closed, INVALID_INPUT when it was nowhere yet."""
        workspace, closed = self.where()
        if closed:
            raise WorkroomError(
                ErrorCode.TRANSACTION_STATE,
                f"{closed}, where you worked, was closed.",
                next_step="editor_workspace_open enters a folder.",
            )
        if workspace is None:
            raise WorkroomError(
                ErrorCode.INVALID_INPUT,
                "This connection names no workspace.",
                next_step="Name a folder, with -C FOLDER or by standing in it.",
            )
        return workspace

    def enter(self, root: str) -> Workspace:
        """Go to the folder that the client calls so; `.` is the one that it came for."""
        workspace = self._home if root == "." and self._home is not None else self._doors.find(root)
        self.go_to(workspace)
        return workspace

    def name_of(self, workspace: Workspace) -> str:
        return self._doors.name_of(workspace)

    # What the server and interfaces use.

    def where(self) -> tuple[Workspace | None, str]:
        """Where the client works, and the name of the folder where it worked, if that was closed: then it can only be
        told so there, or enter another."""
        with self._lock:
            return self._active, self._closed

    @property
    def root(self) -> str:
        """What the client calls where it works or worked; empty where that is the folder that it came for."""
        workspace, closed = self.where()
        if closed or workspace is None or workspace is self._home:
            return closed
        return self.name_of(workspace)

    def come(self, workspace: Workspace) -> None:
        """The client comes for this folder: it works there unless it has gone elsewhere."""
        self.visit(workspace)
        with self._lock:
            self._home = workspace
            if self._active is None and not self._closed:
                self._active = workspace

    def go_to(self, workspace: Workspace) -> None:
        """Work there from now on."""
        self.visit(workspace)
        with self._lock:
            before, who = self._active, self._who
            self._active, self._closed = workspace, ""
        if before is workspace:
            return
        if who is not None:
            self._hub.presence.arrive(workspace, who, self)
            if before is not None:
                self._hub.presence.leave(before, self.session, self)
        self._tell()

    def return_to(self, root: str, find: Callable[[str], Workspace] | None = None) -> None:
        """Work again where the client worked with another server; what isn't there any more counts as closed."""
        try:
            self.go_to((find or self._doors.find)(root))
        except WorkroomError:
            with self._lock:
                self._closed = root

    def visit(self, workspace: Workspace) -> None:
        """Be there in a folder, whether it is the active one or not."""
        with self._lock:
            if self._left or workspace in self._visited:
                return
            self._visited.append(workspace)
            workspace.buffers.arrive(self.session)
            if self._alone:
                workspace.approvals.arrive(self.session)
            who = self._who
        if who is not None:
            self._hub.presence.arrive(workspace, who, self)

    def introduce(self, who: Actor) -> None:
        """It is this one's session; told at each request, since a client says its name with the first."""
        if self._who == who:
            return
        with self._lock:
            self._who = who
            visited = () if self._left else tuple(self._visited)
        for workspace in visited:
            self._hub.presence.arrive(workspace, who, self)

    def others(self, workspace: Workspace) -> tuple[str, ...]:
        """The names of who else works there, each once."""
        there = self._hub.presence.list(workspace)
        return tuple(dict.fromkeys(each.actor.name for each in there if each.actor.session != self.session))

    def follow(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` when the client has gone elsewhere, on whatever thread; answers the way out."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def leave(self) -> None:
        """The session is over."""
        with self._lock:
            if self._left:
                return
            self._left = True
            visited, self._visited = self._visited, []
        self._hub.closing.remove(self._closing)
        for workspace in visited:
            workspace.buffers.leave(self.session)
            self._hub.presence.leave(workspace, self.session, self)
            if self._alone:
                workspace.approvals.leave(self.session)
            self._hub.pool.run(partial(workspace.audit.parted, self.session))

    def _closing(self, workspace: Workspace) -> None:
        """Hear from any thread that a folder is being closed."""
        with self._lock:
            with contextlib.suppress(ValueError):
                self._visited.remove(workspace)
            was_home, was_active = workspace is self._home, workspace is self._active
            if was_home:
                self._home = None
            if was_active:
                self._active = self._home
                self._closed = "" if was_home else self.name_of(workspace)
        if was_active and not was_home:
            self._tell()

    def _tell(self) -> None:
        for listener in tuple(self._listeners):
            listener()


@dataclass(frozen=True, slots=True)
class Here:
    """A call that names its folder: it is made there, wherever its client works otherwise."""

    rooms: Rooms
    workspace: Workspace

    def active(self) -> Workspace:
        return self.workspace

    def where(self) -> tuple[Workspace | None, str]:
        return self.workspace, ""

    def enter(self, root: str) -> Workspace:
        """From now on the client works there, where it names no folder; `.` is the folder of this call."""
        if root != ".":
            return self.rooms.enter(root)
        self.rooms.go_to(self.workspace)
        return self.workspace

    def name_of(self, workspace: Workspace) -> str:
        return self.rooms.name_of(workspace)

    def others(self, workspace: Workspace) -> tuple[str, ...]:
        return self.rooms.others(workspace)


def store_named(hub: Hub, client: Client, named: str) -> str:
    """The id of the client's workspace of this id or folder name; what is none of the client's stays what it is."""
    if named in client.workspaces:
        return named
    found = {
        one.store
        for one in hub.state.workspaces()
        if one.inode and one.store in client.workspaces and os.path.basename(one.path) == named
    }
    return found.pop() if len(found) == 1 else named


def _real(root: str) -> str:
    """Where an absolute path leads, `..` taken by the names alone; empty for any other."""
    return os.path.realpath(os.path.normpath(root)) if root.startswith("/") and "\0" not in root else ""


def _shown(root: str) -> str:
    return ascii(root[:200])


def _outside(root: str, path: str, there: Iterable[str]) -> WorkroomError:
    folders = sorted(there)
    around = next((one for one in folders if path.startswith(f"{one.rstrip('/')}/")), None)
    if around is not None:
        return WorkroomError(
            ErrorCode.PATH_OUTSIDE_WORKSPACE,
            f"{_shown(root)} is no root of its own: it stands in {around}.",
            next_step=f"Work in {around}, and write paths from there.",
        )
    more = f" and {len(folders) - _LISTED} more" if len(folders) > _LISTED else ""
    return WorkroomError(
        ErrorCode.PATH_OUTSIDE_WORKSPACE,
        f"{_shown(root)} is no folder that the person has opened.",
        next_step=f"Open now: {', '.join(folders[:_LISTED]) or 'none'}{more}. The person opens another with "
        "`workroom open FOLDER`.",
    )
