"""What can't be taken back: a word in the audit log and the approval's consumption before it begins.

A crash afterwards leaves an approval that is used and has no result: nobody knows what came of it, and it is not done
again. What was done is told by an entry of the history (observe.py).
"""

from __future__ import annotations

from workroom.base.actor import Actor
from workroom.base.audit import EffectBegun
from workroom.base.changes import Permit
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions.consumption import consume
from workroom.system.store import Store

__all__ = ["begin_effect"]


def begin_effect(
    store: Store,
    permit: Permit,
    *,
    effect: str,
    fingerprint: str,
    kind: str,
    title: str,
    actor: Actor,
    at: float,
) -> None:
    """Use the permit up for an effect of this fingerprint; `effect` is its id: what the approval was used for.

    APPROVAL_REQUIRED when the permit is for something else, TRANSACTION_STATE when the approval was used.
    """
    if permit.fingerprint != fingerprint:
        raise WorkroomError(ErrorCode.APPROVAL_REQUIRED, f"The permit for {title!r} is for something else.")
    line = EffectBegun(
        effect=effect,
        what=kind,
        title=title,
        fingerprint=fingerprint,
        reason=permit.reason,
        approval=permit.approval_id,
        decided_by=permit.decided_by or None,
    )
    with store.write() as db:
        store.record(db, line, actor, at)
        if permit.approval_id is not None:
            consume(db, permit.approval_id, effect, at)
