"""The services that tools work on: one open folder with all its nouns, put together by the server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workroom.base.ids import NewId
from workroom.base.settings import Settings
from workroom.base.traffic import Traffic
from workroom.core.approvals import Approvals
from workroom.core.audit import Audit
from workroom.core.buffers import Buffers
from workroom.core.notes import Notes
from workroom.core.plans import Plans
from workroom.core.search.index.service import Index
from workroom.core.search.names import Names
from workroom.core.search.semantic.service import Semantic
from workroom.core.search.syntax.service import Syntax
from workroom.core.transactions import Transactions
from workroom.core.watch import Watch
from workroom.system.agentic import Agentic
from workroom.system.clock import Clock
from workroom.system.root import Root
from workroom.system.store import Store

__all__ = ["Workspace"]


@dataclass(frozen=True, slots=True)
class Workspace:
    """One open folder. `settings()` answers the settings as they stand now: they are read at each call."""

    root: Root
    store: Store
    agentic: Agentic
    settings: Callable[[], Settings]
    transactions: Transactions
    approvals: Approvals
    plans: Plans
    notes: Notes
    audit: Audit
    buffers: Buffers
    watch: Watch
    names: Names
    index: Index
    syntax: Syntax
    semantic: Semantic
    traffic: Traffic
    clock: Clock
    new_id: NewId
