"""A while after a commit: the displaced files are hashed once more, then dropped.

A program that had a file open before it was replaced may have written into the old one since, where no lease could
tell. Such bytes are kept as a copy beside the path, and told as an entry.
"""

from __future__ import annotations

import contextlib
import os

from workroom.base.changes import Kind
from workroom.base.errors import WorkroomError
from workroom.core.transactions import tables
from workroom.core.transactions.kept import record_copies
from workroom.core.transactions.steps import Folders, Step, look, step_from_json
from workroom.core.transactions.unwind import copies_of, keep_copy
from workroom.system.root import Root
from workroom.system.store import Store

__all__ = ["settle"]


def settle(root: Root, store: Store, at: float, before: float | None) -> None:
    """Settle the committed intents; those that were committed before a time, or all."""
    with store.read() as db:
        committed = tables.intents(db, "committed", before)
    for transaction_id, body in committed:
        steps = [step_from_json(step) for step in body["steps"]]
        with Folders(root) as folders:
            for step in steps:
                _settle_step(root, folders, step, transaction_id)
        copies = copies_of(root, steps, transaction_id)  # those of a run that was killed before it told among them
        with store.write() as db:
            tables.delete_intent(db, transaction_id)
            if copies:
                title = f"Written into a file after {transaction_id} had replaced it; kept as a copy"
                record_copies(root, store, db, "late_write", title, copies, at)


def _settle_step(root: Root, folders: Folders, step: Step, transaction_id: str) -> None:
    """Empty one slot; bytes that are new become a copy beside the path."""
    if step.action == "create":
        return
    try:
        slot = folders.at(step.slot_folder)
    except WorkroomError:
        return  # somebody cleaned the staging folder away
    out = look(slot, step.slot)
    if out is None:
        return
    with contextlib.suppress(OSError):  # a folder that holds something by now
        if out.state.kind is Kind.DIRECTORY:
            os.rmdir(step.slot, dir_fd=slot)
            return
        if out.is_before(step.change):
            os.unlink(step.slot, dir_fd=slot)
            return
    keep_copy(root, folders, step, transaction_id)
