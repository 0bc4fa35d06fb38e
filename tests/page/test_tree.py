"""The tree where folders are huge or deep: quick, driven by keys, and told to screen readers as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect
from tests.page.browsing import Visit
from tests.page.test_files import item, tree_of

FILES = 30_000
LISTED = 20_000
DEEP = 40


@pytest.fixture
def huge(visit: Visit) -> Visit:
    """A folder of tens of thousands of files, and one that goes deep."""
    folder = Path(visit.room.folder, "many")
    folder.mkdir()
    for number in range(FILES):
        Path(folder, f"file-{number:05}.txt").touch()
    visit.write("/".join(["deep", *(f"level-{level}" for level in range(DEEP)), "end.txt"]), "end\n")
    visit.write("zebra.txt", "z\n")
    return visit


def marked(page: Page) -> Locator:
    return tree_of(page).get_by_role("treeitem", selected=True)


def drawn(page: Page) -> int:
    return tree_of(page).get_by_role("treeitem").count()


def test_a_folder_of_tens_of_thousands_of_files_is_driven_by_keys(huge: Visit) -> None:
    page = huge.sign_in()
    item(page, "many").click()
    expect(item(page, "file-00000.txt")).to_be_visible()
    assert drawn(page) < 100
    tree_of(page).focus()
    page.keyboard.press("ArrowDown")
    expect(marked(page)).to_have_attribute("aria-posinset", "1")
    expect(marked(page)).to_have_attribute("aria-level", "2")
    expect(marked(page)).to_have_attribute("aria-setsize", str(LISTED + 1))
    page.keyboard.press("End")
    expect(marked(page)).to_have_accessible_name("zebra.txt")
    expect(marked(page)).to_be_in_viewport()
    expect(marked(page)).to_have_attribute("aria-setsize", "3")
    expect(marked(page)).to_have_attribute("aria-posinset", "3")
    page.keyboard.press("ArrowUp")
    expect(marked(page)).to_have_accessible_name(f"Only the first {LISTED} are listed")
    page.keyboard.press("Home")
    expect(marked(page)).to_have_accessible_name("deep")
    page.keyboard.type("file-1")
    expect(marked(page)).to_have_accessible_name("file-10000.txt")
    expect(marked(page)).to_be_in_viewport()
    page.wait_for_timeout(800)  # what is typed after a pause begins anew
    page.keyboard.type("z")
    expect(marked(page)).to_have_accessible_name("zebra.txt")
    page.keyboard.press("PageUp")
    expect(marked(page)).not_to_have_accessible_name("zebra.txt")
    assert drawn(page) < 100
    took = page.evaluate("""async () => {
        const tree = document.querySelector('[role=tree]');
        const begun = performance.now();
        for (let at = 0; at < 20; at++) {
            tree.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowUp', bubbles: true}));
            await new Promise(requestAnimationFrame);
        }
        return (performance.now() - begun) / 20;
    }""")
    assert took < 200, f"{took} ms for a key"


def test_a_deep_tree_goes_down_level_by_level(huge: Visit) -> None:
    page = huge.sign_in()
    expect(item(page, "deep")).to_be_visible()
    tree_of(page).focus()
    page.keyboard.press("Home")
    expect(marked(page)).to_have_accessible_name("deep")
    for level in range(DEEP):
        page.keyboard.press("ArrowRight")
        expect(marked(page)).to_have_attribute("aria-expanded", "true")
        expect(item(page, f"level-{level}")).to_have_attribute("aria-level", str(level + 2))
        page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(item(page, "end.txt")).to_have_attribute("aria-level", str(DEEP + 2))
    assert drawn(page) < 100
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


def test_what_is_folded_is_not_fetched_after_a_large_change(visit: Visit) -> None:
    for name in ("shown", "folded"):
        visit.write(f"{name}/one.txt", "one\n")
    visit.ask("mode", mode="auto")
    page = visit.sign_in()
    for name in ("folded", "folded", "shown"):
        item(page, name).click()
    expect(item(page, "one.txt")).to_have_count(1)
    asked: list[str] = []

    def hear(body: str | None) -> None:
        if body and "editor_tree" in body:
            asked.append(body)

    page.on("request", lambda request: hear(request.post_data))
    many = [
        {"type": "create", "path": f"{where}/{n}.txt", "content": "x\n"}
        for n in range(10)
        for where in ("shown", "folded")
    ]
    visit.edit(*many)
    expect(item(page, "9.txt")).to_have_count(1)
    assert any('"shown"' in body for body in asked)
    assert not any('"folded"' in body for body in asked)
    item(page, "folded").click()
    expect(item(page, "9.txt")).to_have_count(2)


def test_a_file_is_moved_by_keys(visit: Visit) -> None:
    visit.write("a.txt", "a\n")
    visit.write("box/b.txt", "b\n")
    page = visit.sign_in()
    expect(item(page, "a.txt")).to_be_visible()
    tree_of(page).focus()
    page.keyboard.press("End")
    page.keyboard.press("Control+X")
    expect(page.get_by_text("a.txt is taken up.")).to_be_visible()
    page.keyboard.press("Home")
    expect(marked(page)).to_have_accessible_name("box")
    page.keyboard.press("Control+V")
    expect(page.get_by_text("Moved a.txt to box/a.txt.")).to_be_visible()
    assert visit.read("box/a.txt") == "a\n"
    page.keyboard.press("Control+V")
    page.keyboard.press("Control+X")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+V")
    expect(page.get_by_text("box is taken up.")).to_be_visible()
    assert visit.read("box/a.txt") == "a\n"


def test_a_folder_that_is_on_its_way_says_so(visit: Visit) -> None:
    visit.write("a/one.txt", "1\n")
    page = visit.sign_in()
    expect(item(page, "a")).to_be_visible()
    held: list[Route] = []

    def hold(route: Route) -> None:
        if '"expand":["a"]' in (route.request.post_data or ""):
            held.append(route)
        else:
            route.continue_()

    page.route("**/page/v1/call", hold)
    item(page, "a").click()
    expect(item(page, "a")).to_have_attribute("aria-busy", "true")
    name = item(page, "a").locator(".tree-name")
    said = "(it) => getComputedStyle(it, '::after').content"
    assert name.evaluate(said) == '" loading…"'
    held.pop().continue_()
    expect(item(page, "one.txt")).to_be_visible()
    assert name.evaluate(said) == "none"
