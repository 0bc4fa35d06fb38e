"""Who is there, in the browser: one client a tab, what agents open, and how one of them is followed."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect
from tests.interfaces.conftest import Client
from tests.page.browsing import Visit
from tests.page.test_files import item, text_of


def here(visit: Visit) -> set[str]:
    """The sessions of browser tabs that are in the folder."""
    return {one["session"] for one in visit.ask("presence.list")["present"] if "/" in one["session"]}


def live(page: Page) -> None:
    expect(page.get_by_text("Live", exact=True)).to_be_attached()


def test_a_reloaded_tab_is_the_same_client_and_its_duplicate_another(visit: Visit) -> None:
    page = visit.sign_in()
    before = here(visit)
    assert len(before) == 1
    page.reload()
    live(page)
    assert here(visit) == before
    with page.expect_popup() as opened:  # a browser copies what the tab has stored, as it does for a duplicate
        page.evaluate("void window.open(location.href)")
    live(opened.value)
    assert len(here(visit)) == 2
    opened.value.reload()
    page.reload()
    live(opened.value)
    live(page)
    assert len(here(visit)) == 2
    assert before < here(visit)


def agent(visit: Visit, name: str = "codex") -> Client:
    """An agent with the editor's tools."""
    client = visit.room.shim("--profile", "editor", str(visit.room.folder))
    info = {"name": name, "version": "1"}
    client.request("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=info)
    client.send(method="notifications/initialized")
    return client


def person(page: Page, name: str) -> Locator:
    return page.get_by_role("list", name="Who is here").get_by_role("button", name=re.compile(rf"^Follow\w* {name}\b"))


def tab(page: Page, name: str) -> Locator:
    return page.get_by_role("tab", name=re.compile(f"^{re.escape(name)}"))


def test_what_an_agent_opens_stands_beside_the_tabs_as_its_own_until_it_is_taken_over(visit: Visit) -> None:
    for name in ("mine.txt", "seen.txt", "taken.txt"):
        visit.write(name, f"{name}\n")
    page = visit.sign_in()
    item(page, "mine.txt").click()
    codex = agent(visit)
    for name in ("seen.txt", "taken.txt"):
        codex.call("editor_open", path=name)
    expect(tab(page, "seen.txt")).to_contain_text("opened by codex")
    expect(tab(page, "taken.txt")).to_contain_text("opened by codex")
    expect(tab(page, "mine.txt")).to_have_attribute("aria-selected", "true")
    tab(page, "taken.txt").click()
    expect(text_of(page, "taken.txt")).to_be_visible()
    expect(tab(page, "taken.txt")).not_to_contain_text("codex")
    for name in ("seen.txt", "taken.txt"):
        codex.call("editor_buffers_close", path=name)
    expect(tab(page, "seen.txt")).to_have_count(0)
    expect(tab(page, "taken.txt")).to_be_visible()


def test_one_of_those_who_are_here_is_followed_until_the_person_types(visit: Visit) -> None:
    visit.write("mine.txt", "mine\n")
    visit.write("long.txt", "".join(f"line {number}\n" for number in range(1, 301)))
    visit.write("later.txt", "later\n")
    visit.ask("mode", mode="auto")
    visit.ask("settings.set", key="destructive_edits", value="allow")
    page = visit.sign_in()
    item(page, "mine.txt").click()
    codex = agent(visit)
    codex.call("editor_open", path="later.txt")
    expect(person(page, "codex")).to_contain_text("opened later.txt, just now")
    person(page, "codex").click()
    expect(person(page, "codex")).to_have_attribute("aria-pressed", "true")
    expect(text_of(page, "later.txt")).to_be_visible()
    opened = codex.call("editor_open", path="long.txt")["structuredContent"]
    expect(text_of(page, "long.txt")).to_be_visible()
    content = opened["content"].replace("line 250\n", "line 250 by codex\n")
    saved = codex.call("editor_save", path="long.txt", content=content, expected_version=opened["version"])
    assert saved["structuredContent"].get("saved"), saved
    expect(page.get_by_text("line 250 by codex")).to_be_in_viewport()
    expect(person(page, "codex")).to_contain_text("long.txt")
    expect(page.get_by_role("group", name="Shown file")).to_contain_text("Line 250 of 301")
    text_of(page, "long.txt").press("End")
    expect(person(page, "codex")).to_have_attribute("aria-pressed", "false")
    expect(tab(page, "long.txt")).not_to_contain_text("codex")
    codex.call("editor_open", path="mine.txt")
    expect(person(page, "codex")).to_contain_text("opened mine.txt")
    expect(text_of(page, "long.txt")).to_be_visible()
    codex.process.terminate()
    expect(person(page, "codex")).to_have_count(0)


def test_what_an_agent_had_open_before_the_page_came_is_there_and_follows_where_it_is_moved(visit: Visit) -> None:
    visit.write("early.txt", "early\n")
    visit.write("stays.txt", "stays\n")
    visit.ask("mode", mode="auto")
    visit.ask("settings.set", key="destructive_edits", value="allow")
    codex = agent(visit)
    for name in ("early.txt", "stays.txt"):
        codex.call("editor_open", path=name)
    page = visit.sign_in()
    for name in ("early.txt", "stays.txt"):
        expect(tab(page, name)).to_contain_text("opened by codex")
    moved = codex.call("editor_move", **{"from": "early.txt", "to": "deep/late.txt"})
    assert not moved.get("isError"), moved
    expect(tab(page, "late.txt")).to_contain_text("opened by codex")
    expect(tab(page, "early.txt")).to_have_count(0)
    tab(page, "late.txt").click()
    expect(text_of(page, "deep/late.txt")).to_contain_text("early")
    tab(page, "stays.txt").click()
    page.get_by_role("button", name="Close the tab").click()
    expect(tab(page, "stays.txt")).to_have_count(0)
    codex.call("editor_move", **{"from": "deep/late.txt", "to": "last.txt"})
    expect(tab(page, "last.txt")).to_be_visible()
    expect(tab(page, "stays.txt")).to_have_count(0)  # what the person closed stays closed
