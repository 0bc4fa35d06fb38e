"""Every key that the help sheet lists does what the sheet says."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect
from tests.page.browsing import Visit
from tests.page.test_files import item, text_of
from tests.page.test_status import told
from tests.repositories import repository


def selected(page: Page, name: str) -> None:
    expect(page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")


def shown(page: Page, name: str) -> None:
    """A dialog, which is closed again."""
    expect(page.get_by_role("dialog", name=name)).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_every_key_of_the_help_sheet_does_something(visit: Visit) -> None:
    repository(visit.room.folder, **{"a.txt": "one\n", "b.txt": "b\n"})
    visit.write("a.txt", "one\ntwo\n")
    visit.write("box/c.txt", "c\n")
    page = visit.sign_in()
    for name in ("b.txt", "a.txt"):
        item(page, name).click()
        expect(text_of(page, name)).to_be_visible()
    page.keyboard.press("?")
    sheet = page.get_by_role("dialog", name="Keys").get_by_role("term")
    expect(sheet.first).to_be_visible()
    listed = sheet.all_text_contents()
    page.keyboard.press("Escape")
    does: dict[str, Callable[[], object]] = {
        "F6": lambda: expect(page.locator("[data-part]:focus")).to_have_count(1),
        "Alt+I": lambda: expect(page.get_by_role("region", name="Inbox")).to_be_focused(),
        "Ctrl+P": lambda: shown(page, "Open a file"),
        "Ctrl+Shift+F": lambda: expect(page.get_by_label("Look for")).to_be_focused(),
        "Ctrl+Shift+P": lambda: shown(page, "Run a command"),
        "Ctrl+F": lambda: expect(page.get_by_role("textbox", name="Find")).to_be_focused(),
        "Ctrl+G": lambda: expect(page.get_by_role("textbox", name="Go to line")).to_be_focused(),
        "Ctrl+Shift+O": lambda: shown(page, "Go to a symbol"),
        "F7": lambda: expect(told(page)).to_contain_text("Line 2 of"),
        "Shift+F7": lambda: expect(page.get_by_text("Change 1 of 1: 1 line added")).to_be_visible(),
        "Alt+PageDown": lambda: selected(page, "b.txt"),
        "Alt+PageUp": lambda: selected(page, "a.txt"),
        "?": lambda: shown(page, "Keys"),
    }
    apart = ["Ctrl+S", "Ctrl+X, Ctrl+V", "F2", "Delete", "Alt+W"]
    assert sorted(listed) == sorted([*does, *apart]), "a key of the sheet is without its test"
    for key, is_done in does.items():
        if key == "?":
            page.get_by_role("tab", name="a.txt").focus()
        page.keyboard.press(key.replace("Ctrl", "Control"))
        is_done()
    _those_that_change(visit, page)


def _those_that_change(visit: Visit, page: Page) -> None:
    page.get_by_role("navigation", name="Views").get_by_role("button", name="Files").click()
    text_of(page, "a.txt").click()
    page.keyboard.type("x")
    expect(told(page)).to_contain_text("Not saved")
    page.keyboard.press("Control+S")
    expect(told(page).get_by_text("Saved", exact=True)).to_be_visible()
    page.keyboard.press("Alt+W")
    expect(page.get_by_role("tab", name="a.txt")).to_have_count(0)
    item(page, "b.txt").click()
    page.get_by_role("tree", name="Files").focus()
    page.keyboard.press("F2")
    expect(page.get_by_label("New name")).to_be_focused()
    page.keyboard.press("Escape")
    page.get_by_role("tree", name="Files").focus()
    page.keyboard.press("Control+X")
    item(page, "box").click()
    page.keyboard.press("Control+V")
    expect(page.get_by_text("Moved b.txt to box/b.txt.")).to_be_visible()
    item(page, "c.txt").click()
    page.get_by_role("tree", name="Files").focus()
    page.keyboard.press("Delete")
    expect(page.get_by_text("Deleted box/c.txt.")).to_be_visible()
