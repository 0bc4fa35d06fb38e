from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workroom.base.changes import ABSENT, Change, ChangeSet, Danger, Kind, Permit, State, digest

OLD = State(Kind.FILE, "a" * 64, 3, 0o644)
NEW = State(Kind.FILE, "b" * 64, 5, 0o644)
CHANGE = Change("a.txt", OLD, NEW)
SET = ChangeSet((CHANGE,))

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


def test_nothing_is_a_state() -> None:
    assert State(Kind.ABSENT) == ABSENT
    assert (ABSENT.sha256, ABSENT.size, ABSENT.mode) == ("", 0, None)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (OLD, True),
        (replace(OLD, mode=0o755), True),
        (NEW, False),
        (replace(OLD, kind=Kind.SYMLINK), False),
        (ABSENT, False),
    ],
)
def test_same_content_is_kind_and_bytes(other: State, *, same: bool) -> None:
    assert OLD.same_content(other) is same


def test_a_change_set_lists_its_paths() -> None:
    assert list(ChangeSet((CHANGE, Change("b", ABSENT, NEW))).paths()) == ["a.txt", "b"]
    assert list(ChangeSet(()).paths()) == []


def test_a_fingerprint_is_the_same_for_the_same_change_set() -> None:
    assert SET.fingerprint("apply") == ChangeSet((Change("a.txt", OLD, NEW),)).fingerprint("apply")
    assert len(SET.fingerprint()) == 64


@pytest.mark.parametrize(
    "other",
    [
        replace(CHANGE, path="b.txt"),
        replace(CHANGE, before=replace(OLD, sha256="c" * 64)),
        replace(CHANGE, before=replace(OLD, mode=0o600)),
        replace(CHANGE, before=ABSENT),
        replace(CHANGE, after=replace(NEW, sha256="c" * 64)),
        replace(CHANGE, after=replace(NEW, mode=0o755)),
        replace(CHANGE, after=replace(NEW, kind=Kind.SYMLINK)),
        replace(CHANGE, origin="c.txt"),
    ],
)
def test_a_fingerprint_is_of_everything_that_a_commit_does(other: Change) -> None:
    assert ChangeSet((other,)).fingerprint() != SET.fingerprint()


def test_a_fingerprint_is_of_its_parts_and_of_each_apart() -> None:
    prints = [SET.fingerprint(*parts) for parts in ((), ("a",), ("a", "b"), ("ab",), ("b", "a"), ("",))]
    assert len(set(prints)) == len(prints)


def test_how_an_edit_matched_is_not_part_of_what_it_does() -> None:
    told = ChangeSet((replace(CHANGE, matched="indent", added=None, removed=9),))
    assert told.fingerprint() == SET.fingerprint()


def test_an_effect_is_of_what_stands_before_and_after_and_of_no_way_there() -> None:
    effect = SET.effect()
    assert len(effect) == 64
    ways = [
        replace(CHANGE, origin="c.txt"),
        replace(CHANGE, like="c.txt"),
        replace(CHANGE, matched="indent"),
        replace(CHANGE, after=replace(NEW, mode=0o600)),
        replace(CHANGE, after=replace(NEW, mode=None)),
    ]
    for same in ways:
        assert ChangeSet((same,)).effect() == effect
    others = [
        replace(CHANGE, path="b.txt"),
        replace(CHANGE, before=replace(OLD, sha256="c" * 64)),
        replace(CHANGE, before=replace(OLD, mode=0o600)),
        replace(CHANGE, before=ABSENT),
        replace(CHANGE, after=replace(NEW, sha256="c" * 64)),
        replace(CHANGE, after=replace(NEW, mode=0o755)),
        replace(CHANGE, after=replace(NEW, kind=Kind.SYMLINK)),
    ]
    assert len({effect, *(ChangeSet((other,)).effect() for other in others)}) == len(others) + 1


def test_what_changes_nothing_has_no_effect() -> None:
    assert ChangeSet(()).effect() == ""


def test_a_danger_may_have_no_alternative() -> None:
    assert Danger("delete", "a.txt").alternative == ""


def test_a_permit_may_come_without_an_approval() -> None:
    permit = Permit("f", "auto")
    assert (permit.approval_id, permit.decided_by) == (None, "")


@given(value=json_values)
def test_a_digest_is_sha256_of_a_canonical_text(value: Any) -> None:
    assert digest(value) == digest(value)
    assert digest([value]) != digest([[value]])


def test_a_digest_does_not_depend_on_the_order_of_keys() -> None:
    assert digest({"b": 1, "a": 2}) == digest({"a": 2, "b": 1})
    assert digest({"a": "ü"}) == hashlib.sha256(b'{"a":"\\u00fc"}').hexdigest()
    assert len(digest("\udcff")) == 64  # a name that is not text
