"""What the process that is killed does: it opens a workspace, does one thing in it, and says what it was answered.

apply     a whole call of workspace_edit, planned and committed        commit    a plan that was kept
rollback  the undo of that                                            preview   a plan is kept
stage     a call that waits for the person                            accept    the person says yes, and it runs
part      some paths of a kept plan                                   edit      yes to what the person makes of it
settle    the workspace is closed, its displaced files dropped        begin     a folder is opened for the first time
open      a folder is opened again, recovery included
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from tests.crash import scenes, tracer
from tests.crash.scenes import Scene, Tree

from workroom.base.actor import Actor
from workroom.base.envelope import Envelope
from workroom.base.errors import WorkroomError
from workroom.person import decisions
from workroom.person.credential import PersonCredential
from workroom.server.build import build_workspace, close_workspace
from workroom.system.state import StateDirectory
from workroom.tools import dispatch
from workroom.tools.tool import Call
from workroom.tools.workspace import Workspace

__all__ = ["ACTS", "Act", "Answer", "Place", "begun", "copy", "open_at", "prepare", "rehearse", "run", "trees"]

Act = Literal["apply", "commit", "rollback", "preview", "stage", "accept", "part", "edit", "settle", "open", "begin"]
ACTS: tuple[Act, ...] = get_args(Act)

_AGENT = Actor("agent", "tester", "session_1")
_PERSON = PersonCredential.grant("key", "key", 0, 0)
_WAITS = {"stage", "accept", "edit"}
_PART = ("crlf.txt", "copied.sh", "kind")
"""What is done of the full scene in part: an edit, a copy, and a file that becomes a folder with what is in it."""
_EDITED = "as the person has it\n"
_EDITED_PATH = "made.txt"
_BETWEEN_OPENINGS = 1000


class Place(NamedTuple):
    """A workspace's folder and the state directory that holds its store."""

    folder: Path
    state: Path


@dataclass(frozen=True, slots=True)
class Answer:
    """What whoever called was told. `code` is the error's, empty for a success; `said` message and next step.

    `fault`: it wasn't an answer but an exception.
    """

    ok: bool
    code: str = ""
    said: str = ""
    fault: str = ""
    artifacts: tuple[tuple[str, str], ...] = ()
    """Files that the answer names, with their SHA-256."""


def trees(act: Act, scene: Scene) -> tuple[Tree, Tree]:
    """The folder before an act and after it, as they must be."""
    if act == "rollback":
        return scene.after, scene.undone
    if act == "settle":
        return scene.after, scene.after
    if act == "part":
        done = {path: thing for path, thing in scene.after.items() if path.split("/")[0] in _PART}
        return scene.before, scene.before | done
    if act == "edit":
        edited = scenes.File(_EDITED.encode(), scene.after[_EDITED_PATH].mode)  # type: ignore[union-attr]
        return scene.before, scene.after | {_EDITED_PATH: edited}
    return scene.before, scene.before if act in {"preview", "stage", "begin"} else scene.after


def begun(act: Act) -> int:
    """How many entries the history has before the act."""
    return 1 if act in {"rollback", "settle"} else 0


def open_at(place: Place, opening: int) -> Workspace:
    """Open the workspace as the server does, the state directory made. Each opening has ids and times of its own."""
    state = StateDirectory(place.state)
    state.make()
    state.person_key()
    number = itertools.count(opening * _BETWEEN_OPENINGS)
    ticks = itertools.count(opening * _BETWEEN_OPENINGS * 10)
    return build_workspace(
        str(place.folder),
        state,
        clock=lambda: 1_800_000_000.0 + next(ticks) / 1000,
        new_id=lambda prefix: f"{prefix}_{next(number):012d}",
    )


def prepare(place: Place, act: Act, scene: Scene) -> None:
    """Lay out the place of an act: the folder, and its store with all that was done before."""
    place.folder.mkdir(parents=True, exist_ok=True)
    scenes.lay(place.folder, scene.before)
    place.state.parent.mkdir(parents=True, exist_ok=True)
    if act == "begin":
        return
    state = StateDirectory(place.state)
    state.make()
    mode = "manual" if act in _WAITS else "auto"
    state.settings_file.write_text(f'mode = "{mode}"\ndestructive_edits = "allow"\n')
    os.utime(state.settings_file, (0, 0))  # one that was written just now is read again at each call
    workspace = open_at(place, 1)
    first: dict[str, Act] = {
        "rollback": "apply",
        "accept": "stage",
        "edit": "stage",
        "commit": "preview",
        "part": "preview",
    }
    if act in first:
        answer = _do(workspace, first[act], scene)
        if not answer.ok:
            raise RuntimeError(f"{act} can't be prepared: {answer}")
    close_workspace(workspace)


def copy(source: Place, target: Place) -> None:
    """A prepared place once more, known to its store."""
    target.folder.parent.mkdir(exist_ok=True)
    target.state.parent.mkdir(exist_ok=True)
    shutil.copytree(source.folder, target.folder, symlinks=True)
    if not source.state.exists():
        return
    shutil.copytree(source.state, target.state, symlinks=True)
    (store,) = (target.state / "workspaces").iterdir()
    info = target.folder.stat()
    StateDirectory(target.state).bind(str(target.folder), info.st_dev, info.st_ino, adopt=store)


def run(place: Place, act: Act, scene: Scene, answers: int, *, opening: int, again: bool) -> None:
    """In a process of its own: do the act once the tracer is there, and write what was answered to a descriptor.

    `again`: when it was refused, try it once more.
    """
    try:
        workspace = None if act in {"open", "begin"} else open_at(place, opening)
    except WorkroomError as error:  # a full disk, before anything has begun
        os.write(answers, json.dumps(asdict(Answer(ok=False, code=str(error.code), said=str(error)))).encode())
        return
    if act == "settle" and workspace is not None:
        _do(workspace, "apply", scene)
    tracer.stop()
    for _ in range(2 if again else 1):
        answer = _answered(lambda: _do(workspace, act, scene) if workspace else _open(place, opening))
        os.write(answers, json.dumps(asdict(answer)).encode() + b"\n")
        if answer.ok:
            break


def rehearse(place: Place, act: Act, scene: Scene) -> None:
    """Do the act where nobody looks on."""
    workspace = open_at(place, 2)
    if act == "settle":
        _do(workspace, "apply", scene)
    elif act not in {"open", "begin"}:
        _do(workspace, act, scene)
    close_workspace(workspace)


def _open(place: Place, opening: int) -> Answer:
    open_at(place, opening)
    return Answer(ok=True)


def _do(workspace: Workspace, act: Act, scene: Scene) -> Answer:
    caller = Call(workspace, _AGENT)
    if act == "settle":
        close_workspace(workspace)
        return Answer(ok=True)
    if act == "accept":
        return _told(decisions.accept(_PERSON, workspace).envelope)
    if act == "edit":
        return _told(decisions.accept_edited(_PERSON, workspace, "", {_EDITED_PATH: _EDITED}).envelope)
    if act == "rollback":
        (done,) = workspace.transactions.history()
        arguments: dict[str, Any] = {"action": "rollback", "transaction_id": done.transaction_id}
    elif act in {"commit", "part"}:
        (kept,) = workspace.transactions.find(status="planned")[0]
        arguments = {"action": "commit", "transaction_id": kept.id, **({"files": _PART} if act == "part" else {})}
    else:
        action = "preview" if act == "preview" else "apply"
        arguments = {"action": action, "operations": scene.operations}
    return _told(dispatch.call(caller, "workspace_edit", arguments))


def _told(envelope: Envelope | None) -> Answer:
    if envelope is None:
        return Answer(ok=False, fault="nothing was run")
    error: dict[str, Any] = envelope.error or {}
    said = f"{envelope.summary} {json.dumps(error)}"
    artifacts = tuple((artifact.path, artifact.sha256) for artifact in envelope.artifacts)
    return Answer(envelope.ok, error.get("code", ""), said, artifacts=artifacts)


def _answered(act: Callable[[], Answer]) -> Answer:
    try:
        return act()
    except WorkroomError as error:
        return Answer(ok=False, code=str(error.code), said=str(error))
    except Exception:  # noqa: BLE001 - whatever it is, it is what the caller got
        return Answer(ok=False, fault=traceback.format_exc())
