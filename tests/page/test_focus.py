"""Where the keys go on: what had the focus is renamed, closed or decided, and nobody begins at the page's top."""

from __future__ import annotations

from playwright.sync_api import Page, expect
from tests.page.browsing import Visit
from tests.page.test_files import item, text_of, tree_of
from tests.page.test_tree import marked
from tests.repositories import repository


def _shown(page: Page) -> None:
    expect(tree_of(page)).to_be_visible()
    tree_of(page).focus()


def test_the_keys_go_on_in_the_tree_after_a_rename_and_a_delete(visit: Visit) -> None:
    visit.write("a.txt", "a\n")
    visit.write("b.txt", "b\n")
    page = visit.sign_in()
    _shown(page)
    page.keyboard.press("End")
    page.keyboard.press("F2")
    expect(page.get_by_role("textbox", name="New name")).to_be_focused()
    page.keyboard.type("z")  # in the place of the name, the extension stays
    page.keyboard.press("Enter")
    expect(marked(page)).to_have_accessible_name("z.txt")
    expect(tree_of(page)).to_be_focused()
    page.keyboard.press("F2")
    page.keyboard.press("Escape")
    expect(tree_of(page)).to_be_focused()
    page.keyboard.press("Delete")
    expect(marked(page)).to_have_accessible_name("a.txt")
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(item(page, "z.txt")).to_be_visible()
    expect(tree_of(page)).to_be_focused()


def test_a_rename_can_be_undone_at_once(visit: Visit) -> None:
    visit.write("a.txt", "a\n")
    page = visit.sign_in()
    item(page, "a.txt").click()
    page.keyboard.press("F2")
    page.keyboard.type("z")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Renamed a.txt to z.txt.")).to_be_visible()
    assert visit.ask("log")["entries"][0]["title"] == "Move a.txt to z.txt"
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(item(page, "a.txt")).to_be_visible()


def test_an_unfolded_folder_that_is_back_has_its_files(visit: Visit) -> None:
    visit.write("a/one.txt", "1\n")
    page = visit.sign_in()
    item(page, "a").click()
    expect(item(page, "one.txt")).to_be_visible()
    page.keyboard.press("Delete")
    expect(item(page, "a")).to_have_count(0)
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(item(page, "one.txt")).to_be_visible()


def test_a_file_that_is_opened_by_keys_or_made_is_written_in(visit: Visit) -> None:
    visit.write("a.txt", "a\n")
    page = visit.sign_in()
    _shown(page)
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    expect(text_of(page, "a.txt")).to_be_visible()
    expect(tree_of(page)).to_be_focused()  # looked at
    page.keyboard.press("Enter")
    expect(text_of(page, "a.txt")).to_be_focused()
    page.get_by_role("button", name="New file").click()
    page.keyboard.type("sub/new.txt")
    page.keyboard.press("Enter")
    expect(text_of(page, "sub/new.txt")).to_be_focused()
    expect(marked(page)).to_have_accessible_name("new.txt")


def test_the_next_tab_has_the_focus_of_one_that_goes(visit: Visit) -> None:
    visit.write("a.txt", "a\n")
    visit.write("b.txt", "b\n")
    page = visit.sign_in()
    for name in ("a.txt", "b.txt"):
        item(page, name).click()
        expect(text_of(page, name)).to_be_visible()
    text_of(page, "b.txt").click()
    page.keyboard.press("Alt+PageUp")
    expect(page.get_by_role("tab", name="a.txt")).to_be_focused()
    text_of(page, "a.txt").click()
    page.keyboard.press("Alt+w")
    expect(page.get_by_role("tab", name="b.txt")).to_be_focused()
    page.keyboard.press("Alt+w")
    expect(page.get_by_role("region", name="Open")).to_be_focused()


def test_a_request_is_told_and_keeps_the_focus_through_its_decision(visit: Visit) -> None:
    page = visit.sign_in()
    visit.stage({"type": "create", "path": "new.txt", "content": "new\n"}, title="Say new")
    expect(page.get_by_role("status").filter(has_text="1 request waits in the inbox")).to_be_attached()
    page.get_by_role("button", name="Say new").click()
    review = page.get_by_role("article", name="Say new")
    page.get_by_role("button", name="Edit first").click()
    expect(page.get_by_role("article")).to_be_focused()
    page.get_by_role("button", name="Back").click()
    expect(review).to_be_focused()
    visit.settle()
    page.get_by_role("button", name="Accept all").click()
    expect(review.get_by_text("This is done. decided by")).to_be_visible()
    expect(review).to_be_focused()
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_text("Undone.")).to_be_visible()
    assert not (visit.room.folder / "new.txt").exists()


def test_a_long_line_is_seen_whole_where_it_is_decided(visit: Visit) -> None:
    page = visit.sign_in()
    visit.stage({"type": "create", "path": "new.txt", "content": "word " * 100 + "\n"}, title="Say much")
    page.get_by_role("button", name="Say much").click()
    lines = page.get_by_role("group", name="Lines")
    expect(lines).to_be_visible()
    assert lines.evaluate("(box) => box.scrollWidth <= box.clientWidth")


def test_the_newest_entry_is_nothing_to_rewind_to(visit: Visit) -> None:
    visit.ask("mode", mode="auto")
    visit.edit({"type": "create", "path": "a.txt", "content": "a\n"}, title="First")
    page = visit.sign_in()
    visit.changes().get_by_role("button", name="First").click()
    expect(page.get_by_role("button", name="Rewind to here")).to_be_disabled()
    visit.edit({"type": "create", "path": "b.txt", "content": "b\n"}, title="Second")
    page.get_by_role("button", name="Rewind to here").click()
    expect(page.get_by_role("article", name="First")).to_be_focused()


def test_a_button_has_the_focus_again_when_its_work_is_done(visit: Visit) -> None:
    visit.write("a.txt", "a\n")
    repository(visit.room.folder)
    page = visit.sign_in()
    page.get_by_role("navigation", name="Views").get_by_role("button", name="Git").click()
    page.get_by_role("button", name="Push", exact=True).click()
    expect(page.get_by_text("This repository has no remote.")).to_be_visible()
    expect(page.get_by_role("button", name="Push", exact=True)).to_be_focused()
    page.get_by_role("textbox", name="Message").fill("Begin")
    page.get_by_role("button", name="Commit all").click()
    expect(page.get_by_text("Begin")).to_be_visible()
    expect(page.get_by_role("textbox", name="Message")).to_be_focused()
    page.get_by_role("radio", name="Auto").focus()
    visit.settle()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    expect(page.get_by_role("radio", name="Plan")).to_be_checked()
    expect(page.get_by_role("radio", name="Plan")).to_be_focused()
