"""What was changed, by whom, and the ways back, each looked at before it is taken."""

from __future__ import annotations

from playwright.sync_api import Locator, expect
from tests.page.browsing import Visit


def changed(visit: Visit) -> None:
    """Two edits of one line by two agents, and a file."""
    visit.write("a.txt", "one\ntwo\nthree\n")
    visit.ask("mode", mode="auto")
    visit.edit({"type": "replace", "path": "a.txt", "search": "two", "replacement": "zwei"}, title="In German")
    visit.edit(
        {"type": "replace", "path": "a.txt", "search": "zwei", "replacement": "deux"}, title="In French", name="b"
    )
    visit.edit({"type": "create", "path": "b\u202e.txt", "content": "x\u202ey\n"}, title="A file")


def opened(visit: Visit, title: str) -> Locator:
    visit.changes().get_by_role("button", name=title).first.click()
    return visit.page.get_by_role("article", name=title)


def test_an_entry_is_shown_undone_and_redone(visit: Visit) -> None:
    changed(visit)
    visit.sign_in()
    entry = opened(visit, "A file")
    expect(entry).to_contain_text(r"x\u202ey")
    entry.get_by_role("button", name="Undo this").click()
    expect(entry.get_by_text("deleted file mode")).to_be_visible()
    visit.settle()
    entry.get_by_role("button", name="Undo", exact=True).click()
    expect(entry.get_by_role("button", name="Undo this")).to_be_disabled()
    assert not (visit.room.folder / "b\u202e.txt").exists()
    redo = opened(visit, "Undo of")
    redo.get_by_role("button", name="Redo").click()
    expect(redo.get_by_text("new file mode")).to_be_visible()
    visit.settle()
    redo.get_by_role("button", name="Redo", exact=True).click()
    visit.room.wait_for((visit.room.folder / "b\u202e.txt").exists)


def test_an_undo_never_overwrites_later_work_unheard(visit: Visit) -> None:
    changed(visit)
    visit.sign_in()
    entry = opened(visit, "In German")
    entry.get_by_role("button", name="Undo this").click()
    expect(entry.get_by_role("alert")).to_contain_text("EDIT_CONFLICT")
    entry.get_by_role("button", name="merge").click()
    expect(entry.get_by_role("alert")).to_contain_text("EDIT_CONFLICT")
    assert visit.read("a.txt") == "one\ndeux\nthree\n"
    entry.get_by_role("button", name="Overwrite later work").click()
    expect(entry.get_by_role("button", name="Undo", exact=True)).to_be_enabled()
    visit.settle()
    entry.get_by_role("button", name="Undo", exact=True).click()
    visit.room.wait_for(lambda: visit.read("a.txt") == "one\ntwo\nthree\n")


def test_a_rewind_shows_all_that_it_takes_back(visit: Visit) -> None:
    changed(visit)
    visit.sign_in()
    entry = opened(visit, "In German")
    entry.get_by_role("button", name="Rewind to here").click()
    expect(entry.get_by_role("group", name="a.txt")).to_contain_text("zwei")
    visit.settle()
    entry.get_by_role("button", name="Rewind to after entry").click()
    visit.room.wait_for(lambda: visit.read("a.txt") == "one\nzwei\nthree\n")
    assert not (visit.room.folder / "b\u202e.txt").exists()
