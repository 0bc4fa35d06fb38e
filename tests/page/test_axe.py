"""axe finds nothing to object to in any state of the page, light and dark."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser
from tests.interfaces.conftest import Room
from tests.page.browsing import Visit, visiting
from tests.page.conftest import port_of
from tests.page.scenes import play
from tests.page.test_files import item
from tests.page.test_media import png, put
from tools.build_page import WEB

_AXE = "() => axe.run().then(({violations}) => violations.map(one => [one.id, one.nodes.map(node => node.html)]))"


def files(visit: Visit) -> Iterator[str]:
    """The name of each way in which a file is shown that isn't edited, while the page shows it."""
    visit.ask("settings.set", key="editor_max_file_bytes", value=2_000)
    put(visit, "a.png", png(30, 20))
    put(visit, "b.zip", b"PK\3\4\0")
    put(visit, "c.png", png(1, 1)[:20])
    visit.write("d.md", "# Hi\n\n![near](a.png) ![far](//x/y.png)\n")
    visit.write("e.txt", "a line\n" * 1_000)
    page = visit.sign_in()
    main = page.get_by_role("main")
    for name, says in (("a.png", "30"), ("b.zip", "A binary file"), ("c.png", "can't be shown")):
        item(page, name).click()
        main.get_by_text(says).first.wait_for()
        yield name
    item(page, "d.md").click()
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("img", name="near").wait_for()
    yield "d.md"
    page.keyboard.press("Control+Shift+O")
    page.get_by_role("option", name="Hi heading, line 1").wait_for()
    yield "symbols"
    page.keyboard.press("Escape")
    item(page, "e.txt").click()
    page.get_by_role("group", name="Part of the file").wait_for()
    yield "e.txt"
    page.get_by_label("Line or byte").fill("5000")
    page.get_by_role("button", name="Go to line").click()
    main.get_by_role("alert").wait_for()
    yield "a refusal"


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize(("states", "count"), [(play, 31), (files, 7)], ids=["play", "files"])
def test_axe_finds_no_violation(
    chromium: Browser,
    guest: Room,
    shared_port: dict[str, int],
    colours: str,
    states: Callable[[Visit], Iterator[str]],
    count: int,
) -> None:
    axe = (WEB / "node_modules/axe-core/axe.min.js").read_text()
    found: dict[str, object] = {}
    with visiting(chromium, guest, port_of(guest, shared_port), color_scheme=colours) as visit:
        for state in states(visit):
            if not visit.page.evaluate("'axe' in window"):
                visit.page.evaluate(axe)
            found[state] = visit.page.evaluate(_AXE)
    assert len(found) == count
    assert {state: violations for state, violations in found.items() if violations} == {}, json.dumps(found, indent=1)
