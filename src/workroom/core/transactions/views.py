"""What a reader finds in `.agentic/transactions/<id>/`: `changes.diff` and `review.md`, rendered from the images."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Set
from types import MappingProxyType

from workroom.base.changes import Change, Kind, State
from workroom.base.envelope import Artifact
from workroom.base.errors import WorkroomError
from workroom.core.transactions.hunks import Named, heading_of
from workroom.core.transactions.model import ImageOf, Planned, file_row
from workroom.system.agentic import Agentic
from workroom.text.diff import FileSide, render_file
from workroom.text.quoting import quote_name

__all__ = ["SHOWN_BYTES", "UNNAMED", "drop_views", "render_diff", "render_review", "write_views"]

SHOWN_BYTES = 16 << 20
"""Contents that come or go whole are shown up to here, in all."""

UNNAMED: Named = MappingProxyType({})
"""No hunk has a name: what is applied is not taken apart any more."""


def render_diff(
    changes: tuple[Change, ...], image: ImageOf, named: Named = UNNAMED, *, most: float = SHOWN_BYTES
) -> str:
    """One unified diff of all changes, as git writes it; folders have no place in it. `named` hunks carry their id.

    Of contents that come or go whole, `most` bytes are shown in all; for the others it says how many there are.
    """
    origins = {change.origin for change in changes}
    sections = []
    for change in changes:
        cost = 0 if change.path in origins else _cost(change)
        if cost > most:
            sections.append(f"{quote_name(change.path)}: its {cost:,} bytes are too many to be shown.\n")
            continue
        most -= cost
        sections.append(_section(change, origins, image, named))
    return "".join(sections)


def render_review(planned: Planned, diff: str) -> str:
    """The review: what is done to which file, with hashes, then the diff."""
    rows = [file_row(change) for change in planned.change_set.changes]
    lines = [f"# {planned.title}", "", f"Transaction {planned.id}", ""]
    lines += [f"- {d.operation} {d.path} (destructive)" for d in planned.dangers]
    lines += [f"- {text}" for text in (*planned.asks, *planned.warnings)]
    lines += ["", "| path | change | + | - | SHA-256 before | SHA-256 after |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {_cell(row['path'])} | {row['change']} | {_number(row['added'])} | {_number(row['removed'])} "
        f"| {row['beforeSha256'] or ''} | {row['afterSha256'] or ''} |"
        for row in rows
    ]
    fence = "`" * (max((len(run) for run in _backticks(diff)), default=2) + 1)
    return "\n".join([*lines, "", f"{fence}diff", diff.rstrip("\n"), fence, ""])


def write_views(agentic: Agentic, planned: Planned, diff: str) -> tuple[Artifact, Artifact]:
    """Write both files; they exist when this returns."""
    folder = f"transactions/{planned.id}"
    return (
        agentic.write(f"{folder}/changes.diff", diff.encode("utf-8", "surrogateescape"), "diff", "the changes"),
        agentic.write(
            f"{folder}/review.md",
            render_review(planned, diff).encode("utf-8", "surrogateescape"),
            "review",
            "what is changed, with hashes",
        ),
    )


def drop_views(agentic: Agentic, transaction_ids: Iterable[str]) -> None:
    """Remove the views of plans that are forgotten; what can't be removed stays, and tells of a plan that is gone."""
    for transaction_id in transaction_ids:
        with contextlib.suppress(WorkroomError):
            agentic.delete_folder(f"transactions/{transaction_id}")


def _cost(change: Change) -> int:
    """Bytes of what comes or goes whole. Of a file that is edited only the difference is shown."""
    if change.origin is not None or Kind.ABSENT not in {change.before.kind, change.after.kind}:
        return 0
    return change.before.size + change.after.size


def _section(change: Change, origins: Set[str | None], image: ImageOf, named: Named) -> str:
    if Kind.DIRECTORY in {change.before.kind, change.after.kind}:
        return ""
    if change.path in origins:
        return ""  # the move's other half tells it
    if change.origin is not None:
        return render_file(FileSide(change.origin, b"", None), FileSide(change.path, b"", None))
    if Kind.UNKNOWN in {change.before.kind, change.after.kind}:
        when = "before" if change.before.kind is Kind.UNKNOWN else "then"
        return f"{quote_name(change.path)}: what it held {when} isn't known.\n"
    if any(state.sha256 and image(state.sha256) is None for state in (change.before, change.after)):
        return f"{quote_name(change.path)}: its content is no longer kept.\n"
    heading = heading_of(named.get(change.path, ()))
    return render_file(
        _side(change.path, change.before, image), _side(change.path, change.after, image), heading=heading
    )  # fmt: skip


def _side(path: str, state: State, image: ImageOf) -> FileSide:
    if state.kind is Kind.ABSENT:
        return FileSide(path, None, None)
    return FileSide(path, image(state.sha256), state.mode, state.kind is Kind.SYMLINK)


def _number(count: int | None) -> str:
    return "" if count is None else str(count)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", "\\n")


def _backticks(text: str) -> list[str]:
    runs = []
    for line in text.splitlines():
        stripped = line[1:].lstrip()
        run = stripped[: len(stripped) - len(stripped.lstrip("`"))]
        if len(run) > 2:
            runs.append(run)
    return runs
