"""A conflict, decided hunk by hunk: both sides in view, by keys alone, and nothing lost when theirs moves on."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect
from tests.page.browsing import Visit
from tests.page.test_files import item, text_of, type_at_start

LINES = [f"line {number}\n" for number in range(1, 41)]


def in_conflict(visit: Visit) -> Page:
    """Line 1 is changed by the person; 20 and 30 by an agent."""
    visit.write("a.txt", "".join(LINES))
    visit.ask("mode", mode="auto")
    page = visit.sign_in()
    item(page, "a.txt").click()
    type_at_start(page, "a.txt", "mine ")
    replace = {"type": "replace", "path": "a.txt"}
    visit.edit(
        {**replace, "search": "line 20\n", "replacement": "theirs 20\n"},
        {**replace, "search": "line 30\n", "replacement": "theirs 30\n"},
    )
    expect(page.get_by_role("alert").filter(has_text="changed this file")).to_be_visible()
    return page


def merging(page: Page) -> Locator:
    page.get_by_role("button", name="Merge…").press("Enter")
    dialog = page.get_by_role("dialog", name="Merge a.txt")
    expect(dialog.get_by_role("button", name="Next change")).to_be_focused()
    expect(dialog.get_by_role("status")).to_have_text("Change 1 of 3: 1 line changed")
    return dialog


def test_hunks_are_taken_one_by_one_by_keys_alone(visit: Visit) -> None:
    page = in_conflict(visit)
    dialog = merging(page)
    expect(dialog.get_by_role("textbox", name="On disk")).to_contain_text("theirs 20")
    expect(dialog.get_by_role("textbox", name="Yours")).to_contain_text("mine line 1")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("status")).to_have_text("Change 2 of 3: 1 line changed")
    page.keyboard.press("F7")
    expect(dialog.get_by_role("status")).to_have_text("Change 3 of 3: 1 line changed")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("status")).to_have_text("Change 2 of 3: 1 line changed")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(dialog.get_by_role("button", name="Take theirs here")).to_be_focused()
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("status")).to_have_text("Taken. Change 2 of 2: 1 line changed")
    expect(dialog.get_by_role("textbox", name="Yours")).to_contain_text("theirs 20")
    assert visit.read("a.txt").startswith("line 1\n"), "nothing is saved yet"
    dialog.get_by_role("button", name="Save the merge").press("Enter")
    expect(dialog).to_have_count(0)
    assert visit.read("a.txt") == "".join(["mine line 1\n", *LINES[1:19], "theirs 20\n", *LINES[20:]])
    expect(page.get_by_role("tab", name="a.txt")).to_have_accessible_name("a.txt")
    expect(text_of(page, "a.txt")).to_contain_text("mine line 1")


def test_all_of_theirs_can_be_taken_and_taken_back(visit: Visit) -> None:
    page = in_conflict(visit)
    dialog = merging(page)
    take = dialog.get_by_role("button", name="Take theirs here")
    for _ in range(3):
        take.click()
    expect(dialog.get_by_role("status")).to_have_text("Taken. Both are the same now")
    dialog.get_by_role("textbox", name="Yours").click()
    page.keyboard.press("Control+Z")
    dialog.get_by_role("button", name="Next change").click()
    expect(dialog.get_by_role("status")).to_have_text("Change 1 of 1: 1 line changed")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_have_count(0)
    expect(text_of(page, "a.txt")).to_contain_text("mine line 1")
    expect(page.get_by_role("button", name="Merge…")).to_be_visible()


def test_what_was_merged_stays_when_theirs_moves_on(visit: Visit) -> None:
    page = in_conflict(visit)
    dialog = merging(page)
    page.keyboard.press("F7")
    expect(dialog.get_by_role("status")).to_contain_text("Change 2 of 3")
    dialog.get_by_role("button", name="Take theirs here").click()
    expect(dialog.get_by_role("status")).to_contain_text("Taken")
    visit.edit({"type": "replace", "path": "a.txt", "search": "line 40\n", "replacement": "theirs 40\n"})
    expect(dialog.get_by_role("textbox", name="On disk")).to_contain_text("theirs 40")
    expect(dialog.get_by_role("status")).to_have_text("Change 1 of 3: 1 line changed")
    dialog.get_by_role("button", name="Save the merge").click()
    expect(dialog).to_have_count(0)
    assert visit.read("a.txt") == "".join(["mine line 1\n", *LINES[1:19], "theirs 20\n", *LINES[20:]])


def test_a_tab_tells_apart_what_is_not_saved_and_what_moved_on_disk(visit: Visit) -> None:
    visit.ask("settings.set", key="destructive_edits", value="allow")
    page = in_conflict(visit)
    tab = page.get_by_role("tab", name="a.txt")
    expect(tab).to_have_accessible_name(re.compile("^a.txt ?, not saved ?, changed on disk$"))
    marks = tab.locator("[aria-hidden=true]:not(svg)")
    expect(marks).to_have_text(["●", "!"])
    visit.edit({"type": "delete", "path": "a.txt"})
    expect(tab).to_have_accessible_name(re.compile("^a.txt ?, not saved ?, deleted on disk$"))
    page.get_by_role("button", name="Keep mine").click()
    expect(tab).to_have_accessible_name("a.txt")
    type_at_start(page, "a.txt", "more ")
    expect(tab).to_have_accessible_name(re.compile("^a.txt ?, not saved$"))
    expect(marks).to_have_text(["●"])
