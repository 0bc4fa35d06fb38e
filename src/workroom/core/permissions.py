"""The gate's table: mode x need -> run, stage or refuse. Pure.

A call's *need* is the strictest thing that is true of it:

    plain      nothing special
    asks       it writes what can run code later, or it is destructive while the ceiling is `ask`
    forbidden  it is destructive while the ceiling is `refuse`

and the mode counts as four locks, because plan mode with and without an approved plan are two different things.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from workroom.base.errors import ErrorCode
from workroom.base.settings import Ceiling, Mode

__all__ = ["GATED", "Decision", "Outcome", "decide"]


class Outcome(StrEnum):
    """What becomes of a call."""

    RUN = "run"
    STAGE = "stage"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class Decision:
    """The gate's word. `code` is set on a refusal only; `reason` says in a few words what decided."""

    outcome: Outcome
    code: ErrorCode | None = None
    reason: str = ""


class _Lock(StrEnum):
    MANUAL = "manual"
    PLAN_CLOSED = "plan, none approved"
    PLAN_OPEN = "plan, approved"
    AUTO = "auto"


class _Need(StrEnum):
    PLAIN = "plain"
    ASKS = "asks"
    FORBIDDEN = "forbidden"


_RUN = Decision(Outcome.RUN)
_STAGE = Decision(Outcome.STAGE, reason="it waits for the person in every mode")
_MANUAL = Decision(Outcome.STAGE, reason="the permission mode is Manual (0)")
_LOCKED = Decision(Outcome.REFUSE, ErrorCode.APPROVAL_REQUIRED, "no plan is approved")
_CEILING = Decision(Outcome.REFUSE, ErrorCode.PROTECTED_PATH, "destructive_edits is refuse")

_TABLE: Mapping[_Lock, Mapping[_Need, Decision]] = {
    #                   plain                  asks                  forbidden
    _Lock.MANUAL:      {_Need.PLAIN: _MANUAL, _Need.ASKS: _MANUAL, _Need.FORBIDDEN: _CEILING},
    _Lock.PLAN_CLOSED: {_Need.PLAIN: _LOCKED, _Need.ASKS: _LOCKED, _Need.FORBIDDEN: _CEILING},
    _Lock.PLAN_OPEN:   {_Need.PLAIN: _RUN,    _Need.ASKS: _STAGE,  _Need.FORBIDDEN: _CEILING},
    _Lock.AUTO:        {_Need.PLAIN: _RUN,    _Need.ASKS: _STAGE,  _Need.FORBIDDEN: _CEILING},
}  # fmt: skip

GATED: Mapping[tuple[str, str], str] = {
    ("workspace_edit", "apply"): "transaction",
    ("workspace_edit", "commit"): "transaction",
    ("workspace_edit", "rollback"): "transaction",
    ("editor_save", "editor_save"): "transaction",
    ("editor_create", "editor_create"): "transaction",
    ("editor_move", "editor_move"): "transaction",
    ("editor_delete", "editor_delete"): "transaction",
    ("editor_git_stage", "editor_git_stage"): "vcs",
    ("editor_git_commit", "editor_git_commit"): "vcs",
    ("editor_git_undo_commit", "editor_git_undo_commit"): "vcs",
    ("editor_git_stash", "editor_git_stash"): "vcs",
    ("editor_git_sync", "editor_git_sync"): "vcs",
    ("workspace_command", "run"): "command",
    ("workspace_command", "start"): "command",
    ("workspace_command", "write"): "command",  # what is typed into a shell that runs is a command like any other
    ("workspace_vcs", "init"): "vcs",
    ("workspace_vcs", "add"): "vcs",
    ("workspace_vcs", "commit"): "vcs",
    ("workspace_vcs", "checkout"): "vcs",
    ("workspace_vcs", "branch"): "vcs",  # only with create or delete; without them it lists
    ("workspace_vcs", "push"): "vcs",
    ("workspace_vcs", "issue_create"): "vcs",
    ("workspace_vcs", "pr_create"): "vcs",
    ("workspace_research", "search"): "web",
    ("workspace_research", "fetch"): "web",
    ("workspace_research", "deep"): "web",
    ("workspace_browser", "open"): "web",  # beyond system A: opening a page reaches a host as a fetch does
    ("workspace_browser", "control"): "browser",
    ("workspace_agent", "run"): "agent",  # in manual mode only when the run may execute commands or reach the web
    ("workspace_agent", "start"): "agent",  # the same
}
"""Every action that the gate decides about, and the kind its approvals carry. What isn't here is never gated."""


def decide(*, mode: Mode, plan_approved: bool, destructive: bool, ceiling: Ceiling, asks: bool) -> Decision:
    """What becomes of a gated call. `asks`: it writes what can run code later, or runs without a sandbox."""
    return _TABLE[_lock(mode, plan_approved)][_need(destructive, ceiling, asks)]


def _lock(mode: Mode, plan_approved: bool) -> _Lock:
    if mode is Mode.PLAN:
        return _Lock.PLAN_OPEN if plan_approved else _Lock.PLAN_CLOSED
    return _Lock(mode.value)


def _need(destructive: bool, ceiling: Ceiling, asks: bool) -> _Need:
    if destructive and ceiling == "refuse":
        return _Need.FORBIDDEN
    if asks or (destructive and ceiling == "ask"):
        return _Need.ASKS
    return _Need.PLAIN
