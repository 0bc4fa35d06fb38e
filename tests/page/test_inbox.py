"""What waits, in the browser: shown in full, decided by a click that was meant, and by nothing else."""

from __future__ import annotations

from playwright.sync_api import expect
from tests.page.browsing import Visit

CREATE = {"type": "create", "path": "new.txt", "content": "one\n"}


def test_a_request_appears_and_is_accepted(visit: Visit) -> None:
    page = visit.sign_in()
    inbox = page.get_by_role("complementary", name="Inbox")
    expect(inbox.get_by_text("Nothing waits for you")).to_be_visible()
    visit.stage(CREATE, title="Say one")
    card = inbox.get_by_role("button", name="Say one")
    card.click()
    review = page.get_by_role("article", name="Say one")
    expect(review.get_by_role("group", name="new.txt")).to_contain_text("one")
    expect(review.get_by_role("region", name="own words")).to_contain_text("Say one")
    visit.settle()
    review.get_by_label("A word to the agent").fill("fine by me")
    review.get_by_role("button", name="Accept all").click()
    expect(review.get_by_text("This is consumed")).to_be_visible()
    expect(review).to_contain_text("fine by me")
    expect(inbox.get_by_text("Nothing waits for you")).to_be_visible()
    assert visit.read("new.txt") == "one\n"
