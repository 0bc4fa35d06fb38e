"""What the person's side of the socket answers, as rows of JSON. Whatever an agent wrote is escaped here."""

from __future__ import annotations

from collections.abc import Sequence

from workroom.base.errors import WorkroomError
from workroom.core.approvals import Approval
from workroom.core.clients import Client
from workroom.core.search.syntax.model import Definition
from workroom.core.transactions import Entry
from workroom.interfaces import answers
from workroom.person.decisions import Decided
from workroom.server.presence import Present
from workroom.system.clock import iso, now
from workroom.system.state import StateDirectory
from workroom.text.display import flags_of
from workroom.text.display import show as escaped
from workroom.tools.workspace import Workspace

__all__ = ["client_row", "decided_row", "entry_row", "plain", "present_row", "symbol_rows", "workspace_row"]

_SHOWN_PATHS = 20


def workspace_row(workspace: Workspace) -> answers.WorkspaceRow:
    """One open folder; its mode is None while its settings are wrong, and `error` says how."""
    row: answers.WorkspaceRow = {
        "path": workspace.root.path,
        "mode": None,
        "pending": workspace.approvals.count_pending(),
    }
    try:
        row["mode"] = str(workspace.settings().mode)
    except WorkroomError as error:
        row["error"] = str(error)
    return row


def decided_row(decided: Decided) -> answers.Decided:
    """A decision, and what the accepted call answered."""
    body: answers.Decided = {"approval": _approval(decided.record)}
    if decided.envelope is not None:
        body["envelope"] = decided.envelope.to_json()
        body["summary"] = escaped(decided.envelope.summary).text
    return body


def _approval(record: Approval) -> answers.ApprovalRow:
    return {
        "id": record.id,
        "kind": record.kind,
        "status": str(record.status),
        "title": plain(record.title),
        "note": record.note,
        "decidedBy": record.decided_by,
        "amended": None if record.amended is None else {k: v for k, v in record.amended.items() if k != "asked"},
    }


def entry_row(entry: Entry) -> answers.EntryRow:
    """One line of the history, up to 20 of its paths; `flags` tell what was found in it and is shown escaped."""
    paths = [change.path for change in entry.changes[:_SHOWN_PATHS]]
    return {
        "number": entry.number,
        "transactionId": entry.transaction_id,
        "at": iso(entry.at),
        "actor": {"kind": entry.actor.kind, "name": plain(entry.actor.name)},
        "session": entry.actor.session,
        "cause": entry.cause,
        "title": plain(entry.title),
        "paths": [plain(path) for path in paths],
        "total": len(entry.changes),
        "added": entry.added,
        "removed": entry.removed,
        "undoes": entry.undoes,
        "undoneBy": entry.undone_by,
        "approvalId": entry.approval_id,
        "decidedBy": entry.decided_by,
        "forgotten": entry.forgotten,
        "warnings": [plain(warning) for warning in entry.warnings],
        "flags": list(flags_of(entry.title, entry.actor.name, *entry.warnings, *paths)),
    }


def present_row(present: Present, session: str) -> answers.PresentRow:
    """Who works in a folder, where, and what they did last; `mine` tells the session that asks."""
    return {
        "actor": {"kind": present.actor.kind, "name": plain(present.actor.name)},
        "session": present.actor.session,
        "mine": present.actor.session == session,
        "since": iso(present.since),
        "at": iso(present.at),
        "path": plain(present.path),
        "did": present.did,
    }


def client_row(state: StateDirectory, client: Client) -> answers.ClientRow:
    """One client with a token, and the folders that it is bound to."""
    return {
        "id": client.id,
        "name": client.name,
        "token": client.beginning,
        "profile": client.profile,
        "workspaces": [{"id": store, "path": state.folder_of(store)} for store in client.workspaces],
        "createdAt": iso(client.created_at),
        "expiresAt": None if client.expires_at is None else iso(client.expires_at),
        "expired": client.expires_at is not None and client.expires_at <= now(),
    }


def symbol_rows(definitions: Sequence[Definition]) -> list[answers.SymbolRow]:
    """The definitions of a file, each with the number of those that it stands in."""
    levels: list[int] = []
    rows: list[answers.SymbolRow] = []
    for each in definitions:
        levels.append(0 if each.parent is None else levels[each.parent] + 1)
        row: answers.SymbolRow = {
            "name": plain(each.name),
            "kind": str(each.kind),
            "line": each.line,
            "level": levels[-1],
            "signature": plain(each.signature),
        }
        rows.append(row)
    return rows


def plain(text: str) -> str:
    """`text` on one line, with what acts or hides escaped."""
    return escaped(text, multiline=False).text
