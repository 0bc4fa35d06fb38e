"""After a crash: what was prepared and not committed is taken back; it only ever undoes, and may be killed itself."""

from __future__ import annotations

import contextlib
import logging
import os
import re
from collections.abc import Sequence
from typing import Any

from workroom.base.audit import TakenBack
from workroom.core.transactions import tables
from workroom.core.transactions.apply import prove_folders, sync_folders, worked_in
from workroom.core.transactions.images import Images
from workroom.core.transactions.kept import WORKROOM, record_copies
from workroom.core.transactions.stage import PART, discard
from workroom.core.transactions.steps import Folders, Step, step_from_json
from workroom.core.transactions.unwind import Unwound, copies_of, unwind
from workroom.system.agentic import Agentic
from workroom.system.root import Root
from workroom.system.store import Database, Store
from workroom.system.syscalls import SyncError
from workroom.text.paths import STAGE_PREFIX

__all__ = ["conclude", "doubt", "recover"]

_log = logging.getLogger(__name__)
_STAGED = re.compile(rf"(tx_[0-9a-z]{{12}})-\d+(?:{re.escape(PART)})?")
_TRIED = re.compile(rf"{re.escape(STAGE_PREFIX)}[0-9a-f]{{16}}")
"""A file that was made to find out what the file system can do, or a view on its way."""


def recover(root: Root, store: Store, agentic: Agentic, at: float) -> tuple[Unwound, ...]:
    """Take back every prepared intent; answers what was met, one report an intent."""
    with store.read() as db:
        doubted = tables.intents(db, "doubted")
        prepared = tables.intents(db, "prepared")
        staging = tables.intents(db, "staging")
        busy = {transaction_id for transaction_id, _ in tables.intents(db, "committed")}
    agentic.stage()
    for _, body in doubted:
        prove_folders(root, worked_in(_steps(body)))
    reports = []
    for transaction_id, body in (*doubted, *prepared):
        reports.append(_recover(root, store, transaction_id, body, at))
    for transaction_id, body in staging:
        _discard(root, store, transaction_id, _steps(body))
    _sweep(root, agentic.stage(), busy)
    return tuple(reports)


def _recover(root: Root, store: Store, transaction_id: str, body: dict[str, Any], at: float) -> Unwound:
    steps, note = _steps(body), "Its commit was interrupted and taken back."
    images = Images(store)
    with store.read() as db:
        derived = tables.derivation(db, transaction_id)
    status = "failed" if derived is not None and derived.kind == "part" else "planned"  # of a part, the whole is
    with Folders(root) as folders:
        report = unwind(root, folders, steps, images.get, transaction_id)
        try:
            sync_folders(root, folders, steps)
        except SyncError:
            doubt(store, transaction_id, at)
            raise
    conclude(root, store, images, transaction_id, steps, report, at, status=status, note=note, interrupted=True)
    _log.warning("%s: %s", transaction_id, note)
    return report


def doubt(store: Store, transaction_id: str, at: float) -> None:
    """What was taken back may not be on the disk: the intent stays, and the disk has to be proven before it goes."""
    with store.write() as db:
        tables.set_intent_phase(db, transaction_id, "doubted", at)


def _steps(body: dict[str, Any]) -> tuple[Step, ...]:
    return tuple(step_from_json(step) for step in body["steps"])


def _discard(root: Root, store: Store, transaction_id: str, steps: Sequence[Step]) -> None:
    """Remove what was staged beside its targets, on other mounts: each name was written down before it was made."""
    with Folders(root) as folders:
        discard(folders, steps)
    with store.write() as db:
        tables.delete_intent(db, transaction_id)


def conclude(
    root: Root,
    store: Store,
    images: Images,
    transaction_id: str,
    steps: Sequence[Step],
    report: Unwound,
    at: float,
    *,
    status: str,
    note: str,
    interrupted: bool = False,
) -> None:
    """The steps are undone: give the transaction its status and note; what was met is an entry where bytes were kept.

    After a crash (`interrupted`) others' work that was left where it is, is told as well.
    """
    report.copies = copies_of(root, steps, transaction_id, report.copies)
    if interrupted and report.foreign:
        note += f" Changed by somebody else meanwhile, and left: {', '.join(report.foreign)}."
    if report.restored:
        note += f" Gone from the disk, and put back: {', '.join(report.restored)}."
    with store.write() as db:
        tables.delete_intent(db, transaction_id)
        tables.set_status(db, transaction_id, status, note)
        _audit(store, db, transaction_id, report, note, at, interrupted=interrupted)
        if report.copies or report.restored or (interrupted and report.foreign):
            made = (*report.copies, *report.restored)
            changes = [change for step in steps for change in (step.departure, step.change)]
            befores = {change.path: change.before for change in changes if change.path in report.foreign}
            title = f"{transaction_id}: {note}"
            record_copies(root, store, db, "recovery", title, made, at, befores if interrupted else {})
        if status == "failed":
            images.release(db, transaction_id)


def _audit(
    store: Store, db: Database, transaction_id: str, report: Unwound, note: str, at: float, *, interrupted: bool
) -> None:
    line = TakenBack(
        transaction=transaction_id,
        interrupted=interrupted,
        note=note,
        copies=tuple(report.copies),
        restored=tuple(report.restored),
        foreign=tuple(report.foreign),
    )
    store.record(db, line, WORKROOM, at)


def _sweep(root: Root, path: str, busy: set[str]) -> None:
    """Empty the staging folder of what a crash left there before it was prepared; nobody else's files are there."""
    with root.folder(path) as folder:
        for name in os.listdir(folder):
            staged = _STAGED.fullmatch(name)
            if _TRIED.fullmatch(name) or (staged and staged[1] not in busy):
                with contextlib.suppress(OSError):
                    os.unlink(name, dir_fd=folder)
                with contextlib.suppress(OSError):
                    os.rmdir(name, dir_fd=folder)
