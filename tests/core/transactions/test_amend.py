"""What the person makes of a plan: its own paths with other contents, and nothing that wasn't asked for."""

import pytest
from tests.conftest import AGENT

from workroom.base.errors import ErrorCode, WorkroomError
from workroom.core.transactions.amend import check_editable


@pytest.fixture
def kept(house):
    def make(*operations):
        return house.tx.get(house.tx.keep(house.plan(*operations), AGENT).id).planned

    return make


def create(path, content="x\n"):
    return {"type": "create", "path": path, "content": content}


def test_the_amended_plan_has_the_dangers_and_folders_of_the_plan(house, kept):
    house.write("a", "a\n")
    house.write("b", "b\n")
    planned = kept(
        {"type": "rewrite", "path": "a", "content": "aa\n"}, {"type": "rewrite", "path": "b", "content": "bb\n"},
        create("d/.mcp.json"), create(".npmrc"), {"type": "mkdir", "path": "e"},
    )  # fmt: skip
    amended = house.tx.amend(planned, {"a": b"a\n", "b": b"one\ntwo\n"}, "ann")
    new = amended.planned
    assert list(new.change_set.paths()) == [".npmrc", "b", "d", "d/.mcp.json", "e"]
    assert [(danger.operation, danger.path) for danger in new.dangers] == [("rewrite", "b")]
    assert new.asks == planned.asks
    assert new.directories == planned.directories
    assert new.operations == ({"type": "edited", "of": planned.id, "by": "ann", "files": ["a", "b"]},)
    assert (new.idempotency_key, new.kept, new.part, amended.rest) == (None, False, None, None)
    change = next(change for change in new.change_set.changes if change.path == "b")
    assert (change.added, change.removed) == (2, 1)
    assert "-bb\n+one\n+two\n" in amended.derived.patch
    assert new.fingerprint != planned.fingerprint


def test_it_is_kept_in_place_of_the_plan_together_with_the_decision(house, kept):
    planned = kept(create("a"))
    amended = house.tx.amend(planned, {"a": b"y\n"}, "ann")

    def fail():
        raise RuntimeError

    with pytest.raises(RuntimeError):
        house.tx.supersede(amended, AGENT, fail)
    assert house.tx.get(planned.id).status == "planned"
    new = house.tx.supersede(amended, AGENT, lambda: None)
    assert (house.tx.get(planned.id).status, house.tx.get(new.id).status) == ("superseded", "planned")
    house.reopen()
    house.commit(house.tx.get(new.id).planned)
    assert house.read("a") == b"y\n"
    with pytest.raises(WorkroomError) as caught:
        house.tx.supersede(amended, AGENT, lambda: None)
    assert caught.value.code is ErrorCode.TRANSACTION_STATE


def test_what_can_be_edited(house, kept):
    house.write("old", "x\n")
    planned = kept(create("a"), {"type": "move", "from": "old", "to": "new"}, {"type": "mkdir", "path": "d"})
    assert check_editable(planned, "a") == ""
    assert "only moves" in check_editable(planned, "new")
    assert "no file" in check_editable(planned, "old")
    assert "no file" in check_editable(planned, "d")
