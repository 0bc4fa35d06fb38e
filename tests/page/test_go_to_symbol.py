"""A definition in the file that is shown is gone to by letters of its name."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect
from tests.page.browsing import Visit
from tests.page.test_files import item, text_of

ROOM = "import os\n\n\nclass Room:\n    def open(self):\n        pass\n\n    def close(self):\n        pass\n"


def asked(page: Page) -> Locator:
    page.keyboard.press("Control+Shift+O")
    dialog = page.get_by_role("dialog", name="Go to a symbol")
    expect(dialog.get_by_role("combobox")).to_be_focused()
    return dialog


def shown(visit: Visit, path: str, text: str) -> Page:
    visit.write(path, text)
    page = visit.sign_in()
    item(page, path).click()
    text_of(page, path).click()
    return page


def at(page: Page) -> Locator:
    return page.get_by_text(re.compile(r"^Line \d+ of"))


def test_a_symbol_is_gone_to_by_letters_of_its_name(visit: Visit) -> None:
    page = shown(visit, "a.py", ROOM)
    dialog = asked(page)
    options = dialog.get_by_role("option")
    expect(options).to_have_text(["Room class, line 4", "open method, line 5", "close method, line 8"])
    expect(dialog.get_by_role("status")).to_have_text("3 symbols.")
    page.keyboard.type("clo")
    expect(options).to_have_count(1)
    assert "".join(options.locator("mark").all_text_contents()) == "clo"
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    expect(text_of(page, "a.py")).to_be_focused()
    expect(at(page)).to_contain_text("Line 8 of")


def test_what_was_typed_counts(visit: Visit) -> None:
    page = shown(visit, "a.py", ROOM)
    page.keyboard.press("Control+Home")
    page.keyboard.type("def typed(): pass\n")
    dialog = asked(page)
    expect(dialog.get_by_role("option").first).to_have_text("typed function, line 1")
    page.keyboard.type("room")
    expect(dialog.get_by_role("option")).to_have_text(["Room class, line 5"])
    dialog.get_by_role("option").click()
    expect(at(page)).to_contain_text("Line 5 of")


def test_names_that_begin_so_come_first_and_letters_may_lie_apart(visit: Visit) -> None:
    page = shown(visit, "a.py", "def reopen(): pass\ndef o_pen(): pass\ndef open_it(): pass\n")
    dialog = asked(page)
    page.keyboard.type("open")
    names = ["open_it function, line 3", "reopen function, line 1", "o_pen function, line 2"]
    expect(dialog.get_by_role("option")).to_have_text(names)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(text_of(page, "a.py")).to_be_focused()


def test_what_there_isnt_is_said(visit: Visit) -> None:
    visit.write("b.py", "def f(:\n\n\nx = 1\n")
    visit.write("c.py", "".join(f"X{number} = 1\n" for number in range(600)))
    page = shown(visit, "a.txt", "just text\n")
    dialog, told = asked(page), page.get_by_role("dialog", name="Go to a symbol").get_by_role("status")
    expect(told).to_have_text("Nothing is known of this file: no grammar.")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    item(page, "b.py").click()
    text_of(page, "b.py").click()
    asked(page)
    expect(told).to_contain_text("Not all of the file could be read.")
    page.keyboard.type("zzz")
    expect(told).to_contain_text("None fits.")
    page.keyboard.press("Escape")
    item(page, "c.py").click()
    text_of(page, "c.py").click()
    asked(page)
    expect(told).to_have_text("The first 500 of 600 symbols.")
    expect(dialog.get_by_role("option")).to_have_count(500)
    page.keyboard.type("X599")
    expect(dialog.get_by_role("option")).to_have_text(["X599 constant, line 600"])


def test_an_at_sign_leads_there_from_quick_open(visit: Visit) -> None:
    page = shown(visit, "a.py", ROOM)
    page.keyboard.press("Control+P")
    expect(page.get_by_role("dialog", name="Open a file").get_by_role("combobox")).to_be_focused()
    page.keyboard.type("@")
    dialog = page.get_by_role("dialog", name="Go to a symbol")
    expect(dialog.get_by_role("combobox")).to_be_focused()
    page.keyboard.type("close")
    expect(dialog.get_by_role("option")).to_have_text(["close method, line 8"])
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(text_of(page, "a.py")).to_be_focused()
    expect(at(page)).to_contain_text("Line 8 of")


def test_where_no_file_is_shown_there_is_nothing_to_go_to(visit: Visit) -> None:
    visit.write("a.py", ROOM)
    page = visit.sign_in()
    expect(item(page, "a.py")).to_be_visible()
    page.keyboard.press("Control+Shift+O")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("Control+Shift+P")
    expect(page.get_by_role("option", name="Go to: Line")).to_have_count(0)
    expect(page.get_by_role("option", name="Go to: Symbol")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("Control+P")
    page.keyboard.type("@")
    expect(page.get_by_role("dialog", name="Open a file").get_by_role("combobox")).to_have_value("@")
