"""What a person typed is never lost: not with a dialog, a move, another folder, or a sign-in elsewhere."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, Route, expect
from tests.page.browsing import Visit
from tests.page.test_files import item, text_of, tree_of, type_at_start
from tests.page.test_merge import in_conflict, merging


def typed_in(visit: Visit, name: str = "a.txt") -> Page:
    """A file of two lines with something typed into it that isn't saved."""
    visit.write(name, "one\ntwo\n")
    visit.ask("mode", mode="auto")
    visit.ask("settings.set", key="destructive_edits", value="allow")
    page = visit.sign_in()
    item(page, name).click()
    type_at_start(page, name, "typed ")
    expect(page.get_by_role("tab", name=name)).to_contain_text("not saved")
    return page


def rename(page: Page, path: str, to: str) -> None:
    item(page, path).focus()
    tree_of(page).press("F2")
    page.get_by_label("New name").fill(to)
    page.keyboard.press("Enter")


def test_a_merge_that_can_not_be_saved_stays(visit: Visit) -> None:
    page = in_conflict(visit)
    dialog = merging(page)
    dialog.get_by_role("textbox", name="Yours").click()
    page.keyboard.press("Control+Home")
    page.keyboard.type("merged ")
    page.route("**/page/v1/call", _cut_saves)
    dialog.get_by_role("button", name="Save the merge").click()
    expect(dialog.get_by_role("alert")).to_contain_text("can't be reached")
    expect(dialog.get_by_role("textbox", name="Yours")).to_contain_text("merged mine line 1")
    page.unroute("**/page/v1/call")
    dialog.get_by_role("button", name="Save the merge").click()
    expect(dialog).to_have_count(0)
    assert visit.read("a.txt").startswith("merged mine line 1\n")


def test_a_merge_stays_when_theirs_is_taken_back(visit: Visit) -> None:
    page = in_conflict(visit)
    dialog = merging(page)
    dialog.get_by_role("textbox", name="Yours").click()
    page.keyboard.press("Control+Home")
    page.keyboard.type("merged ")
    visit.ask("undo")
    expect(page.get_by_role("tab", name="a.txt")).not_to_contain_text("changed on disk")
    expect(dialog.get_by_role("textbox", name="Yours")).to_contain_text("merged mine line 1")
    dialog.get_by_role("button", name="Save the merge").click()
    expect(dialog).to_have_count(0)
    assert visit.read("a.txt").startswith("merged mine line 1\nline 2\n")


def test_a_merge_stays_when_theirs_is_deleted(visit: Visit) -> None:
    visit.ask("settings.set", key="destructive_edits", value="allow")
    page = in_conflict(visit)
    dialog = merging(page)
    dialog.get_by_role("textbox", name="Yours").click()
    page.keyboard.press("Control+Home")
    page.keyboard.type("merged ")
    visit.edit({"type": "delete", "path": "a.txt"})
    expect(page.get_by_role("tab", name="a.txt")).to_contain_text("deleted on disk")
    expect(dialog.get_by_role("textbox", name="Yours")).to_contain_text("merged mine line 1")
    dialog.get_by_role("button", name="Save the merge").click()
    expect(dialog).to_have_count(0)
    assert visit.read("a.txt").startswith("merged mine line 1\n")


def test_escape_leaves_only_a_merge_that_holds_nothing_yet(visit: Visit) -> None:
    page = in_conflict(visit)
    dialog = merging(page)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.get_by_role("button", name="Merge…").click()
    dialog.get_by_role("textbox", name="Yours").click()
    page.keyboard.press("Control+Home")
    page.keyboard.type("merged ")
    for _ in range(3):
        page.keyboard.press("Escape")
    expect(dialog.get_by_role("textbox", name="Yours")).to_contain_text("merged mine line 1")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_have_count(0)
    expect(text_of(page, "a.txt")).to_contain_text("mine line 1")


def test_it_stays_when_another_file_comes_to_its_place(visit: Visit) -> None:
    visit.write("a.txt", "this was a\n")
    page = typed_in(visit, "b.txt")
    item(page, "a.txt").click()
    expect(text_of(page, "a.txt")).to_contain_text("this was a")
    visit.edit({"type": "delete", "path": "b.txt"})
    expect(page.get_by_role("tab", name="b.txt")).to_contain_text("deleted on disk")
    visit.edit({"type": "move", "from": "a.txt", "to": "b.txt"})
    expect(page.get_by_role("tab", name="a.txt")).to_have_count(0)
    page.get_by_role("tab", name="b.txt").click()
    expect(text_of(page, "b.txt")).to_contain_text("typed one")
    expect(page.get_by_role("alert").filter(has_text="changed this file")).to_be_visible()
    assert visit.read("b.txt") == "this was a\n"


def test_of_two_texts_neither_gives_way(visit: Visit) -> None:
    visit.write("a.txt", "this was a\n")
    page = typed_in(visit, "b.txt")
    item(page, "a.txt").click()
    type_at_start(page, "a.txt", "more of ")
    visit.edit({"type": "delete", "path": "b.txt"})
    expect(page.get_by_role("tab", name="b.txt")).to_contain_text("deleted on disk")
    visit.edit({"type": "move", "from": "a.txt", "to": "b.txt"})
    expect(page.get_by_role("tab", name="a.txt")).to_contain_text("deleted on disk")
    expect(text_of(page, "a.txt")).to_contain_text("more of this was a")
    page.get_by_role("tab", name="b.txt").click()
    expect(text_of(page, "b.txt")).to_contain_text("typed one")


def test_it_stays_while_a_move_is_followed(visit: Visit) -> None:
    visit.write("a.txt", "one\n")
    page = visit.sign_in()
    item(page, "a.txt").click()
    text_of(page, "a.txt").click()
    held: list[Route] = []
    let: list[bool] = []
    page.route("**/page/v1/call", lambda route: _hold_opens(route, held, let))
    rename(page, "a.txt", "b.txt")
    expect(page.get_by_role("tab", name="b.txt")).to_be_visible()
    type_at_start(page, "b.txt", "typed ")
    expect(page.get_by_role("tab", name="b.txt")).to_contain_text("not saved")
    asked: list[str] = []
    page.on("requestfinished", lambda request: asked.append(request.post_data or ""))
    let.append(True)
    for route in held:
        route.continue_()
    wait_for(page, lambda: any('"editor_open"' in each and "b.txt" in each for each in asked))
    page.keyboard.press("Control+S")
    expect(page.get_by_role("tab", name="b.txt")).not_to_contain_text("not saved")
    assert visit.read("b.txt") == "typed one\n"


def test_it_goes_on_in_the_same_place_while_the_file_is_moved(visit: Visit) -> None:
    page = typed_in(visit)
    expect(text_of(page, "a.txt")).to_be_focused()
    visit.edit({"type": "move", "from": "a.txt", "to": "b.txt"})
    expect(page.get_by_role("tab", name="b.txt")).to_contain_text("not saved")
    expect(text_of(page, "b.txt")).to_be_focused()
    page.keyboard.type("on ")
    page.keyboard.press("Control+S")
    expect(page.get_by_role("tab", name="b.txt")).not_to_contain_text("not saved")
    assert visit.read("b.txt") == "typed on one\ntwo\n"


def test_it_stays_when_another_tab_signs_in(visit: Visit) -> None:
    page = typed_in(visit)
    other = visit.context.new_page()
    other.goto(visit.room.person().get("page.code")["link"])
    other.get_by_text("Live", exact=True).wait_for(state="attached")
    expect(text_of(page, "a.txt")).to_contain_text("typed one")
    page.keyboard.press("Control+S")
    expect(page.get_by_role("tab", name="a.txt")).not_to_contain_text("not saved")
    assert visit.read("a.txt") == "typed one\ntwo\n"


def test_it_is_there_again_after_a_sign_out(visit: Visit) -> None:
    page = typed_in(visit)
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("heading", name="Sign in").wait_for()
    page.goto(visit.room.person().get("page.code")["link"])  # only the hash differs: nothing is loaded anew
    page.get_by_role("tab", name="a.txt").click()
    expect(text_of(page, "a.txt")).to_contain_text("typed one")
    page.keyboard.press("Control+S")
    expect(page.get_by_role("tab", name="a.txt")).not_to_contain_text("not saved")
    assert visit.read("a.txt") == "typed one\ntwo\n"


def test_it_is_there_again_after_a_look_at_another_folder(visit: Visit) -> None:
    visit.room.folder.with_name("other").mkdir()
    visit.room.person().get("open", path=str(visit.room.folder.with_name("other")))
    page = typed_in(visit)
    folder = page.get_by_label("Folder")
    folder.select_option(str(visit.room.folder.with_name("other")))
    expect(page.get_by_role("tab", name="a.txt")).to_have_count(0)
    folder.select_option(str(visit.room.folder))
    page.get_by_role("tab", name="a.txt").click()
    expect(text_of(page, "a.txt")).to_contain_text("typed one")
    page.keyboard.press("Control+S")
    expect(page.get_by_role("tab", name="a.txt")).not_to_contain_text("not saved")
    assert visit.read("a.txt") == "typed one\ntwo\n"


def test_a_save_whose_answer_is_lost_is_no_conflict_with_itself(visit: Visit) -> None:
    page = typed_in(visit)
    page.route("**/page/v1/call", _lose_saves)
    page.keyboard.press("Control+S")
    expect(page.get_by_role("tab", name="a.txt")).not_to_contain_text("not saved")
    assert visit.read("a.txt") == "typed one\ntwo\n"
    expect(page.get_by_role("button", name="Keep mine")).to_have_count(0)


def test_it_stays_when_theirs_can_not_be_taken(visit: Visit) -> None:
    page = in_conflict(visit)
    page.route("**/page/v1/call", _cut_opens)
    page.get_by_role("button", name="Take theirs").click()
    expect(page.get_by_role("alert").filter(has_text="can't be reached")).to_be_visible()
    expect(text_of(page, "a.txt")).to_contain_text("mine line 1")
    expect(page.get_by_text("holds what is on disk")).to_have_count(0)


def _cut_opens(route: Route) -> None:
    (route.abort if '"editor_open"' in (route.request.post_data or "") else route.continue_)()


def _lose_saves(route: Route) -> None:
    if '"editor_save"' in (route.request.post_data or ""):
        route.fetch()
        route.abort()
    else:
        route.continue_()


def _cut_saves(route: Route) -> None:
    (route.abort if '"editor_save"' in (route.request.post_data or "") else route.continue_)()


def wait_for(page: Page, ready: Callable[[], bool]) -> None:
    for _ in range(400):
        if ready():
            return
        page.wait_for_timeout(25)
    raise AssertionError("it never came")


def _hold_opens(route: Route, held: list[Route], open_: list[bool]) -> None:
    if '"editor_open"' in (route.request.post_data or "") and not open_:
        held.append(route)
    else:
        route.continue_()
