"""What an agent means to do: the bodies of plans. Where a plan stands is said by its record in core.approvals.

PlanDraft   what an agent proposes, within system A's limits
PlanBody    a kept plan: the draft with its id and revision
markdown()  a plan as `plan.md` shows it
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from workroom.base.envelope import Artifact
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.events import Event, PlanChanged
from workroom.base.ids import NewId
from workroom.system.agentic import FOLDER, Agentic
from workroom.system.clock import Clock, iso
from workroom.system.store import Database, Migration, Store

__all__ = ["KEPT", "MIGRATIONS", "Command", "File", "PlanBody", "PlanDraft", "Plans", "Step", "markdown", "plan_path"]

KEPT = 300
"""How many bodies are kept, as many as there are records; the oldest are forgotten first."""

MIGRATIONS: tuple[Migration, ...] = (
    (
        "plans/1",
        """
        CREATE TABLE plans (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
                            body TEXT NOT NULL) STRICT;
        """,
    ),
)

Text = Annotated[str, Field(min_length=1, max_length=2000, pattern=r"\S")]
"""One of a plan's texts, in characters; not blank."""

_log = logging.getLogger(__name__)


class _Value(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Step(_Value):
    """One step and what kind of work it is."""

    text: Text
    """What is done."""
    kind: Literal["edit", "command", "vcs", "research", "other"] = "other"
    """The kind of work."""


class File(_Value):
    """A file that the plan touches."""

    path: Text
    """From the root, with `/`; or absolute inside it."""
    change: Literal["create", "modify", "delete", "move"]
    """What becomes of it."""


class Command(_Value):
    """A program that the plan runs, by its bare name; whether it is allowed is decided when it runs."""

    executable: Annotated[str, Field(max_length=2000, pattern=r"^[^\s/\\]+$")]
    """The program's bare name."""
    args: tuple[Annotated[str, Field(max_length=2000)], ...] = ()
    """Its arguments, each by itself."""


class PlanDraft(_Value):
    """What an agent proposes."""

    title: Text
    """One line that names the plan."""
    objective: Text
    """What shall be true afterwards."""
    steps: Annotated[
        tuple[Text | Step, ...], Field(min_length=1, max_length=40, description="each a text, or {text, kind}")
    ]
    """What is done, in order; each a text, or a step."""
    files: Annotated[tuple[File, ...], Field(max_length=100)] = ()
    """The files that it touches."""
    commands: Annotated[tuple[Command, ...], Field(max_length=40)] = ()
    """The programs that it runs."""
    risks: Annotated[tuple[Text, ...], Field(max_length=40)] = ()
    """What could go wrong."""
    questions: Annotated[tuple[Text, ...], Field(max_length=40)] = ()
    """What the person should answer."""


class PlanBody(PlanDraft):
    """A kept plan. `supersedes` is the plan that it took the place of; `created_at` is seconds since 1970."""

    steps: tuple[Step, ...]
    id: str
    revision: int
    created_at: float
    supersedes: str | None = None
    summary: str | None = None
    """What its agent said at the end."""


class Plans:
    """All plans of one workspace."""

    def __init__(self, store: Store, clock: Clock, new_id: NewId) -> None:
        self._store = store
        self._clock = clock
        self._new_id = new_id

    def propose(self, db: Database, draft: PlanDraft, supersedes: str | None) -> PlanBody:
        """Keep a new plan within the unit of work `db`; one revision after the plan that it supersedes."""
        body = PlanBody(
            **draft.model_dump(include=set(PlanDraft.model_fields) - {"steps"}),
            steps=tuple(step if isinstance(step, Step) else Step(text=step) for step in draft.steps),
            id=self._new_id("plan"),
            revision=1 if supersedes is None else self.get(supersedes).revision + 1,
            created_at=self._clock(),
            supersedes=supersedes,
        )
        db.execute("INSERT INTO plans (id, body) VALUES (?, ?)", (body.id, body.model_dump_json()))
        db.execute(
            "DELETE FROM plans WHERE number <= (SELECT number FROM plans ORDER BY number DESC LIMIT 1 OFFSET ?)",
            (KEPT,),
        )
        return body

    def get(self, id: str) -> PlanBody:  # noqa: A002 - the record's own word
        """One plan; NOT_FOUND."""
        with self._store.read() as db:
            row = db.execute("SELECT body FROM plans WHERE id = ?", (id,)).fetchone()
        if row is None:
            raise WorkroomError(
                ErrorCode.NOT_FOUND, f"There is no plan {id!r}.", next_step="workspace_plan list shows the plans."
            )
        return PlanBody.model_validate_json(str(row[0]))

    def list(self, limit: int) -> tuple[tuple[PlanBody, ...], int]:
        """The newest `limit` plans, newest first, and how many there are."""
        with self._store.read() as db:
            total = int(db.execute("SELECT count(*) FROM plans").get)
            rows = db.execute("SELECT body FROM plans ORDER BY number DESC LIMIT ?", (limit,)).fetchall()
        return tuple(PlanBody.model_validate_json(str(row[0])) for row in rows), total

    def finish(self, id: str, summary: str | None) -> PlanBody:  # noqa: A002
        """Keep what the agent says at the end of a plan."""
        with self._store.write() as db:
            body = self.get(id).model_copy(update={"summary": summary})
            db.execute("UPDATE plans SET body = ? WHERE id = ?", (body.model_dump_json(), id))
            return body

    def write_view(self, agentic: Agentic, body: PlanBody, status: str) -> Artifact:
        """Write a plan's `plan.md`; nothing reads it back."""
        path = plan_path(body.id).removeprefix(f"{FOLDER}/")
        return agentic.write(path, markdown(body, status).encode(), "plan", body.title)

    def keep_view(self, agentic: Agentic) -> Callable[[], None]:
        """Write a plan's `plan.md` anew after each change of it; answers the way to end it.

        That it can't be written is logged and stops nobody.
        """

        def write(_number: int, event: Event) -> None:
            if isinstance(event, PlanChanged):
                try:
                    self.write_view(agentic, self.get(event.plan_id), event.status)
                except WorkroomError as error:
                    _log.warning("the view of %s can't be written: %s", event.plan_id, error)

        return self._store.subscribe(write)


def plan_path(plan_id: str) -> str:
    """Where a plan's view stands, from the root."""
    return f"{FOLDER}/plans/{plan_id}/plan.md"


def markdown(body: PlanBody, status: str) -> str:
    """A plan as `plan.md` shows it. An agent's words can't pass for the page's own lines: each is kept in its place."""
    parts = [
        f"# {_line(body.title)}",
        f"Plan {body.id}, revision {body.revision}, {status}. Proposed {iso(body.created_at)}."
        + (f" Supersedes {body.supersedes}." if body.supersedes else ""),
        "## Objective\n\n" + _quote(body.objective),
        "## Steps\n\n" + "\n".join(f"{n}. [{s.kind}] {_item(s.text)}" for n, s in enumerate(body.steps, 1)),
        _section("Files", [f"{file.change} {_item(file.path)}" for file in body.files]),
        _section("Commands", [_item(" ".join((command.executable, *command.args))) for command in body.commands]),
        _section("Risks", [_item(risk) for risk in body.risks]),
        _section("Questions", [_item(question) for question in body.questions]),
        f"## Summary\n\n{_quote(body.summary)}" if body.summary else "",
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def _section(name: str, rows: list[str]) -> str:
    return f"## {name}\n\n" + "\n".join(f"- {row}" for row in rows) if rows else ""


def _line(text: str) -> str:
    return " ".join(text.split())


def _item(text: str) -> str:
    return "\n    ".join(text.strip().splitlines())


def _quote(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.strip().splitlines())
