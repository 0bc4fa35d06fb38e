"""A state directory, a folder, and the folders of a server over them."""

from __future__ import annotations

import pytest

from workroom.server.hub import Hub
from workroom.system.state import StateDirectory


@pytest.fixture
def state(tmp_path):
    made = StateDirectory(tmp_path / "state")
    made.make()
    return made


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "ws"
    made.mkdir()
    return made


@pytest.fixture
def hub(state):
    made = Hub(state)
    yield made
    made.stop(10)
