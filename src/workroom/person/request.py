"""What a request is about: the transaction that would be committed, as a plan.

planned_of(workspace, record)    the plan, whole or a part; of one that was used, what was done with it
asked_for(workspace, record)     the same, which must still be what was asked for
"""

from __future__ import annotations

from typing import Any

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.approvals import Approval, Status
from workroom.core.transactions import Planned
from workroom.tools.workspace import Workspace

__all__ = ["asked_for", "is_editable", "planned_of"]


def planned_of(workspace: Workspace, record: Approval) -> Planned:
    """The plan that a record of kind `transaction` is about. Errors as for the tools."""
    transactions = workspace.transactions
    if record.status is Status.CONSUMED:
        entry = transactions.entry_by(record.id)
        if entry is not None:
            return transactions.get(entry.transaction_id).planned
    arguments = record.arguments
    transaction_id = str(arguments["transaction_id"])
    if arguments["action"] == "rollback":
        how: dict[str, Any] = {"force": bool(arguments.get("force")), "strategy": arguments.get("strategy", "refuse")}
        return transactions.plan_rollback(transaction_id, **how)
    planned = transactions.get(transaction_id).planned
    files, hunks = arguments.get("files", ()), arguments.get("hunks", ())
    if not (files or hunks):
        return planned
    return transactions.part(planned, transactions.select(planned, files, hunks))


def asked_for(workspace: Workspace, record: Approval) -> Planned:
    """The plan of a pending record, to be accepted in part or edited. EDIT_CONFLICT when it is another by now.

    TRANSACTION_STATE when it isn't pending, UNSUPPORTED when it is no edit.
    """
    if not is_editable(record):
        raise WorkroomError(
            ErrorCode.UNSUPPORTED,
            f"{record.id} is accepted whole and as it is: only the commit of an edit has parts, and can be edited.",
            next_step=f"`workroom accept {record.id}`, or `workroom deny {record.id} REASON`.",
        )
    if record.status is not Status.PENDING:
        raise WorkroomError(
            ErrorCode.TRANSACTION_STATE,
            f"{record.id} can't be decided: it is {record.status}, not pending.",
            next_step="`workroom pending` lists what waits.",
        )
    planned = planned_of(workspace, record)
    if planned.fingerprint != record.fingerprint:
        raise WorkroomError(
            ErrorCode.EDIT_CONFLICT,
            f"What {record.id} was shown with has changed since; nothing was done.",
            next_step=f"`workroom deny {record.id}`, and have it asked for anew.",
        )
    return planned


def is_editable(record: Approval) -> bool:
    """Whether a record can be accepted in part and edited: the commit of an edit; no plan, command or undo."""
    return record.kind == "transaction" and record.arguments.get("action") == "commit"
