"""From change to change by keys, with marks beside lines: in a file's views, an entry, a request, git's hunks."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.page.browsing import Visit
from tests.page.test_files import item, text_of, type_at_start
from tests.page.test_status import told
from tests.repositories import git, repository

LINES = [f"line {number}\n" for number in range(1, 301)]


def where(page: Page) -> Locator:
    """What is told of the change that was gone to."""
    return page.get_by_role("contentinfo", name="Status").get_by_role("status")


def expect_at(page: Page, said: str, line: int) -> None:
    expect(where(page)).to_have_text(said)
    expect(told(page)).to_contain_text(f"Line {line} of")


def marks(page: Page) -> list[str]:
    """Of the lines that are drawn: their marks."""
    found: list[str] = page.locator(".cm-changes .cm-gutterElement").evaluate_all(
        "all => all.flatMap(({classList}) => [...classList].filter(name => name.startsWith('cm-change-')))"
    )
    return [name.removeprefix("cm-change-") for name in found]


def expect_marks(page: Page, *names: str) -> None:
    for name in ("added", "changed", "removed"):
        expect(page.locator(f".cm-changes .cm-change-{name}")).to_have_count(names.count(name))
    assert marks(page) == list(names)


def changed(lines: list[str]) -> str:
    """Line 1 changed, 4 and 5 removed, two added at the end of what is now 300 lines."""
    return "".join(["first\n", *lines[1:3], *lines[5:], "more\n", "and more\n"])


def test_changes_since_the_commit_are_marked_and_gone_to_by_keys(visit: Visit) -> None:
    repository(visit.room.folder, **{"a.txt": "".join(LINES)})
    visit.write("a.txt", changed(LINES))
    page = visit.sign_in()
    item(page, "a.txt").click()
    expect_marks(page, "changed", "removed")
    page.keyboard.press("F7")
    expect_at(page, "Change 1 of 3: 1 line changed", 1)
    expect(text_of(page, "a.txt")).to_be_focused()
    page.keyboard.press("F7")
    expect_at(page, "Change 2 of 3: 2 lines removed", 4)
    page.keyboard.press("Alt+F5")
    expect_at(page, "Change 3 of 3: 2 lines added", 299)
    expect_marks(page, "added", "added")
    page.keyboard.press("F7")
    expect_at(page, "Change 1 of 3: 1 line changed", 1)
    page.keyboard.press("Shift+F7")
    expect_at(page, "Change 3 of 3: 2 lines added", 299)
    page.keyboard.press("Shift+Alt+F5")
    expect_at(page, "Change 2 of 3: 2 lines removed", 4)
    page.get_by_role("button", name="Read", exact=True).click()
    expect(where(page)).to_have_text("Change 2 of 3: 2 lines removed")
    page.keyboard.press("F7")
    expect_at(page, "Change 3 of 3: 2 lines added", 299)


def test_marks_follow_what_is_typed_saved_committed_and_changed_by_others(visit: Visit) -> None:
    lines = LINES[:20]
    repository(visit.room.folder, **{"a.txt": "".join(lines)})
    visit.ask("settings.set", key="watch", value=True)
    visit.ask("mode", mode="auto")
    page = visit.sign_in()
    item(page, "a.txt").click()
    expect(told(page)).to_contain_text("+0 \u22120")
    type_at_start(page, "a.txt", "typed\n")
    expect_marks(page, "added")
    page.keyboard.press("Control+S")
    expect(told(page)).to_contain_text("+1 \u22120")
    expect_marks(page, "added")
    visit.edit({"type": "replace", "path": "a.txt", "search": "line 8\n", "replacement": "eighth\n"})
    expect(told(page)).to_contain_text("+2 \u22121")
    expect_marks(page, "added", "changed")
    visit.write("a.txt", "".join(["typed\n", *lines[:7], "eighth\n", *lines[8:14], *lines[15:]]))
    expect(told(page)).to_contain_text("+2 \u22122")
    expect_marks(page, "added", "changed", "removed")
    visit.ask("tool", name="editor_git_commit", arguments={"message": "All", "stage_all": True})
    expect(told(page)).to_contain_text("+0 \u22120")
    expect_marks(page)
    page.keyboard.press("F7")
    expect(where(page)).to_have_text("Nothing is changed here")


def test_a_commit_in_a_terminal_is_seen_when_the_window_is_turned_to(visit: Visit) -> None:
    folder = repository(visit.room.folder, **{"a.txt": "one\n"})
    visit.write("a.txt", "one\ntwo\n")
    page = visit.sign_in()
    item(page, "a.txt").click()
    expect_marks(page, "added")
    git(folder, "commit", "-qam", "Two")
    page.evaluate("dispatchEvent(new Event('focus'))")
    expect(told(page)).to_contain_text("+0 \u22120")
    expect_marks(page)


def test_without_a_repository_what_is_not_saved_is_marked(visit: Visit) -> None:
    visit.write("a.txt", "".join(LINES))
    page = visit.sign_in()
    item(page, "a.txt").click()
    type_at_start(page, "a.txt", "typed\n")
    expect_marks(page, "added")
    page.keyboard.press("Control+End")
    page.keyboard.press("F7")
    expect_at(page, "Change 1 of 1: 1 line added", 1)
    page.keyboard.press("Control+S")
    expect_marks(page)


@pytest.mark.parametrize("view", ["Unsaved", "Since commit"])
def test_the_views_that_compare_are_gone_through_by_the_same_keys(visit: Visit, view: str) -> None:
    repository(visit.room.folder, **{"a.txt": "".join(LINES)})
    page = visit.sign_in()
    item(page, "a.txt").click()
    type_at_start(page, "a.txt", "typed\n")
    page.keyboard.press("Control+End")
    page.keyboard.type("the end")
    page.get_by_role("button", name=view).click()
    compared = page.get_by_role("textbox", name="What")
    expect(compared).to_contain_text("typed")
    for at, size in ((1, "1 line added"), (2, "1 line changed"), (1, "1 line added")):
        page.keyboard.press("F7")
        expect(where(page)).to_have_text(f"Change {at} of 2: {size}")
        expect(compared).to_be_focused()


def test_the_hunks_of_entries_requests_and_git_are_gone_through_too(visit: Visit) -> None:
    folder = repository(visit.room.folder, **{"a.txt": "".join(LINES), "b.txt": "b\n"})
    page = visit.sign_in()
    path = {"type": "replace", "path": "a.txt"}
    operations = (
        {**path, "search": "line 2\n", "replacement": "second\n"},
        {**path, "search": "line 50\n", "replacement": "fiftieth\n"},
        {**path, "path": "b.txt", "search": "b", "replacement": "bb"},
    )
    visit.stage(*operations, title="In three places")
    page.get_by_role("button", name="In three places").click()
    page.get_by_role("button", name="Accept all").wait_for()
    steps = ("1 of 3 in a.txt", "2 of 3 in a.txt", "3 of 3 in b.txt", "1 of 3 in a.txt")
    for step in steps:
        page.keyboard.press("F7")
        expect(where(page)).to_have_text(f"Change {step}")
    assert "second" in page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Shift+F7")
    expect(where(page)).to_have_text("Change 3 of 3 in b.txt")
    visit.ask("mode", mode="auto")
    visit.edit(*operations, title="Done in three places")
    visit.changes().get_by_role("button", name="Done in three places").click()
    expect(where(page)).to_have_text("")
    expect(page.get_by_role("group", name="b.txt")).to_be_visible()
    for step in steps:
        page.keyboard.press("F7")
        expect(where(page)).to_have_text(f"Change {step}")
    page.get_by_role("navigation", name="Views").get_by_role("button", name="Git").click()
    page.get_by_role("button", name="a.txt, modified").click()
    page.get_by_role("button", name="Stage hunk 2").wait_for()
    page.keyboard.press("Shift+F7")
    expect(where(page)).to_have_text("Change 2 of 2")
    assert "fiftieth" in page.evaluate("document.activeElement.textContent")
    assert git(folder, "diff", "--cached") == ""
