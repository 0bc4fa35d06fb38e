"""The history, and taking entries of it back as the person."""

import pytest

from workroom.base.actor import Actor
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.settings import Settings
from workroom.person import undo
from workroom.person.credential import PersonCredential

ANN = PersonCredential.grant("k", "k", 0, 0, name="ann")


def create(path="a.txt", content="one\n"):
    return {"type": "create", "path": path, "content": content}


def refused(code, do, *arguments, **named):
    with pytest.raises(WorkroomError) as caught:
        do(*arguments, **named)
    assert caught.value.code is code
    return caught.value


@pytest.fixture
def back(house):
    def back(which=None, **options):
        return undo.undo(ANN, house.workspace, which, **options)

    return back


@pytest.fixture
def preview(house):
    def preview(which=None, **options):
        return undo.preview_undo(ANN, house.workspace, which, **options)

    return preview


def test_the_log_is_newest_first(house):
    first, second, third = (house.edit(create(f"{name}.txt")) for name in "abc")
    assert [entry.number for entry in undo.log(ANN, house.workspace)] == [third.number, second.number, first.number]
    assert [entry.number for entry in undo.log(ANN, house.workspace, 1, third.number)] == [second.number]


def test_undoing_is_an_entry_of_the_persons(house, back):
    house.write("a.txt", "one\n", mode=0o755)
    before = house.tree()
    edited = house.edit({"type": "rewrite", "path": "a.txt", "content": "two\n"}, create("b.txt"))
    entry = back()
    assert house.tree() == before
    assert (entry.actor, entry.undoes, entry.decided_by) == (Actor("person", "ann"), edited.number, "ann")
    assert house.tx.entry(edited.number).undone_by == entry.number


@pytest.mark.parametrize("mode", ["manual", "plan", "auto"])
def test_it_is_not_gated(house, back, mode):
    house.edit(create())
    house.settings = Settings(mode=mode, destructive_edits="refuse")
    back()
    assert house.tree() == {}


def test_without_a_name_the_newest_that_is_neither_undone_nor_an_undo(house, back):
    house.edit(create("a.txt"))
    house.edit(create("b.txt"))
    back()
    assert set(house.tree()) == {"a.txt"}
    back()
    assert house.tree() == {}
    refused(ErrorCode.NOT_FOUND, back)


def test_by_transaction_and_by_number(house, back):
    first, second = house.edit(create("a.txt")), house.edit(create("b.txt"))
    back(first.transaction_id)
    assert set(house.tree()) == {"b.txt"}
    back(str(second.number))
    assert house.tree() == {}


def test_an_undo_can_be_undone(house, back):
    house.edit(create())
    undone = back()
    back(undone.transaction_id)
    assert house.read("a.txt") == b"one\n"


def test_what_names_no_entry(house, back):
    entry = house.edit(create())
    refused(ErrorCode.INVALID_INPUT, back, "yesterday\x1b")
    refused(ErrorCode.NOT_FOUND, back, "99")
    refused(ErrorCode.NOT_FOUND, back, "tx_gone")
    back(entry.transaction_id)
    refused(ErrorCode.TRANSACTION_STATE, back, entry.transaction_id)
    planned = house.tx.keep(house.plan(create("b.txt")), ANN.actor)
    assert "never applied" in refused(ErrorCode.TRANSACTION_STATE, back, planned.id).message


def test_later_work_is_not_overwritten_unheard(house, back):
    house.edit(create())
    house.write("a.txt", "mine\n")
    error = refused(ErrorCode.EDIT_CONFLICT, back)
    assert "+mine" in error.details["conflicts"][0]["patch"]
    assert house.read("a.txt") == b"mine\n"
    forced = back(force=True)
    assert house.tree() == {}
    back(forced.transaction_id)
    assert house.read("a.txt") == b"mine\n"


def test_later_work_is_kept_where_both_can_be(house, back, preview):
    house.write("a.txt", "one\ntwo\nthree\n")
    house.edit({"type": "rewrite", "path": "a.txt", "content": "1\ntwo\nthree\n"})
    house.write("a.txt", "1\ntwo\n3\n")
    seen = preview(strategy="merge")
    assert "that stays" in seen.warnings[0]
    back(strategy="merge", fingerprint=seen.fingerprint)
    assert house.read("a.txt") == b"one\ntwo\n3\n"


def test_a_preview_shows_the_paths_and_changes_nothing(house, preview):
    house.write("a.txt", "one\n")
    entry = house.edit({"type": "rewrite", "path": "a.txt", "content": "two\x1b\n"})
    before = house.tree()
    seen = preview()
    assert (seen.entry.number, seen.paths, seen.warnings) == (entry.number, ("a.txt",), ())
    assert "-two\\x1b\n+one" in seen.text
    assert house.tree() == before
    house.write("a.txt", "mine\n")
    assert "changed later" in preview(force=True).warnings[0]


def test_what_was_previewed_is_what_is_done(house, back, preview):
    house.edit(create())
    seen = preview()
    house.edit(create("b.txt"))
    refused(ErrorCode.EDIT_CONFLICT, back, fingerprint=seen.fingerprint)
    assert len(house.tree()) == 2
    back(seen.entry.transaction_id, fingerprint=seen.fingerprint)
    assert set(house.tree()) == {"b.txt"}


def test_an_undo_has_its_views(house, back):
    house.edit(create())
    entry = back()
    assert b"-one" in house.read(f".agentic/transactions/{entry.transaction_id}/changes.diff")


def test_views_that_cant_be_written_stop_no_undo(house, back, caplog):
    house.edit(create())
    place = house.folder / ".agentic/transactions"
    place.rename(house.folder / "moved") if place.exists() else None
    place.symlink_to(house.folder)
    back()
    assert not (house.folder / "a.txt").exists()
    assert "can't be written" in caplog.text
