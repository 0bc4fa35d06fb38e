"""workspace_edit: change files as transactions that are all or nothing and can be taken back."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from workroom.base.changes import Permit
from workroom.base.envelope import Envelope
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions import Operation, Planned, Strategy, Transaction
from workroom.tools.parts import current, part_proposal, take
from workroom.tools.tool import Action, Arguments, Call, Proposal, Staged, Tool
from workroom.tools.transaction_answer import answer, commit_proposal, counts, plan_data, plan_diff, stage_views
from workroom.tools.transaction_rows import derived_row, transaction_row

__all__ = ["EDIT"]

_DERIVED_SHOWN = 20
_NAMED = 10


class EditArguments(Arguments):
    """Arguments of preview and apply."""

    operations: tuple[Operation, ...] = Field(min_length=1, max_length=200, description="done in order")
    """Done in order, and all or none take effect."""
    title: str = Field(default="", max_length=200)
    """What it is about, for the history; by default the paths."""
    idempotency_key: str | None = Field(default=None, min_length=1, max_length=200, description="one effect a key")
    """One effect a key, however often the call arrives."""
    on_conflict: Strategy = Field(default="refuse", description="a stale edit: merge it with what is there")
    """What is done about an edit that was made against an older version (named by `expected_sha256` or
    `expected_hash`), or whose files change before it is committed: refuse, or merge it with what is there, where the
    two don't touch the same lines. The answer says so."""


class ShowArguments(Arguments):
    """Arguments of show."""

    transaction_id: str
    """`tx_…` of the transaction."""


class CommitArguments(ShowArguments):
    """Arguments of commit."""

    files: tuple[str, ...] = Field(default=(), max_length=1000, description="commit: only these paths")
    """Only what changes at these paths; a folder stands for all below it. What they can't be without comes along: the
    other end of a move, folders to be made. The rest stays planned."""
    hunks: tuple[str, ...] = Field(default=(), max_length=1000, description="commit: only these ids, behind @@")
    """Only these hunks, by the ids that stand behind `@@` in the diff of a planned transaction, beside `files`."""
    on_conflict: Strategy = Field(default="refuse", description="a stale edit: merge it with what is there")
    """What is done when files have changed since it was planned: refuse, or merge the plan with what is there. What
    comes of that is a plan of its own, and asked about anew where the person has to be asked. A part isn't merged."""


class RollbackArguments(Arguments):
    """Arguments of rollback."""

    transaction_id: str
    """`tx_…` of what is taken back."""
    force: bool = Field(default=False, description="rollback over later changes")
    """Also over later changes, which the new entry keeps. Destructive."""
    strategy: Strategy = Field(default="refuse", description="rollback: merge keeps later changes")
    """What is done about later changes of the same files: refuse, or keep them and take only this one out, where the
    two don't touch the same lines. With `force`, a file where they do is taken back whole."""


class ListArguments(Arguments):
    """Arguments of list."""

    limit: int = Field(default=20, ge=1, le=200)
    """Transactions in one answer."""
    status: Literal["planned", "applied", "rolled_back", "superseded", "failed"] | None = None
    """Only those with this status."""
    cursor: str | None = None
    """The cursor that the answer before gave, to go on."""


# Actions.


def _preview(call: Call, arguments: EditArguments) -> Envelope:
    found = _by_key(call, arguments)
    if found is None:
        try:
            planned = call.workspace.transactions.keep(_plan(call, arguments), call.actor)
            return answer(call, "edit.preview", planned, "planned", f"Planned {planned.id}: {counts(planned)}.")
        except WorkroomError as error:
            found = _twin(call, arguments, error)
    planned, status = found.planned, found.status
    return answer(call, "edit.preview", planned, status, f"{planned.id} is {status}: {counts(planned)}.")


def _apply(call: Call, arguments: EditArguments) -> Proposal | Envelope:
    found = _by_key(call, arguments)
    if found is None:
        try:
            return _proposal(call, "edit.apply", _plan(call, arguments), arguments)
        except WorkroomError as error:
            found = _twin(call, arguments, error)
    if found.status != "planned":
        return _settled(call, "edit.apply", found)
    try:
        call.workspace.transactions.check(found.planned)
    except WorkroomError as error:
        if error.code is not ErrorCode.EDIT_CONFLICT:
            raise
        if arguments.on_conflict == "merge":
            return _proposal(call, "edit.apply", call.workspace.transactions.plan_merge(found.planned), arguments)
        if not call.workspace.transactions.release_key(found.id):
            return _settled(call, "edit.apply", call.workspace.transactions.get(found.id))
        return _proposal(call, "edit.apply", _plan(call, arguments), arguments)
    return _proposal(call, "edit.apply", found.planned, arguments)


def _commit(call: Call, arguments: CommitArguments) -> Proposal | Envelope:
    found = current(call, call.workspace.transactions.get(arguments.transaction_id))
    if found.status == "applied":
        return _settled(call, "edit.commit", found)
    if found.status != "planned":
        raise WorkroomError(
            ErrorCode.TRANSACTION_STATE,
            f"{found.id} is {found.status}; only a planned transaction can be committed.",
            next_step="Make the edit anew with preview or apply.",
        )
    if arguments.files or arguments.hunks:
        taken = take(call, found, arguments.files, arguments.hunks)
        if isinstance(taken, Transaction):
            return _settled(call, "edit.commit", taken)
        call.workspace.transactions.check(taken)
        if taken.part is not None:
            return part_proposal(call, taken, taken.part, arguments.files, arguments.hunks)
    try:
        call.workspace.transactions.check(found.planned)
    except WorkroomError as error:
        if error.code is not ErrorCode.EDIT_CONFLICT or arguments.on_conflict != "merge":
            raise
        return _proposal(call, "edit.commit", call.workspace.transactions.plan_merge(found.planned), merge=True)
    return _proposal(call, "edit.commit", found.planned, merge=arguments.on_conflict == "merge")


def _rollback(call: Call, arguments: RollbackArguments) -> Proposal | Envelope:
    found = call.workspace.transactions.get(arguments.transaction_id)
    if found.status == "rolled_back":
        summary = f"{found.id} was rolled back before; nothing to do."
        return answer(call, "edit.rollback", found.planned, "rolled_back", summary, views=False)
    force, strategy = arguments.force, arguments.strategy
    planned = call.workspace.transactions.plan_rollback(found.id, force=force, strategy=strategy)
    resume: dict[str, Any] = {"action": "rollback", "transaction_id": found.id, "force": force}
    resume |= {"strategy": strategy} if strategy != "refuse" else {}

    def stage() -> Staged:
        data = plan_data(planned, "planned", plan_diff(call, planned)) | {"transactionId": found.id}
        return Staged(resume, data, text=str(data["diffPreview"]))

    def run(permit: Permit) -> Envelope:
        call.workspace.transactions.commit(planned, permit, call.actor, call.pulse)
        summary = " ".join([f"Rolled back {found.id} as {planned.id}: {counts(planned)}.", *planned.warnings])
        envelope = answer(call, "edit.rollback", planned, "rolled_back", summary)
        envelope.data.update(transactionId=found.id, rollbackTransactionId=planned.id)
        return envelope

    return Proposal(
        kind="transaction",
        title=f"Roll back {found.id}" + (" by force" if arguments.force else ""),
        fingerprint=planned.fingerprint,
        effect=planned.change_set.effect(),
        stage=stage,
        run=run,
        dangers=planned.dangers,
        asks=planned.asks,
    )


def _show(call: Call, arguments: ShowArguments) -> Envelope:
    found = call.workspace.transactions.get(arguments.transaction_id)
    planned = found.planned
    summary = f"{found.id} is {found.status}: {planned.title} ({counts(planned)})."
    envelope = answer(call, "edit.show", planned, found.status, summary)
    envelope.data.update(transaction_row(found), operations=list(planned.operations))
    came = call.workspace.transactions.derived_from(found.id)
    if came:
        envelope.data["derived"] = [derived_row(each) for each in came[:_DERIVED_SHOWN]]
    if found.note:
        envelope.data["note"] = found.note
    return envelope


def _list(call: Call, arguments: ListArguments) -> Envelope:
    after = None if arguments.cursor is None else _cursor(arguments.cursor)
    rows, total = call.workspace.transactions.find(limit=arguments.limit + 1, status=arguments.status, after=after)
    shown = rows[: arguments.limit]
    data: dict[str, Any] = {
        "transactions": [transaction_row(row) for row in shown],
        "total": total,
        "truncated": len(rows) > len(shown),
    }
    if data["truncated"]:
        data["cursor"] = f"{shown[-1].created_at!r} {shown[-1].id}"
    text = "\n".join(f"{row.id} {row.status}: {row.planned.title}" for row in shown)
    return Envelope(True, "edit.list", f"{len(shown)} of {total} transactions.", data, "low", text=text)


# What they share.


def _by_key(call: Call, arguments: EditArguments) -> Transaction | None:
    if arguments.idempotency_key is None:
        return None
    return call.workspace.transactions.find_key(arguments.idempotency_key, arguments.operations)


def _plan(call: Call, arguments: EditArguments) -> Planned:
    return call.workspace.transactions.plan(
        arguments.operations,
        title=arguments.title,
        key=arguments.idempotency_key,
        merge=arguments.on_conflict == "merge",
        pulse=call.pulse,
    )


def _twin(call: Call, arguments: EditArguments | None, error: WorkroomError) -> Transaction:
    """The transaction of the same call made at the same time, by its key; raises `error` when there is none."""
    found = None if arguments is None else _by_key(call, arguments)
    if found is None:
        raise error
    return found


def _proposal(
    call: Call, operation: str, planned: Planned, arguments: EditArguments | None = None, *, merge: bool = False
) -> Proposal:
    """What committing a plan would do. With the arguments of an apply, its twin by key answers for it.

    With `merge` (or theirs), a plan that is stale by the time it is committed is proposed again, merged.
    """
    transactions = call.workspace.transactions
    merge = merge or (arguments is not None and arguments.on_conflict == "merge")

    def stage() -> Staged:
        try:
            staged = transactions.keep(planned, call.actor, waits=True)
        except WorkroomError as error:
            staged = transactions.keep(_twin(call, arguments, error).planned, call.actor, waits=True)
        named = transactions.hunks(staged)
        diff = plan_diff(call, staged, named)
        data = plan_data(staged, "planned", diff, named)
        artifacts = stage_views(call, staged, diff, data)
        text = "\n".join([*staged.warnings, str(data["diffPreview"])])
        return Staged(_commit_call(staged), data, artifacts, text)

    def run(permit: Permit) -> Envelope:
        try:
            transactions.commit(planned, permit, call.actor, call.pulse)
        except WorkroomError as error:
            twin = _twin(call, arguments, error)
            if twin.status != "applied":
                raise
            return _settled(call, operation, twin)
        merged = [change.path for change in planned.change_set.changes if change.merged]
        also = f" Merged with what had changed meanwhile: {', '.join(merged[:_NAMED])}." if merged else ""
        return answer(call, operation, planned, "applied", f"Applied {planned.id}: {counts(planned)}.{also}")

    def again() -> Proposal:
        return _proposal(call, operation, transactions.plan_merge(planned), arguments, merge=merge)

    title = f"Commit {planned.id}: {planned.title}"
    return commit_proposal(call, planned, title, stage=stage, run=run, again=again if merge else None)


def _commit_call(planned: Planned) -> dict[str, Any]:
    return {"action": "commit", "transaction_id": planned.id}


def _settled(call: Call, operation: str, found: Transaction) -> Envelope:
    """The answer for a transaction that has had its effect already: nothing is done again."""
    found = current(call, found)
    state = "was applied already" if found.status == "applied" else f"is {found.status}"
    summary = f"{found.id} {state}; nothing was done."
    return answer(call, operation, found.planned, found.status, summary, views=False)


def _cursor(text: str) -> tuple[float, str]:
    at, _, transaction_id = text.partition(" ")
    try:
        return float(at), transaction_id
    except ValueError:
        raise WorkroomError(
            ErrorCode.INVALID_INPUT, "cursor is none of ours.", next_step="Send the cursor of the answer before."
        ) from None


EDIT = Tool(
    name="workspace_edit",
    title="Edit files",
    help=(
        "Change files, all or nothing, undoable. apply = preview + commit; commit files or hunks of a plan, the rest "
        "stays planned. Operations by type: "
        "create {path, content, overwrite}; rewrite {path, content}; replace {path, search, replacement, "
        "expected_matches}: exact text; splice {path, start_line, delete_count, content, expected_hash}; "
        "copy, move {from, to}; delete {path, recursive}; mkdir {path}; patch {patch}: unified diff. "
        "Prefer replace. Text without the `12 | ` of reads."
    ),
    actions=(
        Action("preview", EditArguments, "Plan operations and show the diff; nothing changes.", answer=_preview),
        Action("apply", EditArguments, "Plan and commit in one call.", propose=_apply),
        Action("commit", CommitArguments, "Commit a planned transaction, whole or in part.", propose=_commit),
        Action("rollback", RollbackArguments, "Take an applied transaction back.", propose=_rollback),
        Action("show", ShowArguments, "One transaction with its diff.", answer=_show),
        Action("list", ListArguments, "Transactions, newest first.", answer=_list),
    ),
    annotations={"openWorldHint": False},
)
