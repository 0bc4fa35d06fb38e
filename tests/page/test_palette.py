"""Commands are found by words of their title; none of them decides."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect
from tests.page.browsing import Visit
from tests.page.test_files import item, text_of
from tests.repositories import git, repository


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
    asked(page, "file open").get_by_role("option").click()
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


def titles(page: Page) -> list[str]:
    """What the palette offers now."""
    rows = asked(page, "").get_by_role("option")
    expect(rows.first).to_be_visible()
    found = rows.locator(".pick-path").all_text_contents()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    return found


def run(page: Page, title: str) -> None:
    dialog = asked(page, title)
    expect(dialog.get_by_role("option").first).to_contain_text(title)
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)


def test_every_command_runs_without_a_fault_and_none_of_them_decides(visit: Visit) -> None:
    folder = repository(visit.room.folder, **{"read.md": "# One\n"})
    visit.ask("mode", mode="auto")
    page = visit.sign_in()
    item(page, "read.md").click()
    visit.edit({"type": "replace", "path": "read.md", "search": "One", "replacement": "Two"})
    expect(text_of(page, "read.md")).to_contain_text("Two")
    page.get_by_text("Since the last commit").wait_for(state="attached")
    head = git(folder, "rev-parse", "HEAD")
    offered = titles(page)
    assert len(offered) == len(set(offered)) > 25
    assert all(re.fullmatch(r"[A-Z][a-z]*( to)?: [A-Z].*", title) for title in offered)
    for title in offered:
        page.get_by_role("navigation", name="Views").get_by_role("button", name="Files").click()
        item(page, "read.md").click()
        run(page, title)
        for dialog in page.get_by_role("dialog").all():
            page.keyboard.press("Escape")
            expect(dialog).to_have_count(0)
        expect(page.get_by_role("alert")).to_have_count(0)
    assert (visit.read("read.md"), git(folder, "rev-parse", "HEAD")) == ("# Two\n", head)
    assert [one["title"] for one in visit.ask("log")["entries"]] == ["A change"]
    assert (visit.ask("mode")["mode"], git(folder, "stash", "list")) == ("auto", "")


def test_commands_go_where_their_title_says(visit: Visit) -> None:
    repository(visit.room.folder, **{"read.md": "# One\n"})
    visit.ask("mode", mode="auto")
    page = visit.sign_in()
    assert not [title for title in titles(page) if title.startswith(("View:", "Tab:", "Go to:", "File: Save"))]
    item(page, "read.md").click()
    expect(text_of(page, "read.md")).to_be_visible()
    run(page, "View: Preview")
    expect(page.get_by_role("region", name="Preview").get_by_role("heading", name="One")).to_be_visible()
    run(page, "View: Since commit")
    expect(page.get_by_text("Nothing differs from the last commit")).to_be_visible()
    run(page, "View: Unsaved")
    expect(page.get_by_text("All is saved")).to_be_visible()
    run(page, "View: Edit")
    run(page, "Find: In this file")
    expect(page.get_by_role("textbox", name="Find")).to_be_focused()
    run(page, "Go to: Line")
    expect(page.get_by_role("textbox", name="Go to line")).to_be_focused()
    run(page, "Show: Settings")
    expect(page.get_by_role("tab", name="Settings")).to_have_attribute("aria-selected", "true")
    run(page, "Git: Commit")
    expect(page.get_by_role("textbox", name="Message")).to_be_focused()
    run(page, "Git: Stash")
    expect(page.get_by_role("button", name="Stash", exact=True)).to_be_focused()
    run(page, "Git: Fetch")
    expect(page.get_by_role("button", name="Fetch")).to_be_focused()


def test_the_newest_change_is_undone_only_after_a_look(visit: Visit) -> None:
    visit.write("a.txt", "one\n")
    visit.ask("mode", mode="auto")
    page = visit.sign_in()
    run(page, "History: Undo the newest change")
    expect(page.get_by_role("status").filter(has_text="undo")).to_be_visible()
    visit.edit({"type": "replace", "path": "a.txt", "search": "one", "replacement": "two"}, title="Say two")
    run(page, "History: Undo the newest change")
    entry = page.get_by_role("article", name="Say two")
    expect(entry.get_by_role("region", name="Undo: what would be done")).to_contain_text("two")
    assert visit.read("a.txt") == "two\n"
    visit.settle()
    entry.get_by_role("button", name="Undo", exact=True).click()
    expect(entry.get_by_role("region", name="Undo: what would be done")).to_have_count(0)
    assert visit.read("a.txt") == "one\n"
