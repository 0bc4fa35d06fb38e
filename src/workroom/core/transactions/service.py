"""Transactions of one folder: the one writer. What it inherits is the reading half, `history.py`.

plan ─> keep (waits) ─┐
  └───────────────────┴─> commit ─> settle
recover: what a crash left prepared is taken back, what it left committed is settled
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from workroom.base.actor import Actor
from workroom.base.changes import ChangeSet, Permit, State
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.events import Committed
from workroom.base.ids import NewId
from workroom.base.pulse import STILL, Pulse
from workroom.base.settings import Settings
from workroom.core.transactions import marks, tables
from workroom.core.transactions.amend import Amended, amend
from workroom.core.transactions.apply import check_folders, check_guards, perform, sync_folders
from workroom.core.transactions.consumption import check_unused, consume
from workroom.core.transactions.contents import pieces_of
from workroom.core.transactions.difference import difference
from workroom.core.transactions.history import History
from workroom.core.transactions.hunks import Named
from workroom.core.transactions.images import Images
from workroom.core.transactions.merge import Strategy
from workroom.core.transactions.model import Derivation, Entry, Planned, Transaction, Withdraw
from workroom.core.transactions.observe import Observation, Observer
from workroom.core.transactions.operations import Operation, normalised
from workroom.core.transactions.part import Selection, named_of, select, take_part
from workroom.core.transactions.plan import plan_edit
from workroom.core.transactions.policy import Policy
from workroom.core.transactions.recover import recover
from workroom.core.transactions.rewind import Only, plan_rewind
from workroom.core.transactions.rollback import plan_rollback
from workroom.core.transactions.settle import settle
from workroom.core.transactions.snapshots import Snapshots
from workroom.core.transactions.stage import PiecesOf, discard, stage_all
from workroom.core.transactions.stale import merge_plan
from workroom.core.transactions.standing import check_kept, io_error, not_in_force, recorded
from workroom.core.transactions.steps import Folders, Step, build_steps, step_to_json
from workroom.core.transactions.unwind import Unwound
from workroom.core.transactions.views import drop_views
from workroom.core.transactions.wayback import WayBack
from workroom.system.agentic import Agentic
from workroom.system.clock import Clock
from workroom.system.root import Root
from workroom.system.store import Database, Store, StoreError
from workroom.system.syscalls import SyncError

__all__ = ["KEEP_DISPLACED_SECONDS", "Transactions"]

_log = logging.getLogger(__name__)

KEEP_DISPLACED_SECONDS = 60.0
_PLANNED_SECONDS = 7 * 24 * 3600.0
_PLANNED_MOST = 1000
_SHOWN_PATHS = 20
_ALL = Only()


class Transactions(History):
    """Plan, commit and take back, beside what a history tells; one commit at a time, whatever the number of callers."""

    def __init__(
        self,
        root: Root,
        store: Store,
        agentic: Agentic,
        settings: Callable[[], Settings],
        clock: Clock,
        new_id: NewId,
        withdraw: Withdraw,
    ) -> None:
        super().__init__(store, Images(store))
        self._root = root
        self._agentic = agentic
        self._settings = settings
        self._clock = clock
        self._new_id = new_id
        self._withdraw = withdraw
        self._writer = threading.RLock()
        self._snapshots = Snapshots(root, store, self._images, settings)
        self.hold = self._snapshots.put
        self.before_commit: Callable[[ChangeSet], None] | None = None
        """Called within each commit, before anything is done."""
        self._observer = Observer(root, store, self._images, self._snapshots, settings, clock, new_id, self._writer)
        self._broken = ""
        self._wayback = WayBack(root, store, self._images, clock, self._recover)

    # Opening and closing.

    def recover(self) -> tuple[Unwound, ...]:
        """Take back what a crash left half done and settle what it left committed; call it before anything else."""
        with self._writer:
            reports = self._recover()
            try:
                self._settle(None)
            except (OSError, WorkroomError) as error:  # what was committed stands; the next settling drops the rest
                _log.warning("displaced files can't be dropped yet: %s", error)
            return reports

    def settle(self) -> bool:
        """Drop displaced files that were kept long enough; bytes written to them late become entries.

        False while a program has one of them open for writing: another call settles that.
        """
        with self._writer:
            return self._settle(self._clock() - KEEP_DISPLACED_SECONDS)

    def close(self) -> None:
        """Settle everything. No commit runs afterwards."""
        with self._writer:
            try:
                self._settle(None)
            finally:
                self._broken = "the workspace is closed"

    # Planning.

    def plan(
        self,
        operations: Sequence[Operation],
        *,
        title: str = "",
        key: str | None = None,
        merge: bool = False,
        pulse: Pulse = STILL,
    ) -> Planned:
        """What the operations would do. Nothing is written.

        With `merge`, an operation that expects an older version is made against that, and merged with what is there.
        """
        older = self._older if merge else None
        with self._writer if merge else contextlib.nullcontext():  # no commit of ours between two looks at a file
            planned = plan_edit(
                self._root, self._settings(), operations, id=self._new_id("tx"), title=title, older=older, pulse=pulse
            )  # fmt: skip
        return replace(planned, idempotency_key=key)

    def plan_merge(self, planned: Planned) -> Planned:
        """A stale plan merged with what was changed since it was made: a plan of its own, in the other's place."""
        with self._writer:
            return merge_plan(self._root, self._settings(), planned, self.image_of(planned), id=self._new_id("tx"))

    def find_key(self, key: str, operations: Sequence[Operation]) -> Transaction | None:
        """The transaction that an idempotency key made. EDIT_CONFLICT when it carried other operations."""
        with self._store.read() as db:
            owner = tables.key_owner(db, key)
            busy = owner is not None and tables.has_intent(db, owner.id)
        if busy:  # it is being committed: what became of it is known in a moment
            with self._writer, self._store.read() as db:
                owner = tables.key_owner(db, key)
        if owner is not None and list(owner.planned.operations) != normalised(tuple(operations)):
            raise WorkroomError(
                ErrorCode.EDIT_CONFLICT,
                f"idempotency_key {key!r} belongs to {owner.id}, which has other operations.",
                next_step="Use a new key for a new edit.",
                details={"transactionId": owner.id},
            )
        return owner

    def release_key(self, transaction_id: str) -> bool:
        """Let the same call plan anew: the idempotency key of a plan is no longer its. False when it was committed."""
        with self._writer, self._store.write() as db:
            committed = self.get(transaction_id).entry is not None
            if not committed:
                tables.release_key(db, transaction_id)
        return not committed

    def plan_rollback(self, transaction_id: str, *, force: bool = False, strategy: Strategy = "refuse") -> Planned:
        """What taking back an applied transaction would do. TRANSACTION_STATE when it is not in force."""
        entry = self._entry_in_force(transaction_id)
        return plan_rollback(
            self._root, self._settings(), entry, self._images, id=self._new_id("tx"), force=force, strategy=strategy
        )  # fmt: skip

    def plan_rewind(self, to: int, *, only: Only = _ALL, force: bool = False, strategy: Strategy = "refuse") -> Planned:
        """What bringing the folder back to how it stood after an entry (0: before the first) would do."""
        if to:
            self.entry(to)
        with self._store.read() as db:
            entries = tables.entries_after(db, to)
        return plan_rewind(
            self._root,
            self._settings(),
            entries,
            self._images,
            id=self._new_id("tx"),
            to=to,
            only=only,
            force=force,
            strategy=strategy,
        )

    def hunks(self, planned: Planned) -> Named:
        """The hunks of a plan that can be committed without the others."""
        return named_of(planned, self.image_of(planned))

    def select(self, planned: Planned, files: Sequence[str], hunks: Sequence[str]) -> Selection:
        """What these files and hunks of a plan are. INVALID_INPUT names the nearest."""
        return select(self._root, planned, files, hunks, self.hunks(planned))

    def part(self, planned: Planned, selection: Selection) -> Planned:
        """The selected part of a kept plan, to be committed; the rest stays planned under the plan's id."""
        return take_part(planned, selection, self.hunks(planned), self.image_of(planned), id=self._new_id("tx"))

    def amend(self, planned: Planned, contents: Mapping[str, bytes], person: str) -> Amended:
        """A kept plan, or a part of one, with the person's contents for its files. Nothing is stored yet."""
        return amend(planned, contents, self.image_of(planned), id=self._new_id("tx"), person=person)

    def supersede(self, amended: Amended, actor: Actor, decide: Callable[[], None]) -> Planned:
        """Keep what the person made of a plan, in place of it, and `decide` with it, all at once.

        TRANSACTION_STATE when the plan is another by now.
        """
        dropped: tuple[str, ...] = ()
        with self._writer, recorded(), self._store.write() as db:
            check_kept(db, amended.source)
            dropped = self._keep_rows(db, amended.planned, actor, self._clock(), commits=False)
            tables.set_waiting(db, amended.planned.id)
            tables.derive(db, amended.planned.id, amended.derived)
            if amended.rest is None:
                tables.supersede(db, amended.derived.source, amended.planned.id)
                self._images.release(db, amended.derived.source)
            decide()  # before the others that wait for the same plan are over
            if amended.rest is None:
                self._over(db, "commit", amended.derived.source, amended.planned.id)
            else:
                self._shrink(db, amended.rest, amended.planned.id)
            self._over_merged(db, amended.source if amended.rest is None else amended.rest)
        drop_views(self._agentic, dropped)
        return replace(amended.planned, contents={}, kept=True)

    def keep(self, planned: Planned, actor: Actor, *, waits: bool = False) -> Planned:
        """Store a plan with its images, so that it can be committed later, also after a restart.

        Plans are kept for seven days and up to 1,000 of them; one that `waits` for the person isn't counted out.
        """
        at = self._clock()
        dropped: list[str] = []
        with recorded(), self._store.write() as db:
            if not planned.kept:
                dropped = tables.planned_before(db, at - _PLANNED_SECONDS, _PLANNED_MOST - 1)
                for stale in dropped:
                    self._images.release(db, stale)
                    tables.prune_planned(db, stale)
                dropped += self._keep_rows(db, planned, actor, at, commits=False)
            if waits:
                tables.set_waiting(db, planned.id)
        drop_views(self._agentic, dropped)
        return replace(planned, contents={}, kept=True)

    def check(self, planned: Planned) -> None:
        """EDIT_CONFLICT unless the disk still is what the plan saw; it carries what is there and the difference.

        PROTECTED_PATH where the person has protected a path since it was kept.
        """
        if planned.kept or planned.part is not None:
            Policy(self._root, self._settings()).check_changes(planned.change_set)
        try:
            check_guards(self._root, planned.change_set)
        except WorkroomError as error:
            self._explain(planned, error)
            raise

    def asks(self, planned: Planned) -> tuple[str, ...]:
        """Reasons to ask in every mode, by the settings of now as well as by those the plan was made under."""
        if not planned.kept and planned.part is None:
            return planned.asks
        now = Policy(self._root, self._settings()).asks(planned.change_set)
        return tuple(dict.fromkeys((*planned.asks, *now)))

    # Committing.

    def commit(self, planned: Planned, permit: Permit, actor: Actor, pulse: Pulse = STILL) -> Entry:
        """Make the changes, all of them or none. Acknowledged when this returns. Once prepared, no pulse stops it.

        EDIT_CONFLICT: the disk isn't what was planned against. TRANSACTION_STATE: applied already, or the approval
        was used. IO_ERROR: the system refused. In each case nothing has changed.
        """
        if permit.fingerprint != planned.fingerprint:
            raise WorkroomError(ErrorCode.APPROVAL_REQUIRED, f"The permit for {planned.id} is for something else.")
        with self._writer:
            self._check_ready(planned, permit)
            self.check(planned)
            if self.before_commit is not None:
                self.before_commit(planned.change_set)
            stage = self._agentic.stage()
            steps = build_steps(self._root, planned.change_set, planned.id, stage)
            with Folders(self._root) as folders:
                with self._announced(planned, steps, stage):
                    steps = self._stage(folders, planned, steps, pulse)
                    self._prepare(folders, planned, actor, steps)
                return self._apply(folders, planned, permit, actor, steps)

    def _check_ready(self, planned: Planned, permit: Permit) -> None:
        if self._broken:
            raise WorkroomError(
                ErrorCode.IO_ERROR, f"No commit is taken: {self._broken}.", next_step="Open the workspace again."
            )
        self._wayback.ready()
        with self._store.read() as db:
            if permit.approval_id is not None:
                check_unused(db, permit.approval_id)
            undone = tables.entry(db, planned.undoes) if planned.undoes is not None else None
            check_kept(db, planned)
        if undone is not None and undone.undone_by is not None:
            raise not_in_force(undone.transaction_id, "is rolled back")

    def _stage(self, folders: Folders, planned: Planned, steps: tuple[Step, ...], pulse: Pulse) -> tuple[Step, ...]:
        try:
            return stage_all(self._root, folders, steps, self._pieces_of(planned), pulse)
        except OSError as error:
            if isinstance(error, SyncError):
                self._wayback.distrust(steps, error)
            raise io_error("The new files can't be written", error) from error

    @contextlib.contextmanager
    def _announced(self, planned: Planned, steps: tuple[Step, ...], stage: str) -> Iterator[None]:
        """Write down the slots beside targets on other mounts before they are made: a crash must not leave them there.

        What is in the staging folder needs no such word; nobody else's files are in it.
        """
        beside = [step_to_json(step) for step in steps if step.slot_folder != stage]
        if not beside:
            yield
            return
        with recorded(), self._store.write() as db:
            tables.put_intent(db, planned.id, {"steps": beside}, self._clock(), "staging")
        try:
            yield
        except BaseException:
            with contextlib.suppress(StoreError), self._store.write() as db:  # else the next opening takes it away
                tables.delete_intent(db, planned.id)
            raise

    def _prepare(self, folders: Folders, planned: Planned, actor: Actor, steps: tuple[Step, ...]) -> None:
        """The `prepared` row, with every image; from here on a crash is taken back at the next opening."""
        at = self._clock()
        body = {"steps": [step_to_json(step) for step in steps]}
        try:
            with recorded(), self._store.write() as db:
                check_kept(db, planned)
                tables.put_intent(db, planned.id, body, at)  # first: what is being committed is not dropped for room
                if planned.part is not None:
                    tables.derive(db, planned.id, Derivation("part", planned.part.rest.id))
                if not planned.kept:
                    self._keep_rows(db, planned, actor, at, commits=True)
        except BaseException:
            discard(folders, steps)
            raise

    def _apply(
        self, folders: Folders, planned: Planned, permit: Permit, actor: Actor, steps: tuple[Step, ...]
    ) -> Entry:
        done: list[Step] = []
        try:
            perform(folders, steps, done)
            check_folders(self._root, folders, steps)
            sync_folders(self._root, folders, steps)
            return self._committed(planned, permit, actor, steps)
        except BaseException as error:
            if isinstance(error, StoreError) and error.undecided:
                raise self._undecided(planned, error) from error
            self._wayback.take_back(folders, planned, steps, done, error)
            self._explain(planned, error)
            if isinstance(error, OSError):
                raise io_error("The disk did not confirm the change; it was taken back", error) from error
            raise

    def _undecided(self, planned: Planned, error: StoreError) -> WorkroomError:
        """Whether the committing row is on disk is not known now; the next opening reads it and goes by it."""
        self._broken = f"the database failed at the end of {planned.id} ({error.error})"
        return WorkroomError(
            ErrorCode.IO_ERROR,
            f"Whether {planned.id} was made is decided when the workspace is opened again: {self._broken}.",
            next_step="Open the workspace again, then look at its history.",
        )

    def _committed(self, planned: Planned, permit: Permit, actor: Actor, steps: tuple[Step, ...]) -> Entry:
        at, decided_by = self._clock(), permit.decided_by or permit.reason
        with self._store.write() as db:
            number = tables.add_entry(self._store, db, planned, actor, at, permit)
            if permit.approval_id is not None:
                consume(db, permit.approval_id, planned.id, at)
            self._over(db, "commit", planned.id, planned.id)
            self._over_merged(db, planned if planned.part is None else planned.part.rest)
            taken_back = planned.takes_back if planned.undoes is None else (planned.undoes,)
            if taken_back:
                for transaction_id in marks.take_back(db, taken_back, number):
                    self._over(db, "rollback", transaction_id, planned.id)
            if planned.part is not None:
                self._shrink(db, planned.part.rest, planned.id)
            if any(step.displaces for step in steps):
                tables.set_intent_phase(db, planned.id, "committed", at)
            else:
                tables.delete_intent(db, planned.id)
            paths = tuple(planned.change_set.paths())
            event = Committed(number, planned.id, paths[:_SHOWN_PATHS], len(paths), actor.name, planned.cause)
            self._store.emit(db, event, at)
        return Entry(
            number=number,
            transaction_id=planned.id,
            at=at,
            actor=actor,
            cause=planned.cause,
            title=planned.title,
            changes=planned.change_set.changes,
            directories=planned.directories,
            undoes=planned.undoes,
            approval_id=permit.approval_id,
            decided_by=decided_by,
            warnings=planned.warnings,
        )

    def _explain(self, planned: Planned, error: BaseException) -> None:
        """Give a conflict the bytes it is about: what is on disk now, as a patch against what was expected."""
        if not isinstance(error, WorkroomError) or error.code is not ErrorCode.EDIT_CONFLICT:
            return
        for change in planned.change_set.changes:
            if change.path == error.details.get("path"):
                error.details.update(difference(self._root, change.path, change.before, self.image_of(planned)))

    def _pieces_of(self, planned: Planned) -> PiecesOf:
        """The same, a piece at a time."""
        return lambda sha: pieces_of(planned.contents, sha) or self._images.pieces(sha)

    # What others do.

    def alone(self) -> contextlib.AbstractContextManager[bool]:
        """While the block runs no commit of ours does, but this thread's."""
        return self._writer

    def snapshot(self, paths: Iterable[str], *, evict: bool = True) -> dict[str, State]:
        """What stands at each path now; UNKNOWN where it can't be read. Contents up to `watch_max_file_bytes` are kept
        for `observe`, in an eighth of the quota: with `evict` the oldest go, else no more come once that is full."""
        return self._snapshots.take(paths, evict=evict)

    def observe(self, observation: Observation) -> Entry | None:
        """Tell of changes that others have made already, as one entry; None where nothing differs (`observe.py`)."""
        return self._observer.observe(observation)

    # Inside.

    def _keep_rows(self, db: Database, planned: Planned, actor: Actor, at: float, *, commits: bool) -> tuple[str, ...]:
        owner = tables.key_owner(db, planned.idempotency_key) if planned.idempotency_key is not None else None
        if owner is not None and owner.id == planned.supersedes:
            tables.release_key(db, owner.id)
        elif owner is not None:
            raise WorkroomError(
                ErrorCode.TRANSACTION_STATE,
                f"idempotency_key {planned.idempotency_key!r} was used by {owner.id} meanwhile. Nothing was changed.",
                next_step="Make the same call again: it answers with that transaction.",
                details={"transactionId": owner.id},
            )
        tables.add_transaction(db, planned, actor, at)
        return self._images.keep(db, planned, self._settings().history_quota_bytes, commits=commits)

    def _over(self, db: Database, action: str, transaction_id: str, by: str) -> None:
        self._withdraw(db, action, transaction_id, by, lambda _arguments, _fingerprint: False)

    def _over_merged(self, db: Database, merged: Planned) -> None:
        for transaction_id in tables.supersede_merged(db, merged):
            self._over(db, "commit", transaction_id, merged.id)

    def _shrink(self, db: Database, rest: Planned, by: str) -> None:
        """Of a plan, keep the rest, and those who wait for a word on a part that is still whole."""
        tables.shrink(db, rest)
        self._images.narrow(db, rest)
        if self._withdraw(db, "commit", rest.id, by, lambda *asked: self._still_stands(rest, *asked)):
            tables.set_waiting(db, rest.id)

    def _still_stands(self, rest: Planned, arguments: Mapping[str, Any], fingerprint: str) -> bool:
        files, hunks = arguments.get("files", ()), arguments.get("hunks", ())
        try:
            part = self.part(rest, self.select(rest, files, hunks)) if files or hunks else rest
        except WorkroomError:
            return False
        return part.fingerprint == fingerprint

    def _recover(self) -> tuple[Unwound, ...]:
        return recover(self._root, self._store, self._agentic, self._clock())

    def _settle(self, before: float | None) -> bool:
        return settle(self._root, self._store, self._clock(), before)
