"""The services that tools work on."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from workroom.base.settings import Settings


def test_settings_are_read_at_each_call(house):
    house.settings = Settings(mode="manual")
    assert house.workspace.settings().mode == "manual"
    house.settings = Settings(mode="auto")
    assert house.workspace.settings().mode == "auto"


def test_a_workspace_is_put_together_once(house):
    with pytest.raises(FrozenInstanceError):
        house.workspace.root = None
