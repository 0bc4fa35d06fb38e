from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from workroom.base.actor import Actor


def test_an_actor_is_a_value() -> None:
    assert Actor("agent", "claude-code", "s1") == Actor("agent", "claude-code", "s1")
    assert Actor("agent", "claude-code", "s1") != Actor("person", "claude-code", "s1")
    assert Actor("program", "git").session == ""


def test_an_actor_cannot_become_another() -> None:
    with pytest.raises(FrozenInstanceError):
        Actor("agent", "claude-code").kind = "person"
