"""Signing in and out, being live and not, and moving about by keys."""

from __future__ import annotations

import contextlib
import os
import re
import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Error, Locator, Route, expect
from tests.interfaces.conftest import Room
from tests.page.browsing import Visit, visiting
from tests.page.conftest import port_of


@pytest.fixture
def alone(chromium: Browser, room: Room) -> Iterator[Visit]:
    """On a server of the test's own, which it may stop."""
    with visiting(chromium, room, port_of(room, {})) as made:
        yield made


def test_the_code_leaves_the_address_and_counts_once(visit: Visit) -> None:
    link = visit.room.person().get("page.code")["link"]
    page = visit.page
    page.goto(link)
    expect(page.get_by_role("region", name="Inbox")).to_be_visible()
    assert page.url == f"{visit.url}/"
    assert "code_" not in page.evaluate("JSON.stringify(history.state) + location.href")
    page.reload()
    expect(page.get_by_role("region", name="Inbox")).to_be_visible()
    page.evaluate("localStorage.removeItem('workroom.key')")
    page.goto(link)  # in the same tab, which is at this address already
    expect(page.get_by_role("alert")).to_contain_text("used already")
    expect(page.get_by_text("workroom page", exact=True)).to_be_visible()


def test_who_signs_out_is_out_at_the_server_too(visit: Visit) -> None:
    page = visit.sign_in()
    held = page.evaluate("JSON.parse(localStorage.getItem('workroom.key')).id")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in from your terminal")).to_be_visible()
    visit.room.wait_for(lambda: held not in str(visit.room.person().get("pages.list")))
    assert page.evaluate("localStorage.getItem('workroom.key')") is None


def test_who_is_signed_out_elsewhere_is_told(visit: Visit) -> None:
    page = visit.sign_in()
    held = page.evaluate("JSON.parse(localStorage.getItem('workroom.key')).id")
    visit.room.person().get("pages.revoke", name=held)
    visit.ask("mode", mode="auto")
    expect(page.get_by_role("alert")).to_contain_text("signed out")


def test_after_a_cut_the_page_goes_on_without_a_gap_or_a_duplicate(alone: Visit) -> None:
    alone.ask("mode", mode="auto")
    page = alone.sign_in()
    entries = alone.changes().get_by_role("listitem")
    alone.edit({"type": "create", "path": "a.txt", "content": "a\n"}, title="Before the cut")
    expect(entries).to_have_count(1)
    pid = alone.room.pid()
    os.kill(pid, signal.SIGKILL)  # nobody says good-bye
    expect(page.get_by_text("Not live.", exact=False).first).to_be_visible()
    alone.room.wait_for_end(pid)
    alone.room.person().get("http", port=alone.port)
    alone.edit({"type": "create", "path": "b.txt", "content": "b\n"}, title="While it was cut", name="second")
    with contextlib.suppress(Error):  # it may have found the server by itself
        page.get_by_role("button", name="Try now").click(timeout=1_000)
    expect(entries).to_have_count(2)
    expect(entries.first).to_contain_text("While it was cut")
    expect(page.get_by_role("contentinfo")).to_contain_text("Live")
    expect(page.get_by_role("button", name="Try now")).to_have_count(0)


def test_nothing_is_decided_while_the_page_is_not_live(alone: Visit) -> None:
    page = alone.sign_in()
    alone.stage({"type": "create", "path": "a.txt", "content": "a\n"}, title="Say a")
    page.get_by_role("button", name="Say a").click()
    accept = page.get_by_role("article", name="Say a").get_by_role("button", name="Accept all")
    expect(accept).to_be_enabled()
    os.kill(alone.room.pid(), signal.SIGKILL)
    expect(accept).to_be_disabled()
    expect(page.get_by_role("status").filter(has_text="Not live")).to_be_visible()


def test_a_server_that_can_not_be_reached_is_told(alone: Visit) -> None:
    page = alone.sign_in()
    page.route("**/page/v1/call", lambda route: route.abort())
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("can't be reached")
    page.unroute("**/page/v1/call")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("region", name="Inbox")).to_be_visible()


def test_without_a_folder_it_says_how_to_open_one(chromium: Browser, room: Room) -> None:
    port = int(room.person().get("http", port=0)["url"].rpartition(":")[2])
    room.person().get("close", path=str(room.folder))
    with visiting(chromium, room, port) as visit:
        visit.page.route("**/page/v1/call", lambda route: route.fulfill(json={"result": NOWHERE}))
        visit.page.goto(room.person().get("page.code")["link"])
        expect(visit.page.get_by_text("No folder is open yet")).to_be_visible()


NOWHERE = {"server": {}, "workspaces": [], "known": [], "warning": ""}


def test_folders_are_chosen(visit: Visit) -> None:
    other = visit.room.folder.parent / "other"
    other.mkdir()
    visit.room.person().get("open", path=str(other))
    page = visit.sign_in()
    page.get_by_label("Folder").select_option(str(other))
    expect(page).to_have_title("other - Workroom")
    page.reload()
    expect(page.get_by_label("Folder")).to_have_value(str(other))


def test_everything_is_reached_by_keys(visit: Visit) -> None:
    page = visit.sign_in()
    for name in ("Say one", "Say two"):
        visit.stage({"type": "create", "path": f"{name}.txt", "content": "x\n"}, title=name)
    page.keyboard.press("Alt+i")
    expect(page.get_by_role("region", name="Inbox")).to_be_focused()
    for name in ("Say one", "Say two"):
        page.get_by_role("button", name=name).press("Enter")
    tabs = page.get_by_role("tab")
    expect(tabs).to_have_count(2)
    page.keyboard.press("Alt+PageUp")
    expect(page.get_by_role("tab", name="Say one")).to_have_attribute("aria-selected", "true")
    page.get_by_role("tab", name="Say one").press("ArrowRight")
    expect(page.get_by_role("tab", name="Say two")).to_be_focused()
    page.keyboard.press("Alt+w")
    expect(tabs).to_have_count(1)
    seen = set()
    for _ in range(6):
        page.keyboard.press("F6")
        seen.add(page.evaluate("document.activeElement.getAttribute('aria-label')"))
    assert {"Views", "Files", "Open", "Inbox", "Status"} <= seen
    page.keyboard.press("?")
    help_sheet = page.get_by_role("dialog", name="Keys")
    expect(help_sheet).to_contain_text("No key decides")
    page.keyboard.press("Escape")
    expect(help_sheet).not_to_be_visible()


def test_colours_follow_the_system_and_a_switch(visit: Visit) -> None:
    page = visit.sign_in()
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate(ground)
    assert light != dark
    switch = page.get_by_role("button", name=re.compile("Colours"))
    switch.click()
    expect(switch).to_have_accessible_name("Colours: light")
    assert page.evaluate(ground) == light
    page.reload()
    assert page.evaluate(ground) == light


def test_a_fault_of_one_view_takes_nothing_else_along(visit: Visit) -> None:
    page = visit.sign_in()
    visit.stage({"type": "create", "path": "a.txt", "content": "a\n"}, title="Say a")
    broken = {"result": {"status": "pending", "sha256": "0", "kind": "transaction"}}

    def answer(route: Route) -> None:
        shows = '"show"' in (route.request.post_data or "")
        route.fulfill(json=broken) if shows else route.continue_()

    page.route("**/page/v1/call", answer)
    page.get_by_role("button", name="Say a").click()
    expect(page.get_by_role("alert")).to_contain_text("met a fault")
    expect(page.get_by_role("region", name="Inbox")).to_be_visible()
    page.unroute("**/page/v1/call")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("article", name="Say a")).to_be_visible()
    visit.complaints.clear()  # React tells of the fault, as it should


def test_columns_are_widened_by_keys_and_pointer_and_stay_so(visit: Visit) -> None:
    page = visit.sign_in()
    side, edge = page.get_by_role("region", name="Files"), page.get_by_role("separator", name="Width of the left bar")
    before = width_of(side)
    edge.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert width_of(side) == before + 32
    box = edge.bounding_box()
    assert box
    page.mouse.move(box["x"] + 3, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 103, box["y"] + 200, steps=5)
    page.mouse.up()
    assert width_of(side) == before + 132
    inbox = page.get_by_role("region", name="Inbox")
    wide = width_of(inbox)
    page.get_by_role("separator", name="Width of the inbox").focus()
    page.keyboard.press("ArrowLeft")
    assert width_of(inbox) == wide + 16
    page.reload()
    expect(edge).to_have_attribute("aria-valuenow", "392")
    assert (width_of(side), width_of(inbox)) == (before + 132, wide + 16)
    edge.dblclick()
    assert width_of(side) == before


def test_what_was_open_is_open_again_after_a_reload(visit: Visit) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        visit.write(name, f"{name}\n")
    page = visit.sign_in()
    tabs = page.get_by_role("tab")
    for name in ("a.txt", "b.txt", "c.txt"):
        page.get_by_role("treeitem", name=name).click()
        expect(page.get_by_role("textbox", name=f"Text of {name}")).to_contain_text(name)
    tabs.nth(1).click()
    page.keyboard.press("Alt+PageUp")
    page.reload()
    expect(tabs).to_have_text(["a.txt", "b.txt", "c.txt"])
    expect(page.get_by_role("textbox", name="Text of a.txt")).to_contain_text("a.txt")
    tabs.nth(1).click()
    page.keyboard.press("Alt+W")
    expect(tabs).to_have_count(2)
    page.reload()
    expect(tabs).to_have_text(["a.txt", "c.txt"])
    expect(page.get_by_role("textbox", name="Text of c.txt")).to_contain_text("c.txt")


def test_the_inbox_is_hidden_and_tells_what_waits_all_the_same(visit: Visit) -> None:
    page = visit.sign_in()
    inbox, middle = page.get_by_role("region", name="Inbox"), page.get_by_role("region", name="Open")
    before = width_of(middle)
    page.get_by_role("button", name="Hide the inbox").click()
    expect(inbox).to_be_hidden()
    assert width_of(middle) > before + 200
    visit.stage({"type": "create", "path": "new.txt", "content": "new\n"})
    shown = page.get_by_role("button", name="Inbox 1 1 waiting")
    expect(shown).to_be_visible()
    shown.click()
    expect(inbox).to_be_focused()
    expect(shown).to_have_count(0)
    page.get_by_role("button", name="Hide the inbox").click()
    page.keyboard.press("Alt+I")
    expect(inbox).to_be_focused()


def width_of(column: Locator) -> float:
    box = column.bounding_box()
    assert box
    return box["width"]
