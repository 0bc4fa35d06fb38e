"""In the shown file by keys: find, go to a line, save, close."""

from __future__ import annotations

from playwright.sync_api import Page, expect
from tests.page.browsing import Visit
from tests.page.test_files import item, text_of
from tests.page.test_status import told


def opened(visit: Visit, text: str = "one\ntwo\none two\nthree\n") -> Page:
    visit.write("a.txt", text)
    page = visit.sign_in()
    item(page, "a.txt").click()
    expect(text_of(page, "a.txt")).to_be_visible()
    return page


def test_words_are_found_and_replaced(visit: Visit) -> None:
    page = opened(visit)
    page.keyboard.press("Control+F")  # from the tree, too
    field = page.get_by_role("textbox", name="Find")
    expect(field).to_be_focused()
    page.keyboard.type("two")
    expect(page.locator(".cm-searchMatch")).to_have_count(2)
    page.keyboard.press("Enter")
    expect(told(page)).to_contain_text("Line 2 of 5")
    page.keyboard.press("Enter")
    expect(told(page)).to_contain_text("Line 3 of 5")
    page.keyboard.press("Shift+Enter")
    expect(told(page)).to_contain_text("Line 2 of 5")
    page.get_by_role("textbox", name="Replace").fill("2")
    page.get_by_role("button", name="replace all").click()
    expect(text_of(page, "a.txt")).to_contain_text("one 2")
    page.keyboard.press("Escape")
    expect(field).to_have_count(0)
    expect(text_of(page, "a.txt")).to_be_focused()
    page.keyboard.press("Control+S")
    expect(told(page).get_by_text("Saved", exact=True)).to_be_visible()
    assert visit.read("a.txt") == "one\n2\none 2\nthree\n"


def test_a_line_is_gone_to(visit: Visit) -> None:
    page = opened(visit, "".join(f"{number}\n" for number in range(1, 500)))
    page.keyboard.press("Control+G")
    expect(page.get_by_role("textbox", name="Go to line")).to_be_focused()
    page.keyboard.type("321")
    page.keyboard.press("Enter")
    expect(told(page)).to_contain_text("Line 321 of 500")
    expect(text_of(page, "a.txt")).to_be_focused()
    expect(text_of(page, "a.txt").get_by_text("321", exact=True)).to_be_in_viewport()
    page.keyboard.press("Control+G")
    page.keyboard.press("Escape")
    expect(page.get_by_role("textbox", name="Go to line")).to_have_count(0)
    expect(told(page)).to_contain_text("Line 321 of 500")


def test_what_can_only_be_read_is_searched_all_the_same(visit: Visit) -> None:
    page = opened(visit)
    text_of(page, "a.txt").click()
    page.keyboard.press("Control+Home")
    page.keyboard.type("x")
    page.get_by_role("button", name="Unsaved").click()
    expect(page.get_by_role("textbox", name="What isn't saved yet")).to_be_visible()
    page.keyboard.press("Control+F")
    expect(page.get_by_role("textbox", name="Find")).to_be_focused()
    expect(page.get_by_role("textbox", name="Replace")).to_have_count(0)
    page.keyboard.type("three")
    page.keyboard.press("Enter")
    expect(page.locator(".cm-searchMatch-selected")).to_have_text("three")


def test_a_tab_is_closed_and_a_file_saved_from_wherever_the_focus_is(visit: Visit) -> None:
    page = opened(visit)
    text_of(page, "a.txt").click()
    page.keyboard.press("Control+Home")
    page.keyboard.type("mine ")
    page.get_by_role("navigation", name="Views").get_by_role("button", name="Git").click()
    page.keyboard.press("Control+S")
    expect(told(page).get_by_text("Saved", exact=True)).to_be_visible()
    assert visit.read("a.txt").startswith("mine one\n")
    page.keyboard.press("Alt+w")
    expect(page.get_by_role("tab")).to_have_count(0)
    page.keyboard.press("Control+S")  # the browser's own saving helps nobody
    page.keyboard.press("F7")
    expect(page.get_by_role("contentinfo").get_by_role("status")).to_have_text("Nothing is changed here")
