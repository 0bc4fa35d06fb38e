"""Which entries are in force: an undo or a rewind marks what it takes back, and keeps what it changed of the marks.

    entries.undone_by   the mark: which entry took this one back, NULL while it is in force
    marks               what each undo or rewind changed of them, so that taking that back gives them all back again

An undo of an undo puts the entry below in force, an undo of that takes it out again, however deep it goes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from workroom.system.store import Database

__all__ = ["SCHEMA", "take_back"]

SCHEMA = """
    CREATE TABLE marks (by INTEGER NOT NULL, entry INTEGER NOT NULL, was INTEGER, became INTEGER,
                        PRIMARY KEY (by, entry)) STRICT, WITHOUT ROWID;
    INSERT INTO marks SELECT number, undoes, NULL, number FROM entries WHERE undoes IS NOT NULL;
"""


def take_back(db: Database, numbers: Iterable[int], by: int) -> list[str]:
    """Within the unit of work `db`, mark entries as taken back by the entry `by`, newest first.

    What one of them had taken back itself is in force again, unless it is taken back here too. Transactions get the
    status that follows; answers those that are no longer in force.
    """
    were: dict[int, int | None] = {}
    marks: dict[int, int | None] = {}

    def mark(number: int) -> int | None:
        if number not in marks:
            row = db.execute("SELECT undone_by FROM entries WHERE number = ?", (number,)).fetchone()
            were[number] = marks[number] = None if row is None else row[0]
        return marks[number]

    for number in sorted(numbers, reverse=True):
        if mark(number) is not None:
            continue
        marks[number] = by
        changed: list[Any] = db.execute("SELECT entry, was, became FROM marks WHERE by = ?", (number,)).fetchall()
        marks |= {entry: was for entry, was, became in changed if mark(entry) == became}
    rows = [(by, number, were[number], now) for number, now in marks.items() if now != were[number]]
    db.executemany("INSERT INTO marks (by, entry, was, became) VALUES (?, ?, ?, ?)", rows)
    db.executemany("UPDATE entries SET undone_by = ? WHERE number = ?", ((now, number) for _, number, _, now in rows))
    db.executemany(
        "UPDATE transactions SET status = ?, note = '' "
        "WHERE id = (SELECT transaction_id FROM entries WHERE number = ?)",
        (("applied" if now is None else "rolled_back", number) for _, number, _, now in rows),
    )
    out_of_force = json.dumps([number for _, number, _, now in rows if now is not None])
    found = db.execute(
        "SELECT transaction_id FROM entries WHERE number IN (SELECT value FROM json_each(?))", (out_of_force,)
    )
    return [str(row[0]) for row in found]
