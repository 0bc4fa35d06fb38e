"""The status line in the browser: what it tells of the shown file."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect
from tests.page.browsing import Visit
from tests.page.test_files import item, text_of, type_at_start
from tests.repositories import git, repository


def told(page: Page) -> Locator:
    return page.get_by_role("contentinfo", name="Status").get_by_role("group", name="Shown file")


def test_the_shown_file_is_told_with_its_cursor_and_whether_it_is_saved(visit: Visit) -> None:
    visit.write("main.py", "one\ntwo\nthree\n")
    visit.write("other.md", "x\n")
    page = visit.sign_in()
    expect(told(page)).to_have_count(0)
    item(page, "main.py").click()
    for part in ("main.py", "python", "Line 1 of 4, column 1", "Saved"):
        expect(told(page)).to_contain_text(part)
    text_of(page, "main.py").click()
    page.keyboard.press("Control+Home")
    page.keyboard.press("ArrowDown")
    page.keyboard.type("typed\n")
    expect(told(page)).to_contain_text("Line 3 of 5, column 1")
    expect(told(page)).to_contain_text("Not saved")
    item(page, "other.md").click()
    expect(told(page)).to_contain_text("markdown")
    expect(told(page)).not_to_contain_text("main.py")
    page.get_by_role("tab", name="main.py").click()
    expect(told(page)).to_contain_text("Line 3 of 5, column 1")
    page.keyboard.press("Control+S")
    expect(told(page).get_by_text("Saved", exact=True)).to_be_visible()


def test_the_shown_file_is_told_with_who_changed_it_last_and_how_far_it_is_from_the_commit(visit: Visit) -> None:
    repository(visit.room.folder, **{"a.txt": "one\ntwo\n"})
    visit.write("fresh.txt", "f\n")
    visit.ask("mode", mode="auto")
    page = visit.sign_in()
    item(page, "a.txt").click()
    expect(told(page)).to_contain_text("Since the last commit: +0 \u22120")
    visit.edit({"type": "replace", "path": "a.txt", "search": "two", "replacement": "2\n3"}, name="codex")
    expect(told(page)).to_contain_text("Since the last commit: +2 \u22121")
    expect(told(page)).to_contain_text("Changed just now by codex")
    type_at_start(page, "a.txt", "mine\n")
    visit.edit({"type": "replace", "path": "a.txt", "search": "one", "replacement": "1"})
    expect(told(page)).to_contain_text("Changed on disk")
    expect(told(page)).to_contain_text("Changed just now by tester")
    item(page, "fresh.txt").click()
    expect(told(page)).to_contain_text("not in git yet")
    assert git(visit.room.folder, "diff", "--numstat").split()[:2] == ["3", "2"]
