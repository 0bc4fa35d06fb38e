"""Files in the browser: found in the tree, edited and saved, with nobody's work lost on the way."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect
from tests.page.browsing import Visit


def tree_of(page: Page) -> Locator:
    return page.get_by_role("tree", name="Files")


def item(page: Page, name: str) -> Locator:
    return tree_of(page).get_by_role("treeitem", name=re.compile(f"^{re.escape(name)}(,|$)"))


def text_of(page: Page, path: str) -> Locator:
    return page.get_by_role("textbox", name=f"Text of {path}")


def type_at_start(page: Page, path: str, text: str) -> None:
    text_of(page, path).click()
    page.keyboard.press("Control+Home")
    page.keyboard.type(text)


def test_a_file_is_found_edited_and_saved(visit: Visit) -> None:
    visit.write("src/app/main.py", "print(1)\n")
    page = visit.sign_in()
    item(page, "src").click()
    item(page, "app").click()
    item(page, "main.py").click()
    type_at_start(page, "src/app/main.py", "# mine\n")
    expect(page.get_by_role("tab", name="main.py")).to_contain_text("not saved")
    page.keyboard.press("Control+S")
    expect(page.get_by_role("tab", name="main.py")).not_to_contain_text("not saved")
    assert visit.read("src/app/main.py") == "# mine\nprint(1)\n"
    assert visit.ask("log")["entries"][0]["actor"]["kind"] == "person"


def test_the_tree_is_driven_by_keys_alone(visit: Visit) -> None:
    visit.write("a/deep.txt", "x\n")
    visit.write("b.txt", "y\n")
    page = visit.sign_in()
    expect(item(page, "b.txt")).to_be_visible()
    tree_of(page).focus()
    for key in ("Home", "ArrowRight"):
        page.keyboard.press(key)
    expect(item(page, "deep.txt")).to_be_visible()
    for key in ("ArrowDown", "Enter"):
        page.keyboard.press(key)
    expect(text_of(page, "a/deep.txt")).to_be_visible()
    tree_of(page).focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(item(page, "deep.txt")).to_have_count(0)


def test_what_an_agent_writes_appears_in_tree_and_tab(visit: Visit) -> None:
    visit.write("shared.txt", "one\n")
    visit.ask("mode", mode="auto")
    page = visit.sign_in()
    item(page, "shared.txt").click()
    expect(text_of(page, "shared.txt")).to_contain_text("one")
    visit.edit(
        {"type": "replace", "path": "shared.txt", "search": "one", "replacement": "two"},
        {"type": "create", "path": "fresh.txt", "content": "new\n"},
    )
    expect(item(page, "fresh.txt")).to_be_visible()
    expect(text_of(page, "shared.txt")).to_contain_text("two")


def test_an_agents_change_leaves_the_cursor_the_view_and_the_undo_of_an_open_file(visit: Visit) -> None:
    visit.write("long.txt", "".join(f"line {number}\n" for number in range(1, 301)))
    visit.ask("mode", mode="auto")
    page = visit.sign_in()
    item(page, "long.txt").click()
    type_at_start(page, "long.txt", "typed ")
    page.keyboard.press("Control+S")
    expect(page.get_by_role("tab", name="long.txt")).not_to_contain_text("not saved")
    page.keyboard.press("Control+End")
    status = page.get_by_role("group", name="Shown file")
    expect(status).to_contain_text("Line 301 of 301")
    visit.edit(
        {"type": "replace", "path": "long.txt", "search": "line 2\n", "replacement": "line 2\nhers\n"},
        {"type": "replace", "path": "long.txt", "search": "line 299\n", "replacement": "hers too\n"},
    )
    expect(text_of(page, "long.txt")).to_contain_text("hers too")
    expect(status).to_contain_text("Line 302 of 302")
    expect(text_of(page, "long.txt")).to_be_focused()
    page.keyboard.press("Control+Z")  # the person's own work, not the agent's
    page.keyboard.press("Control+S")
    expect(page.get_by_role("tab", name="long.txt")).not_to_contain_text("not saved")
    text = visit.read("long.txt")
    assert text.startswith("line 1\nline 2\nhers\nline 3\n"), text[:40]
    assert text.endswith("line 298\nhers too\nline 300\n"), text[-40:]


def test_what_is_typed_while_an_agents_change_is_fetched_is_kept(visit: Visit) -> None:
    visit.write("shared.txt", "one\ntwo\n")
    visit.ask("mode", mode="auto")
    page = visit.sign_in()
    item(page, "shared.txt").click()
    expect(text_of(page, "shared.txt")).to_contain_text("one")
    text_of(page, "shared.txt").click()
    page.keyboard.press("Control+Home")
    held: list[Route] = []
    page.route("**/page/v1/call", lambda route: _hold(route, held))
    visit.edit({"type": "replace", "path": "shared.txt", "search": "two", "replacement": "three"})
    wait_for(page, held)
    page.keyboard.type("typed ")
    held[0].continue_()
    expect(page.get_by_role("alert").filter(has_text="changed this file")).to_be_visible()
    expect(text_of(page, "shared.txt")).to_contain_text("typed one")
    assert visit.read("shared.txt") == "one\nthree\n"


def test_what_two_agents_write_at_once_ends_as_the_newest(visit: Visit) -> None:
    """The answer to the older question comes last."""
    visit.write("shared.txt", "one\n")
    visit.ask("mode", mode="auto")
    page = visit.sign_in()
    item(page, "shared.txt").click()
    expect(text_of(page, "shared.txt")).to_contain_text("one")
    held: list[Route] = []
    page.route("**/page/v1/call", lambda route: _hold(route, held))
    visit.edit({"type": "replace", "path": "shared.txt", "search": "one", "replacement": "two"})
    wait_for(page, held)
    older = held[0].fetch()
    visit.edit({"type": "replace", "path": "shared.txt", "search": "two", "replacement": "three"})
    page.wait_for_timeout(300)
    held[0].fulfill(response=older)
    expect(text_of(page, "shared.txt")).to_have_text("three")


def test_theirs_in_the_place_of_mine_can_be_undone_in_the_editor(visit: Visit) -> None:
    visit.write("shared.txt", "one\n")
    visit.ask("mode", mode="auto")
    page = visit.sign_in()
    item(page, "shared.txt").click()
    type_at_start(page, "shared.txt", "typed ")
    visit.edit({"type": "replace", "path": "shared.txt", "search": "one", "replacement": "two"})
    page.get_by_role("button", name="Take theirs").click()
    expect(text_of(page, "shared.txt")).to_have_text("two")
    text_of(page, "shared.txt").click()
    page.keyboard.press("Control+Z")
    expect(text_of(page, "shared.txt")).to_have_text("typed one")


def wait_for(page: Page, held: list[Route]) -> None:
    for _ in range(200):
        if held:
            return
        page.wait_for_timeout(50)
    raise AssertionError("the file isn't read again")


def _hold(route: Route, held: list[Route]) -> None:
    """Keep back what reads the file, the first time."""
    if not held and '"editor_open"' in (route.request.post_data or ""):
        held.append(route)
    else:
        route.continue_()


def test_a_tab_follows_where_an_agent_moves_its_file(visit: Visit) -> None:
    visit.write("old.txt", "one\n")
    visit.ask("mode", mode="auto")
    visit.ask("settings.set", key="destructive_edits", value="allow")
    page = visit.sign_in()
    item(page, "old.txt").click()
    type_at_start(page, "old.txt", "typed ")
    visit.edit({"type": "move", "from": "old.txt", "to": "deep/new.txt"})
    tab = page.get_by_role("tab", name="new.txt")
    expect(tab).to_contain_text("not saved")
    page.keyboard.press("Control+S")
    expect(tab).not_to_contain_text("not saved")
    assert visit.read("deep/new.txt") == "typed one\n"


@pytest.mark.parametrize("kept", ["mine", "theirs", "merge"])
def test_what_both_changed_is_for_the_person_to_say(visit: Visit, kept: str) -> None:
    visit.write("shared.txt", "first\nmiddle\nlast\n")
    visit.ask("mode", mode="auto")
    page = visit.sign_in()
    item(page, "shared.txt").click()
    type_at_start(page, "shared.txt", "mine ")
    visit.edit({"type": "replace", "path": "shared.txt", "search": "last", "replacement": "theirs"})
    conflict = page.get_by_role("alert").filter(has_text="changed this file")
    expect(conflict).to_contain_text("tester")
    assert visit.read("shared.txt") == "first\nmiddle\ntheirs\n"
    if kept == "mine":
        conflict.get_by_role("button", name="Keep mine").click()
        expect(conflict).to_have_count(0)
        assert visit.read("shared.txt") == "mine first\nmiddle\nlast\n"
    elif kept == "theirs":
        conflict.get_by_role("button", name="Take theirs").click()
        expect(conflict).to_have_count(0)
        expect(text_of(page, "shared.txt")).to_contain_text("theirs")
        assert visit.read("shared.txt") == "first\nmiddle\ntheirs\n"
    else:
        conflict.get_by_role("button", name="Merge…").click()
        dialog = page.get_by_role("dialog", name="Merge shared.txt")
        dialog.locator(".cm-merge-revert button").last.click()
        dialog.get_by_role("button", name="Save the merge").click()
        expect(dialog).to_have_count(0)
        assert visit.read("shared.txt") == "mine first\nmiddle\ntheirs\n"


def test_a_save_over_what_nobody_told_of_is_refused_and_nothing_lost(visit: Visit) -> None:
    """Another program writes, and the save comes before anything was heard of it."""
    visit.write("notes.txt", "old\n")
    page = visit.sign_in()
    item(page, "notes.txt").click()
    type_at_start(page, "notes.txt", "typed ")
    visit.write("notes.txt", "by another program\n")
    page.keyboard.press("Control+S")
    expect(page.get_by_role("alert").filter(has_text="changed this file")).to_be_visible()
    assert visit.read("notes.txt") == "by another program\n"
    expect(text_of(page, "notes.txt")).to_contain_text("typed old")


def test_files_are_made_renamed_moved_and_deleted_with_undo(visit: Visit) -> None:
    visit.write("box/kept.txt", "k\n")
    page = visit.sign_in()
    page.get_by_role("button", name="New file").click()
    page.get_by_label("Name of the new file").fill("made.txt")
    page.get_by_role("button", name="Create").click()
    expect(text_of(page, "made.txt")).to_be_visible()
    assert visit.read("made.txt") == ""
    item(page, "made.txt").click()
    tree_of(page).focus()
    page.keyboard.press("F2")
    page.get_by_label("New name").fill("renamed.txt")
    page.get_by_role("button", name="Rename").click()
    expect(item(page, "renamed.txt")).to_be_visible()
    expect(page.get_by_role("tab", name="renamed.txt")).to_be_visible()
    expect(page.get_by_role("tab", name="made.txt")).to_have_count(0)
    item(page, "renamed.txt").drag_to(item(page, "box"))
    expect(page.get_by_text("Moved renamed.txt to box/renamed.txt.")).to_be_visible()
    item(page, "box").click()
    item(page, "kept.txt").click()
    tree_of(page).focus()
    page.keyboard.press("Delete")
    expect(page.get_by_text("Deleted box/kept.txt.")).to_be_visible()
    assert not Path(visit.room.folder, "box/kept.txt").exists()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone.")).to_be_visible()
    assert visit.read("box/kept.txt") == "k\n"
    expect(item(page, "kept.txt")).to_be_visible()  # chosen as it was; what is made goes beside it
    page.get_by_role("button", name="New file").click()
    page.get_by_label("Name of the new file").fill("kept.txt")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("alert")).to_contain_text("exists")
    assert visit.read("box/kept.txt") == "k\n"


def test_markdown_is_previewed_and_nothing_of_it_acts(visit: Visit) -> None:
    visit.write(
        "read.md",
        "# Title\n\n<script>window.acted = 1</script><img src=x onerror='window.acted = 1'>\n\n"
        "![far](http://127.0.0.1:1/x.png) [out](javascript:window.acted=1)\n",
    )
    page = visit.sign_in()
    item(page, "read.md").click()
    page.get_by_role("button", name="Preview").click()
    preview = page.get_by_role("region", name="Preview")
    expect(preview.get_by_role("heading", name="Title")).to_be_visible()
    expect(preview.locator("img, script")).to_have_count(0)
    preview.get_by_text("out", exact=True).click()
    assert page.evaluate("window.acted") is None


def test_what_is_not_saved_is_shown_and_asked_for(visit: Visit) -> None:
    visit.write("a.txt", "one\ntwo\n")
    page = visit.sign_in()
    item(page, "a.txt").click()
    type_at_start(page, "a.txt", "changed ")
    page.get_by_role("button", name="Unsaved").click()
    expect(page.get_by_role("textbox", name="What isn't saved yet")).to_contain_text("changed one")
    page.get_by_role("button", name="Edit", exact=True).click()
    expect(text_of(page, "a.txt")).to_contain_text("changed one")
    page.get_by_role("button", name="Close the tab").click()
    expect(page.get_by_text("a.txt has changes that aren't saved.")).to_be_visible()
    expect(page.get_by_role("tab", name="a.txt")).to_be_visible()
    page.get_by_role("button", name="Close without saving").click()
    expect(page.get_by_role("tab", name="a.txt")).to_have_count(0)
    assert visit.read("a.txt") == "one\ntwo\n"


def test_delete_takes_only_what_is_marked(visit: Visit) -> None:
    """Not what stands first, where nothing is marked, or what was has gone."""
    visit.write("a.txt", "a\n")
    visit.write("b.txt", "b\n")
    visit.ask("mode", mode="auto")
    visit.ask("settings.set", key="destructive_edits", value="allow")
    page = visit.sign_in()
    expect(item(page, "a.txt")).to_be_visible()
    tree_of(page).focus()
    for key in ("Delete", "F2", "Control+X"):
        page.keyboard.press(key)
    expect(page.get_by_label("New name")).to_have_count(0)
    item(page, "b.txt").click()
    tree_of(page).focus()
    visit.edit({"type": "delete", "path": "b.txt"})
    expect(item(page, "b.txt")).to_have_count(0)
    for key in ("Delete", "F2", "Control+X"):
        page.keyboard.press(key)
    expect(page.get_by_label("New name")).to_have_count(0)
    expect(page.get_by_text("is taken up")).to_have_count(0)
    item(page, "a.txt").click()
    expect(text_of(page, "a.txt")).to_contain_text("a")
    assert [entry["title"] for entry in visit.ask("log")["entries"]] == ["A change"]


def test_what_is_dragged_here_from_another_page_moves_nothing(visit: Visit) -> None:
    """A page names what it drags as it likes."""
    visit.write("a.txt", "a\n")
    visit.write("folder/b.txt", "b\n")
    page = visit.sign_in()
    held = page.evaluate_handle(
        "() => { const data = new DataTransfer(); data.setData('application/x-workroom-path', 'a.txt'); return data; }"
    )
    item(page, "folder").dispatch_event("drop", {"dataTransfer": held})
    item(page, "folder").click()
    expect(item(page, "b.txt")).to_be_visible()
    assert visit.read("a.txt") == "a\n"
    assert visit.ask("log")["entries"] == []


def test_only_the_middle_button_closes_a_tab(visit: Visit) -> None:
    visit.write("a.txt", "a\n")
    page = visit.sign_in()
    item(page, "a.txt").click()
    tab = page.get_by_role("tab", name="a.txt")
    tab.click(button="right")
    expect(text_of(page, "a.txt")).to_contain_text("a")
    expect(tab).to_have_count(1)
    tab.click(button="middle")
    expect(tab).to_have_count(0)
