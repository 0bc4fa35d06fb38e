"""A while after a commit: the displaced files are hashed once more, then dropped.

A program that had a file open before it was replaced may have written into the old one since, where no lease could
tell. Such bytes are kept as a copy beside the path, and told as an entry.
"""

from __future__ import annotations

from workroom.base.errors import WorkroomError
from workroom.core.transactions import tables
from workroom.core.transactions.kept import record_copies
from workroom.core.transactions.steps import Folders, Step, drop_known, is_held, step_from_json
from workroom.core.transactions.unwind import copies_of, keep_copy
from workroom.system.root import Root
from workroom.system.store import Store

__all__ = ["settle"]


def settle(root: Root, store: Store, at: float, before: float | None) -> bool:
    """Settle the committed intents; those that were committed before a time, or all. Whether none of these is left.

    One is, while a program still has a displaced file open for writing.
    """
    held = False
    with store.read() as db:
        committed = tables.intents(db, "committed", before)
    for transaction_id, body in committed:
        steps = [step_from_json(step) for step in body["steps"]]
        kept: list[str] = []
        with Folders(root) as folders:
            if any(_settle_step(root, folders, step, transaction_id, kept) for step in steps):
                held = True
                continue
        copies = copies_of(
            root, steps, transaction_id, kept
        )  # those of a run that was killed before it told among them
        with store.write() as db:
            tables.delete_intent(db, transaction_id)
            if copies:
                title = f"Written into a file after {transaction_id} had replaced it; kept as a copy"
                record_copies(root, store, db, "late_write", title, copies, at)
    return not held


def _settle_step(root: Root, folders: Folders, step: Step, transaction_id: str, kept: list[str]) -> bool:
    """Empty one slot; bytes that are new become a copy beside the path, in `kept`. True while the slot is held."""
    if not step.displaces:
        return False
    try:
        slot = folders.at(step.slot_folder)
    except WorkroomError:
        return False  # somebody cleaned the staging folder away
    if is_held(slot, step.slot):
        return True
    if not drop_known(slot, step.slot, lambda seen: seen.is_before(step.change)):
        kept.append(keep_copy(root, folders, step, transaction_id))
    return False
