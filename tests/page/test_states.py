"""Every view says that it waits, that it failed and why, and what can be done then: a table of views by happenings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, Route, expect
from tests.page.browsing import Visit
from tests.page.test_files import item, text_of, tree_of
from tests.repositories import git, repository

HAPPENS = ("slow", "failed", "offline", "cut")
SAID = {
    "failed": "The server's answer can't be read.",
    "offline": "Workroom can't be reached.",
    "cut": "The answer of Workroom was cut off.",
}


def ready(visit: Visit) -> None:
    """A folder with something for every view."""
    folder = repository(visit.room.folder, kept__txt="one\n")
    git(folder, "config", "user.name", "Ann")
    git(folder, "config", "user.email", "ann@x")
    visit.ask("mode", mode="auto")
    visit.edit({"type": "create", "path": "made.txt", "content": "made\n"}, title="Make it")
    visit.write("kept.txt", "another\n")
    visit.ask("mode", mode="manual")
    visit.stage({"type": "create", "path": "new.txt", "content": "new\n"}, title="Say new")


def side(page: Page, name: str) -> Locator:
    page.get_by_role("navigation", name="Views").get_by_role("button", name=name).click()
    return page.get_by_role("region", name=name, exact=True)


@dataclass(frozen=True)
class View:
    """`asked` is in the body of what it fetches; `open` goes there, `holds` is what is seen when all is well."""

    asked: str
    open: Callable[[Page], object]
    holds: Callable[[Page], Locator]
    first: Callable[[Page], object] = lambda page: None
    """What is done while the network is well."""
    reload: bool = False
    """It is fetched when the page is loaded."""


def entry(page: Page) -> None:
    side(page, "Changes").get_by_role("button", name="Make it").click()


def look(page: Page) -> None:
    page.get_by_role("button", name="Undo this").click()


def made(page: Page) -> None:
    item(page, "made.txt").click()
    text_of(page, "made.txt").click()


def search(page: Page) -> None:
    side(page, "Search").get_by_label("Look for").fill("made")
    page.keyboard.press("Enter")


VIEWS = {
    "folders": View('"status"', lambda page: None, lambda page: page.get_by_role("region", name="Inbox"), reload=True),
    "files": View("editor_tree", lambda page: None, lambda page: item(page, "made.txt"), reload=True),
    "changes": View(
        '"log"',
        lambda page: side(page, "Changes"),
        lambda page: page.get_by_role("button", name="Make it"),
        reload=True,
    ),
    "git": View(
        "editor_git_status",
        lambda page: side(page, "Git"),
        lambda page: page.get_by_role("button", name="kept.txt, modified"),
        reload=True,
    ),
    "inbox": View('"pending"', lambda page: None, lambda page: page.get_by_role("button", name="Say new"), reload=True),
    "settings": View(
        '"settings.list"',
        lambda page: page.get_by_role("button", name="Settings").click(),
        lambda page: page.get_by_role("heading", name="Settings"),
        reload=True,
    ),
    "search": View("editor_search", search, lambda page: page.get_by_role("region", name="made.txt")),
    "request": View(
        '"show"',
        lambda page: page.get_by_role("button", name="Say new").click(),
        lambda page: page.get_by_role("article", name="Say new"),
    ),
    "request, edited": View(
        '"proposal"',
        lambda page: page.get_by_role("button", name="Edit first").click(),
        lambda page: page.get_by_role("textbox", name="new.txt, to be edited"),
        first=lambda page: page.get_by_role("button", name="Say new").click(),
    ),
    "entry": View("editor_changes", entry, lambda page: page.get_by_role("group", name="made.txt")),
    "undo": View('"undo"', look, lambda page: page.get_by_role("button", name="Undo", exact=True), first=entry),
    "file": View("editor_open", lambda page: item(page, "made.txt").click(), lambda page: text_of(page, "made.txt")),
    "hunks": View(
        "editor_git_hunks",
        lambda page: page.get_by_role("button", name="kept.txt, modified").click(),
        lambda page: page.get_by_role("button", name="Stage hunk 1"),
        first=lambda page: side(page, "Git"),
    ),
    "quick open": View(
        "editor_find",
        lambda page: page.keyboard.press("Control+P"),
        lambda page: page.get_by_role("option", name="made.txt"),
        first=lambda page: expect(item(page, "made.txt")).to_be_visible(),
    ),
    "symbols": View(
        '"symbols"',
        lambda page: page.keyboard.press("Control+Shift+O"),
        lambda page: page.get_by_text("Nothing is known of this file"),
        first=made,
    ),
}


@contextmanager
def happening(page: Page, asked: str, what: str) -> Iterator[None]:
    """While the block runs, what is asked so is held back, answered by a fault, refused, or cut off."""
    held: list[Route] = []

    def answer(route: Route) -> None:
        body = route.request.post_data  # None where the browser can't tell it any more: each call has one
        if what == "over" or (body is not None and asked not in body):
            route.continue_()
        elif what == "slow":
            held.append(route)  # it is let go at the end
        elif what == "failed":
            route.fulfill(status=500, content_type="text/plain", body="Internal Server Error")
        elif what == "cut":
            route.fulfill(status=200, content_type="application/json", body='{"result": {"pa')
        else:
            route.abort("connectionrefused")

    page.route("**/page/v1/call", answer)
    yield
    what = "over"
    while held:
        held.pop().continue_()
    page.unroute("**/page/v1/call", answer)


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_says_so_and_goes_on(visit: Visit, name: str) -> None:
    ready(visit)
    view = VIEWS[name]
    page = visit.sign_in()
    for what in HAPPENS:
        if not view.reload:
            page.reload()
            view.first(page)
        with happening(page, view.asked, what):
            if view.reload:
                page.reload()
            view.open(page)
            if what == "slow":
                expect(page.get_by_text(re.compile(r"^Loading .*…$")).first).to_be_visible()
            else:
                failed = page.get_by_role("alert").filter(has_text=SAID[what]).first
                expect(failed).to_contain_text(re.compile(r"ry again|Is the server running"))
        if what != "slow":
            again = page.get_by_role("alert").filter(has_text=SAID[what]).first.get_by_role("button", name="Try again")
            again.click()
        expect(view.holds(page).first).to_be_visible()
        expect(page.get_by_role("alert").filter(has_text=SAID.get(what, "can't be"))).to_have_count(0)


def save(page: Page) -> None:
    text_of(page, "made.txt").press("Control+Home")
    page.keyboard.type("typed ")
    page.get_by_role("button", name="Save", exact=True).click()


def make(page: Page) -> None:
    page.get_by_role("button", name="New file").click()
    page.get_by_label("Name of the new file").fill("fresh.txt")
    page.get_by_role("button", name="Create").click()


def delete(page: Page) -> None:
    tree_of(page).press("End")
    page.keyboard.press("Delete")


def commit(page: Page) -> None:
    side(page, "Git").get_by_label("Message").fill("All of it")
    page.get_by_role("button", name="Commit all").click()


def accept(page: Page) -> None:
    page.wait_for_timeout(600)  # as long as a reader looks
    page.get_by_role("button", name="Accept all").click()


def undo(page: Page) -> None:
    page.wait_for_timeout(600)
    page.get_by_role("button", name="Undo", exact=True).click()


def look_back(page: Page) -> None:
    entry(page)
    look(page)
    expect(page.get_by_role("button", name="Undo", exact=True)).to_be_visible()


def switch(page: Page) -> None:
    page.wait_for_timeout(600)
    page.get_by_text("Auto", exact=True).click()


@dataclass(frozen=True)
class Act:
    """Something that changes something: `busy` is said while it is on its way, `done` when it is."""

    asked: str
    do: Callable[[Page], object]
    busy: str
    done: str
    first: Callable[[Page], object] = lambda page: expect(item(page, "made.txt")).to_be_visible()


ACTS = {
    "save": Act("editor_save", save, "Saving…", "Saved", lambda page: item(page, "made.txt").click()),
    "create": Act("editor_create", make, "Creating…", "fresh.txt"),
    "delete": Act("editor_delete", delete, "Deleting made.txt…", "Deleted made.txt."),
    "commit": Act("editor_git_commit", commit, "Committing…", "All of it"),
    "accept": Act(
        '"accept"', accept, "Accepting…", "Accepted.", lambda page: page.get_by_role("button", name="Say new").click()
    ),
    "undo": Act('"undo"', undo, "On its way…", "Undo: done.", look_back),
    "mode": Act('"mode": "auto"', switch, "Switching to auto…", "Mode: auto."),
}


@pytest.mark.parametrize("what", ["slow", "failed", "offline"])
@pytest.mark.parametrize("name", ACTS)
def test_what_is_done_says_that_it_is_on_its_way_and_what_came_of_it(visit: Visit, name: str, what: str) -> None:
    ready(visit)
    act = ACTS[name]
    page = visit.sign_in()
    act.first(page)
    asked = act.asked.replace('": "', '":"')
    with happening(page, asked, what):
        act.do(page)
        if what == "slow":
            expect(page.get_by_text(act.busy).first).to_be_visible()
        else:
            expect(page.get_by_text(SAID[what]).first).to_be_visible()
    if what == "slow":
        expect(page.get_by_text(act.done).filter(visible=True).first).to_be_visible()
        expect(page.get_by_text(act.busy)).to_have_count(0)
