"""The records' rows, and how SQL says where one stands; what is put together from these constants is never a value."""

from __future__ import annotations

from workroom.system.store import Database, Migration

__all__ = ["FROM", "GUARDS", "IS_OF", "MIGRATIONS", "MOST_WAITING", "SELECT", "STATUS", "WAITS", "decided"]

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
    (
        "approvals/audit",
        """
        ALTER TABLE approvals ADD COLUMN expiry_told INTEGER NOT NULL DEFAULT 0;
        CREATE TRIGGER approvals_have_a_line BEFORE INSERT ON approvals
            WHEN (SELECT line ->> '$.what.approval' FROM audit ORDER BY number DESC LIMIT 1) IS NOT NEW.id
            BEGIN SELECT RAISE(ABORT, 'an approval needs its line in the audit log, written before it'); END;
        CREATE TRIGGER decisions_have_a_line BEFORE UPDATE OF status, decided_by, note ON approvals
            WHEN (SELECT line ->> '$.what.approval' FROM audit ORDER BY number DESC LIMIT 1) IS NOT NEW.id
            BEGIN SELECT RAISE(ABORT, 'a decision needs its line in the audit log, written before it'); END;
        """,
    ),
    ("approvals/amended", "ALTER TABLE approvals ADD COLUMN amended TEXT"),
)

GUARDS = ("approvals_have_a_line", "decisions_have_a_line")
"""The triggers that let nothing be asked or decided without its line in the audit log."""

STATUS = """CASE WHEN c.approval_id IS NOT NULL THEN 'consumed'
    WHEN a.status IN ('pending', 'approved', 'denied') AND a.expires_at <= :now THEN 'expired' ELSE a.status END"""

FROM = "FROM approvals a LEFT JOIN consumptions c ON c.approval_id = a.id"

WAITS = f"{STATUS} = 'pending' AND a.kind <> 'plan'"

IS_OF = "a.actor_kind = :kind AND a.actor_name = :name"

MOST_WAITING = f"""SELECT count(*), a.actor_kind, a.actor_name {FROM} WHERE {WAITS} GROUP BY 2, 3
    ORDER BY 1 DESC, max(a.number) DESC LIMIT 1"""

SELECT = f"""SELECT a.id, a.kind, a.title, {STATUS} AS standing, a.destructive, a.asks, a.fingerprint, a.effect,
    a.tool, a.arguments, a.preview, a.actor_kind, a.actor_name, a.session, a.profile, a.created_at, a.expires_at,
    a.decided_at, a.decided_by, a.note, a.result, a.collected, a.amended {FROM} """


def decided(db: Database) -> dict[str, tuple[str, str]]:
    """What stands as approved or denied, by id: which of the two, and the fingerprint that this is bound to.

    What was decided before there was an audit log is left out.
    """
    rows = db.execute(
        "SELECT id, status, fingerprint FROM approvals WHERE status IN ('approved', 'denied') "
        "AND created_at > (SELECT at FROM meta WHERE name = 'approvals/audit')"
    )
    return {str(row[0]): (str(row[1]), str(row[2])) for row in rows}
