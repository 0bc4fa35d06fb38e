"""The records of one workspace: what the gate stages, what the person says, what becomes of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping
from typing import Any

from workroom.base.actor import Actor
from workroom.base.audit import Answered, Decided, Expired, PlanEnded, Shown, Staged, Withdrawn
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.events import ApprovalDecided, ApprovalStaged, Event, PlanChanged
from workroom.base.ids import NewId
from workroom.base.settings import Profile
from workroom.core.approvals.model import LIFETIME_SECONDS, Amendment, Approval, Denial, Status, approval_of
from workroom.core.approvals.room import KEPT, make_room
from workroom.core.approvals.tables import FROM, IS_OF, SELECT, STATUS
from workroom.core.approvals.view import view_stands, write_view
from workroom.core.transactions.kept import WORKROOM
from workroom.system.agentic import Agentic
from workroom.system.audit import canonical
from workroom.system.clock import Clock
from workroom.system.store import Database, Store

__all__ = ["Approvals"]


class Approvals:
    """All records of one workspace."""

    def __init__(self, store: Store, clock: Clock, new_id: NewId) -> None:
        self._store = store
        self._clock = clock
        self._new_id = new_id
        self._sessions: set[str] = set()

    # Who is there.

    def arrive(self, session: str) -> None:
        """A session of a local client has begun: until it leaves, what it asked for is for nobody else of its name."""
        self._sessions.add(session)

    def leave(self, session: str) -> None:
        """It has ended: whoever comes back by that name goes on with what it asked for."""
        self._sessions.discard(session)

    # What becomes of what they ask about.

    def withdraw(
        self,
        db: Database,
        action: str,
        transaction_id: str,
        by: str,
        stands: Callable[[Mapping[str, Any], str], bool],
    ) -> int:
        """Within the unit of work `db`, end what waits for a word on this action, since transaction `by` did or
        changed what it asked about; answers how many go on waiting, since `stands` says so of arguments and
        fingerprint.
        """
        left = 0
        for record in self._rows(
            "WHERE standing = 'pending' AND a.kind = 'transaction' AND a.arguments ->> '$.action' = :action "
            "AND a.arguments ->> '$.transaction_id' = :transaction ORDER BY a.number",
            action=action,
            transaction=transaction_id,
        ):
            if stands(record.arguments, record.fingerprint):
                left += 1
                continue
            at = self._clock()
            self._store.record(db, Withdrawn(approval=record.id, by=by), WORKROOM, at)
            db.execute("UPDATE approvals SET status = 'superseded' WHERE id = ?", (record.id,))
            self._store.emit(db, ApprovalDecided(record.id, record.kind, str(Status.SUPERSEDED)), at)
        return left

    # What the gate does.

    def stage(
        self,
        *,
        kind: str,
        title: str,
        destructive: bool,
        asks: tuple[str, ...],
        fingerprint: str,
        requests: tuple[str, ...],
        tool: str,
        arguments: dict[str, Any],
        preview: dict[str, Any],
        actor: Actor,
        profile: Profile,
        effect: str = "",
        id: str | None = None,  # noqa: A002 - the record's own word
    ) -> Approval:
        """Make a pending record, or answer the pending one that this asker has for the same operation.

        `requests` are digests of the calls that may collect its result. LIMIT_EXCEEDED when 100 of this asker's wait,
        or 300 stand and none can go; a plan always finds room.
        """
        self.tell_expired()
        with self._store.write() as db:
            record_id = self._pending_twin(fingerprint, actor)
            if record_id is None:
                make_room(self._store, db, kind, actor, self._clock())
                record_id = id or self._new_id("approval")
                at = self._clock()
                line = Staged(
                    approval=record_id, what=kind, title=title, tool=tool, profile=profile, destructive=destructive,
                    asks=asks, fingerprint=fingerprint, effect=effect, arguments=_sha256(arguments),
                )  # fmt: skip
                self._store.record(db, line, actor, at)
                db.execute(
                    "INSERT INTO approvals (id, kind, title, status, destructive, asks, fingerprint, effect, tool, "
                    "arguments, preview, actor_kind, actor_name, session, profile, created_at, expires_at) "
                    "VALUES (?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (record_id, kind, title, int(destructive), json.dumps(asks), fingerprint, effect, tool,
                     json.dumps(arguments), json.dumps(preview), actor.kind, actor.name, actor.session, profile,
                     at, at + LIFETIME_SECONDS),
                )  # fmt: skip
                self._store.emit(db, ApprovalStaged(record_id, kind, title), at)
                self._tell_plan(db, record_id, kind, Status.PENDING)
            for request in requests:
                db.execute("INSERT INTO approval_requests VALUES (?, ?) ON CONFLICT DO NOTHING", (request, record_id))
            return self.get(record_id)

    def ask_again(self, id: str, request: str) -> None:  # noqa: A002
        """The same operation was asked for by another call: that one may collect the result too."""
        with self._store.write() as db:
            db.execute("INSERT INTO approval_requests VALUES (?, ?) ON CONFLICT DO NOTHING", (request, id))

    def find(self, fingerprint: str, actor: Actor) -> Approval | None:
        """The newest record of this asker for this operation that is pending or approved."""
        rows = self._own(
            "WHERE a.fingerprint = :fingerprint AND standing IN ('pending', 'approved')",
            actor,
            fingerprint=fingerprint,
        )
        return rows[0] if rows else None

    def denial(self, effect: str) -> Denial | None:
        """The person's no to this effect (or fingerprint, where there is no effect), whoever asks, while it stands."""
        with self._store.read() as db:
            row = db.execute(
                "SELECT approval_id, note FROM denials WHERE effect = ? AND expires_at > ?", (effect, self._clock())
            ).fetchone()
        return None if row is None else Denial(str(row[0]), str(row[1]))

    def collect(self, request: str, actor: Actor) -> dict[str, Any] | None:
        """The result of an accepted call, for the call that asked for it: once, and within the record's lifetime."""
        found = self._uncollected(request, actor)
        if found is None:
            return None
        with self._store.write() as db:
            db.execute("UPDATE approvals SET collected = 1 WHERE id = ? AND collected = 0", (found.id,))
            return found.result if db.changes() else None

    def held(self, request: str, actor: Actor) -> Approval | None:
        """The record by which the person accepted something else than this call asks for, and which waits for it."""
        return self._asked_by(request, actor, "a.amended IS NOT NULL AND a.result IS NULL AND standing = 'approved'")

    def finish(self, id: str, result: dict[str, Any], *, collected: bool = False) -> None:  # noqa: A002
        """Keep what the accepted call answered, a failure too, until its asker collects it; `collected`: it has it.

        Tells `consumed` when the effect was made, else `finished`.
        """
        with self._store.write() as db:
            record = self.get(id)
            db.execute(
                "UPDATE approvals SET result = ?, collected = ? WHERE id = ?", (json.dumps(result), int(collected), id)
            )
            status = Status.CONSUMED.value if record.status is Status.CONSUMED else "finished"
            ok = bool(result.get("envelope", {}).get("ok"))
            line = Answered(approval=id, ok=ok, status=status, sha256=_sha256(result))
            self._store.record(db, line, record.actor, self._clock())
            self._store.emit(db, ApprovalDecided(id, record.kind, status), self._clock())

    # What the person does.

    def approve(
        self,
        id: str,  # noqa: A002
        by: str,
        note: str = "",
        *,
        surface: str = "",
        amendment: Amendment | None = None,
    ) -> Approval:
        """Say yes, also to an effect that was denied before. TRANSACTION_STATE unless it is pending, NOT_FOUND.

        With an `amendment` the yes is to that, and the record is bound to it from now on; what was asked is kept.

        `surface` is where the person says it: terminal, page, chat, elicitation.
        """
        with self._store.write() as db:
            asked = self.get(id)
            if amendment is not None and asked.status is Status.PENDING:
                self._amend(db, asked, amendment)
            return self._decide(id, Status.APPROVED, by, note, surface)

    def deny(self, id: str, by: str, reason: str = "", *, surface: str = "") -> Approval:  # noqa: A002
        """Say no; the same effect is blocked until the record expires. Errors as for `approve`."""
        return self._decide(id, Status.DENIED, by, reason, surface)

    def mark_shown(self, id: str, person: str, sha256: str, *, surface: str = "") -> None:  # noqa: A002
        """Keep that this person was shown the record; `sha256` is of what they were shown.

        The audit log tells it once for as long as they are shown the same.
        """
        with self._store.write() as db:
            self.get(id)
            at = self._clock()
            if self._shown(db, id, person) != sha256:
                self._store.record(db, Shown(approval=id, sha256=sha256, surface=surface), _person(person), at)
            db.execute(
                "INSERT INTO approvals_shown (person, approval_id, sha256, at) VALUES (?, ?, ?, ?)",
                (person, id, sha256, at),
            )

    def tell_expired(self) -> None:
        """Write the lines of the audit log that tell which records' time is over."""
        over = "standing = 'expired' AND a.expiry_told = 0 ORDER BY a.number"
        if not self._rows(f"WHERE {over} LIMIT 1"):
            return
        with self._store.write() as db:
            for row in db.execute(f"SELECT a.id, a.status, {STATUS} AS standing {FROM} WHERE {over}",
                                  {"now": self._clock()}).fetchall():  # fmt: skip
                self._store.record(db, Expired(approval=str(row[0]), was=str(row[1])), WORKROOM, self._clock())
                db.execute("UPDATE approvals SET expiry_told = 1 WHERE id = ?", (row[0],))

    def shown(self, id: str, person: str) -> str | None:  # noqa: A002
        """The SHA-256 of what this person was shown last of a record; None where they were shown nothing."""
        with self._store.read() as db:
            return self._shown(db, id, person)

    def last_shown(self, person: str) -> str | None:
        """The id of the record that this person was shown last."""
        with self._store.read() as db:
            row = db.execute(
                "SELECT approval_id FROM approvals_shown WHERE person = ? ORDER BY number DESC LIMIT 1", (person,)
            ).fetchone()
        return None if row is None else str(row[0])

    # Plans, as records; their bodies are core.plans'.

    def active_plan(self) -> Approval | None:
        """The approved plan, while it stands."""
        return self._plan(Status.APPROVED)

    def pending_plan(self) -> Approval | None:
        """The plan that waits for the person."""
        return self._plan(Status.PENDING)

    def complete(self, id: str) -> Approval:  # noqa: A002
        """End an approved plan. TRANSACTION_STATE when the record isn't one."""
        with self._store.write() as db:
            record = self.get(id)
            if record.kind != "plan" or record.status is not Status.APPROVED:
                raise _not_complete(record)
            line = PlanEnded(approval=id, status=str(Status.COMPLETED))
            self._store.record(db, line, record.actor, self._clock())
            db.execute("UPDATE approvals SET status = 'completed' WHERE id = ?", (id,))
            self._tell_plan(db, id, "plan", Status.COMPLETED)
            return self.get(id)

    def supersede_plans(self, db: Database) -> tuple[str, ...]:
        """Within the unit of work `db`, close the pending and the approved plan for another; answers their ids."""
        plans = tuple(plan for plan in (self.pending_plan(), self.active_plan()) if plan is not None)
        for plan in plans:
            line = PlanEnded(approval=plan.id, status=str(Status.SUPERSEDED))
            self._store.record(db, line, plan.actor, self._clock())
            db.execute("UPDATE approvals SET status = 'superseded' WHERE id = ?", (plan.id,))
            self._tell_plan(db, plan.id, "plan", Status.SUPERSEDED)
        return tuple(plan.id for plan in plans)

    # Looking.

    def get(self, id: str) -> Approval:  # noqa: A002
        """One record; NOT_FOUND."""
        rows = self._rows("WHERE a.id = :id", id=id)
        if not rows:
            raise WorkroomError(
                ErrorCode.NOT_FOUND,
                f"There is no approval or plan {id!r}.",
                next_step="`workroom pending` lists what waits.",
            )
        return rows[0]

    def resolve_prefix(self, prefix: str) -> tuple[Approval, ...]:
        """Every record whose id begins with `prefix`, newest first."""
        return self._rows("WHERE substr(a.id, 1, length(:prefix)) = :prefix ORDER BY a.number DESC", prefix=prefix)

    def pending(self) -> tuple[Approval, ...]:
        """What waits for the person, plans included, newest first."""
        return self.list({Status.PENDING}, KEPT)

    def count_pending(self) -> int:
        """How many records wait, plans included."""
        with self._store.read() as db:
            return self._count(db, Status.PENDING)

    def list(self, statuses: Collection[Status], limit: int, *, plans: bool = True) -> tuple[Approval, ...]:
        """Records that stand at one of `statuses`, newest first; `plans`: those too."""
        return self._rows(
            "WHERE standing IN (SELECT value FROM json_each(:statuses)) AND (:plans OR a.kind <> 'plan') "
            "ORDER BY a.number DESC LIMIT :limit",
            statuses=json.dumps([str(status) for status in statuses]),
            limit=limit,
            plans=int(plans),
        )

    # The view for readers.

    def keep_view(self, agentic: Agentic) -> Callable[[], None]:
        """Write `.agentic/approvals/state.json` after each change, and now if it stands there (a clone may have brought
        one); answers the way to end it.
        """

        def write(_number: int, event: Event) -> None:
            if isinstance(event, (ApprovalStaged, ApprovalDecided, PlanChanged)):
                write_view(agentic, self.list(frozenset(Status), KEPT))

        if view_stands(agentic):
            write_view(agentic, self.list(frozenset(Status), KEPT))
        return self._store.subscribe(write)

    # Inside.

    def _rows(self, rest: str, **named: Any) -> tuple[Approval, ...]:
        with self._store.read() as db:
            return tuple(approval_of(row) for row in db.execute(SELECT + rest, {"now": self._clock(), **named}))

    def _count(self, db: Database, status: Status) -> int:
        sql = f"SELECT count(*) {FROM} WHERE {STATUS} = :status"
        return int(db.execute(sql, {"now": self._clock(), "status": str(status)}).get)

    def _plan(self, status: Status) -> Approval | None:
        rows = self._rows(
            "WHERE a.kind = 'plan' AND a.status = :status AND standing = :status ORDER BY a.number DESC LIMIT 1",
            status=str(status),
        )
        return rows[0] if rows else None

    def _pending_twin(self, fingerprint: str, actor: Actor) -> str | None:
        rows = self._own("WHERE a.fingerprint = :fingerprint AND standing = 'pending'", actor, fingerprint=fingerprint)
        return rows[0].id if rows else None

    def _own(self, which: str, actor: Actor, **named: Any) -> tuple[Approval, ...]:
        """The records of this asker, newest first: none of another session's of its name that is still there."""
        rows = self._rows(f"{which} AND {IS_OF} ORDER BY a.number DESC", kind=actor.kind, name=actor.name, **named)
        others = self._sessions - {actor.session}
        return tuple(row for row in rows if row.actor.session not in others)

    def _shown(self, db: Database, record_id: str, person: str) -> str | None:
        """The SHA-256 of what this person was shown last of a record."""
        row = db.execute(
            "SELECT sha256 FROM approvals_shown WHERE approval_id = ? AND person = ? ORDER BY number DESC LIMIT 1",
            (record_id, person),
        ).fetchone()
        return None if row is None else str(row[0])

    def _uncollected(self, request: str, actor: Actor) -> Approval | None:
        return self._asked_by(request, actor, "a.result IS NOT NULL AND a.collected = 0 AND a.expires_at > :now")

    def _asked_by(self, request: str, actor: Actor, which: str) -> Approval | None:
        """The first of this actor's own records that the request has asked for, of `which` that holds."""
        asked = "WHERE a.id IN (SELECT approval_id FROM approval_requests WHERE request = :request) AND "
        rows = self._own(asked + which, actor, request=request)
        return rows[0] if rows else None

    def _decide(self, record_id: str, status: Status, by: str, note: str, surface: str) -> Approval:
        self.tell_expired()
        with self._store.write() as db:
            record = self.get(record_id)
            if record.status is not Status.PENDING:
                raise WorkroomError(
                    ErrorCode.TRANSACTION_STATE,
                    f"{record_id} can't be decided: it is {record.status}, not pending.",
                    next_step="`workroom pending` lists what waits.",
                )
            at = self._clock()
            line = Decided(
                approval=record_id, decision=str(status), note=note, surface=surface, fingerprint=record.fingerprint,
                shown=self._shown(db, record_id, by), how=(record.amended or {}).get("how"),
                asked=(record.amended or {}).get("asked", {}).get("fingerprint"),
            )  # fmt: skip
            self._store.record(db, line, _person(by), at)
            db.execute(
                "UPDATE approvals SET status = ?, decided_at = ?, decided_by = ?, note = ? WHERE id = ?",
                (str(status), at, by, note, record_id),
            )
            self._keep_denial(db, record, status, note, at)
            self._store.emit(db, ApprovalDecided(record_id, record.kind, str(status)), at)
            self._tell_plan(db, record_id, record.kind, status)
            return self.get(record_id)

    def _amend(self, db: Database, asked: Approval, amendment: Amendment) -> None:
        how = {**amendment.how, "asked": {"fingerprint": asked.fingerprint, "arguments": asked.arguments}}
        db.execute(
            "UPDATE approvals SET fingerprint = ?, effect = ?, arguments = ?, destructive = ?, asks = ?, amended = ? "
            "WHERE id = ?",
            (amendment.fingerprint, amendment.effect, json.dumps(amendment.arguments), int(amendment.destructive),
             json.dumps(amendment.asks), json.dumps(how), asked.id),
        )  # fmt: skip

    def _keep_denial(self, db: Database, record: Approval, status: Status, note: str, at: float) -> None:
        """Remember the last word on an effect; a denial outlives its record's place among the 300."""
        effect = record.effect or record.fingerprint
        db.execute("DELETE FROM denials WHERE effect = ? OR expires_at <= ?", (effect, at))
        if status is Status.DENIED:
            db.execute("INSERT INTO denials VALUES (?, ?, ?, ?)", (effect, record.id, note, record.expires_at))

    def _tell_plan(self, db: Database, record_id: str, kind: str, status: Status) -> None:
        if kind == "plan":
            self._store.emit(db, PlanChanged(record_id, str(status)), self._clock())


def _person(name: str) -> Actor:
    return Actor("person", name)


def _sha256(body: dict[str, Any]) -> str:
    return hashlib.sha256(canonical(body).encode()).hexdigest()


def _not_complete(record: Approval) -> WorkroomError:
    if record.status is Status.PENDING:
        return WorkroomError(
            ErrorCode.TRANSACTION_STATE,
            f"{record.id} can't be completed: the person hasn't accepted it yet.",
            next_step="Stop and wait: nothing runs until they have answered, and calling complete or show again "
            "changes nothing about that.",
        )
    return WorkroomError(
        ErrorCode.TRANSACTION_STATE,
        f"{record.id} can't be completed: it is {record.status}, not an approved plan.",
    )
