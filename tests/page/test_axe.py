"""axe finds nothing to object to in any state of the page, light and dark."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Browser
from tests.interfaces.conftest import Room
from tests.page.browsing import visiting
from tests.page.conftest import port_of
from tests.page.scenes import play
from tools.build_page import WEB

_AXE = "() => axe.run().then(({violations}) => violations.map(one => [one.id, one.nodes.map(node => node.html)]))"


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_axe_finds_no_violation(chromium: Browser, guest: Room, shared_port: dict[str, int], colours: str) -> None:
    axe = (WEB / "node_modules/axe-core/axe.min.js").read_text()
    found: dict[str, object] = {}
    with visiting(chromium, guest, port_of(guest, shared_port), color_scheme=colours) as visit:
        for state in play(visit):
            if not visit.page.evaluate("'axe' in window"):
                visit.page.evaluate(axe)
            found[state] = visit.page.evaluate(_AXE)
    assert len(found) == 31
    assert {state: violations for state, violations in found.items() if violations} == {}, json.dumps(found, indent=1)
