"""What the tools share that commit a transaction: its proposal, and the answer about it with its fields and diff."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workroom.base.changes import Permit
from workroom.base.envelope import Artifact, Envelope
from workroom.base.errors import WorkroomError
from workroom.core.transactions import UNNAMED, Derivation, Named, Planned, file_row, render_diff, write_views
from workroom.tools.tool import Call, Proposal, Staged

__all__ = ["answer", "commit_proposal", "counts", "plan_data", "plan_diff", "stage_views"]

_PREVIEW_CHARS = 6_000
_FILES_SHOWN = 200
_HUNKS_SHOWN = 50


def commit_proposal(
    call: Call,
    planned: Planned,
    title: str,
    *,
    stage: Callable[[], Staged],
    run: Callable[[Permit], Envelope],
    again: Callable[[], Proposal] | None = None,
) -> Proposal:
    """Committing a plan, as the gate decides about it: what it is bound to, and what is dangerous about it, is the
    plan's."""
    return Proposal(
        kind="transaction",
        title=title,
        fingerprint=planned.fingerprint,
        effect=planned.change_set.effect(),
        stage=stage,
        run=run,
        dangers=planned.dangers,
        asks=call.workspace.transactions.asks(planned),
        again=again,
    )


def answer(call: Call, operation: str, planned: Planned, status: str, summary: str, *, views: bool = True) -> Envelope:
    """The answer about a transaction; with `views` its files for the reader are written and named.

    Once it is applied this can't fail: what can't be read or written then is left out, and told.
    """
    try:
        return _answer(call, operation, planned, status, summary, views=views)
    except (WorkroomError, OSError) as error:
        if status not in {"applied", "rolled_back"}:
            raise
        data = plan_data(planned, status, "")
        data["warnings"].append(f"The changes can't be shown now: {error}")
        return Envelope(True, operation, summary, data, "high", (f"{planned.id} {status}: {planned.title}",))


def stage_views(call: Call, planned: Planned, diff: str, data: dict[str, Any]) -> tuple[Artifact, ...]:
    """The files for the reader; where they can't be written, that is a warning: the answer is none the less true."""
    try:
        return write_views(call.workspace.agentic, planned, diff)
    except WorkroomError as error:
        data["warnings"].append(f"The diff and the review can't be written for reading: {error}")
        return ()


def _answer(call: Call, operation: str, planned: Planned, status: str, summary: str, *, views: bool) -> Envelope:
    named = call.workspace.transactions.hunks(planned) if status == "planned" else UNNAMED
    diff = plan_diff(call, planned, named)
    data = plan_data(planned, status, diff, named)
    artifacts = stage_views(call, planned, diff, data) if views else ()
    edited = _edited(call, planned)
    if edited is not None:
        data["edited"] = {
            "by": edited.person,
            "proposed": edited.source,
            "patch": edited.patch[:_PREVIEW_CHARS],
            "patchTruncated": len(edited.patch) > _PREVIEW_CHARS,
        }
        summary += (
            f" {edited.person} edited it before accepting; data.edited.patch is the difference from {edited.source}."
        )
    shown = str(data["diffPreview"]) if status == "planned" or operation == "edit.show" else ""
    lines = [_file_line(row) for row in data["files"][:20]]
    return Envelope(
        ok=True,
        operation=operation,
        summary=summary,
        data=data,
        importance="high",
        facts=(f"{planned.id} {status}: {planned.title}",),
        omit_when_summarizing=("diffPreview",),
        artifacts=artifacts,
        text="\n".join([*lines, *data["warnings"], *_edit_lines(edited), shown]).rstrip(),
    )


def _edited(call: Call, planned: Planned) -> Derivation | None:
    """How the person changed the plan before they accepted it; what never waited for them isn't looked up."""
    derived = call.workspace.transactions.get(planned.id).derived if planned.kept else None
    return derived if derived is not None and derived.kind == "edited" else None


def _edit_lines(edited: Derivation | None) -> list[str]:
    if edited is None:
        return []
    return [
        f"The person's edit, from what {edited.source} proposed to what {edited.person} made of it:",
        edited.patch[:_PREVIEW_CHARS],
    ]


def plan_data(planned: Planned, status: str, diff: str, named: Named = UNNAMED) -> dict[str, Any]:
    """What every answer about a transaction carries; `named` are the hunks that can be committed by themselves."""
    rows = [file_row(change) for change in planned.change_set.changes]
    data: dict[str, Any] = {
        "transactionId": planned.id,
        "status": status,
        "committed": status in {"applied", "rolled_back"},
        "destructive": bool(planned.dangers),
        "operations": len(planned.operations),
        "files": [_with_hunks(row, named) for row in rows[:_FILES_SHOWN]],
        "diffPreview": diff[:_PREVIEW_CHARS],
        "diffTruncated": len(diff) > _PREVIEW_CHARS,
        "warnings": [*planned.asks, *planned.warnings],
    }
    if len(rows) > _FILES_SHOWN:
        data["filesTruncated"], data["fileCount"] = True, len(rows)
    if planned.directories:
        data["directories"] = [{"path": d.path, "existedBefore": d.existed_before} for d in planned.directories]
    if planned.supersedes is not None:
        data["supersedes"] = planned.supersedes
    if planned.dangers:
        data["destructiveOperations"] = [
            {"operation": d.operation, "path": d.path, "alternative": d.alternative} for d in planned.dangers[:20]
        ]
    return data


def _with_hunks(row: dict[str, Any], named: Named) -> dict[str, Any]:
    """The row of a file with the ids of its hunks, where there are several to choose from."""
    hunks = named.get(row["path"], ())
    if len(hunks) < 2:
        return row
    shown = {**row, "hunks": [hunk.id for hunk in hunks[:_HUNKS_SHOWN]]}
    return shown if len(hunks) <= _HUNKS_SHOWN else {**shown, "hunkCount": len(hunks)}


def plan_diff(call: Call, planned: Planned, named: Named = UNNAMED) -> str:
    """Its diff; `named` hunks carry their id."""
    return render_diff(planned.change_set.changes, call.workspace.transactions.image_of(planned), named)


def counts(planned: Planned) -> str:
    """How much it changes, in a few words."""
    changes = planned.change_set.changes
    added, removed = sum(c.added or 0 for c in changes), sum(c.removed or 0 for c in changes)
    paths = "1 path" if len(changes) == 1 else f"{len(changes)} paths"
    return f"{paths}, +{added} -{removed} lines"


def _file_line(row: dict[str, Any]) -> str:
    counts = "" if row["added"] is None else f" +{row['added']} -{row['removed']}"
    loosely = "" if row["matched"] == "exact" else f" (matched by {row['matched']})"
    origin = f"{row['from']} -> " if "from" in row else ""
    merged = " (merged with what was changed meanwhile)" if "merged" in row else ""
    return f"{row['change']} {origin}{row['path']}{counts}{loosely}{merged}"
