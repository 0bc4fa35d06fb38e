"""An approval is used once, in time, by its asker, for what was shown: by functions, where a clock can be turned."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.conftest import AGENT

from workroom.base.actor import Actor
from workroom.base.changes import Permit
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.settings import Settings
from workroom.core.approvals import LIFETIME_SECONDS, Status
from workroom.person import decisions
from workroom.person.credential import PersonCredential
from workroom.tools.dispatch import call
from workroom.tools.tool import Call

ANN = PersonCredential.grant("k", "k", 0, 0, name="ann")
CREATE = {"type": "create", "path": "a.txt", "content": "a\n"}


@pytest.fixture
def ask(house):
    house.settings = Settings(mode="manual", destructive_edits="ask")

    def run(actor=AGENT, **arguments):
        arguments = arguments or {"action": "apply", "operations": [CREATE]}
        return call(Call(house.workspace, actor), "workspace_edit", arguments)

    return run


def refused(do, *arguments, **named):
    with pytest.raises(WorkroomError) as caught:
        do(*arguments, **named)
    return caught.value.code


@pytest.mark.parametrize("hold", [True, False])
def test_a04_an_expired_approval_is_none(house, ask, hold):
    approval = ask().data["approval"]
    if hold:
        decisions.accept(ANN, house.workspace, hold=True)
    house.time += LIFETIME_SECONDS
    assert house.workspace.approvals.get(approval["id"]).status is Status.EXPIRED
    assert refused(decisions.accept, ANN, house.workspace, approval["id"]) is ErrorCode.TRANSACTION_STATE
    assert refused(decisions.accept, ANN, house.workspace, approval["id"], files=["a.txt"]) is (
        ErrorCode.TRANSACTION_STATE
    )
    contents = {"a.txt": "mine\n"}
    assert refused(decisions.accept_edited, ANN, house.workspace, approval["id"], contents) is (
        ErrorCode.TRANSACTION_STATE
    )
    again = ask(**approval["resume"]["arguments"])
    assert (again.data["status"], again.data["approval"]["id"] != approval["id"]) == ("pending_approval", True)
    assert house.tree() == {}


@pytest.mark.parametrize("how", [{"files": ["a.txt"]}, "edited"])
def test_a04_a_held_yes_to_a_part_or_an_edit_expires_too(house, ask, how):
    operations = [CREATE, {**CREATE, "path": "b.txt"}]
    approval = ask(action="apply", operations=operations).data["approval"]
    if how == "edited":
        decisions.accept_edited(ANN, house.workspace, "", {"a.txt": "mine\n"}, hold=True)
    else:
        decisions.accept(ANN, house.workspace, hold=True, **how)
    house.time += LIFETIME_SECONDS
    for answer in (ask(action="apply", operations=operations), ask(**approval["resume"]["arguments"])):
        assert answer.data["status"] == "pending_approval"
        assert answer.data["approval"]["id"] != approval["id"]
    assert house.tree() == {}


def test_a04_a_replayed_permit_is_refused(house, ask):
    """Who held on to what the gate once gave has nothing in hand: it is used, and bound to one change set."""
    approval = ask().data["approval"]
    decisions.accept(ANN, house.workspace)
    other = house.plan({**CREATE, "path": "b.txt"})
    replayed = Permit(other.fingerprint, "approval", approval["id"], "ann")
    assert refused(house.tx.commit, other, replayed, AGENT) is ErrorCode.TRANSACTION_STATE
    forged = Permit(house.tx.history(1)[0].transaction_id, "approval", "approval_new", "ann")
    assert refused(house.tx.commit, other, forged, AGENT) is ErrorCode.APPROVAL_REQUIRED
    assert house.tree().keys() == {"a.txt"}


def test_a04_another_sessions_yes_is_not_this_ones_while_it_is_there(house, ask):
    approvals = house.workspace.approvals
    mine, theirs = Actor("agent", "claude", "session_a"), Actor("agent", "claude", "session_b")
    for actor in (mine, theirs):
        approvals.arrive(actor.session)
    approval = ask(mine).data["approval"]
    decisions.accept(ANN, house.workspace, approval["id"], hold=True)
    assert ask(theirs, **approval["resume"]["arguments"]).data["approval"]["id"] != approval["id"]
    assert house.tree() == {}
    approvals.leave(mine.session)
    assert ask(Actor("agent", "claude", "session_c"), **approval["resume"]["arguments"]).data["committed"]


@pytest.mark.parametrize("how", ["whole", "part", "edited"])
def test_a05_ten_uses_at_once_are_one(house, ask, how):
    operations = [CREATE, {**CREATE, "path": "b.txt"}]
    approval = ask(action="apply", operations=operations).data["approval"]
    if how == "whole":
        decisions.accept(ANN, house.workspace, hold=True)
    elif how == "part":
        decisions.accept(ANN, house.workspace, hold=True, files=["a.txt"])
    else:
        decisions.accept_edited(ANN, house.workspace, "", {"a.txt": "mine\n"}, hold=True)
    calls = [approval["resume"]["arguments"], {"action": "apply", "operations": operations}] * 5
    with ThreadPoolExecutor(10) as pool:
        list(pool.map(lambda arguments: ask(**arguments), calls))
    assert len(house.tx.history(99)) == 1
    assert house.workspace.approvals.get(approval["id"]).status is Status.CONSUMED
    assert house.tree().keys() == ({"a.txt"} if how == "part" else {"a.txt", "b.txt"})
    assert house.read("a.txt") == (b"mine\n" if how == "edited" else b"a\n")


def test_a05_ten_commits_under_one_approval_are_one(house, ask):
    """Beneath the gate: ten different plans, one approval id; the store lets one of them use it."""
    approval = ask().data["approval"]
    house.workspace.approvals.approve(approval["id"], "ann")
    plans = [house.plan({**CREATE, "path": f"f{n}"}) for n in range(10)]

    def commit(planned):
        try:
            house.tx.commit(planned, Permit(planned.fingerprint, "approval", approval["id"], "ann"), AGENT)
        except WorkroomError as error:
            return error.code
        return None

    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(commit, plans))
    assert sorted(map(str, answers)) == ["None", *["TRANSACTION_STATE"] * 9]
    assert len(house.tree()) == 1
