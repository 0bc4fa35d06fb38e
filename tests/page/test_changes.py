"""The list of changes: one group for each turn of a session, newest first, as far back as is asked for."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect
from tests.page.browsing import Visit

LONG = 1_150


def turns(page: Page) -> Locator:
    """The groups."""
    return page.get_by_role("region", name="Changes").get_by_role("region")


def create(path: str, content: str = "one\ntwo\n") -> dict[str, str]:
    return {"type": "create", "path": path, "content": content}


def test_a_turn_tells_who_when_how_many_files_and_lines_newest_first(visit: Visit) -> None:
    visit.ask("mode", mode="auto")
    page = visit.sign_in()
    visit.edit(create("a.txt"), create("b.txt"), title="Begin")
    visit.edit({"type": "replace", "path": "a.txt", "search": "two", "replacement": "three"}, title="Go on")
    visit.edit(create("c.txt", "x\n"), title="Another's", name="codex")
    visit.edit(create("d.txt", "y\n"), title="Once more")
    visit.changes()
    expect(turns(page)).to_have_count(3)
    names = ["tester: 1 change, 1 file", "codex: 1 change, 1 file", "tester: 2 changes, 2 files"]
    for at, name in enumerate(names):
        expect(turns(page).nth(at)).to_have_accessible_name(name)
    first = turns(page).nth(2)
    expect(first.get_by_role("heading")).to_contain_text(re.compile(r"(just now|minute).*\+5 \u22121"))
    entries = first.get_by_role("listitem")
    expect(entries.nth(0)).to_contain_text("Go on")
    expect(entries.nth(1)).to_contain_text("a.txt, b.txt")
    visit.edit(create("e.txt"), title="Still mine")
    expect(turns(page)).to_have_count(3)
    expect(turns(page).first).to_have_accessible_name("tester: 2 changes, 2 files")
    entries.nth(0).get_by_role("button").click()
    expect(page.get_by_role("article", name="Go on")).to_be_visible()


def test_a_long_history_reaches_back_on_request_without_a_hole(visit: Visit) -> None:
    visit.ask("mode", mode="auto")
    for number in range(LONG):
        visit.edit(create(f"{number}.txt"), title=f"Number {number}.")
    page = visit.sign_in()
    entries = visit.changes().get_by_role("listitem")
    expect(page.get_by_text("The newest 100 changes.")).to_be_visible()
    expect(entries).to_have_count(100)
    page.get_by_role("button", name="Show older changes").click()
    expect(page.get_by_text("The newest 200 changes.")).to_be_visible()
    visit.edit(create("new.txt"), title="Meanwhile")
    expect(entries.first).to_contain_text("Meanwhile")
    expect(page.get_by_text("The newest 201 changes.")).to_be_visible()
    visit.ask("undo", id=str(LONG - 150))
    expect(entries.filter(has_text=f"Number {LONG - 151}.").filter(has_text="undone")).to_have_count(1)
    older = page.get_by_role("button", name="Show older changes")
    while older.count():
        known = entries.count()
        older.click()
        expect(entries).not_to_have_count(known)
    expect(page.get_by_text(f"All {LONG + 2} changes.")).to_be_visible()
    titles = [re.match(r"Number (\d+)\.", text) for text in entries.all_inner_texts()]
    assert [int(found[1]) for found in titles if found] == list(reversed(range(LONG)))
    entries.last.get_by_role("button").click()
    expect(page.get_by_role("article", name="Number 0.")).to_be_visible()


def test_older_changes_that_can_not_be_had_are_said_and_tried_again(visit: Visit) -> None:
    visit.ask("mode", mode="auto")
    for number in range(101):
        visit.edit(create(f"{number}.txt"), title=f"Number {number}.")
    page = visit.sign_in()
    visit.changes()
    older = page.get_by_role("button", name="Show older changes")
    expect(older).to_be_enabled()
    page.route("**/page/v1/call", lambda route: route.abort())
    older.click()
    expect(page.get_by_role("region", name="Changes").get_by_role("alert")).to_contain_text("can't be reached")
    page.unroute("**/page/v1/call")
    older.click()
    expect(page.get_by_text("All 101 changes.")).to_be_visible()
    expect(page.get_by_role("region", name="Changes").get_by_role("alert")).to_have_count(0)
