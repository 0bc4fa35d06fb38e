"""Lines are found in all files, and the one that is chosen is gone to; what is missing is said."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import Locator, Page, Route, expect
from tests.page.browsing import Visit
from tests.page.test_files import text_of


def shown(page: Page) -> Locator:
    page.keyboard.press("Control+Shift+F")
    view = page.get_by_role("region", name="Search")
    expect(view.get_by_label("Look for")).to_be_focused()
    return view


def look(page: Page, pattern: str) -> None:
    page.get_by_label("Look for").fill(pattern)
    page.keyboard.press("Enter")


def test_a_line_is_found_and_gone_to(visit: Visit) -> None:
    visit.write("a.py", "one\n😀 two = Two + 22\n")
    visit.write("docs/b.md", "tWo of them\n")
    Path(visit.room.folder, "data.bin").write_bytes(b"two\0")
    page = visit.sign_in()
    view = shown(page)
    expect(view).to_contain_text("Nothing was looked for yet")
    view.get_by_label("Regular expression").check()
    look(page, "tw[o]")
    told = view.get_by_role("status")
    expect(told).to_have_text("2 lines in 2 files. Files not searched: 1 binary.")
    hit = view.get_by_role("region", name="a.py").get_by_role("button")
    expect(hit).to_have_text("Line 2😀 two = Two + 22")
    assert hit.locator("mark").all_text_contents() == ["two"]
    hit.click()
    expect(text_of(page, "a.py")).to_be_focused()
    page.keyboard.type("HERE ")
    expect(text_of(page, "a.py")).to_contain_text("😀 HERE two = Two")
    hit.focus()
    page.keyboard.press("ArrowDown")
    expect(view.get_by_role("region", name="docs/b.md").get_by_role("button")).to_be_focused()
    page.keyboard.press("Enter")
    expect(text_of(page, "docs/b.md")).to_be_focused()
    shown(page)
    view.get_by_label("Match case").check()
    look(page, "two")
    expect(told).to_contain_text("1 line in 1 file.")
    view.get_by_label("Match case").uncheck()
    view.get_by_label("Only in files").fill("*.md, *.txt")
    look(page, "two")
    expect(view.get_by_role("region", name="docs/b.md")).to_be_visible()
    expect(told).to_have_text("1 line in 1 file.")
    visit.changes()
    shown(page)
    expect(told).to_have_text("1 line in 1 file.")  # what was found is kept meanwhile


def test_a_text_is_looked_for_as_it_is_and_its_match_is_in_sight(visit: Visit) -> None:
    visit.write("a.py", f"{' ' * 40}if a[0].b(c) ^ $d: # {'x' * 60} a[0].b(c) ^ $d\n{'y' * 80}a[0].b(c) ^ $d\n")
    page = visit.sign_in()
    view = shown(page)
    look(page, "A[0].b(c) ^ $D")
    hits = view.get_by_role("region", name="a.py").get_by_role("button")
    expect(hits).to_have_count(2)
    expect(hits.nth(0)).to_contain_text("if a[0].b(c)")
    assert hits.locator("mark").all_text_contents() == ["a[0].b(c) ^ $d"] * 2
    for mark in hits.locator("mark").all():
        box, column = mark.bounding_box(), view.bounding_box()
        assert box
        assert column
        assert box["x"] + box["width"] <= column["x"] + column["width"]


def test_what_was_cut_and_what_is_wrong_is_said(visit: Visit) -> None:
    visit.write("many.txt", f"needle {'and hay ' * 12}\n" * 600)
    visit.write("wide.txt", f"{'hay ' * 500}once\n")
    page = visit.sign_in()
    view = shown(page)
    look(page, "needle")
    expect(view.get_by_role("status")).to_have_text("500 lines in 1 file. There are more: the search was cut.")
    expect(view.get_by_role("button", name="Line 500 needle")).to_be_attached()
    look(page, "once")
    expect(view.get_by_role("button", name="Line 1")).to_contain_text("… hay")
    look(page, "nothing of this")
    expect(view.get_by_role("status")).to_have_text("No line fits.")
    look(page, "(")
    expect(view.get_by_role("status")).to_have_text("No line fits.")
    view.get_by_label("Regular expression").check()
    look(page, "(")
    expect(view.get_by_role("alert")).to_contain_text("can't be run")
    look(page, "(?x) o n c e")  # no expression of a browser's
    expect(view.get_by_role("status")).to_have_text("1 line in 1 file.")


def test_it_says_that_it_looks_and_answers_what_was_asked_last(visit: Visit) -> None:
    visit.write("a.txt", "first\nsecond\n")
    page = visit.sign_in()
    view = shown(page)
    held: list[Route] = []

    def hold(route: Route) -> None:
        asked = json.loads(route.request.post_data or "{}")
        if asked.get("params", {}).get("name") == "editor_search" and not held:
            held.append(route)
        else:
            route.continue_()

    page.route("**/page/v1/call", hold)
    look(page, "first")
    expect(view.get_by_role("status")).to_contain_text("Loading")
    look(page, "second")
    held[0].continue_()
    expect(view.get_by_role("button", name="Line 2 second")).to_be_visible()
    expect(view.get_by_role("button", name="Line 1 first")).to_have_count(0)
