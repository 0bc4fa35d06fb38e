"""Which entries are in force, through undos of undos and rewinds."""

from __future__ import annotations

import random

import pytest

from workroom.core.transactions import marks


def edit(house, number):
    return house.edit({"type": "create", "path": f"f{number}", "content": f"{number}\n"})


def in_force(house, *entries):
    """Which of the entries are in force, by what the history says, and by their transactions' status."""
    found = [house.tx.entry(entry.number).undone_by is None for entry in entries]
    assert [house.tx.get(entry.transaction_id).status == "applied" for entry in entries] == found
    return found


def test_each_undo_of_an_undo_turns_all_below_it_round(house):
    first = edit(house, 1)
    undos = [first]
    for depth in range(1, 6):
        undos.append(house.undo(undos[-1].transaction_id))
        assert in_force(house, *undos) == [(depth - place) % 2 == 0 for place in range(depth + 1)], depth
        assert (house.folder / "f1").exists() == (depth % 2 == 0)


def test_what_an_undo_took_back_can_be_taken_back_anew(house):
    first = edit(house, 1)
    back = house.undo(first.transaction_id)
    forth = house.undo(back.transaction_id)
    again = house.undo(first.transaction_id)
    assert in_force(house, first, back, forth, again) == [False, False, True, True]
    assert house.tx.entry(first.number).undone_by == again.number


@pytest.fixture
def take_back(house):
    """Marks entries as taken back by one; answers the transactions that are no longer in force."""

    def take(entry, *taken):
        with house.workspace.store.write() as db:
            return marks.take_back(db, [each.number for each in taken], entry.number)

    return take


def test_a_rewind_leaves_what_was_in_force_before_in_force(house, take_back):
    """Entry 5 is undone by 8; 9 takes back all from 8 on."""
    five = edit(house, 5)
    eight = house.undo(five.transaction_id)
    nine = edit(house, 9)
    assert take_back(nine, eight) == [eight.transaction_id]
    assert in_force(house, five, eight) == [True, False]
    ten = edit(house, 10)
    take_back(ten, nine)
    assert in_force(house, five, eight, nine) == [False, True, False]
    eleven = edit(house, 11)
    take_back(eleven, ten)
    assert in_force(house, five, eight, nine, ten) == [True, False, True, False]


def test_a_rewind_over_an_undo_and_what_it_undid_takes_both(house, take_back):
    five = edit(house, 5)
    eight = house.undo(five.transaction_id)
    nine = edit(house, 9)
    assert sorted(take_back(nine, five, eight)) == sorted([five.transaction_id, eight.transaction_id])
    assert in_force(house, five, eight) == [False, False]
    ten = edit(house, 10)
    take_back(ten, nine)
    assert in_force(house, five, eight) == [False, True]
    assert house.tx.entry(five.number).undone_by == eight.number


def test_what_is_undone_already_stays_undone_by_the_same(house, take_back):
    five = edit(house, 5)
    eight = house.undo(five.transaction_id)
    take_back(edit(house, 9), five)
    assert house.tx.entry(five.number).undone_by == eight.number


def test_rewinds_over_rewinds_cost_no_more_than_what_they_take(house, take_back):
    entries = [edit(house, 0)]
    for number in range(1, 40):
        entries.append(edit(house, number))
        take_back(entries[-1], *entries[:-1])
    assert in_force(house, *entries) == [False] * 39 + [True]
    last = edit(house, 40)
    take_back(last, entries[-1])
    assert in_force(house, *entries) == [False] * 38 + [True, False]


def test_taking_back_what_was_taken_back_last_is_as_if_nothing_had_been(house, take_back):
    """Any row of takings-back, undone one after the other from the end, leads back through the same states."""
    rng = random.Random(3)
    entries = [edit(house, number) for number in range(6)]
    states, takers = [in_force(house, *entries)], []
    for number in range(6, 14):
        entries.append(edit(house, number))
        standing = [entry for entry in entries[:-1] if house.tx.entry(entry.number).undone_by is None]
        take_back(entries[-1], *rng.sample(standing, min(2, len(standing))))
        takers.append(entries[-1])
        states.append(in_force(house, *entries[:6]))
    for number, taker in enumerate(reversed(takers), 14):
        assert in_force(house, *entries[:6]) == states.pop()
        take_back(edit(house, number), taker)
    assert in_force(house, *entries[:6]) == states.pop()
