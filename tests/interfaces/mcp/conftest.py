"""The threads that conversations run their calls on."""

from __future__ import annotations

import pytest

from workroom.server.hub import Hub
from workroom.system.state import StateDirectory


@pytest.fixture
def hub(tmp_path):
    state = StateDirectory(tmp_path / "server")
    state.make()
    hub = Hub(state)
    yield hub
    assert hub.stop(10)
