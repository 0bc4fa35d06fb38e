"""A file that is too long to be shown whole is read part by part, anywhere, and says which part it is."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect
from tests.page.browsing import Visit
from tests.page.test_files import item, text_of
from tests.page.test_media import freed


def numbered(visit: Visit, path: str, lines: int) -> int:
    """A file of lines that say their number; its size."""
    visit.write(path, "".join(f"This is line {n}.\n" for n in range(1, lines + 1)))
    return Path(visit.room.folder, path).stat().st_size


def bar(page: Page) -> Locator:
    return page.get_by_role("group", name="Part of the file")


def press(page: Page, name: str) -> None:
    bar(page).get_by_role("button", name=name).click()


def go(page: Page, place: str, kind: str) -> None:
    page.get_by_label("Line or byte").fill(place)
    press(page, f"Go to {kind}")


def test_a_long_file_is_read_on_to_its_end_and_back(visit: Visit) -> None:
    visit.ask("settings.set", key="editor_max_file_bytes", value=2_000)
    size = numbered(visit, "long.txt", 1_000)
    page = visit.sign_in()
    item(page, "long.txt").click()
    text = text_of(page, "long.txt")
    expect(text).to_contain_text("This is line 1.")
    told = bar(page).get_by_role("status")
    expect(told).to_contain_text(re.compile(rf"Bytes 0 to 1,9\d\d of {size:,} .* lines 1 to \d+ of 1,000"))
    for name in ("Beginning", "Previous part"):
        expect(bar(page).get_by_role("button", name=name)).to_be_disabled()
    expect(page.get_by_role("button", name="Save")).to_have_count(0)
    press(page, "Next part")
    expect(told).to_contain_text("lines 118 to ")
    expect(text).to_contain_text("This is line 118.")
    expect(page.locator(".cm-lineNumbers")).to_contain_text("118")
    text.click(position={"x": 5, "y": 8})
    expect(page.get_by_role("group", name="Shown file")).to_contain_text("Line 118 of 1000, column 1")
    press(page, "End")
    expect(told).to_contain_text(f"to {size:,} of {size:,}")
    expect(text).to_contain_text("This is line 1000.")
    expect(bar(page).get_by_role("button", name="Next part")).to_be_disabled()
    press(page, "Previous part")
    expect(text).not_to_contain_text("This is line 1000.")
    press(page, "Beginning")
    expect(text).to_contain_text("This is line 1.")
    expect(told).to_contain_text("Bytes 0 to ")


def test_any_line_and_any_byte_is_gone_to(visit: Visit) -> None:
    visit.ask("settings.set", key="editor_max_file_bytes", value=2_000)
    numbered(visit, "long.txt", 1_000)
    page = visit.sign_in()
    item(page, "long.txt").click()
    text = text_of(page, "long.txt")
    text.click()
    page.keyboard.press("Control+G")
    expect(page.get_by_label("Line or byte")).to_be_focused()
    page.keyboard.type("700")
    page.keyboard.press("Enter")
    shown = page.get_by_role("group", name="Shown file")
    expect(shown).to_contain_text("Line 700 of 1000, column 1")
    expect(text).to_be_focused()
    expect(page.locator(".cm-activeLine")).to_have_text("This is line 700.")
    expect(text).to_contain_text("This is line 690.")
    go(page, "1,001", "line")
    expect(bar(page).get_by_role("alert")).to_contain_text("long.txt has no line 1,001; it has 1,000.")
    expect(text).to_contain_text("This is line 1000.")
    go(page, "98", "byte")
    expect(text).to_contain_text("is is line 7.")
    expect(bar(page).get_by_role("alert")).to_have_count(0)
    expect(bar(page).get_by_role("status")).to_contain_text("Bytes 98 to")


def test_a_hit_of_the_search_is_gone_to_in_the_part_that_holds_it(visit: Visit) -> None:
    visit.ask("settings.set", key="editor_max_file_bytes", value=2_000)
    numbered(visit, "long.txt", 1_000)
    page = visit.sign_in()
    page.keyboard.press("Control+Shift+F")
    page.get_by_label("Look for").fill("line 800")
    page.keyboard.press("Enter")
    page.get_by_role("region", name="long.txt").get_by_role("button").last.click()
    expect(page.locator(".cm-activeLine")).to_have_text("This is line 800.")


def test_two_gigabytes_of_an_endless_line_are_read_in_the_middle(visit: Visit) -> None:
    """With characters that a byte's place cuts, and no line's end in reach."""
    path = Path(visit.room.folder, "vast.txt")
    with open(path, "wb") as vast:
        vast.write("begin €€€".encode() * 180_000)
        for at in (1_000_000_000, 1_998_000_000):
            vast.seek(at)
            vast.write("€middle€".encode() * 250_000)
    size = path.stat().st_size
    page = visit.sign_in()
    item(page, "vast.txt").click()
    text = text_of(page, "vast.txt")
    expect(text).to_contain_text("begin €€€")
    go(page, "1,000,000,010", "byte")
    told = bar(page).get_by_role("status")
    expect(told).to_contain_text(re.compile(rf"Bytes 1,000,000,009 to 1,002,000,00\d of {size:,}"))
    expect(told).to_contain_text("so far in, lines aren't counted")
    expect(text).to_contain_text("€middle€€middle")
    expect(page.get_by_role("group", name="Shown file")).to_contain_text("Line 1 of this part")
    expect(page.get_by_text("holds bytes that are no text")).to_have_count(0)
    go(page, "2", "line")
    expect(bar(page).get_by_role("alert")).to_contain_text("lies beyond its first 256,000,000 bytes")
    press(page, "End")
    expect(told).to_contain_text(f"to {size:,} of {size:,}")


def test_a_part_follows_what_others_write_and_stays_where_it_is(visit: Visit) -> None:
    visit.ask("settings.set", key="editor_max_file_bytes", value=2_000)
    freed(visit)
    size = numbered(visit, "long.txt", 1_000)
    page = visit.sign_in()
    item(page, "long.txt").click()
    press(page, "Next part")
    text = text_of(page, "long.txt")
    expect(text).to_contain_text("This is line 118.")
    told = bar(page).get_by_role("status")
    replaced = {"search": "This is line 1000.\n", "replacement": "This is line 1000.\nOne more.\n"}
    visit.edit({"type": "replace", "path": "long.txt", **replaced})
    expect(told).to_contain_text(f"of {size + 10:,}")
    expect(told).to_contain_text("lines 118 to ")
    expect(told).to_contain_text("of 1,001")
    press(page, "End")
    expect(text).to_contain_text("One more.")
    visit.edit({"type": "create", "path": "long.txt", "content": "short now\n", "overwrite": True})
    expect(text).to_contain_text("short now")


def test_numbers_go_on_where_nobody_counts_them(visit: Visit) -> None:
    """From a part whose lines are known the next one's are: by what was shown, not by reading anything."""
    with open(visit.room.folder / "vast.log", "wb") as vast:
        vast.writelines(b"%-63d\n" % at for at in range(0, 66_000_000, 64))
    page = visit.sign_in()
    item(page, "vast.log").click()
    told = bar(page).get_by_role("status")
    go(page, "63,999,936", "byte")
    expect(told).to_contain_text("lines 1,000,000 to 1,031,249")
    press(page, "Next part")
    expect(told).to_contain_text("lines 1,031,250 to ")
    expect(text_of(page, "vast.log")).to_contain_text(str(1_031_249 * 64))
    press(page, "Previous part")
    expect(told).to_contain_text("lines 1,000,000 to 1,031,249")
    go(page, "65,000,000", "byte")
    expect(told).to_contain_text("so far in, lines aren't counted")
