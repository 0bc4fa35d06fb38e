"""What the tools share that write a repository: how such a call is proposed, carried out, and told in the history.

Git's effects are no transactions of ours: what it did to files is read before and after, and becomes an entry that can
be undone like any other; where it changed no file the entry says what was done, and an undo of it names the tool.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from workroom.base.changes import Change, ChangeSet, Danger, Kind, Permit, State, digest
from workroom.base.envelope import Envelope
from workroom.base.errors import WorkroomError
from workroom.core.git import Reading
from workroom.core.transactions import Observation, Observed, Policy, begin_effect
from workroom.tools.tool import Arguments, Call, Proposal, Staged

__all__ = ["Did", "Effect", "asks_about", "begun", "carry_out", "proposal", "shown_patch", "told"]

_log = logging.getLogger(__name__)
_SHOWN_CHARS = 1_100_000
"""More than a person can accept: what is longer is cut there, and refused for its length."""
_LINK = State(Kind.SYMLINK)


@dataclass(frozen=True, slots=True)
class Effect:
    """What a call would do: `title` for the person and the log, `operation` what an approval is bound to."""

    title: str
    operation: tuple[Any, ...]
    paths: tuple[str, ...] = ()
    """Files of the workspace that git will write or remove."""

    @property
    def fingerprint(self) -> str:
        return digest(["git", *self.operation])


@dataclass(frozen=True, slots=True)
class Did:
    """What was done: `label` and `detail` for the history. Without `moved` it is told only where files changed."""

    label: str
    detail: Mapping[str, Any] = field(default_factory=dict)
    moved: bool = True


def proposal(
    call: Call,
    arguments: Arguments,
    effect: Effect,
    *,
    waiting: dict[str, Any],
    shown: Callable[[], str],
    run: Callable[[Permit], Envelope],
    dangers: tuple[Danger, ...] = (),
    asks: tuple[str, ...] = (),
    again: Callable[[], Proposal] | None = None,
) -> Proposal:
    """The call as the gate decides about it. `waiting` are the answer's fields while nothing is done, `shown` makes
    what the person sees of it."""
    fields = arguments.model_dump(mode="json", exclude_defaults=True)
    return Proposal(
        kind="vcs",
        title=effect.title,
        fingerprint=effect.fingerprint,
        stage=lambda: Staged(fields, waiting, shown=shown()[:_SHOWN_CHARS]),
        run=run,
        dangers=dangers,
        asks=asks,
        again=again,
    )


@contextlib.contextmanager
def begun(call: Call, permit: Permit, effect: Effect) -> Iterator[None]:
    """Use the permit up, before anything is done. A refusal from then on says that the effect was begun: who asked for
    it learns what came of it, though it failed."""
    workspace = call.workspace
    begin_effect(
        workspace.store, permit, effect=workspace.new_id("effect"), fingerprint=effect.fingerprint, kind="vcs",
        title=effect.title, actor=call.actor, at=workspace.clock(),
    )  # fmt: skip
    try:
        yield
    except WorkroomError as error:
        error.details["effect"] = "begun"
        raise


def carry_out(call: Call, permit: Permit, effect: Effect, work: Callable[[], Did]) -> str:
    """Do it, while no commit of ours is made, and tell it in the history; a note for the answer where that failed.

    What `work` raises is raised once what it has changed is told.
    """
    with call.workspace.transactions.alone(), begun(call, permit, effect):
        return told(call, effect.title, effect.paths, work)


def told(call: Call, title: str, paths: Collection[str], work: Callable[[], Did]) -> str:
    """Tell in the history what `work` does to these paths. Errors and answer as for `carry_out`."""
    transactions = call.workspace.transactions
    with transactions.alone() if paths else contextlib.nullcontext():  # a remote may take its time
        seen = transactions.snapshot(_with_parents(paths))
        did = Did(f"{title} (it failed)", moved=False)
        try:
            did = work()
        finally:
            note = _tell(call, seen, did)
    return note


def asks_about(call: Call, paths: Collection[str]) -> tuple[str, ...]:
    """Reasons to ask before git writes these paths. PROTECTED_PATH where it may not.

    Each counts as a link, too: what it is, is git's to say.
    """
    policy = Policy(call.workspace.root, call.settings())
    change_set = ChangeSet(tuple(Change(path, _LINK, _LINK) for path in paths))
    policy.check_changes(change_set)
    return policy.asks(change_set)


def shown_patch(repo: Reading, patch: bytes) -> str:
    """A patch with its repository, for the person."""
    return f"In {repo.place.below or '.'}:\n{patch.decode('utf-8', 'backslashreplace')}"


def _tell(call: Call, seen: Mapping[str, State], did: Did) -> str:
    changes = [Observed(path, state) for path, state in seen.items()]
    try:
        call.workspace.transactions.observe(
            Observation(changes, call.actor, "git", did.label, detail=did.detail, always=did.moved)
        )
    except WorkroomError as error:  # it is done all the same
        _log.warning("%s can't be told in the history: %s", did.label, error)
        return f" The history couldn't be told: {error.message}"
    return ""


def _with_parents(paths: Collection[str]) -> list[str]:
    """The paths and the folders that they are in: git removes those that get empty."""
    found = dict.fromkeys(paths)
    for path in paths:
        parent = path.rpartition("/")[0]
        while parent and parent not in found:
            found[parent] = None
            parent = parent.rpartition("/")[0]
    return list(found)
