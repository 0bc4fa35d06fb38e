"""The person's word through a client's own dialog: only where they have allowed that client by name, and for little.

An agent's program shows the dialog, or says that it has. So the person names the clients that they trust with it
(`elicitation_clients`), and no dialog ever decides about what destroys, what can run code, what belongs to another
client, or what is too long for a dialog. All of that is looked at twice: before it is asked, and when it is answered.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.approvals import Approval, Status
from workroom.core.transactions.plan import CAN_RUN_CODE
from workroom.person import decisions
from workroom.person.credential import PersonCredential
from workroom.person.present import Presented, present
from workroom.tools.workspace import Workspace

__all__ = ["LONGEST", "Asked", "ask", "decide"]

LONGEST = 4_000
"""The longest text that a dialog is trusted to show, in characters."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a dialog shows: `message` is escaped, `sha256` is of all that the decision is bound to."""

    approval_id: str
    client: str
    message: str
    sha256: str


def ask(workspace: Workspace, client: str, approval_id: str) -> Asked | None:
    """What the dialog of this client (by the name that the history has for it) shows; None where it may not ask."""
    if client not in workspace.settings().elicitation_clients:
        return None
    record = workspace.approvals.get(approval_id)
    presented = present(workspace, record)
    if _obstacle(workspace, client, record, presented):
        return None
    credential = _credential(workspace, client)
    workspace.approvals.mark_shown(record.id, credential.name, presented.sha256, surface=credential.surface)
    return Asked(record.id, client, f"{presented.title}\n\n{presented.text}", presented.sha256)


def decide(workspace: Workspace, client: str, approval_id: str, sha256: str, *, accepted: bool) -> decisions.Decided:
    """The answer of a dialog. PROTECTED_PATH where the client may not decide this, EDIT_CONFLICT when it showed
    something else than what would be done now; else as `decisions` has it.
    """
    credential = _credential(workspace, client)
    record = workspace.approvals.get(approval_id)
    presented = present(workspace, record)
    obstacle = _obstacle(workspace, client, record, presented)
    if obstacle:
        raise WorkroomError(ErrorCode.PROTECTED_PATH, f"The dialog of {client} can't decide {record.id}: {obstacle}.")
    if presented.sha256 != sha256:
        raise WorkroomError(ErrorCode.EDIT_CONFLICT, f"{record.id} is not what the dialog of {client} has shown.")
    words = f"{record.id} answered in the dialog of {client}"
    act = decisions.accept if accepted else decisions.deny
    return act(credential, workspace, words)


def _credential(workspace: Workspace, client: str) -> PersonCredential:
    return PersonCredential.through_dialog(client, workspace.settings().elicitation_clients)


def _obstacle(workspace: Workspace, client: str, record: Approval, presented: Presented) -> str:
    """Why a dialog of this client may not decide a record; empty where it may."""
    if record.status is not Status.PENDING:
        return f"it is {record.status}"
    if (record.actor.kind, record.actor.name) != ("agent", client):
        return "another client asked"
    if record.kind != "transaction" or record.asks or _runs_code(workspace, record):
        return "it can run code, or is no edit"
    if record.destructive:
        return "it is destructive"
    return presented.obstacle or (f"it is longer than {LONGEST:,} characters" if len(presented.text) > LONGEST else "")


def _runs_code(workspace: Workspace, record: Approval) -> bool:
    """Whether it writes a file that runs code when its own tool is used."""
    planned = workspace.transactions.get(str(record.arguments["transaction_id"])).planned
    return any(posixpath.basename(path) in CAN_RUN_CODE for path in planned.change_set.paths())
