"""A commit in part: which part is meant, what the gate is asked about, and what is answered about the rest."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from typing import Any

from workroom.base.changes import Permit
from workroom.base.envelope import Envelope
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions import Part, Planned, Transaction, write_views
from workroom.tools.tool import Call, Proposal, Staged
from workroom.tools.transaction_answer import answer, commit_proposal, counts, plan_data, plan_diff

__all__ = ["current", "part_proposal", "take"]

_SHOWN = 20
"""Paths of the rest that an answer names."""


def current(call: Call, found: Transaction) -> Transaction:
    """The transaction that stands for this one by now: what the person made of it, when they edited it."""
    while found.status == "superseded" and found.superseded_by is not None:
        found = call.workspace.transactions.get(found.superseded_by)
    return found


def take(call: Call, found: Transaction, files: Sequence[str], hunks: Sequence[str]) -> Planned | Transaction:
    """The part of a planned transaction that is chosen, or the one that has done just this already.

    INVALID_INPUT names the nearest, or the part with which it was committed.
    """
    transactions = call.workspace.transactions
    done = {name: part for part in _applied_parts(call, found) for name in _names(part)}
    try:
        selection = transactions.select(found.planned, files, hunks)
    except WorkroomError as error:
        earlier = {done[name].id for name in (*files, *hunks) if name in done}
        if len(earlier) == 1 and all(name in done for name in (*files, *hunks)):
            return transactions.get(earlier.pop())
        if error.details.get("name") in done:
            raise _committed(error, done[str(error.details["name"])]) from error
        raise
    return transactions.part(found.planned, selection)


def part_proposal(call: Call, planned: Planned, part: Part, files: Sequence[str], hunks: Sequence[str]) -> Proposal:
    """What committing a part would do: the gate decides about it, and an approval covers it, by itself.

    `files` and `hunks` are as they were sent: what resumes the call.
    """
    transactions = call.workspace.transactions
    whole = part.rest.id
    chosen = {name: list(sent) for name, sent in (("files", files), ("hunks", hunks)) if sent}
    call_again = {"action": "commit", "transaction_id": whole, **chosen}

    def stage() -> Staged:
        transactions.keep(transactions.get(whole).planned, call.actor, waits=True)
        data = plan_data(planned, "planned", plan_diff(call, planned))
        data |= {"transactionId": whole, "part": chosen, "rest": _rest(part.rest)}
        return Staged(call_again, data, text=str(data["diffPreview"]))

    def run(permit: Permit) -> Envelope:
        transactions.commit(planned, permit, call.actor, call.pulse)
        with contextlib.suppress(WorkroomError):  # for readers only, and the part is done
            write_views(call.workspace.agentic, part.rest, plan_diff(call, part.rest, transactions.hunks(part.rest)))
        rest = _rest(part.rest)
        summary = (
            f"Applied {planned.id}, a part of {whole}: {counts(planned)}. The rest stays planned as {whole} "
            f"({counts(part.rest)}); commit it with {json.dumps(rest['commit'], separators=(',', ':'))}."
        )
        envelope = answer(call, "edit.commit", planned, "applied", summary)
        envelope.data.update(partOf=whole, rest=rest)
        return envelope

    return commit_proposal(call, planned, f"Commit a part of {whole}: {part.rest.title}", stage=stage, run=run)


def _rest(rest: Planned) -> dict[str, Any]:
    """What stays planned: which transaction, what it changes, and the call that commits it."""
    paths = list(rest.change_set.paths())
    row: dict[str, Any] = {"transactionId": rest.id, "files": paths[:_SHOWN]}
    if len(paths) > _SHOWN:
        row["fileCount"], row["filesTruncated"] = len(paths), True
    return {**row, "commit": {"action": "commit", "transaction_id": rest.id}}


def _applied_parts(call: Call, found: Transaction) -> list[Transaction]:
    came = call.workspace.transactions.derived_from(found.id)
    return [
        each for each in came if each.derived is not None and each.derived.kind == "part" and each.entry is not None
    ]


def _names(part: Transaction) -> set[str]:
    """The paths and hunks that a part was told by."""
    said = part.planned.operations[0]
    return {*said["files"], *said["hunks"]}


def _committed(error: WorkroomError, part: Transaction) -> WorkroomError:
    return WorkroomError(
        ErrorCode.INVALID_INPUT,
        f"{error.details['field']}: {error.details['name']!a} was committed already, with {part.id}.",
        next_step="Leave it out.",
        details={**error.details, "transactionId": part.id},
    )
