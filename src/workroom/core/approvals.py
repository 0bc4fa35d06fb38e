"""What waits for the person, and what they said.

    pending --approve--> approved --the effect is committed--> consumed
       |  `---deny-----> denied
       |                 approved plan --complete--> completed
       `- a plan, when another is proposed ---------> superseded        (an approved one too)
    pending, approved, denied --24 hours after staging--> expired

A plan is a record of kind `plan` under the plan's own id. A record is bound to a fingerprint (the SHA-256 of the
normalised operation with its before-hashes) and to who asked: an approval is used by its asker only. A denial binds
everyone, and is bound to the effect: another way to the same result is denied too. That a record is consumed is
written by core.transactions in the transaction of the effect, so it is looked up there; that one is expired follows
from the clock. Neither is stored here.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from workroom.base.actor import Actor
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.events import ApprovalDecided, ApprovalStaged, Event, PlanChanged
from workroom.base.ids import NewId
from workroom.base.settings import Profile
from workroom.system.agentic import Agentic
from workroom.system.clock import Clock, iso
from workroom.system.store import Database, Migration, Store

__all__ = [
    "KEPT",
    "KEPT_EACH",
    "LIFETIME_SECONDS",
    "MIGRATIONS",
    "VIEW_PATH",
    "Approval",
    "Approvals",
    "Denial",
    "Status",
]

LIFETIME_SECONDS = 24 * 3600
"""How long a record stands while pending, approved or denied."""

KEPT = 300
"""How many records are kept. The finished and the denied ones go first, the oldest of them before the others."""

KEPT_EACH = 100
"""How many records of one asker may wait."""

VIEW_PATH = "approvals/state.json"
"""The view for readers, below `.agentic/`."""

MIGRATIONS: tuple[Migration, ...] = (
    (
        "approvals/1",
        """
        CREATE TABLE approvals (
            number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL,
            title TEXT NOT NULL, status TEXT NOT NULL, destructive INTEGER NOT NULL, asks TEXT NOT NULL,
            fingerprint TEXT NOT NULL, effect TEXT NOT NULL, tool TEXT NOT NULL, arguments TEXT NOT NULL,
            preview TEXT NOT NULL, actor_kind TEXT NOT NULL, actor_name TEXT NOT NULL, session TEXT NOT NULL,
            profile TEXT NOT NULL, created_at REAL NOT NULL, expires_at REAL NOT NULL, decided_at REAL, decided_by TEXT,
            note TEXT NOT NULL DEFAULT '', result TEXT, collected INTEGER NOT NULL DEFAULT 0,
            prev_hash TEXT, hash TEXT) STRICT;
        CREATE INDEX approvals_by_fingerprint ON approvals (fingerprint);
        CREATE INDEX approvals_by_status ON approvals (status);
        CREATE TABLE approval_requests (
            request TEXT NOT NULL, approval_id TEXT NOT NULL REFERENCES approvals (id) ON DELETE CASCADE,
            PRIMARY KEY (request, approval_id)) STRICT, WITHOUT ROWID;
        CREATE INDEX approval_requests_by_approval ON approval_requests (approval_id);
        CREATE TABLE approvals_shown (
            number INTEGER PRIMARY KEY AUTOINCREMENT, person TEXT NOT NULL,
            approval_id TEXT NOT NULL REFERENCES approvals (id) ON DELETE CASCADE,
            sha256 TEXT NOT NULL, at REAL NOT NULL) STRICT;
        CREATE INDEX approvals_shown_by_person ON approvals_shown (person);
        CREATE INDEX approvals_shown_by_approval ON approvals_shown (approval_id);
        CREATE TABLE denials (effect TEXT PRIMARY KEY, approval_id TEXT NOT NULL, note TEXT NOT NULL,
                              expires_at REAL NOT NULL) STRICT, WITHOUT ROWID;
        """,
    ),
)

_STATUS = """CASE WHEN c.approval_id IS NOT NULL THEN 'consumed'
    WHEN a.status IN ('pending', 'approved', 'denied') AND a.expires_at <= :now THEN 'expired' ELSE a.status END"""

_FROM = "FROM approvals a LEFT JOIN consumptions c ON c.approval_id = a.id"

_WAITS = f"{_STATUS} = 'pending' AND a.kind <> 'plan'"

_IS_OF = "a.actor_kind = :kind AND a.actor_name = :name"

_MOST_WAITING = f"""SELECT count(*), a.actor_kind, a.actor_name {_FROM} WHERE {_WAITS} GROUP BY 2, 3
    ORDER BY 1 DESC, max(a.number) DESC LIMIT 1"""

_SELECT = f"""SELECT a.id, a.kind, a.title, {_STATUS} AS standing, a.destructive, a.asks, a.fingerprint, a.effect,
    a.tool, a.arguments, a.preview, a.actor_kind, a.actor_name, a.session, a.profile, a.created_at, a.expires_at,
    a.decided_at, a.decided_by, a.note, a.result, a.collected {_FROM} """

_log = logging.getLogger(__name__)


class Status(StrEnum):
    """Where a record stands."""

    PENDING = "pending"
    APPROVED = "approved"
    DENIED = "denied"
    CONSUMED = "consumed"
    COMPLETED = "completed"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class Approval:
    """One record. Times are seconds since 1970; `asks` are the reasons to ask in every mode, for the person."""

    id: str
    kind: str
    title: str
    status: Status
    destructive: bool
    asks: tuple[str, ...]
    fingerprint: str
    effect: str
    """What a denial of it is bound to; empty for the fingerprint."""
    tool: str
    arguments: dict[str, Any]
    """The stored call: what an accept runs."""
    preview: dict[str, Any]
    """What the pending answer carries."""
    actor: Actor
    profile: Profile
    created_at: float
    expires_at: float
    decided_at: float | None
    decided_by: str | None
    note: str
    """The person's note on an approval, their reason on a denial."""
    result: dict[str, Any] | None
    collected: bool


@dataclass(frozen=True, slots=True)
class Denial:
    """The person's no to an effect: the record that it was said to, and the reason."""

    approval_id: str
    note: str


class Approvals:
    """All records of one workspace."""

    def __init__(self, store: Store, clock: Clock, new_id: NewId) -> None:
        self._store = store
        self._clock = clock
        self._new_id = new_id

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
        with self._store.write() as db:
            record_id = self._pending_twin(db, fingerprint, actor)
            if record_id is None:
                self._make_room(db, kind, actor)
                record_id = id or self._new_id("approval")
                at = self._clock()
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
        rows = self._rows(
            "WHERE a.fingerprint = :fingerprint AND standing IN ('pending', 'approved') "
            "AND a.actor_kind = :kind AND a.actor_name = :name ORDER BY a.number DESC LIMIT 1",
            fingerprint=fingerprint,
            kind=actor.kind,
            name=actor.name,
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

    def finish(self, id: str, result: dict[str, Any]) -> None:  # noqa: A002
        """Keep what the accepted call answered, a failure too, until its asker collects it.

        Tells `consumed` when the effect was made, else `finished`.
        """
        with self._store.write() as db:
            record = self.get(id)
            db.execute("UPDATE approvals SET result = ?, collected = 0 WHERE id = ?", (json.dumps(result), id))
            status = Status.CONSUMED.value if record.status is Status.CONSUMED else "finished"
            self._store.emit(db, ApprovalDecided(id, record.kind, status), self._clock())

    # What the person does.

    def approve(self, id: str, by: str, note: str = "") -> Approval:  # noqa: A002
        """Say yes, also to an effect that was denied before. TRANSACTION_STATE unless it is pending, NOT_FOUND."""
        return self._decide(id, Status.APPROVED, by, note)

    def deny(self, id: str, by: str, reason: str = "") -> Approval:  # noqa: A002
        """Say no; the same effect is blocked until the record expires. Errors as for `approve`."""
        return self._decide(id, Status.DENIED, by, reason)

    def mark_shown(self, id: str, person: str, sha256: str) -> None:  # noqa: A002
        """Keep that this person was shown the record; `sha256` is of what they were shown."""
        with self._store.write() as db:
            self.get(id)
            db.execute(
                "INSERT INTO approvals_shown (person, approval_id, sha256, at) VALUES (?, ?, ?, ?)",
                (person, id, sha256, self._clock()),
            )

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
            db.execute("UPDATE approvals SET status = 'completed' WHERE id = ?", (id,))
            self._tell_plan(db, id, "plan", Status.COMPLETED)
            return self.get(id)

    def supersede_plans(self, db: Database) -> tuple[str, ...]:
        """Within the unit of work `db`, close the pending and the approved plan for another; answers their ids."""
        plans = tuple(plan.id for plan in (self.pending_plan(), self.active_plan()) if plan is not None)
        for plan_id in plans:
            db.execute("UPDATE approvals SET status = 'superseded' WHERE id = ?", (plan_id,))
            self._tell_plan(db, plan_id, "plan", Status.SUPERSEDED)
        return plans

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

        The view is never read back. That it can't be written is logged and stops nobody.
        """

        def write(_number: int, event: Event) -> None:
            if isinstance(event, (ApprovalStaged, ApprovalDecided, PlanChanged)):
                self._write_view(agentic)

        if self._stands(agentic):
            self._write_view(agentic)
        return self._store.subscribe(write)

    def _stands(self, agentic: Agentic) -> bool:
        """Whether something stands where the view goes; what can't be looked at counts."""
        try:
            return any(stat.path.endswith(VIEW_PATH) for stat in agentic.list("approvals"))
        except WorkroomError:
            return True

    def _write_view(self, agentic: Agentic) -> None:
        records = self.list(frozenset(Status), KEPT)
        body = {"note": "A view for readers; nothing reads it back.", "approvals": [_row(r) for r in records]}
        try:
            agentic.write(VIEW_PATH, (json.dumps(body, indent=1) + "\n").encode(), "approvals")
        except WorkroomError as error:
            _log.warning("the view of the approvals can't be written: %s", error)

    # Inside.

    def _rows(self, rest: str, **named: Any) -> tuple[Approval, ...]:
        with self._store.read() as db:
            return tuple(_approval(row) for row in db.execute(_SELECT + rest, {"now": self._clock(), **named}))

    def _count(self, db: Database, status: Status) -> int:
        sql = f"SELECT count(*) {_FROM} WHERE {_STATUS} = :status"
        return int(db.execute(sql, {"now": self._clock(), "status": str(status)}).get)

    def _plan(self, status: Status) -> Approval | None:
        rows = self._rows(
            "WHERE a.kind = 'plan' AND a.status = :status AND standing = :status ORDER BY a.number DESC LIMIT 1",
            status=str(status),
        )
        return rows[0] if rows else None

    def _pending_twin(self, db: Database, fingerprint: str, actor: Actor) -> str | None:
        row = db.execute(
            "SELECT id FROM approvals WHERE fingerprint = ? AND status = 'pending' AND expires_at > ? "
            "AND actor_kind = ? AND actor_name = ? ORDER BY number DESC LIMIT 1",
            (fingerprint, self._clock(), actor.kind, actor.name),
        ).fetchone()
        return None if row is None else str(row[0])

    def _make_room(self, db: Database, kind: str, actor: Actor) -> None:
        """Drop what is least missed, so that one more record fits; LIMIT_EXCEEDED where nothing may go.

        What is finished goes first. Then, so that nobody can lock others out, the newest that waits of whoever has
        most waiting, if that is more than this asker has. The plan that waits never goes; what is approved makes way
        for a plan only.
        """
        named = {"now": self._clock(), "kind": actor.kind, "name": actor.name}
        own = int(db.execute(f"SELECT count(*) {_FROM} WHERE {_WAITS} AND {_IS_OF}", named).get)
        if kind != "plan" and own >= KEPT_EACH:
            raise _full(f"{own} requests of {actor.name} already wait for the person, and no more are kept.")
        if int(db.execute("SELECT count(*) FROM approvals").get) < KEPT:
            return
        if self._drop(db, f"{_STATUS} NOT IN ('pending', 'approved') ORDER BY a.number", named):
            return
        most = db.execute(_MOST_WAITING, named).fetchone()
        if most is not None and (kind == "plan" or most[0] > own):
            of_most = {"now": named["now"], "kind": most[1], "name": most[2]}
            self._drop(db, f"{_WAITS} AND {_IS_OF} ORDER BY a.number DESC", of_most)
        elif kind == "plan":
            self._drop(db, f"{_STATUS} = 'approved' ORDER BY a.number", named)
        else:
            raise _full(f"{KEPT} requests already stand, and no more are kept.")

    def _drop(self, db: Database, which: str, named: dict[str, Any]) -> bool:
        """Drop the first record of `which`; answers whether there was one."""
        sql = f"DELETE FROM approvals WHERE number = (SELECT a.number {_FROM} WHERE {which} LIMIT 1)"  # noqa: S608
        db.execute(sql, named)
        return db.changes() > 0

    def _uncollected(self, request: str, actor: Actor) -> Approval | None:
        rows = self._rows(
            "WHERE a.id IN (SELECT approval_id FROM approval_requests WHERE request = :request) "
            "AND a.result IS NOT NULL AND a.collected = 0 AND a.expires_at > :now "
            "AND a.actor_kind = :kind AND a.actor_name = :name ORDER BY a.number DESC LIMIT 1",
            request=request,
            kind=actor.kind,
            name=actor.name,
        )
        return rows[0] if rows else None

    def _decide(self, record_id: str, status: Status, by: str, note: str) -> Approval:
        with self._store.write() as db:
            record = self.get(record_id)
            if record.status is not Status.PENDING:
                raise WorkroomError(
                    ErrorCode.TRANSACTION_STATE,
                    f"{record_id} can't be decided: it is {record.status}, not pending.",
                    next_step="`workroom pending` lists what waits.",
                )
            at = self._clock()
            db.execute(
                "UPDATE approvals SET status = ?, decided_at = ?, decided_by = ?, note = ? WHERE id = ?",
                (str(status), at, by, note, record_id),
            )
            self._keep_denial(db, record, status, note, at)
            self._store.emit(db, ApprovalDecided(record_id, record.kind, str(status)), at)
            self._tell_plan(db, record_id, record.kind, status)
            return self.get(record_id)

    def _keep_denial(self, db: Database, record: Approval, status: Status, note: str, at: float) -> None:
        """Remember the last word on an effect; a denial outlives its record's place among the 300."""
        effect = record.effect or record.fingerprint
        db.execute("DELETE FROM denials WHERE effect = ? OR expires_at <= ?", (effect, at))
        if status is Status.DENIED:
            db.execute("INSERT INTO denials VALUES (?, ?, ?, ?)", (effect, record.id, note, record.expires_at))

    def _tell_plan(self, db: Database, record_id: str, kind: str, status: Status) -> None:
        if kind == "plan":
            self._store.emit(db, PlanChanged(record_id, str(status)), self._clock())


def _approval(row: tuple[Any, ...]) -> Approval:
    (record_id, kind, title, status, destructive, asks, fingerprint, effect, tool, arguments, preview, actor_kind,
     actor_name, session, profile, created_at, expires_at, decided_at, decided_by, note, result,
     collected) = row  # fmt: skip
    return Approval(
        id=record_id,
        kind=kind,
        title=title,
        status=Status(status),
        destructive=bool(destructive),
        asks=tuple(json.loads(asks)),
        fingerprint=fingerprint,
        effect=effect,
        tool=tool,
        arguments=json.loads(arguments),
        preview=json.loads(preview),
        actor=Actor(actor_kind, actor_name, session),
        profile=profile,
        created_at=created_at,
        expires_at=expires_at,
        decided_at=decided_at,
        decided_by=decided_by,
        note=note,
        result=None if result is None else json.loads(result),
        collected=bool(collected),
    )


def _row(record: Approval) -> dict[str, Any]:
    return {
        "id": record.id,
        "kind": record.kind,
        "title": record.title,
        "status": str(record.status),
        "destructive": record.destructive,
        "resume": {"tool": record.tool, "arguments": record.arguments},
        "actor": record.actor.name,
        "createdAt": iso(record.created_at),
        "expiresAt": iso(record.expires_at),
        "decidedAt": None if record.decided_at is None else iso(record.decided_at),
        "note": record.note,
    }


def _full(message: str) -> WorkroomError:
    return WorkroomError(
        ErrorCode.LIMIT_EXCEEDED, message, next_step="Stop, and ask the person to decide some of what waits."
    )


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
