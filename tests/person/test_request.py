"""What a request is about: the plan as it was asked for, and what was done with it once it was used."""

import pytest
from tests.person.test_decisions import Desk, refused

from workroom.base.errors import ErrorCode
from workroom.base.settings import Settings
from workroom.person.request import asked_for, is_editable, planned_of


@pytest.fixture
def desk(house):
    house.settings = Settings(mode="manual", destructive_edits="ask")
    return Desk(house)


def record_of(desk, approval_id):
    return desk.house.workspace.approvals.get(approval_id)


def test_a_commit_whole_and_in_part_before_and_after(desk, house):
    operations = [{"type": "create", "path": name, "content": "x\n"} for name in "ab"]
    answer = desk.ask(action="apply", operations=operations)
    whole = record_of(desk, answer.data["approval"]["id"])
    assert is_editable(whole)
    assert list(asked_for(house.workspace, whole).change_set.paths()) == ["a", "b"]
    part = desk.ask(action="commit", transaction_id=answer.data["transactionId"], files=["b"]).data["approval"]["id"]
    assert list(planned_of(house.workspace, record_of(desk, part)).change_set.paths()) == ["b"]
    desk.accept(part)
    assert list(planned_of(house.workspace, record_of(desk, part)).change_set.paths()) == ["b"]
    refused(ErrorCode.EDIT_CONFLICT, asked_for, house.workspace, whole)
    refused(ErrorCode.TRANSACTION_STATE, asked_for, house.workspace, record_of(desk, part))


def test_an_undo_before_and_after(desk, house):
    entry = house.edit({"type": "create", "path": "a", "content": "x\n"})
    undo = desk.ask(action="rollback", transaction_id=entry.transaction_id).data["approval"]["id"]
    assert planned_of(house.workspace, record_of(desk, undo)).undoes == entry.number
    assert not is_editable(record_of(desk, undo))
    refused(ErrorCode.UNSUPPORTED, asked_for, house.workspace, record_of(desk, undo))
    desk.accept(undo)
    assert planned_of(house.workspace, record_of(desk, undo)).undoes == entry.number
