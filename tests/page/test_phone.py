"""A phone is 380 px wide: nothing is cut off at its side, in whatever view."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from tests.page.browsing import PHONE, Visit
from tests.page.test_states import ready

LONG = "a-name-that-is-longer-than-a-phone-is-wide-" * 3


_WIDE = """width => [...document.querySelectorAll('*')]
    .filter(one => one.checkVisibility() && !one.closest('.sr') && one.getBoundingClientRect().right > width + 1)
    .filter(one => {
        for (let above = one.parentElement; above; above = above.parentElement)
            if (['auto', 'hidden', 'scroll'].includes(getComputedStyle(above).overflowX)) return false;
        return true;
    })
    .map(one => `${one.tagName} ${one.className}`)"""


def fits(page: Page) -> None:
    """Nothing reaches beyond the window that isn't cut or scrolled by what it stands in."""
    assert page.evaluate(_WIDE, PHONE["width"]) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_nothing_reaches_beyond_the_side_in_any_view(visit: Visit) -> None:
    ready(visit)
    visit.write(f"{LONG}/{LONG}.txt", "x" * 500 + "\n")
    visit.ask("mode", mode="auto")
    visit.edit({"type": "create", "path": f"made-{LONG}.txt", "content": "x" * 500}, title=LONG)
    page = visit.page
    page.set_viewport_size(PHONE)
    visit.sign_in()
    views = page.get_by_role("navigation", name="Views")
    for name in ("Inbox", "Files", "Search", "Changes", "Git"):
        views.get_by_role("button", name=name).click()
        expect(page.get_by_role("region", name=name, exact=True)).to_be_visible()
        fits(page)
    page.get_by_role("button", name="kept.txt, modified").click()
    expect(page.get_by_role("button", name="Stage hunk 1")).to_be_visible()
    fits(page)
    views.get_by_role("button", name="Changes").click()
    page.get_by_role("button", name=LONG).first.click()
    expect(page.get_by_role("button", name="Undo this")).to_be_visible()
    fits(page)
    views.get_by_role("button", name="Files").click()
    page.get_by_role("treeitem", name="kept.txt").click()
    expect(page.get_by_role("textbox", name="Text of kept.txt")).to_be_visible()
    fits(page)
    views.get_by_role("button", name="Inbox").click()
    page.get_by_role("button", name="Say new").click()
    expect(page.get_by_role("button", name="Approve for later")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("button", name="Accept all")).to_be_in_viewport(ratio=1)
    fits(page)
    page.get_by_role("button", name="Edit first").click()
    expect(page.get_by_role("textbox", name="new.txt, to be edited")).to_be_visible()
    fits(page)
    views.get_by_role("button", name="Inbox").click()
    page.get_by_role("button", name="Settings").click()
    expect(page.get_by_role("heading", name="Settings")).to_be_visible()
    fits(page)
    page.keyboard.press("Control+P")
    expect(page.get_by_role("dialog")).to_be_visible()
    fits(page)


@pytest.mark.parametrize("width", [380, 1024])
def test_what_stands_above_a_text_fits_the_window(visit: Visit, width: int) -> None:
    path = "deep/" + "a-long-name-" * 8 + ".md"
    visit.write(path, "# Long\n")
    page = visit.sign_in()
    page.keyboard.press("Control+P")
    page.keyboard.type("long")
    expect(page.get_by_role("dialog").get_by_role("option")).to_have_count(1)
    page.keyboard.press("Enter")
    document = page.get_by_role("article", name=path)
    expect(document).to_be_visible()
    page.set_viewport_size({"width": width, "height": 740})
    edge = document.evaluate("(it) => it.getBoundingClientRect().right")
    for name in ("Edit", "Since commit", "Save"):
        place = document.get_by_role("button", name=name, exact=True).bounding_box()
        assert place is not None
        assert place["x"] + place["width"] <= edge
