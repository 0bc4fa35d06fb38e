"""The gate's table, every cell of it."""

import itertools
from typing import get_args

import pytest

from workroom.base.errors import ErrorCode
from workroom.base.settings import Ceiling, Mode
from workroom.core.permissions import GATED, Decision, Outcome, decide

EVERY = list(itertools.product(Mode, (False, True), (False, True), get_args(Ceiling), (False, True)))


def gate(mode=Mode.AUTO, *, plan_approved=False, destructive=False, ceiling="refuse", asks=False) -> Decision:
    return decide(mode=mode, plan_approved=plan_approved, destructive=destructive, ceiling=ceiling, asks=asks)


def expected(mode: Mode, plan_approved: bool, destructive: bool, ceiling: str, asks: bool) -> Outcome | ErrorCode:
    """The rules as sentences, in their order; the table must say the same."""
    if destructive and ceiling == "refuse":
        return ErrorCode.PROTECTED_PATH
    if mode is Mode.PLAN and not plan_approved:
        return ErrorCode.APPROVAL_REQUIRED
    if mode is Mode.MANUAL or asks or (destructive and ceiling == "ask"):
        return Outcome.STAGE
    return Outcome.RUN


@pytest.mark.parametrize(("mode", "plan_approved", "destructive", "ceiling", "asks"), EVERY)
def test_every_cell(mode, plan_approved, destructive, ceiling, asks):
    decision = gate(mode, plan_approved=plan_approved, destructive=destructive, ceiling=ceiling, asks=asks)
    wanted = expected(mode, plan_approved, destructive, ceiling, asks)
    if isinstance(wanted, ErrorCode):
        assert (decision.outcome, decision.code) == (Outcome.REFUSE, wanted)
        assert decision.reason
    else:
        assert (decision.outcome, decision.code) == (wanted, None)


def test_a_plan_counts_in_plan_mode_only():
    assert gate(Mode.MANUAL, plan_approved=True).outcome is Outcome.STAGE
    assert gate(Mode.PLAN, plan_approved=True).outcome is Outcome.RUN


def test_the_table_knows_the_tools_of_system_a():
    actions: dict[str, set[str]] = {}
    for tool, action in GATED:
        if tool.startswith("workspace_"):
            actions.setdefault(tool.removeprefix("workspace_"), set()).add(action)
    assert actions == {
        "edit": {"apply", "commit", "rollback"},
        "command": {"run", "start", "write"},
        "vcs": {"init", "add", "commit", "checkout", "branch", "push", "issue_create", "pr_create"},
        "research": {"search", "fetch", "deep"},
        "browser": {"open", "control"},
        "agent": {"run", "start"},
    }
    assert set(GATED.values()) == {"transaction", "command", "vcs", "web", "browser", "agent"}
    assert GATED["workspace_browser", "open"] == "web"


def test_the_tools_of_the_flat_profile_that_write_are_gated_like_edits():
    flat = {(tool, action): kind for (tool, action), kind in GATED.items() if not tool.startswith("workspace_")}
    edits = ("editor_create", "editor_delete", "editor_move", "editor_save")
    writes = ("editor_git_commit", "editor_git_stage", "editor_git_stash", "editor_git_sync", "editor_git_undo_commit")
    assert flat == {(name, name): "transaction" for name in edits} | {(name, name): "vcs" for name in writes}
