"""Commands are found by words of their title; none of them decides."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect
from tests.page.browsing import Visit


def asked(page: Page, words: str, key: str = "Control+Shift+P") -> Locator:
    page.keyboard.press(key)
    dialog = page.get_by_role("dialog", name="Run a command")
    expect(dialog.get_by_role("combobox")).to_be_focused()
    page.keyboard.type(words)
    return dialog


def test_commands_are_run_by_words_of_their_title(visit: Visit) -> None:
    page = visit.sign_in()
    dialog = asked(page, "git show")
    expect(dialog.get_by_role("option")).to_have_text(["Show: Git"])
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Git")).to_be_focused()
    asked(page, "colours", "F1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name=re.compile("Colours"))).to_have_accessible_name("Colours: light")
    asked(page, "open file").get_by_role("option").click()
    expect(page.get_by_role("dialog", name="Open a file").get_by_role("combobox")).to_be_focused()
    page.wait_for_timeout(200)
    expect(page.get_by_role("dialog")).to_have_count(1)
    page.keyboard.press("Escape")
    asked(page, "mode")
    page.keyboard.press("Enter")
    expect(page.get_by_role("radio", name="Manual")).to_be_focused()
    assert visit.ask("mode")["mode"] == "manual"
    dialog = asked(page, "accept")
    expect(dialog.get_by_role("status")).to_have_text("No command fits.")
