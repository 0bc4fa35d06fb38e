"""The rows of transactions, entries and intents; SQL lives here and nowhere else in this package.

transactions ──entry──> entries (the history, numbered)      image_refs: which images each transaction needs
     └──────────────> intents   (staging -> prepared -> committed -> settled; a settled one has no row)
derivations: which transactions came from which, as a part or as the person's edit
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from workroom.base.actor import Actor
from workroom.base.audit import EntryWritten
from workroom.base.changes import ChangeSet, Danger, Permit
from workroom.core.transactions import marks
from workroom.core.transactions.model import (
    Derivation,
    Directory,
    Entry,
    Planned,
    Transaction,
    change_from_json,
    change_to_json,
)
from workroom.system.store import Database, Migration, Store

__all__ = [
    "GUARDS",
    "MIGRATIONS",
    "add_entry",
    "add_transaction",
    "count_entries",
    "count_transactions",
    "delete_intent",
    "derivation",
    "derive",
    "derived_from",
    "droppable_plans",
    "entries",
    "entries_after",
    "entry",
    "entry_of",
    "find_transaction",
    "has_image",
    "has_intent",
    "held",
    "intents",
    "key_owner",
    "last_by",
    "last_entry",
    "mark_forgotten",
    "newest_undoable",
    "oldest_kept",
    "planned_before",
    "prune_planned",
    "put_intent",
    "refer",
    "release",
    "release_key",
    "set_intent_phase",
    "set_status",
    "set_waiting",
    "shrink",
    "stored_entry",
    "supersede",
    "supersede_merged",
    "transactions",
]

MIGRATIONS: tuple[Migration, ...] = (
    (
        "transactions/1",
        """
        CREATE TABLE transactions (
            id TEXT PRIMARY KEY, cause TEXT NOT NULL, status TEXT NOT NULL, title TEXT NOT NULL,
            body TEXT NOT NULL, fingerprint TEXT NOT NULL, undoes INTEGER, idempotency_key TEXT UNIQUE,
            actor_kind TEXT NOT NULL, actor_name TEXT NOT NULL, session TEXT NOT NULL,
            created_at REAL NOT NULL, applied_at REAL, entry INTEGER, approval_id TEXT, note TEXT NOT NULL DEFAULT '',
            waits INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX transactions_created ON transactions (created_at);
        CREATE TABLE entries (
            number INTEGER PRIMARY KEY AUTOINCREMENT, transaction_id TEXT NOT NULL UNIQUE, at REAL NOT NULL,
            actor_kind TEXT NOT NULL, actor_name TEXT NOT NULL, session TEXT NOT NULL,
            cause TEXT NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL,
            undoes INTEGER, undone_by INTEGER, forgotten INTEGER NOT NULL DEFAULT 0,
            approval_id TEXT, decided_by TEXT, shown_hash TEXT, prev_hash TEXT, hash TEXT
        ) STRICT;
        CREATE TABLE intents (transaction_id TEXT PRIMARY KEY, phase TEXT NOT NULL, at REAL NOT NULL,
                              body TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE image_refs (sha256 TEXT NOT NULL, transaction_id TEXT NOT NULL,
                                 PRIMARY KEY (sha256, transaction_id)) STRICT, WITHOUT ROWID;
        CREATE INDEX image_refs_transaction ON image_refs (transaction_id);
        CREATE TABLE consumptions (approval_id TEXT PRIMARY KEY, what TEXT NOT NULL, at REAL NOT NULL) STRICT;
        """,
    ),
    (
        "transactions/derivations",
        """
        CREATE TABLE derivations (transaction_id TEXT PRIMARY KEY, kind TEXT NOT NULL, source TEXT NOT NULL,
                                  person TEXT NOT NULL, patch TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX derivations_source ON derivations (source);
        """,
    ),
    (
        "transactions/audit",
        """
        CREATE TRIGGER entries_have_a_line BEFORE INSERT ON entries
            WHEN NOT EXISTS (SELECT 1 FROM (SELECT line FROM audit ORDER BY number DESC LIMIT 1)
                             WHERE line ->> '$.kind' = 'entry' AND line ->> '$.what.entry' = NEW.number
                             AND line ->> '$.what.transaction' = NEW.transaction_id)
            BEGIN SELECT RAISE(ABORT, 'an entry needs its line in the audit log, written before it'); END;
        CREATE TRIGGER entries_are_not_changed BEFORE UPDATE OF number, transaction_id, at, actor_kind, actor_name,
            session, cause, title, body, undoes, approval_id, decided_by ON entries
            BEGIN SELECT RAISE(ABORT, 'an entry of the history is never changed'); END;
        CREATE TRIGGER entries_are_not_removed BEFORE DELETE ON entries
            BEGIN SELECT RAISE(ABORT, 'an entry of the history is never removed'); END;
        CREATE TRIGGER consumptions_have_a_line BEFORE INSERT ON consumptions
            WHEN (SELECT line ->> '$.what.approval' FROM audit ORDER BY number DESC LIMIT 1) IS NOT NEW.approval_id
            BEGIN SELECT RAISE(ABORT, 'what an approval is used for needs its line in the audit log'); END;
        CREATE TRIGGER consumptions_are_not_changed BEFORE UPDATE ON consumptions
            BEGIN SELECT RAISE(ABORT, 'a used approval stays used'); END;
        CREATE TRIGGER consumptions_are_not_removed BEFORE DELETE ON consumptions
            BEGIN SELECT RAISE(ABORT, 'a used approval stays used'); END;
        """,
    ),
    ("transactions/marks", marks.SCHEMA),
    (
        "transactions/superseded",
        """
        ALTER TABLE transactions ADD COLUMN superseded_by TEXT;
        UPDATE transactions SET superseded_by = (SELECT max(d.transaction_id) FROM derivations d
            WHERE d.source = transactions.id AND d.kind <> 'part') WHERE status = 'superseded';
        """,
    ),
    (
        "transactions/rows",  # in the order of their making: by their ids, half of each page stays empty
        """
        CREATE TABLE rows (
            id TEXT PRIMARY KEY, cause TEXT NOT NULL, status TEXT NOT NULL, title TEXT NOT NULL,
            body TEXT NOT NULL, fingerprint TEXT NOT NULL, undoes INTEGER, idempotency_key TEXT UNIQUE,
            actor_kind TEXT NOT NULL, actor_name TEXT NOT NULL, session TEXT NOT NULL,
            created_at REAL NOT NULL, applied_at REAL, entry INTEGER, approval_id TEXT, note TEXT NOT NULL DEFAULT '',
            waits INTEGER NOT NULL DEFAULT 0, superseded_by TEXT
        ) STRICT;
        INSERT INTO rows SELECT id, cause, status, title, body, fingerprint, undoes, idempotency_key, actor_kind,
            actor_name, session, created_at, applied_at, entry, approval_id, note, waits, superseded_by
            FROM transactions ORDER BY created_at;
        DROP TABLE transactions;
        ALTER TABLE rows RENAME TO transactions;
        CREATE INDEX transactions_created ON transactions (created_at);
        CREATE INDEX transactions_planned ON transactions (created_at) WHERE status = 'planned';
        CREATE INDEX entries_kept ON entries (number, transaction_id) WHERE NOT forgotten;
        """,
    ),
)

GUARDS = (
    "consumptions_are_not_changed", "consumptions_are_not_removed", "consumptions_have_a_line",
    "entries_are_not_changed", "entries_are_not_removed", "entries_have_a_line",
)  # fmt: skip
"""The triggers that let nothing into the history without its line in the audit log."""

# What SQL is put together from below are these constants and never a value.
_COLUMNS = (
    "id, cause, status, title, body, fingerprint, undoes, idempotency_key, actor_kind, actor_name, session, "
    "created_at, applied_at, entry, approval_id, note"
)
_FOUND = f"""{_COLUMNS}, d.kind, d.source, d.person, d.patch, superseded_by FROM transactions
    LEFT JOIN derivations d ON d.transaction_id = id"""
_IDLE = """id NOT IN (SELECT transaction_id FROM intents)
    AND id NOT IN (SELECT source FROM derivations JOIN intents USING (transaction_id))"""
"""Neither it nor a part of it is being committed."""
_ENTRY = (
    "number, transaction_id, at, actor_kind, actor_name, session, cause, title, body, undoes, undone_by, forgotten, "
    "approval_id, decided_by"
)


# Transactions.


def add_transaction(db: Database, planned: Planned, actor: Actor, at: float) -> None:
    """Keep a plan, with status planned."""
    db.execute(
        f"INSERT INTO transactions ({_COLUMNS}) "  # noqa: S608
        "VALUES (?, ?, 'planned', ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL, NULL, '')",
        (planned.id, planned.cause, planned.title, _body(planned), planned.fingerprint, planned.undoes,
         planned.idempotency_key, actor.kind, actor.name, actor.session, at),
    )  # fmt: skip


def find_transaction(db: Database, transaction_id: str) -> Transaction | None:
    """A stored transaction by its id."""
    row = db.execute(f"SELECT {_FOUND} WHERE id = ?", (transaction_id,)).fetchone()
    return None if row is None else _transaction(row)


def key_owner(db: Database, key: str) -> Transaction | None:
    """The transaction that carries an idempotency key."""
    row = db.execute(f"SELECT {_FOUND} WHERE idempotency_key = ?", (key,)).fetchone()
    return None if row is None else _transaction(row)


def transactions(
    db: Database, status: str | None, limit: int, after: tuple[float, str] | None = None
) -> list[Transaction]:
    """Stored transactions, newest first; those that come after one, told by its time and id, as a cursor."""
    at, transaction_id = after or (None, None)
    rows = db.execute(
        f"SELECT {_FOUND} WHERE (?1 IS NULL OR status = ?1) "
        "AND (?2 IS NULL OR created_at < ?2 OR (created_at = ?2 AND id > ?3)) ORDER BY created_at DESC, id LIMIT ?4",
        (status, at, transaction_id, limit),
    )
    return [_transaction(row) for row in rows]


def count_transactions(db: Database, status: str | None) -> int:
    """How many there are."""
    return int(db.execute("SELECT COUNT(*) FROM transactions WHERE (?1 IS NULL OR status = ?1)", (status,)).get)


def set_status(db: Database, transaction_id: str, status: str, note: str = "") -> None:
    """The status that follows from an undo, a failure or a supersession, and why."""
    db.execute("UPDATE transactions SET status = ?, note = ? WHERE id = ?", (status, note, transaction_id))
    if status == "failed":
        release_key(db, transaction_id)  # the same call again is another try


def supersede(db: Database, transaction_id: str, by: str, note: str = "") -> None:
    """Another transaction has the place of this plan."""
    db.execute(
        "UPDATE transactions SET status = 'superseded', superseded_by = ?, note = ? "
        "WHERE id = ? AND status = 'planned'",
        (by, note, transaction_id),
    )


def supersede_merged(db: Database, merged: Planned) -> tuple[str, ...]:
    """A merged plan was committed, or some of it: the plan that it was made from is over, and so is the one that this
    was made from itself; answers them all."""
    over: list[str] = []
    by, ahead = merged.id, merged.supersedes
    while ahead is not None and (stored := find_transaction(db, ahead)) is not None and stored.status == "planned":
        supersede(db, ahead, by, f"{merged.id} was committed in its place.")
        derive(db, by, Derivation("merged", ahead))
        over.append(ahead)
        by, ahead = ahead, stored.planned.supersedes
    return tuple(over)


def held(db: Database, path: str, sha: str) -> bool:
    """Whether the path had this content before or after a transaction whose images are kept."""
    bodies = db.execute(
        "SELECT t.body FROM image_refs r JOIN transactions t ON t.id = r.transaction_id WHERE r.sha256 = ?", (sha,)
    )
    return any(
        change["path"] == path and sha in (change["before"][1], change["after"][1])
        for row in bodies
        for change in json.loads(row[0]).get("changes", ())
    )


def set_waiting(db: Database, transaction_id: str) -> None:
    """The person is asked about this plan: it is kept however many others come."""
    db.execute("UPDATE transactions SET waits = 1 WHERE id = ?", (transaction_id,))


def planned_before(db: Database, at: float, keep: int) -> list[str]:
    """Planned transactions that are older than a time, or beyond the newest `keep` while nobody is asked about them.

    One that is being committed just now is not among them.
    """
    rows = db.execute(
        "SELECT id FROM (SELECT id, created_at, waits, row_number() OVER (ORDER BY created_at DESC) AS place "  # noqa: S608
        f"FROM transactions WHERE status = 'planned') WHERE (created_at < ? OR (place > ? AND NOT waits)) AND {_IDLE}",
        (at, keep),
    )
    return [str(row[0]) for row in rows]


def droppable_plans(db: Database, but: str) -> list[str]:
    """Planned transactions that nobody is asked about and that aren't being committed, oldest first, all but one."""
    rows = db.execute(
        f"SELECT id FROM transactions WHERE status = 'planned' AND NOT waits AND id != ? AND {_IDLE} "  # noqa: S608
        "ORDER BY created_at",
        (but,),
    )
    return [str(row[0]) for row in rows]


def release_key(db: Database, transaction_id: str) -> None:
    """Let another transaction have this one's idempotency key."""
    db.execute("UPDATE transactions SET idempotency_key = NULL WHERE id = ?", (transaction_id,))


def prune_planned(db: Database, transaction_id: str) -> None:
    """Forget a plan that was never applied."""
    db.execute("DELETE FROM transactions WHERE id = ? AND status = 'planned'", (transaction_id,))


# What came from what.


def derive(db: Database, transaction_id: str, derived: Derivation) -> None:
    """Say from which transaction another came, and how."""
    db.execute(
        "INSERT INTO derivations (transaction_id, kind, source, person, patch) VALUES (?, ?, ?, ?, ?)",
        (transaction_id, derived.kind, derived.source, derived.person, derived.patch),
    )


def derivation(db: Database, transaction_id: str) -> Derivation | None:
    """From which transaction this one came."""
    row = db.execute(
        "SELECT kind, source, person, patch FROM derivations WHERE transaction_id = ?", (transaction_id,)
    ).fetchone()
    return None if row is None else Derivation(*row)


def derived_from(db: Database, source: str) -> list[Transaction]:
    """What came from a transaction, oldest first."""
    rows = db.execute(f"SELECT {_FOUND} WHERE d.source = ? ORDER BY created_at, id", (source,))
    return [_transaction(row) for row in rows]


def shrink(db: Database, rest: Planned) -> None:
    """What is left of a planned transaction once a part of it is committed; nobody is asked about it now."""
    db.execute(
        "UPDATE transactions SET body = ?, fingerprint = ?, waits = 0 WHERE id = ? AND status = 'planned'",
        (_body(rest), rest.fingerprint, rest.id),
    )


# Entries.


def add_entry(store: Store, db: Database, planned: Planned, actor: Actor, at: float, permit: Permit) -> int:
    """Write a line of the history, its line of the audit log before it, and mark the transaction applied; answers the
    line's number."""
    body = _body(planned, operations=False)
    number = int(db.execute("SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'entries'").get)
    store.record(db, _audited(planned, number, body, permit), actor, at)
    db.execute(
        "INSERT INTO entries (number, transaction_id, at, actor_kind, actor_name, session, cause, title, body, undoes, "
        "approval_id, decided_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (number, planned.id, at, actor.kind, actor.name, actor.session, planned.cause, planned.title, body,
         planned.undoes, permit.approval_id, permit.decided_by or permit.reason),
    )  # fmt: skip
    db.execute(
        "UPDATE transactions SET status = 'applied', applied_at = ?, entry = ?, approval_id = ? WHERE id = ?",
        (at, number, permit.approval_id, planned.id),
    )
    return number


def entry(db: Database, number: int) -> Entry | None:
    """A line of the history by its number."""
    row = db.execute(f"SELECT {_ENTRY} FROM entries WHERE number = ?", (number,)).fetchone()  # noqa: S608
    return None if row is None else _entry(row)


def entry_of(db: Database, transaction_id: str) -> Entry | None:
    """The line that a transaction wrote."""
    row = db.execute(f"SELECT {_ENTRY} FROM entries WHERE transaction_id = ?", (transaction_id,)).fetchone()  # noqa: S608
    return None if row is None else _entry(row)


def stored_entry(db: Database, number: int) -> tuple[str, str] | None:
    """The transaction of a line of the history, and the SHA-256 of its body as it is stored."""
    row = db.execute("SELECT transaction_id, body FROM entries WHERE number = ?", (number,)).fetchone()
    return None if row is None else (str(row[0]), hashlib.sha256(str(row[1]).encode()).hexdigest())


def last_entry(db: Database) -> int:
    """The number of the newest line, 0 before the first."""
    return int(db.execute("SELECT coalesce(max(number), 0) FROM entries").get)


def count_entries(db: Database, after: int) -> int:
    """How many lines have a number beyond `after`."""
    return int(db.execute("SELECT count(*) FROM entries WHERE number > ?", (after,)).get)


def entries(db: Database, limit: int, before: int | None = None) -> list[Entry]:
    """Lines of the history, newest first."""
    rows = db.execute(
        f"SELECT {_ENTRY} FROM entries WHERE (?1 IS NULL OR number < ?1) ORDER BY number DESC LIMIT ?2",  # noqa: S608
        (before, limit),
    )
    return [_entry(row) for row in rows]


def newest_undoable(db: Database) -> Entry | None:
    """The newest entry that is neither undone nor an undo; others' changes only where it is known what was before."""
    row = db.execute(
        f"SELECT {_ENTRY} FROM entries WHERE undone_by IS NULL AND undoes IS NULL "  # noqa: S608
        "AND cause NOT IN ('recovery', 'late_write') AND (cause NOT IN ('outside', 'git') OR EXISTS (SELECT 1 "
        "FROM json_each(body, '$.changes') WHERE value ->> '$.before[0]' <> 'unknown')) ORDER BY number DESC LIMIT 1"
    ).fetchone()
    return None if row is None else _entry(row)


def entries_after(db: Database, number: int) -> list[Entry]:
    """Lines of the history beyond a number, newest first."""
    rows = db.execute(f"SELECT {_ENTRY} FROM entries WHERE number > ? ORDER BY number DESC", (number,))  # noqa: S608
    return [_entry(row) for row in rows]


def last_by(db: Database, at: float) -> int:
    """The number of the newest line that was written by a time, 0 before the first."""
    return int(db.execute("SELECT coalesce(max(number), 0) FROM entries WHERE at <= ?", (at,)).get)


# Intents.


def put_intent(db: Database, transaction_id: str, body: dict[str, Any], at: float, phase: str = "prepared") -> None:
    """The `prepared` row: what is about to be done, enough to take it back. Before it, `staging` names the slots."""
    db.execute(
        "INSERT OR REPLACE INTO intents (transaction_id, phase, at, body) VALUES (?, ?, ?, ?)",
        (transaction_id, phase, at, json.dumps(body)),
    )


def set_intent_phase(db: Database, transaction_id: str, phase: str, at: float) -> None:
    """Prepared becomes committed."""
    db.execute("UPDATE intents SET phase = ?, at = ? WHERE transaction_id = ?", (phase, at, transaction_id))


def delete_intent(db: Database, transaction_id: str) -> None:
    """Settled, or taken back."""
    db.execute("DELETE FROM intents WHERE transaction_id = ?", (transaction_id,))


def has_intent(db: Database, transaction_id: str) -> bool:
    """Whether the transaction is being committed, or was and isn't settled."""
    return db.execute("SELECT 1 FROM intents WHERE transaction_id = ?", (transaction_id,)).fetchone() is not None


def intents(db: Database, phase: str, before: float | None = None) -> list[tuple[str, dict[str, Any]]]:
    """Intents of a phase, oldest first; those that reached it before a time."""
    rows = db.execute(
        "SELECT transaction_id, body FROM intents WHERE phase = ?1 AND (?2 IS NULL OR at < ?2) ORDER BY at",
        (phase, before),
    )
    return [(str(row[0]), json.loads(str(row[1]))) for row in rows]


# Images.


def refer(db: Database, transaction_id: str, shas: Iterable[str]) -> None:
    """Say that a transaction needs these images."""
    db.executemany("INSERT OR IGNORE INTO image_refs VALUES (?, ?)", ((sha, transaction_id) for sha in shas))


def has_image(db: Database, sha: str) -> bool:
    """Whether an image is kept."""
    return db.execute("SELECT 1 FROM images WHERE sha256 = ?", (sha,)).fetchone() is not None


def oldest_kept(db: Database, limit: int) -> list[tuple[int, str]]:
    """Entries whose images could be forgotten, oldest first, as number and transaction."""
    rows = db.execute(
        "SELECT number, transaction_id FROM entries INDEXED BY entries_kept WHERE NOT forgotten AND transaction_id "
        "NOT IN (SELECT transaction_id FROM intents) ORDER BY number LIMIT ?",
        (limit,),
    )
    return [(int(row[0]), str(row[1])) for row in rows]


def mark_forgotten(db: Database, number: int) -> None:
    """The entry's images are gone."""
    db.execute("UPDATE entries SET forgotten = 1 WHERE number = ?", (number,))


def release(db: Database, transaction_id: str, keep: Iterable[str] = ()) -> list[str]:
    """A transaction needs its images no more, but those to `keep`; answers what no other needs."""
    kept = json.dumps(list(keep))
    found = [
        str(row[0])
        for row in db.execute(
            "SELECT r.sha256 FROM image_refs r JOIN images i ON i.sha256 = r.sha256 "
            "WHERE r.transaction_id = ?1 AND r.sha256 NOT IN (SELECT value FROM json_each(?2)) AND NOT EXISTS "
            "(SELECT 1 FROM image_refs o WHERE o.sha256 = r.sha256 AND o.transaction_id <> ?1)",
            (transaction_id, kept),
        )
    ]
    db.execute(
        "DELETE FROM image_refs WHERE transaction_id = ? AND sha256 NOT IN (SELECT value FROM json_each(?))",
        (transaction_id, kept),
    )
    return found


# Rows and values.


def _audited(planned: Planned, number: int, body: str, permit: Permit) -> EntryWritten:
    first = planned.operations[0] if planned.operations else {}
    origin = first if first.get("type") in {"part", "edited"} else {}
    if planned.supersedes is not None:
        origin = {"type": "merged", "of": planned.supersedes}
    return EntryWritten(
        entry=number,
        transaction=planned.id,
        cause=planned.cause,
        title=planned.title,
        fingerprint=planned.fingerprint,
        sha256=hashlib.sha256(body.encode()).hexdigest(),
        changes=len(planned.change_set.changes),
        paths=tuple(planned.change_set.paths()),
        reason=permit.reason,
        approval=permit.approval_id,
        decided_by=permit.decided_by or None,
        undoes=planned.undoes,
        takes_back=planned.takes_back or None,
        derived=origin.get("type"),
        source=origin.get("of"),
    )


def _body(planned: Planned, *, operations: bool = True) -> str:
    """What has no column of its own; what is empty isn't written."""
    body = {
        "operations": list(planned.operations) if operations else [],
        "changes": [change_to_json(change) for change in planned.change_set.changes],
        "directories": [[d.path, d.existed_before] for d in planned.directories],
        "dangers": [[d.operation, d.path, d.alternative] for d in planned.dangers],
        "asks": list(planned.asks),
        "warnings": list(planned.warnings),
        "supersedes": planned.supersedes,
        "takes_back": list(planned.takes_back),
    }
    return json.dumps({name: value for name, value in body.items() if value}, separators=(",", ":"))


def _transaction(row: tuple[Any, ...]) -> Transaction:
    body = json.loads(row[4])
    planned = Planned(
        id=row[0],
        cause=row[1],
        title=row[3],
        operations=tuple(body.get("operations", ())),
        change_set=ChangeSet(tuple(change_from_json(change) for change in body.get("changes", ()))),
        fingerprint=row[5],
        directories=tuple(Directory(*each) for each in body.get("directories", ())),
        dangers=tuple(Danger(*each) for each in body.get("dangers", ())),
        asks=tuple(body.get("asks", ())),
        warnings=tuple(body.get("warnings", ())),
        undoes=row[6],
        supersedes=body.get("supersedes"),
        takes_back=tuple(body.get("takes_back", ())),
        idempotency_key=row[7],
        kept=True,
    )
    actor = Actor(row[8], row[9], row[10])
    derived = None if row[16] is None else Derivation(*row[16:20])
    return Transaction(planned, row[2], actor, row[11], row[13], row[12], row[14], row[15], derived, row[20])


def _entry(row: tuple[Any, ...]) -> Entry:
    body = json.loads(row[8])
    return Entry(
        number=row[0],
        transaction_id=row[1],
        at=row[2],
        actor=Actor(row[3], row[4], row[5]),
        cause=row[6],
        title=row[7],
        changes=tuple(change_from_json(change) for change in body.get("changes", ())),
        directories=tuple(Directory(*each) for each in body.get("directories", ())),
        undoes=row[9],
        undone_by=row[10],
        forgotten=bool(row[11]),
        approval_id=row[12],
        decided_by=row[13],
        warnings=tuple(body.get("warnings", ())),
    )
