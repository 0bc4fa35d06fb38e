"""The server's own audit log: what belongs to no workspace. Tokens that are made and revoked, who was turned away."""

from __future__ import annotations

import logging
import threading

from workroom.base.actor import Actor
from workroom.base.audit import Line
from workroom.base.errors import WorkroomError
from workroom.core import transactions
from workroom.core.audit import Audit
from workroom.system import audit
from workroom.system.audit import Head
from workroom.system.clock import now
from workroom.system.state import StateDirectory
from workroom.system.store import Store

__all__ = ["Ledger"]

_log = logging.getLogger(__name__)

_NAME = "server"
"""What the log's seals call its store; no workspace's store has such a name."""


class Ledger:
    """The log of one state directory. Its store is opened when it is first needed, and closed with the server."""

    def __init__(self, state: StateDirectory) -> None:
        self._state = state
        self._lock = threading.Lock()
        self._store: Store | None = None
        self._audit: Audit | None = None

    @property
    def audit(self) -> Audit:
        """The log itself."""
        with self._lock:
            if self._audit is None:
                head = Head(self._state.audit_key(), _NAME, self._state.audit_head(_NAME))
                self._store = Store(self._state.path / "audit" / _NAME, transactions.MIGRATIONS, head=head)
                self._audit = Audit(self._store, now, guards=(*audit.GUARDS, *transactions.GUARDS))
                self._audit.open(str(self._state.path))
            return self._audit

    def tell(self, line: Line, who: Actor) -> None:
        """Add a line; whoever changes something fails where it can't be told."""
        self.audit.tell(line, who)

    def turned_away(self, who: Actor, interface: str, tried: str, error: WorkroomError) -> None:
        """Tell of a refusal at the door, in bounds. That it can't be told is logged: the refusal stands."""
        try:
            self.audit.turned_away(who, interface, tried, error)
        except Exception:  # noqa: BLE001 - nobody is let in for it
            _log.exception("a refusal can't be told to the audit log")

    def close(self) -> None:
        """Close it, if it was opened."""
        with self._lock:
            if self._audit is not None and self._store is not None:
                self._audit.close()
                self._store.close()
                self._audit = self._store = None
