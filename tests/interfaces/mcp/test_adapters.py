from __future__ import annotations

import pytest

from workroom.base.settings import Settings
from workroom.interfaces.mcp.adapters import ADAPTERS, limits_of
from workroom.interfaces.mcp.eras import REVISIONS
from workroom.tools.catalog import PROFILES


@pytest.mark.parametrize("name", ADAPTERS)
def test_a_known_client_narrows_what_the_settings_allow_and_widens_nothing(name):
    limits = limits_of(name)
    wide = limits.narrow(Settings(max_tool_result_chars=1_000_000, wait_seconds_workspace=3_600, wait_seconds_files=0))
    assert wide.max_tool_result_chars == limits.result_chars
    assert 0 < wide.wait_seconds_workspace < limits.call_seconds, "we answer before the client gives up"
    assert wide.wait_seconds_files == 0
    strict = Settings(max_tool_result_chars=2_000, wait_seconds_workspace=1)
    assert limits.narrow(strict) == strict


def test_a_client_that_nobody_drove_gets_what_the_settings_say():
    assert limits_of("somebody new") is None


@pytest.mark.parametrize("name", ADAPTERS)
def test_every_tool_has_a_name_that_fits_after_the_client_has_lengthened_it(name):
    adapter = ADAPTERS[name]
    for tools in PROFILES.values():
        for tool in tools:
            lengthened = adapter.tool_name.replace("SERVER", "workroom").replace("TOOL", tool.name)
            assert len(lengthened) <= 64


@pytest.mark.parametrize("name", ADAPTERS)
def test_a_client_that_shows_structured_content_speaks_a_revision_that_has_it(name):
    adapter = ADAPTERS[name]
    assert (adapter.shows == "text") or adapter.revision >= "2025-06-18"
    assert adapter.revision >= REVISIONS[-1]
