"""A file is opened by letters of its path, and no slow answer takes the place of a newer one."""

from __future__ import annotations

import re
import time

from playwright.sync_api import Locator, Page, Route, expect
from tests.page.browsing import Visit
from tests.page.test_files import item, text_of, tree_of


def asked(page: Page) -> Locator:
    page.keyboard.press("Control+P")
    dialog = page.get_by_role("dialog", name="Open a file")
    expect(dialog.get_by_role("combobox")).to_be_focused()
    return dialog


def test_a_file_is_opened_by_letters_of_its_path(visit: Visit) -> None:
    visit.write("src/app/main.py", "print(1)\n")
    visit.write("docs/é/main.md", "hello\n")
    page = visit.sign_in()
    dialog = asked(page)
    page.keyboard.type("apmain")
    option = dialog.get_by_role("option")
    expect(option).to_have_count(1)
    expect(option).to_have_accessible_name("src/app/main.py")
    assert "".join(option.locator("mark").all_text_contents()) == "apmain"
    expect(dialog.get_by_role("status")).to_have_text("1 file fits.")
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    expect(text_of(page, "src/app/main.py")).to_be_focused()
    asked(page)
    page.keyboard.type("émd")
    expect(option).to_have_count(1)  # the rows of the query before stand until this one is answered
    expect(option).to_have_accessible_name("docs/é/main.md")
    assert "".join(option.locator("mark").all_text_contents()) == "émd"  # counted in bytes there, in characters here
    option.click()
    expect(text_of(page, "docs/é/main.md")).to_be_focused()
    expect(page.get_by_role("tab")).to_have_count(2)


def test_arrows_choose_and_escape_goes_back(visit: Visit) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        visit.write(name, f"{name}\n")
    page = visit.sign_in()
    expect(item(page, "a.txt")).to_be_visible()
    tree_of(page).focus()
    dialog = asked(page)
    expect(dialog.get_by_role("option")).to_have_count(3)
    first = dialog.get_by_role("option", selected=True).text_content()
    page.keyboard.press("ArrowUp")
    last = dialog.get_by_role("option", selected=True)
    expect(last).not_to_have_accessible_name(str(first))
    chosen = dialog.get_by_role("combobox").get_attribute("aria-activedescendant")
    assert chosen == last.get_attribute("id")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(tree_of(page)).to_be_focused()
    asked(page)
    expect(dialog.get_by_role("option")).to_have_count(3)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(text_of(page, str(first))).to_be_focused()


def test_the_newest_query_counts_however_slow_an_answer_is(visit: Visit) -> None:
    visit.write("old.txt", "old\n")
    visit.write("new.txt", "new\n")
    page = visit.sign_in()
    dialog = asked(page)
    expect(dialog.get_by_role("option")).to_have_count(2)

    def slowly(route: Route) -> None:
        if '"editor_find"' in (route.request.post_data or ""):
            time.sleep(0.3)
        route.continue_()

    page.route("**/page/v1/call", slowly)
    page.keyboard.type("old")
    page.keyboard.press("Control+A")
    page.keyboard.type("new")
    page.keyboard.press("Enter")
    expect(text_of(page, "new.txt")).to_be_focused()
    expect(page.get_by_role("tab")).to_have_count(1)


def test_what_fits_nothing_or_too_much_is_said(visit: Visit) -> None:
    for number in range(60):
        visit.write(f"many/file{number}.txt", "x\n")
    page = visit.sign_in()
    dialog = asked(page)
    page.keyboard.type("file")
    expect(dialog.get_by_role("option")).to_have_count(50)
    expect(dialog.get_by_role("status")).to_have_text("The best 50; more fit.")
    page.keyboard.type("zzz")
    expect(dialog.get_by_role("status")).to_have_text("No file fits.")
    expect(dialog.get_by_role("option")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(dialog).to_be_visible()
    page.route("**/page/v1/call", lambda route: route.abort())
    page.keyboard.press("Backspace")
    expect(dialog.get_by_role("alert")).to_contain_text("can't be reached")


def test_the_cursor_stays_where_it_stood(visit: Visit) -> None:
    visit.write("long.txt", "one\ntwo\nthree\n")
    page = visit.sign_in()
    item(page, "long.txt").click()
    text_of(page, "long.txt").click()
    for key in ("Control+Home", "ArrowDown", "End"):
        page.keyboard.press(key)
    asked(page)
    page.keyboard.type("long")
    page.keyboard.press("Enter")
    expect(text_of(page, "long.txt")).to_be_focused()
    page.keyboard.type(" typed")
    expect(text_of(page, "long.txt")).to_contain_text(re.compile("two typed"))


def test_no_dialog_is_opened_over_another(visit: Visit) -> None:
    page = visit.sign_in()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("Ctrl+P")
    page.keyboard.press("Control+P")
    expect(page.get_by_role("dialog")).to_have_count(1)
