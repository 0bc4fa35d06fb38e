"""Many tabs of one browser share one stream of events, so that none of them waits for a connection."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.interfaces.conftest import Room
from tests.interfaces.test_buffers import Brief, brief, wait_until  # noqa: F401 - a fixture
from tests.page.browsing import Visit, visiting
from tests.page.test_presence import here, live

MANY = 10
_STALL = "setTimeout(() => { const end = Date.now() + 6000; while (Date.now() < end) { /* busy */ } }, 0)"


def another(visit: Visit) -> Page:
    """One more tab of the same browser."""
    page = visit.context.new_page()
    page.goto(visit.url)
    live(page)
    return page


def changes(page: Page) -> Locator:
    """The entries in the left bar's list, shown."""
    page.get_by_role("navigation", name="Views").get_by_role("button", name="Changes").click()
    return page.get_by_role("region", name="Changes").get_by_role("listitem")


def create(visit: Visit, name: str) -> None:
    visit.edit({"type": "create", "path": f"{name}.txt", "content": f"{name}\n"}, title=name)


def test_ten_tabs_are_live_see_what_an_agent_does_and_are_answered_at_once(visit: Visit) -> None:
    visit.ask("mode", mode="auto")
    pages = [visit.sign_in(), *(another(visit) for _ in range(MANY - 1))]
    lists = [changes(page) for page in pages]
    create(visit, "First")
    for entries in lists:
        expect(entries).to_have_count(1)
    visit.room.wait_for(lambda: len(here(visit)) == MANY)
    took = pages[-1].evaluate("""async () => {
        const {key} = JSON.parse(localStorage.getItem('workroom.key'));
        const headers = {authorization: `Bearer ${key}`, 'content-type': 'application/json'};
        const begun = performance.now();
        const answer = await fetch('/page/v1/call', {method: 'POST', headers, body: '{"method": "status"}'});
        await answer.json();
        return performance.now() - begun;
    }""")
    assert took < 2_000
    pages[0].close()  # it was there first: the others go on
    create(visit, "Second")
    for page, entries in zip(pages[1:], lists[1:], strict=True):
        expect(entries).to_have_count(2)
        expect(entries.first).to_contain_text("Second")
        expect(page.get_by_text("Live", exact=True)).to_be_attached()


def test_each_of_them_hears_each_event_once_and_in_order(visit: Visit) -> None:
    """Tabs that come and go have the stream opened anew, behind what was told last."""
    visit.ask("mode", mode="auto")
    visit.context.add_init_script(_HEAR)
    pages = [visit.sign_in(), another(visit)]
    for number in range(5):
        coming = another(visit)
        create(visit, f"Number {number}")
        coming.close()
        create(visit, f"And {number}")
    for page in pages:
        expect(changes(page)).to_have_count(10)
        page.wait_for_function("window.heard.filter(one => one.type === 'committed').length >= 10")
    told = [page.evaluate("window.heard.map(one => one.number)") for page in pages]
    for numbers in told:
        assert numbers == sorted(set(numbers))
    assert told[0][-len(told[1]) :] == told[1]
    assert pages[0].evaluate("window.heard.filter(one => one.type === 'committed').length") == 10


_HEAR = """
    window.heard = [];
    const Worker = window.SharedWorker;
    window.SharedWorker = class extends Worker {
        constructor(...given) {
            super(...given);
            this.port.addEventListener('message', ({data}) => {
                if (data.tell === 'told') window.heard.push(data.event);
            });
        }
    };
"""


def test_each_tab_counts_as_there_while_it_lives_and_no_longer(chromium: Browser, brief: Brief) -> None:  # noqa: F811
    """Sessions of this server last 0.3 s without a request, and neither tab makes any."""
    room = Room(brief.folder, brief.folder, brief.folder)
    workspace = brief.daemon.hub.open(str(brief.folder))

    def there() -> set[str]:
        return {one.actor.session for one in brief.daemon.hub.presence.list(workspace)}

    with visiting(chromium, room, brief.port) as visit:
        visit.page.goto(f"{visit.url}/#{brief.daemon.pages.new_code()}")
        live(visit.page)
        first = there()
        other = another(visit)
        wait_until(lambda: len(there()) == 2)
        visit.page.wait_for_timeout(1_000)
        assert len(there()) == 2
        visit.page.close()
        wait_until(lambda: len(there()) == 1)
        assert not there() & first
        live(other)
    wait_until(lambda: not there())


def test_a_stalled_tab_holds_nobody_up_and_misses_nothing(visit: Visit) -> None:
    visit.ask("mode", mode="auto")
    stalled, other = visit.sign_in(), another(visit)
    behind, ahead = changes(stalled), changes(other)
    stalled.evaluate(_STALL)
    create(visit, "Meanwhile")
    expect(ahead).to_have_count(1, timeout=3_000)
    expect(behind).to_have_count(1, timeout=20_000)


def test_who_signs_out_in_one_tab_is_out_in_all(visit: Visit) -> None:
    first, second = visit.sign_in(), another(visit)
    held = first.evaluate("JSON.parse(localStorage.getItem('workroom.key')).id")
    visit.room.person().get("pages.revoke", name=held)
    visit.ask("mode", mode="auto")
    for page in (first, second):
        expect(page.get_by_role("alert")).to_contain_text("signed out")


def test_tabs_of_two_folders_each_hear_of_their_own(visit: Visit) -> None:
    other = visit.room.folder.parent / "beside"
    other.mkdir()
    visit.room.person().get("open", path=str(other))
    visit.ask("mode", mode="auto")
    page, beside = visit.sign_in(), another(visit)
    beside.get_by_label("Folder").select_option(str(other))
    live(beside)
    entries = changes(page)
    changes(beside)
    create(visit, "Here")
    expect(entries).to_have_count(1)
    expect(beside.get_by_text("Nothing was changed yet")).to_be_visible()
    page.close()
    visit.room.person(other).get("mode", mode="auto")
    expect(beside.get_by_role("contentinfo")).to_contain_text("Mode: auto")


@pytest.mark.parametrize("missing", ["SharedWorker", "LockManager"])
def test_where_a_browser_can_not_share_each_tab_has_its_own(visit: Visit, missing: str) -> None:
    visit.context.add_init_script(
        "delete globalThis.SharedWorker"
        if missing == "SharedWorker"
        else "Object.defineProperty(Navigator.prototype, 'locks', {value: undefined})"
    )
    visit.ask("mode", mode="auto")
    page = visit.sign_in()
    entries = changes(page)
    create(visit, "Alone")
    expect(entries).to_have_count(1)
