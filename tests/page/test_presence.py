"""Who is there, in the browser: one client a tab."""

from __future__ import annotations

from playwright.sync_api import Page, expect
from tests.page.browsing import Visit


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
