"""Going back, as the person: what names a moment, what limits it, and that the preview is what is done."""

import pytest

from workroom.base.actor import Actor
from workroom.base.changes import Permit
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.settings import Settings
from workroom.person import rewind
from workroom.person.credential import PersonCredential
from workroom.system.clock import iso

ANN = PersonCredential.grant("k", "k", 0, 0, name="ann")


def create(path, content="one\n"):
    return {"type": "create", "path": path, "content": content}


def refused(code, do, *arguments, **named):
    with pytest.raises(WorkroomError) as caught:
        do(*arguments, **named)
    assert caught.value.code is code
    return caught.value


@pytest.fixture
def back(house):
    def back(to, *only, **options):
        return rewind.rewind(ANN, house.workspace, str(to), only, **options)

    return back


@pytest.fixture
def preview(house):
    def preview(to, *only, **options):
        return rewind.preview_rewind(ANN, house.workspace, str(to), only, **options)

    return preview


def test_an_entry_is_named_by_number_by_transaction_or_by_time(house, back):
    first = house.edit(create("a"))
    house.time += 100
    between = iso(house.time)
    house.time += 100
    house.edit(create("b"))
    for to in (str(first.number), first.transaction_id, between, between.replace("Z", "+00:00")):
        done = back(to)
        assert set(house.tree()) == {"a"}
        house.undo(done.transaction_id)
        assert set(house.tree()) == {"a", "b"}
    back("1999-12-31T23:59:00+01:00")
    assert house.tree() == {}


@pytest.mark.parametrize("mode", ["manual", "plan", "auto"])
def test_it_is_an_entry_of_the_persons_and_not_gated(house, back, mode):
    house.edit(create("a"))
    house.settings = Settings(mode=mode, destructive_edits="refuse")
    entry = back(0)
    assert (entry.actor, entry.cause, entry.decided_by) == (Actor("person", "ann"), "rewind", "ann")
    assert b"-one" in house.read(f".agentic/transactions/{entry.transaction_id}/changes.diff")


def test_what_names_no_moment(house, back):
    house.edit(create("a"))
    for wrong in ("yesterday\x1b", "12:30", "2026-11-30T12:00:00", "-1", ""):
        assert "\x1b" not in refused(ErrorCode.INVALID_INPUT, back, wrong).message
    refused(ErrorCode.NOT_FOUND, back, 99)
    refused(ErrorCode.NOT_FOUND, back, "tx_gone")
    planned = house.tx.keep(house.plan(create("b")), ANN.actor)
    refused(ErrorCode.TRANSACTION_STATE, back, planned.id)


def test_it_is_limited_to_paths_and_actors(house, back):
    house.edit(create("src/a"), create("b"))
    planned = house.plan(create("src/mine"), create("mine"))
    house.tx.commit(planned, Permit(planned.fingerprint, "test"), ANN.actor)
    back(0, f"{house.folder}/src", "agent:tester")
    assert {path for path, held in house.tree().items() if held} == {"b", "src/mine", "mine"}
    back(0, "person:")  # the rewind was hers as well
    assert {path for path, held in house.tree().items() if held} == {"b", "src/a"}
    refused(ErrorCode.PATH_OUTSIDE_WORKSPACE, back, 0, "/etc")
    assert refused(ErrorCode.NOT_FOUND, back, 0, "person:bob").details["nothing"] is True


def test_what_was_previewed_is_what_is_done(house, back, preview):
    first = house.edit(create("a"))
    second = house.edit({"type": "rewrite", "path": "a", "content": "two\x1b\n"}, create("b"))
    before = house.tree()
    seen = preview(first.number)
    assert (seen.to, seen.taken, seen.paths, seen.warnings) == (first.number, (second.number,), ("a", "b"), ())
    assert "-two\\x1b\n+one" in seen.text
    assert seen.title == "Rewind to after entry 1"
    assert house.tree() == before
    house.edit(create("c"))
    refused(ErrorCode.EDIT_CONFLICT, back, first.number, fingerprint=seen.fingerprint)
    back(first.number, fingerprint=preview(first.number).fingerprint)
    assert set(house.tree()) == {"a"}


def test_other_work_is_not_overwritten_unheard(house, back, preview):
    house.write("a", "1\n2\n3\n")
    house.edit({"type": "rewrite", "path": "a", "content": "one\n2\n3\n"})
    house.write("a", "one\n2\nthree\n")
    assert "+three" in refused(ErrorCode.EDIT_CONFLICT, back, 0).details["conflicts"][0]["patch"]
    assert "that stays" in preview(0, strategy="merge").warnings[0]
    back(0, strategy="merge")
    assert house.read("a") == b"1\n2\nthree\n"
