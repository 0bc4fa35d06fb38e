"""What is decided in advance: settings, and the plan that is in force."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect
from tests.page.browsing import Visit


def test_settings_are_found_set_refused_and_taken_back(visit: Visit) -> None:
    page = visit.sign_in()
    page.get_by_role("region", name="Inbox").get_by_role("button", name="Settings").click()
    page.get_by_label("Find a setting").fill("allowDestructive")
    row = page.get_by_role("region", name="destructive_edits")
    expect(page.get_by_role("article", name="Settings").get_by_role("region")).to_have_count(1)
    visit.settle()
    row.get_by_role("textbox").fill("perhaps")
    row.get_by_role("button", name="Set").click()
    expect(row.get_by_role("alert")).to_contain_text("destructive_edits")
    row.get_by_role("textbox").fill("ask")
    row.get_by_role("button", name="Set").click()
    expect(row.get_by_text("workspace", exact=True)).to_be_visible()
    assert visit.ask("settings.get", key="destructive_edits")["value"] == "ask"
    visit.settle()
    row.get_by_role("button", name="Take back").click()
    expect(row.get_by_text("default", exact=True)).to_be_visible()
    page.get_by_label("Find a setting").fill("protected_patterns")
    row = page.get_by_role("region", name="protected_patterns")
    visit.settle()
    row.get_by_role("textbox").fill("*.pem\nsecret/**\n")
    row.get_by_role("button", name="Set").click()
    expect(row.get_by_text("workspace", exact=True)).to_be_visible()
    assert visit.ask("settings.get", key="protected_patterns")["value"] == ["*.pem", "secret/**"]


def test_the_plan_in_force_is_shown_with_its_steps(visit: Visit) -> None:
    visit.ask("mode", mode="plan")
    page = visit.sign_in()
    client = visit.room.agent()
    plan: dict[str, Any] = {
        "title": "Name every step",
        "objective": "Each step says what it does",
        "steps": [{"text": "Rename the first\u202e", "kind": "edit"}, {"text": "Run the tests", "kind": "command"}],
    }
    client.call("workspace_plan", action="propose", **plan)
    inbox = page.get_by_role("region", name="Inbox")
    expect(inbox.get_by_text("plan waits")).to_be_visible()
    inbox.get_by_role("button", name="Name every step").click()
    review = page.get_by_role("article", name="Name every step")
    expect(review.get_by_role("region", name="own words")).to_contain_text("Run the tests")
    visit.settle()
    review.get_by_role("button", name="Accept").click()
    expect(inbox.get_by_text("plan in force")).to_be_visible()
    expect(inbox.get_by_text(r"Rename the first\u202e")).to_be_visible()
