"""Images under a quota: the oldest are forgotten first, and the entry says so."""

from __future__ import annotations

import hashlib

import pytest
from tests.conftest import AGENT

from workroom.base.changes import ABSENT, Change, ChangeSet, Kind, State
from workroom.base.errors import ErrorCode, WorkroomError
from workroom.base.settings import Settings
from workroom.core.transactions.images import Images, held, needed_by

QUOTA = 1_000_000


@pytest.fixture
def small(house):
    house.settings = Settings(mode="auto", destructive_edits="allow", history_quota_bytes=QUOTA)
    return house


def fill(house, name: str, size: int = 300_000):
    """An entry whose images hold `size` bytes, settled."""
    entry = house.edit({"type": "create", "path": name, "content": name[0] * size})
    house.time += 100
    house.tx.settle()
    return entry


def test_the_empty_image_is_always_there(house):
    assert house.tx.image(hashlib.sha256(b"").hexdigest()) == b""
    assert house.tx.image("0" * 64) is None


def test_the_oldest_are_forgotten_first_and_the_entry_says_so(small):
    entries = [fill(small, name) for name in "abcde"]
    assert [small.tx.entry(entry.number).forgotten for entry in entries] == [True, True, False, False, False]
    assert small.workspace.store.images_bytes() <= QUOTA
    small.undo(entries[1].transaction_id)  # what it made can be taken away without an image
    assert not (small.folder / "b").exists()


def test_an_undo_that_needs_a_forgotten_image_is_refused(small):
    small.write("f", "x" * 200_000)
    entry = small.edit({"type": "delete", "path": "f"})
    for name in "abcd":
        small.time += 100
        small.tx.settle()
        fill(small, name)
    assert small.tx.entry(entry.number).forgotten
    before = small.tree()
    with pytest.raises(WorkroomError) as caught:
        small.undo(entry.transaction_id)
    assert caught.value.code is ErrorCode.NOT_FOUND
    assert small.tree() == before


def test_an_image_that_a_later_entry_needs_is_kept(small):
    first, second = fill(small, "a"), fill(small, "b")
    third = small.edit({"type": "delete", "path": "a"})
    fill(small, "c", 600_000)
    assert [small.tx.entry(entry.number).forgotten for entry in (first, second, third)] == [True, True, False]
    small.undo(third.transaction_id)
    assert small.read("a") == b"a" * 300_000


def test_one_content_of_many_entries_counts_once(small):
    entries = [fill(small, "a")]
    entries += [small.edit({"type": "copy", "from": "a", "to": f"copy{number}"}) for number in range(6)]
    fill(small, "b")
    fill(small, "c")
    assert not any(small.tx.entry(entry.number).forgotten for entry in entries)


def test_what_is_not_settled_is_not_forgotten(small):
    small.write("f", "x" * 300_000)
    first = small.edit({"type": "rewrite", "path": "f", "content": "y" * 300_000})
    small.edit({"type": "rewrite", "path": "f", "content": "z" * 300_000})
    small.edit({"type": "rewrite", "path": "f", "content": "w" * 300_000})
    assert not small.tx.entry(first.number).forgotten
    small.reopen()
    small.edit({"type": "create", "path": "g", "content": "g"})
    assert small.tx.entry(first.number).forgotten


def test_a_transaction_larger_than_the_quota_is_refused_with_the_figure(small):
    with pytest.raises(WorkroomError) as caught:
        small.plan({"type": "create", "path": "f", "content": "x" * (QUOTA + 1)})
    assert caught.value.code is ErrorCode.LIMIT_EXCEEDED
    assert "1,000,001" in caught.value.message
    assert caught.value.details == {"bytes": QUOTA + 1, "limit": QUOTA}


def test_what_fills_the_quota_to_the_last_byte_fits(small):
    entry = fill(small, "a", 400_000)
    plan = small.tx.keep(plan_of(small, "b", 300_000), AGENT)
    rest = small.tx.keep(plan_of(small, "c", 300_000), AGENT)
    assert small.workspace.store.images_bytes() == QUOTA
    assert not small.tx.entry(entry.number).forgotten
    assert [small.tx.get(each.id).status for each in (plan, rest)] == ["planned", "planned"]
    small.tx.keep(plan_of(small, "d", 1), AGENT)  # one byte more takes the place of the oldest plan
    assert small.workspace.store.images_bytes() == 700_001
    assert small.tx.get(rest.id).status == "planned"


def test_no_more_entries_are_forgotten_than_it_takes(small):
    entries = [fill(small, name, 250_000) for name in "abcd"]
    assert small.workspace.store.images_bytes() == QUOTA
    small.edit({"type": "create", "path": "e", "content": "e" * 250_001})
    assert [small.tx.entry(entry.number).forgotten for entry in entries] == [True, True, False, False]
    assert small.workspace.store.images_bytes() == 750_001


def test_a_plan_that_is_waited_for_and_others_that_are_dropped_are_told(house):
    store, images = house.workspace.store, Images(house.workspace.store)
    plans = [house.tx.keep(plan_of(house, name, 400_000), AGENT, waits=name == "a") for name in "abc"]
    with store.write() as db:
        dropped = images.keep(db, plan_of(house, "d", 400_000), 1_200_000, commits=False)
    assert dropped == (plans[1].id,)
    with store.write() as db:
        assert images.keep(db, plan_of(house, "e", 1), 2_000_000, commits=False) == ()


def test_the_empty_content_is_kept_without_being_written(house):
    images, empty = Images(house.workspace.store), hashlib.sha256(b"").hexdigest()
    assert (images.get(empty), images.has(empty), tuple(images.pieces(empty))) == (b"", True, (b"",))
    assert (images.get("0" * 64), images.has("0" * 64), images.pieces("0" * 64)) == (None, False, None)
    house.edit({"type": "create", "path": "none", "content": ""}, {"type": "create", "path": "f", "content": "x"})
    x = hashlib.sha256(b"x").hexdigest()
    assert (images.get(x), images.has(x), tuple(images.pieces(x))) == (b"x", True, (b"x",))
    with house.workspace.store.read() as db:
        assert [row[0] for row in db.execute("SELECT sha256 FROM images")] == [x]
        assert [row[0] for row in db.execute("SELECT sha256 FROM image_refs")] == [x]


def test_what_a_change_set_needs_and_what_of_it_is_held():
    def state(sha):
        return State(Kind.FILE, sha, 1)

    empty = hashlib.sha256(b"").hexdigest()
    change_set = ChangeSet(
        (Change("a", state("1"), state("2")), Change("b", ABSENT, state(empty)), Change("c", state("3"), ABSENT))
    )
    assert needed_by(change_set) == {"1", "2", "3"}
    assert held(change_set, {"1": b"x", "2": b"", "4": b"y"}.get) == {"1": b"x", "2": b""}


def test_one_content_of_many_plans_is_held_once(house):
    store, images = house.workspace.store, Images(house.workspace.store)
    for name in "abc":
        planned = house.plan({"type": "create", "path": name, "content": "x" * 400_000})
        with store.write() as db:
            images.keep(db, planned, QUOTA, commits=True)
    assert store.images_bytes() == 400_000
    with store.write() as db:
        assert db.execute("SELECT COUNT(*) FROM image_refs").get == 3


def test_a_plan_takes_nothing_from_the_history(small):
    small.write("f", "x" * 200_000)
    entry = small.edit({"type": "delete", "path": "f"})
    small.time += 100
    small.tx.settle()
    plans = [small.tx.keep(plan_of(small, name, 300_000), AGENT) for name in "abcd"]
    assert small.workspace.store.images_bytes() <= QUOTA
    assert not small.tx.entry(entry.number).forgotten
    with pytest.raises(WorkroomError) as caught:
        small.tx.get(plans[0].id)  # the oldest plans made room
    assert caught.value.code is ErrorCode.NOT_FOUND
    assert not (small.folder / ".agentic/transactions" / plans[0].id).exists()
    assert [small.tx.get(plan.id).status for plan in plans[2:]] == ["planned", "planned"]  # no more than it took


def test_a_plan_that_finds_no_room_is_refused_and_applied_it_is_made(small):
    small.write("f", "x" * 500_000)
    entry = small.edit({"type": "delete", "path": "f"})
    small.time += 100
    small.tx.settle()
    planned = plan_of(small, "g", 600_000)
    with pytest.raises(WorkroomError) as caught:
        small.tx.keep(planned, AGENT)
    assert caught.value.code is ErrorCode.LIMIT_EXCEEDED
    assert caught.value.message == (
        "The plan's images don't fit beside the history: 1,100,000 bytes, and the quota (history_quota_bytes) is "
        "1,000,000."
    )
    assert "raise the quota" in caught.value.next_step
    assert not small.tx.entry(entry.number).forgotten
    small.commit(planned)
    assert small.tx.entry(entry.number).forgotten


def plan_of(house, name, size):
    return house.plan({"type": "create", "path": name, "content": name * size})


def test_a_part_and_its_rest_need_just_what_they_change(small):
    """What the part alone needs goes with the part; the whole makes no room by being dropped while a part commits."""
    lines = "".join(f"{n:019}\n" for n in range(7_500))
    small.write("a", lines)
    small.write("b", "b" * 100_000)
    whole = small.tx.keep(
        small.plan(
            {"type": "rewrite", "path": "a", "content": f"first\n{lines}last\n"},
            {"type": "rewrite", "path": "b", "content": "c" * 100_000},
        ),
        AGENT,
    )
    entries = [fill(small, name, 200_000) for name in "gh"]  # now the quota is all but full
    planned = small.tx.get(whole.id).planned
    hunk = small.tx.hunks(planned)["a"][0].id
    entry = small.commit(small.tx.part(planned, small.tx.select(planned, [], [hunk])))
    assert [small.tx.entry(each.number).forgotten for each in entries] == [True, False]

    def refs(transaction_id):
        with small.workspace.store.read() as db:
            sql = "SELECT sha256 FROM image_refs WHERE transaction_id = ?"
            return {row[0] for row in db.execute(sql, (transaction_id,))}

    changed = {change.path: (change.before.sha256, change.after.sha256) for change in planned.change_set.changes}
    middle = entry.changes[0].after.sha256
    assert refs(entry.transaction_id) == {changed["a"][0], middle}
    assert refs(whole.id) == {middle, changed["a"][1], *changed["b"]}
    small.commit(small.tx.get(whole.id).planned)
    assert small.read("a") == f"first\n{lines}last\n".encode()
