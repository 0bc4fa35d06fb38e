"""What is known of folders that are watched."""

from __future__ import annotations

from workroom.system.hearing import Hearing, moment

A, B = (1, 10), (1, 11)


def test_moments_only_grow():
    assert moment() < moment()


def test_a_folder_is_silent_since_it_was_watched_or_heard_of_last():
    hearing = Hearing()
    early = moment()
    hearing.watch("a", A)
    at = moment()
    assert hearing.silent("a", A, at)
    assert not hearing.silent("a", A, early), "it may have changed before it was watched"
    assert not hearing.silent("a", B, at), "it is another folder"
    assert not hearing.silent("b", B, at)
    hearing.hear("a", "x")
    assert not hearing.silent("a", A, at)
    assert hearing.silent("a", A, moment())


def test_a_name_that_was_heard_of_is_another_folder():
    hearing = Hearing()
    for folder in (".", "a", "a/b", "ab"):
        hearing.watch(folder, A)
    hearing.hear(".", "a")
    hearing.hear("a", "b")
    at = moment()
    assert [hearing.silent(folder, A, at) for folder in (".", "a", "a/b", "ab")] == [True, False, False, True]


def test_whether_nothing_was_heard_at_all():
    hearing = Hearing()
    acts = (
        lambda: hearing.watch("a", A),
        lambda: hearing.hear("a", "x"),
        lambda: hearing.hear("unknown", "x"),
        hearing.doubt,
        lambda: hearing.drop("a"),
        hearing.lose,
    )
    for act in acts:
        at = moment()
        assert hearing.silent_all(at)
        act()
        assert not hearing.silent_all(at)
    at = moment()
    hearing.drop("a")
    assert hearing.silent_all(at), "it wasn't watched"


def test_what_is_in_doubt_has_to_be_looked_at_again():
    hearing = Hearing()
    hearing.watch("a", A)
    at = moment()
    hearing.doubt()
    assert not hearing.silent("a", A, at)
    assert hearing.silent("a", A, moment())
    hearing.lose()
    assert not hearing.silent("a", A, moment())


def test_an_older_watch_says_nothing_of_a_newer():
    Hearing().watch("a", A)
    at = moment()
    newer = Hearing()
    newer.watch("a", A)
    assert not newer.silent("a", A, at)
    assert not newer.silent_all(at)
