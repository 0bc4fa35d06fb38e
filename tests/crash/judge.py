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
UNDECIDED = "when the workspace is opened again"
"""What an answer says that can't know how it ends: it is decided, or taken back, then."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was found: whether the act took place, and what is wrong; no fault when all is well."""

    applied: bool
    faults: tuple[str, ...] = ()


def at_once(place: Place, act: Act, scene: Scene, answers: Sequence[Answer]) -> list[str]:
    """What is wrong with the answers, going by the disk as it was when the last one was given."""
    faults = clear(answers)
    if not answers or any(UNDECIDED in answer.said for answer in answers):
        return faults
    before, after = victim.trees(act, scene)
    wanted = after if answers[-1].ok or act == "settle" else before
    wrong = _differences(scenes.tree(place.folder), wanted)
    if wrong and act != "open":
        faults.append(f"answered {answers[-1]}, but there is {wrong}")
    return faults


def clear(answers: Sequence[Answer]) -> list[str]:
    """What is wrong with the answers in themselves: each is a success, or a refusal with a code that says something."""
    faults = [f"no answer but an exception: {answer.fault}" for answer in answers if answer.fault]
    return faults + [f"an unclear answer: {answer.said}" for answer in answers if answer.code == "INTERNAL"]


def judge(place: Place, act: Act, scene: Scene, answers: Sequence[Answer], *, synced: bool = True) -> Outcome:
    """Open the workspace again and look. `synced`: what isn't brought to the disk by force is there as well."""
    try:
        workspace = victim.open_at(place, _OPENING)
    except Exception:  # noqa: BLE001 - whatever it is, it is what was found
        return Outcome(applied=False, faults=(f"it can't be opened: {traceback.format_exc()}",))
    try:
        applied = len(workspace.transactions.history(100)) > victim.begun(act)
        return Outcome(applied, tuple(_faults(workspace, place, act, scene, answers, applied=applied, synced=synced)))
    except Exception:  # noqa: BLE001 - the same
        return Outcome(applied=False, faults=(f"it can't be read: {traceback.format_exc()}",))
    finally:
        close_workspace(workspace)


def _faults(
    workspace: Workspace,
    place: Place,
    act: Act,
    scene: Scene,
    answers: Sequence[Answer],
    *,
    applied: bool,
    synced: bool,
) -> Iterator[str]:
    before, after = victim.trees(act, scene)
    wrong = _differences(scenes.tree(place.folder), after if applied else before)
    if wrong:
        yield f"applied {applied}, but {wrong}"
    changes = act in {"apply", "commit", "rollback", "accept"}
    if any(answer.ok for answer in answers) and changes and not applied:
        yield "an acknowledged commit is lost"
    if answers and not answers[-1].ok and UNDECIDED not in answers[-1].said and applied and changes:
        yield f"refused, but it took place: {answers[-1].said}"
    yield from (f"left: {left}" for left in _leftovers(place))
    yield from _rows(workspace, act, applied=applied)
    yield from _waiting(workspace, act, answers, applied=applied)
    if synced and answers and answers[-1].ok:
        for path, sha in answers[-1].artifacts:
            file = place.folder / path
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
    statuses = sorted(row.status for row in stored if row.planned.cause != "rollback")
    in_force = [status for status in statuses if status not in {"planned", "failed"}]
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
    if act == "accept" and not statuses <= ({"consumed"} if applied else {"pending", "approved"}):
        yield f"applied {applied}, but the approval is {statuses}"
