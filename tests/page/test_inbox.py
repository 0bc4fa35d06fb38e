"""What waits, in the browser: shown in full, decided by a click that was meant, and by nothing else."""

from __future__ import annotations

import json
import re

from playwright.sync_api import Locator, Page, Route, expect
from tests.page.browsing import PHONE, Visit

CREATE = {"type": "create", "path": "new.txt", "content": "one\n"}
STEPS = "".join(f"def step_{number}():\n    return {number}\n\n\n" for number in range(12))


def rename(number: int) -> dict[str, str]:
    return {"type": "replace", "path": "steps.py", "search": f"step_{number}(", "replacement": f"renamed_{number}("}


def inbox(page: Page) -> Locator:
    return page.get_by_role("region", name="Inbox")


def opened(visit: Visit, title: str) -> Locator:
    """The request in full, settled."""
    inbox(visit.page).get_by_role("button", name=title).click()
    review = visit.page.get_by_role("article", name=title)
    expect(review.get_by_role("button", name="Deny")).to_be_enabled()
    visit.settle()
    return review


def test_a_request_appears_and_is_accepted(visit: Visit) -> None:
    page = visit.sign_in()
    expect(inbox(page).get_by_text("Nothing waits for you")).to_be_visible()
    visit.stage(CREATE, title="Say one")
    review = opened(visit, "Say one")
    expect(review.get_by_role("group", name="new.txt")).to_contain_text("one")
    expect(review.get_by_role("region", name="own words")).to_contain_text("Say one")
    expect(review).to_contain_text("Asked by tester")
    review.get_by_label("A word to the agent").fill("fine by me")
    review.get_by_role("button", name="Accept all").click()
    expect(review.get_by_text("This is done")).to_be_visible()
    expect(review).to_contain_text("fine by me")
    expect(inbox(page).get_by_text("Nothing waits for you")).to_be_visible()
    expect(visit.changes()).to_contain_text("Say one")
    assert visit.read("new.txt") == "one\n"


def test_a_denial_brings_its_reason(visit: Visit) -> None:
    visit.sign_in()
    waiting = visit.stage(CREATE, title="Say one")
    review = opened(visit, "Say one")
    review.get_by_label("A word to the agent").fill("say two")
    review.get_by_role("button", name="Deny").click()
    expect(review.get_by_text("This is denied")).to_be_visible()
    assert "say two" in visit.ask("show", id=waiting)["text"]
    assert not (visit.room.folder / "new.txt").exists()


def test_some_hunks_and_files_are_accepted(visit: Visit) -> None:
    visit.write("steps.py", STEPS)
    visit.sign_in()
    visit.stage(rename(1), rename(10), CREATE, title="Rename two steps")
    review = opened(visit, "Rename two steps")
    review.get_by_role("group", name="steps.py").get_by_label("Take hunk 2").uncheck()
    review.get_by_label("Take new.txt").uncheck()
    review.get_by_role("button", name="Accept 1 of 3").click()
    expect(review.get_by_text("This is done")).to_be_visible()
    assert visit.read("steps.py") == STEPS.replace("step_1(", "renamed_1(")
    assert not (visit.room.folder / "new.txt").exists()


def test_nothing_taken_can_not_be_accepted(visit: Visit) -> None:
    visit.sign_in()
    visit.stage(CREATE, title="Say one")
    review = opened(visit, "Say one")
    review.get_by_label("Take new.txt").uncheck()
    expect(review.get_by_role("button", name="Nothing is taken")).to_be_disabled()


def test_a_request_is_edited_before_it_is_accepted(visit: Visit) -> None:
    visit.write("steps.py", STEPS.replace("\n", "\r\n"))
    visit.sign_in()
    visit.stage(rename(1), {**CREATE, "path": "other.bin", "content": "a\rb\n"}, title="Rename a step")
    opened(visit, "Rename a step").get_by_role("button", name="Edit first").click()
    review = visit.page.get_by_role("article", name="Edit before accepting")
    expect(review.get_by_text("Its line ends are mixed")).to_be_visible()
    text = review.get_by_role("textbox", name="steps.py, to be edited")
    text.press("Control+Home")
    visit.page.keyboard.type("# mine")
    visit.page.keyboard.press("Enter")
    visit.page.keyboard.press("Tab")
    visit.page.keyboard.press("Backspace")
    expect(text).to_be_focused()
    visit.page.keyboard.press("Escape")
    visit.page.keyboard.press("Tab")
    expect(text).not_to_be_focused()
    expect(review.get_by_text("1 file edited")).to_be_visible()
    visit.settle()
    review.get_by_role("button", name="Accept as edited").click()
    done = visit.page.get_by_role("article", name="Rename a step")
    expect(done.get_by_text("accepted as the person edited it")).to_be_visible()
    assert visit.read("steps.py") == ("# mine\n" + STEPS.replace("step_1(", "renamed_1(")).replace("\n", "\r\n")


def test_what_was_edited_is_there_again_after_a_look_elsewhere(visit: Visit) -> None:
    visit.write("steps.py", STEPS)
    visit.write("other.txt", "other\n")
    page = visit.sign_in()
    visit.stage(rename(1), title="Rename a step")
    opened(visit, "Rename a step").get_by_role("button", name="Edit first").click()
    text = page.get_by_role("textbox", name="steps.py, to be edited")
    text.press("Control+Home")
    page.keyboard.type("# mine")
    page.keyboard.press("Enter")
    page.get_by_role("treeitem", name="other.txt").click()
    expect(page.get_by_role("textbox", name="Text of other.txt")).to_be_visible()
    page.get_by_role("tab", name="Rename a step").click()
    expect(text).to_contain_text("# mine")
    text.press("Control+Home")
    page.keyboard.type("# more")
    page.keyboard.press("Enter")
    visit.settle()
    page.get_by_role("button", name="Accept as edited").click()
    expect(page.get_by_text("accepted as the person edited it")).to_be_visible()
    assert visit.read("steps.py") == "# more\n# mine\n" + STEPS.replace("step_1(", "renamed_1(")


def test_what_is_approved_for_later_is_done_when_the_agent_asks_again(visit: Visit) -> None:
    page = visit.sign_in()
    visit.stage(CREATE, title="Say one")
    review = opened(visit, "Say one")
    review.get_by_label("A word to the agent").fill("when you are ready")
    review.get_by_role("button", name="Approve for later").click()
    expect(review.get_by_text("This is approved")).to_be_visible()
    expect(page.get_by_text("Nothing was done yet")).to_be_visible()
    assert not (visit.room.folder / "new.txt").exists()
    visit.edit(CREATE, title="Say one")
    expect(visit.changes()).to_contain_text("Say one")
    assert visit.read("new.txt") == "one\n"


def test_every_field_of_what_is_no_edit_is_shown_in_full(visit: Visit) -> None:
    """Such requests have their body as the fields of the call; here the server's answer is given one."""
    page = visit.sign_in()
    visit.stage(CREATE, title="Say one")
    url = "https://example.org/" + "a/" * 200 + "?end=1"
    call = {"argv": ["rm", "-rf", "two words"], "cwd": "deep/" * 40 + "here", "url": url}

    def answer(route: Route) -> None:
        if '"show"' not in (route.request.post_data or ""):
            return route.continue_()
        response = route.fetch()
        result = response.json()["result"] | {"kind": "command", "body": json.dumps(call), "editable": False}
        return route.fulfill(response=response, json={"result": result})

    page.route("**/page/v1/call", answer)
    review = opened(visit, "Say one")
    done = review.get_by_role("region", name="What would be done")
    assert done.get_by_role("listitem").all_inner_texts() == call["argv"]
    for name in ("cwd", "url"):
        expect(done).to_contain_text(str(call[name]))
        expect(done.get_by_text(str(call[name]), exact=True)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


def test_a_click_within_half_a_second_of_a_redraw_does_not_count(visit: Visit) -> None:
    page = visit.sign_in()
    visit.stage(CREATE, title="Say one")
    review = opened(visit, "Say one")
    # What comes while somebody aims: the click is made in the very frame in which the page has drawn it.
    page.evaluate(
        """() => new MutationObserver((_, observer) => {
            observer.disconnect();
            [...document.querySelectorAll('button')].find(one => one.textContent.includes('Accept all')).click();
        }).observe(document.querySelector('.cards'), {childList: true})"""
    )
    visit.stage({**CREATE, "path": "two.txt"}, title="Say two")
    expect(review.get_by_text("That click came too soon")).to_be_visible()
    assert not (visit.room.folder / "new.txt").exists()
    visit.settle()
    review.get_by_role("button", name="Accept all").click()
    expect(review.get_by_text("This is done")).to_be_visible()


def test_no_key_decides(visit: Visit) -> None:
    page = visit.sign_in()
    visit.stage(CREATE, title="Say one")
    review = opened(visit, "Say one")
    review.get_by_label("A word to the agent").press("Enter")
    for key in ("Enter", "Space", "y", "a", "Control+Enter"):
        page.keyboard.press(key)
    expect(review.get_by_role("button", name="Accept all")).to_be_enabled()
    assert visit.ask("pending")["pending"]


def test_requests_that_look_alike_are_told_apart(visit: Visit) -> None:
    visit.sign_in()
    first = visit.stage(CREATE, title="Say one")
    second = visit.stage({**CREATE, "content": "one\nrm -rf /\n"}, title="SAY  ONE!", name="other")
    cards = inbox(visit.page).get_by_role("button", name=re.compile("looks like another"))
    expect(cards).to_have_count(2)
    short = [one.removeprefix("approval_")[:4] for one in (first, second)]
    cards.filter(has_text=short[1]).click()
    review = visit.page.get_by_role("article", name="SAY ONE!")
    expect(review).to_contain_text("Another request looks like this one")
    expect(review).to_contain_text(short[0])
    expect(review.locator(".alike pre")).to_contain_text("+rm -rf /")


def test_what_destroys_deceives_or_can_run_code_says_so(visit: Visit) -> None:
    visit.write("old.md", "old\n")
    visit.ask("settings.set", key="destructive_edits", value="ask")
    visit.sign_in()
    visit.stage(
        {"type": "delete", "path": "old.md"},
        {**CREATE, "path": ".npmrc", "content": "x\u202ey\n"},
        title="Tidy <b>up</b> <img src=x onerror=alert(1)>",
    )
    review = opened(visit, "Tidy <b>up</b>")
    expect(review.get_by_text("This destroys")).to_be_visible()
    expect(review.get_by_text(".npmrc can run code")).to_be_visible()
    expect(review.get_by_text("bidirectional controls")).to_be_visible()
    expect(review.get_by_role("group", name=".npmrc")).to_contain_text(r"x\u202ey")
    assert review.locator("img, b").count() == 0


def test_a_request_that_was_decided_elsewhere_is_shown_as_it_is(visit: Visit) -> None:
    visit.sign_in()
    waiting = visit.stage(CREATE, title="Say one")
    review = opened(visit, "Say one")
    visit.ask("deny", words=f"{waiting} no")
    expect(review.get_by_text("This is denied")).to_be_visible()
    expect(review.get_by_role("button", name="Accept")).to_have_count(0)


def test_an_arrow_goes_from_mode_to_mode_and_chooses_none(visit: Visit) -> None:
    visit.ask("mode", mode="manual")
    page = visit.sign_in()
    radio = {name: page.get_by_role("radio", name=name) for name in ("Manual", "Plan", "Auto")}
    expect(radio["Manual"]).to_be_checked()
    visit.settle()
    radio["Manual"].focus()
    page.keyboard.press("ArrowRight")
    expect(radio["Plan"]).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(radio["Auto"]).to_be_focused()
    expect(radio["Manual"]).to_be_checked()
    assert visit.ask("mode")["mode"] == "manual"
    page.keyboard.press("Space")
    expect(radio["Auto"]).to_be_checked()
    assert visit.ask("mode")["mode"] == "auto"


def test_the_mode_is_switched_and_follows(visit: Visit) -> None:
    page = visit.sign_in()
    modes = inbox(page).get_by_role("group", name="What agents may do")
    visit.settle()
    modes.get_by_text("Auto", exact=True).click()
    expect(page.get_by_role("contentinfo")).to_contain_text("Mode: auto")
    assert visit.ask("mode")["mode"] == "auto"
    visit.ask("mode", mode="plan")
    expect(modes.get_by_role("radio", name="Plan")).to_be_checked()


def test_the_inbox_works_on_a_phone(visit: Visit) -> None:
    page = visit.page
    page.set_viewport_size(PHONE)
    visit.write("steps.py", STEPS)
    visit.sign_in()
    visit.stage(rename(1), rename(10), title="Rename two steps, and have a title that is longer than a phone is wide")
    review = opened(visit, "Rename two steps")
    review.get_by_label("Take hunk 2").uncheck()
    visit.settle()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    for name in ("one", "two", "three"):
        visit.page.get_by_role("navigation", name="Views").get_by_role("button", name="Inbox").click()
        visit.stage({**CREATE, "path": f"{name}.txt"}, title=f"A file that is called {name}")
        inbox(page).get_by_role("button", name=f"called {name}").click()
        tab = page.get_by_role("tab", name=f"called {name}")
        expect(tab).to_be_in_viewport(ratio=0.9)
        assert tab.bounding_box()["width"] > 100
    page.get_by_role("tab", name="Rename two steps").click()
    review.get_by_label("Take hunk 2").uncheck()
    visit.settle()
    accept = review.get_by_role("button", name="Accept 1 of 2")
    expect(accept).to_be_in_viewport(ratio=1)
    assert accept.bounding_box()["height"] >= 44
    accept.click()
    expect(review.get_by_text("This is done")).to_be_visible()
    page.get_by_role("navigation", name="Views").get_by_role("button", name="Inbox").click()
    expect(inbox(page).get_by_role("button", name="called")).to_have_count(3)
