"""Puts one workspace together from its parts, and takes it apart."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import apsw

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.ids import NewId, new_id
from workroom.base.settings import Settings, parse_settings
from workroom.base.traffic import Traffic
from workroom.core import approvals, buffers, notes, plans, transactions, watch
from workroom.core import audit as core_audit
from workroom.core.approvals import Approvals
from workroom.core.audit import Audit
from workroom.core.buffers import Buffers
from workroom.core.git.objects import find_objects
from workroom.core.notes import Notes
from workroom.core.plans import Plans
from workroom.core.search.ignore import Ignore
from workroom.core.search.index.service import Index
from workroom.core.search.names import Names
from workroom.core.search.semantic.service import Semantic
from workroom.core.search.syntax.service import Syntax
from workroom.core.transactions import Transactions
from workroom.core.watch import Watch
from workroom.server.keys import read_key
from workroom.system import audit
from workroom.system.agentic import Agentic
from workroom.system.audit import Head
from workroom.system.clock import Clock, now
from workroom.system.root import Root
from workroom.system.state import StateDirectory
from workroom.system.store import Store, StoreError
from workroom.system.syscalls import lock_folder
from workroom.tools.workspace import Workspace

__all__ = ["LiveSettings", "build_workspace", "close_workspace"]

_log = logging.getLogger(__name__)

_GUARDS = (*audit.GUARDS, *transactions.GUARDS, *approvals.GUARDS)


class LiveSettings:
    """One workspace's settings as they stand in the files; a call costs two `stat` while nothing has changed."""

    def __init__(self, state: StateDirectory, folder: Path) -> None:
        self._state = state
        self._folder = folder
        self._lock = threading.Lock()
        self._layers: tuple[Mapping[str, Any], Mapping[str, Any]] | None = None
        self._settings = Settings()

    def __call__(self) -> Settings:
        """The settings now; INVALID_INPUT names what is wrong in a file."""
        user, own = self._state.read_settings(self._folder)
        with self._lock:
            if self._layers is None or self._layers[0] is not user or self._layers[1] is not own:
                self._settings = parse_settings(user, own)
                self._layers = user, own
            return self._settings


def build_workspace(
    path: str, state: StateDirectory, *, adopt: Path | None = None, clock: Clock = now, new_id: NewId = new_id
) -> Workspace:
    """Open the folder at `path`: own it, find its store, undo what a crash left, and connect the nouns.

    NOT_FOUND, INVALID_INPUT: no folder. UNSUPPORTED: another process owns it, or a newer Workroom wrote its store.
    IO_ERROR: what a crash left can't be undone now; nothing is lost, and the next opening tries again.
    """
    with _told(path), _undone_on_failure() as undo:
        root = Root.open(path)
        undo.callback(root.close)
        if not lock_folder(root.fd):
            raise WorkroomError(
                ErrorCode.UNSUPPORTED,
                f"Another process serves {root.path}.",
                next_step="Connect to that one, or stop it; one process owns a folder.",
            )
        folder = state.bind(root.path, root.device, root.inode, adopt)
        store = _open_store(folder, Head(state.audit_key(), folder.name, state.audit_head(folder.name)))
        undo.callback(store.close)
        settings = LiveSettings(state, folder)
        agentic = Agentic(root)
        records = Approvals(store, clock, new_id)
        changes = Transactions(root, store, agentic, settings, clock, new_id, records.withdraw)
        traffic = Traffic()
        watching = _watch(root, store, changes, settings, traffic)
        workspace = Workspace(
            root=root,
            store=store,
            agentic=agentic,
            settings=settings,
            transactions=changes,
            approvals=records,
            plans=Plans(store, clock, new_id),
            notes=Notes(root, agentic, store, clock),
            audit=Audit(
                store,
                clock,
                guards=_GUARDS,
                decided=approvals.decided,
                settings=lambda: state.read_settings(folder),
            ),
            buffers=Buffers(store, changes, clock),
            names=Names(root, watching.hearing),
            watch=watching,
            index=Index(root, folder / "index", watching, settings, traffic=traffic),
            syntax=Syntax(root, state.grammars_folder),
            semantic=Semantic(root, folder / "meaning", state.grammars_folder, watching, settings, read_key),
            traffic=traffic,
            clock=clock,
            new_id=new_id,
        )
        _make_whole(workspace, None if adopt is None else str(adopt))
    return workspace


def _watch(root: Root, store: Store, changes: Transactions, settings: LiveSettings, traffic: Traffic) -> Watch:
    return Watch(
        root,
        store,
        changes,
        settings,
        ignored=lambda: Ignore(root),
        repository=lambda: find_objects(root),
        traffic=traffic,
    )


def close_workspace(workspace: Workspace) -> None:
    """Give up the folder, settled; its store is closed first, so that the next owner finds it whole.

    What can't be settled (the folder is gone) is logged, and settled by the next opening.
    """
    try:
        workspace.syntax.stop()
        workspace.semantic.stop()
        workspace.index.stop()
        workspace.watch.stop()
        workspace.names.forget()
        workspace.audit.close()
        workspace.transactions.close()
    except (WorkroomError, OSError):
        _log.exception("%s can't be settled", workspace.root.path)
    workspace.store.close()
    workspace.root.close()


def _make_whole(workspace: Workspace, adopted: str | None) -> None:
    """Tell the audit log of the opening, undo what a crash left, and write the views."""
    try:
        found = workspace.audit.open(workspace.root.path, adopted)
        if not found.good:
            _log.error("%s: the audit log's head is %s; `workroom audit verify` tells more", workspace.root.path, found)
        workspace.transactions.recover()
        workspace.approvals.tell_expired()
        workspace.buffers.keep_up()
    except (OSError, apsw.Error, WorkroomError) as error:
        raise WorkroomError(
            ErrorCode.IO_ERROR,
            f"{workspace.root.path} can't be opened: what was left open there can't be made whole: {error}",
            next_step="Put right what the message names (space, access), then open it again; nothing is lost.",
        ) from error
    workspace.approvals.keep_view(workspace.agentic)
    workspace.plans.keep_view(workspace.agentic)


def _open_store(folder: Path, head: Head) -> Store:
    """The store with every noun's tables. IO_ERROR when its database is damaged or can't be reached."""
    migrations = (
        *transactions.MIGRATIONS,
        *approvals.MIGRATIONS,
        *plans.MIGRATIONS,
        *notes.MIGRATIONS,
        *core_audit.MIGRATIONS,
        *buffers.MIGRATIONS,
        *watch.MIGRATIONS,
    )
    try:
        return Store(folder, migrations, head=head)
    except (apsw.Error, StoreError) as error:
        cause = error.error if isinstance(error, StoreError) else error
        next_step = "See that its disk has room and works, then open the folder again; nothing is lost."
        if isinstance(cause, apsw.CorruptError | apsw.NotADBError):
            next_step = "Mend it from a backup, or move it away: the folder then gets a new one, without its history."
        raise WorkroomError(
            ErrorCode.IO_ERROR, f"The store {folder} can't be opened: {cause}.", next_step=next_step
        ) from error


@contextlib.contextmanager
def _told(path: str) -> Iterator[None]:
    """What the system refused on the way, in our words."""
    try:
        yield
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        raise WorkroomError(
            ErrorCode.IO_ERROR,
            f"{path} can't be opened: {error.strerror or error}{where}.",
            next_step="Put right what the message names, then open it again; nothing is lost.",
        ) from error


@contextlib.contextmanager
def _undone_on_failure() -> Iterator[contextlib.ExitStack]:
    with contextlib.ExitStack() as stack:
        yield stack
        stack.pop_all()
