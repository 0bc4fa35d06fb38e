"""What was left is opened again and compared, byte for byte, with what it must be and with what was answered."""

from __future__ import annotations

import hashlib
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.crash import scenes, victim
from tests.crash.scenes import Scene, Tree
from tests.crash.victim import Act, Answer, Place

from workroom.core.approvals import Status
from workroom.core.transactions import tables
from workroom.server.build import close_workspace
from workroom.tools.workspace import Workspace

__all__ = ["Outcome", "at_once", "clear", "judge"]

_OPENING = 900
_TOLD = {"recovery", "late_write"}
"""Causes of entries that tell of bytes that nobody knew, and that were kept as copies."""
UNDECIDED = "when the workspace is opened again"
"""What an answer says that can't know how it ends: it is decided, or taken back, then."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was found: whether the act took place, and what is wrong; no fault when all is well."""

    applied: bool
    faults: tuple[str, ...] = ()


def at_once(place: Place, act: Act, scene: Scene, answers: Sequence[Answer], *, blind: bool = False) -> list[str]:
    """What is wrong with the answers, by the disk as it was when the last one was given. `blind` as for `judge`."""
    faults = clear(answers)
    if not answers or any(UNDECIDED in answer.said for answer in answers):
        return faults
    before, after = victim.trees(act, scene)
    wanted = after if answers[-1].ok or act == "settle" else before
    found = scenes.tree(place.folder)
    if blind:
        found = {path: thing for path, thing in found.items() if ".workroom-kept-" not in path}
    wrong = _differences(found, wanted)
    if wrong and act != "open":
        faults.append(f"answered {answers[-1]}, but there is {wrong}")
    return faults


def clear(answers: Sequence[Answer]) -> list[str]:
    """What is wrong with the answers in themselves: each is a success, or a refusal with a code that says something."""
    faults = [f"no answer but an exception: {answer.fault}" for answer in answers if answer.fault]
    return faults + [f"an unclear answer: {answer.said}" for answer in answers if answer.code == "INTERNAL"]


def judge(
    place: Place, act: Act, scene: Scene, answers: Sequence[Answer], *, synced: bool = True, blind: bool = False
) -> Outcome:
    """Open the workspace again and look. `synced`: what isn't brought to the disk by force is there as well.

    `blind`: what stood somewhere couldn't be read, so that it may be kept as a copy, and told.
    """
    try:
        workspace = victim.open_at(place, _OPENING)
    except Exception:  # noqa: BLE001 - whatever it is, it is what was found
        return Outcome(applied=False, faults=(f"it can't be opened: {traceback.format_exc()}",))
    try:
        history = workspace.transactions.history(100)
        applied = len([entry for entry in history if entry.cause not in _TOLD]) > victim.begun(act)
        kept = {change.path for entry in history if entry.cause in _TOLD for change in entry.changes}
        look = _Look(workspace, place, act, scene, answers, applied, kept if blind else set())
        return Outcome(applied, tuple(look.faults(synced=synced)))
    except Exception:  # noqa: BLE001 - the same
        return Outcome(applied=False, faults=(f"it can't be read: {traceback.format_exc()}",))
    finally:
        close_workspace(workspace)


@dataclass(frozen=True, slots=True)
class _Look:
    """A workspace that was opened again, and what was done in it; `kept` are copies that may be there."""

    workspace: Workspace
    place: Place
    act: Act
    scene: Scene
    answers: Sequence[Answer]
    applied: bool
    kept: set[str]

    def faults(self, *, synced: bool) -> Iterator[str]:
        before, after = victim.trees(self.act, self.scene)
        found = {path: thing for path, thing in scenes.tree(self.place.folder).items() if path not in self.kept}
        if wrong := _differences(found, after if self.applied else before):
            yield f"applied {self.applied}, but {wrong}"
        yield from self._untrue()
        yield from (f"left: {left}" for left in _leftovers(self.place))
        yield from _rows(self.workspace, self.act, applied=self.applied)
        yield from _waiting(self.workspace, self.act, self.answers, applied=self.applied)
        if synced and self.answers and self.answers[-1].ok:
            yield from self._unnamed()

    def _untrue(self) -> Iterator[str]:
        """Answers that what is there gives the lie to."""
        if self.act not in {"apply", "commit", "rollback", "accept", "part", "edit"} or not self.answers:
            return
        if any(answer.ok for answer in self.answers) and not self.applied:
            yield "an acknowledged commit is lost"
        last = self.answers[-1]
        if not last.ok and UNDECIDED not in last.said and self.applied:
            yield f"refused, but it took place: {last.said}"

    def _unnamed(self) -> Iterator[str]:
        """Files that the answer names and that aren't there as it says."""
        for path, sha in self.answers[-1].artifacts:
            file = self.place.folder / path
            if not file.exists() or hashlib.sha256(file.read_bytes()).hexdigest() != sha:
                yield f"the answer names {path}, which isn't that"


def _differences(found: Tree, wanted: Tree) -> str:
    paths = sorted(found.keys() | wanted.keys())
    return "; ".join(
        f"{path}: {found.get(path)!r:.80} instead of {wanted.get(path)!r:.80}"
        for path in paths
        if found.get(path) != wanted.get(path)
    )


def _leftovers(place: Place) -> list[str]:
    """Files on their way that nobody will fetch."""
    found = {*(place.folder / ".agentic" / "stage").iterdir(), *place.folder.rglob(".workroom-stage-*")}
    return sorted(str(path.relative_to(place.folder)) for path in found)


def _rows(workspace: Workspace, act: Act, *, applied: bool) -> Iterator[str]:
    """The database in itself: whole, with every content that its rows speak of, and no intent left."""
    with workspace.store.read() as db:
        if (said := db.execute("PRAGMA integrity_check").get) != "ok":
            yield f"the database is damaged: {said}"
        for phase in ("staging", "prepared", "committed"):
            if tables.intents(db, phase):
                yield f"an intent is left {phase}"
        stored = tables.transactions(db, None, 100)
        referred = [str(row[0]) for row in db.execute("SELECT sha256 FROM image_refs").fetchall()]
    told = workspace.audit.verify()
    if not told.good:
        yield f"the audit log isn't whole: {told}"
    for sha in referred:
        data = workspace.transactions.image(sha)
        if data is None or hashlib.sha256(data).hexdigest() != sha:
            yield f"the image {sha} is gone"
    statuses = sorted(row.status for row in stored if row.planned.cause not in {"rollback", *_TOLD})
    over = {"planned", "failed", "superseded"} if act == "edit" else {"planned", "failed"}
    in_force = [status for status in statuses if status not in over]
    wanted = ["applied"] if applied or act in {"rollback", "settle"} else []
    if in_force != (["rolled_back"] if act == "rollback" and applied else wanted):
        yield f"applied {applied}, but the transactions are {statuses}"


def _waiting(workspace: Workspace, act: Act, answers: Sequence[Answer], *, applied: bool) -> Iterator[str]:
    """What waits for the person, or was said yes to: used up with its effect, and only with that."""
    records = workspace.approvals.list(set(Status), 10)
    statuses = {str(record.status) for record in records}
    if act == "stage":
        for record in records:  # what waits can be run: the plan is there, with its contents
            workspace.transactions.get(record.arguments["transaction_id"])
        if answers and answers[-1].ok is not bool(records):
            yield f"answered {answers[-1]}, but there is {statuses or 'nothing'} waiting"
    if act in {"accept", "edit"} and not statuses <= ({"consumed"} if applied else {"pending", "approved"}):
        yield f"applied {applied}, but the approval is {statuses}"
