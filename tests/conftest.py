"""One hermetic fixture: a folder, its store, a clock and ids that the test holds in its hand."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from workroom.base.actor import Actor
from workroom.base.changes import Permit
from workroom.base.settings import Settings
from workroom.base.traffic import Traffic
from workroom.core import approvals, buffers, notes, plans, transactions, watch
from workroom.core.approvals import Approvals
from workroom.core.audit import MIGRATIONS as LOG
from workroom.core.audit import Audit
from workroom.core.buffers import Buffers
from workroom.core.git.objects import find_objects
from workroom.core.notes import Notes
from workroom.core.plans import Plans
from workroom.core.search.ignore import Ignore
from workroom.core.search.index.service import Index
from workroom.core.search.index.service import Pace as SearchPace
from workroom.core.search.names import Names
from workroom.core.search.semantic.service import Semantic
from workroom.core.search.syntax.service import Syntax
from workroom.core.transactions import Entry, Operation, Planned, Strategy, Transactions
from workroom.core.watch import Watch
from workroom.core.watch.service import Pace
from workroom.server.keys import read_key
from workroom.system import audit
from workroom.system.agentic import Agentic
from workroom.system.audit import Head
from workroom.system.root import Root
from workroom.system.store import Store
from workroom.tools.workspace import Workspace

GUARDS = (*audit.GUARDS, *transactions.GUARDS, *approvals.GUARDS)
AGENT = Actor("agent", "tester", "session_1")
_OPERATIONS: TypeAdapter[tuple[Operation, ...]] = TypeAdapter(tuple[Operation, ...])


@dataclass
class House:
    """A workspace on a real folder, opened and closed at will. `settings`, `time` and `ids` are the test's."""

    folder: Path
    store_folder: Path
    settings: Settings = field(default_factory=lambda: Settings(mode="auto", destructive_edits="allow"))
    time: float = 1_800_000_000.0
    ids: Callable[[], int] = field(default_factory=lambda: itertools.count(1).__next__)
    workspace: Workspace | None = None
    grammars: Path | None = None
    """Where grammars are unpacked: one folder for all tests of a run."""
    pace: Pace = field(default_factory=lambda: Pace(quiet=0.05, building=0.1))

    @property
    def head(self) -> Path:
        """Where the head of the audit log stands."""
        return self.store_folder / "head"

    def open(self) -> Workspace:
        """Open the workspace as the server would, recovery included."""
        root = Root.open(self.folder)
        migrations = (
            *transactions.MIGRATIONS,
            *approvals.MIGRATIONS,
            *plans.MIGRATIONS,
            *notes.MIGRATIONS,
            *LOG,
            *buffers.MIGRATIONS,
            *watch.MIGRATIONS,
        )
        head = Head(b"the key of the tests", "test", self.head)
        store = Store(self.store_folder, migrations, head=head)
        agentic = Agentic(root)
        records = Approvals(store, self.clock, self.new_id)
        changes = Transactions(root, store, agentic, lambda: self.settings, self.clock, self.new_id, records.withdraw)
        traffic = Traffic()
        watching = Watch(
            root,
            store,
            changes,
            lambda: self.settings,
            ignored=lambda: Ignore(root),
            repository=lambda: find_objects(root),
            pace=self.pace,
            traffic=traffic,
        )
        self.workspace = Workspace(
            root=root,
            store=store,
            agentic=agentic,
            settings=lambda: self.settings,
            transactions=changes,
            approvals=records,
            plans=Plans(store, self.clock, self.new_id),
            notes=Notes(root, agentic, store, self.clock),
            audit=Audit(store, self.clock, guards=GUARDS, decided=approvals.decided),
            buffers=Buffers(store, changes, self.clock),
            names=Names(root, watching.hearing),
            watch=watching,
            index=Index(root, self.store_folder / "index", watching, lambda: self.settings, SearchPace(0.05, 0.1, 0.5)),
            syntax=Syntax(root, self.grammars or self.store_folder / "grammars"),
            semantic=Semantic(
                root,
                self.store_folder / "meaning",
                self.grammars or self.store_folder / "grammars",
                watching,
                lambda: self.settings,
                read_key,
                wait=60,
            ),
            traffic=traffic,
            clock=self.clock,
            new_id=self.new_id,
        )
        self.workspace.audit.open(root.path)
        self.workspace.transactions.recover()
        self.workspace.buffers.keep_up()
        return self.workspace

    def close(self) -> None:
        if self.workspace is not None:
            self.workspace.syntax.stop()
            self.workspace.semantic.stop()
            self.workspace.index.stop()
            self.workspace.watch.stop()
            self.workspace.names.forget()
            self.workspace.transactions.close()
            self.workspace.store.close()
            self.workspace.root.close()
            self.workspace = None

    def reopen(self) -> Workspace:
        self.close()
        return self.open()

    def clock(self) -> float:
        self.time += 0.001
        return self.time

    def new_id(self, prefix: str) -> str:
        return f"{prefix}_{self.ids():012d}"

    @property
    def tx(self) -> Transactions:
        assert self.workspace is not None
        return self.workspace.transactions

    def plan(self, *operations: dict[str, Any], **options: Any) -> Planned:
        return self.tx.plan(_OPERATIONS.validate_python(operations), **options)

    def commit(self, planned: Planned, **options: Any) -> Entry:
        return self.tx.commit(planned, Permit(planned.fingerprint, "test", **options), AGENT)

    def edit(self, *operations: dict[str, Any]) -> Entry:
        """Plan and commit in one."""
        return self.commit(self.plan(*operations))

    def undo(self, transaction_id: str, *, force: bool = False, strategy: Strategy = "refuse") -> Entry:
        return self.commit(self.tx.plan_rollback(transaction_id, force=force, strategy=strategy))

    def write(self, path: str, data: bytes | str, mode: int | None = None) -> Path:
        """Another program's write."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data.encode() if isinstance(data, str) else data)
        if mode is not None:
            target.chmod(mode)
        return target

    def read(self, path: str) -> bytes:
        return (self.folder / path).read_bytes()

    def tree(self) -> dict[str, Any]:
        """The folder as a value: bytes of files, targets of links, None for folders; `.agentic` left out."""
        found: dict[str, Any] = {}
        for path in sorted(self.folder.rglob("*")):
            name = path.relative_to(self.folder).as_posix()
            if name.split("/")[0] == ".agentic":
                continue
            if path.is_symlink():
                found[name] = ("link", str(path.readlink()))
            elif path.is_dir():
                found[name] = None
            elif not path.is_file():
                found[name] = "special"
            else:
                found[name] = (path.read_bytes(), path.stat().st_mode & 0o7777)
        return found


@pytest.fixture(scope="session")
def grammars(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where grammars are unpacked, once for all tests."""
    return tmp_path_factory.mktemp("grammars")


@pytest.fixture
def house(tmp_path: Path, grammars: Path) -> Iterator[House]:
    folder = tmp_path / "ws"
    folder.mkdir()
    house = House(folder, tmp_path / "state", grammars=grammars)
    house.open()
    yield house
    house.close()
