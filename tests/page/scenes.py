"""The page's main states, one after another on one folder: looked at by axe, and kept as pictures for the documents."""

from __future__ import annotations

from collections.abc import Iterator

from tests.page.browsing import PHONE, WIDE, Visit
from tests.repositories import git, repository

__all__ = ["play"]

_SCALE = '''"""Recipes for another number of people."""


def scale(amounts: dict[str, float], *, people: int, serves: int) -> dict[str, float]:
    """The amounts for `people`, of a recipe written for `serves`."""
    return {name: amount * people / serves for name, amount in amounts.items()}


def total(amounts: dict[str, float]) -> float:
    """What all of it weighs."""
    weight = 0.0
    for amount in amounts.values():
        weight = weight + amount
    return weight


def rounded(amount: float) -> str:
    """An amount as a cook reads it."""
    return f"{amount:.2f}"
'''
_ROUND = "amount * people / serves for"


def play(visit: Visit) -> Iterator[str]:
    """The name of each state, while the page is in it."""
    page = visit.page
    page.goto(visit.url)
    page.get_by_role("heading", name="Sign in").wait_for()
    yield "signed-out"
    visit.sign_in()
    yield "empty"
    _history(visit)
    _requests(visit)
    page.get_by_role("button", name="Round what comes out").click()
    page.get_by_role("button", name="Accept all").wait_for()
    visit.settle()
    yield "review"
    page.get_by_label("Take hunk 2").uncheck()
    visit.settle()
    yield "part"
    page.get_by_role("button", name="Edit first").click()
    page.get_by_role("button", name="Accept as edited").wait_for()
    visit.settle()
    yield "edit"
    page.get_by_role("button", name="Back").click()
    page.get_by_role("button", name="Tidy up").click()
    page.get_by_text("This destroys").wait_for()
    visit.settle()
    yield "destructive"
    visit.changes().get_by_role("button", name="Say who reads").click()
    page.get_by_role("group", name="recipes/scale.py").get_by_text("reads it aloud").wait_for()
    yield "entry"
    page.get_by_role("button", name="Undo this").click()
    page.get_by_role("button", name="Undo", exact=True).wait_for()
    visit.settle()
    yield "undo"
    page.get_by_role("navigation", name="Views").get_by_role("button", name="Files").click()
    page.get_by_role("treeitem", name="recipes").click()
    page.get_by_role("treeitem", name="scale.py").click()
    page.get_by_role("textbox", name="Text of recipes/scale.py").wait_for()
    page.get_by_role("group", name="Shown file").get_by_text("Changed").wait_for()
    yield "file"
    _agent(visit)
    page.get_by_role("tab", name="old.md opened by pilot").wait_for()
    yield "agents-tab"
    page.get_by_role("button", name="Follow pilot").click()
    page.get_by_role("button", name="Following pilot").wait_for()
    page.get_by_role("textbox", name="Text of notes/old.md").wait_for()
    yield "following"
    visit.changes()
    page.get_by_role("region", name="tester: 1 change, 1 file").wait_for()
    yield "changes"
    _repository(visit)
    page.get_by_role("navigation", name="Views").get_by_role("button", name="Git").click()
    page.get_by_role("button", name="notes/old.md, modified").click()
    page.get_by_role("button", name="Stage hunk 1").wait_for()
    yield "git"
    page.get_by_role("button", name="Undo commit…").click()
    page.get_by_role("region", name="Undo the last commit").wait_for()
    yield "git-undo"
    yield from _file(visit)
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("region", name="destructive_edits").wait_for()
    yield "settings"
    page.get_by_role("tab", name="Tidy up").click()
    page.get_by_text("This destroys").wait_for()
    page.keyboard.press("?")
    page.get_by_role("dialog", name="Keys").wait_for()
    yield "keys"
    page.keyboard.press("Escape")
    page.keyboard.press("Control+P")
    page.keyboard.type("scale")
    page.get_by_role("option", name="recipes/scale.py", selected=True).wait_for()
    yield "quick-open"
    page.keyboard.press("Escape")
    page.keyboard.press("Control+Shift+P")
    page.get_by_role("dialog", name="Run a command").wait_for()
    yield "palette"
    page.keyboard.press("Escape")
    page.keyboard.press("Control+Shift+F")
    page.get_by_label("Look for").fill("amount")
    page.keyboard.press("Enter")
    page.get_by_role("region", name="recipes/scale.py").get_by_role("button").first.wait_for()
    yield "search"
    page.set_viewport_size(PHONE)
    page.get_by_role("navigation", name="Views").get_by_role("button", name="Open").click()
    page.get_by_role("tab", name="Tidy up").click()
    page.get_by_text("This destroys").wait_for()
    visit.settle()
    yield "phone-review"
    page.get_by_role("navigation", name="Views").get_by_role("button", name="Inbox").click()
    visit.settle()
    yield "phone-inbox"
    page.set_viewport_size(WIDE)
    away = visit.room.folder.with_name("away")
    visit.room.folder.rename(away)
    visit.room.person().get("close", path=str(visit.room.folder))  # the stream ends, and can't be had again
    page.get_by_text("Not live.", exact=True).wait_for()
    visit.settle()
    yield "not-live"
    away.rename(visit.room.folder)


def _file(visit: Visit) -> Iterator[str]:
    """The views of a file, the editor's panels, and what both have changed."""
    page = visit.page
    page.get_by_role("navigation", name="Views").get_by_role("button", name="Files").click()
    page.get_by_role("treeitem", name="notes").click()
    page.get_by_role("treeitem", name="new.md").click()
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("heading", name="New").wait_for()
    yield "preview"
    page.get_by_role("tab", name="scale.py", exact=True).click()
    text = page.get_by_role("textbox", name="Text of recipes/scale.py")
    text.click()
    page.keyboard.press("Control+Home")
    page.keyboard.type("# By hand\n")
    for key in ("Control+End", "ArrowUp", "End"):
        page.keyboard.press(key)
    page.keyboard.type("  # to the cent")
    page.locator(".cm-change-changed").first.wait_for()
    page.keyboard.press("Control+Home")
    page.keyboard.press("F7")
    page.get_by_text("Change 2 of").wait_for()
    yield "changes-marked"
    page.keyboard.press("Control+F")
    page.keyboard.type("amount")
    page.locator(".cm-searchMatch").first.wait_for()
    yield "find"
    page.keyboard.press("Escape")
    page.keyboard.press("Control+G")
    page.get_by_role("textbox", name="Go to line").wait_for()
    yield "go-to-line"
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Read", exact=True).click()
    yield "read"
    page.get_by_role("button", name="Unsaved").click()
    page.get_by_role("textbox", name="What isn't saved yet").wait_for()
    yield "unsaved"
    page.get_by_role("button", name="Since commit").click()
    page.get_by_role("textbox", name="What differs from the last commit").wait_for()
    yield "since-commit"
    page.get_by_role("button", name="Edit", exact=True).click()
    visit.ask("mode", mode="auto")
    path = {"type": "replace", "path": "recipes/scale.py"}
    visit.edit(
        {**path, "search": "another number of people", "replacement": "more people"},
        {**path, "search": ":.2f", "replacement": ":.1f"},
        title="Say it shorter",
    )
    visit.ask("mode", mode="manual")
    page.get_by_role("button", name="Merge…").wait_for()
    yield "conflict"
    page.get_by_role("button", name="Merge…").click()
    page.get_by_role("button", name="Next change").click()
    page.get_by_text("Change 2 of").wait_for()
    yield "merge"
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Take theirs").click()
    page.get_by_role("group", name="Shown file").get_by_text("Saved", exact=True).wait_for()


def _history(visit: Visit) -> None:
    visit.write("recipes/scale.py", _SCALE)
    visit.write("notes/old.md", "# Old\n\nNobody reads this.\n")
    visit.ask("settings.set", key="destructive_edits", value="ask")
    visit.ask("mode", mode="auto")
    path = {"type": "replace", "path": "recipes/scale.py"}
    visit.edit(
        {**path, "search": "as a cook reads it", "replacement": "as a cook reads it aloud"}, title="Say who reads"
    )
    create = {"type": "create", "path": "CHANGES.md", "content": "- Amounts are told as a cook reads them.\n"}
    visit.edit(create, title="Tell of it", name="codex")
    visit.ask("undo")
    visit.ask("mode", mode="manual")


def _agent(visit: Visit) -> None:
    """One who is there, with a file open."""
    pilot = visit.room.shim("--profile", "editor", str(visit.room.folder))
    info = {"name": "pilot", "version": "1"}
    pilot.request("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=info)
    pilot.send(method="notifications/initialized")
    pilot.call("editor_open", path="notes/old.md")


def _repository(visit: Visit) -> None:
    folder = repository(visit.room.folder)
    git(folder, "add", "recipes/scale.py", "notes/old.md")
    git(folder, "commit", "-qm", "Begin the book")
    visit.write("recipes/scale.py", _SCALE.replace("weighs", "weighs in all"))
    git(folder, "add", "recipes/scale.py")
    visit.write("notes/old.md", "# Old\n\nSomebody reads this.\n")
    visit.write("notes/new.md", "# New\n")


def _requests(visit: Visit) -> None:
    path = {"type": "replace", "path": "recipes/scale.py"}
    visit.stage(
        {**path, "search": _ROUND, "replacement": f"round({_ROUND.removesuffix(' for')}, 2) for"},
        {**path, "search": '    return f"{amount:.2f}"', "replacement": '    return f"{amount:.1f}"'},
        {"type": "create", "path": "docs/rounding.md", "content": "# Rounding\n\nAmounts have two places.\n"},
        title="Round what comes out",
    )
    visit.stage(
        {"type": "delete", "path": "notes/old.md"},
        {"type": "create", "path": ".npmrc", "content": "ignore-scripts=true\n"},
        title="Tidy up",
        name="codex",
    )
