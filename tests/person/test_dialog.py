"""A word through a client's own dialog: for whom, about what, and for how much."""

import pytest

from workroom.base.actor import Actor
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.settings import Settings
from workroom.core.approvals import Status
from workroom.person import decisions, dialog
from workroom.person.credential import PersonCredential
from workroom.tools.dispatch import call
from workroom.tools.tool import Call

ANN = PersonCredential.grant("k", "k", 0, 0, name="ann")
AGENT = Actor("agent", "claude", "session-1")
CREATE = {"type": "create", "path": "a.txt", "content": "new\n"}


@pytest.fixture
def staged(house):
    """Stages what an agent asks for; answers the approval's id."""
    house.settings = Settings(mode="manual", destructive_edits="ask", elicitation_clients=("claude",))

    def stage(*operations, actor=AGENT):
        arguments = {"action": "apply", "operations": list(operations or (CREATE,))}
        return call(Call(house.workspace, actor), "workspace_edit", arguments).data["approval"]["id"]

    return stage


def refused(code, *arguments, **named):
    with pytest.raises(WorkroomError) as caught:
        dialog.decide(*arguments, **named)
    assert caught.value.code is code
    return str(caught.value)


def test_a_yes_runs_what_was_shown(house, staged):
    asked = dialog.ask(house.workspace, "claude", staged())
    assert (asked.client, "+new" in asked.message, "agent claude" in asked.message) == ("claude", True, True)
    decided = dialog.decide(house.workspace, "claude", asked.approval_id, asked.sha256, accepted=True)
    assert decided.record.status is Status.CONSUMED
    assert decided.record.decided_by == "person through claude"
    assert decided.record.note == "answered in the dialog of claude"
    assert house.read("a.txt") == b"new\n"


def test_a_no_blocks_it(house, staged):
    asked = dialog.ask(house.workspace, "claude", staged())
    decided = dialog.decide(house.workspace, "claude", asked.approval_id, asked.sha256, accepted=False)
    assert decided.record.status is Status.DENIED
    assert house.tree() == {}


def test_what_a_dialog_showed_is_not_what_the_person_was_shown_last(house, staged):
    first = staged()
    staged({**CREATE, "path": "b.txt"})
    decisions.show(ANN, house.workspace, first)
    dialog.ask(house.workspace, "claude", first)
    assert house.workspace.approvals.last_shown("ann") == first
    with pytest.raises(WorkroomError) as ambiguous:
        decisions.accept(ANN, house.workspace)
    assert ambiguous.value.code is ErrorCode.AMBIGUOUS_APPROVAL


@pytest.mark.parametrize(
    "operations",
    [
        [{"type": "delete", "path": "old.txt"}],
        [{"type": "rewrite", "path": ".mcp.json", "content": "{}"}],
        [{"type": "create", "path": "Makefile", "content": "all:\n"}],
        [{"type": "create", "path": "deep/conftest.py", "content": "x = 1\n"}],
        [{"type": "create", "path": "long.txt", "content": "line\n" * 2_000}],
    ],
    ids=["destructive", "asked about", "Makefile", "conftest", "long"],
)
def test_what_no_dialog_decides(house, staged, operations):
    house.write("old.txt", "old\n")
    house.write(".mcp.json", "[]\n")
    approval_id = staged(*operations)
    assert dialog.ask(house.workspace, "claude", approval_id) is None
    sha = decisions.show(ANN, house.workspace, approval_id).sha256
    refused(ErrorCode.PROTECTED_PATH, house.workspace, "claude", approval_id, sha, accepted=True)
    assert house.workspace.approvals.get(approval_id).status is Status.PENDING


def test_a_plan_is_no_matter_of_a_dialog(house, staged):
    plan = {"action": "propose", "title": "Tidy", "objective": "Less.", "steps": ["one"]}
    plan_id = call(Call(house.workspace, AGENT), "workspace_plan", plan).data["planId"]
    assert dialog.ask(house.workspace, "claude", plan_id) is None


def test_only_the_client_that_asked_and_that_is_allowed(house, staged):
    approval_id = staged()
    asked = dialog.ask(house.workspace, "claude", approval_id)
    house.settings = Settings(mode="manual", elicitation_clients=("claude", "codex"))
    assert dialog.ask(house.workspace, "codex", approval_id) is None
    told = refused(ErrorCode.PROTECTED_PATH, house.workspace, "codex", approval_id, asked.sha256, accepted=True)
    assert "another client asked" in told
    house.settings = Settings(mode="manual")
    assert dialog.ask(house.workspace, "claude", approval_id) is None
    told = refused(ErrorCode.PROTECTED_PATH, house.workspace, "claude", approval_id, asked.sha256, accepted=True)
    assert "elicitation_clients" in told
    assert house.tree() == {}


def test_what_was_shown_is_what_is_decided(house, staged):
    asked = dialog.ask(house.workspace, "claude", staged())
    refused(ErrorCode.EDIT_CONFLICT, house.workspace, "claude", asked.approval_id, "0" * 64, accepted=True)
    decisions.deny(ANN, house.workspace, asked.approval_id)
    told = refused(ErrorCode.PROTECTED_PATH, house.workspace, "claude", asked.approval_id, asked.sha256, accepted=True)
    assert "it is denied" in told
    assert house.tree() == {}
